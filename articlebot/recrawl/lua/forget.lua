-- Removes pages. KEYS: both due zsets, pages per job (hash), meta. ARGV: bucket prefix, first part of the keys of the zsets
-- of pages aside, then ids.
-- Returns how many were there.
open(KEYS[4], ARGV[1])
local removed = 0
for i = 3, #ARGV do
  local id = ARGV[i]
  local bucket = bucket_of(id)
  local old = redis.call('HGET', bucket, id)
  if old then
    redis.call('HDEL', bucket, id)
    local job = struct.unpack('>H', old)
    redis.call('HINCRBY', KEYS[3], job, -1)
    redis.call('ZREM', ARGV[2] .. job, '1' .. id, '2' .. id)
    removed = removed + 1
  end
  redis.call('ZREM', KEYS[1], id)
  redis.call('ZREM', KEYS[2], id)
end
if removed > 0 then redis.call('HINCRBY', M, 'pages', -removed) end
return removed
