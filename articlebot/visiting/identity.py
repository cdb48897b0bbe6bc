"""Which article a page is: one that is known by another address, one that has moved, or one of its own."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from math import inf

from redis.exceptions import RedisError

from articlebot.dedup import article_text, judge_change
from articlebot.items import Article
from articlebot.jobs import Job
from articlebot.jobs.visit import Visit
from articlebot.recrawl import PageRecord, Validators
from articlebot.runtime.repeats import MOST_CHARS
from articlebot.text import content_hash
from articlebot.urls import page_key, site, subdomain
from articlebot.visiting.answer import Answer
from articlebot.visiting.desk import REFUSED_PATIENCE, Desk
from articlebot.visiting.named import is_other
from articlebot.visiting.outcomes import is_read

logger = logging.getLogger(__name__)
# An article that its site shows anew under another address after so long is published again.
_ON_ITS_WAY_S = 86_400.0
# Visits of a page that waits until the first address of its text was asked: that may not answer. Between them seconds
# pass, the more the more there were, 7.5 in all: where a host may be asked without pause, six visits were over on a
# busy machine before the redirect of the first address had been followed.
_MOST_WAITS, _WAIT_S = 6, 0.5
# SimHash bits by which an article that was edited differs at most; two that have nothing in common differ by
# 32 of 64, and by so few once in 27,000 pairs.
MOST_BITS = 16


class Identity:
    """Tells articles from other addresses of them.

    Args:
        desk: what it works with.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk, self._runtime = desk, desk.runtime

    async def identified(self, page: Answer, article: Article, further: Collection[str] = ()) -> PageRecord | None:
        """The record under which an article is kept; None when it is known under another address already.

        Args:
            further: the article's further pages.
        """
        key, pages, url = int(article.page_key, 16), self._runtime.pages, article.canonical_url
        if is_read(page.record):
            await self._note_edited(page, article, key)
        elif await self._is_twin(page, article, key, further):
            return None
        elif (known_as := await self._lost(page, article)) is not None:
            key, article.canonical_url = known_as
            article.page_key, url = f"{key:016x}", page.record.url
        if key == page.record.key:
            return page.record
        (known,) = await pages.get([key])
        if page.record.state.fetches:
            await pages.forget(page.record.key)
        if known is not None:
            self._desk.outcomes.count("alias", f"{page.fetched.url} is {article.canonical_url}")
            if not further and self._is_edited(page, article, known):
                await pages.put_off({key: 0.0}, inf)
            return None
        await self._runtime.frontier.of_host(subdomain(article.canonical_url)).seen.mark([key])
        return page.record._replace(key=key, url=url)

    async def stays(self, page: Answer, article: Article) -> bool:
        """Whether what is at the address of an article that was read before is that one; then it keeps its identity.

        A site that orders its addresses anew, or makes them of headlines, leads from the old one to the new one.
        """
        key = int(article.page_key, 16)
        if key == page.record.key:
            return True
        (known,) = await self._runtime.pages.get([key])
        if not self.is_like(page, article) or (known is not None and is_read(known)):
            return False
        await self._runtime.frontier.of_host(subdomain(article.canonical_url)).seen.mark([key])
        article.page_key, article.canonical_url = f"{page.record.key:016x}", page.record.url
        return True

    async def moves(self, page: Answer) -> bool:
        """Whether an article that is gone from its address is looked for at another one, where its site has shown it.

        Where addresses were ordered anew without redirects, it is the same article still, from the second visit on that
        finds it gone: what is away for a moment stays where it is.
        """
        try:
            other = await self._runtime.twins.other_of(page.record.key)
        except RedisError as error:
            logger.info("Not asked whether %s stands elsewhere: %s", page.record.url, error)
            return False
        own, url = page.record.key, page.record.url
        if page_key(page.fetched.url) == own != page_key(url):  # asked for at the address from which it has moved
            other = url
        elif other is None or other == url:
            return False
        elif not page.record.state.failures:
            await self._desk.observe(page, "failed")
            return True
        await self._look_at(page, other)
        return True

    async def _look_at(self, page: Answer, url: str) -> None:
        """Visits an article at another address from now on, and at once."""
        self._desk.outcomes.count("moved", f"{page.record.url} may be {url} now")
        record = page.record._replace(url=url, validators=Validators())
        await self._desk.observe(replace(page, record=record), "failed")
        await self._runtime.pages.put_off({record.key: 0.0}, inf)

    def is_like(self, page: Answer, article: Article) -> bool:
        """Whether an article is the one that was read at the visit before, as it was or edited."""
        state, text = page.record.state, article_text(article.title, article.body)
        if article.kind == "document" and state.content_hash == int(article.content_hash, 16):
            return True
        verdict = judge_change(state.content_hash, state.fingerprint, text, self._runtime.config.change)
        return verdict.change == "unchanged" or (verdict.distance is not None and verdict.distance <= MOST_BITS)

    def _is_edited(self, page: Answer, article: Article, known: PageRecord) -> bool:
        """Whether an article shows another text under an alias than at its own last visit, which is a while ago."""
        if article.kind == "document" or not article.body or not is_read(known):
            return False
        passed, text = page.fetched.at - known.state.last_at, content_hash(article_text(article.title, article.body))
        return passed > self._runtime.config.recrawl.min_interval and text != known.state.content_hash

    async def _note_edited(self, page: Answer, article: Article, key: int) -> None:
        """Has a text that is another one than at the visit before known as that of its address, for its others."""
        text = content_hash(article_text(article.title, article.body))
        if article.kind != "document" and article.body and text != page.record.state.content_hash:
            with suppress(RedisError):  # without it, it is published again where it moves
                await self._first_of(page, article, text, key)

    async def _first_of(self, page: Answer, article: Article, text: int, key: int) -> tuple[int, float, bool]:
        """Page key under which an article was read first, and when; whether its headline and text were not together.

        One that was edited as it moved has its headline and its day still.
        """
        home, twins = _home(page.job, article), self._runtime.twins
        first, at = await twins.first_of(home, text, key, page.fetched.at)
        if (is_new := first == key) and len(article.body) >= MOST_CHARS:
            first, at = await twins.first_of(home, content_hash(article.body), key, page.fetched.at)
        if first == key and article.published_at:
            named = content_hash(f"{article.title}\n{article.published_at[:10]}")
            first, at = await twins.first_of(home, named, key, page.fetched.at)
        return first, at, is_new

    async def _is_twin(self, page: Answer, article: Article, key: int, further: Collection[str]) -> bool:
        """Whether the site shows the text under another address that is followed already, or may have moved it."""
        if article.kind == "document" or not article.body:
            return False
        text = content_hash(article_text(article.title, article.body))
        try:
            first, at, is_new = await self._first_of(page, article, text, key)
        except RedisError as error:
            logger.info("Not asked whether %s has a twin: %s", page.fetched.url, error)
            return False
        if first == key:
            return False
        (known,) = await self._runtime.pages.get([first])
        if known is not None and known.url == page.record.url:  # has moved here
            await self._desk.fail(page, 0)
            return True
        if is_new and (known is None or known.state.content_hash != text):
            is_like = known is not None and self.is_like(replace(page, record=known), article)
            return known is not None and is_like and await self._may_have_moved(page, known)
        # Unknown: on its way through the pipelines, or not kept because its job visits no article again; later, gone.
        # Of one of several pages the whole is kept, which is not known yet.
        same = known is not None and (bool(further) or known.state.content_hash in (0, text))
        if is_twin := page.fetched.at - at < _ON_ITS_WAY_S if known is None else same:
            self._desk.outcomes.count("alias", f"{page.fetched.url} is a page read before")
            await self._note_other(page, first, known)
            await self._desk.fail(page, REFUSED_PATIENCE if is_other(page) else 0)
        return is_twin

    async def _lost(self, page: Answer, article: Article) -> tuple[int, str] | None:
        """Page key and address under which the archive has what Redis knows no more, None where it has not.

        Redis was emptied or put back to an older state, and the site shows the article at another address by now.
        """
        runtime = self._runtime
        if article.kind == "document" or not article.body:
            return None
        try:
            if not await runtime.lost.is_some():
                return None
        except RedisError as error:
            logger.info("Not asked whether %s was published before: %s", page.fetched.url, error)
            return None
        text, sites = content_hash(article_text(article.title, article.body)), {article.site, _home(page.job, article)}
        found = await runtime.archive_wait.call(
            lambda: asyncio.to_thread(runtime.archive.with_text, article.body, text, sites), "An article that is new"
        )
        return None if int(article.page_key, 16) in dict(found) else next(iter(found), None)

    async def _note_other(self, page: Answer, first: int, known: PageRecord | None) -> None:
        """Remembers a further address of an article; where that was withdrawn at its first one, it has moved."""
        await self._remember_other(page, first)
        if known is None or not known.state.failures:
            return
        archived = await self._runtime.archive_wait.call(
            lambda: asyncio.to_thread(self._runtime.archive.newest_of, first), "An article that may have moved"
        )
        if archived is not None and archived["withdrawn_at"] is not None:
            await self.moves(replace(page, record=known))

    async def _remember_other(self, page: Answer, first: int) -> None:
        with suppress(RedisError):  # without it, it is not found where its first address goes away
            await self._runtime.twins.note_other(first, page.record.url)

    async def _may_have_moved(self, page: Answer, known: PageRecord) -> bool:
        """Whether a text under another headline, or edited, is put off until its first address has been asked again.

        A headline that is worded anew often moves its article, which a list may show before the old address does.
        """
        state = page.record.state
        if state.failures and known.state.failures:
            await self._look_at(replace(page, record=known), page.record.url)
            await self._desk.fail(page, 0)
            return True
        is_asked = state.failures > 0 and known.state.last_at >= state.first_at
        if is_asked or state.failures >= _MOST_WAITS or known.job != page.job.name or not is_read(known):
            return False
        if not state.failures:
            await self._remember_other(page, known.key)
            visit = Visit(job=known.job, kind=known.form, key=known.key, delay=page.job.delay)
            await self._desk.queue(self._desk.request(known.url, page.job, visit))
            self._desk.outcomes.count("asked_first_address", f"{page.fetched.url} has the text of {known.url}")
        await asyncio.sleep(_WAIT_S * state.failures)  # the slot is free meanwhile
        await self._desk.fail(page, _MOST_WAITS)
        # Due at once, in any run: its slot asks for what was queued first.
        await self._runtime.pages.put_off({page.record.key: 0.0}, inf)
        return True


def _home(job: Job, article: Article) -> str:
    """The site whose an article is: of one that has moved, the site that the job names, as before."""
    if job.site is None or (home := site(job.site)) == article.site:
        return article.site
    return home if any(site(url) == article.site for url, _ in job.entry_urls) else article.site
