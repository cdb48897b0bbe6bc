-- The numbers of names, given out in turn. KEYS: number by name (hash), name by number (hash). ARGV: the last number there
-- is, then names. Returns each one's number, -1 where none is left.
for here, other in pairs({[KEYS[1]] = KEYS[2], [KEYS[2]] = KEYS[1]}) do
  if redis.call('HLEN', here) < redis.call('HLEN', other) then -- a key was thrown away: each says what the other does
    local all = redis.call('HGETALL', other)
    for i = 1, #all, 2 do redis.call('HSET', here, all[i + 1], all[i]) end
  end
end
local numbers, free, last = {}, redis.call('HLEN', KEYS[1]), tonumber(ARGV[1])
for i = 2, #ARGV do
  local number = redis.call('HGET', KEYS[1], ARGV[i])
  if not number and free <= last then
    number, free = free, free + 1
    redis.call('HSET', KEYS[1], ARGV[i], number)
    redis.call('HSET', KEYS[2], number, ARGV[i])
  end
  numbers[i - 1] = tonumber(number or -1)
end
return numbers
