-- Places, forgets and splits articles among clusters of near-duplicates; one command is one atomic step.
--
-- Keys below the base:
--   n          number of the last placement          e          epoch seconds of the first, part of cluster names
--   f          smallest number still kept            s          sources: name -> number
--   b<id>      items: u32 used and zeros, then entries of payload and u32 number, ascending, then zeros; all of one size
--   k<id>      the same for page keys: u32 of the key and u32 number
--   r<chunk>   records of fixed size, by number: key 8, at u32, cluster u32, source u24, size u16, body
--   c<number>  a cluster of two or more, or of one that has moved: n, rep, v; or only `into`
--   m<number>  its members' numbers, u32 each, the first 1,024
--
-- Where buckets and bodies lie in shards (`sharded.py`), this base has instead of b and r:
--   h<chunk>   records without size and body
--   l          log of placements that may not be in all shards yet: u32 number, u16 count, as many entries of u32 bucket
--              and payload, size and body
--   t          number of the last placement that is in all shards, and out of the log
-- and each shard b<id>, r<chunk> of size and body alone, f as far as it has freed these, and n, up to where it has all.
--
-- A record whose key is zero is a ghost: the version that an article had before. It leads to its cluster while that
-- has members. Number 0 is nothing. An article alone has no cluster key: its record says all.

local base, slot, slots = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])
local MEMBERS = 1024
local NOBODY = string.rep('\0', 8)
local ROW = 26  -- bytes of an article to be placed before its record's tail: key 8, at, old, and five u16
local SINGLE, REPRESENTATIVE, MEMBER = 0, 1, 2
local REFUSED = string.rep('\0', 27)
local HEAD = 19
local cut = slot == HEAD  -- into shards
local letter = cut and 'h' or 'r'

local function u32(text, position) return (struct.unpack('>I4', text, position)) end

local function place_of(number)
  return base .. letter .. math.floor(number / slots), (number % slots) * slot
end

local function record(number)
  local chunk, offset = place_of(number)
  local text = redis.call('GETRANGE', chunk, offset, offset + 18)
  if #text < 19 then return nil end
  local at, cluster = struct.unpack('>I4I4', text, 9)
  return {key = string.sub(text, 1, 8), at = at, cluster = cluster}
end

local function set_cluster(number, cluster)
  local chunk, offset = place_of(number)
  if redis.call('EXISTS', chunk) == 1 then
    redis.call('SETRANGE', chunk, offset + 12, struct.pack('>I4', cluster))
  end
end

local function set_nobody(number)
  local chunk, offset = place_of(number)
  redis.call('SETRANGE', chunk, offset, NOBODY)
end

local function resolve(cluster)
  for _ = 1, 64 do
    local into = redis.call('HGET', base .. 'c' .. cluster, 'into')
    if not into then return cluster end
    cluster = tonumber(into)
  end
  return cluster
end

local function name(cluster)
  return string.format('%08x%08x', tonumber(redis.call('GET', base .. 'e')), cluster)
end

local function source_number(source)
  local number = redis.call('HGET', base .. 's', source)
  if not number then
    number = redis.call('HLEN', base .. 's') + 1
    redis.call('HSET', base .. 's', source, number)
  end
  return tonumber(number)
end

-- Strings grow by an eighth where they are full: APPEND would double them, SET each time would write all of it to
-- the append-only file. One GET of a kB takes less time than asking for its length and its head.
local function add(key, entry, floor)
  local size, all = #entry, redis.call('GET', key)
  if not all then
    redis.call('SET', key, struct.pack('>I4', 1) .. string.rep('\0', size - 4) .. entry .. string.rep('\0', size))
    return
  end
  local used = u32(all, 1)
  if (used + 2) * size <= #all then
    redis.call('SETRANGE', key, (used + 1) * size, entry)
    redis.call('SETRANGE', key, 0, struct.pack('>I4', used + 1))
    return
  end
  local expired = 0
  while expired < used and u32(all, (expired + 2) * size - 3) < floor do expired = expired + 1 end
  used = used - expired + 1
  local room = math.max(1, math.floor(used / 8))
  local kept = string.sub(all, (expired + 1) * size + 1, (used + expired) * size)
  redis.call('SET', key,
    struct.pack('>I4', used) .. string.rep('\0', size - 4) .. kept .. entry .. string.rep('\0', room * size))
end

local function last_number(key, size)
  local head = redis.call('GETRANGE', key, 0, 3)
  if #head < 4 then return 0 end
  local stop = (u32(head, 1) + 1) * size
  return u32(redis.call('GETRANGE', key, stop - 4, stop - 1), 1)
end

-- Whether an entry with this tag came into a bucket of the key map after a number.
local function came_after(key, tag, seen)
  local head = redis.call('GETRANGE', key, 0, 3)
  if #head < 4 then return false end
  for position = u32(head, 1), 1, -1 do
    local entry = redis.call('GETRANGE', key, position * 8, position * 8 + 7)
    if u32(entry, 5) <= seen then return false end
    if string.sub(entry, 1, 4) == tag then return true end
  end
  return false
end

local function cluster_of(number)
  local found = record(number)
  if not found or found.cluster == 0 then return nil end
  return resolve(found.cluster), found
end

local function count(root)
  local n = redis.call('HGET', base .. 'c' .. root, 'n')
  if n then return tonumber(n) end
  local first = record(root)
  return (first and first.cluster == root and first.key ~= NOBODY) and 1 or 0
end

-- Makes the cluster of one article a cluster with a key of its own.
local function make_explicit(root, window)
  local key = base .. 'c' .. root
  if redis.call('EXISTS', key) == 1 then return end
  redis.call('HSET', key, 'n', 1, 'rep', root, 'v', 0)
  redis.call('SET', base .. 'm' .. root, struct.pack('>I4', root))
  redis.call('EXPIRE', key, window)
  redis.call('EXPIRE', base .. 'm' .. root, window)
end

local function first_member(root)
  local members = redis.call('GET', base .. 'm' .. root) or ''
  for position = 1, #members, 4 do
    local number = u32(members, position)
    local found = record(number)
    if found and found.key ~= NOBODY and found.cluster ~= 0 and resolve(found.cluster) == root then return number end
  end
  return 0
end

local function add_members(root, numbers, window)
  local key = base .. 'm' .. root
  local free = MEMBERS * 4 - redis.call('STRLEN', key)
  if free > 0 then redis.call('APPEND', key, string.sub(numbers, 1, free)) end
  redis.call('EXPIRE', key, window)
  redis.call('EXPIRE', base .. 'c' .. root, window)
end

-- An article leaves its cluster; `stays` when it comes back to it in the same step.
local function leave(number, root, stays)
  set_nobody(number)
  local key = base .. 'c' .. root
  if redis.call('EXISTS', key) == 0 then
    if not stays then set_cluster(number, 0) end
    return
  end
  local left = redis.call('HINCRBY', key, 'n', -1)
  redis.call('HINCRBY', key, 'v', 1)
  if left == 0 and not stays then
    redis.call('DEL', key, base .. 'm' .. root)
    set_cluster(number, 0)
  elseif tonumber(redis.call('HGET', key, 'rep')) == number then
    redis.call('HSET', key, 'rep', stays and 0 or first_member(root))
  end
end

local function merge(target, other, window)
  make_explicit(target, window)
  if redis.call('EXISTS', base .. 'c' .. other) == 0 then
    redis.call('HINCRBY', base .. 'c' .. target, 'n', 1)
    redis.call('HINCRBY', base .. 'c' .. target, 'v', 1)
    set_cluster(other, target)
    add_members(target, struct.pack('>I4', other), window)
    return
  end
  local from, to = base .. 'c' .. other, base .. 'c' .. target
  redis.call('HINCRBY', to, 'n', redis.call('HGET', from, 'n'))
  redis.call('HINCRBY', to, 'v', 1)
  add_members(target, redis.call('GET', base .. 'm' .. other) or '', window)
  redis.call('DEL', from, base .. 'm' .. other)
  redis.call('HSET', from, 'into', target)
  redis.call('EXPIRE', from, window)
end

-- Frees the oldest chunk of records once its youngest is out of the window; the smallest number still kept. `known` is
-- what was found out before in the same step.
local function expire(known, now, window, number)
  known.floor = known.floor or tonumber(redis.call('GET', base .. 'f') or '0')
  local oldest = math.floor(known.floor / slots)
  if oldest < math.floor(number / slots) then
    if not known.youngest then
      local last = record((oldest + 1) * slots - 1)
      known.youngest = last and last.at or 0
    end
    if known.youngest + window < now then
      redis.call('DEL', base .. letter .. oldest)
      known.floor, known.youngest = (oldest + 1) * slots, nil
      redis.call('SET', base .. 'f', known.floor)
    end
  end
  return known.floor
end

local function write_record(number, header, body)
  local chunk, offset = place_of(number)
  if redis.call('EXISTS', chunk) == 0 then redis.call('SET', chunk, string.rep('\0', slot * slots)) end
  redis.call('SETRANGE', chunk, offset, header .. body)
end

local function roots_of(matched, own)
  local roots, seen = {}, {}
  for _, number in ipairs(matched) do
    local root = cluster_of(number)
    if root and not seen[root] and (root == own or count(root) > 0) then
      seen[root] = true
      roots[#roots + 1] = root
    end
  end
  table.sort(roots)
  return roots
end

-- Places one article; what the caller is told, as store.py unpacks it.
local function place_one(row, number, window, floor)
  local key, at, source = row.key, row.at, row.source
  local own = row.old > 0 and cluster_of(row.old) or nil
  local roots = roots_of(row.matched, own)
  local target, stays = roots[1] or number, false
  for _, root in ipairs(roots) do stays = stays or root == own end
  if own then
    if stays then make_explicit(own, window) end
    leave(row.old, own, stays)
  end
  write_record(number, key .. struct.pack('>I4I4I3', at, target, source), cut and '' or row.tail)
  local merged = {}
  for i = 2, #roots do
    merge(target, roots[i], window)
    merged[#merged + 1] = struct.pack('>I4', roots[i])
  end
  local role, n, representative = SINGLE, 1, key
  if target ~= number then
    make_explicit(target, window)
    local cluster = base .. 'c' .. target
    n = redis.call('HINCRBY', cluster, 'n', 1)
    redis.call('HINCRBY', cluster, 'v', 1)
    add_members(target, struct.pack('>I4', number), window)
    local leader = tonumber(redis.call('HGET', cluster, 'rep'))
    local first = leader > 0 and record(leader) or nil
    if not first or first.key == NOBODY then
      redis.call('HSET', cluster, 'rep', number)
      leader = number
    else
      representative = first.key
    end
    if n > 1 then role = leader == number and REPRESENTATIVE or MEMBER end
  end
  if cut then
    local parts = {struct.pack('>I4I2', number, #row.entries)}
    for _, entry in ipairs(row.entries) do parts[#parts + 1] = struct.pack('>I4', entry[1]) .. entry[2] end
    redis.call('RPUSH', base .. 'l', table.concat(parts) .. row.tail)
  else
    for _, entry in ipairs(row.entries) do add(entry[1], entry[2] .. struct.pack('>I4', number), floor) end
  end
  add(row.map, string.sub(key, 5, 8) .. struct.pack('>I4', number), floor)
  return struct.pack('>I4I4BI4I4', number, target, role, n, own or 0) .. representative ..
    struct.pack('>I2', #merged) .. table.concat(merged)
end

-- The articles of a step: rows of fixed size, and what belongs to each of them in lists that run through all.
local function coming(size, tail, keys, rows, entries, matched, earlier, sources)
  local found = {}
  local nth_key, nth_entry, nth_match, nth_earlier = 0, 0, 0, 0
  local numbers = {}
  for position = 1, #rows, ROW + tail do
    local at, old, source, probes, spots, matches, before = struct.unpack('>I4I4I2I2I2I2I2', rows, position + 8)
    local key = string.sub(rows, position, position + 7)
    local row = {
      key = key, at = at, old = old, tail = string.sub(rows, position + ROW, position + ROW + tail - 1),
      map = string.format('%sk%x', base, math.floor(struct.unpack('>I2', key) / 4)),
      keys = {}, entries = {}, matched = {}, earlier = {},
    }
    numbers[source] = numbers[source] or source_number(sources[source])
    row.source = numbers[source]
    for i = 1, probes do row.keys[i] = keys[nth_key + i] end
    for i = 1, spots do
      local start = nth_entry * (size - 2) + 1
      local spot = struct.unpack('>I2', entries, start)
      row.entries[i] = {row.keys[spot + 1], string.sub(entries, start + 2, start + size - 3)}
      nth_entry = nth_entry + 1
    end
    for i = 1, matches do row.matched[i] = u32(matched, (nth_match + i) * 4 - 3) end
    for i = 1, before do row.earlier[i] = struct.unpack('>I2', earlier, (nth_earlier + i) * 2 - 1) + 1 end
    nth_key, nth_match, nth_earlier = nth_key + probes, nth_match + matches, nth_earlier + before
    found[#found + 1] = row
  end
  return found
end

-- Takes out of the log what is in all shards.
local function trim(written)
  if written <= tonumber(redis.call('GET', base .. 't') or '0') then return end
  redis.call('SET', base .. 't', written)
  local first = redis.call('LINDEX', base .. 'l', 0)
  while first and u32(first, 1) <= written do
    redis.call('LPOP', base .. 'l')
    first = redis.call('LINDEX', base .. 'l', 0)
  end
end

-- The buckets that came into the log since the caller looked; nil where some have left it again.
local function touched(seen, last, size)
  if last <= seen then return {} end
  if tonumber(redis.call('GET', base .. 't') or '0') > seen then return nil end
  local found = {}
  for _, text in ipairs(redis.call('LRANGE', base .. 'l', seen - last, -1)) do
    local number, count, start = struct.unpack('>I4I2', text)
    for i = 0, number > seen and count - 1 or -1 do found[u32(text, start + i * size)] = true end
  end
  return found
end

-- Whether somebody was placed since the caller looked, as far as it can matter: into the same buckets, or the article
-- itself, or one before it in the step that it matches and that is refused. `fresh` are the touched buckets.
local function outdated(row, seen, last, size, refused, fresh)
  for _, position in ipairs(row.earlier) do
    if refused[position] then return true end
  end
  if last <= seen then return false end
  if came_after(row.map, string.sub(row.key, 5, 8), seen) then return true end
  for _, bucket in ipairs(row.keys) do
    if cut then
      if not fresh or fresh[bucket] then return true end
    elseif last_number(bucket, size) > seen then
      return true
    end
  end
  return false
end

local function place()
  local seen, window, size, tail = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
  local sources = {}
  for i = 16, #ARGV do sources[#sources + 1] = ARGV[i] end
  local last = tonumber(redis.call('GET', base .. 'n') or '0')
  local rows = coming(size, tail, cmsgpack.unpack(ARGV[11]), ARGV[12], ARGV[13], ARGV[14], ARGV[15], sources)
  local refused, placed, fresh = {}, 0, nil
  if cut then
    fresh = touched(seen, last, size)
    trim(tonumber(ARGV[9]))
    last = math.max(last, tonumber(ARGV[10]))  -- shards that know more: this one has lost its last moments
  end
  for position, row in ipairs(rows) do
    refused[position] = outdated(row, seen, last, size, refused, fresh)
    if not refused[position] then placed = placed + 1 end
  end
  local replies, numbers, known = {}, {}, {}
  redis.call('SET', base .. 'n', last + placed)
  redis.call('SETNX', base .. 'e', rows[1].at)
  for position, row in ipairs(rows) do
    if refused[position] then
      replies[position] = REFUSED
    else
      last = last + 1
      for _, before in ipairs(row.earlier) do row.matched[#row.matched + 1] = numbers[before] end
      numbers[position] = last
      replies[position] = place_one(row, last, window, expire(known, row.at, window, last))
    end
  end
  return struct.pack('>I4', tonumber(redis.call('GET', base .. 'e'))) .. table.concat(replies)
end

local function forget()
  local old = tonumber(ARGV[5])
  local root, found = cluster_of(old)
  if not root or found.key ~= ARGV[6] then return {0} end
  leave(old, root, false)
  return {1, root}
end

-- Cuts off groups of members that no text connects to the others any more, if nobody has joined or left meanwhile.
local function split()
  local root, version, window = tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[7])
  local key = base .. 'c' .. root
  if redis.call('HGET', key, 'v') ~= version then return {0} end
  local names = {}
  local function found_cluster(target, numbers)
    for position = 1, #numbers, 4 do
      set_cluster(u32(numbers, position), target)
    end
    redis.call('DEL', base .. 'c' .. target)  -- it may have been merged into this one before
    redis.call('HSET', base .. 'c' .. target, 'n', #numbers / 4, 'rep', u32(numbers, 1), 'v', 0)
    redis.call('SET', base .. 'm' .. target, numbers)
    redis.call('EXPIRE', base .. 'c' .. target, window)
    redis.call('EXPIRE', base .. 'm' .. target, window)
  end
  for i = 9, #ARGV do
    local target = u32(ARGV[i], 1)
    found_cluster(target, ARGV[i])
    names[#names + 1] = name(target)
  end
  found_cluster(root, ARGV[8])
  redis.call('HINCRBY', key, 'v', tonumber(version) + 1)
  return {1, names}
end

-- Writes what the log has for this shard, up to a number: rows of u32 bucket, payload and u32 number, and of u32 number,
-- size and body, both by number. What is there is not written again.
local function write()
  local upto, floor, size, entries, bodies = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8], ARGV[9]
  local done, freed = tonumber(redis.call('GET', base .. 'n') or '0'), tonumber(redis.call('GET', base .. 'f') or '0')
  for at = 1, #entries, size + 4 do
    if u32(entries, at + size) > done then
      add(string.format('%sb%x', base, u32(entries, at)), string.sub(entries, at + 4, at + size + 3), floor)
    end
  end
  for at = 1, #bodies, slot + 4 do
    local number = u32(bodies, at)
    if number > done then write_record(number, '', string.sub(bodies, at + 4, at + slot + 3)) end
  end
  for chunk = math.floor(freed / slots), math.floor(floor / slots) - 1 do redis.call('DEL', base .. 'r' .. chunk) end
  redis.call('MSET', base .. 'n', math.max(done, upto), base .. 'f', math.max(freed, floor))
end

local commands = {place = place, forget = forget, split = split, write = write}
return commands[ARGV[2]]()
