-- Leases what is due on probation, then extracts the best of the queue. KEYS: prefix.
-- ARGV: now, lease seconds, most to take, most on probation, token. Returns the records.
local P = KEYS[1]
local now, lease, limit, room, token = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
local QUEUE, RECORDS, PROBATION, TOKENS = P .. ':queue', P .. ':records', P .. ':probation', P .. ':leases'
local taken = {}

local function hold(key)
  redis.call('ZADD', PROBATION, now + lease, key)
  redis.call('HSET', TOKENS, key, token)
  taken[#taken + 1] = redis.call('HGET', RECORDS, key)
end

for _, key in ipairs(redis.call('ZRANGEBYSCORE', PROBATION, '-inf', now, 'LIMIT', 0, limit)) do hold(key) end
while #taken < limit and redis.call('ZCARD', PROBATION) < room do
  local best = redis.call('ZPOPMAX', QUEUE)
  if #best == 0 then break end
  hold(best[1])
end
return taken
