-- Records of pages. KEYS: meta. ARGV: bucket prefix, then ids. Returns each record, or nothing.
open(KEYS[1], ARGV[1])
local found = {}
for i = 2, #ARGV do found[i - 1] = redis.call('HGET', bucket_of(ARGV[i]), ARGV[i]) end
return found
