"""What spiders yield and pipelines pass on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Change = Literal["new", "updated", "unchanged"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A hyperlink as it stands on its page: absolute URL, anchor text and the text around it."""

    url: str
    text: str = ""
    context: str = ""
    rel: str = ""
    region: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image inside an article."""

    url: str
    caption: str = ""
    alt: str = ""


@dataclass(slots=True, kw_only=True)
class Article:
    """One version of one article (or stored document) on its way to the archive.

    Times are epoch seconds. ``published`` keeps the date as ISO 8601 in the zone the page states, which
    the epoch value alone would lose. Fields below "set by pipelines" are empty when the spider yields.
    """

    url: str
    canonical_url: str
    page_key: int
    job: str
    site: str
    title: str
    body: str = field(repr=False)
    fetched_at: float
    html: str = field(default="", repr=False)
    kind: Literal["article", "document", "video"] = "article"
    authors: tuple[str, ...] = ()
    published_at: float | None = None
    published: str | None = None
    modified_at: float | None = None
    language: str | None = None
    source: str | None = None
    images: tuple[Image, ...] = ()
    keywords: tuple[str, ...] = ()
    summary: str = ""
    parent_url: str | None = None
    anchor: str = ""
    extractor: str = ""
    confidence: float = 0.0
    media: tuple[str, ...] = ()
    raw: bytes = field(default=b"", repr=False)
    raw_type: str | None = None
    sinks: tuple[str, ...] = ()
    # what the last visit saw, 0 where there was none; and what the recrawl is told once this version is archived
    previous_hash: int = 0
    previous_fingerprint: int = 0
    visit: Any = field(default=None, repr=False)
    # set by pipelines
    content_hash: int = 0
    fingerprint: int = 0
    fingerprint_version: int = 0
    change: Change = "new"
    distance: int | None = None
    cluster: str | None = None
    cluster_role: Literal["single", "representative", "member"] = "single"
    category: str | None = None
    categories: dict[str, float] = field(default_factory=dict)
    relevance: float | None = None
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """An archived article that its site has taken back: its page answers 404 or 410, or has become empty."""

    url: str
    page_key: int
    job: str
    at: float
    reason: str
    visit: Any = field(default=None, repr=False)


@dataclass(slots=True, kw_only=True)
class Video:
    """A play page with the media addresses found on it."""

    url: str
    page_key: int
    job: str
    site: str
    title: str
    media: tuple[str, ...]
    fetched_at: float
    description: str = ""
    thumbnail: str | None = None
    published_at: float | None = None
    duration_s: float | None = None
    parser: str = ""
