"""What visits found, on its way into the page states; and which of the due pages may be visited now."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from articlebot.config import Config, Recrawl
from articlebot.jobs import Job
from articlebot.jobs.book import JobBook
from articlebot.jobs.history import RoundRecord, Rounds
from articlebot.jobs.learned import LearnedJobs
from articlebot.recrawl import Kind, Observation, PageRecord, Params, Validators, policy
from articlebot.recrawl.book import RecrawlBook, Terms
from articlebot.recrawl.budgets import Budget
from articlebot.recrawl.learned import RedisLearned
from articlebot.recrawl.said import RedisSaid, Said
from articlebot.recrawl.signals import REPRINT
from articlebot.recrawl.store import RedisPageStates
from articlebot.recrawl.trust import Asked
from articlebot.runtime.aside import Aside
from articlebot.urls import site

# So many points of a job's priority double the importance of its pages: 100 are worth a quarter of the interval.
_DOUBLED_BY = 25
# The offset of a job's zone is looked up four times a day: it changes at night.
_TERMS_KEPT_S = 86_400 / 4


def book_of(
    section: Recrawl, pages: RedisPageStates, learned: RedisLearned, rng: random.Random, count: Callable[[str], None]
) -> RecrawlBook:
    """The recrawl's memory as the settings have it.

    Args:
        section: ``recrawl`` of the configuration.
        pages, learned: where it is kept.
        rng: randomness of policies and checks.
        count: takes the name of each outcome.
    """
    return RecrawlBook(
        pages, learned, rng, quiet_s=section.article_days * section.day_s,
        total=None if section.budget is None else Budget(section.budget, 3600.0), count=count,
        hears=section.signals,
    )  # fmt: skip


class Visits:
    """The configured recrawl policy, with what was learned of jobs and sites.

    Args:
        config: its sections ``recrawl`` and ``change``, and the data folder.
        book: the recrawl's memory.
        history: gets a row for each visit of an entry page.
        rng: randomness of probes.
        aside: guards the history.
        store: where all workers find what was learned of jobs.
        said: what entry pages said of the pages they name.
    """

    def __init__(
        self, config: Config, book: RecrawlBook, history: Rounds, rng: random.Random, aside: Aside,
        *, store: RedisLearned, said: RedisSaid,
    ) -> None:  # fmt: skip
        self.book, self.history, self._aside, self._store = book, history, aside, store
        self._said = said
        self._learned_at: Any = None
        self._section, self._change, self._rng = config.recrawl, config.change, rng
        policy(config.recrawl.policy)  # one that is none is refused now, not at each visit
        self._learned = LearnedJobs.load(config.general.data_dir)
        self._terms: dict[str, tuple[float, Job, Terms]] = {}

    async def share(self, learned: LearnedJobs, now: float) -> None:
        """Gives all workers what was learned of the jobs.

        Raises:
            StoreUnavailable: Redis cannot be reached.
        """
        await self._store.write("jobs", {"learned": learned.to_json(), "at": {"at": now}})

    async def hear(self) -> LearnedJobs:
        """Goes by what was learned of the jobs since the last time, wherever that was, and returns it.

        Raises:
            StateError: it is damaged, or of another version; what was known stays.
            StoreUnavailable: Redis cannot be reached.
        """
        at = await self._store.read("jobs", "at")
        if at != self._learned_at and (raw := await self._store.read("jobs", "learned")) is not None:
            self._learned_at = at
            self._learned = LearnedJobs.from_json(raw, "what was learned of jobs, in Redis,")
            self._terms.clear()
        return self._learned

    async def observe(self, record: PageRecord, seen: Observation, validators: Validators, job: Job) -> PageRecord:
        """Stores the page's next state, which says when it is due again; returns when it is written."""
        name = site(record.url)
        if record.state.fetches and seen.outcome in ("changed", "unchanged"):
            # Lists that show old items at random under the same ETag hide nothing.
            changed = seen.outcome == "changed" and (seen.kind is not Kind.LIST or seen.new_items > 0)
            await self.book.answered(record, validators, name, changed=changed)
        written = await self.book.observe(record, seen, validators, self.terms(job, seen.at), name)
        if seen.kind is Kind.LIST:
            gained = seen.new_items if seen.outcome == "changed" and record.state.fetches else 0
            failed = seen.outcome in ("failed", "gone")
            row = RoundRecord(job.name, seen.at, 0 if failed else 1, gained, int(gained > 0), int(failed), record.key)
            with self._aside("history"):
                self.history.write(row)
        return written

    async def hear_of(self, entry: PageRecord, said: Iterable[Said], job: Job, now: float) -> None:
        """Takes what an entry page says of the pages it names; what it says otherwise than before moves their visits.

        Raises:
            StoreUnavailable: Redis cannot be reached; these signals are lost.
        """
        if self._section.signals:
            every = {one.key: one for one in said}
            signals = await self._said.now(entry.key, every.values())
            await self.book.signalled(signals, every, job.name, self.terms(job, now), now)

    async def hear_of_reprints(self, reprints: Sequence[int], since: float, book: JobBook, now: float) -> None:
        """Takes a new version of an article as a signal for its reprints.

        Args:
            reprints: their page keys.
            since: when the changed one was visited before; a reprint that changed after that may be what it follows.
            book: the jobs that are followed.

        Raises:
            StoreUnavailable: Redis cannot be reached; these signals are lost.
        """
        if not self._section.signals:
            return
        known = await self.book.states.get(reprints)
        # One that was found a moment ago has not changed so far.
        old = [one for one in known if one and (one.state.fetches == 1 or one.state.changed_at < since)]
        for name in {one.job for one in old}:
            if (job := book.get(name)) is not None:
                given = {one.key: REPRINT for one in old if one.job == name}
                await self.book.signalled(given, {}, name, self.terms(job, now), now)

    async def conditions(self, record: PageRecord) -> Asked:
        """How to ask for a page: whole where the site's validators lie, and now and then to see whether they do."""
        asked = await self.book.conditions(record, site(record.url))
        return asked if self._section.stop else asked._replace(unless=Validators())

    def closed_for(self, job: Job, now: float) -> float:
        """Seconds until the job's own windows, and the learned ones, are open; 0 where they are, or for a probe."""
        return self._learned.get(job.name).closed_for(job, now, self._rng)

    def allowance(self, now: float) -> int | None:
        """How many pages may be queued now under the budget of the whole crawl; None without one."""
        return self.book.budgets.allowance(now)

    async def grant(self, record: PageRecord, job: Job, now: float) -> float:
        """0 where the job's own budget lets a due page be fetched now; else the seconds to wait."""
        await self.book.budgets.open(job.name, job.budget)
        return self.book.budgets.grant(record, now)

    def terms(self, job: Job, now: float) -> Terms:
        """How the job's pages are visited again."""
        known = self._terms.get(job.name)
        if known is None or known[1] is not job or not 0 <= now - known[0] < _TERMS_KEPT_S:
            known = self._terms[job.name] = now, job, self._make_terms(job, now)
        return known[2]

    def forget(self, jobs: Iterable[str]) -> None:
        """Makes terms and budgets of jobs anew when they are next needed."""
        names = list(jobs)
        for job in names:
            self._terms.pop(job, None)
        self.book.budgets.forget(names)

    def _make_terms(self, job: Job, now: float) -> Terms:
        section = self._section
        low, high = job.bounds
        interval = self._learned.get(job.name).interval_of(job)
        offset = datetime.fromtimestamp(now, job.zone).utcoffset()
        lists = Params(
            initial=job.begins_with(interval), min_interval=low, max_interval=high, scale=section.scale,
            weight=2.0 ** (job.priority / _DOUBLED_BY),
            rule=self._change.rule, threshold=self._change.threshold, day_s=section.day_s,
            utcoffset=0.0 if offset is None else offset.total_seconds(),
            stated_at=None if interval is None else 0.0,
        )  # fmt: skip
        pages = lists._replace(
            stated_at=None,
            min_interval=min(section.min_interval, section.max_interval),
            max_interval=section.max_interval,
        )
        return Terms(lists, pages, section.policy, job.budget)
