"""A crawl whose side work fails at every page: ``python -m tests.runtime.failing_aside JOBS`` prints its statistics."""

from __future__ import annotations

import json
import sys
from typing import Any

from scrapy.crawler import CrawlerProcess
from scrapy.utils.project import get_project_settings

from articlebot.extensions.metrics import MetricsExtension
from articlebot.extraction.shapes import Shapes
from articlebot.extraction.wrapper.book import WrapperBook
from articlebot.extraction.wrapper.store import PageStore
from articlebot.frontier.crawl_log import CrawlLogWriter
from articlebot.jobs.history import FolderRounds
from articlebot.seeds.mining import Miner

_WORKS: tuple[tuple[type, str], ...] = (
    (Miner, "page"), (Shapes, "observe"), (Shapes, "to_json"), (WrapperBook, "note"), (WrapperBook, "choose"),
    (WrapperBook, "unsaved"), (PageStore, "put"), (FolderRounds, "write"), (MetricsExtension, "_took"),
    (CrawlLogWriter, "write"),
)  # fmt: skip


def _fail(*_: Any, **__: Any) -> None:
    raise OSError(28, "No space left on device")


def main() -> None:
    for owner, name in _WORKS:
        assert callable(getattr(owner, name))
        setattr(owner, name, _fail)
    process = CrawlerProcess(get_project_settings())
    crawler = process.create_crawler("article")
    process.crawl(crawler, jobs=sys.argv[1], until="idle")
    process.start()
    stats: dict[str, Any] = crawler.stats.get_stats() if crawler.stats else {}
    print(json.dumps({name: value for name, value in stats.items() if isinstance(value, int | float | str)}))


if __name__ == "__main__":
    main()
