-- Takes back the leases of dead workers, of every spider: a host that one of them was in stands still for all. Queues what
-- was in quarantine for a time, too. ARGV: now, mode, worker that asks, tries allowed, lease seconds, pause before the slot
-- is free again (what the dead worker did last is not known), most to take back, then names known to be dead.
-- Returns [requests returned, names of the workers].
local self, allowed, oldest = ARGV[3], tonumber(ARGV[4]), now - tonumber(ARGV[5])
local pause, limit = tonumber(ARGV[6]), tonumber(ARGV[7])
relieve()
redis.call('ZADD', P .. ':workers', stamp(now), self)
local returned, names = 0, {}

local function leave_held(worker)
  local held = redis.call('HGETALL', S .. ':held')
  for i = 1, #held, 2 do
    if held[i + 1] == worker then
      redis.call('HDEL', S .. ':held', held[i])
      set_loose(held[i], nil, now + pause)
    end
  end
end

local function bury(worker)
  local leases = redis.call('HGETALL', P .. ':w:' .. worker)
  local reason = LOST
  if #leases == 2 then
    local _, lost = count(tries_of((split(leases[1]))))
    reason = lost >= SUSPECT and LOST_ALONE or LOST
  end
  for i = 1, #leases, 2 do
    if returned >= limit then return end
    local member = leases[i]
    local released, rank, slot = parse_lease(leases[i + 1])
    local id, parent = split(member)
    redis.call('HDEL', P .. ':w:' .. worker, member)
    redis.call('HINCRBY', COUNT, 'leased', -1)
    if not released then set_loose(slot, parent, now + pause) end
    put_back(member, id, parent, rank, slot, worker, allowed, reason)
    returned = returned + 1
  end
  redis.call('ZREM', P .. ':workers', worker)
  redis.call('HDEL', P .. ':said', worker)
  redis.call('HDEL', P .. ':compared', worker)
  leave_held(worker)
  names[#names + 1] = worker
end

local function try_again(id)
  local kept = redis.call('HGET', P .. ':dead', id)
  redis.call('HDEL', P .. ':dead', id)
  redis.call('ZREM', P .. ':again', id)
  if not kept or redis.call('HEXISTS', bucket(id), id) == 1 then return end
  local head, record = string.match(kept, '^([^\n]*)\n(.*)$')
  local fate = cjson.decode(head)
  local parent = string.sub(record, 1, 1) == '+' and string.sub(record, 2, 9) or nil
  local host = mode == 'slot' and host_of(record) or fate.slot
  local slot = slot_of(host, parent)
  join(slot, host, parent)
  redis.call('HSET', bucket(id), id, record)
  redis.call('HSET', P .. ':tries', id, cjson.encode(fate.history))
  enqueue(slot, id .. (parent or ''), fate.rank)
end

-- Whether a worker that is heard of fetches there without a lease; one that has ended may have left a host behind.
local function is_held(slot)
  local worker = redis.call('HGET', S .. ':held', slot)
  for _, spider in ipairs(worker and redis.call('HKEYS', S .. ':spiders') or {}) do
    if redis.call('ZSCORE', S .. ':' .. spider .. ':workers', worker) then return true end
  end
  if worker then redis.call('HDEL', S .. ':held', slot) end
  return false
end

-- Keys that Redis threw away, or somebody deleted, leave counts, marks and pages behind for which all would wait for ever.
local function mend()
  local leased, taken = 0, {}
  for _, worker in ipairs(redis.call('ZRANGE', P .. ':workers', 0, -1)) do
    for _, lease in ipairs(redis.call('HVALS', P .. ':w:' .. worker)) do
      local released, _, slot = parse_lease(lease)
      leased = leased + 1
      if not released then taken['h' .. slot] = true end
    end
  end
  local count = redis.call('HMGET', COUNT, 'queued', 'leased')
  if leased ~= tonumber(count[2] or '0') then redis.call('HSET', COUNT, 'leased', leased) end
  for _, key in ipairs(redis.call('ZRANGEBYSCORE', S .. ':until', stamp(running()), stamp(running()))) do
    local slot = string.sub(key, 2)
    if not taken[key] and not is_held(slot) then set_loose(slot, nil, now + pause) end
  end
  if leased ~= 0 or redis.call('EXISTS', READY, PASSED) > 0 or (count[1] or '0') == '0' then return end
  local queued = 0
  redis.call('DEL', P .. ':until')
  for _, slot in ipairs(redis.call('HKEYS', P .. ':number')) do
    local pages = redis.call('ZCARD', P .. ':q:' .. slot)
    queued = queued + pages
    if pages > 0 then wake(slot) end
  end
  redis.call('HSET', COUNT, 'queued', queued)
end

local known = {}
for i = 8, #ARGV do known[ARGV[i]] = true end
for _, spider in ipairs(redis.call('HKEYS', S .. ':spiders')) do
  enter(S .. ':' .. spider)
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', P .. ':again', '-inf', stamp(now), 'LIMIT', 0, 16)) do try_again(id) end
  local dead = redis.call('ZRANGEBYSCORE', P .. ':workers', '-inf', stamp(oldest), 'LIMIT', 0, 16)
  for worker in pairs(known) do
    if redis.call('ZSCORE', P .. ':workers', worker) then dead[#dead + 1] = worker end
  end
  for _, worker in ipairs(dead) do
    if worker ~= self and returned < limit then bury(worker) end
  end
  mend()
end
return {returned, names, quarantined}
