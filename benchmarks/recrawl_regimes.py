"""Made-up worlds for the recrawl policies: pages of one habit each, on four sites.

Every regime has two sets of numbers. Policies are worked on with the first; the second, ``other``, is for the report.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import cos, pi
from typing import NamedTuple

from articlebot.recrawl import Kind
from articlebot.recrawl.params import DAY
from articlebot_lab.recrawl.traces import Trace, TracePage

Items = list[tuple[float, int]]


class Page(NamedTuple):
    """One page of a regime: its number among ``of``, and the days that the world lasts.

    ``other`` asks for the second set of numbers; ``shared`` is the randomness that all pages of the world have alike.
    """

    rng: random.Random
    number: int
    of: int
    days: float
    other: bool
    shared: int

    def pick(self, first: float, second: float) -> float:
        """The number of the set that is wanted."""
        return second if self.other else first

    @property
    def place(self) -> float:
        """0 for the first page, 1 for the last."""
        return self.number / max(1, self.of - 1)

    def poisson(self, a_day: float, start: float = 0.0, end: float | None = None) -> list[float]:
        """Days of changes at an even rate."""
        found, at, end = [], start, self.days if end is None else end
        while a_day > 0.0 and (at := at + self.rng.expovariate(a_day)) < end:
            found.append(at)
        return found

    def thinned(self, most: float, share: Callable[[float], float]) -> list[float]:
        """Days of changes at a rate of ``most`` times the share at each moment, 0 to 1."""
        return [at for at in self.poisson(most) if self.rng.random() < share(at)]

    def every(self, period: float, jitter: float = 0.0, first: float | None = None) -> list[float]:
        """Days of changes at a period, the first at its own moment."""
        begin = self.rng.random() * period if first is None else first
        return [begin + turn * period + self.rng.uniform(-jitter, jitter) for turn in range(int(self.days / period))]

    def batches(self, starts: list[float], items: int, hours: float) -> list[float]:
        """Days of the items of batches that begin at ``starts``."""
        return [start + self.rng.random() * hours / 24 for start in starts for _ in range(items)]


Habit = Callable[[Page], list[float]]


@dataclass(frozen=True, slots=True)
class Regime:
    """A habit, the kind of its pages, how many of them, and for how many days.

    Attributes:
        lives: (birth, end) of a page in days; None for pages that are there all the time.
        busiest: 1 where the first page is another than the rest, and these are counted too.
    """

    habit: Habit
    kind: Kind = Kind.LIST
    pages: int = 40
    days: float = 28.0
    lives: Callable[[Page], tuple[float, float]] | None = None
    busiest: int = 0


def _hours(page: Page) -> list[float]:
    begin, end = (9, 12) if page.other else (8, 20)
    return page.thinned(page.pick(8, 16), lambda at: begin <= at % 1 * 24 < end)


def _moved(page: Page) -> list[float]:
    by, after = (7, 10) if page.other else (12, page.days / 2)
    return page.thinned(12, lambda at: 8 <= (at * 24 - by * int(at / after)) % 24 < 16)


def _summer_time(page: Page) -> list[float]:
    def shifted(at: float) -> float:
        return at + (1 / 24 if at > page.days / 2 else 0.0)

    own = page.rng.random()
    return [shifted(at) for at in page.every(page.pick(1, 0.5), 0.01, own * page.pick(1, 0.5))]


def _switch(page: Page) -> list[float]:
    each, low, high = (2, 0.5, 20) if page.other else (4, 2, 48)
    phase = page.rng.random() * 2 * each
    return page.thinned(high, lambda at: 1.0 if (at + phase) % (2 * each) < each else low / high)


def _burst(page: Page) -> list[float]:
    lasts = page.pick(3, 1)
    start = page.rng.uniform(0, page.days - lasts)
    return page.poisson(20, start, start + lasts) + page.poisson(0.05)


def _outage(page: Page) -> list[float]:
    begin, lasts = page.days * 0.5, page.pick(4, 2)
    end = begin + lasts
    # What was written meanwhile comes at once.
    return [end + page.rng.random() / 24 if begin < at < end else at for at in page.poisson(page.pick(4, 1))]


def _news_days(page: Page) -> list[float]:
    shared = random.Random(page.shared)
    big = {shared.randrange(int(page.days)) for _ in range(3)}
    most = page.pick(20, 30)
    return page.thinned(most, lambda at: 1.0 if int(at) in big else 0.1)


def _mirrored(page: Page) -> list[float]:
    original = random.Random(page.shared + page.number // 2)
    twin = page._replace(rng=original)
    return [at + (page.number % 2) * 0.02 for at in twin.poisson(twin.pick(0.5, 2) * (1 + page.number // 2 % 4))]


def _always_different(page: Page) -> list[float]:
    share = page.pick(0.3, 0.15)
    if (page.number * 7919 % page.of) < share * page.of:
        return page.every(1 / 288)
    return page.poisson(page.pick(0.1, 0.3))


def _goes_quiet(page: Page) -> list[float]:
    end = page.days * page.pick(0.4, 0.6)
    return page.poisson(page.pick(0.3, 1), 0.0, end if page.number % 2 else page.days)


def _edited_once(page: Page) -> list[float]:
    at = page.place * page.days + page.rng.paretovariate(0.5) / 48
    return [at] if page.rng.random() < page.pick(0.5, 0.2) else []


REGIMES: Mapping[str, Regime] = {
    "alike": Regime(lambda p: p.poisson(p.pick(2, 6))),
    "alike, rare": Regime(lambda p: p.poisson(p.pick(0.2, 0.1)), pages=60, days=56),
    "rates of all sizes": Regime(lambda p: p.poisson(p.pick(0.01 * 3000**p.place, 0.05 * 4000**p.place))),
    "heavy tail": Regime(lambda p: p.poisson(min(0.05 * p.rng.paretovariate(p.pick(0.7, 1.2)), 100))),
    "periodic": Regime(lambda p: p.every(p.pick(1 / 24, 1 / 6))),
    "periodic, jittered": Regime(lambda p: p.every(p.pick(1, 1 / 3), p.pick(1 / 12, 1 / 24))),
    "batches": Regime(lambda p: p.batches(p.every(p.pick(5, 3)), 20, 2), pages=60, days=40),
    "batches at random": Regime(lambda p: p.batches(p.poisson(p.pick(0.2, 0.4)), 20, p.pick(2, 6)), pages=60, days=40),
    "weekly at its own hour": Regime(lambda p: p.every(p.pick(7, 3.5), 0.01), pages=60, days=56),
    "daily at its own hour": Regime(lambda p: p.every(1, p.pick(0.01, 0.04))),
    "hours of the day": Regime(_hours),
    "hours that move": Regime(_moved),
    "summer time": Regime(_summer_time),
    "weekends only": Regime(lambda p: p.thinned(p.pick(6, 3), lambda at: 2 <= at % 7 < 4), days=42),
    "nights only": Regime(lambda p: p.thinned(p.pick(8, 3), lambda at: at % 1 < p.pick(0.25, 0.15))),
    "month's end": Regime(lambda p: p.thinned(p.pick(4, 10), lambda at: at % 30 > p.pick(27, 29)), pages=24, days=90),
    "one giant": Regime(
        lambda p: p.poisson(p.pick(5000, 800) if p.number == 0 else 2), pages=100, days=10, busiest=1
    ),
    "one of many changes": Regime(lambda p: p.poisson(p.pick(3, 30)) if p.number == 0 else p.poisson(0.02)),
    "switch": Regime(_switch),
    "slow growth": Regime(lambda p: p.thinned(p.pick(16, 6), lambda at: 32 ** (at / p.days - 1))),
    "slow death": Regime(lambda p: p.thinned(p.pick(16, 6), lambda at: 32 ** (-at / p.days))),
    "bursts, then silence": Regime(_burst),
    "seasons": Regime(lambda p: p.thinned(p.pick(6, 2), lambda at: (1 + cos(2 * pi * at / p.pick(14, 9))) / 2)),
    "new pages": Regime(
        lambda p: p.poisson(p.pick(2, 0.5) * (1 + 4 * (p.number % 2))), pages=80,
        lives=lambda p: (p.place * p.days * 0.9, p.days),
    ),
    "wakes up": Regime(lambda p: p.poisson(p.pick(3, 12), p.days * (0.5 if p.number % 3 else 0))),
    "mirrored": Regime(_mirrored),
    "outage": Regime(_outage),
    "news days": Regime(_news_days),
    "documents, alike": Regime(lambda p: p.poisson(p.pick(1, 0.3)), Kind.DOCUMENT),
    "documents, alike, rare": Regime(lambda p: p.poisson(p.pick(1 / 120, 1 / 40)), Kind.DOCUMENT, 120, 120),
    "documents, heavy tail": Regime(
        lambda p: p.poisson(min(0.02 * p.rng.paretovariate(p.pick(0.7, 1.1)), 50)), Kind.DOCUMENT, 60, 42
    ),
    "documents, some always different": Regime(_always_different, Kind.DOCUMENT),
    "documents, half go quiet": Regime(_goes_quiet, Kind.DOCUMENT, 40, 42),
    "documents, half end": Regime(
        lambda p: p.poisson(p.pick(0.3, 1)), Kind.DOCUMENT, 40, 42,
        lambda p: (0.0, p.days * p.pick(0.4, 0.6) if p.number % 2 else p.days),
    ),
    "documents, weekly": Regime(lambda p: p.every(p.pick(7, 3.5), 0.01), Kind.DOCUMENT, 60, 56),
    "documents, switch": Regime(_switch, Kind.DOCUMENT),
    "articles, edited for weeks": Regime(lambda p: p.poisson(p.pick(1, 0.2)), Kind.ARTICLE),
    "articles, seldom edited": Regime(
        _edited_once, Kind.ARTICLE, 120, 28, lambda p: (p.place * p.days, p.days)
    ),
}  # fmt: skip


def made_up(name: str, seed: int, *, other: bool = False) -> Trace:
    """The world of a regime."""
    regime = REGIMES[name]
    rng = random.Random(f"{name} {seed} {other}")
    shared, made = rng.randrange(1 << 30), []
    for number in range(regime.pages):
        page = Page(rng, number, regime.pages, regime.days, other, shared)
        birth, end = regime.lives(page) if regime.lives else (0.0, regime.days)
        changes = tuple(at * DAY for at in sorted(regime.habit(page)) if birth < at < end)
        made.append(
            TracePage(
                f"{number % 4}/{number}", str(number % 4), regime.kind, birth * DAY, end * DAY, changes,
                (1,) * len(changes), None,
            )
        )  # fmt: skip
    return Trace(name, 0.0, regime.days * DAY, 0.0, False, tuple(made))
