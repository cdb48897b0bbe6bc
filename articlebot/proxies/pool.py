"""The proxies that a worker may use now, as one frozen choice after the other: rounds, draws and cooling."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

from articlebot.bounded import Bounded
from articlebot.proxies.proxy import Proxy
from articlebot.proxies.store import Record
from articlebot.proxies.verdict import Verdict

DIRECT: Final = "direct"
_MOST_SITES = 10_000
# With a third of the proxies bad, three in a row fail by chance in 4% of the cases.
_WAYS_OF_A_SITE = 3


@dataclass(frozen=True, slots=True)
class Cooling:
    """How long a proxy rests, seconds: after its first fault (at most after many), and from one site after a ban; it is
    doubled at each in a row.
    """

    fault: float = 60.0
    fault_cap: float = 3600.0
    ban: float = 1800.0
    ban_cap: float = 86400.0


@dataclass(slots=True)
class _Ways:
    """By which ways a site failed or refused since one last reached it."""

    failed: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)


class Pool:
    """The choice of a way for each download; a job draws ``size`` proxies for a round of ``round_s`` seconds."""

    def __init__(
        self, rng: random.Random, *, size: int = 5, round_s: float = 600.0, cooling: Cooling | None = None
    ) -> None:
        self._rng, self._size, self._round_s, self._cooling = rng, size, round_s, cooling or Cooling()
        self._members: dict[str, Record] = {}
        self._rounds: Bounded[str, tuple[list[str], float]] = Bounded(_MOST_SITES)
        self._rests: dict[str, float] = {}
        self._faults: dict[str, int] = {}
        self._bans: dict[tuple[str, str], float] = {}
        self._banned: dict[tuple[str, str], int] = {}
        self._ways: Bounded[str, _Ways] = Bounded(_MOST_SITES)

    def __len__(self) -> int:
        return len(self._members)

    def get(self, key: str) -> Proxy | None:
        """The proxy of a name, None where it has left the pool."""
        return self._members[key].proxy if key in self._members else None

    def replace(self, members: Iterable[Record]) -> None:
        """Makes these the pool. Who stays keeps its rest; running rounds lose who left."""
        self._members = stay = {member.proxy.key: member for member in members}
        for single in (self._rests, self._faults):
            for key in single.keys() - stay:
                del single[key]
        for double in (self._bans, self._banned):
            for pair in [pair for pair in double if pair[0] not in stay]:
                del double[pair]

    def usable(self, site: str, now: float) -> list[str]:
        """The names of the proxies that rest neither altogether nor from this site."""
        return [key for key in self._members if self.rests_until(key, site) <= now]

    def rests_until(self, key: str, site: str) -> float:
        """When a proxy may be used for a site again, epoch seconds; 0 where it does not rest."""
        return max(self._rests.get(key, 0.0), self._bans.get((key, site), 0.0))

    def choose(
        self, job: str, site: str, now: float, *, tried: Collection[str] = (), direct: bool = True
    ) -> str | None:
        """The way for one download: a name of the job's round, or ``DIRECT``; None where none is left.

        Args:
            tried: names that this request went by already; each other way comes first.
            direct: whether the job may do without a proxy.
        """
        ways = [key for key in self._round(job, site, now) if key not in tried]
        if not ways:  # the whole round was tried: whatever else the pool has
            ways = [key for key in self.usable(site, now) if key not in tried]
        if direct and (DIRECT not in tried or not ways):
            ways.append(DIRECT)
        if not ways:
            ways = self.usable(site, now)
        return self._rng.choice(ways) if ways else None

    def _round(self, job: str, site: str, now: float) -> list[str]:
        """The usable proxies of the job's round, filled up where some fell out."""
        keys, ends_at = self._rounds.get(job, ([], 0.0))
        usable = set(self.usable(site, now))
        kept = [key for key in keys if key in usable] if now < ends_at else []
        if len(kept) < min(self._size, len(usable)):
            kept += self._draw(site, sorted(usable.difference(kept)), self._size - len(kept))
        self._rounds[job] = kept, ends_at if now < ends_at else now + self._round_s
        return kept

    def _draw(self, site: str, keys: list[str], count: int) -> list[str]:
        """Some of these, the good and fast more likely (Efraimidis and Spirakis 2006)."""
        marks = {
            key: math.log(1.0 - self._rng.uniform(0.0, 1.0 - 1e-12)) / self._members[key].weight(site) for key in keys
        }
        return sorted(keys, key=marks.__getitem__, reverse=True)[:count]

    def site_fails(self, site: str, way: str) -> bool:
        """Whether enough other ways to a site failed since one last reached it."""
        return self._others(site, way, refused=False)

    def site_refuses(self, site: str, way: str) -> bool:
        """Whether enough other ways were turned away by a site since one was last served."""
        return self._others(site, way, refused=True)

    def _others(self, site: str, way: str, *, refused: bool) -> bool:
        ways = self._ways.get(site)
        others = (ways.refused if refused else ways.failed) - {way} if ways else set()
        return DIRECT in others or len(others) >= _WAYS_OF_A_SITE

    def note_way(self, site: str, way: str, *, failed: bool = False, refused: bool = False) -> None:
        """Remembers how a way to a site ended; one that was served forgets what came before."""
        if not failed and not refused:
            self._ways.pop(site, None)
            return
        ways = self._ways[site] = self._ways.get(site, _Ways())
        (ways.refused if refused else ways.failed).add(way)

    def report(self, key: str, site: str, outcome: Verdict, now: float) -> float:
        """Lets a proxy rest as an outcome asks; returns until when, 0 for not at all."""
        if key not in self._members:
            return 0.0
        if outcome is Verdict.OK:
            self._faults.pop(key, None)
            self._banned.pop((key, site), None)
        elif outcome is Verdict.PROXY:
            self._faults[key] = count = self._faults.get(key, 0) + 1
            rest: float = min(self._cooling.fault_cap, self._cooling.fault * 2.0 ** min(30, count - 1))
            self._rests[key] = now + rest
            return now + rest
        elif outcome is Verdict.BAN:
            self._banned[key, site] = count = self._banned.get((key, site), 0) + 1
            return self.ban(key, site, now + min(self._cooling.ban_cap, self._cooling.ban * 2.0 ** min(30, count - 1)))
        return 0.0

    def ban(self, key: str, site: str, until: float) -> float:
        """Keeps a proxy from one site until a time; other workers' bans come in here."""
        self._bans[key, site] = until = max(until, self._bans.get((key, site), 0.0))
        return until
