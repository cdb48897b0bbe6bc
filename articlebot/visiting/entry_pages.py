"""Entry pages: lists, feeds and sitemaps, which are visited for their links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import NamedTuple

from articlebot.bounded import Bounded
from articlebot.dedup import judge_change
from articlebot.extraction.url_words import is_about_wiki
from articlebot.extraction.walls import PASSING
from articlebot.items import Link
from articlebot.jobs import Job
from articlebot.jobs.backfill import Bounds
from articlebot.jobs.book import is_article
from articlebot.jobs.follow import list_hash
from articlebot.page.anchors import anchors_of
from articlebot.page.feeds import next_of_feed, parse_feed, part_after
from articlebot.page.sitemaps import SitemapEntry, parse_sitemap
from articlebot.recrawl import Kind
from articlebot.recrawl.observation import Outcome
from articlebot.recrawl.record import Seed
from articlebot.recrawl.said import Said
from articlebot.runtime.repeats import shown_on
from articlebot.sources.dated import time_in
from articlebot.sources.maps import article_entries, children
from articlebot.text import simhash
from articlebot.urls import canonical_or_none, page_key, site
from articlebot.visiting.answer import Answer
from articlebot.visiting.desk import Desk
from articlebot.visiting.links import Admitted, admit
from articlebot.visiting.overlooked import Overlooked
from articlebot.visiting.turning import FIRST_PAGES, Turning

SITEMAP_ENTRIES = 2000
# Statuses that say all there is to say of a visit; the two last ones say that the page is gone.
GONE = (404, 410)
SETTLED = (304, *GONE)
# Entry pages whose last reading is in mind: 5,000 sites of twenty.
_MOST_IN_MIND = 100_000
# Of visits to one that stays byte for byte the same, each so-and-so-many-th reads it again: its links may be judged
# otherwise by then, and what was lost on the way to the queue comes back.
_READ_AGAIN = 8


class _Reading(NamedTuple):
    """How an entry page was when it was read: a digest, the job as it was, and the same answers since then.

    ``losses``: how often Redis had come back, perhaps without what was queued last.
    """

    digest: bytes
    job: Job
    losses: int
    answers: int = 0


class EntryPages:
    """Reads entry pages: admits their links together, and tells the visit what was new.

    Args:
        desk: what it works with.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk, self.turning, self.overlooked = desk, Turning(desk), Overlooked(desk)
        self._read: Bounded[int, _Reading] = Bounded(_MOST_IN_MIND)

    async def read(self, page: Answer, form: str) -> None:
        """An answer that is to be read as a list, a feed or a sitemap."""
        if page.status in SETTLED:
            await self._settle(page)
            return
        reading = _reading(page, self._desk.runtime.frontier.links.forgotten)
        last = self._read.pop(page.record.key, None) if reading is not None else None
        is_known = bool(page.record.state.content_hash)  # not where Redis was emptied
        if is_known and last is not None and last[:3] == reading and last.answers < _READ_AGAIN:
            self._desk.runtime.count("recrawl/read_before")
            await self._stand(page)
            self._read[page.record.key] = last._replace(answers=last.answers + 1)
            return
        admitted = await {"list": self._list, "feed": self._feed, "sitemap": self._sitemap}[form](page)
        if reading is not None and admitted is not None and admitted.found and admitted.new is not None:
            self._read[page.record.key] = _Reading(*reading)

    async def _list(self, page: Answer) -> Admitted | None:
        """A list page, and where it goes on."""
        listing = self._desk.runtime.reader.listing(page.fetched, page.job)
        if not (listing.links or listing.archives):
            passes = await self._desk.outcomes.wall(page.job.name, page.fetched) in PASSING
            if page.visit.part > 1 and (passes or _is_bare(page)):
                await self.turning.again(page)
                return None
            if page.record.state.content_hash:  # it was a list
                text, key = shown_on(page.fetched.page), page.record.key
                await self._desk.runtime.repeats.notice(site(page.record.url), text, key)
        admitted = await self._admit(page, listing.links, listing.published, leads=bool(listing.archives))
        await self.turning.after(page, listing, admitted)
        await self.overlooked.read(page, listing, admitted)
        return admitted

    async def _feed(self, page: Answer) -> Admitted | None:
        """A feed, which states title and date of its entries."""
        entries = parse_feed(page.fetched.body, page.fetched.url, page.job.zone)
        if not entries:
            self._desk.outcomes.count("refused/feed_without_entries", page.fetched.url)
            if page.visit.part > 1 and _is_bare(page):
                await self.turning.again(page)
                return None
        # A wiki's feed of changes names its files, users and talks as well.
        links = [Link(url=entry.url, text=entry.title) for entry in entries if not is_about_wiki(entry.url)]
        stated = {entry.url: entry.updated_at for entry in entries}
        admitted = await self._admit(page, links, {entry.url: entry.published_at for entry in entries}, stated)
        first = page.visit.part > 1 or not page.record.state.content_hash
        if page.job.neighbours and first and admitted.new and page.visit.part < FIRST_PAGES:
            # Nothing else leads to older articles.
            url = page.fetched.url
            # One that said where its second part is says so of the third.
            told = page.visit.part > 1 and "paged=" not in url
            await self.turning.feed(page, next_of_feed(page.fetched.body, url) or (None if told else part_after(url)))
        return admitted

    async def _sitemap(self, page: Answer) -> Admitted:
        """A sitemap: the newest of its pages are admitted, its children become entry pages."""
        found = parse_sitemap(page.fetched.body, page.fetched.url)
        if not (found.entries or found.children):
            self._desk.outcomes.count("refused/sitemap_without_entries", page.fetched.url)
        job, judge = page.job, self._desk.runtime.reader.shapes(page.job.name).judge
        articles = article_entries(found.entries, judge, lambda url: is_article(job, url))
        newest = sorted(articles, key=lambda entry: -(entry.published_at or entry.modified_at or 0))
        named = list(_canonical(children(found.children)))
        inner = [Seed(page_key(url), url, job.name, Kind.LIST, "sitemap") for url, _ in named]
        # The newest parts belong to the visit of their index: a run for cron does what was due when it began.
        await self._desk.runtime.pages.add_seeds(inner[:FIRST_PAGES], self._desk.begun_at)
        await self._desk.runtime.pages.add_seeds(inner[FIRST_PAGES:], self._desk.now())
        await self._desk.runtime.stated.note_children(job.name, page.record.url, (seed.key for seed in inner))
        if inner:
            times = (entry.modified_at for _, entry in named)
            await self._hear(page, [Said.of(seed.key, at, "") for seed, at in zip(inner, times, strict=True)])
        newest = await self._wanted(page, newest)
        first = newest[:SITEMAP_ENTRIES]
        changed = {entry.url: entry.modified_at for entry in first}
        admitted = await self._admit(page, _links(first), _published(first), changed)
        await self._older(page, newest[SITEMAP_ENTRIES:])
        return admitted

    async def _wanted(self, page: Answer, entries: list[SitemapEntry]) -> list[SitemapEntry]:
        """Without those that were neither published nor changed since a backfill by days begins."""
        since = await self._desk.runtime.backfills.since(page.job.name, page.job.backfill)
        times = ((one, one.published_at or one.modified_at) for one in entries)
        return [one for one, at in times if since is None or at is None or at >= since]

    async def _older(self, page: Answer, entries: Sequence[SitemapEntry]) -> None:
        """Of what a sitemap names beyond its newest entries, a backfill takes what it asks for."""
        wanted, now = page.job.backfill, self._desk.now()
        if wanted is None or not entries or not await self._desk.runtime.backfills.has_room(page.job.name, wanted):
            return
        bounds = Bounds.of(wanted)
        kept = [one for one in entries if bounds.takes(one.published_at or one.modified_at, now)][: bounds.articles]
        old = replace(page, visit=replace(page.visit, part=2, backfill=True))
        await self._admit(old, _links(kept), _published(kept))

    async def _settle(self, page: Answer) -> None:
        """The status says it all: 304, or 404 and 410; a further page of a list has no visits of its own."""
        if page.visit.part > 1 and page.status in GONE:
            await self.turning.missing(page)
        if page.visit.part == 1:
            self._desk.outcomes.settled(page)
            await self._desk.observe(page, "not_modified" if page.status == 304 else "gone")
            await self.overlooked.quiet(page, surely=page.status in GONE)

    async def _stand(self, page: Answer) -> None:
        """An entry page is byte for byte as it was read last: nothing is read of it."""
        state = page.record.state
        alike = {"fingerprint": state.fingerprint, "distance": 0} if state.fingerprint else {}
        self._desk.outcomes.named(page, 0)
        await self._desk.observe(page, "unchanged", content_hash=state.content_hash, new_items=0, **alike)
        await self.overlooked.quiet(page)

    async def _admit(
        self, page: Answer, links: Sequence[Link], published: Mapping[str, float | None] | None = None,
        stated: Mapping[str, float | None] | None = None, *, leads: bool = False,
    ) -> Admitted:  # fmt: skip
        """Admits the links of an entry page; ``leads`` where it is one that leads to others, as to date archives."""
        admitted = await admit(self._desk, page, await self._in_time(page, links, published or {}), published, stated)
        self._desk.outcomes.named(page, admitted.new or 0)
        if page.visit.backfill:
            self._desk.runtime.backfills.note(page.job.name, page.job.backfill, admitted=admitted.new or 0, lists=1)
        if admitted.new is not None and page.visit.kind != "auto" and page.visit.part == 1:
            self._desk.outcomes.entry(page, links, len(admitted.found), leads=leads)
            seen, state = list_hash(admitted.found), page.record.state
            outcome: Outcome = "unchanged" if state.content_hash == seen else "changed"
            more = self._fingerprint(links, state.fingerprint)
            await self._desk.observe(page, outcome, content_hash=seen, new_items=admitted.new, **more)
            named = (Said.of(one.key, one.stated_at, one.meta.get("anchor", "")) for one in admitted.found if one.key)
            await self._hear(page, named)
            if not admitted.new:
                await self.overlooked.quiet(page, surely=not links)
        return admitted

    async def _hear(self, page: Answer, said: Iterable[Said]) -> None:
        """Takes what the page says of known ones as signals of their changes, which cost no page of their own."""
        with self._desk.runtime.aside("signals"):
            await self._desk.runtime.visits.hear_of(page.record, said, page.job, self._desk.now())

    def _fingerprint(self, links: Sequence[Link], before: int) -> dict[str, int | None]:
        """Under the change rule ``simhash``, the SimHash of what a list says, and how far it is from the one before."""
        config = self._desk.runtime.config.change
        if config.rule != "simhash":
            return {}
        titles = "\n".join(link.text for link in links)
        found = judge_change(0, 0, titles, config).fingerprint
        return {"fingerprint": found, "distance": simhash.distance(before, found) if before and found else None}

    async def _in_time(
        self, page: Answer, links: Sequence[Link], published: Mapping[str, float | None]
    ) -> Sequence[Link]:
        """The links without those that a backfill by days leaves out, by what the page or their addresses say."""
        since = await self._desk.runtime.backfills.since(page.job.name, page.job.backfill)
        if since is None:
            return links
        return [link for link in links if (published.get(link.url) or time_in(link.url) or since) >= since]


def _reading(page: Answer, losses: int) -> tuple[bytes, Job, int] | None:
    """What a reading of an entry page depends on, None where more than that does."""
    if page.visit.part > 1 or page.visit.candidate or page.job.backfill is not None:
        return None
    body = blake2b(page.fetched.body, digest_size=8)
    body.update(page.fetched.url.encode())
    return body.digest(), page.job, losses


def _is_bare(page: Answer) -> bool:
    """Whether an answer is no list of this site, not even one without articles: empty, or HTML without any link."""
    body = page.fetched.body.strip()
    is_html = body.startswith(b"<") and "html" in (page.fetched.content_type or "")
    return not body or (is_html and not anchors_of(page.fetched.page))


def _links(entries: Iterable[SitemapEntry]) -> list[Link]:
    return [Link(url=entry.url, text=entry.title) for entry in entries]


def _published(entries: Iterable[SitemapEntry]) -> dict[str, float | None]:
    return {entry.url: entry.published_at for entry in entries}


def _canonical(entries: Iterable[SitemapEntry]) -> Iterator[tuple[str, SitemapEntry]]:
    """The entries that have an address, with it."""
    for entry in entries:
        if (url := canonical_or_none(entry.url)) is not None:
            yield url, entry
