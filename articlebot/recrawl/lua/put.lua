-- Writes page records and their due times, and keeps the number of pages per job.
-- KEYS: due zset, pages per job (hash). ARGV: bucket prefix, number of buckets, 1 to leave existing pages alone,
-- then (id, due time, record) for each page. Returns the number of pages that are new.
local buckets, only_new, added = tonumber(ARGV[2]), ARGV[3] == '1', 0
for i = 4, #ARGV, 3 do
  local id, record = ARGV[i], ARGV[i + 2]
  local high, low = string.byte(id, 7, 8)
  local bucket = ARGV[1] .. ((high * 256 + low) % buckets)
  local old = redis.call('HGET', bucket, id)
  if not (old and only_new) then
    local job = struct.unpack('>H', record)
    if not old then
      added = added + 1
      redis.call('HINCRBY', KEYS[2], job, 1)
    else
      local before = struct.unpack('>H', old)
      if before ~= job then
        redis.call('HINCRBY', KEYS[2], before, -1)
        redis.call('HINCRBY', KEYS[2], job, 1)
      end
    end
    redis.call('HSET', bucket, id, record)
    redis.call('ZADD', KEYS[1], ARGV[i + 1], id)
  end
end
return added
