-- Marks pages as seen and queues the new ones. ARGV: now, mode, seen layout, then for each page
-- id, seen key, seen value, host, parent, priority, record.   Returns [new, {priority raised}].
local layout = ARGV[3]
local fresh, raised = 0, 0

local function is_new(key, value)
  if layout == 'none' then return true end
  if layout == 'exact' then return redis.call('SADD', P .. ':seen:' .. key, value) == 1 end
  local command = {'BITFIELD', P .. ':bloom:' .. key}
  for bit in string.gmatch(value, '%d+') do
    command[#command + 1] = 'SET'
    command[#command + 1] = 'u1'
    command[#command + 1] = bit
    command[#command + 1] = '1'
  end
  for _, was in ipairs(redis.call(unpack(command))) do
    if was == 0 then return true end
  end
  return false
end

-- increase-key: a queued page is found again by a more important link
local function raise(id, host, priority)
  local record = redis.call('HGET', bucket(id), id)
  if not record then return end
  local parent = string.sub(record, 1, 1) == '+' and string.sub(record, 2, 9) or ''
  local lane = mode == 'slot' and redis.call('HGET', P .. ':own', 'h' .. host) or host
  if not lane then return end
  local queue = P .. ':q:' .. lane
  local rank = redis.call('ZSCORE', queue, id .. parent)
  if not rank then return end
  local arrival = tonumber(rank) % STEP
  local wanted = arrival - priority * STEP
  if wanted < tonumber(rank) then
    redis.call('ZADD', queue, string.format('%.0f', wanted), id .. parent)
    raised = raised + 1
  end
end

for i = 4, #ARGV, 7 do
  local id, host, parent, priority = ARGV[i], ARGV[i + 3], ARGV[i + 4], tonumber(ARGV[i + 5])
  local member = id .. parent
  if parent == '' then parent = nil end
  if ARGV[i + 1] == '' or is_new(ARGV[i + 1], ARGV[i + 2]) then
    -- a request that is sent again because the answer was lost is already there
    if redis.call('HSETNX', bucket(id), id, ARGV[i + 6]) == 1 then
      local lane = lane_of(host, parent)
      join(lane, host, parent)
      local arrival = redis.call('INCR', P .. ':arrivals')
      enqueue(lane, member, string.format('%.0f', arrival - priority * STEP))
      fresh = fresh + 1
    end
  else
    raise(id, host, priority)
  end
end
return {fresh, raised}
