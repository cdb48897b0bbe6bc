-- Put in front of the scripts that read or write records. A record lies in one of some hashes, by its id. Their number
-- grows with the pages, one hash at a time (linear hashing: Litwin, VLDB 1980): each stays in Redis' compact encoding,
-- which ends at 128 records (hash-max-listpack-entries), and short enough that a look goes through few of them.
-- M: hash with `buckets`, how many hashes there are, and `pages`; R: first part of their keys.
local M, R
-- Records a hash in the mean from which another is made. One that is next to be split has up to twice as many, 64, of
-- which one in 10^12 has more than 128 (Poisson). A hash's own 140 bytes are 4 a page then.
local LOAD = 32
local LARGEST = 4294967296
local buckets, half

local function open(meta, prefix)
  M, R = meta, prefix
  buckets = tonumber(redis.call('HGET', M, 'buckets') or '')
  -- Emptied, or moved to a replica without it, under running workers, which must not go by what they remember.
  if not buckets then error('page states lost') end
  half = 1
  while half * 2 <= buckets do half = half * 2 end
end

local function number_of(id)
  local a, b, c, d = string.byte(id, 5, 8)
  return ((a * 256 + b) * 256 + c) * 256 + d
end

local function bucket_of(id)
  local number = number_of(id)
  local at = number % (2 * half)
  if at >= buckets then at = number % half end
  return R .. string.format('%.0f', at)
end

-- Moves to a new hash what belongs there now, out of the one that had it.
local function split()
  local from, to = R .. string.format('%.0f', buckets - half), R .. string.format('%.0f', buckets)
  local found, moved, gone = redis.call('HGETALL', from), {}, {}
  for i = 1, #found, 2 do
    if number_of(found[i]) % (2 * half) == buckets then
      moved[#moved + 1] = found[i]
      moved[#moved + 1] = found[i + 1]
      gone[#gone + 1] = found[i]
    end
  end
  if #gone > 0 then
    redis.call('HSET', to, unpack(moved))
    redis.call('HDEL', from, unpack(gone))
  end
  buckets = buckets + 1
  if buckets == 2 * half then half = buckets end
end

-- Makes room for so many pages: some hashes a call, so that a store that has grown catches up unseen.
local function grow(pages, most)
  local before = buckets
  while pages > buckets * LOAD and buckets - before < most and buckets < LARGEST do split() end
  if buckets > before then redis.call('HSET', M, 'buckets', string.format('%.0f', buckets)) end
end
