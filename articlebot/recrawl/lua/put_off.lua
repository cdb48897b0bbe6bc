-- Gives pages other due times. KEYS: both due zsets. ARGV: those that are due from when, until when, then (id, due time)
-- of each page. One that was visited meanwhile has its next due time already, and keeps it. Returns how many were moved.
local from, by, moved = tonumber(ARGV[1]), tonumber(ARGV[2]), 0
for i = 3, #ARGV, 2 do
  for _, key in ipairs(KEYS) do
    local at = redis.call('ZSCORE', key, ARGV[i])
    if at and tonumber(at) >= from and tonumber(at) <= by then
      redis.call('ZADD', key, ARGV[i + 1], ARGV[i])
      moved = moved + 1
    end
  end
end
return moved
