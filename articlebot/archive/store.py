"""The archive: every version of every article, and the outbox of what is to be delivered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, func, select

from articlebot import config
from articlebot.archive import edits, migrate, read, record, schema
from articlebot.archive.batch import Batch, Published, Route
from articlebot.archive.clusters import regroup
from articlebot.archive.edits import Edit
from articlebot.archive.engine import Synchronous, open_engine, reading, writing
from articlebot.archive.raw import RawPage, RawPages
from articlebot.archive.read import Selection
from articlebot.archive.record import Kept, clean, digest, signed, unsigned
from articlebot.archive.search import Results, Search, latest, matching, newer, search
from articlebot.errors import StoreUnavailable
from articlebot.items import Article, Withdrawal

# A text that more pages than this share is an agency's: most of its reprints are never corrected.
_MOST_REPRINTS = 100
_NOTHING: Mapping[Article | Withdrawal, Kept] = {}


def nowhere(_row: Mapping[str, Any]) -> Iterable[str]:
    """The route of an archive without sinks."""
    return ()


class Archive:
    """An open archive. Synchronous; publishing belongs on one writer thread, reading may happen on any.

    Args:
        database_url, synchronous: as of ``engine.open_engine``, which raises as this; an empty database is filled.
        route: names the sinks a version goes to, given its row (job, site, kind, language, category, cluster_role,
            event, …); rows of the outbox are written in the version's own transaction.
        keep_html: keep the article's HTML beside its text.
        raw: where raw pages are kept; absent: they are not.
        upgrade: as of ``migrate.prepare``, which raises as this.
    """

    def __init__(
        self,
        database_url: str,
        *,
        route: Route = nowhere,
        keep_html: bool = True,
        synchronous: Synchronous = "FULL",
        raw: RawPages | None = None,
        upgrade: bool = True,
    ) -> None:
        self.engine: Engine = open_engine(database_url, synchronous=synchronous)
        self._route, self._raw, self._keep_html = route, raw, keep_html
        try:
            migrate.prepare(self.engine, upgrade=upgrade)
        except Exception:
            self.engine.dispose()
            raise

    def publish(
        self, items: Sequence[Article | Withdrawal], now: float, kept: Mapping[Article | Withdrawal, Kept] = _NOTHING
    ) -> list[Published]:
        """Records a version of each article or withdrawal, and its deliveries, in one transaction.

        An article whose newest version has the same content hash is answered with ``already`` and written nowhere, so
        that doing it again after a crash does nothing. A text that returns to an older wording is a version of its own.

        Args:
            items: in order; may hold several versions of a page. A withdrawal of a page that the archive does not have
                is answered with version 0.
            now: epoch seconds; becomes ``archived_at``.
            kept: what of an item is archived and not published, by the item.

        Raises:
            StoreUnavailable: the database is away or full. Either all was written or nothing: publish again.
        """
        if not items:
            return []
        with writing(self.engine) as connection:
            batch = Batch(connection, now, self._route, keep_html=self._keep_html)
            batch.load(record.signed(int(item.page_key, 16)) for item in items)
            published = batch.publish(items, kept)
            batch.write()
            if self._raw is not None:
                try:
                    self._raw.add(connection, batch.raw)
                except OSError as error:
                    raise StoreUnavailable(f"raw pages cannot be written: {error}") from error
        return published

    def amend(self, stated: Mapping[str, Mapping[str, Any]], now: float) -> list[Published]:
        """Records a version, and its deliveries, of each article whose author or date is another, in one transaction.

        Args:
            stated: columns of ``articles`` (``authors``, ``published``, ``published_at``) by the article's address.
            now: epoch seconds; becomes ``archived_at``.

        Raises:
            StoreUnavailable: as ``publish``.
        """
        with writing(self.engine) as connection:
            batch = Batch(connection, now, self._route, keep_html=self._keep_html)
            batch.load_urls(stated)
            published = [done for url, columns in stated.items() if (done := batch.amend(url, columns))]
            batch.write()
        return published

    def with_raw_pages(self, selection: Selection | None = None) -> Iterator[tuple[dict[str, Any], RawPage]]:
        """Newest versions whose raw page is kept, with that page, oldest article first: exported rows and ``sinks``."""
        for part in read.in_parts(self.engine, selection or Selection()):
            pages = dict(self.raw_pages(number for number, _ in part))
            yield from ((row, pages[number]) for number, row in part if number in pages)

    def raw_pages(self, version_ids: Iterable[int]) -> Iterator[tuple[int, RawPage]]:
        """Stored raw pages of versions, by version id; those not kept, or kept on another machine, are missing."""
        if self._raw is not None:
            with reading(self.engine) as connection:
                yield from self._raw.read(connection, version_ids)

    def newest_raw(self, site: str, most: int, url: str | None = None) -> list[RawPage]:
        """Stored raw pages of a site's newest articles, so many at most; that of an address first where it is kept.

        Documents are left out.
        """
        table, raw = schema.articles.c, schema.raw_pages.c.version_id
        of_site = (table.site == site, table.kind != "document")
        query = select(raw).join(schema.articles, table.version_id == raw).where(*of_site)
        wanted = [query.order_by(table.dated_at.desc()).limit(most)]
        if url is not None:
            wanted.insert(0, query.where(table.url == url))
        with reading(self.engine) as connection:
            listed = dict.fromkeys(number for one in wanted for number in connection.execute(one).scalars())
        numbers = list(listed)[:most]
        found = dict(self.raw_pages(numbers))
        return [found[number] for number in numbers if number in found]

    def regroup(self, merged: Mapping[str, str], moved: Mapping[int, str]) -> None:
        """Follows the near-duplicate index where it has joined or split clusters; no version, nothing is delivered.

        Args:
            merged: the cluster that a cluster went into, by the old name.
            moved: the cluster that an article is in now, by its page key.
        """
        with writing(self.engine) as connection:
            regroup(connection, merged, moved)

    def articles(self, selection: Selection | None = None, *, versions: bool = False) -> Iterator[dict[str, Any]]:
        """Exported rows: the newest version of each article, or with ``versions`` every version."""
        return (read.every if versions else read.newest)(self.engine, selection or Selection())

    def newest_of(self, page_key: int) -> dict[str, Any] | None:
        """The exported row of one page's newest version; None where the page is unknown."""
        return next(iter(self.articles(Selection(page_keys=[page_key]))), None)

    def history(self, page_key: int) -> list[Edit]:
        """Every version of one page against the one before, oldest first; empty where the page is unknown."""
        return edits.history(self.engine, page_key)

    def edits(self, selection: Selection | None = None, limit: int = 50) -> list[Edit]:
        """The newest edits of the selected articles, newest first; ``since`` is the version's ``archived_at``."""
        return edits.latest(self.engine, selection or Selection(), limit)

    def search(self, wanted: Search, now: float) -> Results:
        """The articles that match, best first; raises as ``search.search``."""
        return search(self.engine, wanted, now)

    def matching(self, words: str, selection: Selection, now: float | None = None) -> Iterator[dict[str, Any]]:
        """Exported rows of all selected articles that match; raises as ``search.search``."""
        return matching(self.engine, words, selection, now)

    def newer(self, wanted: Search, above: int, upto: int, now: float | None = None) -> Results:
        """The articles that match, with versions in a range of ids; as ``search.newer``, which raises as this."""
        return newer(self.engine, wanted, above, upto, now)

    def latest(self, wanted: Search, now: float | None = None) -> list[dict[str, Any]]:
        """Exported rows of the articles that match, the newest versions first; raises as ``search.search``."""
        return latest(self.engine, wanted, now)

    def newest_version(self) -> int:
        """The id of the version that was archived last; 0 before the first."""
        with reading(self.engine) as connection:
            return read.last_version(connection)

    def number(self, selection: Selection) -> int:
        """How many articles are selected."""
        query = select(func.count()).select_from(schema.articles).where(*selection.conditions())
        with reading(self.engine) as connection:
            return connection.execute(query).scalar_one()

    def reprints(self, cluster: str, page_key: int) -> list[int]:
        """The page keys of a cluster's articles but one; the newest hundred."""
        articles = schema.articles.c
        others = (
            select(articles.page_key)
            .where(articles.cluster == cluster, articles.page_key != signed(page_key), articles.withdrawn_at.is_(None))
            .order_by(articles.id.desc())
            .limit(_MOST_REPRINTS)
        )
        with reading(self.engine) as connection:
            return [unsigned(key) for key in connection.execute(others).scalars()]

    def newest_addresses(self, most: int) -> list[tuple[int, str]]:
        """Page keys and canonical URLs of the articles that were archived last."""
        columns = schema.articles.c
        query = select(columns.page_key, columns.canonical_url).order_by(columns.archived_at.desc()).limit(most)
        with reading(self.engine) as connection:
            return [(unsigned(key), url) for key, url in connection.execute(query)]

    def with_text(self, body: str, content_hash: int, sites: Iterable[str]) -> list[tuple[int, str]]:
        """Page keys and canonical URLs of these sites' articles with this text, the oldest first; of none withdrawn.

        Args:
            content_hash: of headline and text.
        """
        columns = schema.articles.c
        query = (
            select(columns.page_key, columns.canonical_url)
            .join(schema.texts, schema.texts.c.id == columns.text_id)
            .where(
                schema.texts.c.digest == digest(clean(body)), columns.content_hash == signed(content_hash),
                columns.site.in_([*sites]), columns.withdrawn_at.is_(None),
            )
            .order_by(columns.id)
        )  # fmt: skip
        with reading(self.engine) as connection:
            return [(unsigned(key), url) for key, url in connection.execute(query)]

    def has_since(self, site: str, at: float) -> bool:
        """Whether a site has an article that is dated after a time (epoch seconds)."""
        columns = schema.articles.c
        query = select(columns.id).where(columns.site == site, columns.dated_at > at).limit(1)
        with reading(self.engine) as connection:
            return connection.execute(query).first() is not None

    def hashes_of(self, page_key: int) -> list[int]:
        """The content hash of each version of one page, oldest first."""
        query = (
            select(schema.versions.c.content_hash)
            .join(schema.articles, schema.articles.c.id == schema.versions.c.article_id)
            .where(schema.articles.c.page_key == signed(page_key))
            .order_by(schema.versions.c.version)
        )
        with reading(self.engine) as connection:
            return [unsigned(found) for found in connection.execute(query).scalars()]

    def keys_of_job(self, job: str) -> list[int]:
        """The page keys of a job's articles."""
        query = select(schema.articles.c.page_key).where(schema.articles.c.job == job)
        with reading(self.engine) as connection:
            return [unsigned(key) for key in connection.execute(query).scalars()]

    def counts(self) -> dict[str, int]:
        """Articles, versions and texts."""
        names = ("articles", "versions", "texts")
        with reading(self.engine) as connection:
            return {name: connection.execute(_count(name)).scalar_one() for name in names}

    def close(self) -> None:
        """Closes the connections; the archive can be opened again."""
        self.engine.dispose()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _count(name: str) -> Any:
    return select(func.count()).select_from(schema.metadata.tables[name])


def open_archive(
    database_url: str, archive: config.Archive, route: Route = nowhere, *, data_dir: Path | None = None
) -> Archive:
    """The archive; raises as ``Archive``.

    Args:
        route: names the sinks that what is published is enqueued for.
        data_dir: raw pages are kept in its folder ``raw``; absent: none are kept or read.
    """
    raw = None
    if data_dir is not None and archive.raw != "none":
        raw = RawPages(data_dir / "raw", int(archive.raw_max_mb * (1 << 20)))
    return Archive(database_url, raw=raw, route=route, keep_html=archive.keep_html, upgrade=archive.upgrade)
