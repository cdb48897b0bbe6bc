"""Edits: versions beside those before them, of one article or of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Engine, select

from articlebot.archive import read, schema
from articlebot.archive.diff import Piece, changed_words, diff
from articlebot.archive.engine import reading
from articlebot.archive.read import Selection
from articlebot.archive.record import FIELDS
from articlebot.times import iso

# What a reader of a history cares for beside the text, and not how articlebot came to it.
_INNER = {
    *("anchor", "categories", "cluster", "cluster_role", "confidence", "extractor", "parent_url", "usage"),
    *("authors", "published"),  # told as author and published_at
}
_SHOWN = (*(name for name in FIELDS if name not in _INNER), "author")


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One version against the one before it.

    Attributes:
        row: the version's exported row.
        changed: by field, old and new value, where they differ; the body is not among them.
        pieces: the body's difference; empty for the first version and where the one before is not kept any more.
        added, removed: words.
    """

    row: dict[str, Any]
    changed: dict[str, tuple[Any, Any]]
    pieces: list[Piece]
    added: int = 0
    removed: int = 0

    @classmethod
    def between(cls, before: dict[str, Any] | None, after: dict[str, Any]) -> Edit:
        """The edit from one exported row to the next."""
        if before is None:
            return cls(row=after, changed={}, pieces=[])
        pieces = diff(before["body"], after["body"]) if before["body"] != after["body"] else []
        added, removed = changed_words(pieces)
        changed = {
            name: (before[name], after[name]) for name in _SHOWN if name in after and before[name] != after[name]
        }
        return cls(row=after, changed=changed, pieces=pieces, added=added, removed=removed)

    def to_dict(self) -> dict[str, Any]:
        """The edit for JSON: the row without its body, the changes and the pieces."""
        row = {name: value for name, value in self.row.items() if name != "body"}
        changed = {name: {"before": old, "after": new} for name, (old, new) in self.changed.items()}
        pieces = [{"op": piece.op, "text": piece.text} for piece in self.pieces]
        return {**row, "changed": changed, "added": self.added, "removed": self.removed, "diff": pieces}


def as_text(value: Any, name: str = "") -> str:
    """A field of an article for people: lists with commas, images by address, times in UTC, a dash for nothing."""
    if isinstance(value, list | tuple):
        value = ", ".join(str(one.get("url", one)) if isinstance(one, Mapping) else str(one) for one in value)
    if name.endswith("_at") and isinstance(value, float):
        value = iso(value)
    return "–" if value in (None, "", {}) else str(value)


def history(engine: Engine, page_key: int) -> list[Edit]:
    """Every version of a page against the one before, oldest first; empty where the page is unknown."""
    rows = list(read.every(engine, Selection(page_keys=[page_key])))
    return [Edit.between(before, after) for before, after in zip([None, *rows], rows, strict=False)]


def latest(engine: Engine, selection: Selection, limit: int) -> list[Edit]:
    """The newest edits (second and later versions) of the selected articles, newest first."""
    versions, articles = schema.versions.c, schema.articles.c
    before = schema.versions.alias("before")
    conditions = [*replace(selection, since=None).conditions(), versions.version > 1]
    if selection.since is not None:
        conditions.append(versions.archived_at >= selection.since)
    query = (
        select(versions.id, before.c.id.label("before"))
        .join_from(schema.versions, schema.articles, articles.id == versions.article_id)
        .outerjoin(before, (before.c.article_id == versions.article_id) & (before.c.version == versions.version - 1))
        .where(*conditions)
        .order_by(versions.id.desc())
        .limit(limit)
    )
    with reading(engine) as connection:
        pairs: Sequence[Any] = connection.execute(query).all()
        rows = read.by_version_id(connection, [number for pair in pairs for number in pair if number is not None])
    return [Edit.between(rows.get(pair.before), rows[pair.id]) for pair in pairs]
