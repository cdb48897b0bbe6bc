"""What of an article is kept, and how it comes out again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from articlebot import text
from articlebot.items import SCHEMA, Article
from articlebot.times import is_finer, iso
from articlebot.urls import page_key

# Fields that may differ between two versions of an article, beside its text.
FIELDS = (
    "url", "canonical_url", "job", "site", "kind", "title", "authors", "published", "published_at", "modified_at",
    "language", "source", "images", "lead_image", "keywords", "summary", "media", "parent_url", "anchor", "extractor",
    "confidence", "category", "categories", "relevance", "cluster", "cluster_role", "usage",
)  # fmt: skip

_EXPORTED = tuple(Article.__dataclass_fields__)
# Columns whose name the published schema gives to something else.
_PUBLISHED_AS = {"published": "published_at", "published_at": "published_at_epoch"}

# PostgreSQL takes neither in a text; SQLite no surrogates.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What is archived of a version beside its published fields.

    Attributes:
        html: the text as clean HTML.
        raw: the page as it was fetched; empty: not kept.
        raw_type: its Content-Type, None where it had none.
        sinks: those that its job names; empty: all.
        fingerprint: SimHash, 0 for none; ``fingerprint_version`` -1 marks a hash of bytes.
        distance: of the fingerprint to the visit's before, None where there was none.
        by_hand: ``authors`` and ``published`` where a selector of the job has read them: these make a version also
            where the text is the same.
    """

    html: str = ""
    raw: bytes = b""
    raw_type: str | None = None
    sinks: tuple[str, ...] = ()
    fingerprint: int = 0
    fingerprint_version: int = 0
    distance: int | None = None
    by_hand: frozenset[str] = frozenset()


def signed(key: int) -> int:
    """A 64-bit key as SQL's signed integer."""
    return key - (1 << 64) if key >= 1 << 63 else key


def unsigned(value: int) -> int:
    """The 64-bit key of a signed integer."""
    return value + (1 << 64) if value < 0 else value


def content_hash(article: Article) -> int:
    """The signed hash under which a version is known: the pipeline's, else that of the body."""
    return signed(int(article.content_hash or "0", 16) or text.content_hash(article.body))


def digest(body: str) -> bytes:
    """16 bytes that stand for exactly this text."""
    return blake2b(body.encode(), digest_size=16).digest()


def clean(value: Any) -> Any:
    """The value with what no database takes in a text (NUL, lone surrogates) replaced; tuples become lists."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value) if _UNSTORABLE.search(value) else value
    if isinstance(value, Mapping):
        return {clean(str(name)): clean(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    return value


def fields(article: Article) -> dict[str, Any]:
    """The article's fields as columns."""
    row = {name: clean(getattr(article, _PUBLISHED_AS.get(name, name))) for name in FIELDS}
    # Scores may come as NumPy's, which no driver takes.
    row["categories"] = {name: float(score) for name, score in row["categories"].items()}
    row["confidence"] = float(article.confidence)
    row["relevance"] = None if article.relevance is None else float(article.relevance)
    return row


def stated_anew(article: Article, before: Mapping[str, Any], kept: Kept) -> dict[str, Any]:
    """What an article of the same text may change of its row: what a person's selectors read, and a new address."""
    names = {column for name in kept.by_hand for column in (name, f"{name}_at")}
    known = before["canonical_url"]
    if known != article.canonical_url and page_key(known) != page_key(article.canonical_url):
        names |= {"url", "canonical_url"}
    return {name: value for name, value in fields(article).items() if name in names} if names else {}


def led_to(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """What only the page that led to an article told, as a feed does, and what a visit that no link led to cannot know.

    That is the day, or its time, and where the link stood.
    """
    names = [name for name in ("parent_url", "anchor") if not after[name]]
    written, at = before["published"] or iso(before["published_at"]), after["published_at"]
    if at is None or is_finer(written, before["published_at"], at, after["published"]):
        names += ["published", "published_at"]
    return {name: before[name] for name in names}


def older(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any] | None:
    """The fields of ``before`` that ``after`` has otherwise; None where there are none."""
    return {name: before[name] for name in FIELDS if before[name] != after[name]} or None


def event_key(page_key: int, version: int, content_hash: int) -> str:
    """The idempotency key of a version, from signed or unsigned hashes."""
    return f"{unsigned(page_key):016x}-{version}-{unsigned(content_hash):016x}"


def exported(row: Mapping[str, Any], body: str) -> dict[str, Any]:
    """A row as ``scrapy export --json`` prints it and sinks receive it: the fields of ``items.Article``."""
    values = {
        **row,
        "schema": SCHEMA,
        "key": event_key(row["page_key"], row["version"], row["content_hash"]),
        "body": body,
        "published_at": row["published"] or iso(row["published_at"]),
        "published_at_epoch": row["published_at"],
        "author": ", ".join(row["authors"]) or None,
        "change": row["event"],
        "page_key": f"{unsigned(row['page_key']):016x}",
        "content_hash": f"{unsigned(row['content_hash']):016x}",
        "usage": row["usage"] or {},
    }
    return {name: values[name] for name in _EXPORTED}
