-- The pool of a focused crawl, shared by its workers; one command is one atomic step.
--   p  pages by priority        d  page -> what is known of its link, JSON; the last element counts pages off the topic
--   t  pages ever taken         w  pages taken and not yet answered        q  pages taken in this crawl
--   h  workers by when they were heard of last
-- ARGV: base, command, its arguments
local base, command = ARGV[1], ARGV[2]
local pool, notes, taken, waiting = base .. 'p', base .. 'd', base .. 't', base .. 'w'
local count, workers = base .. 'q', base .. 'h'

-- url, priority, note: '' only raises the priority of a page that is there.
local function offer()
  local most = tonumber(ARGV[3])
  for i = 4, #ARGV, 3 do
    local url, priority, note = ARGV[i], ARGV[i + 1], ARGV[i + 2]
    if note == '' then
      if redis.call('ZSCORE', pool, url) then redis.call('ZADD', pool, 'GT', priority, url) end
    elseif redis.call('SISMEMBER', taken, url) == 0 then
      redis.call('ZADD', pool, 'GT', priority, url)
      local known = redis.call('HGET', notes, url)
      if not known then
        redis.call('HSET', notes, url, note)
      else
        local old, new = cjson.decode(known), cjson.decode(note)
        if new[#new] < old[#old] then redis.call('HSET', notes, url, note) end
      end
    end
  end
  local over = redis.call('ZCARD', pool) - most
  if over > 0 then
    local worst = redis.call('ZPOPMIN', pool, over)
    for i = 1, #worst, 2 do redis.call('HDEL', notes, worst[i]) end
  end
  return redis.call('ZCARD', pool)
end

local function take()
  local now, worker, window, budget = ARGV[3], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
  redis.call('ZADD', workers, now, worker)
  for _, key in ipairs({pool, notes, taken, waiting, count, workers}) do redis.call('EXPIRE', key, ARGV[7]) end
  if redis.call('SCARD', waiting) >= window then return nil end
  if tonumber(redis.call('GET', count) or '0') >= budget then return nil end
  local best = redis.call('ZPOPMAX', pool)
  if #best == 0 then return nil end
  local note = redis.call('HGET', notes, best[1])
  redis.call('HDEL', notes, best[1])
  redis.call('SADD', taken, best[1])
  redis.call('SADD', waiting, best[1])
  redis.call('INCR', count)
  return {best[1], note, best[2]}
end

-- 1: a crawl begins, 0: this worker joins one.
local function open()
  local now, worker, patience = tonumber(ARGV[3]), ARGV[4], tonumber(ARGV[5])
  redis.call('ZREMRANGEBYSCORE', workers, '-inf', now - patience)
  local alone = redis.call('ZCARD', workers) == 0
  if alone then redis.call('DEL', waiting, count) end
  redis.call('ZADD', workers, now, worker)
  return alone and 1 or 0
end

-- An address to begin at: given out whatever was taken before when a crawl begins, once when one is joined.
local function seed()
  local url, fresh = ARGV[3], ARGV[4] == '1'
  if tonumber(redis.call('GET', count) or '0') >= tonumber(ARGV[5]) then return 0 end
  if redis.call('SADD', taken, url) == 0 and not fresh then return 0 end
  redis.call('ZREM', pool, url)
  redis.call('HDEL', notes, url)
  redis.call('SADD', waiting, url)
  redis.call('INCR', count)
  return 1
end

local function done()
  local was = redis.call('SREM', waiting, ARGV[3])
  if was == 1 and ARGV[4] == 'refund' then redis.call('DECR', count) end
  return was
end

local function close() return redis.call('ZREM', workers, ARGV[3]) end

local commands = {offer = offer, take = take, open = open, seed = seed, done = done, close = close}
return commands[command]()
