-- A fetch without a lease (robots.txt, media): takes or leaves the host. ARGV: now, mode, worker, "take" or "leave", host,
-- seconds until it is free again. Returns the seconds to wait before asking again, "0" when taken.
local worker, operation, host, after = ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6])
local slot = mode == 'slot' and redis.call('HGET', P .. ':own', 'h' .. host) or host
if operation == 'leave' then
  if redis.call('HGET', S .. ':held', slot) == worker then
    redis.call('HDEL', S .. ':held', slot)
    set_loose(slot, nil, now + after)
  end
  return '0'
end
-- The answer to its taking was lost: else all would wait for ever for a host that nobody fetches from.
if redis.call('HGET', S .. ':held', slot) == worker then return '0' end
local at = free_at('h' .. slot)
if at >= RUN then return '0.05' end
if at > now then return stamp(at - now) end
redis.call('ZREM', READY, slot)
set_running(slot)
redis.call('HSET', S .. ':held', slot, worker)
return '0'
