"""The last pipeline: articles go into the archive, a group a commit, and from there to the sinks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from redis.exceptions import RedisError
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.statscollectors import StatsCollector

from articlebot.archive import Archive, Published, open_archive
from articlebot.config import Publishing
from articlebot.errors import StateError, StoreUnavailable
from articlebot.items import Article, Withdrawal
from articlebot.publishing import letters
from articlebot.publishing.deliverer import Deliverer
from articlebot.publishing.outbox import Counts, open_outbox
from articlebot.publishing.specs import Sinks, open_sinks
from articlebot.runtime.archive_wait import ArchiveWait
from articlebot.runtime.beside import BesideItems
from articlebot.runtime.known_archive import KnownArchive
from articlebot.runtime.runs import PENDING
from articlebot.runtime.runtime import Runtime
from articlebot.times import iso

_Item = Article | Withdrawal
# Seconds: what Kubernetes waits before it kills; systemd waits 90. Of a crawl that was told to end less.
_CLOSE_S = 30.0
logger = logging.getLogger(__name__)
# Most articles of a commit: in the 20 ms that one waits for others, more than a worker can read.
GROUP = 50


class PublishPipeline:
    """Returns an article only after its version is committed, so that its request may be acknowledged then.

    Articles that arrive within some milliseconds share a transaction on a writer thread. While the database is away
    the commit is tried again (``ArchiveWait``).
    """

    def __init__(
        self,
        archive: Archive,
        sinks: Sinks,
        options: Publishing,
        now: Callable[[], float],
        stats: StatsCollector,
        *,
        beside: BesideItems,
        wait: ArchiveWait,
        known: KnownArchive | None = None,
        forget: Callable[[int], Awaitable[int]],
        keep_raw: bool = False,
        patience: Callable[[float], float] = float,
    ) -> None:
        self._forget, self._wait, self._known = forget, wait, known
        self._archive, self._sinks, self._options, self._now, self._stats = archive, sinks, options, now, stats
        self._beside, self._keep_raw, self._patience = beside, keep_raw, patience
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="articlebot-archive")
        self._waiting: list[tuple[_Item, asyncio.Future[Published]]] = []
        self._group: asyncio.Task[None] | None = None
        self._full = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        outbox = open_outbox(archive, options, now)
        self._deliverer = Deliverer(outbox, sinks.sinks, now, self._counted) if sinks.sinks else None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PublishPipeline:
        """Opens the archive and the sinks of the configuration."""
        runtime = Runtime.of(crawler)
        assert crawler.stats is not None
        config, data_dir = runtime.config, runtime.config.general.data_dir
        sinks = open_sinks(config.publishing.sinks, data_dir, runtime.now)
        archive = open_archive(runtime.database_url, config.archive, sinks.routes, data_dir=data_dir)
        keep_raw = config.archive.raw == "all"
        return cls(
            archive, sinks, config.publishing, runtime.now, crawler.stats, beside=runtime.beside,
            wait=runtime.archive_wait, known=runtime.known_archive, forget=runtime.pages.forget, keep_raw=keep_raw,
            patience=runtime.patience,
        )  # fmt: skip

    async def open_spider(self) -> None:
        """Starts the deliveries, with those that an earlier crawl left."""
        self._stats.set_value("articlebot/publish/new", 0)  # by which a report knows that articles are published here
        self._loop = asyncio.get_running_loop()
        await self._look(warn=True)
        if self._deliverer:
            self._deliverer.start()

    async def process_item(self, item: Any) -> Any:
        """An article as it stands in the archive, or a withdrawal, once committed; other items as they are.

        Raises:
            DropItem: retention has removed the article; its page is not visited again.
        """
        if not isinstance(item, Article | Withdrawal):
            return item
        if isinstance(item, Article) and item.kind != "document" and not self._keep_raw:
            self._beside.note(item, raw=b"")
        published = await self._publish(item)
        if published.removed:
            self._stats.inc_value("articlebot/publish/removed")
            await self._forget(int(item.page_key, 16))
            raise DropItem(f"removed by retention: {item.url}", log_level="DEBUG")
        if isinstance(item, Article):
            _complete(item, published)
            self._beside.note(item, already=published.already)
        outcome = "already" if published.already else published.event
        self._stats.inc_value(f"articlebot/publish/{outcome}")
        return item

    async def close_spider(self) -> None:
        """Commits what waits, delivers what is due, closes."""
        if self._group is not None:
            self._full.set()
            await self._group
        await self._look()
        for sink, number in (await asyncio.get_running_loop().run_in_executor(None, self._close)).items():
            self._stats.set_value(f"{PENDING}{sink}", number)

    async def _look(self, *, warn: bool = False) -> None:
        """Notes the archive with the crawl state, or says that it is not the one which that knows."""
        if self._known is None:
            return
        try:
            said = await self._known.look(note=True)
        except (RedisError, StoreUnavailable, StateError) as error:
            said = f"Not known whether the archive is the right one: {error}"
        if said and warn:
            logger.warning("%s", said)

    def _close(self) -> dict[str, int]:
        """Ends everything; how many versions wait for each sink from then on."""
        if self._deliverer:
            self._deliverer.stop(self._patience(_CLOSE_S))
        try:
            return letters.pending(self._archive.engine)
        except StoreUnavailable:  # said where it was to be written to
            return {}
        finally:
            self._writer.shutdown()
            self._sinks.close()
            self._archive.close()

    async def _publish(self, item: _Item) -> Published:
        future: asyncio.Future[Published] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, future))
        if len(self._waiting) >= GROUP:
            self._full.set()
        if self._group is None:
            self._group = asyncio.ensure_future(self._commit_groups())
        return await future

    async def _commit_groups(self) -> None:
        try:
            while self._waiting:
                await self._gather()
                group, self._waiting = self._waiting[:GROUP], self._waiting[GROUP:]
                await self._commit(group)
        finally:
            self._group = None

    async def _gather(self) -> None:
        if len(self._waiting) >= GROUP or not self._options.group_ms:
            return
        self._full.clear()
        try:
            await asyncio.wait_for(self._full.wait(), self._options.group_ms / 1000)
        except TimeoutError:
            return

    async def _commit(self, group: list[tuple[_Item, asyncio.Future[Published]]]) -> None:
        try:
            published = await self._written([item for item, _ in group])
        except Exception as error:
            for _, future in group:
                if not future.cancelled():
                    future.set_exception(error)
            return
        for (_, future), result in zip(group, published, strict=True):
            if not future.cancelled():
                future.set_result(result)
        self._stats.inc_value("articlebot/publish/commits")
        if self._deliverer and not all(result.already for result in published):
            self._deliverer.wake()

    async def _written(self, items: list[_Item]) -> list[Published]:
        """The commit, tried again while the database is away."""
        loop = asyncio.get_running_loop()
        kept = {item: self._beside.of(item) for item in items}
        return await self._wait.call(
            lambda: loop.run_in_executor(self._writer, self._archive.publish, items, self._now(), kept),
            f"{len(items)} articles",
        )

    def _counted(self, counts: Counts) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._count, counts)

    def _count(self, counts: Counts) -> None:
        for name in ("delivered", "refused", "dead", "failed_sinks"):
            if value := getattr(counts, name):
                self._stats.inc_value(f"articlebot/outbox/{name}", value)


def _complete(item: Article, published: Published) -> None:
    """Gives an item the fields that only the archive knows; an unchanged one goes no further and stays what it is."""
    item.version = published.version
    if item.change == "unchanged":
        return
    item.key, item.change = published.key, published.event
    # Its own hash stays where another worker has published a later version meanwhile: the page state is to have it.
    item.content_hash = item.content_hash or f"{published.content_hash:016x}"
    item.archived_at, item.first_archived_at = published.archived_at, published.first_archived_at
    item.published_at_epoch = published.published_at
    item.published_at = published.published or iso(published.published_at)
