-- What a look decided. KEYS: prefix. ARGV: key, token ("*": by hand, whoever holds it), state, score (probation: when
-- the next look is due; promoted, dropped: when that was decided), record, most dropped.
-- Returns 1, or 0 where another worker has the candidate by now or it is not known.
local P = KEYS[1]
local key, token, state, score, record = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local RECORDS, TOKENS = P .. ':records', P .. ':leases'
if redis.call('HEXISTS', RECORDS, key) == 0 then return 0 end
if token ~= '*' and redis.call('HGET', TOKENS, key) ~= token then return 0 end
for _, name in ipairs({'queue', 'probation', 'promoted', 'dropped'}) do redis.call('ZREM', P .. ':' .. name, key) end
redis.call('HDEL', TOKENS, key)
redis.call('HSET', RECORDS, key, record)
redis.call('ZADD', P .. ':' .. state, score, key)
while redis.call('ZCARD', P .. ':dropped') > tonumber(ARGV[6]) do
  redis.call('HDEL', RECORDS, redis.call('ZPOPMIN', P .. ':dropped')[1])
end
return 1
