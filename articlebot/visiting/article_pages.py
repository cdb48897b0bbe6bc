"""Pages of articles: items for the pipelines, or counted refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from math import inf

from scrapy import Request

from articlebot.extraction.gone import says_gone
from articlebot.extraction.walls import PASSING, Wall
from articlebot.items import Article, Withdrawal
from articlebot.jobs.book import is_article
from articlebot.recrawl import PageState
from articlebot.runtime.reader import Refusal
from articlebot.runtime.repeats import MOST_CHARS
from articlebot.runtime.usage import UNWANTED
from articlebot.sources.neighbours import neighbours, related
from articlebot.urls import is_front
from articlebot.visiting.answer import Answer
from articlebot.visiting.desk import REFUSED_PATIENCE, Desk
from articlebot.visiting.doubts import Doubts
from articlebot.visiting.entry_pages import GONE
from articlebot.visiting.identity import Identity
from articlebot.visiting.links import admit
from articlebot.visiting.named import is_other
from articlebot.visiting.outcomes import is_read
from articlebot.visiting.parts import Parts
from articlebot.visiting.videos import Videos

# Visits that may meet a 404 where a page was never read: a list is often there before what it names.
_NOT_THERE, _EARLY_PATIENCE = 404, 1
# Articles that are gone through one by one where nothing else leads to them: as many as 30 pages of a list have.
_FURTHEST = 600


class ArticlePages:
    """Reads what a link led to.

    Args:
        desk: what it works with.
        parts: gathers articles of several pages.
        videos: completes the addresses of play pages.
    """

    def __init__(self, desk: Desk, parts: Parts, videos: Videos) -> None:
        self._desk, self._parts, self._videos = desk, parts, videos
        self._identity = Identity(desk)
        self._doubts = Doubts(desk, self._identity)
        self._led = Counter[str]()  # articles that others' pages have named, by job

    async def read(self, page: Answer) -> AsyncIterator[Article | Withdrawal | Request]:
        """The item of an article; of one with several pages, first the request for the next page."""
        if (
            page.status == 304
            and is_read(page.record)
            and (unwanted := self._desk.runtime.reader.forbidden(page.fetched))
        ):
            yield await self._withdrawn(page, Refusal(unwanted, page.fetched.url))
        elif page.status == 304:
            self._desk.outcomes.page(page, "not_modified")
            await self._desk.observe(page, "not_modified")
        elif page.status in GONE:
            self._desk.outcomes.count(f"failed/http_{page.status}", page.fetched.url)
            self._desk.outcomes.page(page, f"http_{page.status}")
            if is_read(page.record):
                if not await self._identity.moves(page):
                    yield self._desk.withdrawn(page, f"http_{page.status}")
            else:
                await self._desk.fail(page, _EARLY_PATIENCE if page.status == _NOT_THERE else 0)
        else:
            await self._desk.runtime.reader.prepare(page.fetched)
            page = replace(page, visit=self._desk.told(page.visit))
            try:
                if is_read(page.record) and _leads_to_list(page):
                    raise Refusal("leads_to_list", page.fetched.url)
                article, further = self._desk.runtime.reader.read(page.fetched, page.job, page.visit)
                if not is_read(page.record) and _is_undated(page, article):
                    raise Refusal("undated", page.fetched.url)
            except Refusal as refusal:
                if is_read(page.record) and (refusal.reason in UNWANTED or _is_gone(page, refusal)):
                    if refusal.reason in UNWANTED or not await self._identity.moves(page):
                        yield await self._withdrawn(page, refusal)
                else:
                    await self._refuse(page, refusal)
                return
            async for result in self._article(page, article, further):
                yield result

    async def _article(
        self, page: Answer, article: Article, further: list[str]
    ) -> AsyncIterator[Article | Withdrawal | Request]:
        if others := await self._same_text(page, article):
            for record in filter(None, await self._desk.runtime.pages.get(others)):
                yield self._desk.withdrawn(replace(page, record=record), "wall")
            await self._refuse(page, Refusal("wall", page.fetched.url, wall="blocked"))
            return
        if (doubt := await self._doubts.about(page, article, further)) is not None:
            await self._refuse(page, Refusal(doubt, page.fetched.url))
            return
        self._desk.outcomes.page(page, "article")
        if is_read(page.record) and not await self._identity.stays(page, article):
            yield self._desk.withdrawn(page, "moved")
            page = replace(page, record=page.record._replace(state=PageState(page.record.state.kind)))
        if (known := await self._identity.identified(page, article, further)) is not None:
            page = replace(page, record=known)
            further = further if article.kind != "document" else []
            if page.job.neighbours and max(page.visit.depth, self._led[page.job.name]) < _FURTHEST:
                links = neighbours(page.fetched.page, further) or related(page.fetched.page, further)
                admitted = await admit(self._desk, page, links)
                self._led[page.job.name] += admitted.new or 0
            if article.kind == "video":
                await self._videos.complete(article, page)
            request = await self._parts.begin(page, article, further) if further else None
            yield request or self._desk.finished(page, article)

    async def _same_text(self, page: Answer, article: Article) -> tuple[int, ...]:
        """Page keys of others that the site ends with the same short text, as a wall does; none where it is an article.

        One that was read before is no wall for what others show now.
        """
        if article.kind != "article" or len(article.body) >= MOST_CHARS or is_read(page.record):
            return ()
        key, anchor = int(article.page_key, 16), page.visit.title or page.visit.anchor
        return await self._desk.runtime.repeats.note(article.site, article.body, key, anchor)

    async def _withdrawn(self, page: Answer, refusal: Refusal) -> Withdrawal:
        self._desk.outcomes.count(f"refused/{refusal.reason}", refusal.detail)
        self._desk.outcomes.page(page, refusal.reason)
        await self._desk.runtime.reasons.note(page.visit.key, refusal.reason)
        return self._desk.withdrawn(page, refusal.reason)

    async def _refuse(self, page: Answer, refusal: Refusal) -> None:
        wall = None
        if refusal.reason == "wall":
            wall = await self._desk.outcomes.wall(page.job.name, page.fetched, refusal.wall)
        reason = f"wall_{wall}" if wall else refusal.reason
        self._desk.outcomes.page(page, reason)
        await self._desk.runtime.reasons.note(page.visit.key, reason)
        self._desk.outcomes.count(f"refused/{refusal.reason}", refusal.detail)
        # A page that is visited again is no entry page, though its visit says no more of where its link stood.
        depth = page.visit.depth or int(page.record.state.fetches > 0)
        if refusal.links and (depth < page.job.depth or refusal.reason == "part_of_article"):
            await admit(self._desk, page, refusal.links)
        await self._desk.fail(page, _patience(page, refusal, wall))


def _patience(page: Answer, refusal: Refusal, wall: Wall | None) -> float:
    """Visits of a page never read that may be refused so, before it is given up."""
    if refusal.reason == "notice":
        return inf
    if wall is not None:
        return REFUSED_PATIENCE if wall in PASSING else 0
    if _leads_to_list(page) or says_gone(page.fetched.page) or refusal.reason == "undated":
        return _EARLY_PATIENCE  # by then a list may have told the day
    return REFUSED_PATIENCE if is_other(page) else 0


def _is_undated(page: Answer, article: Article) -> bool:
    """Whether a page tells no day, nor does any list of it, where the site's articles tell theirs: so do pages on the
    site itself, and on what it offers.
    """
    dated = page.fetched.page.front.dated and article.kind == "article"
    return dated and article.published_at is None and not is_article(page.job, page.fetched.url)


def _leads_to_list(page: Answer) -> bool:
    """Whether the address of an article leads to the home page or another entry page."""
    url = page.fetched.url
    return url != page.record.url and (is_front(url) or url in dict(page.job.entry_urls))


def _is_gone(page: Answer, refusal: Refusal) -> bool:
    """Whether, as at the visit before, an article is not where it was, though the status does not say so."""
    again = page.record.state.failures > 0 and refusal.wall is None
    return again and (refusal.reason == "leads_to_list" or says_gone(page.fetched.page))
