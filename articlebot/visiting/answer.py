"""What a callback of the article spider works on: the answer, the job it is for and the page's record."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from scrapy import Request
from scrapy.http import Response

from articlebot.jobs import Job
from articlebot.jobs.visit import Visit
from articlebot.manners.signals import HEADERS
from articlebot.page import header, known_page
from articlebot.recrawl import Observation, PageRecord, Validators
from articlebot.recrawl.observation import Outcome
from articlebot.runtime.fetched import Fetched
from articlebot.times import http_time
from articlebot.urls import canonical_url

NO_VALIDATORS = Validators()


@dataclass(frozen=True, slots=True)
class Answer:
    """One visit and what it brought.

    Attributes:
        record: what is stored of the page; its state has no fetches where nothing is stored yet.
        fetched: the page; without a body where the visit brought none.
        status: of HTTP, 0 where there was no answer.
        validators: what this answer offers for the next conditional request.
        modified_at: Last-Modified in epoch seconds, None where it says nothing.
        led: whether redirects led here that are for good (301, 308).
    """

    visit: Visit
    job: Job
    record: PageRecord
    fetched: Fetched
    status: int = 0
    validators: Validators = NO_VALIDATORS
    modified_at: float | None = None
    led: bool = False

    def observation(self, outcome: Outcome, **seen: Any) -> Observation:
        """What the recrawl is told of this visit."""
        return Observation(at=self.fetched.at, outcome=outcome, kind=self.record.state.kind, **seen)


def asked_for(visited: Request | Response) -> str:
    """The canonical address that was asked for, before redirects.

    Raises:
        RefusedError: it is none.
    """
    return canonical_url(visited.meta.get("redirect_urls", [visited.url])[0])


def fetched_of(response: Response, at: float, zone: tzinfo | None = None) -> Fetched:
    """The parts of a response that are read.

    Args:
        at: when it came, epoch seconds.
        zone: see ``Fetched``.

    Raises:
        RefusedError: it was redirected to an address that is none.
    """
    names = [name for name in (*HEADERS, "link") if name in response.headers]
    headers = {name: [value.decode("latin-1") for value in response.headers.getlist(name)] for name in names}
    content_type = header(response, "Content-Type") or None
    return Fetched(canonical_url(response.url), response.body, content_type, at, zone, headers, known_page(response))


def modified_at(response: Response, validators: Validators) -> float | None:
    """Last-Modified in epoch seconds; None where it is absent, no date, or the time of the answer itself."""
    stated, served = http_time(validators.last_modified), http_time(response.headers.get("Date"))
    return stated if stated is not None and served is not None and stated < served - 2 else None
