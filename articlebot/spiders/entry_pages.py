"""Entry pages: lists, feeds and sitemaps, which are visited for their links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from articlebot.errors import RefusedError
from articlebot.items import Link
from articlebot.jobs.follow import MOST_LIST_PAGES, has_overflowed, list_hash, wanted
from articlebot.jobs.visit import Visit
from articlebot.page.feeds import parse_feed
from articlebot.page.sitemaps import SitemapEntry, parse_sitemap
from articlebot.recrawl import Kind
from articlebot.recrawl.store import Seed
from articlebot.spiders.links import Admitted, admit
from articlebot.urls import canonical_url, page_key

if TYPE_CHECKING:
    from articlebot.recrawl.observation import Outcome
    from articlebot.spiders.answer import Answer
    from articlebot.spiders.desk import Desk

SITEMAP_ENTRIES = 2000
# Statuses that say all there is to say of a visit; the two last ones say that the page is gone.
GONE = (404, 410)
SETTLED = (304, *GONE)


class EntryPages:
    """Reads entry pages: their links are admitted together, and the visit is told what was new.

    Args:
        desk: what it works with.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def read(self, page: Answer, form: str) -> None:
        """An answer that is to be read as a list, a feed or a sitemap."""
        if page.status in SETTLED:
            await self._settle(page)
        else:
            await {"list": self._list, "feed": self._feed, "sitemap": self._sitemap}[form](page)

    async def _list(self, page: Answer) -> None:
        """A list page; where nearly all of its links are new, the page on which it goes on is asked for."""
        links = self._desk.runtime.reader.list_links(page.fetched, page.job)
        if not links:
            await self._desk.outcomes.wall(page.job.name, page.fetched)
        admitted = await self._admit(page, links)
        known = page.record.state.content_hash or page.visit.part > 1
        if known and page.visit.part < MOST_LIST_PAGES and has_overflowed(len(admitted.found), admitted.new or 0):
            await self._turn(page)

    async def _feed(self, page: Answer) -> None:
        """A feed, which states title and date of its entries."""
        entries = parse_feed(page.fetched.body, page.fetched.url, page.job.zone)
        if not entries:
            self._desk.outcomes.count("refused/feed_without_entries", page.fetched.url)
        links = [Link(url=entry.url, text=entry.title) for entry in entries]
        await self._admit(page, links, {entry.url: entry.published_at for entry in entries})

    async def _sitemap(self, page: Answer) -> None:
        """A sitemap: the newest of its pages are admitted, its children become entry pages."""
        found = parse_sitemap(page.fetched.body, page.fetched.url)
        if not (found.entries or found.children):
            self._desk.outcomes.count("refused/sitemap_without_entries", page.fetched.url)
        newest = sorted(found.entries, key=lambda e: -(e.published_at or e.modified_at or 0))[:SITEMAP_ENTRIES]
        name, judge = page.job.name, self._desk.runtime.reader.shapes(page.job.name).judge
        links = [Link(url=e.url, text=e.title) for e in newest if e.title or wanted(page.job, e.url, judge)]
        children = [Seed(page_key(url), url, name, Kind.LIST, "sitemap") for url in _canonical(found.children)]
        await self._desk.runtime.pages.add_seeds(children, self._desk.now())
        await self._admit(page, links, {entry.url: entry.published_at for entry in newest})

    async def _settle(self, page: Answer) -> None:
        """The status says it all: 304, or 404 and 410; a further page of a list has no visits of its own."""
        if page.visit.part == 1:
            self._desk.outcomes.settled(page)
            await self._desk.observe(page, "not_modified" if page.status == 304 else "gone")

    async def _admit(
        self, page: Answer, links: Sequence[Link], published: Mapping[str, float | None] | None = None
    ) -> Admitted:
        admitted = await admit(self._desk, page, links, published)
        if admitted.new is not None and page.visit.kind != "auto" and page.visit.part == 1:
            self._desk.outcomes.entry(page, links, len(admitted.found))
            seen = list_hash(admitted.found)
            outcome: Outcome = "unchanged" if page.record.state.content_hash == seen else "changed"
            await self._desk.observe(page, outcome, content_hash=seen, new_items=admitted.new)
        return admitted

    async def _turn(self, page: Answer) -> None:
        """Queues the page on which a list goes on."""
        if (url := self._desk.runtime.reader.next_list(page.fetched)) is None:
            return
        job, part = page.job, page.visit.part + 1
        visit = Visit(job=job.name, kind="list", key=page_key(url), part=part, delay=job.delay)
        await self._desk.queue(self._desk.request(url, job, visit))
        self._desk.outcomes.count("lists/turned", url)


def _canonical(entries: Iterable[SitemapEntry]) -> Iterator[str]:
    """The addresses of entries that have one."""
    for entry in entries:
        try:
            yield canonical_url(entry.url)
        except RefusedError:
            continue
