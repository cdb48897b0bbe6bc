"""Watches the stores of a crawl: ends it where its data folder is removed or moved while it runs."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from pathlib import Path
from typing import Any

from redis.exceptions import RedisError
from scrapy.crawler import Crawler

from articlebot.errors import Off
from articlebot.files import identity_of
from articlebot.frontier.inspect import eviction
from articlebot.runtime.component import Component

logger = logging.getLogger(__name__)
# Why a crawl ends before it is done.
GONE = "folder_gone"
_EVERY_S = 1.0


class FolderExtension(Component):
    """Ends the crawl as soon as its data folder or a store in it is gone, or another one is in its place.

    What is open would be written on, into files that nobody can open again, and all would seem well.

    Raises:
        Off: a command of Scrapy's has stores that end with it.

    Attributes:
        lost: what is gone; None while all is there.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if self._runtime.tool:
            raise Off("the stores of this command end with it")
        folder = self._runtime.config.general.data_dir.absolute()
        self._found: dict[Path, tuple[int, int]] = {}
        self._paths = (folder, folder / "redis", folder / "archive.db")
        self.lost: Path | None = None

    async def spider_opened(self) -> None:
        """Begins to look, and says where Redis may throw the crawl's keys away."""
        self._repeat(self._look, _EVERY_S, now=True)
        redis: Any = self._runtime.frontier.redis
        with suppress(RedisError, OSError):  # said to whoever can mend it, not needed
            if said := eviction(await redis.info("memory")):
                logger.warning("%s", said)

    async def spider_closed(self) -> None:
        """Looks once more: a crawl that is done is not well where its results are gone."""
        if self._stop():
            await self._look()

    async def _look(self) -> None:
        # A folder of a file server that is away may take long to answer.
        self.lost = self.lost or await asyncio.to_thread(self._missing)
        if self.lost is not None and self._stop():
            logger.error("%s was removed or moved while the crawl ran: what it writes is lost, it ends", self.lost)
            if not self._runtime.is_ending():
                self._runtime.end(GONE)

    def _missing(self) -> Path | None:
        for path in self._paths:
            try:
                now = identity_of(path)
            except OSError:  # a file server that cannot be asked for now says nothing of what it has
                continue
            before = self._found.get(path) or now
            if now != before:
                return path
            if now is not None:
                self._found[path] = now
        return None
