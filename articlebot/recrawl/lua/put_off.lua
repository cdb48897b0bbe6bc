-- Gives pages other due times. KEYS: both due zsets. ARGV: those that are due from when, until when, then (id, due time)
-- of each page. One that was visited meanwhile has its next due time already, and keeps it. With a time from which, none
-- is moved to a later one: a signal may have made it due sooner than its record says. Returns how many were moved.
local from, by, moved = tonumber(ARGV[1]), tonumber(ARGV[2]), 0
for i = 3, #ARGV, 2 do
  for _, key in ipairs(KEYS) do
    local at = redis.call('ZSCORE', key, ARGV[i])
    at = tonumber(at or '-inf')
    if at >= from and at <= by and (from == 0 or at > tonumber(ARGV[i + 1])) then
      redis.call('ZADD', key, ARGV[i + 1], ARGV[i])
      moved = moved + 1
    end
  end
end
return moved
