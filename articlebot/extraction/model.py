"""What an extraction yields."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from typing import Literal

from articlebot.items import Image

DATE_IN_FUTURE = "date_in_future"
Kind = Literal["article", "list", "topic", "video", "ad", "wall", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """The article on a page, with the rule that gave each field and how sure it is.

    Attributes:
        body: paragraphs joined by line breaks, without the headline; empty where none was found.
        html: the body as clean HTML (paragraphs, headings, lists, tables, quotes, code, images, links).
        published: ISO 8601 with the zone the page states; without one the day or local time alone; None: unknown.
        published_at, modified_at: epoch seconds; a time without a zone is in the site's (``dates.zone_of``), a day
            without time counts as its start in UTC.
        language: ISO 639-1, None: too little text to tell.
        source: where the article says it comes from (来源), "" where it says nothing.
        lead_image: address of the picture that stands for the article, "" where there is none.
        media: addresses of video or audio of the article.
        comments: what readers say on the page, a text for each block; none where a wrapper gave the body.
        next_pages: addresses of the article's further pages, in order.
        kind: page kind, None where nobody has decided.
        origin: field to the name of the rule that gave it, such as ``title: "jsonld"``.
        confidence: field to 0..1; ``confidence["body"]`` is an estimate of the body's F1.
        cut: what was taken out of the body's region, (rule, text) in page order; filled when asked for.
        refused: why there is no article (``empty``, ``not_html``, ``unsure`` ...), None where there is one.
        notes: what was odd about the page, such as ``date_in_future``: it states a date after its fetching, refused.
    """

    title: str = ""
    body: str = ""
    html: str = ""
    authors: tuple[str, ...] = ()
    published: str | None = None
    published_at: float | None = None
    modified_at: float | None = None
    language: str | None = None
    images: tuple[Image, ...] = ()
    lead_image: str = ""
    keywords: tuple[str, ...] = ()
    source: str = ""
    canonical_url: str = ""
    media: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()
    next_pages: tuple[str, ...] = ()
    kind: Kind | None = None
    origin: dict[str, str] = field(default_factory=dict)
    confidence: dict[str, float] = field(default_factory=dict)
    cut: tuple[tuple[str, str], ...] = ()
    refused: str | None = None
    notes: tuple[str, ...] = ()


def dated(extracted: Extracted) -> str | None:
    """The date with a zone: a time that the page states without one gets the zone in which it was read."""
    if extracted.published is None or "T" not in extracted.published or extracted.published_at is None:
        return extracted.published
    at = datetime.fromisoformat(extracted.published)
    if at.tzinfo is None:
        ahead = at.replace(tzinfo=UTC).timestamp() - extracted.published_at
        at = at.replace(tzinfo=timezone(timedelta(minutes=round(ahead / 60))))
    return at.isoformat()
