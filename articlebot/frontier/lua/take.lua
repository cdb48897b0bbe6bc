-- Leases pages that can start before now + look-ahead. ARGV: now, mode, worker, limit, look-ahead, scan, '1' where the
-- worker can run others than before, when a run began that ends when idle ("" for others), seconds that it stays for a
-- start, then texts of records that the worker leaves to others from now on.
-- Returns [now, epoch and the server's start, next ready or "", queued, leased, leases of the worker, slots passed over,
-- {member, record, start, pace, slot number, tries, slot, silence}...].
local worker, limit, horizon, scan = ARGV[3], tonumber(ARGV[4]), now + tonumber(ARGV[5]), tonumber(ARGV[6])
relieve()
redis.call('ZADD', P .. ':workers', stamp(now), worker)

local function rested(set)
  local keys = redis.call('ZRANGEBYSCORE', set, '-inf', stamp(now - LATE), 'LIMIT', 0, 64)
  if #keys > 0 then redis.call('ZREM', set, unpack(keys)) end
  return keys
end
rested(P .. ':until')
local spiders
for _, key in ipairs(rested(S .. ':until')) do
  spiders = spiders or redis.call('HKEYS', S .. ':spiders')
  local slot, waits = string.sub(key, 2), false
  for _, spider in ipairs(spiders) do
    local base = S .. ':' .. spider
    if redis.call('EXISTS', base .. ':q:' .. slot) == 1 then
      waits = true
    else
      redis.call('HDEL', base .. ':number', slot)
    end
  end
  if not waits then redis.call('HDEL', S .. ':silent', slot) end
end

-- Slots passed over that a worker looks at in one call, and seconds to its next look. Each worker has its own turn: one
-- that can run nothing of them would else keep those away that come a moment later, each time.
local PASSED_LOOKS, PASSED_REST = 8, 1
-- Pages of a slot that are looked at before all others that may be: mostly the first can start.
local FIRST_LOOK = 2
-- Pages of a slot that are looked at where others' are among them, so that a job that is paused does not keep back its
-- neighbours on the host. A look costs 1 to 2 microseconds.
local FOREIGN_LOOK = 300
-- Slots passed over that are ready again at once where the worker can run others; the rest as they are looked at.
local PASSED_RETURN = 1000
-- Seconds for which it is kept, without a word, what a worker cannot run; such a request that comes after all tells anew.
local STRANGE_S = 3600

local strange = P .. ':strange:' .. worker
if ARGV[7] == '1' then
  redis.call('DEL', strange)
  for _, slot in ipairs(redis.call('ZRANGE', PASSED, 0, PASSED_RETURN - 1)) do
    redis.call('ZREM', PASSED, slot)
    if redis.call('EXISTS', P .. ':q:' .. slot) == 1 then wake(slot) end
  end
end
if #ARGV > 9 then
  redis.call('SADD', strange, unpack(ARGV, 10))
  redis.call('EXPIRE', strange, STRANGE_S)
end
local has_strange = redis.call('EXISTS', strange) == 1
local parents = {}
local function parent_free_at(parent)
  local at = parents[parent]
  if not at then
    at = free_at('p' .. parent)
    parents[parent] = at
  end
  return at
end

local function is_foreign(member)
  if not has_strange then return false end
  local id = split(member)
  local record = redis.call('HGET', bucket(id), id) or ''
  for _, field in ipairs({'job', 'c', 'e'}) do
    for text in string.gmatch(record, '"' .. field .. '":"[^"]*"') do
      if redis.call('SISMEMBER', strange, text) == 1 then return true end
    end
  end
  return false
end

-- The first page of the slot that can start before the horizon, and when; else nil, when to look again, and whether that
-- is left to a worker that knows the jobs of its pages.
local function choose(slot, at)
  local queue = P .. ':q:' .. slot
  if mode ~= 'keys' and not has_strange then return redis.call('ZRANGE', queue, 0, 0)[1], at end
  local soonest, foreign = nil, false
  local blocking = {}
  local from, last = 0, math.min(FIRST_LOOK, scan) - 1
  repeat
    local members = redis.call('ZRANGE', queue, from, last)
    for _, member in ipairs(members) do
      local _, parent = split(member)
      local free = mode == 'keys' and parent and parent_free_at(parent) or 0
      if is_foreign(member) then
        foreign = true
      elseif free <= horizon then
        return member, math.max(at, free)
      elseif free < RUN then
        if not soonest or free < soonest then soonest = free end
      else
        blocking[parent] = true
      end
    end
    local more = #members == last - from + 1 and (last < scan - 1 or (foreign and last < FOREIGN_LOOK - 1))
    from, last = last + 1, last < scan - 1 and scan - 1 or FOREIGN_LOOK - 1
  until not more
  for parent in pairs(blocking) do redis.call('SADD', P .. ':wait:' .. parent, slot) end
  return nil, soonest, foreign and next(blocking) == nil
end

local taken, left = {}, 0

-- What few slots and requests have is asked for only where any has it.
local function asked(key)
  if redis.call('EXISTS', key) == 0 then return function() return nil end end
  return function(field) return redis.call('HGET', key, field) or nil end
end
local pace_of, silence_of, history_of = asked(S .. ':backoff'), asked(S .. ':silent'), asked(P .. ':tries')
local any_passed = redis.call('EXISTS', PASSED) == 1

-- Whether a run has asked a host in vain: twice at the least, and it stayed silent for as long as the run stays for a
-- start; or the page that comes next has had no answer twice while the host answered others.
local begun, stay = tonumber(ARGV[8]), tonumber(ARGV[9])
local function in_vain(slot)
  local silence = silence_of(slot) or ''
  local at, since = string.match(silence, '"at":([%d.]+)'), string.match(silence, '"since":([%d.]+)')
  local probes = string.match(silence, '"probes":(%d+)')
  if not (at and since and probes) or tonumber(at) < begun - LATE then return false end
  if tonumber(probes) > 1 and now - tonumber(since) >= stay then return true end
  local id = split(redis.call('ZRANGE', P .. ':q:' .. slot, 0, 0)[1] or '')
  local _, times = string.gsub(history_of(id) or '', 'no answer', '')
  return times > 1
end

-- Where nothing else may start soon, such hosts are for the next run: with many of them one would always be asked.
local CHUNK = 16
if begun and redis.call('EXISTS', S .. ':silent') == 1 then
  local vain, others = {}, false
  repeat
    local soon = redis.call('ZRANGEBYSCORE', READY, '-inf', stamp(now + stay), 'LIMIT', #vain, CHUNK)
    for _, slot in ipairs(soon) do
      others = others or not in_vain(slot)
      vain[#vain + 1] = slot
    end
  until others or #soon < CHUNK
  for _, slot in ipairs(others and {} or vain) do redis.call('ZADD', READY, stamp(now + 2 * stay + 1), slot) end
end

-- Leases a page of the slot, or notes when to look at the slot again.
local function try(slot, ready_at)
  local free = free_at('h' .. slot)
  if free > horizon then
    redis.call('ZADD', READY, stamp(free < RUN and free or now + ELSEWHERE), slot)
    return
  end
  ready_at = math.max(ready_at, free)
  local member, at, foreign = choose(slot, math.max(now - LATE, ready_at))
  if not member then
    if at then
      redis.call('ZADD', READY, stamp(at), slot)
    else
      redis.call('ZREM', READY, slot)
    end
    if foreign and not at then
      redis.call('ZADD', PASSED, 'NX', stamp(now), slot)
      any_passed = true
    end
    return
  end
  local queue = P .. ':q:' .. slot
  local id, parent = split(member)
  local rank = redis.call('ZSCORE', queue, member)
  local record = redis.call('HGET', bucket(id), id)
  redis.call('ZREM', queue, member)
  left = left + 1
  if not record then return end
  redis.call('ZREM', READY, slot)
  if any_passed then redis.call('ZREM', PASSED, slot) end
  set_running(slot, parent)
  if parent then parents[parent] = RUN end
  redis.call('HSET', P .. ':w:' .. worker, member, '0 ' .. rank .. ' ' .. slot)
  local number = mode == 'slot' and string.sub(slot, 2) or redis.call('HGET', P .. ':number', slot)
  taken[#taken + 1] = {
    member, record, stamp(at), pace_of(slot) or '0', number or '0', history_of(id) or '', slot, silence_of(slot) or '',
  }
end

if limit > 0 then
  local found = redis.call('ZRANGEBYSCORE', READY, '-inf', stamp(horizon), 'WITHSCORES', 'LIMIT', 0, limit + 32)
  for i = 1, #found, 2 do
    if #taken >= limit then break end
    try(found[i], tonumber(found[i + 1]))
  end
end

-- What workers passed over, the longest ago first, in turn.
local looked = P .. ':looked:' .. worker
local at, from = string.match(any_passed and limit > 0 and redis.call('GET', looked) or '', '(%S+) (%d+)')
if any_passed and #taken < limit and math.abs(now - (tonumber(at) or 0)) >= PASSED_REST then
  local before = redis.call('ZCARD', PASSED)
  from = tonumber(from) or 0
  for _, slot in ipairs(redis.call('ZRANGE', PASSED, from, from + PASSED_LOOKS - 1)) do
    if #taken >= limit then break end
    local free = free_at('h' .. slot)
    if redis.call('EXISTS', P .. ':q:' .. slot) == 0 then
      redis.call('ZREM', PASSED, slot)
    elseif free <= horizon then
      try(slot, free)
    end
  end
  local after = redis.call('ZCARD', PASSED)
  from = from + PASSED_LOOKS + after - before
  redis.call('SET', looked, stamp(now) .. ' ' .. (from < after and from or 0), 'EX', STRANGE_S)
end

if left > 0 then
  redis.call('HINCRBY', COUNT, 'queued', -left)
  redis.call('HINCRBY', COUNT, 'leased', #taken)
end
local ready = redis.call('ZRANGE', READY, 0, 0, 'WITHSCORES')
local count = redis.call('HMGET', COUNT, 'queued', 'leased')
local epoch = redis.call('GET', P .. ':epoch')
if not epoch then
  -- A new frontier, or one whose server was emptied: then workers go by nothing that they remember.
  epoch = string.format('%.0f', 1000 * now)
  redis.call('SET', P .. ':epoch', epoch)
end
return {stamp(now), epoch .. ' ' .. server(), ready[2] or '', count[1] or '0', count[2] or '0',
  redis.call('HLEN', P .. ':w:' .. worker), redis.call('ZCARD', PASSED), taken}
