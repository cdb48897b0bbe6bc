-- Reads buckets in one reply: u32 number of the last placement, u32 counts of the key map's entries and of each
-- bucket's, then the entries one after the other. One reply of many kB is read by a client in a tenth of the time
-- of many small ones.
-- ARGV: base, bytes of an entry, the key map's bucket or '-', the buckets with a space before each
local base, size = ARGV[1], tonumber(ARGV[2])
local counts, parts = {struct.pack('>I4', tonumber(redis.call('GET', base .. 'n') or '0'))}, {}
local function read(key, bytes)
  local text = redis.call('GET', key)
  if text then
    local used = struct.unpack('>I4', text)
    counts[#counts + 1] = string.sub(text, 1, 4)
    parts[#parts + 1] = string.sub(text, 5, 4 + used * bytes)
  else
    counts[#counts + 1] = '\0\0\0\0'
  end
end

read(base .. 'k' .. ARGV[3], 8)
for bucket in string.gmatch(ARGV[4], '%S+') do read(base .. 'b' .. bucket, size) end
return table.concat(counts) .. table.concat(parts)
