-- Removes queued requests from a slot. ARGV: now, mode, slot, then members. Returns how many were there.
local slot, dropped = ARGV[3], 0
local queue = P .. ':q:' .. slot
for i = 4, #ARGV do
  if redis.call('ZREM', queue, ARGV[i]) == 1 then
    local id, parent = split(ARGV[i])
    redis.call('HINCRBY', COUNT, 'queued', -1)
    leave(id, parent)
    redis.call('HDEL', bucket(id), id)
    redis.call('HDEL', P .. ':tries', id)
    dropped = dropped + 1
  end
end
if redis.call('EXISTS', queue) == 0 then
  redis.call('ZREM', READY, slot)
  redis.call('ZREM', PASSED, slot)
end
return dropped
