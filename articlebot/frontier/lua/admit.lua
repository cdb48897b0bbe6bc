-- Marks pages as seen and queues the new ones. ARGV: now, mode, seen layout, then for each page
-- id, seen key, seen value, host, parent, priority (or as in turn_of), record.   Returns [new].
local layout = ARGV[3]
local fresh = 0

-- A queued record with what a page that names it again says of it, where those that named it before said nothing: a list
-- alone may tell the day of what a sitemap named first. It goes in front: of two fields with one name the last one holds.
local function told(stored, record)
  local function is_news(field)
    local name = '"' .. field .. '":'
    return string.find(record, name, 1, true) and not string.find(stored, name, 1, true)
  end
  local _, to = string.find(stored, '"articlebot":{', 1, true)
  if not to or not (is_news('context') or is_news('published_at')) then return end
  local from = string.find(record, '{"v":', 1, true)
  local fields, parts = cjson.decode(string.sub(record, from)), {}
  local said = fields.m and fields.m.articlebot or {}
  for _, field in ipairs({'anchor', 'context', 'published_at'}) do
    if said[field] then parts[#parts + 1] = '"' .. field .. '":' .. cjson.encode(said[field]) .. ',' end
  end
  return string.sub(stored, 1, to) .. table.concat(parts) .. string.sub(stored, to + 1)
end

-- increase-key: a queued page is found again by a more important link, or by one that says more. What a priority has
-- above a multiple of five is for what is new, as jobs.follow.PRIORITY has it, and found again it is not
local function raise(id, host, priority, record, turns)
  local stored = redis.call('HGET', bucket(id), id)
  if not stored then return end
  local parent = string.sub(stored, 1, 1) == '+' and string.sub(stored, 2, 9) or ''
  local slot = mode == 'slot' and redis.call('HGET', P .. ':own', 'h' .. host) or host
  if not slot then return end
  local queue = P .. ':q:' .. slot
  local rank = redis.call('ZSCORE', queue, id .. parent)
  if not rank then return end
  local arrival = tonumber(rank) % STEP
  local wanted = turns and turn_of(slot, turns, id .. parent, tonumber(rank)) or arrival - (priority - priority % 5) * STEP
  if wanted < tonumber(rank) then
    redis.call('ZADD', queue, string.format('%.0f', wanted), id .. parent)
  end
  local fuller = told(stored, record)
  if fuller then redis.call('HSET', bucket(id), id, fuller) end
end

local function is_queued(id, parent, host)
  local slot = mode == 'slot' and redis.call('HGET', P .. ':own', 'h' .. host) or host
  return slot and redis.call('ZSCORE', P .. ':q:' .. slot, id .. parent)
end

-- The name under which a record could be stored; nil where the same request waits already. A request for a page that is
-- leased at this moment, made by the page's own callback, gets the next free name.
local function store(id, parent, host, record)
  for _ = 1, 4 do
    if redis.call('HSETNX', bucket(id), id, record) == 1 then return id end
    if #id == 8 or is_queued(id, parent, host) then return nil end
    id = string.sub(id, 1, 13) .. string.char((string.byte(id, 14) + 1) % 256)
  end
  return nil
end

-- A page's links are mostly of few hosts: what can be is done once for each, or once for all.
local arrival = tonumber(redis.call('GET', P .. ':arrivals') or '0')
local slots = {}

for i = 4, #ARGV, 7 do
  local host, parent, priority, turns = ARGV[i + 3], ARGV[i + 4], tonumber(ARGV[i + 5]), nil
  if not priority then
    turns = ARGV[i + 5]
    priority = tonumber(string.match(turns, '%S+'))
  end
  local id = nil
  if ARGV[i + 1] == '' or is_new(layout, ARGV[i + 1], ARGV[i + 2]) then id = store(ARGV[i], parent, host, ARGV[i + 6]) end
  if id then
    local member = id .. parent
    if parent == '' then parent = nil end
    local slot = slots[host] or slot_of(host, parent)
    slots[host] = slot
    join(slot, host, parent)
    arrival = arrival + 1
    local rank = turns and turn_of(slot, turns, member) or arrival - priority * STEP
    redis.call('ZADD', P .. ':q:' .. slot, string.format('%.0f', rank), member)
    fresh = fresh + 1
  else
    raise(ARGV[i], host, priority, ARGV[i + 6], turns)
  end
end
if fresh > 0 then
  redis.call('INCRBY', P .. ':arrivals', fresh)
  redis.call('HINCRBY', COUNT, 'queued', fresh)
  for _, slot in pairs(slots) do wake(slot) end
end
return {fresh}
