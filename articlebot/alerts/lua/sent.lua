-- A message has been sent. KEYS: hash of the alerts. ARGV: field, turn. Returns 1 where it was still the one to send.
local text = redis.call('HGET', KEYS[1], ARGV[1])
local record = text and cjson.decode(text)
if not record or record.turn ~= tonumber(ARGV[2]) then return 0 end
record.pending, record.given_until = nil, nil
if record.open or record.keep then
  redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(record))
else
  redis.call('HDEL', KEYS[1], ARGV[1])
end
return 1
