-- Begins a new generation of seen marks when the current one is old enough. ARGV: now, mode, seconds of a generation.
-- Returns [current generation, oldest one of which keys may be left, how many of its keys are gone].
local seconds, GENERATION = tonumber(ARGV[3]), P .. ':generation'
relieve()
local at, current = unpack(redis.call('HMGET', GENERATION, 'at', 'current'))
current = tonumber(current or '0')
local turns = at and math.min(2, math.floor((now - tonumber(at)) / seconds)) or 0
if not at or turns > 0 then
  current = current + turns
  redis.call('HSET', GENERATION, 'at', stamp(now), 'current', current)
end
-- Workers remember links that they have sent; they have to be met again to be known in the new generation.
if turns > 0 then redis.call('INCR', P .. ':epoch') end
local oldest, gone = unpack(redis.call('HMGET', GENERATION, 'oldest', 'gone'))
return {current, tonumber(oldest or '0'), tonumber(gone or '0')}
