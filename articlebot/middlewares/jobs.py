"""What a job says about how its pages are fetched, put on each request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from articlebot.jobs.book import JobBook
from articlebot.jobs.visit import META_KEY, SENT

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


class JobsMiddleware:
    """Robots, language and delay of a request's job. A request of no job (robots.txt, other spiders) stays as it is.

    Here and not where a link is admitted, because a job may change while its links wait in the queue.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        book = getattr(self._crawler.spider, "book", None)
        kept = request.meta.get(META_KEY)
        if not isinstance(book, JobBook) or not kept:
            return
        job = book.get(kept.get("job", ""))
        if job is None:
            return
        if job.budget is None and kept.get("delay") != job.delay:
            kept["delay"] = job.delay  # a budget's pages keep the pace at which they were queued
        if (job.forms or job.json_forms) and (sent := job.sent_as(request.url)):
            request.meta[SENT] = sent
        if not job.robots:
            request.meta["dont_obey_robotstxt"] = True
        if job.language:
            request.headers.setdefault("Accept-Language", f"{job.language},en;q=0.5" if job.language != "en" else "en")
