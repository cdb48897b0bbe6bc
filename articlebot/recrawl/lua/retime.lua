-- Multiplies the waits of pages by a factor, a stretch of the sorted set at a time: the map keeps the order, so ranks
-- stay. KEYS: due zset. ARGV: now, factor, longest wait, first rank, last rank. Returns how many pages were there.
local now, factor, longest = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local found = redis.call('ZRANGE', KEYS[1], ARGV[4], ARGV[5], 'WITHSCORES')
local moved = {}
for i = 1, #found, 2 do
  local wait = tonumber(found[i + 1]) - now
  if wait > 0 then
    moved[#moved + 1] = string.format('%.6f', now + math.min(wait * factor, longest))
    moved[#moved + 1] = found[i]
  end
end
if #moved > 0 then
  redis.call('ZADD', KEYS[1], unpack(moved))
end
return #found / 2
