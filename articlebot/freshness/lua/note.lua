-- Notes how fresh a job is and gives out the message that is to be sent, to one caller at a time.
-- KEYS: hash of the jobs. ARGV: job, now, JSON of what was measured, seconds that a message is given out for.
-- Returns the record where the caller has to send its `pending` message, else ''.
local old = cjson.decode(redis.call('HGET', KEYS[1], ARGV[1]) or '{}')
local now, found = tonumber(ARGV[2]), cjson.decode(ARGV[3])
local breached = found.breached
if breached == cjson.null then breached = nil end
local new = {
  v = 1, at = now, objective_s = found.objective_s, p95_s = found.p95_s, articles = found.articles,
  breached = old.breached or false, since = old.since or now, turn = old.turn or 0, pending = old.pending,
  given_until = old.given_until,
}
if breached ~= nil and breached ~= new.breached then
  local given = old.given_until and old.given_until > now
  new.breached, new.since, new.turn, new.given_until = breached, now, new.turn + 1, nil
  if breached then
    new.pending = 'breached'
  elseif old.pending == 'breached' and not given then
    new.pending = nil -- nobody was told of it, so there is nothing to take back
  else
    new.pending = 'recovered'
  end
end
local give = new.pending and not (new.given_until and new.given_until > now)
if give then new.given_until = now + tonumber(ARGV[4]) end
local record = cjson.encode(new)
redis.call('HSET', KEYS[1], ARGV[1], record)
return give and record or ''
