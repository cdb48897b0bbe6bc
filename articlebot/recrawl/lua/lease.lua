-- Leases pages that are due: their due time becomes the end of the lease, so that a page whose holder dies comes back.
-- KEYS: due zset, meta. ARGV: now, most pages, end of the lease ('' only looks), bucket prefix, how many of the longest due
-- to leave out, how many to look at, job numbers (2 bytes each, joined) whose pages are passed over.
-- Returns, joined: how many pages were passed over and how many are taken, the length of each one's record (4 bytes
-- each), their ids (8 bytes each), their records. One reply costs the client far less to parse than many.
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', ARGV[5], ARGV[6])
open(KEYS[2], ARGV[4])
local most = tonumber(ARGV[2])
local taken, records, lengths, moved, others, passed = {}, {}, {}, {}, {}, 0
for i = 1, #ARGV[7], 2 do others[string.sub(ARGV[7], i, i + 1)] = true end
for _, id in ipairs(ids) do
  if #taken >= most then break end
  local record = redis.call('HGET', bucket_of(id), id)
  if record and others[string.sub(record, 1, 2)] then
    passed = passed + 1
  elseif record then
    taken[#taken + 1] = id
    records[#taken] = record
    lengths[#taken] = #record
    moved[#moved + 1] = ARGV[3]
    moved[#moved + 1] = id
  else
    redis.call('ZREM', KEYS[1], id)
  end
end
if #moved > 0 and ARGV[3] ~= '' then
  redis.call('ZADD', KEYS[1], unpack(moved))
end
local head = struct.pack('>' .. string.rep('I4', #taken + 2), passed, #taken, unpack(lengths))
return head .. table.concat(taken) .. table.concat(records)
