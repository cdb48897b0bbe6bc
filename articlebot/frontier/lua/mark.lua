-- Marks pages as seen without queueing them. ARGV: now, mode, seen layout, then pairs of seen key and seen value.
-- Returns how many were new.
local fresh = 0
for i = 4, #ARGV, 2 do
  if is_new(ARGV[3], ARGV[i], ARGV[i + 1]) then fresh = fresh + 1 end
end
return fresh
