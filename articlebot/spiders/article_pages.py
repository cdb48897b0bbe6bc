"""Pages of articles: items for the pipelines, or counted refusals."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING

from articlebot.extraction.walls import Wall
from articlebot.runtime.reader import Refusal
from articlebot.runtime.repeats import MOST_CHARS
from articlebot.runtime.usage import UNWANTED
from articlebot.sources.neighbours import neighbours
from articlebot.spiders.entry_pages import GONE
from articlebot.spiders.links import admit
from articlebot.spiders.outcomes import is_read

if TYPE_CHECKING:
    from scrapy import Request

    from articlebot.items import Article, Withdrawal
    from articlebot.spiders.answer import Answer
    from articlebot.spiders.desk import Desk
    from articlebot.spiders.parts import Parts
    from articlebot.spiders.videos import Videos

# Visits of a page never read that may meet a 403 or a wall that passes, before it is given up.
REFUSED_PATIENCE = 3
# Articles that are gone through one by one where nothing else leads to them: as many as 30 pages of a list have.
_FURTHEST = 600
# Walls that are not there for every reader, or not for long.
PASSING = frozenset[Wall]({"captcha", "challenge", "blocked"})


class ArticlePages:
    """Reads what a link led to.

    Args:
        desk: what it works with.
        parts: gathers articles of several pages.
        videos: completes the addresses of play pages.
    """

    def __init__(self, desk: Desk, parts: Parts, videos: Videos) -> None:
        self._desk, self._parts, self._videos = desk, parts, videos

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
            if page.record.state.fetches:
                yield self._desk.withdrawn(page, f"http_{page.status}")
        else:
            await self._desk.runtime.reader.prepare(page.fetched)
            try:
                article, further = self._desk.runtime.reader.read(page.fetched, page.job, page.visit)
            except Refusal as refusal:
                if refusal.reason in UNWANTED and is_read(page.record):
                    yield await self._withdrawn(page, refusal)
                else:
                    await self._refuse(page, refusal)
                return
            if others := await self._same_text(page, article):
                for record in filter(None, await self._desk.runtime.pages.get(others)):
                    yield self._desk.withdrawn(replace(page, record=record), "wall")
                await self._refuse(page, Refusal("wall", page.fetched.url, wall="blocked"))
                return
            self._desk.outcomes.page(page, "article")
            if (known := await self._desk.identified(page, article)) is not None:
                page = replace(page, record=known)
                further = further if article.kind != "document" else []
                if page.job.neighbours and page.visit.depth < _FURTHEST:
                    await admit(self._desk, page, neighbours(page.fetched.page, further))
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
        if refusal.links and page.visit.depth < page.job.depth:
            await admit(self._desk, page, refusal.links)
        await self._desk.fail(page, REFUSED_PATIENCE if wall in PASSING else 0)
