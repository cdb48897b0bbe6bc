"""Articles of several pages: fetched one page after the other, published whole."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from scrapy import Request

from articlebot.extraction.page_numbers import is_numbered
from articlebot.extraction.parts import Gathered, Part
from articlebot.items import Article
from articlebot.jobs import Job
from articlebot.jobs.visit import Visit
from articlebot.page.text import squash
from articlebot.runtime.fetched import Fetched
from articlebot.runtime.reader import Refusal
from articlebot.urls import canonical_url, page_key
from articlebot.visiting.answer import Answer
from articlebot.visiting.desk import Desk

# So many visits in a row fail for want of a further page of the article; then it is published without that page.
PART_PATIENCE = 2
# Characters that the headlines of an article's pages begin with alike, at least.
_MIN_COMMON = 4
_LATER = frozenset({"body", "images"})


class Parts:
    """Gathers the pages of articles.

    Args:
        desk: what it works with.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def begin(self, page: Answer, article: Article, further: Sequence[str]) -> Request | None:
        """The request for the second page of an article; None where it has no other page after all."""
        first = {name: value for name, value in asdict(article).items() if name not in _LATER}
        gathered = await self._desk.runtime.parts.begin(page.visit.key, first, self._part(article), further)
        if gathered.ahead is None:
            return None
        return self._next(page.job, page.visit.key, page.fetched.url, *gathered.ahead)

    async def read(self, page: Answer) -> AsyncIterator[Article | Request]:
        """A further page of an article: the whole, or the request for the next page."""
        part: Part | None = None
        further: list[str] = []
        if page.status == 200:
            await self._desk.runtime.reader.prepare(page.fetched)
            try:
                article, further = self._desk.runtime.reader.read(page.fetched, page.job, page.visit)
                first = await self._desk.runtime.parts.first(page.visit.first_key)
                if first and _is_another(first, article):
                    self._desk.outcomes.count("parts/another_article", page.fetched.url)
                    further = []
                else:
                    part = self._part(article)
                    if not further and first:
                        self._learn_view(page, article, first)
            except Refusal as refusal:
                self._desk.outcomes.count(f"refused/{refusal.reason}", refusal.detail)
                if not page.fetched.page.blocks and await self.put_off(page.visit, page.job):
                    return
        async for result in self.gather(page.visit, page.job, page.fetched.url, part, further):
            yield result

    def _learn_view(self, page: Answer, article: Article, first: Mapping[str, Any]) -> None:
        """A page behind the first one's address, with no number and no further page, is the whole article."""
        url, first_url = page.fetched.url, page.visit.parent_url
        if page.visit.part != 2 or not first_url or not url.startswith(first_url) or is_numbered(url):
            return
        if (first["title"], first["published_at"]) == (article.title, article.published_at):
            self._desk.runtime.parts.views.learn(first_url, url)

    async def gather(
        self, visit: Visit, job: Job, url: str, part: Part | None, further: Sequence[str] = ()
    ) -> AsyncIterator[Article | Request]:
        """What follows from a page of an article.

        Args:
            part: what it holds; None where it could not be had.
            further: addresses of further pages that it names.
        """
        self._desk.outcomes.count("parts/missing" if part is None else "parts/joined", url)
        gathered = await self._desk.runtime.parts.add(visit.first_key, visit.key, part, further)
        if gathered is None:
            # Its other pages are gone, or it was whole and its worker died before that was safe.
            self._desk.outcomes.count("parts/lapsed", url)
            if visit.parent_url:
                again = Visit(job=job.name, kind="auto", key=visit.first_key, delay=job.delay)
                yield self._desk.request(visit.parent_url, job, again)
        elif gathered.ahead and gathered.ahead[1] <= job.max_pages:
            yield self._next(job, visit.first_key, visit.parent_url, *gathered.ahead)
        else:
            yield await self._whole(visit, job, gathered)

    async def put_off(self, visit: Visit, job: Job) -> bool:
        """Ends the visit of an article when one of its pages cannot be had now: without it, it would look shortened."""
        if (first := await self._desk.runtime.parts.first(visit.first_key)) is None:
            return False
        page = await self._first_page(visit, job, first)
        if page.record.state.failures >= PART_PATIENCE:
            return False
        await self._desk.runtime.parts.drop(visit.first_key)
        await self._desk.observe(page, "failed")
        return True

    async def _whole(self, visit: Visit, job: Job, gathered: Gathered) -> Article:
        article = _whole_article(gathered)
        await self._desk.runtime.parts.drop(visit.first_key)
        page = await self._first_page(visit, job, gathered.first)
        page = replace(page, fetched=Fetched(article.url, b"", None, article.fetched_at))
        return self._desk.finished(page, article, html=gathered.whole.html, sinks=job.sinks)

    async def _first_page(self, visit: Visit, job: Job, first: dict[str, Any]) -> Answer:
        """The visit of the article whose first page has these fields."""
        of_first = replace(visit, kind="article", key=visit.first_key, part=1)
        key = int(first["page_key"], 16)
        return await self._desk.without_page(of_first, job, first["canonical_url"], key=key)

    def _part(self, article: Article) -> Part:
        return Part(article.body, self._desk.runtime.beside.of(article).html, article.images)

    def _next(self, job: Job, first_key: int, first_url: str | None, url: str, number: int) -> Request:
        visit = Visit(
            job=job.name, kind="part", key=page_key(canonical_url(url)), parent_url=first_url, delay=job.delay,
            part=number, first_key=first_key,
        )  # fmt: skip
        return self._desk.request(url, job, visit)


def _is_another(first: Mapping[str, Any], article: Article) -> bool:
    """Whether what a "next" leads to is no further page: it has a headline and a time of its own."""
    own, there = squash(first["title"]), squash(article.title)
    told = first["published_at"] and article.published_at and first["published_at"] != article.published_at
    return bool(told and there) and own[:_MIN_COMMON] != there[:_MIN_COMMON] and own not in there


def _whole_article(gathered: Gathered) -> Article:
    kept = {f.name for f in fields(Article)} - _LATER
    first = {name: value for name, value in gathered.first.items() if name in kept}
    for name in ("authors", "keywords", "media"):
        first[name] = tuple(first[name])
    return Article(**first, body=gathered.whole.body, images=gathered.whole.images)
