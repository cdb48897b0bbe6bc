-- Removes pages. KEYS: both due zsets, pages per job (hash). ARGV: bucket prefix, number of buckets, first part of the
-- keys of the zsets of pages aside, then ids.
-- Returns how many were there.
local buckets, removed = tonumber(ARGV[2]), 0
for i = 4, #ARGV do
  local id = ARGV[i]
  local high, low = string.byte(id, 7, 8)
  local bucket = ARGV[1] .. ((high * 256 + low) % buckets)
  local old = redis.call('HGET', bucket, id)
  if old then
    redis.call('HDEL', bucket, id)
    local job = struct.unpack('>H', old)
    redis.call('HINCRBY', KEYS[3], job, -1)
    redis.call('ZREM', ARGV[3] .. job, '1' .. id, '2' .. id)
    removed = removed + 1
  end
  redis.call('ZREM', KEYS[1], id)
  redis.call('ZREM', KEYS[2], id)
end
return removed
