-- After Redis or the network was away: makes the stored leases of a worker those that it really holds.
-- ARGV: now, mode, worker, pause, number of this word ("" for none), number of the last word of what became of leases
-- that was answered ("" for none), then member, host, and "1" where it has not left its slot, of each that it holds.
-- Returns the members that the worker has to drop.
local worker, pause = ARGV[3], tonumber(ARGV[4])
local leases = P .. ':w:' .. worker
relieve()
redis.call('ZADD', P .. ':workers', stamp(now), worker)
if is_heard('compared', worker, ARGV[5]) then return {} end
-- A worker that was taken for dead is told from one that never spoke by this alone: a call from before that arrives only
-- now must not act on what is leased anew.
if ARGV[6] ~= '' and tonumber(ARGV[6]) > tonumber(redis.call('HGET', P .. ':said', worker) or '0') then
  redis.call('HSET', P .. ':said', worker, ARGV[6])
end
local holds, drop = {}, {}
for i = 7, #ARGV, 3 do holds[ARGV[i]] = true end
-- First what is free again, or it would free the host and the parent of what is taken over.
local stored = redis.call('HGETALL', leases)
for i = 1, #stored, 2 do
  local member = stored[i]
  if not holds[member] then
    local released, rank, slot = parse_lease(stored[i + 1])
    local id, parent = split(member)
    redis.call('HDEL', leases, member)
    redis.call('HINCRBY', COUNT, 'leased', -1)
    if not released then set_loose(slot, parent, now + pause) end
    put_back(member, id, parent, rank, slot, worker)
  end
end
for i = 7, #ARGV, 3 do
  local member = ARGV[i]
  local lease = redis.call('HGET', leases, member)
  local released, known_rank, known_slot = parse_lease(lease or '')
  if released and ARGV[i + 2] == '1' then
    -- The worker's lease before this one: that it ended is lost with Redis' last second, and another page may be in its slot.
    local id, parent = split(member)
    redis.call('HDEL', leases, member)
    redis.call('HINCRBY', COUNT, 'leased', -1)
    put_back(member, id, parent, known_rank, known_slot, worker)
    lease = nil
  end
  if not lease then
    -- Lost with the last second of Redis' file, or taken back by another worker meanwhile.
    local id, parent = split(member)
    local record = redis.call('HGET', bucket(id), id)
    local host = record and host_of(record) or ''
    local slot = host ~= '' and redis.call('HGET', P .. ':own', 'h' .. host) or ARGV[i + 1]
    local rank = record and slot and redis.call('ZSCORE', P .. ':q:' .. slot, member)
    if rank and free_at('h' .. slot) < RUN and (not parent or free_at('p' .. parent) < RUN) then
      redis.call('ZREM', P .. ':q:' .. slot, member)
      redis.call('HINCRBY', COUNT, 'queued', -1)
      redis.call('HINCRBY', COUNT, 'leased', 1)
      redis.call('HSET', leases, member, '0 ' .. string.format('%.0f', rank) .. ' ' .. slot)
      redis.call('ZREM', READY, slot)
      set_running(slot, parent)
    else
      drop[#drop + 1] = member
    end
  end
end
return drop
