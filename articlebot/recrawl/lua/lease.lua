-- Leases pages that are due: their due time becomes the end of the lease, so that a page whose holder dies comes back.
-- KEYS: due zset. ARGV: now, most pages, end of the lease ('' only looks), bucket prefix, number of buckets.
-- Returns (8-byte id, 4-byte length, record) of each, joined: one reply costs the client far less to parse than many.
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
local buckets, out, moved = tonumber(ARGV[5]), {}, {}
for _, id in ipairs(ids) do
  local high, low = string.byte(id, 7, 8)
  local record = redis.call('HGET', ARGV[4] .. ((high * 256 + low) % buckets), id)
  if record then
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
return table.concat(out)
