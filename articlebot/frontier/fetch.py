"""One request in hand: what a worker knows of it from hand-out to acknowledgement."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scrapy import Request
from scrapy.http import Response

from articlebot.frontier.delays import Times
from articlebot.frontier.leases import Leased, Settlement
from articlebot.frontier.pace import TOO_SOON, is_too_soon
from articlebot.times import parse_retry_after


@dataclass(slots=True, eq=False)
class Fetch:
    """A request and its download; times in the event loop's clock.

    Attributes:
        host: of its slot.
        server: slot of the server that answers for the host, where politeness counts by address.
        leased: the frontier's lease; None for a guest, such as robots.txt or a request that could not be stored.
        planned_at: when it was to start.
        started_at, heard_at, ended_at: when the downloader took it, got the first byte of an answer, and was done.
        status, size: of the answer; None and 0 without one.
        retry_after: seconds that the answer asks for.
        in_turn: it has its turn in its slot: this worker downloads nothing else there.
        is_guest: its slot was taken for it, or it shares the lease of a page of the same host.
        released: its slot no longer belongs to it.
        lost: its lease went to another worker.
        failure: why it could not be finished.
        postponed_s: it goes back to the queue, and its slot rests for so many seconds.
        goes_behind: it goes back behind others, see ``Settlement``.
        found: how many requests the worker had found when this one was handed out.
        timeout: what ``download_timeout`` was before it was limited; NaN where it was not.
    """

    host: str
    leased: Leased | None = None
    planned_at: float = 0.0
    started_at: float | None = None
    heard_at: float | None = None
    ended_at: float | None = None
    status: int | None = None
    size: int = 0
    retry_after: float | None = None
    server: str | None = None
    in_turn: bool = False
    is_guest: bool = False
    released: bool = False
    lost: bool = False
    failure: str | None = None
    postponed_s: float | None = None
    goes_behind: str | None = None
    found: int = 0
    timeout: float | None = math.nan

    def limit(self, request: Request, seconds: float, usual: float) -> None:
        """Lets the download last so long at most; ``usual`` is its timeout where it has none of its own."""
        wanted = request.meta.get("download_timeout")
        if seconds < float(wanted or usual):
            self.timeout = wanted
            request.meta["download_timeout"] = max(seconds, 0.1)

    def lift_limit(self, request: Request) -> None:
        """Gives the request its own timeout back."""
        if self.timeout is None:
            request.meta.pop("download_timeout", None)
        elif not math.isnan(self.timeout):
            request.meta["download_timeout"] = self.timeout
        self.timeout = math.nan

    def hear(self, response: Response, now: float) -> None:
        """What an answer says, at an epoch time."""
        self.status, self.size = response.status, len(response.body)
        self.retry_after = parse_retry_after(response.headers.get("Retry-After"), now)

    def goes_back(self, status: int, patience: int) -> bool:
        """Whether a page that was refused with 429 or 503 is asked for again when its slot has rested.

        Args:
            patience: how often it may meet a 503 while its host answers others.
        """
        if self.leased is None or self.lost:
            return False
        if is_too_soon(self.leased.pace, status, self.leased.tries, patience):
            self.goes_behind = f"1 {TOO_SOON}{status}"
        return self.goes_behind is not None

    @property
    def is_heard(self) -> bool:
        """Whether anything of an answer came."""
        return self.heard_at is not None or self.status is not None

    def times(self, now: float) -> Times:
        """When it was planned, started, heard and ended; now, where it has not."""
        started_at = now if self.started_at is None else self.started_at
        return Times(self.planned_at, started_at, now if self.heard_at is None else self.heard_at, now)

    def last_word(self, member: bytes, now: float) -> tuple[str, Settlement, float]:
        """A word for the statistics, what the frontier is told when all is done, and from when its slot is free."""
        if self.postponed_s is not None:
            return "postponed", Settlement("back", member), now + self.postponed_s
        if self.goes_behind is not None:
            return "", Settlement("behind", member, text=self.goes_behind), 0.0
        if self.failure is not None:
            return "failed", Settlement("fail", member, text=self.failure), 0.0
        return "acknowledged", Settlement("ack", member), 0.0
