-- Reads records (or parts of them) below ARGV[1] in one reply: those of ARGV[4], u32 numbers, one after the other; zeros where there is none (any more).
-- A candidate's record is some 150 bytes: a reply of its own would take a client longer to read than to compare.
local base, slot, slots, numbers = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local found, none = {}, string.rep('\0', slot)
for i = 1, #numbers / 4 do
  local number = struct.unpack('>I4', numbers, 4 * i - 3)
  local start = (number % slots) * slot
  local text = redis.call('GETRANGE', base .. math.floor(number / slots), start, start + slot - 1)
  found[i] = #text == slot and text or none
end
return table.concat(found)
