-- Writes page records and their due times, and keeps the number of pages per job.
-- KEYS: due zsets of list pages and of others, pages per job (hash). ARGV: bucket prefix, number of buckets, 1 to leave
-- existing pages alone, then (id, due time, record, which due zset) for each page. Returns the number of pages that are
-- new.
local buckets, only_new, added = tonumber(ARGV[2]), ARGV[3] == '1', 0
for i = 4, #ARGV, 4 do
  local id, record = ARGV[i], ARGV[i + 2]
  local high, low = string.byte(id, 7, 8)
  local bucket = ARGV[1] .. ((high * 256 + low) % buckets)
  local old = redis.call('HGET', bucket, id)
  if not (old and only_new) then
    local job = struct.unpack('>H', record)
    if not old then
      added = added + 1
      redis.call('HINCRBY', KEYS[3], job, 1)
    else
      local before = struct.unpack('>H', old)
      if before ~= job then
        redis.call('HINCRBY', KEYS[3], before, -1)
        redis.call('HINCRBY', KEYS[3], job, 1)
      end
    end
    redis.call('HSET', bucket, id, record)
    local place = tonumber(ARGV[i + 3])
    redis.call('ZADD', KEYS[place], ARGV[i + 1], id)
    if old then redis.call('ZREM', KEYS[3 - place], id) end
  end
end
return added
