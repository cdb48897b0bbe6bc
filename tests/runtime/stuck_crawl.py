"""A crawl whose loop stands still for ever in one article, and that tries answers from 1 MB on: ``… JOBS``."""

from __future__ import annotations

import re
import sys
from typing import Any

from scrapy.crawler import CrawlerProcess
from scrapy.utils.project import get_project_settings

from articlebot.extensions import stop
from articlebot.runtime.reader import Reader
from articlebot.runtime.trial import Trial

_read = Reader.read


def _stuck(reader: Reader, fetched: Any, *args: Any) -> Any:
    if "stuck" in fetched.url:
        print("the loop stands still", file=sys.stderr, flush=True)
        re.match(r"(a+)+$", "a" * 100 + "!")
    return _read(reader, fetched, *args)


def main() -> None:
    stop._PATIENCE_S = 1.0
    Reader.read = _stuck  # type: ignore[method-assign]
    Trial.__init__.__defaults__ = (1_000_000, 1_000_000_000, 0)
    settings = get_project_settings()
    settings.set("LOG_LEVEL", "DEBUG", "cmdline")
    settings.set("DOWNLOAD_TIMEOUT", 400, "cmdline")
    process = CrawlerProcess(settings)
    process.crawl(process.create_crawler("article"), jobs=sys.argv[1])
    process.start()


if __name__ == "__main__":
    main()
