"""What a callback of the article spider works on: the answer, the job it is for and the page's record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from email.utils import parsedate_to_datetime
from typing import Any

from scrapy.http import Response

from articlebot.errors import RefusedError
from articlebot.extraction.parts import Gathered
from articlebot.items import Article
from articlebot.jobs import Job
from articlebot.jobs.visit import Visit
from articlebot.page.sitemaps import SitemapEntry
from articlebot.recrawl import Observation, PageRecord, Validators
from articlebot.recrawl.observation import Outcome
from articlebot.runtime.reader import Fetched
from articlebot.urls import canonical_url

_LATER = frozenset({"body", "images"})


@dataclass(frozen=True, slots=True)
class Answer:
    """One answered request.

    Attributes:
        record: what is stored of the page; its state has no fetches where nothing is stored yet.
        validators: what this answer offers for the next conditional request.
        modified_at: Last-Modified in epoch seconds, None where it says nothing.
    """

    visit: Visit
    job: Job
    record: PageRecord
    fetched: Fetched
    validators: Validators
    modified_at: float | None = None

    def observation(self, outcome: Outcome, **seen: Any) -> Observation:
        """What the recrawl is told of this visit."""
        return Observation(at=self.fetched.at, outcome=outcome, kind=self.record.state.kind, **seen)


def fetched_of(response: Response, at: float) -> Fetched:
    """The parts of a response that are read.

    Raises:
        RefusedError: it was redirected to an address that is none.
    """
    return Fetched(canonical_url(response.url), response.body, _header(response, "Content-Type"), at)


def validators_of(response: Response) -> Validators:
    """ETag, Last-Modified and length of an answer."""
    length = _header(response, "Content-Length") or ""
    return Validators(
        _header(response, "ETag"), _header(response, "Last-Modified"), int(length) if length.isdecimal() else None
    )


def modified_at(response: Response, validators: Validators) -> float | None:
    """Last-Modified in epoch seconds; None where it is absent, no date, or the time of the answer itself."""
    if not validators.last_modified:
        return None
    try:
        stated = parsedate_to_datetime(validators.last_modified).timestamp()
        served = parsedate_to_datetime(_header(response, "Date") or "").timestamp()
    except (ValueError, TypeError, IndexError):
        return None
    return stated if stated < served - 2 else None


def canonical_urls(entries: Iterable[SitemapEntry]) -> Iterator[str]:
    """The addresses of entries that have one."""
    for entry in entries:
        try:
            yield canonical_url(entry.url)
        except RefusedError:
            continue


def stored_article(article: Article) -> dict[str, Any]:
    """The fields of an article that wait in Redis until its last page is there."""
    return {name: value for name, value in asdict(article).items() if name not in _LATER}


def gathered_article(gathered: Gathered) -> Article:
    """The whole article of several pages."""
    kept = {f.name for f in fields(Article)} - _LATER
    first = {name: value for name, value in gathered.first.items() if name in kept}
    for name in ("authors", "keywords", "media"):
        first[name] = tuple(first[name])
    whole = gathered.whole
    return Article(**first, body=whole.body, images=whole.images)


def _header(response: Response, name: str) -> str | None:
    value = response.headers.get(name)
    return value.decode("latin-1").strip() or None if value else None
