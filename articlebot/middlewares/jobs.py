"""What a job says about how its pages are fetched, put on each request."""

from __future__ import annotations

from scrapy import Request

from articlebot.errors import RefusedError
from articlebot.jobs import Job
from articlebot.jobs.book import job_of
from articlebot.jobs.visit import DATA, META_KEY, SENT
from articlebot.runtime.component import Component
from articlebot.sources.details import filled
from articlebot.urls import site


class JobsMiddleware(Component):
    """Robots, language and delay of a request's job. A request of no job (robots.txt, other spiders) stays as it is.

    Here and not where a link is admitted, because a job may change while its links wait in the queue.
    """

    def process_request(self, request: Request) -> None:
        job = job_of(self._crawler.spider, request.meta)
        if job is None:
            return
        kept = request.meta[META_KEY]
        if job.budget is None and kept.get("delay") != job.delay:
            kept["delay"] = job.delay  # a budget's pages keep the pace at which they were queued
        if sent := job.sent_as(request.url):
            request.meta[SENT] = sent
        if at := _data_of(job, request.url):
            request.meta[DATA] = at
        if not job.robots:
            request.meta["dont_obey_robotstxt"] = True
        if job.language:
            request.headers.setdefault("Accept-Language", f"{job.language},en;q=0.5" if job.language != "en" else "en")


def _data_of(job: Job, url: str) -> str | None:
    """Where the data of an article are, None of any other address."""
    if job.article_data is None or job.article_url is None:
        return None
    return filled(job.article_data, job.article_url, url, job.site or url)


def site_of(request: Request) -> str | None:
    """The site of a request; None of what is no page's address."""
    try:
        return site(request.url)
    except RefusedError:
        return None
