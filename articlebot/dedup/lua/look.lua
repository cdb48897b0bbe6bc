-- Reads keys in one reply: u32 number of the last placement, u32 lengths of the key map's bucket and of each other
-- one, then these one after the other. One reply of many kB is read by a client in a tenth of the time of many small
-- ones, and one MGET takes half the time of as many GETs; with 38 keys and 10 kB whatever loops or copies counts.
-- ARGV: a MessagePack array of keys: the last number's, the key map's bucket, the buckets
local found, lengths = redis.call('MGET', unpack(cmsgpack.unpack(ARGV[1]))), {}
local count = #found
lengths[1] = tonumber(found[1] or '0')
for i = 2, count do
  local text = found[i]
  if text then lengths[i] = #text else found[i], lengths[i] = '', 0 end
end
found[1] = struct.pack('>' .. string.rep('I4', count), unpack(lengths))
return table.concat(found)
