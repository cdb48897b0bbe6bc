"""The crawl's counts in files while it runs and when it has ended, and one line at the end, for those who report."""

from __future__ import annotations

import json
import logging
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.task import LoopingCall

from articlebot import files
from articlebot.frontier.in_hand import fetched
from articlebot.frontier.scheduler import Scheduler
from articlebot.runtime import Runtime, runs
from articlebot.runtime.diagnosis import Settled
from articlebot.runtime.runs import PENDING, Counts, total

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler

    from articlebot.frontier.fetch import Fetch

logger = logging.getLogger(__name__)
FILE_NAME = "last-run.json"
_EVERY_S = 10.0


class SummaryExtension:
    """Tells the crawl's stats while it runs, writes them to ``last-run.json`` at its end, and logs one line."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._runtime = Runtime.of(crawler)
        self._started_at = self._runtime.now()
        # What is wrong with the jobs that were visited, once the crawl has ended; None where no spider tells.
        self.settled: Settled | None = None
        self._loop = LoopingCall(lambda: deferred_from_coro(self._note()))
        # Downloads by minute and outcome that nobody was told of yet.
        self._minutes: defaultdict[int, Counter[str]] = defaultdict(Counter)
        crawler.signals.connect(self.fetched, fetched)
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def spider_opened(self) -> None:
        """Begins to write."""
        self._loop.start(_EVERY_S)

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        """Keeps the numbers; a folder that cannot be written to is no reason to fail a crawl that is done."""
        if self._loop.running:
            self._loop.stop()
        self.settled = await self._runtime.diagnosis.end()
        counts = self._counts()
        settled = self.settled or Settled()
        # Of a run that was cut short nobody knows what was due.
        note = settled.note if self.settled is not None and reason == "finished" else ""
        kept = {
            "spider": spider.name, "reason": reason, "worker": self._runtime.worker,
            "started_at": self._started_at, "ended_at": self._runtime.now(), "stats": counts,
            "findings": [asdict(one) for one in settled.findings],
            "coverage": [asdict(one) for one in settled.covered], "note": note,
        }  # fmt: skip
        config = self._runtime.config
        path = config.general.data_dir / config.operations.report
        try:
            files.replace(path, json.dumps(kept, ensure_ascii=False, indent=1))
        except OSError as error:
            logger.warning("The summary cannot be written to %s: %s", path, error)
        with self._runtime.aside("runs"):
            await self._tell()
            if Scheduler.of(self._crawler) is not None:
                await self._runtime.runs.forget(self._runtime.worker, self._runtime.now())
            runs.forget(self._runtime.config.general.data_dir, self._runtime.worker, self._runtime.now())
        logger.info("Done (%s): %s", reason, summary_line(counts))

    def fetched(self, request: Request, fetch: Fetch) -> None:
        """The downloader is done with a request, with an answer or without."""
        self._minutes[int(self._runtime.now() // 60)][_outcome(fetch.status or 0)] += 1

    async def _note(self) -> None:
        with self._runtime.aside("runs"):
            await self._tell()

    async def _tell(self) -> None:
        spider, minutes = self._crawler.spider, dict(self._minutes)
        self._minutes.clear()
        name = spider.name if spider is not None else ""
        run = runs.Run(self._runtime.worker, name, self._started_at, self._runtime.now(), self._counts())
        with suppress(OSError):  # a full disk is told where it costs something
            runs.note(self._runtime.config.general.data_dir, run)
        if Scheduler.of(self._crawler) is not None:  # else nothing of this crawl may need Redis
            await self._runtime.runs.note(run, minutes)

    def _counts(self) -> Counts:
        stats = self._crawler.stats
        assert stats is not None
        return {k: v for k, v in stats.get_stats().items() if isinstance(v, int | float | str)}


def _outcome(status: int) -> str:
    if status == 304:
        return "not_modified"
    return "failed" if status == 0 or status >= 400 else "answered"


def summary_line(counts: Counts) -> str:
    """The numbers that matter most, on one line; of a crawl that publishes no articles, Scrapy's own."""
    if "articlebot/publish/new" not in counts:
        return (
            f"{counts.get('downloader/response_count', 0)} pages, {counts.get('item_scraped_count', 0)} items, "
            f"{counts.get('log_count/ERROR', 0)} errors"
        )
    disallowed = int(counts.get("articlebot/page/failed/robots", 0))
    withdrawn = counts.get("articlebot/publish/withdrawn", 0)
    return (
        f"{counts.get('downloader/response_count', 0)} pages, {counts.get('articlebot/publish/new', 0)} new articles, "
        f"{counts.get('articlebot/change/updated', 0)} changes, "
        + (f"{withdrawn} withdrawn, " if withdrawn else "")
        + f"{total(counts, 'articlebot/page/refused/')} refused, "
        + (f"{disallowed} disallowed by robots.txt, " if disallowed else "")
        + f"{total(counts, 'articlebot/page/failed/') - disallowed} failed, {counts.get('log_count/ERROR', 0)} errors"
    )


def pending_line(counts: Counts) -> str:
    """The deliveries that wait beyond the crawl's end, by sink, for the end of the last line; "" where none does."""
    found = [f"{n:,} for {name.removeprefix(PENDING)}" for name, n in counts.items() if name.startswith(PENDING)]
    return f"; deliveries that wait: {', '.join(sorted(found))} (scrapy outbox show)" if found else ""


def haste_line(counts: Counts) -> str:
    """How far refusals for haste slowed the crawl, on one line; "" where there were none."""
    refused = total(counts, "articlebot/frontier/too_soon/")
    if not refused:
        return ""
    gap = total(counts, "articlebot/frontier/learned_gap_ms") / 1000
    learned = f"; pages of the slowest host start {gap:.1f} s apart now" if gap else ""
    return (
        f"{refused:,} requests were refused for haste (429, 503) and put back, which slowed this run{learned}. "
        "A greater delay in the job avoids it; scrapy frontier politeness shows what was learned"
    )
