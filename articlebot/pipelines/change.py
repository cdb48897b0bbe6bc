"""Notices what changed on an article since the visit before."""

from __future__ import annotations

import asyncio
from typing import Any

from scrapy.crawler import Crawler

from articlebot.dedup import article_text, judge_change
from articlebot.dedup.volatile import RedisVolatileLines, compare
from articlebot.items import Article
from articlebot.runtime.component import Component


class ChangePipeline(Component):
    """Fills ``content_hash`` and ``change`` of articles, and beside them their fingerprint and its distance.

    A text of another hash is compared with the archived version, line by line: what moves by itself on the site is no
    edit, nor is what another extractor leaves out or takes in. A document, which the spider has judged by its bytes, is
    only counted. Unchanged articles pass: the last pipeline ends them, once the visit is remembered.

    Stats: ``articlebot/change/{new,updated,unchanged}``, and of the unchanged whose text differs
    ``articlebot/change/same/{boilerplate,reread}``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._lines = RedisVolatileLines(self._runtime.clients.of(), self._runtime.config.general.key_prefix)

    async def process_item(self, item: Any) -> Any:
        """The item; an article with its change."""
        if not isinstance(item, Article):
            return item
        beside = self._runtime.beside.of(item)
        if not beside.fingerprint_version:
            text = article_text(item.title, item.body)
            verdict = judge_change(beside.previous_hash, beside.previous_fingerprint, text, self._runtime.config.change)
            item.content_hash, item.change = f"{verdict.content_hash:016x}", verdict.change
            self._runtime.beside.note(
                item, fingerprint=verdict.fingerprint, fingerprint_version=verdict.fingerprint_version,
                distance=verdict.distance,
            )  # fmt: skip
            if item.change == "updated" and (why := await self._why_same(item)):
                item.change = "unchanged"
                self._runtime.count(f"change/same/{why}")
        self._runtime.count(f"change/{item.change}")
        return item

    async def _why_same(self, item: Article) -> str:
        """Why an article of another text is the archived one all the same, "" where it is not."""
        key = int(item.page_key, 16)
        known = await self._runtime.archive_wait.call(
            lambda: asyncio.to_thread(self._runtime.archive.newest_of, key), "A changed article"
        )
        if known is None:
            return ""
        title, body = item.title, item.body
        reread = self._runtime.beside.of(item).reread
        if known["extractor"] != item.extractor and reread is not None:
            await self._runtime.learning.recall(known["extractor"])
            title, body = reread(known["extractor"]) or (title, body)
        if title != known["title"]:
            return ""
        difference = compare(known["body"] or "", body)
        if difference.edited:
            return ""
        if not difference.shapes:
            return "reread"
        moving = await self._lines.moving(item.site, key, difference)
        return "boilerplate" if difference.shapes <= moving | difference.counters else ""
