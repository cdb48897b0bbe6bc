-- Takes back the leases of dead workers. ARGV: now, mode, worker that asks, tries allowed, lease seconds, pause before
-- the lane is free again (what the dead worker did last is not known), most to take back, then names known to be dead.
-- Returns [requests returned, names of the workers].
local self, allowed, oldest = ARGV[3], tonumber(ARGV[4]), now - tonumber(ARGV[5])
local pause, limit = tonumber(ARGV[6]), tonumber(ARGV[7])
relieve()
redis.call('ZADD', P .. ':workers', stamp(now), self)
local dead = redis.call('ZRANGEBYSCORE', P .. ':workers', '-inf', stamp(oldest), 'LIMIT', 0, 16)
for i = 8, #ARGV do dead[#dead + 1] = ARGV[i] end
local returned, names = 0, {}
for _, worker in ipairs(dead) do
  if worker ~= self and returned < limit then
    local leases = redis.call('HGETALL', P .. ':w:' .. worker)
    for i = 1, #leases, 2 do
      if returned >= limit then break end
      local member = leases[i]
      local released, rank, lane = parse_lease(leases[i + 1])
      local id, parent = split(member)
      redis.call('HDEL', P .. ':w:' .. worker, member)
      redis.call('HINCRBY', COUNT, 'leased', -1)
      if not released then set_loose(lane, parent, now + pause) end
      put_back(member, id, parent, rank, lane, worker, allowed, 'worker lost')
      returned = returned + 1
    end
    if redis.call('EXISTS', P .. ':w:' .. worker) == 0 then
      redis.call('ZREM', P .. ':workers', worker)
      for i, lane in ipairs(redis.call('HGETALL', P .. ':held')) do
        if i % 2 == 1 and redis.call('HGET', P .. ':held', lane) == worker then
          redis.call('HDEL', P .. ':held', lane)
          set_loose(lane, nil, now + pause)
        end
      end
      names[#names + 1] = worker
    end
  end
end
return {returned, names, quarantined}
