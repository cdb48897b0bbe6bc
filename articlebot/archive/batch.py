"""One transaction's worth of publishing: what is new against what stands in the archive."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Table, bindparam, delete, insert, select, update

from articlebot.archive import record, schema
from articlebot.archive.clusters import promote
from articlebot.archive.diff import edit_share
from articlebot.archive.engine import chunks
from articlebot.archive.ids import Ids, letter
from articlebot.archive.index import Document, index_of
from articlebot.archive.raw import RawPage
from articlebot.archive.record import Kept
from articlebot.items import Article, Withdrawal

Event = Literal["new", "updated", "corrected", "withdrawn"]
Route = Callable[[Mapping[str, Any]], Iterable[str]]
# What was fetched so much before the newest version was left behind by a clock that ran ahead; less: it was overtaken.
_OVERTAKEN_S = 600.0
# Share of the words, one in a sentence of twenty, below which an edit is "corrected", which only names it; and above
# which, under another headline, another article stands at the address.
_CORRECTED, _ANOTHER = 0.05, 0.5
_NOTHING = Kept()


@dataclass(frozen=True, slots=True)
class Published:
    """What became of one article; its page key and content hash are unsigned.

    Attributes:
        already: the archive's newest version was this one, or retention has removed it; nothing was written.
        archived_at, first_archived_at: epoch seconds; 0 where the archive has no such page.
        published, published_at: its day.
        removed: retention has removed the article, and it stays removed.
    """

    page_key: int
    version: int
    event: Event
    already: bool
    version_id: int
    content_hash: int = 0
    archived_at: float = 0.0
    first_archived_at: float = 0.0
    removed: bool = False
    published: str | None = None
    published_at: float | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any], *, already: bool) -> Published:
        """What became of the article of this row."""
        return cls(
            record.unsigned(row["page_key"]), row["version"], row["event"], already, row["version_id"],
            record.unsigned(row["content_hash"]), row["archived_at"], row["first_archived_at"],
            published=row["published"], published_at=row["published_at"],
        )  # fmt: skip

    @property
    def key(self) -> str:
        """The version's idempotency key."""
        return record.event_key(self.page_key, self.version, self.content_hash)


def _is_overtaken(article: Article, newest: Mapping[str, Any]) -> bool:
    """Whether another worker has meanwhile published what it fetched later: the page is not what it was again."""
    return 0.0 < float(newest["fetched_at"]) - article.fetched_at <= _OVERTAKEN_S


def _is_news(article: Article, content_hash: int, removed: Mapping[str, Any]) -> bool:
    """Whether a page holds something else than what retention removed, and says that it is of a later time.

    Without a date of its own another text is no news: an old page whose frame is read otherwise would come back.
    """
    if content_hash == removed["content_hash"]:
        return False
    return max(article.published_at_epoch or 0.0, article.modified_at or 0.0) > float(removed["removed_at"])


class Batch:
    """Collects rows against the archive's state, inside ``engine.writing``, and writes them together.

    The other arguments are those of ``Archive``.
    """

    def __init__(self, connection: Connection, now: float, route: Route, *, keep_html: bool) -> None:
        self._connection, self._now, self._route, self._keep_html = connection, now, route, keep_html
        self._articles: dict[int, dict[str, Any]] = {}  # by signed page key
        self._removed: dict[int, dict[str, Any]] = {}
        self._met: set[int] = set()
        self._fresh: set[int] = set()
        self._changed: set[int] = set()
        self._text_ids: dict[bytes, int] = {}
        self._bodies: dict[int, str] = {}
        self._texts: list[dict[str, Any]] = []
        self._versions: dict[int, dict[str, Any]] = {}
        self._older: list[dict[str, Any]] = []
        self._outbox: list[dict[str, Any]] = []
        self._documents: list[Document] = []
        self._ids = Ids(connection)
        self.raw: list[tuple[int, RawPage]] = []  # pages of the new versions, by version id

    def load(self, keys: Iterable[int]) -> None:
        """Reads the newest state of the pages with these signed keys."""
        for part in chunks(dict.fromkeys(keys)):
            self._load(schema.articles.c.page_key.in_(part))
            unknown = [key for key in part if key not in self._articles]
            query = select(schema.removed).where(schema.removed.c.page_key.in_(unknown))
            self._removed.update((row["page_key"], dict(row)) for row in self._connection.execute(query).mappings())

    def load_urls(self, urls: Iterable[str]) -> None:
        """Reads the newest state of the articles with these addresses."""
        for part in chunks(dict.fromkeys(urls)):
            self._load(schema.articles.c.url.in_(part))

    def publish(
        self, items: Sequence[Article | Withdrawal], kept: Mapping[Article | Withdrawal, Kept]
    ) -> list[Published]:
        """Takes articles and withdrawals in order; what changes nothing is answered with ``already``."""
        bodies = {id(item): record.clean(item.body) for item in items if isinstance(item, Article)}
        self._find_texts([record.digest(body) for body in bodies.values()])
        return [
            self._publish(item, bodies[id(item)], kept.get(item, _NOTHING))
            if isinstance(item, Article)
            else self._withdraw(item)
            for item in items
        ]

    def amend(self, url: str, stated: Mapping[str, Any]) -> Published | None:
        """A version of the article with this address that has these columns otherwise; None where it has them so."""
        row = next((one for one in self._articles.values() if one["url"] == url), None)
        return None if row is None or row["withdrawn_at"] is not None else self._amend(row, record.clean(stated))

    def _amend(self, before: dict[str, Any], stated: Mapping[str, Any]) -> Published | None:
        day = stated.get("published")
        if day and (before["published"] or "").startswith(day):  # the time of that day is known from elsewhere
            stated = {name: value for name, value in stated.items() if not name.startswith("published")}
        if all(before[name] == value for name, value in stated.items()):
            return None
        table = schema.versions.c
        marks = self._versions.get(before["version_id"])  # of this very batch, and not written yet
        if marks is None:
            query = select(table.fingerprint, table.fingerprint_version).where(table.id == before["version_id"])
            marks = dict(self._connection.execute(query).mappings().one())
        marks = {name: marks[name] for name in ("fingerprint", "fingerprint_version")} | {"distance": 0}
        return self._add(before, {**before, **stated}, self._body(before["text_id"]), "corrected", marks)

    def _load(self, condition: ColumnElement[bool]) -> None:
        for row in self._connection.execute(select(schema.articles).where(condition)).mappings():
            self._articles.setdefault(row["page_key"], dict(row))

    def _withdraw(self, item: Withdrawal) -> Published:
        key = int(item.page_key, 16)
        row = self._articles.get(record.signed(key))
        if row is None:  # its page may be known to the crawl under another address than to itself
            self._load(schema.articles.c.url == item.url)
            row = next((known for known in self._articles.values() if known["url"] == item.url), None)
        if row is None:
            return Published(key, 0, "withdrawn", True, 0)
        if row["withdrawn_at"] is not None:
            return Published.of(row, already=True)
        after = {**row, "withdrawn_at": item.at, "fetched_at": item.at}
        marks = {"fingerprint": 0, "fingerprint_version": 0, "distance": None}
        return self._add(row, after, self._body(row["text_id"]), "withdrawn", marks)

    def write(self) -> None:
        """Writes everything collected."""
        execute = self._connection.execute
        fresh = [self._articles[key] for key in self._fresh]
        changed = [self._articles[key] for key in self._changed - self._fresh]
        columns = set(changed[0]) - {"id", "page_key", "first_archived_at"} if changed else set()
        steps: tuple[tuple[Any, list[dict[str, Any]]], ...] = (
            (insert(schema.texts), self._texts),
            (insert(schema.articles), fresh),
            (_update_by_id(schema.articles, columns), _bound(changed)),
            (insert(schema.versions), list(self._versions.values())),
            (_update_by_id(schema.versions, {"older"}), _bound(self._older)),
            (insert(schema.outbox), self._outbox),
        )
        for statement, rows in steps:
            if rows:
                execute(statement, rows)
        for part in chunks(self._met):
            execute(update(schema.removed).where(schema.removed.c.page_key.in_(part)).values(met_at=self._now))
        index_of(self._connection).add(self._connection, self._documents)
        touched = [self._articles[key] for key in self._fresh | self._changed]
        promote(self._connection, {row["cluster"] for row in touched if row["cluster_role"] == "member"} - {None})
        self._ids.write()

    def _find_texts(self, digests: Sequence[bytes]) -> None:
        for part in chunks(dict.fromkeys(digests)):
            query = select(schema.texts.c.digest, schema.texts.c.id).where(schema.texts.c.digest.in_(part))
            self._text_ids.update((bytes(row.digest), row.id) for row in self._connection.execute(query))

    def _publish(self, article: Article, body: str, kept: Kept) -> Published:
        key, content_hash = record.signed(int(article.page_key, 16)), record.content_hash(article)
        before = self._articles.get(key)
        same = article.change == "unchanged" or (before is not None and before["content_hash"] == content_hash)
        if before is not None and ((same and before["withdrawn_at"] is None) or _is_overtaken(article, before)):
            anew = record.stated_anew(article, before, kept) if article.fetched_at >= before["fetched_at"] else {}
            if (amended := self._amend(before, anew)) is not None:
                return amended
            if (before["usage"] or {}) != article.usage and article.fetched_at >= before["fetched_at"]:
                # What the site asks today holds for the text it asked nothing of before; that makes no version.
                self._articles[key] = {**before, "usage": record.clean(article.usage)}
                self._changed.add(key)
            return Published.of(before, already=True)
        if before is None and (gone := self._removed.get(key)) is not None:
            if not _is_news(article, content_hash, gone):
                self._met.add(key)
                return Published(record.unsigned(key), 0, "new", True, 0, removed=True)
            del self._removed[key]
            self._connection.execute(delete(schema.removed).where(schema.removed.c.page_key == key))
        after = {
            **record.fields(article),
            "page_key": key,
            "text_id": self._text_id(kept.html, body),
            "content_hash": content_hash,
            "fetched_at": article.fetched_at,
            "withdrawn_at": None,
            "sinks": list(kept.sinks) or None,
        }
        if before is not None and self._is_that(before, after, body):
            after |= record.led_to(before, after)
        marks = {
            "fingerprint": record.signed(kept.fingerprint), "fingerprint_version": kept.fingerprint_version,
            "distance": kept.distance,
        }  # fmt: skip
        published = self._add(before, after, body, self._event(before, body), marks)
        if kept.raw:
            page = RawPage(article.url, kept.raw, kept.raw_type, article.fetched_at)
            self.raw.append((published.version_id, page))
        return published

    def _add(
        self, before: dict[str, Any] | None, after: dict[str, Any], body: str, event: Event, marks: Mapping[str, Any]
    ) -> Published:
        version_id = self._ids.next("versions")
        after["id"] = before["id"] if before else self._ids.next("articles")
        after["first_archived_at"] = before["first_archived_at"] if before else self._now
        published_at = after["published_at"]
        after["dated_at"] = float(after["first_archived_at"] if published_at is None else min(published_at, self._now))
        after["version"] = before["version"] + 1 if before else 1
        after |= {"version_id": version_id, "event": event, "archived_at": self._now}
        if before is None:
            self._fresh.add(after["page_key"])
        else:
            self._changed.add(after["page_key"])
            if (difference := record.older(before, after)) is not None:
                number = before["version_id"]
                if number in self._versions:  # an earlier version of this very batch is not written yet
                    self._versions[number]["older"] = difference
                else:
                    self._older.append({"id": number, "older": difference})
        shared = ("version", "event", "text_id", "content_hash", "fetched_at", "archived_at")
        row = {"id": version_id, "article_id": after["id"], "older": None, **{name: after[name] for name in shared}}
        self._versions[version_id] = {**row, **marks}
        self._articles[after["page_key"]] = after
        self._outbox += [letter(self._ids, sink, after, self._now) for sink in dict.fromkeys(self._route(after))]
        self._documents.append(Document.of(after, body))
        return Published.of(after, already=False)

    def _text_id(self, html: str, body: str) -> int:
        key = record.digest(body)
        if key not in self._text_ids:
            self._text_ids[key] = text_id = self._ids.next("texts")
            packed = zlib.compress(record.clean(html).encode(), 6) if html and self._keep_html else None
            self._texts.append({"id": text_id, "digest": key, "body": body, "html": packed})
        self._bodies[self._text_ids[key]] = body
        return self._text_ids[key]

    def _is_that(self, before: Mapping[str, Any], after: Mapping[str, Any], body: str) -> bool:
        return before["title"] == after["title"] or edit_share(self._body(before["text_id"]), body) < _ANOTHER

    def _event(self, before: Mapping[str, Any] | None, body: str) -> Event:
        if before is None:
            return "new"
        if before["withdrawn_at"] is not None:
            return "updated"
        share = edit_share(self._body(before["text_id"]), body)
        return "corrected" if share < _CORRECTED else "updated"

    def _body(self, text_id: int) -> str:
        if text_id not in self._bodies:
            query = select(schema.texts.c.body).where(schema.texts.c.id == text_id)
            self._bodies[text_id] = str(self._connection.execute(query).scalar_one())
        return self._bodies[text_id]


def _update_by_id(table: Table, columns: Iterable[str]) -> Any:
    return update(table).where(table.c.id == bindparam("b_id")).values({name: bindparam(name) for name in columns})


def _bound(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"b_id" if name == "id" else name: value for name, value in row.items()} for row in rows]
