-- The number of a job, given out in turn. KEYS: number by name (hash), name by number (hash). ARGV: name.
local number = redis.call('HGET', KEYS[1], ARGV[1])
if not number then
  number = redis.call('HLEN', KEYS[1])
  redis.call('HSET', KEYS[1], ARGV[1], number)
  redis.call('HSET', KEYS[2], number, ARGV[1])
end
return tonumber(number)
