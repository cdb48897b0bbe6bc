"""Which server follows which job, agreed upon through Redis (design E).

A job stays on the server that has it. A new one goes to the live server with the fewest jobs, a server without a job
of the same site first. The jobs of a dead server are placed anew; one that joins or returns gets its share, beginning
with the jobs it had before. Only servers that know a job (have it in their job files) can get it. A run that ends when
idle queues nothing that falls due while it works, so it gets what no worker for ever knows.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import chain, count

from redis.asyncio import Redis
from redis.exceptions import WatchError

from articlebot.connect import RedisStore


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a job is.

    Args:
        server: who follows it.
        site: its registered domain.
        since: epoch seconds.
        reason: why it is there.
        former: the server it was taken from when that died, None where it was not.
    """

    server: str
    site: str
    since: float
    reason: str
    former: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table of jobs and servers; ``heard_s`` is seconds since the server was heard of."""

    job: str
    site: str
    server: str
    since: float
    reason: str
    alive: bool
    heard_s: float | None


def plan(
    placed: Mapping[str, Placed], offers: Mapping[str, Mapping[str, str]], joined: Collection[str], now: float,
    passing: Collection[str] = (),
) -> dict[str, Placed]:  # fmt: skip
    """Where every job belongs.

    Args:
        placed: where jobs are.
        offers: the live servers with the jobs they know, each with its site.
        joined: those of the live servers that were not there before.
        now: epoch seconds.
        passing: those of the servers that only do what was due when they began.
    """
    lasting = {server: offer for server, offer in offers.items() if server not in passing}
    kept = {job for offer in lasting.values() for job in offer}
    result = {
        job: place
        for job, place in placed.items()
        if job in offers.get(place.server, {}) and (place.server in lasting or job not in kept)
    }  # a job that no live server knows is dropped; it is placed anew when one does
    load = Counter(dict.fromkeys(offers, 0))
    load.update(place.server for place in result.values())
    sites = Counter((place.server, place.site) for place in result.values())
    for job in sorted({job for offer in offers.values() for job in offer} - result.keys()):
        able = [server for server in (lasting if job in kept else offers) if job in offers[server]]
        site = offers[able[0]][job]
        server = min(able, key=lambda one: (sites[one, site] > 0, load[one], one))
        before = placed.get(job)
        reason = f"fewest jobs ({load[server]})" + ("" if sites[server, site] else f", none of {site}")
        if before is not None:
            reason = f"{before.server} {'ends soon' if before.server in offers else 'is gone'}; {reason}"
        result[job] = Placed(server, site, now, reason, before.server if before is not None else None)
        load[server] += 1
        sites[server, site] += 1
    for server in sorted(joined & (lasting or offers).keys()):
        _give_share(server, result, lasting or offers, load, now)
    return result


def _give_share(
    server: str, result: dict[str, Placed], offers: Mapping[str, Mapping[str, str]], load: Counter[str], now: float
) -> None:
    share = len(result) // max(1, len(offers))
    mine = {place.site for place in result.values() if place.server == server}
    # Its own jobs of before first, then sites it does not have yet, from the fullest server.
    order = sorted(
        (job for job in offers[server] if job in result and result[job].server != server),
        key=lambda job: (result[job].former != server, result[job].site in mine, -load[result[job].server], job),
    )
    for job in order:
        if load[server] >= share:
            return
        place = result[job]
        if load[place.server] <= share:
            continue
        load[place.server] -= 1
        load[server] += 1
        why = f"{server} is back" if place.former == server else f"share of {server}, which joined"
        result[job] = replace(place, server=server, since=now, reason=why, former=None)


class Assignment(RedisStore):
    """The agreement of the servers that share one key prefix.

    Args:
        silence_s: seconds after which a server that was not heard of is dead; ``mine`` is called three times as often.

    ``elsewhere`` names the jobs that other servers follow, as of the last ``mine``; ``lasting`` those of them that a
    server follows which does not pass.
    """

    below = "jobs"

    def __init__(self, client: Redis, prefix: str = "{articlebot}", silence_s: float = 30.0) -> None:
        super().__init__(client, prefix)
        self._placed, self._servers, self._offers, self._passing, self._names = (
            f"{self._key}:{name}" for name in ("placed", "servers", "offers", "passing", "name")
        )
        self.elsewhere: frozenset[str] = frozenset()
        self.lasting: frozenset[str] = frozenset()
        self.silence_s = silence_s

    async def mine(self, server: str, jobs: Mapping[str, str], now: float, *, passes: bool = False) -> frozenset[str]:
        """Says that a server lives and which jobs (name: site) it knows; returns those it has to follow.

        One that passes only does what was due when it began: it gets jobs that no other server knows.
        """
        while True:
            async with self._redis.pipeline(transaction=True) as pipeline:
                await pipeline.watch(self._placed, self._servers)
                heard = {k.decode(): v for k, v in await pipeline.zrange(self._servers, 0, -1, withscores=True)}
                live = {name for name, at in heard.items() if at > now - self.silence_s} | {server}
                gone = heard.keys() - live
                offers = {k.decode(): json.loads(v) for k, v in (await pipeline.hgetall(self._offers)).items()}
                offers = {name: offer for name, offer in offers.items() if name in live}
                offers[server] = dict(jobs)
                placed = _read(await pipeline.hgetall(self._placed))
                passing = {name.decode() for name in await pipeline.smembers(self._passing)} - {server}
                joined = live - (heard.keys() - gone)
                wanted = plan(placed, offers, joined, now, passing | ({server} if passes else set()))
                pipeline.multi()
                (pipeline.sadd if passes else pipeline.srem)(self._passing, server)
                pipeline.zadd(self._servers, {server: now})
                pipeline.hset(self._offers, server, json.dumps(dict(jobs)))
                if gone:
                    pipeline.zrem(self._servers, *gone)
                    pipeline.hdel(self._offers, *gone)
                    pipeline.srem(self._passing, *gone)
                if changed := {job: _write(place) for job, place in wanted.items() if placed.get(job) != place}:
                    pipeline.hset(self._placed, mapping=changed)
                if dropped := placed.keys() - wanted.keys():
                    pipeline.hdel(self._placed, *dropped)
                try:
                    await pipeline.execute()
                except WatchError:
                    continue
                mine = frozenset(job for job, place in wanted.items() if place.server == server)
                self.elsewhere = frozenset(wanted) - mine
                self.lasting = frozenset(job for job in self.elsewhere if wanted[job].server not in passing)
                return mine

    async def name(self, machine: str, worker: str, known: str | None = None) -> str:
        """The name of a worker as a server: the machine's with the first number that no other worker has.

        A worker that comes back gets the name, and so the jobs, that it had. The name is kept by asking again with
        ``known``, and free after ``silence_s`` seconds without.
        """
        for wanted in chain([known] if known else [], (f"{machine}-{number}" for number in count(1))):
            key = f"{self._names}:{wanted}"
            if await self._redis.set(key, worker, nx=True, px=round(1000 * self.silence_s)):
                return wanted
            if await self._redis.get(key) == worker.encode():
                await self._redis.pexpire(key, round(1000 * self.silence_s))
                return wanted
        raise AssertionError  # count does not end

    async def leave(self, server: str) -> None:
        """Says that a server ends; the others take over its jobs at their next call."""
        await self._redis.zrem(self._servers, server)
        await self._redis.delete(f"{self._names}:{server}")

    async def table(self, now: float) -> list[Row]:
        """Every job with its server and the reason, by server and name."""
        heard = {k.decode(): v for k, v in await self._redis.zrange(self._servers, 0, -1, withscores=True)}
        rows = [
            Row(
                job, place.site, place.server, place.since, place.reason,
                heard.get(place.server, 0.0) > now - self.silence_s,
                now - heard[place.server] if place.server in heard else None,
            )
            for job, place in _read(await self._redis.hgetall(self._placed)).items()
        ]  # fmt: skip
        return sorted(rows, key=lambda row: (row.server, row.job))


def _read(stored: Mapping[bytes, bytes]) -> dict[str, Placed]:
    return {job.decode(): Placed(**json.loads(value)) for job, value in stored.items()}


def _write(place: Placed) -> str:
    return json.dumps(asdict(place), ensure_ascii=False, separators=(",", ":"))
