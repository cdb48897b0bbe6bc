"""First visits of jobs that name a site alone: a look at what it offers, after which it is followed by that."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping, Set
from typing import Any

from redis.exceptions import RedisError
from scrapy.crawler import Crawler

from articlebot.diagnosis import Finding
from articlebot.errors import ArticlebotError, RefusedError, StoreUnavailable
from articlebot.jobs import Job
from articlebot.jobs.follow import MOST_LIST_PAGES
from articlebot.jobs.visit import META_KEY, Visit
from articlebot.looks.look_fetch import LookFetch
from articlebot.looks.seen import Seen, ends_of, in_order
from articlebot.looks.site_look import SiteLook
from articlebot.runtime.diagnosis import Settled
from articlebot.seeds.jobblock import keys_of
from articlebot.urls import canonical_or_none, page_key
from articlebot.visiting.answer import asked_for
from articlebot.visiting.backfills import go_through
from articlebot.visiting.desk import Desk
from articlebot.visiting.entry_pages import EntryPages
from articlebot.visiting.look_told import found_of, screen, why_nothing
from articlebot.visiting.seeding import add_entries, seeds_of
from articlebot.visiting.turning import LITTLE_PATIENCE, PATIENCE

logger = logging.getLogger(__name__)
# Sites that are looked at at once, pages of one look, and seconds until one that brought nothing is looked at again.
# A look takes half a minute of waiting for its site, and holds its pages until it ends: 10 MB of memory where they
# have 150 kB each (40 more looks at once, of 3,000 such sites: 956 MB where it was 560).
_AT_ONCE, _MOST_PAGES, _AGAIN_S = 16, 40, 3600.0
# So many more where a site says nothing for seconds, which holds no pages: it is given up after 45 s.
_SILENT_S, _MOST_SILENT = 5.0, 24
# A site with a finding is looked at again when the last look is a day old; findings of a week are told.
_LOOK_AGAIN_S, _FINDINGS_S = 86_400.0, 7 * 86_400.0
# Looks of other workers are asked for no more often than this, seconds, and of so many sites that wait: as many as
# sixty workers look at.
_ASK_S, _ASKED = 2.0, 512


class FirstLooks:
    """Looks at the sites of jobs that nobody has looked at, beside the rounds.

    Args:
        desk: its jobs and stores.
        entry_pages: reads what a look has fetched, as if the crawl had.
        crawler: fetches.
    """

    def __init__(self, desk: Desk, entry_pages: EntryPages, crawler: Crawler) -> None:
        self._desk, self._entry_pages, self._crawler = desk, entry_pages, crawler
        self._running: dict[str, asyncio.Task[None]] = {}
        self._fetching: dict[str, tuple[float, LookFetch]] = {}
        self._not_before: dict[str, float] = {}
        self._asked_at, self._heard = 0.0, ""
        self._looked_at, self._failed_at = dict[str, float](), dict[str, float]()
        self._again = desk.to_look_at

    async def know(self) -> None:
        """Completes the jobs by what earlier looks have found.

        Raises:
            redis.RedisError: Redis is away.
        """
        self._heard, _ = await self._desk.runtime.looks.heard("")
        jobs = {job.name: job for job in self._desk.jobs.stated if job.site is not None}
        found = await self._desk.runtime.looks.get(jobs)
        found = {name: one for name, one in found.items() if one.site == jobs[name].site}
        self._desk.know({name: one.keys for name, one in found.items()})
        for name, one in found.items():
            self._desk.runtime.reader.know_front(name, one.front)
        self._looked_at = {name: one.at for name, one in found.items()}
        if found:
            now = self._desk.now()
            self._reconsider(await self._desk.runtime.diagnosis.pasts.findings(now - _FINDINGS_S), now)

    async def begun(self, jobs: Iterable[Job]) -> None:
        """Of jobs that are new, come back or changed, what was found counts while it is kept: one may be forgotten.

        Raises:
            redis.RedisError: Redis is away.
        """
        sites = {job.name: job.site for job in jobs if job.site is not None and job.name not in self._running}
        kept = {name for name, one in (await self._desk.runtime.looks.get(sites)).items() if one.site == sites[name]}
        self._desk.know_no_more(sites.keys() - kept - self._again)

    def changed(self, jobs: Iterable[Job]) -> None:
        """What a job says is not what it said when its site told nothing: that is looked at again at once."""
        for job in jobs:
            if job.name in self._again:
                self._not_before.pop(job.name, None)

    def settled(self, settled: Settled) -> None:
        """An hour of a worker was judged."""
        self._reconsider(settled.findings, settled.at)

    def _reconsider(self, findings: Iterable[Finding], now: float) -> None:
        """Sites that give nothing, or far less than usual, are looked at again: they may have been built anew."""
        self._again |= {
            one.job for one in findings
            if one.severity == "fault" and now - self._looked_at.get(one.job, now) > _LOOK_AGAIN_S
        }  # fmt: skip

    async def tend(self, now: float) -> int:
        """Begins the looks that are wanted; returns how many are under way, here or elsewhere.

        Raises:
            redis.RedisError: Redis is away.
        """
        for name in [name for name, task in self._running.items() if task.done()]:
            self._running.pop(name).result()
        if now - self._asked_at >= _ASK_S:
            self._asked_at = now
            await self._hear()
            await self._desk.runtime.looks.go_on(self._running)
            if not self._is_full:
                await self._begin(self._wanted(now)[:_ASKED])
        return len(self._wanted(now)) + len(self._running)

    @property
    def _is_full(self) -> bool:
        silent = sum(self._desk.now() - at > _SILENT_S and not one.heard for at, one in self._fetching.values())
        return len(self._running) - min(silent, _MOST_SILENT) >= _AT_ONCE

    async def _begin(self, wanted: list[Job]) -> None:
        """Begins looks that no other worker makes, the first of the wanted."""
        looks, heard = self._desk.runtime.looks, set[str]()
        free = await looks.free(job.name for job in wanted)
        for job in [job for job in wanted if job.name in free]:
            if self._is_full:
                break
            if not await looks.begin(job.name, self._desk.runtime.worker):
                continue
            heard |= await self._hear()
            if job.name in heard:  # another's look has ended just before
                await looks.end(job.name)
            else:
                self._running[job.name] = asyncio.ensure_future(self._look(job))

    def _wanted(self, now: float) -> list[Job]:
        """The jobs whose sites are to be looked at, here or elsewhere."""
        elsewhere, book = self._desk.runtime.assignment.elsewhere, self._desk.jobs
        again = [job for name in self._again if book.follows(name) and (job := book.get(name)) is not None]
        unseen = [job for job in (*book.unseen, *again) if job.name not in elsewhere]
        return [job for job in unseen if job.name not in self._running and now >= self._not_before.get(job.name, 0.0)]

    async def _hear(self) -> Set[str]:
        """Goes by what other workers have found meanwhile; returns the names of the jobs."""
        looks, book, told = self._desk.runtime.looks, self._desk.jobs, {}
        self._heard, names = await looks.heard(self._heard)
        found, failed = await looks.get(names), await looks.failed_at(names)
        for name in names:
            job, one = book.every.get(name), found.get(name)
            if job is None or job.site is None:
                continue
            is_found = one is not None and one.site == job.site
            if one is not None and is_found and (one.at, one.keys) != (self._looked_at.get(name), book.found(name)):
                told[name] = self._told(job, one.keys, one.at)
                self._desk.runtime.reader.know_front(name, one.front)
            elif failed.get(name, 0.0) > self._failed_at.get(name, self._desk.begun_at):
                told[name] = self._told(job, {}, failed[name])
        if told:
            self._desk.know(told)
            # One that was due before this worker knew of it was taken for one that no job names, and forgotten. Those
            # that are stored keep their due times: moved to now, they would be due after all that this run visits.
            whole = seeds_of(job for name in told if (job := self._desk.jobs.get(name)) is not None)
            await self._desk.runtime.pages.add_seeds(whole, self._desk.begun_at)
        return told.keys()

    def _told(self, job: Job, keys: Mapping[str, Any], at: float) -> Mapping[str, Any]:
        """What to go by after a look: what was known stays known, and a home page that tells nothing is its list."""
        if not keys:
            self._again.add(job.name)
            self._failed_at[job.name], self._not_before[job.name] = at, at + _AGAIN_S
        elif at > self._looked_at.get(job.name, 0.0):
            self._again.discard(job.name)
        self._looked_at[job.name] = at
        return keys or self._desk.jobs.found(job.name) or {"list_pages": [job.site]}

    async def closed(self) -> None:
        """The crawl has ended: what it did not look through, the next one looks at from the beginning."""
        for task in self._running.values():
            task.cancel()
        try:
            await self._desk.runtime.looks.end(*self._running)
        except (RedisError, OSError) as error:
            logger.warning("Looks that this crawl began wait for seconds in the next, Redis is away: %s", error)

    async def _look(self, job: Job) -> None:
        visit = Visit(job=job.name, kind="list", key=page_key(job.site or ""), delay=job.delay)
        assert job.site is not None
        look = SiteLook(self._crawler, job.site, _MOST_PAGES, thorough=False, meta={META_KEY: visit.meta()})
        look.as_list = job.site == self._desk.jobs.typed
        self._fetching[job.name] = self._desk.now(), look.fetching
        try:
            await look.run()
        except (StoreUnavailable, RedisError, OSError) as error:
            logger.warning("The look at %s broke off: %s", job.site, error)
        except Exception:
            # Whatever a site holds, its home page is followed.
            logger.exception("The look at %s broke off", job.site)
        finally:
            look.fetching.close()
            del self._fetching[job.name]
        if self._desk.runtime.is_ending():
            return  # what is missing was not there for this look alone
        try:
            await self._settle(job, look)
        except (StoreUnavailable, RedisError) as error:
            logger.warning("The look at %s is made again: %s", job.site, error)
            self._again.add(job.name)
            self._not_before[job.name] = self._desk.now() + _ASK_S

    async def _settle(self, job: Job, look: SiteLook) -> None:
        """Goes by what was found."""
        found, runtime, now = look.found, self._desk.runtime, self._desk.now()
        self._desk.know({job.name: self._told(job, keys_of(found) if found.entries else {}, now)})
        whole = self._desk.jobs.get(job.name)
        if whole is None:
            return
        kept = found_of(look, now)
        if found.entries:
            await runtime.looks.tell(job.name, kept)
        runtime.reader.know_front(job.name, kept.front)
        if job.backfill is not None and await runtime.backfills.begin(job.name, job.backfill, now):
            looked = {seen.response.url for seen in look.seen}
            for url in [url for url in job.archives if url not in looked]:
                await go_through(self._desk, whole, url, "list")
            await runtime.backfills.has_begun(job.name)
        for url in (*(seen.response.url for seen in look.seen if seen.form == "list"), *look.passed):
            await runtime.backfills.is_new(job.name, job.backfill, page_key(url))
        shown, listed = (set(map(page_key, read)) for read in (look.fresh, look.known))
        telling = [page_key(look.first.url)] if look.samples.only_listed() else []
        await runtime.looks.keep_read(job.name, shown=shown, listed=listed, telling=telling)
        ends = frozenset({*(ends_of(look) if whole.archives else ()), *look.turned})
        links = ((canonical_or_none(link.url), link.text) for one in look.listings for link in one.links)
        await runtime.twins.learn((url, text) for url, text in links if url is not None and whole.owns(url))
        for seen in in_order(look.seen, dict(whole.entry_urls)):
            await self._replay(seen, whole, look, ends)
        await add_entries(runtime.pages, self._desk.jobs, [whole], self._desk.begun_at)
        if found.entries:
            await runtime.looks.put(job.name, kept)
        else:
            await runtime.looks.note_failure(job.name, why_nothing(found, _AGAIN_S), now)
        await runtime.looks.end(job.name)
        logger.info("%s", screen(job.name, found))

    async def _replay(self, seen: Seen, job: Job, look: SiteLook, ends: frozenset[str]) -> None:
        """Reads an answer of the look as the visit that a round would have made.

        Args:
            ends: what leads on to pages that no other may name: the oldest date archive of the look, those that list
                archives alone, and the last of a list's own pages that it has turned.
        """
        try:
            url = asked_for(seen.response)
        except RefusedError:
            return
        request = seen.response.request
        assert request is not None
        if url not in dict(job.entry_urls) and seen.response.url in dict(job.entry_urls):
            # The job follows where the address leads to: this visit is of that.
            url = seen.response.url
            request.meta.pop("redirect_urls", None)
        urls, home, last = {url, seen.response.url}, look.first.url, look.sections.last
        patience = LITTLE_PATIENCE if look.first.goes_on and seen.response.url not in (home, *ends) else PATIENCE
        entries, behind = dict(job.entry_urls), set(job.archives)
        follows = not urls.isdisjoint(entries)
        # What the home page leads to besides comes behind its own further pages, which go on from the last of the look.
        months = tuple(one.url for one in look.listings[0].archives) if last in urls and home in behind else ()
        leads = follows or not urls.isdisjoint((behind - {home} if last else behind) | ends)
        # What is followed by another list is not turned for its own sake, however much of it is new.
        part = 1 if follows or seen.form == "sitemap" else 2 if leads else MOST_LIST_PAGES
        visit = Visit(
            job=job.name, kind=seen.form, key=page_key(url), part=part, delay=job.delay,
            further=patience if leads else 0, patience=patience, ahead=months,
            # Lists may tell the days of what the map only names: that comes behind what these name.
            backfill=seen.form == "sitemap" and not look.whole(),
        )  # fmt: skip
        request.meta[META_KEY] = visit.meta()
        try:
            if (page := await self._desk.answer(seen.response)) is not None:
                await self._entry_pages.read(page, seen.form)
        except ArticlebotError as error:
            logger.warning("%s is visited again: %s", url, error)
