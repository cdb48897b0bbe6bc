"""How long a slot rests after a download: by its delay, by what it bears, and by what the answer asks for."""

from __future__ import annotations

import re
from collections.abc import Callable

from scrapy import Request

from articlebot.frontier.delays import Delays, Schedule
from articlebot.frontier.fetch import Fetch
from articlebot.frontier.leases import Leased
from articlebot.frontier.pace import Pace, Paces
from articlebot.frontier.requests import of_articlebot

# What servers have as files, and do not ration as they do pages.
_FILES = re.compile(r"/robots\.txt\Z|\Ahttps?://[^/]+/\.well-known/")
# Longest rest of a page after the robots.txt of its host.
_LONGEST_REST_S = 16.0


class SlotRests:
    """The rests of the slots that a worker downloads from.

    Args:
        delays: of the slots.
        count: counts an event, for the statistics.
    """

    def __init__(self, delays: Delays, count: Callable[[str, int], None]) -> None:
        self._delays, self._count = delays, count
        self._schedule, self._paces = Schedule(), Paces(delays)
        # The longest gap that this run learned; its stat grows by the difference, as counts do.
        self._longest_gap = 0.0

    def told(self, leased: Leased) -> None:
        """What Redis keeps of the slot of a lease."""
        self._paces.told(leased.host, leased.pace)

    def after(self, request: Request, fetch: Fetch) -> float:
        """Seconds until this worker's next download there; what a guest met counts."""
        delay = self._delays.sample(fetch.host)
        if not fetch.is_guest or fetch.started_at is None:
            return delay
        rationed = _FILES.search(request.url) is None
        met = self._paces.of_guest(fetch.host, fetch.started_at, fetch.status, fetch.retry_after, rationed=rationed)
        # The page that a robots.txt is fetched for waits in hand: for no Crawl-delay of hours. It holds from it on.
        return max(delay if rationed else min(delay, _LONGEST_REST_S), met.back_off)

    def until(self, request: Request, fetch: Fetch, leased: Leased, now: float) -> tuple[float, Pace]:
        """When the slot of a leased page is free again, in the event loop's time, and its pace from then on."""
        assert fetch.started_at is not None
        stated = of_articlebot(request).get("delay")
        mean = stated if isinstance(stated, int | float) else None
        pace = self._paces.of_leased(
            leased.host, leased.pace, fetch.started_at, status=fetch.status, retry_after=fetch.retry_after, mean=mean
        )
        delay, least = self._delays.sample(leased.host, mean), self._delays.least(leased.host)
        free_at = self._schedule.next_start(leased.slot, fetch.times(now), delay, least)
        if pace.back_off > 0:
            free_at = max(free_at, now + pace.back_off)
            self._count("backed_off", 1)
        if pace.gap > max(leased.pace.gap, self._longest_gap):
            self._count("learned_gap_ms", round(1000 * (pace.gap - self._longest_gap)))
            self._longest_gap = pace.gap
        return free_at, pace
