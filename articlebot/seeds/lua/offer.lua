-- insert and increase-key. KEYS: prefix. ARGV: most waiting, dropped ones are forgotten that were closed before this,
-- most sources, then for each offer: key, its record as JSON, source, weight.
-- Returns [new, raised, left out because the queue is full].
local P = KEYS[1]
local most, forget, most_sources = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local QUEUE, RECORDS, PROBATION, CLOSED = P .. ':queue', P .. ':records', P .. ':probation', P .. ':dropped'
local new, raised, full = 0, 0, 0

local function priority(sources)
  local doubt = 1
  for _, weight in pairs(sources) do doubt = doubt * (1 - weight) end
  return 1 - doubt
end

local function insert(key, record, source, weight)
  if redis.call('ZCARD', QUEUE) >= most then
    local least = redis.call('ZRANGE', QUEUE, 0, 0, 'WITHSCORES')
    if weight <= tonumber(least[2]) then full = full + 1 return end
    redis.call('ZREM', QUEUE, least[1])
    redis.call('HDEL', RECORDS, least[1])
  end
  record.sources = {[source] = weight}
  redis.call('HSET', RECORDS, key, cjson.encode(record))
  redis.call('ZADD', QUEUE, weight, key)
  new = new + 1
end

local function increase(key, source, weight)
  local record = cjson.decode(redis.call('HGET', RECORDS, key))
  local count = 0
  for _ in pairs(record.sources) do count = count + 1 end
  local before = record.sources[source]
  if before and before >= weight or not before and count >= most_sources then return end
  record.sources[source] = weight
  redis.call('HSET', RECORDS, key, cjson.encode(record))
  redis.call('ZADD', QUEUE, 'GT', priority(record.sources), key)
  raised = raised + 1
end

for i = 4, #ARGV, 4 do
  local key, source, weight = ARGV[i], ARGV[i + 2], tonumber(ARGV[i + 3])
  local closed_at = redis.call('ZSCORE', CLOSED, key)
  if closed_at and tonumber(closed_at) < forget then
    redis.call('ZREM', CLOSED, key)
    redis.call('HDEL', RECORDS, key)
    closed_at = nil
  end
  if redis.call('ZSCORE', QUEUE, key) then
    increase(key, source, weight)
  elseif not closed_at and redis.call('HEXISTS', RECORDS, key) == 0 then
    insert(key, cjson.decode(ARGV[i + 1]), source, weight)
  end
end
return {new, raised, full}
