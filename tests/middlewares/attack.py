"""A crawl of hostile sites in a process of its own: ``python -m tests.middlewares.attack JSON`` prints its statistics.

127.0.0.2 stands for a public address and 127.0.0.1 for a private one; ``names`` says what each name answers, one
address after the other, the last one from then on.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from scrapy import signals
from scrapy.crawler import CrawlerProcess
from scrapy.utils.project import get_project_settings
from twisted.internet import defer
from twisted.internet.error import DNSLookupError
from twisted.internet.interfaces import IResolverSimple
from zope.interface import implementer

from articlebot.middlewares import addresses


@implementer(IResolverSimple)
class Told:
    """Answers what the test says; nothing is cached."""

    def __init__(self, names: dict[str, list[str]]) -> None:
        self._names = names

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> defer.Deferred[str]:
        answers = self._names.get(name)
        if not answers:
            return defer.fail(DNSLookupError(name))
        return defer.succeed(answers.pop(0) if len(answers) > 1 else answers[0])


def main() -> None:
    options = json.loads(sys.argv[1])
    addresses.is_public = lambda address: address == "127.0.0.2"
    settings = get_project_settings()
    settings.setdict({"DNSCACHE_ENABLED": False, **options["settings"]}, "cmdline")
    process = CrawlerProcess(settings)
    crawler = process.create_crawler("article")

    def started() -> None:
        from twisted.internet import reactor  # noqa: PLC0415 - Scrapy installs it first

        reactor.installResolver(Told(options["names"]))  # type: ignore[attr-defined]

    crawler.signals.connect(started, signals.spider_opened)
    process.crawl(crawler, jobs=options["jobs"], until="idle")
    process.start()
    stats: dict[str, Any] = crawler.stats.get_stats() if crawler.stats else {}
    print(json.dumps({name: value for name, value in stats.items() if isinstance(value, int | float | str)}))


if __name__ == "__main__":
    main()
