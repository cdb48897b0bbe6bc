-- Put in front of every script. A slot is what is fetched one page after the other: a host, or in the literal reading of
-- design C a numbered slot ("#7"). Each spider has a queue of its own below P; what belongs to hosts is shared below S, so
-- that two spiders never fetch from one host together.
--   P:q:<slot>    zset    member -> rank: -priority * 2^36 + arrival, so the least is the next
--   P:r:<xxxx>    hash    id -> record, 65,536 buckets by the first two bytes of the id, small enough to stay packed
--   P:ready       zset    slot -> when its next page may start; only slots with a queue and without a page in flight
--   P:until       zset    "p" parent -> when it is free again; running while a page of it is in flight
--   P:wait:<par>  set     slots of which every page looked at has this parent (or another one) in flight
--   P:w:<worker>  hash    member -> "<released> <rank> <slot>": its leases
--   P:passed      zset    slot -> since when; slots whose pages are of jobs that the worker did not know
--   P:turn:<slot> string  the member that waits, or waited, for its turn with pages never read, the last that came
--   P:looked:<w>  string  "<when> <rank>": a worker's last look at those, and where the next begins
--   P:strange:<w> set     texts of the records that a worker leaves to others
--   P:workers     zset    worker -> last heartbeat
--   P:said        hash    worker -> number of its last word of what became of leases; P:compared: of its comparisons
--   P:tries       hash    id -> JSON list of [at, worker, reason], of requests that came back
--   P:dead        hash    id -> JSON of a quarantined request
--   P:again       zset    id -> when a quarantined request is tried again by itself
--   P:number      hash    host -> slot number
--   P:own, P:size hash    literal reading: "h" host / "p" parent -> slot, and how many of its pages are in there
--   P:n           hash    counters: queued, leased
--   P:seen:<b>    set     seen marks, exact: generation 0; P:seen:<g>:<b> the later ones; P:bloom: strings of bits
--   P:generation  hash    of the seen marks: current, since when (at), the oldest left, how many of its keys are gone
--   S:spiders     hash    spider -> its number; none is ever removed
--   S:until       zset    "h" slot -> when it is free again; running while a page of it is in flight
--   S:backoff     hash    slot -> the pace that it bears, see pace.py
--   S:silent      hash    slot -> JSON of a host that does not answer, see breaker.py
--   S:held        hash    slot -> worker that fetches there without a lease (robots.txt, media)
--   S:slot        counter of slots
-- A member is an id of 8 bytes (14 for a request that is queued again on purpose), followed by the 8 bytes of its
-- parent where it has one. A record is "-" or "+" and the parent, host (literal reading only), newline, JSON.
local P, S = KEYS[1], KEYS[2]
local now = tonumber(ARGV[1])
if not now then
  local t = redis.call('TIME')
  now = tonumber(t[1]) + tonumber(t[2]) / 1e6
end
local mode = ARGV[2]
-- A slot or parent with a page in flight is "free" at RUN and the number of the spider that fetches the page.
local RUN = 1e15
local STEP = 68719476736
-- A slot that another spider is in is looked at again after so many seconds: nobody tells this one that it is free.
local ELSEWHERE = 0.25
-- A start that is handed out late (the workers were busy, or far) is dated back to when it could have been, up to this
-- many seconds: the delay after it is counted from there, so the slot keeps its rate.
local LATE = 1
local READY, PASSED, COUNT, RUNNING

-- Works on the queue of a spider from here on.
local function enter(prefix)
  P, READY, PASSED, COUNT, RUNNING = prefix, prefix .. ':ready', prefix .. ':passed', prefix .. ':n', nil
end
enter(P)

local function running()
  if not RUNNING then
    local name = string.sub(P, #S + 2)
    local number = redis.call('HGET', S .. ':spiders', name)
    if not number then
      number = redis.call('HLEN', S .. ':spiders') + 1
      redis.call('HSET', S .. ':spiders', name, number)
    end
    RUNNING = RUN + tonumber(number)
  end
  return RUNNING
end

-- Redis checks its memory limit at a script's first write only, and a deletion always passes. Scripts that free memory
-- in the end begin with one, so that a full server can be worked off.
local function relieve() redis.call('ZREM', READY, '') end

local function stamp(t) return string.format('%.6f', t) end

local function split(member)
  local n = #member
  if n == 16 or n == 22 then return string.sub(member, 1, n - 8), string.sub(member, n - 7) end
  return member, nil
end

local function bucket(id)
  return string.format('%s:r:%02x%02x', P, string.byte(id, 1), string.byte(id, 2))
end

local function until_of(key) return (string.byte(key) == 104 and S or P) .. ':until' end

local function free_at(key)
  local at = redis.call('ZSCORE', until_of(key), key)
  return at and tonumber(at) or 0
end

local function set_free(key, at)
  if at > now - LATE then
    redis.call('ZADD', until_of(key), stamp(at), key)
  else
    redis.call('ZREM', until_of(key), key)
  end
end

local function set_running(slot, parent)
  redis.call('ZADD', S .. ':until', stamp(running()), 'h' .. slot)
  if parent and mode == 'keys' then redis.call('ZADD', P .. ':until', stamp(running()), 'p' .. parent) end
end

-- The server's start, by which a restart and a fail-over are told; "" for a user without the right to ask.
local function server()
  local info = redis.pcall('INFO', 'server')
  return type(info) == 'string' and string.match(info, 'run_id:(%x+)') or ''
end

-- Whether this word of a worker was heard already, or a later one: a call that was given up may still arrive, and one
-- whose answer was lost is repeated under its number.
local function is_heard(kind, worker, number)
  if number == '' or not redis.call('ZSCORE', P .. ':workers', worker) then return false end
  if tonumber(number) <= tonumber(redis.call('HGET', P .. ':' .. kind, worker) or '0') then return true end
  redis.call('HSET', P .. ':' .. kind, worker, number)
  return false
end

-- A slot with a queue may start at `from`, or when it is free; one in flight here is woken when its page has ended.
local function wake(slot, from)
  local at = free_at('h' .. slot)
  if at == running() then return end
  if at >= RUN then at = now + ELSEWHERE end
  redis.call('ZADD', READY, 'LT', stamp(math.max(at, from or now)), slot)
end

-- Which slot a page belongs to; opens one where it has none.
local function slot_of(host, parent)
  if mode ~= 'slot' then
    if redis.call('HEXISTS', P .. ':number', host) == 0 then
      redis.call('HSET', P .. ':number', host, redis.call('INCR', S .. ':slot'))
    end
    return host
  end
  local slot = redis.call('HGET', P .. ':own', 'h' .. host)
  if not slot and parent then slot = redis.call('HGET', P .. ':own', 'p' .. parent) end
  return slot or ('#' .. redis.call('INCR', S .. ':slot'))
end

local function join(slot, host, parent)
  if mode ~= 'slot' then return end
  redis.call('HSETNX', P .. ':own', 'h' .. host, slot)
  redis.call('HINCRBY', P .. ':size', 'h' .. host, 1)
  if parent then
    redis.call('HSETNX', P .. ':own', 'p' .. parent, slot)
    redis.call('HINCRBY', P .. ':size', 'p' .. parent, 1)
  end
end

local function part(key)
  if redis.call('HINCRBY', P .. ':size', key, -1) <= 0 then
    redis.call('HDEL', P .. ':size', key)
    redis.call('HDEL', P .. ':own', key)
  end
end

local function host_of(record)
  return string.match(string.sub(record, string.sub(record, 1, 1) == '+' and 10 or 2), '^[^\n]*')
end

local function leave(id, parent)
  if mode ~= 'slot' then return end
  local record = redis.call('HGET', bucket(id), id)
  if record then part('h' .. host_of(record)) end
  if parent then part('p' .. parent) end
end

local function enqueue(slot, member, rank)
  redis.call('ZADD', P .. ':q:' .. slot, rank, member)
  redis.call('HINCRBY', COUNT, 'queued', 1)
  wake(slot)
end

-- The rank of a known page that takes turns with those never read, as "<its priority> <the least that it lets pass> <how
-- many of them>": behind so many, from the one on that took its turn before; nil where there are fewer, or where it has a
-- better one. Who took the last turn is remembered for an hour.
local function turn_of(slot, turns, member, rank)
  local priority, with, others = string.match(turns, '^(%S+) (%S+) (%S+)$')
  local queue, key, from = P .. ':q:' .. slot, P .. ':turn:' .. slot, -with * STEP
  local before = redis.call('GET', key)
  before = before and redis.call('ZSCORE', queue, before)
  if before then from = math.max(from, before + 1) end
  local low, high = string.format('%.0f', from), string.format('%.0f', -priority * STEP)
  local last = redis.call('ZRANGEBYSCORE', queue, low, high, 'WITHSCORES', 'LIMIT', others - 1, 1)[2]
  if not last or rank and last + 1 >= rank then return nil end
  if member then redis.call('SET', key, member, 'EX', 3600) end
  return last + 1
end

-- Ends a page's hold on its slot and its parent: both are free from `at` on.
local function set_loose(slot, parent, at)
  set_free('h' .. slot, at)
  if redis.call('EXISTS', P .. ':q:' .. slot) == 1 then redis.call('ZADD', READY, stamp(at), slot) end
  if not parent or mode ~= 'keys' then return end
  set_free('p' .. parent, at)
  local waiting = P .. ':wait:' .. parent
  for _, other in ipairs(redis.call('SMEMBERS', waiting)) do
    if redis.call('EXISTS', P .. ':q:' .. other) == 1 then wake(other, at) end
  end
  redis.call('DEL', waiting)
end

local function parse_lease(lease)
  local released, rank, slot = string.match(lease, '^(%d) (%S+) (.*)$')
  return released == '1', rank, slot
end

-- A request that was in hand when a worker died may have killed it, or not. After so many deaths a worker has it alone in
-- hand (session.py); if so many die then, it goes into quarantine for a time, longer each time.
local LOST, LOST_ALONE, SUSPECT, ALONE = 'worker lost', 'worker lost alone', 2, 2
local AGAIN_S, LONGEST_S = 3600, 604800

local quarantined = 0
local function quarantine(id, parent, rank, slot, history, again)
  leave(id, parent)
  local record = redis.call('HGET', bucket(id), id)
  redis.call('HDEL', bucket(id), id)
  redis.call('HDEL', P .. ':tries', id)
  if record then
    local fate = {at = now, history = history, rank = rank, slot = slot, again = again}
    redis.call('HSET', P .. ':dead', id, cjson.encode(fate) .. '\n' .. record)
    if again then redis.call('ZADD', P .. ':again', stamp(again), id) end
    quarantined = quarantined + 1
  end
end

local function tries_of(id) return cjson.decode(redis.call('HGET', P .. ':tries', id) or '[]') end

-- How often a request came back: failures, workers that died with it among others, and with it alone.
local function count(history)
  local failed, lost, alone = 0, 0, 0
  for _, try in ipairs(history) do
    local reason = try[3]
    if reason == LOST then
      lost = lost + 1
    elseif reason == LOST_ALONE then
      alone = alone + 1
    elseif string.sub(reason, 1, 11) ~= 'no answer: ' and string.sub(reason, 1, 10) ~= 'too soon: ' then
      failed = failed + 1
    end
  end
  return failed, lost, alone
end

-- Queues a leased request again; with a reason that is kept, and too many of them end in quarantine.
local function put_back(member, id, parent, rank, slot, worker, allowed, reason)
  if reason then
    local history = tries_of(id)
    history[#history + 1] = {tonumber(stamp(now)), worker, reason}
    local failed, _, alone = count(history)
    if failed >= allowed then return quarantine(id, parent, rank, slot, history) end
    if reason == LOST_ALONE and alone >= ALONE then
      local again = now + math.min(LONGEST_S, AGAIN_S * 2 ^ (alone - ALONE))
      return quarantine(id, parent, rank, slot, history, again)
    end
    redis.call('HSET', P .. ':tries', id, cjson.encode(history))
  end
  enqueue(slot, member, rank)
end

-- Queues a leased request behind so many others of its slot; with a reason that is kept and counts as no try.
local function put_behind(member, id, rank, slot, worker, text)
  local places, reason = string.match(text, '^(%d+) (.*)$')
  if reason ~= '' then
    local history = tries_of(id)
    history[#history + 1] = {tonumber(stamp(now)), worker, reason}
    redis.call('HSET', P .. ':tries', id, cjson.encode(history))
  end
  local before = redis.call('ZRANGE', P .. ':q:' .. slot, 0, places - 1, 'WITHSCORES')
  local last = tonumber(before[#before])
  if last and last >= tonumber(rank) then rank = string.format('%.0f', last + 1) end
  enqueue(slot, member, rank)
end

-- Seen marks lie in generations, of which the current one and the one before count: what is met moves on with them, and
-- the rest goes when its generation is two turns old. Generation 0 has the names of a frontier without generations.
local seen_now, seen_before
local function name_generations(layout)
  local base = P .. (layout == 'exact' and ':seen:' or ':bloom:')
  local current = tonumber(redis.call('HGET', P .. ':generation', 'current') or '0')
  seen_now = current == 0 and base or base .. current .. ':'
  if current > 0 then seen_before = current == 1 and base or base .. current - 1 .. ':' end
end

local function bits(key, value, operation, set_to)
  local command = {'BITFIELD', key}
  for bit in string.gmatch(value, '%d+') do
    command[#command + 1] = operation
    command[#command + 1] = 'u1'
    command[#command + 1] = bit
    command[#command + 1] = set_to
  end
  for _, was in ipairs(redis.call(unpack(command))) do
    if was == 0 then return false end
  end
  return true
end

-- Marks a page in the seen set; whether it was not there before.
local function is_new(layout, key, value)
  if not seen_now then name_generations(layout) end
  if layout == 'exact' then
    if redis.call('SADD', seen_now .. key, value) == 0 then return false end
    return not seen_before or redis.call('SREM', seen_before .. key, value) == 0
  end
  if bits(seen_now .. key, value, 'SET', '1') then return false end
  return not seen_before or not bits(seen_before .. key, value, 'GET')
end
