-- What became of leases. ARGV: now, mode, worker, tries allowed, when the worker said so by its estimate of this clock,
-- the server that it knows (its start, "" for none), number of this word ("" for none), then quadruples of operation, member, number, text:
--   release  the page has left the downloader: slot and parent are free in `number` seconds; text: new pace of the slot
--   mute     the host does not answer: slot is free in `number` seconds, its parent now; text: what is known of the silence
--   heard    a silent host has answered
--   ack      all done; queued again where another server took this one's place, or it was restarted: it may have lost
--            the links of the page with the last second of its file
--   back     not begun: queued again, slot free in `number` seconds
--   behind   as back, but after others of the slot; text: how many, a space, what is kept of the try, counting as none
--   fail     begun and not finished: queued again or, after too many, quarantined; text: the reason
-- A lease that this worker does not hold (any more) is left alone. Returns [settled, members unknown, quarantined].
local worker, allowed = ARGV[3], tonumber(ARGV[4])
local leases = P .. ':w:' .. worker
local settled, unknown = 0, {}
relieve()
if is_heard('said', worker, ARGV[7]) then return {0, {}, 0} end
-- The way here took its time, and more of it on a busy machine; a worker whose estimate is off gets the benefit of a
-- second at most.
local said_at = math.max(now - 1, math.min(now, tonumber(ARGV[5]) or now))

local is_known
local function knows_this_server()
  if is_known == nil then is_known = ARGV[6] == '' or server() == '' or server() == ARGV[6] end
  return is_known
end

for i = 8, #ARGV, 4 do
  local operation, member, number, text = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2]), ARGV[i + 3]
  local lease = redis.call('HGET', leases, member)
  if operation == 'ack' and not knows_this_server() then operation = 'back' end
  if not lease then
    unknown[#unknown + 1] = member
  else
    settled = settled + 1
    local released, rank, slot = parse_lease(lease)
    local id, parent = split(member)
    if operation == 'release' then
      if not released then
        set_loose(slot, parent, said_at + number)
        redis.call('HSET', leases, member, '1 ' .. rank .. ' ' .. slot)
      end
      if text == '0' then
        redis.call('HDEL', S .. ':backoff', slot)
      elseif text ~= '' then
        redis.call('HSET', S .. ':backoff', slot, text)
      end
    elseif operation == 'mute' then
      redis.call('HSET', S .. ':silent', slot, text)
      if not released then
        set_loose(slot, parent, said_at)
        redis.call('HSET', leases, member, '1 ' .. rank .. ' ' .. slot)
      end
      -- Another page is in it where Redis forgot that this one was leased again since it left.
      if free_at('h' .. slot) < RUN then set_loose(slot, nil, said_at + number) end
    elseif operation == 'heard' then
      redis.call('HDEL', S .. ':silent', slot)
    else
      redis.call('HDEL', leases, member)
      redis.call('HINCRBY', COUNT, 'leased', -1)
      if not released then set_loose(slot, parent, said_at + number) end
      if operation == 'ack' then
        leave(id, parent)
        redis.call('HDEL', bucket(id), id)
        redis.call('HDEL', P .. ':tries', id)
      elseif operation == 'behind' then
        put_behind(member, id, rank, slot, worker, text)
      else
        put_back(member, id, parent, rank, slot, worker, allowed, operation == 'fail' and text or nil)
      end
    end
  end
end
return {settled, unknown, quarantined}
