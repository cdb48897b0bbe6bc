-- Gives pages that are due other due times. KEYS: both due zsets. ARGV: due by when, then (id, due time) of each page.
-- One that was visited meanwhile has its next due time already, and keeps it. Returns how many were moved.
local moved = 0
for i = 2, #ARGV, 2 do
  for _, key in ipairs(KEYS) do
    local at = redis.call('ZSCORE', key, ARGV[i])
    if at and tonumber(at) <= tonumber(ARGV[1]) then
      redis.call('ZADD', key, ARGV[i + 1], ARGV[i])
      moved = moved + 1
    end
  end
end
return moved
