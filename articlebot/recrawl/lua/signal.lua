-- Notes signals of changes in the records of pages, and makes these due sooner. KEYS: both due zsets, meta. ARGV: bucket
-- prefix, then (id, signals, due time as it was read, due time by the signals) for each page. A page that is leased, put
-- off or visited meanwhile has another due time, and keeps it; the signals are noted all the same.
open(KEYS[3], ARGV[1])
for i = 2, #ARGV, 4 do
  local id, signals, before, at = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2]), tonumber(ARGV[i + 3])
  local bucket = bucket_of(id)
  local record = redis.call('HGET', bucket, id)
  if record then
    -- The upper half of the fourth byte.
    local byte = string.byte(record, 4)
    local form = byte % 16
    local noted = bit.bor((byte - form) / 16, signals)
    redis.call('HSET', bucket, id, string.sub(record, 1, 3) .. string.char(noted * 16 + form) .. string.sub(record, 5))
    for place = 1, 2 do
      local due = redis.call('ZSCORE', KEYS[place], id)
      if due and at < tonumber(due) and math.abs(tonumber(due) - before) < 1 then
        redis.call('ZADD', KEYS[place], ARGV[i + 3], id)
      end
    end
  end
end
