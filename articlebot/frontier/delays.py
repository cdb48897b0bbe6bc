"""How long a slot rests between two pages: pure decisions over values that are handed in.

A delay is always longer than a person takes to click. The part above that is log-normal, like the times between
people's clicks: a long tail instead of a uniform band (Huberman et al., Science 280, 1998, and many since).
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import NamedTuple

# A slot's next page is planned for when it may start, but for what a clock of another machine is off.
_AT_ONCE_S = 0.05
# What is caught up with at most; and slots that are remembered, which are those behind with a page in flight.
_MOST_BEHIND_S, _MOST_SLOTS = 1.0, 10_000


# Longer ones are no pace but a wish not to be crawled, or a slip; a page would hold its lease for years.
MOST_CRAWL_DELAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class DelayPolicy:
    """The cluster's rules of politeness; all durations in seconds.

    Args:
        click_interval: no delay is ever shorter.
        mean: mean delay of a slot whose job names none.
        spread: sigma of the logarithm; 0 makes every delay the mean.
        back_off: first back-off after a 429 or 503 that names no time.
        back_off_cap: no back-off is longer, whatever Retry-After says.
    """

    click_interval: float = 1.0
    mean: float = 2.0
    spread: float = 0.6
    back_off: float = 10.0
    back_off_cap: float = 3600.0

    def least(self, crawl_delay: float | None = None) -> float:
        """The shortest delay that may be drawn."""
        return max(self.click_interval, crawl_delay or 0.0)

    def sample(self, rng: random.Random, mean: float | None = None, crawl_delay: float | None = None) -> float:
        """A random delay of the given mean, longer than the click interval and than robots' Crawl-delay."""
        least = self.least(crawl_delay)
        above = (self.mean if mean is None else mean) - least
        if above <= 0:
            # The site or the click interval asks for more than the mean: keep a skewed tenth above it.
            above = 0.1 * least
        if not self.spread:
            return least + above
        return least + above * rng.lognormvariate(-self.spread * self.spread / 2, self.spread)


class Delays:
    """The delays of a worker's slots: the policy, what robots.txt of each host asks for, and the pace that it bears.

    Args:
        policy: the rules.
        rng: for the delays that are drawn.
    """

    def __init__(self, policy: DelayPolicy, rng: random.Random) -> None:
        self.policy, self._rng = policy, rng
        self._crawl_delays: dict[str, float] = {}
        self._gaps: dict[str, float] = {}

    def learn(self, host: str, crawl_delay: float) -> None:
        """The host's robots.txt asks for so many seconds; more than a day is taken as a day."""
        self._crawl_delays[host] = min(crawl_delay, MOST_CRAWL_DELAY_S)

    def bear(self, host: str, gap: float) -> None:
        """The host has shown that it bears a page every so many seconds; 0: it has shown nothing."""
        if gap:
            self._gaps[host] = gap
        else:
            self._gaps.pop(host, None)

    def least(self, host: str) -> float:
        """The shortest delay that the host's slot may have, in seconds."""
        return self.policy.least(self._asked(host))

    def sample(self, host: str, mean: float | None = None) -> float:
        """A delay of the host's slot, in seconds; ``mean`` is what a job asks for."""
        return self.policy.sample(self._rng, mean, self._asked(host))

    def usual(self, host: str, mean: float | None = None) -> float:
        """About how long the host's slot rests between two pages, in seconds."""
        return max(self.policy.mean if mean is None else mean, self.least(host))

    def _asked(self, host: str) -> float:
        return max(self._crawl_delays.get(host, 0.0), self._gaps.get(host, 0.0))


class Times(NamedTuple):
    """When a page was planned, started, first answered and ended, in seconds of one clock."""

    planned: float
    started: float
    heard: float
    ended: float


class Schedule:
    """When each slot of one worker may start its next page: its delay after the last start, never before the last end.

    The delay counts from the planned start. So a start that was a little late (a busy event loop) does not shift all
    later ones. The site saw the request somewhere between its start and the first byte of the answer; the shortest
    delay counts from that byte. When this puts a slot behind its plan, the slot catches up, by a second in all: however
    late pages start, the site sees n delays take n times the delay less a second at least. It does not when the site
    itself was slow, because shorter delays would press it.
    """

    def __init__(self) -> None:
        self._behind: dict[int, tuple[float, float]] = {}

    def next_start(self, slot: int, page: Times, delay: float, least: float) -> float:
        """When the slot may start again, in seconds of the page's clock.

        Args:
            slot: its number.
            page: when its last page was fetched.
            delay: drawn for that page, in seconds.
            least: shortest delay, from the first byte of the answer on.
        """
        said_at, behind = self._behind.pop(slot, (0.0, 0.0))
        if page.planned > said_at + _AT_ONCE_S:
            behind = 0.0  # nothing was queued meanwhile: there is nothing to catch up with
        due_at = max(page.planned - behind, page.heard - _MOST_BEHIND_S) + delay
        at = max(due_at, page.heard + least, page.ended)
        own = max(0.0, page.started - page.planned) + min(page.heard - page.started, least)
        behind = min(at - due_at, behind + own, _MOST_BEHIND_S)
        if behind > 0:
            self._behind[slot] = at, behind
            if len(self._behind) > _MOST_SLOTS:
                del self._behind[next(iter(self._behind))]
        return at
