-- Puts due pages of jobs that nobody follows aside, with their due times. KEYS: both due zsets, numbers of the jobs with
-- pages aside (set). ARGV: due by when, first part of the keys of the zsets of pages aside, then (id, job number) of each
-- page. A page that was visited meanwhile has its next due time already, and keeps it. Returns how many were moved.
local moved = 0
for i = 3, #ARGV, 2 do
  local id, number = ARGV[i], ARGV[i + 1]
  for place = 1, 2 do
    local at = redis.call('ZSCORE', KEYS[place], id)
    if at and tonumber(at) <= tonumber(ARGV[1]) then
      redis.call('ZREM', KEYS[place], id)
      redis.call('ZADD', ARGV[2] .. number, at, place .. id)
      -- Where it stood aside as another kind, and was visited since.
      redis.call('ZREM', ARGV[2] .. number, (3 - place) .. id)
      redis.call('SADD', KEYS[3], number)
      moved = moved + 1
    end
  end
end
return moved
