"""Reads proxy lists and makes their proxies known; none is used before it was checked."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from scrapy import Request
from twisted.python.failure import Failure

from articlebot.proxies.lists import Listed, parse_list
from articlebot.proxies.proxy import mask
from articlebot.runtime.download import fetch
from articlebot.runtime.failures import fault_of
from articlebot.spiders.apart import ApartSpider

logger = logging.getLogger(__name__)
_MAX_FILE = 50_000_000
# A bound on what lists can make the store hold; free lists have thousands.
_MOST = 20_000


class ProxyListsSpider(ApartSpider):
    """Gathers proxies from pages, APIs and files.

    Args:
        lists: URLs and files, separated by commas; absent: ``ARTICLEBOT_PROXIES_LISTS``.
    """

    name = "proxy_lists"

    def __init__(self, lists: str = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.lists = [one.strip() for one in lists.split(",") if one.strip()]

    async def work(self) -> None:
        """One list after the other; one that fails is counted and the next read."""
        lists = self.lists or self.runtime.config.proxies.lists
        if not lists:
            logger.error("No proxy list: give -a lists=URL,FILE or set ARTICLEBOT_PROXIES_LISTS")
            self.runtime.end("no_lists")
        for place in lists:
            body = await self._fetched(place) if urlsplit(place).scheme in ("http", "https") else self._read(place)
            if body is not None:
                await self._take(place, body)

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
        new = await self.runtime.proxies.store.add(found.proxies, source, self.runtime.now(), most=_MOST)
        self.count("listed", len(found.proxies))
        self.count("new", new)
        for reason, number in found.refused.items():
            self.count(f"refused/{reason}", number)
        if not found.proxies:
            self._failed(place, "empty")
        refused = ", ".join(f"{reason} {number}" for reason, number in sorted(found.refused.items()))
        logger.info("%s: %d proxies, %d new, refused: %s", source, len(found.proxies), new, refused or "none")

    def _failed(self, place: str, reason: str) -> None:
        self.count(f"list_failed/{reason}")
        logger.warning("%s: no proxies: %s", mask(place), reason)
