-- Writes page records and their due times, and keeps the number of pages per job.
-- KEYS: due zsets of list pages and of others, pages per job (hash), meta. ARGV: bucket prefix, 1 to leave existing pages
-- alone, first part of the keys of the zsets of pages aside, then (id, due time, record, which due zset) for each page.
-- Returns the number of pages that are new.
open(KEYS[4], ARGV[1])
-- Hashes that a call makes at most; one that writes 50 new pages needs two.
local MOST_NEW = 4
local only_new, added = ARGV[2] == '1', 0
for i = 4, #ARGV, 4 do
  local id, record = ARGV[i], ARGV[i + 2]
  local bucket = bucket_of(id)
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
        -- Else it would come back with the earlier job's pages, and due after it was forgotten.
        redis.call('ZREM', ARGV[3] .. before, '1' .. id, '2' .. id)
      end
    end
    redis.call('HSET', bucket, id, record)
    local place = tonumber(ARGV[i + 3])
    redis.call('ZADD', KEYS[place], ARGV[i + 1], id)
    if old then redis.call('ZREM', KEYS[3 - place], id) end
  end
end
if added > 0 then
  local pages = redis.call('HINCRBY', M, 'pages', added)
  if pages == added then
    -- The first pages, or a store of the time when nobody counted.
    pages = 0
    for _, of_job in ipairs(redis.call('HVALS', KEYS[3])) do pages = pages + tonumber(of_job) end
    redis.call('HSET', M, 'pages', pages)
  end
  grow(pages, MOST_NEW)
end
return added
