-- Gives pages that were put aside their due times again, the longest due first. KEYS: both due zsets, numbers of the jobs
-- with pages aside (set). ARGV: first part of the keys of the zsets of pages aside, job number, most pages. A page that
-- was visited meanwhile keeps its due time. Returns how many were aside, of those looked at.
local aside = ARGV[1] .. ARGV[2]
local found = redis.call('ZRANGE', aside, 0, ARGV[3] - 1, 'WITHSCORES')
for i = 1, #found, 2 do
  local place, id = tonumber(string.sub(found[i], 1, 1)), string.sub(found[i], 2)
  if not (redis.call('ZSCORE', KEYS[1], id) or redis.call('ZSCORE', KEYS[2], id)) then
    redis.call('ZADD', KEYS[place], found[i + 1], id)
  end
  redis.call('ZREM', aside, found[i])
end
if redis.call('EXISTS', aside) == 0 then redis.call('SREM', KEYS[3], ARGV[2]) end
return #found / 2
