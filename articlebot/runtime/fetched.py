"""What came back for a visit, and the article that is made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from functools import cache, cached_property, partial
from hashlib import blake2b
from posixpath import basename
from urllib.parse import unquote, urlsplit

from articlebot.extraction.fields.date_reader import Stamp
from articlebot.extraction.fields.date_words import tells_of_change
from articlebot.extraction.fields.dates import CHANGED, read_beside, shown_beside
from articlebot.extraction.fields.identity import identity
from articlebot.extraction.model import Extracted, dated
from articlebot.items import Article
from articlebot.jobs import Job
from articlebot.jobs.visit import Visit
from articlebot.page import Page, following
from articlebot.text import language
from articlebot.times import day_alone, is_finer, iso
from articlebot.urls import page_key, site

# Confidence in a date below which it stands nowhere that dates are stated or shown.
_GUESSED, _DAY_CHARS = 0.7, len("2026-11-29")
_MOST_BESIDE = 60  # characters of an entry beside its link: a time, a name, "edited"


@dataclass(frozen=True)
class Fetched:
    """What came back for a visit.

    Attributes:
        url: canonical address that answered, after redirects.
        at: when the answer was complete, epoch seconds.
        zone: of the times that the page states without one, None where its job names none.
        headers: those of ``manners.signals.HEADERS`` and ``link`` that came, with all their values.
        known: the page, where somebody has had it parsed before.
    """

    url: str
    body: bytes
    content_type: str | None
    at: float
    zone: tzinfo | None = None
    headers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    known: Page | None = None

    @cached_property
    def page(self) -> Page:
        """The page, decoded and parsed once for all who read it."""
        if self.known is None:
            page = Page.parse(self.body, self.url, self.content_type, self.at, self.zone)
            page.following = following(self.headers.get("link", ()))
            return page
        self.known.url, self.known.fetched_at, self.known.zone = self.url, self.at, self.zone
        return self.known


def is_doubtful(extracted: Extracted) -> bool:
    """Whether a page tells no day, when it was changed alone, or one that a sentence of its text may only seem to tell.

    Few of these have a time of day.
    """
    guessed = extracted.confidence.get("published", 1.0) < _GUESSED and len(extracted.published or "") <= _DAY_CHARS
    return guessed or extracted.published_at is None or _is_of_change(extracted)


def _is_of_change(extracted: Extracted) -> bool:
    return extracted.published_at is not None and extracted.origin.get("published") == CHANGED


def _goes_before(published: str, extracted: Extracted) -> bool:
    """Whether a day that is told elsewhere goes before a doubtful one of the page: of a change an earlier one does."""
    day, own = published[:_DAY_CHARS], (extracted.published or "")[:_DAY_CHARS]
    return day < own if _is_of_change(extracted) else day != own


def _as_beside(extracted: Extracted, visit: Visit, beside: Callable[[], Stamp | None]) -> Extracted:
    """With the time that stands beside a page's link, where the page states the same day alone."""
    day, said = day_alone(extracted.published), visit.context.replace(visit.anchor, " ", 1)
    if day is None or tells_of_change(shown_beside(said).strip()):
        return extracted
    stamp = beside()
    if stamp is None or day_alone(stamp.iso) is not None:  # a day's beginning says no more
        return extracted
    days = {stamp.day}
    if extracted.origin.get("published") == "url":  # it is made of the day in UTC at times
        days.add(datetime.fromtimestamp(stamp.epoch, UTC).date().isoformat())
    return replace(extracted, published=stamp.iso, published_at=stamp.epoch) if day in days else extracted


def article_of(extracted: Extracted, fetched: Fetched, job: Job, visit: Visit) -> Article:
    """The article, as it is published, of what was extracted from a page and what is known of it from elsewhere."""
    canonical = identity(fetched.url, extracted.canonical_url)
    doubtful = is_doubtful(extracted)
    # What stands around a link in a list without entries is other links' too: too little to doubt a page's time.
    near = not _is_of_change(extracted) or len(shown_beside(visit.context)) - len(visit.anchor) <= _MOST_BESIDE
    beside = cache(partial(read_beside, visit.context, visit.anchor, fetched.page, extracted.language))
    is_asked = doubtful and near and visit.published_at is None
    if is_asked and (stamp := beside()) is not None and _goes_before(stamp.iso, extracted):
        extracted = replace(extracted, published=stamp.iso, published_at=stamp.epoch)
    listed = iso(visit.published_at, fetched.zone or job.zone)
    told = doubtful and listed is not None and _goes_before(listed, extracted)
    published_at = extracted.published_at
    if told or published_at is None or is_finer(listed, visit.published_at, published_at, extracted.published):
        published_at, published = visit.published_at, listed
    else:
        extracted = _as_beside(extracted, visit, beside)
        published_at, published = extracted.published_at, dated(extracted)
    return Article(
        url=fetched.url, canonical_url=canonical, page_key=f"{page_key(canonical):016x}", job=job.name,
        site=site(canonical), title=extracted.title or visit.title or visit.anchor, body=extracted.body,
        kind="video" if extracted.kind == "video" else "article", fetched_at=fetched.at, authors=extracted.authors,
        published_at=published, published_at_epoch=published_at, modified_at=extracted.modified_at,
        language=job.language or extracted.language or language(extracted.body), source=extracted.source or None,
        images=tuple(asdict(image) for image in extracted.images), lead_image=extracted.lead_image or None,
        keywords=extracted.keywords,
        parent_url=visit.parent_url, anchor=visit.anchor,
        extractor=extracted.origin.get("body", ""), confidence=extracted.confidence.get("body", 0.0),
        media=extracted.media, category=job.category,
    )  # fmt: skip


def document(fetched: Fetched, job: Job, visit: Visit) -> Article:
    """A PDF, image or other file: kept as it is, without text or links; a list says its day beside the link."""
    name = unquote(basename(urlsplit(fetched.url).path)) or fetched.url
    published, published_at = iso(visit.published_at), visit.published_at
    spoken = job.language or language(visit.context)
    if published_at is None and (beside := read_beside(visit.context, visit.anchor, fetched.page, spoken)) is not None:
        published, published_at = beside.iso, beside.epoch
    return Article(
        url=fetched.url, canonical_url=fetched.url, page_key=f"{page_key(fetched.url):016x}", job=job.name,
        site=site(fetched.url), title=visit.title or visit.anchor or name, body="", kind="document",
        fetched_at=fetched.at, published_at=published, published_at_epoch=published_at,
        parent_url=visit.parent_url, anchor=visit.anchor, extractor="document",
        category=job.category, content_hash=blake2b(fetched.body, digest_size=8).hexdigest(),
    )  # fmt: skip
