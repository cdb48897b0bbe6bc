"""Reads proxy lists and makes their proxies known; none is used before it was checked."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote, urlsplit

from scrapy import Request, Spider
from scrapy.crawler import Crawler
from twisted.python.failure import Failure

from articlebot.proxies.lists import Listed, parse_list
from articlebot.proxies.proxy import mask
from articlebot.runtime import Runtime
from articlebot.spiders.apart import APART, end, fetch
from articlebot.spiders.arguments import refuse_unknown
from articlebot.spiders.failures import fault_of

logger = logging.getLogger(__name__)
_MAX_FILE = 50_000_000


class ProxyListsSpider(Spider):
    """Gathers proxies from pages, APIs and files.

    Args:
        lists: URLs and files, separated by commas; absent: ``ARTICLEBOT_PROXIES_LISTS``.
    """

    name = "proxy_lists"
    custom_settings = APART
    runtime: Runtime

    def __init__(self, lists: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        refuse_unknown(type(self), kwargs)
        self.lists = [one.strip() for one in lists.split(",") if one.strip()]

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.runtime = Runtime.of(crawler)
        spider.lists = spider.lists or list(spider.runtime.config.proxies.lists)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """One list after the other; one that fails is counted and the next read."""
        if not self.lists:
            logger.error("No proxy list: give -a lists=URL,FILE or set ARTICLEBOT_PROXIES_LISTS")
            self.ending = end(self.crawler, "no_lists")
        for place in self.lists:
            body = await self._fetched(place) if urlsplit(place).scheme in ("http", "https") else self._read(place)
            if body is not None:
                await self._take(place, body)
        for nothing in list[Request]():
            yield nothing  # Scrapy expects an asynchronous generator

    async def _fetched(self, url: str) -> bytes | None:
        try:
            response = await fetch(self.crawler, Request(url))
        except Exception as error:
            self._failed(url, fault_of(Failure(error)).reason)  # type: ignore[no-untyped-call]
            return None
        if response.status != 200:
            self._failed(url, f"http_{response.status}")
            return None
        return response.body

    def _read(self, place: str) -> bytes | None:
        path = Path(unquote(urlsplit(place).path)) if place.startswith("file:") else Path(place)
        try:
            with path.open("rb") as file:
                return file.read(_MAX_FILE)
        except OSError as error:
            self._failed(place, type(error).__name__)
            return None

    async def _take(self, place: str, body: bytes) -> None:
        section = self.runtime.config.proxies
        found: Listed = parse_list(body, place, allow_private=section.allow_private)
        source = mask(place)
        new = await self.runtime.proxies.store.add(found.proxies, source, self.runtime.now(), most=section.most)
        self._count("listed", len(found.proxies))
        self._count("new", new)
        for reason, number in found.refused.items():
            self._count(f"refused/{reason}", number)
        if not found.proxies:
            self._failed(place, "empty")
        refused = ", ".join(f"{reason} {number}" for reason, number in sorted(found.refused.items()))
        logger.info("%s: %d proxies, %d new, refused: %s", source, len(found.proxies), new, refused or "none")

    def _failed(self, place: str, reason: str) -> None:
        self._count(f"list_failed/{reason}", 1)
        logger.warning("%s: no proxies: %s", mask(place), reason)

    def _count(self, name: str, number: int) -> None:
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value(f"articlebot/proxy_lists/{name}", number)
