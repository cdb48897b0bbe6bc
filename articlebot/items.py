"""What spiders yield and pipelines pass on.

``Article`` is what the world sees: its fields are those of
``docs/reference/article.schema.json``, of ``scrapy export --json``,
of every sink and of Scrapy's feed exports. They are plain: text, numbers, lists and dicts of these. What the pipelines
have to know besides lies in ``runtime.beside``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import Field

# The number in an article's field ``schema``. Fields may be added under the same number; it rises where one goes or
# means something else.
SCHEMA = 1

Change = Literal["new", "updated", "unchanged"]

_Key = Field(pattern="^[0-9a-f]{16}$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A hyperlink as it stands on its page: absolute URL, anchor text and the text around it."""

    url: str
    text: str = ""
    context: str = ""
    region: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image of an article; ``width`` and ``height`` in pixels, None where the page does not say."""

    url: str
    caption: str = ""
    alt: str = ""
    credit: str = ""
    width: int | None = None
    height: int | None = None


@dataclass(slots=True, kw_only=True, eq=False, weakref_slot=True)
class Article:
    """One version of one article, or of a stored document.

    Two articles are equal only where they are the same object: by it, ``runtime.beside`` knows what belongs to one.
    """

    schema: Annotated[int, Field(description="Number of this schema")] = SCHEMA
    key: Annotated[str, Field(description="Idempotency key of the version: page_key-version-content_hash")] = ""
    url: Annotated[str, Field(description="Address that answered, after redirects")]
    title: Annotated[str, Field(description="Headline")]
    body: Annotated[str, Field(description="Text, a paragraph a line; empty for documents")] = field(repr=False)
    published_at: Annotated[
        str | None, Field(description="Publication, ISO 8601 in the zone the page states; UTC where it states none")
    ] = None
    author: Annotated[str | None, Field(description="The authors, separated by commas")] = None
    language: Annotated[str | None, Field(description="ISO 639-1")] = None
    cluster: Annotated[str | None, Field(description="Cluster of near-duplicates")] = None
    category: Annotated[str | None, Field(description="Class, null where the classifier abstained")] = None
    version: Annotated[int, Field(description="Version of the article, from 1")] = 0
    change: Annotated[
        Literal["new", "updated", "corrected", "withdrawn", "unchanged"],
        Field(description="What made this version; unchanged articles are not published"),
    ] = "new"
    canonical_url: Annotated[str, Field(description="Address by which the article is known")]
    page_key: Annotated[str, _Key, Field(description="64-bit hash of canonical_url, 16 hex digits")]
    content_hash: Annotated[str, Field(description="64-bit hash of title and text, 16 hex digits")] = ""
    job: Annotated[str, Field(description="Name of the job")]
    site: Annotated[str, Field(description="Registered domain")]
    kind: Annotated[Literal["article", "document", "video"], Field(description="What the page is")] = "article"
    summary: Annotated[str, Field(description="Stated by the page, or its best sentences")] = ""
    keywords: Annotated[tuple[str, ...], Field(description="Stated by the page, or found in the text")] = ()
    authors: Annotated[tuple[str, ...], Field(description="Names, as the page has them")] = ()
    source: Annotated[str | None, Field(description="Where the page says that the article comes from")] = None
    images: Annotated[
        tuple[dict[str, str | int | None], ...],
        Field(description="Images of the article: url, caption, alt, credit, and width and height in pixels"),
    ] = ()
    lead_image: Annotated[str | None, Field(description="Address of the picture that stands for the article")] = None
    media: Annotated[
        tuple[str, ...], Field(description="Addresses of video: files and manifests, players where there are none")
    ] = ()
    cluster_role: Annotated[
        Literal["single", "representative", "member"], Field(description="Its place in the cluster")
    ] = "single"
    categories: Annotated[dict[str, float], Field(description="Scores of the classes, likeliest first")] = field(
        default_factory=dict
    )
    relevance: Annotated[float | None, Field(description="Likeness to the job's topic, null without one")] = None
    published_at_epoch: Annotated[float | None, Field(description="Publication, epoch seconds")] = None
    modified_at: Annotated[float | None, Field(description="Last edit that the page states, epoch seconds")] = None
    fetched_at: Annotated[float, Field(description="When the page came, epoch seconds")]
    archived_at: Annotated[float | None, Field(description="When this version was archived, epoch seconds")] = None
    first_archived_at: Annotated[float | None, Field(description="When its first version was, epoch seconds")] = None
    withdrawn_at: Annotated[
        float | None, Field(description="When the site had taken it back, epoch seconds; null where it is there")
    ] = None
    parent_url: Annotated[str | None, Field(description="Page on which its link stood")] = None
    anchor: Annotated[str, Field(description="Text of that link")] = ""
    extractor: Annotated[str, Field(description="Rule that found the text")] = ""
    confidence: Annotated[float, Field(description="Estimate of the text's F1, 0 to 1")] = 0.0
    usage: Annotated[
        dict[str, str], Field(description="What the site asks of those who use it: each signal with where it stands")
    ] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("page_key", "published_at"):
            if isinstance(getattr(self, name), int | float):
                raise TypeError(f"Article.{name}: expected text, as docs/reference/article.schema.json has it")
        if self.author is None and self.authors:
            self.author = ", ".join(self.authors)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class Withdrawal:
    """An archived article that its site has taken back: its page answers 404 or 410, or has become empty.

    Attributes:
        page_key: 16 hex digits.
        at: epoch seconds.
    """

    url: str
    page_key: str
    job: str
    at: float
    reason: str
