"""Rounds over the pages that are due: which of them are queued now, and which are put off."""

from __future__ import annotations

import asyncio

from scrapy import Request

from articlebot.frontier.inspect import queued
from articlebot.frontier.lookup import is_at_work, is_passed_over
from articlebot.frontier.requests import TURNS
from articlebot.frontier.wire import turns
from articlebot.jobs import Job
from articlebot.jobs.book import JobBook
from articlebot.jobs.follow import priority_of
from articlebot.jobs.visit import UNLESS, Visit
from articlebot.recrawl import Kind, PageRecord
from articlebot.recrawl.room import Pace, Room
from articlebot.urls import subdomain
from articlebot.visiting.desk import Desk
from articlebot.visiting.outcomes import is_read
from articlebot.visiting.seeding import LEASE_SECONDS, heir, is_left

POLL_SECONDS = 0.25
# A pause that a site has asked for, or earned by refusing, is waited for so many times as long as another start: sites
# ask for 30, 60 or 120 seconds, and a run that ended before would leave all that waits behind it to the next.
_TIMES_IN_BACK_OFF = 4
# Articles are edited, and taken back, in their first days mostly.
_YOUNG_DAYS = 3.0


class Rounds:
    """Queues what is due.

    Args:
        desk: what it works with.
        follows_on: the crawl goes on for ever; a run for cron does all that was due when it began.
    """

    def __init__(self, desk: Desk, *, follows_on: bool) -> None:
        self._desk, self._runtime, self._follows_on = desk, desk.runtime, follows_on
        self._go_by(desk.jobs)
        self._pace = Pace()

    async def rest(self) -> None:
        """Waits until the next look."""
        loop = asyncio.get_running_loop()
        wanted = loop.time() + POLL_SECONDS
        await asyncio.sleep(POLL_SECONDS)
        self._pace.note(loop.time() - wanted)

    async def queue_due(self, horizon: float, now: float) -> int:
        """Queues the pages due at ``horizon``; returns how many were due, or had stood aside and may be.

        A page is queued first, under a name that cannot be queued twice, and leased after. A worker that dies between,
        or loses Redis, leaves the page due; queueing it again changes nothing.
        """
        allowed = self._runtime.visits.allowance(now)
        most = self._runtime.config.recrawl.poll
        limit = most if allowed is None else min(most, allowed)
        pages, book = self._runtime.pages, self._desk.jobs
        skip = self._runtime.assignment.elsewhere | await self._held_back()
        # Just before they are asked for: a worker with other jobs puts them aside at each of its looks.
        back = await pages.take_back(book.follows)
        due = await pages.peek_due(horizon, limit, skip=skip) if limit else []
        followed = await self._followed(due, horizon)
        requests, times = await self._sorted_out(followed, now)
        await self._desk.queue(*requests)
        await pages.put_off(times, horizon)
        return max(back, len(due))

    async def _held_back(self) -> frozenset[str]:
        """The jobs of which nothing that is due is queued now, by any worker."""
        if (book := self._desk.jobs) is not self._book:
            self._go_by(book)
        lacking = await self._runtime.proxies.lacking(self._demanding) if self._demanding else frozenset()
        return self._unseen | lacking

    def _go_by(self, book: JobBook) -> None:
        self._book = book
        self._demanding = frozenset(job.name for job in book if job.proxies == "required")
        # What a look of another worker has found is told to this one within seconds; until then it is that one's.
        self._unseen = frozenset(job.name for job in book.unseen)

    async def _followed(self, records: list[PageRecord], horizon: float) -> list[PageRecord]:
        """Those of the pages whose jobs are followed.

        The others stand aside until their job is followed again. An entry page that its job no longer names goes to the
        job that names it now, or is forgotten.
        """
        book, pages = self._book, self._runtime.pages
        followed, aside, moved, left = [], [], [], []
        tops = await self._tops(records)
        for record in records:
            job = book.get(record.job)
            if (other := heir(record, book)) is not None:
                moved.append(record._replace(job=other))
            elif job is None or not book.follows(record.job):
                aside.append(record)
            elif is_left(record, job, book, tops.get(record.key)):
                left.append(record.key)
            else:
                followed.append(record)
        await pages.put_many(moved)
        await pages.set_aside(aside, horizon)
        await pages.forget(*left)
        return followed

    async def _tops(self, records: list[PageRecord]) -> dict[int, str | None]:
        """Of sitemaps that others name, the first of these, by page key."""
        children: dict[str, list[int]] = {}
        for record in records:
            if record.form == "sitemap" and record.url not in self._book.entry_jobs:
                children.setdefault(record.job, []).append(record.key)
        tops: dict[int, str | None] = {}
        for job, keys in children.items():
            tops.update(zip(keys, await self._runtime.stated.tops(job, keys), strict=True))
        return tops

    async def _sorted_out(self, records: list[PageRecord], now: float) -> tuple[list[Request], dict[int, float]]:
        """The requests of pages to visit now, and when each page is due again unless it is visited before."""
        # A run for cron does all that was due when it began: no other comes soon.
        known = [record for record in records if is_read(record)] if self._follows_on else []
        hosts = {subdomain(record.url): self._turns(record) for record in known}
        room = Room(await queued(self._runtime.frontier, hosts), self._pace.most)
        requests, times = [], {}
        # The longest overdue first; what was put off before keeps the time at which it was due at first.
        for record in sorted(records, key=lambda one: one.state.next_at):
            job = self._book.get(record.job)
            assert job is not None
            wait = await self._wait(record, job, room, now)
            if wait > 0.0:
                times[record.key] = now + wait
            else:
                times[record.key] = now + LEASE_SECONDS
                requests.append(await self._due_request(record, job, now))
        return requests, times

    async def _wait(self, record: PageRecord, job: Job, room: Room, now: float) -> float:
        """Seconds for which a due page is put off: its job is closed, its slot has enough, or the budget is spent.

        Windows hold back list pages only; articles are visited at any hour.
        """
        if record.state.kind is Kind.LIST and (closed := self._runtime.visits.closed_for(job, now)):
            return closed
        if self._follows_on and is_read(record):
            delays = self._runtime.config.delays
            usual = delays.mean_s if job.delay is None else job.delay
            gap, in_turn = max(usual, delays.click_interval_s), self._takes_turns(record, now)
            wait = room.wait(subdomain(record.url), gap, in_turn=in_turn)
            if wait > 0.0:
                self._runtime.count("recrawl/put_off")
                return wait
        return await self._runtime.visits.grant(record, job, now)

    async def nothing_left(self, horizon: float, now: float) -> bool:
        """Whether nothing of the jobs is queued that may start soon; what waits longer is for the next run.

        A site that refused for haste is waited for longer. So is what another run has to queue, where proxies let it:
        if that is dead, its jobs come here. What a worker for ever follows is left to it: such a one is never done.
        """
        book, assignment = self._desk.jobs, self._runtime.assignment
        if assignment.elsewhere:
            most, skip = self._runtime.config.recrawl.poll, assignment.lasting | await self._held_back()
            due = await self._runtime.pages.peek_due(horizon, most, skip=skip)
            if any(book.follows(record.job) for record in due):
                return False

        def waits_for(job: str) -> bool:
            return book.follows(job) and job not in assignment.lasting

        def has(host: str) -> bool:
            return any(waits_for(job.name) for job in book.owners(f"http://{host}/"))

        frontier, stay = self._runtime.frontier, self._runtime.config.frontier.idle_wait_s
        later = now + _TIMES_IN_BACK_OFF * stay
        wait = await frontier.idle_for(now)
        if now + (wait or 0.0) <= later and await is_at_work(frontier, waits_for, has, now + stay, later):
            return False
        return not await is_passed_over(frontier, self._runtime.worker, waits_for, now + stay)

    def _turns(self, record: PageRecord) -> str:
        job = self._book.get(record.job)
        assert job is not None
        return turns(priority_of(job, "auto", known=True), priority_of(job, "auto"))

    def _takes_turns(self, record: PageRecord, now: float) -> bool:
        """Whether a known article is not left behind all pages never read: it is young, or said to have changed.

        A site's older articles take hours to read, and most corrections come meanwhile.
        """
        young = _YOUNG_DAYS * self._runtime.config.recrawl.day_s
        is_young = record.state.kind is Kind.ARTICLE and now - record.state.first_at < young
        return is_read(record) and (is_young or bool(record.signals))

    async def _due_request(self, record: PageRecord, job: Job, now: float) -> Request:
        visit = Visit(job=job.name, kind=record.form, key=record.key, delay=job.delay)
        asked = await self._runtime.visits.conditions(record)
        request = self._desk.request(record.url, job, visit, headers=asked.send.conditions, known=is_read(record))
        if any(asked.unless):
            request.meta[UNLESS] = list(asked.unless)
        if self._takes_turns(record, now):
            request.meta[TURNS] = priority_of(job, "auto")
        return request
