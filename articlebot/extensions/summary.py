"""The crawl's counts in files while it runs and when it has ended, and one line at the end, for those who report."""

from __future__ import annotations

import json
import logging
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import asdict

from scrapy import Request, Spider
from scrapy.crawler import Crawler

from articlebot import files
from articlebot.extensions.folder import GONE
from articlebot.frontier.fetch import Fetch
from articlebot.frontier.progress import fetched
from articlebot.frontier.scheduler import Scheduler
from articlebot.runtime import runs
from articlebot.runtime.component import Component
from articlebot.runtime.diagnosis import Settled
from articlebot.runtime.runs import Counts, summary_line

logger = logging.getLogger(__name__)
_EVERY_S = 10.0


class SummaryExtension(Component):
    """Tells the crawl's stats while it runs, writes them to ``last-run.json`` at its end, and logs one line."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._started_at = self._runtime.now()
        # What is wrong with the jobs that were visited, once the crawl has ended; None where no spider tells.
        self.settled: Settled | None = None
        # Downloads by minute and outcome that nobody was told of yet.
        self._minutes: defaultdict[int, Counter[str]] = defaultdict(Counter)
        crawler.signals.connect(self.fetched, fetched)

    def spider_opened(self) -> None:
        """Begins to write."""
        self._started_at = self._runtime.now()
        self._repeat(self._note, _EVERY_S, now=True)

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        """Keeps the numbers; a folder that cannot be written to is no reason to fail a crawl that is done."""
        self._stop()
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
        path = self._runtime.last_run
        try:
            if reason != GONE:
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
