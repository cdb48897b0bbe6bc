-- Leases pages that can start before now + look-ahead. ARGV: now, mode, worker, limit, look-ahead, scan.
-- Returns [now, epoch, next ready or "", queued, leased, leases of the worker,
-- {member, record, start, back-off, slot number, tries, lane}...].
local worker, limit, horizon, scan = ARGV[3], tonumber(ARGV[4]), now + tonumber(ARGV[5]), tonumber(ARGV[6])
relieve()
redis.call('ZADD', P .. ':workers', stamp(now), worker)

for _, key in ipairs(redis.call('ZRANGEBYSCORE', UNTIL, '-inf', stamp(now - LATE), 'LIMIT', 0, 64)) do
  redis.call('ZREM', UNTIL, key)
  local lane = string.sub(key, 2)
  if string.sub(key, 1, 1) == 'h' and redis.call('EXISTS', P .. ':q:' .. lane) == 0 then
    redis.call('HDEL', P .. ':number', lane)
  end
end

local parents = {}
local function parent_free_at(parent)
  local at = parents[parent]
  if not at then
    at = free_at('p' .. parent)
    parents[parent] = at
  end
  return at
end

-- The first page of the lane that can start before the horizon, and when; else nil and when to look again.
local function choose(lane, at)
  local queue = P .. ':q:' .. lane
  if mode ~= 'keys' then return redis.call('ZRANGE', queue, 0, 0)[1], at end
  local soonest = nil
  local blocking = {}
  for _, member in ipairs(redis.call('ZRANGE', queue, 0, scan - 1)) do
    local _, parent = split(member)
    local free = parent and parent_free_at(parent) or 0
    if free <= horizon then return member, math.max(at, free) end
    if free < RUN then
      if not soonest or free < soonest then soonest = free end
    else
      blocking[parent] = true
    end
  end
  for parent in pairs(blocking) do redis.call('SADD', P .. ':wait:' .. parent, lane) end
  return nil, soonest
end

local taken = {}
local found = redis.call('ZRANGEBYSCORE', READY, '-inf', stamp(horizon), 'WITHSCORES', 'LIMIT', 0, limit > 0 and limit + 32 or 0)
for i = 1, #found, 2 do
  if #taken >= limit then break end
  local lane = found[i]
  local member, at = choose(lane, math.max(now - LATE, tonumber(found[i + 1])))
  if member then
    local queue = P .. ':q:' .. lane
    local id, parent = split(member)
    local rank = redis.call('ZSCORE', queue, member)
    local record = redis.call('HGET', bucket(id), id)
    redis.call('ZREM', queue, member)
    redis.call('HINCRBY', COUNT, 'queued', -1)
    if record then
      redis.call('ZREM', READY, lane)
      redis.call('ZADD', UNTIL, stamp(RUN), 'h' .. lane)
      if parent and mode == 'keys' then
        redis.call('ZADD', UNTIL, stamp(RUN), 'p' .. parent)
        parents[parent] = RUN
      end
      redis.call('HSET', P .. ':w:' .. worker, member, '0 ' .. rank .. ' ' .. lane)
      redis.call('HINCRBY', COUNT, 'leased', 1)
      local number = mode == 'slot' and string.sub(lane, 2) or redis.call('HGET', P .. ':number', lane)
      taken[#taken + 1] = {
        member, record, stamp(at), redis.call('HGET', P .. ':backoff', lane) or '0', number or '0',
        redis.call('HGET', P .. ':tries', id) or '', lane,
      }
    end
  elseif at then
    redis.call('ZADD', READY, stamp(at), lane)
  else
    redis.call('ZREM', READY, lane)
  end
end

local ready = redis.call('ZRANGE', READY, 0, 0, 'WITHSCORES')
local count = redis.call('HMGET', COUNT, 'queued', 'leased')
return {stamp(now), redis.call('GET', P .. ':epoch') or '0', ready[2] or '', count[1] or '0', count[2] or '0',
  redis.call('HLEN', P .. ':w:' .. worker), taken}
