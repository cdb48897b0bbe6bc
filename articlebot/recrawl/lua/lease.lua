-- Leases pages that are due: their due time becomes the end of the lease, so that a page whose holder dies comes back.
-- KEYS: due zset. ARGV: now, most pages, end of the lease ('' only looks), bucket prefix, number of buckets, how many
-- of the longest due to leave out, how many to look at, job numbers (2 bytes each, joined) whose pages are passed over.
-- Returns the number of pages passed over (4 bytes), then (8-byte id, 4-byte length, record) of each, joined: one reply
-- costs the client far less to parse than many.
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', ARGV[6], ARGV[7])
local buckets, most, out, moved = tonumber(ARGV[5]), tonumber(ARGV[2]), {''}, {}
local others, passed = {}, 0
for i = 1, #ARGV[8], 2 do others[string.sub(ARGV[8], i, i + 1)] = true end
for _, id in ipairs(ids) do
  if #moved >= 2 * most then break end
  local high, low = string.byte(id, 7, 8)
  local record = redis.call('HGET', ARGV[4] .. ((high * 256 + low) % buckets), id)
  if record and others[string.sub(record, 1, 2)] then
    passed = passed + 1
  elseif record then
    out[#out + 1] = id
    out[#out + 1] = struct.pack('>I4', #record)
    out[#out + 1] = record
    moved[#moved + 1] = ARGV[3]
    moved[#moved + 1] = id
  else
    redis.call('ZREM', KEYS[1], id)
  end
end
if #moved > 0 and ARGV[3] ~= '' then
  redis.call('ZADD', KEYS[1], unpack(moved))
end
out[1] = struct.pack('>I4', passed)
return table.concat(out)
