"""A Redis clock that ran ahead: what was planned by it is brought back when it is right again.

A virtual machine wakes with a wrong clock, a board without a battery starts in another year. What is visited then is
due again a day or a year too late, by a clock that all go by.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from articlebot.connect import literal

# Clocks of a master and its replica differ by less, and a host or page that waits for so long is no harm.
_LEAST_S = 60.0
_NOTE = """
local now = tonumber(redis.call('TIME')[1])
local latest = tonumber(redis.call('GET', KEYS[1]) or '0')
redis.call('SET', KEYS[1], now)
return math.max(0, latest - now)
"""
# A stretch of a sorted set at a time: the map keeps the order, so ranks stay. ARGV: seconds, first rank, -1 for that of
# the first time to come. Returns the next one's, -1 at the end. What is running stands behind all times.
_SET_BACK = """
local t, first = redis.call('TIME'), tonumber(ARGV[2])
local now = tonumber(t[1]) + tonumber(t[2]) / 1e6
if first < 0 then first = redis.call('ZCOUNT', KEYS[1], '-inf', string.format('%.6f', now)) end
local found, moved = redis.call('ZRANGE', KEYS[1], first, first + 399, 'WITHSCORES'), {}
for i = 1, #found, 2 do
  local at = tonumber(found[i + 1])
  if at > now and at < 1e15 then
    moved[#moved + 1] = string.format('%.6f', math.max(now, at - tonumber(ARGV[1])))
    moved[#moved + 1] = found[i]
  end
end
if #moved > 0 then redis.call('ZADD', KEYS[1], unpack(moved)) end
return #found < 800 and -1 or first + 400
"""
# Keys in one question.
_KEYS = 500


async def went_back(client: Any, key: str) -> float:
    """Seconds by which the server's clock has gone back since the last call of any worker, told to one of them; else 0.

    Args:
        client: ``redis.asyncio`` client.
        key: where the latest time is kept.
    """
    seconds = float(await client.eval(_NOTE, 1, key))
    return seconds if seconds > _LEAST_S else 0.0


async def set_back(client: Any, keys: Iterable[str], seconds: float) -> None:
    """Takes seconds off the times to come in sorted sets, down to now."""
    for key in keys:
        rank = None
        while rank != -1:
            rank = int(await client.eval(_SET_BACK, 1, key, seconds, -1 if rank is None else rank))


async def set_ends_back(client: Any, prefix: str, seconds: float) -> None:
    """Takes seconds off the time that keys below a prefix have to live: turns, claims, what is kept for days.

    None ends too soon: what would have ended by the clock that ran ahead has.
    """
    keys = [key async for key in client.scan_iter(match=f"{literal(prefix)}:*", count=1000)]
    for start in range(0, len(keys), _KEYS):
        async with client.pipeline(transaction=False) as pipe:
            some = keys[start : start + _KEYS]
            for key in some:
                pipe.pttl(key)
            left = dict(zip(some, await pipe.execute(), strict=True))
            for key, ms in left.items():
                if ms > 0:
                    pipe.pexpire(key, max(1, round(ms - 1000 * seconds)))
            await pipe.execute()
