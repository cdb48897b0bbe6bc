-- Reads buckets in one reply: u32 number of the last placement, u32 counts of the key map's entries and of each
-- bucket's, then the entries one after the other. One reply of many kB is read by a client in a tenth of the time
-- of many small ones, and one MGET takes half the time of as many GETs.
-- ARGV: base, bytes of an entry, the key map's bucket or '-', the buckets with a space before each
local base, size = ARGV[1], tonumber(ARGV[2])
local keys = {base .. 'n', base .. 'k' .. ARGV[3]}
local stem = base .. 'b'
for bucket in string.gmatch(ARGV[4], '%S+') do keys[#keys + 1] = stem .. bucket end
local found = redis.call('MGET', unpack(keys))

local counts, parts, unpack_number, sub = {struct.pack('>I4', tonumber(found[1] or '0'))}, {}, struct.unpack, string.sub
local bytes = 8
for i = 2, #keys do
  local text = found[i]
  if text then
    counts[i] = sub(text, 1, 4)
    parts[#parts + 1] = sub(text, 5, 4 + unpack_number('>I4', text) * bytes)
  else
    counts[i] = '\0\0\0\0'
  end
  bytes = size
end
return table.concat(counts) .. table.concat(parts)
