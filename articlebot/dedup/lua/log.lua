-- For an index in shards: numbers of the last placement, of the last that is in all shards, of the first still kept, and
-- buckets of the key map (ARGV from 3 on); then what came into the log after the number ARGV[2].
local base, known = ARGV[1], tonumber(ARGV[2])
local found = redis.call('MGET', base .. 'n', base .. 't', base .. 'f', unpack(ARGV, 3))
local last = tonumber(found[1] or '0')
return {found, known < last and redis.call('LRANGE', base .. 'l', known - last, -1) or {}}
