-- Notes how something stands and gives out the message that is to be sent, to one caller at a time.
-- KEYS: hash of the alerts. ARGV: field, now, JSON of what was seen, '1' it holds, '0' it does not, '' is not known,
-- seconds that a message is given out for, '1' to keep what is well.
-- Returns the record where the caller has to send its `pending` message, else ''.
local text = redis.call('HGET', KEYS[1], ARGV[1])
local holds, keep = ARGV[4], ARGV[6] == '1'
if not text and holds ~= '1' and not keep then return '' end
local old, now, given_s = cjson.decode(text or '{}'), tonumber(ARGV[2]), tonumber(ARGV[5])
-- Longer than it is ever given out for: the clock has gone back since.
local function held(at) return at and at > now and at <= now + given_s + 1 end
local new = {
  v = 1, at = now, data = ARGV[3], open = old.open or false, since = old.since or now, turn = old.turn or 0,
  pending = old.pending, given_until = old.given_until, keep = keep,
}
if holds ~= '' and (holds == '1') ~= new.open then
  local given = held(old.given_until)
  new.open, new.since, new.given_until = holds == '1', now, nil
  new.turn = redis.call('HINCRBY', KEYS[1], '#turn', 1)
  if new.open then
    new.pending = 'begun'
  elseif old.pending == 'begun' and not given then
    new.pending = nil -- nobody was told of it, so there is nothing to take back
  else
    new.pending = 'over'
  end
end
if not (new.open or new.pending or keep) then
  redis.call('HDEL', KEYS[1], ARGV[1])
  return ''
end
local give = new.pending and not held(new.given_until)
if give then new.given_until = now + given_s end
local record = cjson.encode(new)
redis.call('HSET', KEYS[1], ARGV[1], record)
return give and record or ''
