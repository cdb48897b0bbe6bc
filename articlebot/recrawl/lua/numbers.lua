-- The numbers of names, given out in turn. KEYS: number by name (hash), name by number (hash). ARGV: the last number there
-- is, then names. Returns each one's number, -1 where none is left.
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
