-- What waits in the slots of hosts. ARGV: now, mode, then for each a host and a page's turns as in turn_of.
-- Returns [requests, how many of them come before that page]... in the order of the hosts.
local found = {}
for i = 3, #ARGV, 2 do
  local slot = mode == 'slot' and redis.call('HGET', P .. ':own', 'h' .. ARGV[i]) or ARGV[i]
  local size = slot and redis.call('ZCARD', P .. ':q:' .. slot) or 0
  local rank = size > 0 and turn_of(slot, ARGV[i + 1])
  found[#found + 1] = size
  found[#found + 1] = rank and redis.call('ZCOUNT', P .. ':q:' .. slot, '-inf', string.format('(%.0f', rank)) or size
end
return found
