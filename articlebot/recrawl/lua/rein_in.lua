-- Brings due times beyond a limit back to it: they stem from a clock that ran ahead, or from a larger maximum interval.
-- KEYS: due zset. ARGV: latest due time allowed, most pages. Returns how many were moved.
local ids = redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', '(' .. ARGV[1], 'LIMIT', 0, ARGV[2])
for _, id in ipairs(ids) do
  redis.call('ZADD', KEYS[1], ARGV[1], id)
end
return #ids
