"""What was learned of each site's parameters and texts, in Redis, for all workers."""

from __future__ import annotations

from asyncio import Lock
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from struct import Struct
from weakref import WeakValueDictionary

import redis.asyncio

from articlebot.connect import RedisStore
from articlebot.twins.parameters import (
    Pair,
    Sighting,
    beside_session,
    compare,
    is_idle,
    parameters,
    positions,
    sightings,
    together,
    tokens,
    without,
)
from articlebot.twins.spellings import Spellings
from articlebot.urls import page_key, site

# Addresses of a site that are remembered; with 25 bytes each, a page's parameters are told within one or two rounds.
_MOST_LINKS = 5000
# Titles that speak for a parameter; more say nothing new.
_MOST_TITLES = 50
# What no page shows any more is forgotten.
_KEPT_S = 30 * 86_400
# Texts lie in two generations, so that an old one is forgotten with its neighbours.
_GENERATION_S = 15 * 86_400
_FIRST = Struct(">QI")


@dataclass(slots=True)
class Cleaned:
    """Addresses without what changes nothing.

    Attributes:
        urls: by the address as it was; those that stay as they are are left out.
        keys: page keys without what is new in each link, by the address as it was: it is asked for as it is, once.
        learned: parameters that this call has found to be idle.
        read: keys of addresses that are known already, by site: admitted with such a parameter, or spelled otherwise.
    """

    urls: dict[str, str] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)
    learned: list[str] = field(default_factory=list)
    read: dict[str, list[int]] = field(default_factory=dict)


class RedisTwins(RedisStore):
    """Parameters that change nothing, and texts that stand under several addresses."""

    below = "twins"

    def __init__(self, client: redis.asyncio.Redis, prefix: str = "{articlebot}") -> None:
        super().__init__(client, prefix)
        self._spellings = Spellings()
        self._asked: set[str] = set()  # sites that had parameters: their plain links say what these change
        self._turns: WeakValueDictionary[str, Lock] = WeakValueDictionary()

    def turn(self, url: str) -> Lock:
        """To be held while the links of a page are compared and queued.

        Of two lists of a site that are read at the same moment, the second one sees what the first has queued.

        Args:
            url: of the page; those of its site take turns.
        """
        return self._turns.setdefault(site(url), Lock())

    async def cleaned(self, links: Iterable[tuple[str, str]]) -> Cleaned:
        """The canonical addresses of a page's links without the parameters that change nothing; learns from them.

        Args:
            links: address and text of each. On a site without parameters a page costs no question.
        """
        by_site: dict[str, list[tuple[str, str]]] = defaultdict(list)
        links = list(links)
        for url, text in links:
            by_site[site(url)].append((url, text))
        done = Cleaned()
        for name, some in by_site.items():
            moved = beside_session(url for url, _ in some)
            some = [(moved.get(url, url), text) for url, text in some]  # noqa: PLW2901 - the same links
            if name in self._asked or any(parameters(url) for url, _ in some):
                self._asked.add(name)
                await self._learn(name, some, done)
            for url, other in moved.items():
                # It is asked for with its session, and known without.
                known = done.keys.pop(other, None)
                if (bare := done.urls.pop(other, None)) is not None and known is None:
                    known = page_key(bare)
                if known is not None:
                    done.keys[url] = known
        others = self._spellings.others((done.urls.get(url, url), text) for url, text in links)
        for url, _ in links if others else ():
            spelled = done.urls.get(url, url)
            if (first := others.get(spelled)) is not None:
                done.urls[url] = first
                done.read.setdefault(site(url), []).append(page_key(spelled))
        return done

    def stands_for(self, first: str, other: str) -> bool:
        """Whether this process took links to another spelling of an address for links to it (``Spellings``)."""
        return self._spellings.stands_for(first, other)

    async def learn(self, links: Iterable[tuple[str, str]]) -> None:
        """Learns of the links of several pages of a site, before any is admitted, what tells where they stand.

        Args:
            links: canonical address and text of each.

        Raises:
            redis.RedisError: Redis is away.
        """
        links = list(links)
        if links and (told := together(links)):
            name = site(links[0][0])
            for one, titles in told.items():
                await self._count(name, "own", one, titles, 0)
            await self._settle(name, "own", set(), set(told), Cleaned())

    async def _learn(self, name: str, links: Sequence[tuple[str, str]], done: Cleaned) -> None:
        constant, counted = tokens(url for url, _ in links), positions(url for url, _ in links)
        seen = [one for url, text in links for one in sightings(url, text, constant, counted)]
        known, idle, own = await self._known(name, list(dict.fromkeys(one.key for one in seen)))
        pairs, kept = compare(seen, known, constant)
        if pairs:
            idle, own = await self._judge(name, pairs, idle, own, done)
        await self._keep(name, kept)
        for url, _ in links:
            if (short := without(url, idle)) != url:
                done.urls[url] = short
            if own and (bare := without(url, idle | own)) != short:
                done.keys[url] = page_key(bare)

    async def _known(self, name: str, keys: Sequence[int]) -> tuple[dict[int, Sighting], set[str], set[str]]:
        """What was seen before of these keys, the parameters known to be idle, and those new in each link."""
        async with self._redis.pipeline(transaction=False) as pipe:
            pipe.smembers(f"{self._key}:{name}:idle")
            pipe.smembers(f"{self._key}:{name}:own")
            if keys:
                pipe.hmget(f"{self._key}:{name}:links", [key.to_bytes(8, "big") for key in keys])
            idle, own, *found = await pipe.execute()
        sighted = zip(keys, found[0], strict=True) if found else ()
        sightings_ = {key: Sighting.unpack(kept) for key, kept in sighted if kept}
        return sightings_, {one.decode() for one in idle}, {one.decode() for one in own}

    async def _judge(
        self, name: str, pairs: Sequence[Pair], idle: set[str], own: set[str], done: Cleaned
    ) -> tuple[set[str], set[str]]:  # fmt: skip
        """The idle parameters and those new in each link, with the page's evidence counted."""
        unlike = Counter(one for pair in pairs if pair.title is None for one in pair.names)
        now: list[set[str]] = []
        for before, evidence in ((idle, "same"), (own, "own")):
            titles: dict[str, set[int]] = {one: set() for pair in pairs for one in pair.names}
            for pair in pairs:
                if pair.title is not None and pair.own == (evidence == "own"):
                    for one in pair.names:
                        titles[one].add(pair.title)
            now.append(set(before))
            for one, found in titles.items():
                for_, against = await self._count(name, evidence, one, found, unlike[one])
                (now[-1].add if is_idle(for_, against) else now[-1].discard)(one)
        await self._settle(name, "idle", idle, now[0], done)
        await self._settle(name, "own", own, now[1], done)
        return now[0], now[1]

    async def _count(
        self, name: str, evidence: str, parameter: str, titles: Collection[int], unlike: int
    ) -> tuple[int, int]:  # fmt: skip
        """The titles that speak for a parameter, and the number of pairs that speak against it."""
        mine, against = f"{self._key}:{name}:{evidence}:{parameter}", f"{self._key}:{name}:un{evidence}:{parameter}"
        async with self._redis.pipeline(transaction=False) as pipe:
            if titles:
                pipe.sadd(mine, *list(titles)[:_MOST_TITLES])
            pipe.expire(mine, _KEPT_S)
            pipe.incrby(against, unlike)
            pipe.expire(against, _KEPT_S)
            pipe.scard(mine)
            replies = await pipe.execute()
        return int(replies[-1]), int(replies[-3])

    async def _settle(self, name: str, what: str, before: set[str], now: set[str], done: Cleaned) -> None:
        """Writes which parameters are idle or own; of a new one, the addresses that were admitted with it are known."""
        key = f"{self._key}:{name}:{what}"
        if gone := before - now:
            await self._redis.srem(key, *gone)
        if fresh := sorted(now - before):
            # Before it is written: who learns the same beside this has kept no link yet that it admits without them.
            links = self._redis.hscan_iter(f"{self._key}:{name}:links", count=1000)
            kept = [(int.from_bytes(field_, "big"), Sighting.unpack(one).names) async for field_, one in links]
            async with self._redis.pipeline(transaction=False) as pipe:
                for one in fresh:
                    pipe.sadd(key, one)
                pipe.expire(key, _KEPT_S)
                *added, _ = await pipe.execute()
            if first := {one for one, is_new in zip(fresh, added, strict=True) if is_new}:
                done.learned += sorted(first)
                read = done.read.setdefault(name, [])
                read += [number for number, names in kept if first & names and names <= now]

    async def _keep(self, name: str, kept: Mapping[int, Sighting]) -> None:
        if not kept:
            return
        key = f"{self._key}:{name}:links"
        async with self._redis.pipeline(transaction=False) as pipe:
            pipe.hset(key, mapping={number.to_bytes(8, "big"): one.pack() for number, one in kept.items()})
            pipe.expire(key, _KEPT_S)
            pipe.hlen(key)
            *_, size = await pipe.execute()
        if size > _MOST_LINKS:
            await self._redis.delete(key)

    async def first_of(self, name: str, text: int, key: int, now: float) -> tuple[int, float]:
        """The page key under which a site's text was read first, ``key`` itself where it is new, and when that was.

        Args:
            name: of the site.
            text: 64-bit hash of title and text.
            key: of the page that holds it now.
            now: epoch seconds.
        """
        newer, older = self._generations(name, now)
        field_ = text.to_bytes(8, "big")
        async with self._redis.pipeline(transaction=True) as pipe:
            pipe.hget(older, field_)
            pipe.hsetnx(newer, field_, _FIRST.pack(key, int(now)))
            pipe.hget(newer, field_)
            pipe.expire(newer, 2 * _GENERATION_S)
            known, _, first, _ = await pipe.execute()
        found, at = _FIRST.unpack(known or first)
        return found, float(at)

    async def note_other(self, first: int, other: str) -> None:
        """Remembers another address of what was read first under one (page key), for when it is gone from there."""
        await self._redis.set(f"{self._key}:other:{first:016x}", other, ex=_KEPT_S)

    async def other_of(self, first: int) -> str | None:
        """Another address of what was read first under one (page key), None where none was seen for 30 days."""
        other = await self._redis.get(f"{self._key}:other:{first:016x}")
        return None if other is None else other.decode()

    def _generations(self, name: str, now: float) -> tuple[str, str]:
        """The keys of a site's texts, the newer ones first."""
        newest = int(now // _GENERATION_S)
        return f"{self._key}:{name}:texts:{newest}", f"{self._key}:{name}:texts:{newest - 1}"

    async def idle(self, name: str) -> list[str]:
        """The parameters of a site that change nothing."""
        return sorted(parameter.decode() for parameter in await self._redis.smembers(f"{self._key}:{name}:idle"))
