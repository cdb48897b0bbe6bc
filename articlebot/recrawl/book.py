"""Turns what visits found into page states, in batches, and keeps what was learned meanwhile."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from articlebot.errors import StateError
from articlebot.recrawl.budget import Budget, Meter
from articlebot.recrawl.ends import end_of, last_visit
from articlebot.recrawl.knowledge import Knowledge
from articlebot.recrawl.learned import RedisLearned
from articlebot.recrawl.observation import Kind, Observation
from articlebot.recrawl.params import Params
from articlebot.recrawl.record import PageRecord, Validators
from articlebot.recrawl.registry import policy
from articlebot.recrawl.store import RedisPageStates
from articlebot.recrawl.trust import Trust
from articlebot.recrawl.visit import is_retired

_BATCH = 100


@dataclass(frozen=True, slots=True)
class Terms:
    """How one job is visited again.

    Attributes:
        params: bounds, initial interval, zone and change rule of its list pages.
        document_params: the same for its articles and documents, whose bounds are wider.
        policy: name or class path.
        budget: fetches per hour, None for none.
    """

    params: Params
    document_params: Params
    policy: str = "default"
    budget: float | None = None


class _Waiting(NamedTuple):
    record: PageRecord
    done: asyncio.Future[None]


class RecrawlBook:
    """The recrawl's memory inside one crawl.

    Args:
        states: where page states are kept.
        learned: where site profiles, trust and budgets are kept.
        rng: randomness of policies and checks.
        quiet_s: seconds without a change after which an article is visited no more.
        linger_s: how long a state waits for others to be written with it.
        total: budget of the whole crawl, None for none.
        count: called with the name of each outcome, for stats.
    """

    def __init__(
        self, states: RedisPageStates, learned: RedisLearned, rng: random.Random, *, quiet_s: float,
        linger_s: float = 0.02, total: Budget | None = None, count: Callable[[str], None] = lambda outcome: None,
    ) -> None:  # fmt: skip
        self.states, self._learned, self._rng = states, learned, rng
        self._quiet_s, self._linger_s, self._count = quiet_s, linger_s, count
        self.total = total
        self.budgets: dict[str, Budget] = {}
        self._knowledge: dict[tuple[str, bool], Knowledge] = {}
        self._trust: dict[str, Trust] = {}
        self._changed_trust: set[str] = set()
        self._spent: dict[str, int] = {}
        self._meters: dict[str, Meter] = {}
        self._granted: set[int] = set()
        self._refused: dict[str, int] = {}
        self._stepped_at: float | None = None
        self._waiting: list[_Waiting] = []
        self._flusher: asyncio.Task[None] | None = None
        self._opening: dict[str, asyncio.Lock] = {}

    async def observe(
        self, record: PageRecord, observation: Observation, validators: Validators, terms: Terms, site: str
    ) -> PageRecord:
        """The page's record after a visit; returns when it is written, so that the request may be acknowledged then.

        A page whose visits end is forgotten instead.

        Args:
            record: as leased, or with a state of no fetches for a page visited for the first time.
            validators: what the answer offered.
            terms: the job's.
            site: the page's site, whose pages share what is learned.

        Raises:
            StoreUnavailable: Redis cannot be reached; the page's lease ends and it is visited again.
        """
        knowledge = await self._known(record.job, terms, observation.at, lists=observation.kind is Kind.LIST)
        before = record.state if record.state.fetches else None
        params = knowledge.params(site, observation.kind, observation.at)
        after = policy(terms.policy).next_state(before, observation, params, observation.at, self._rng)
        knowledge.observe(site, before, observation, after)
        self._spent[record.job] = self._spent.get(record.job, 0) + 1
        if record.key in self._granted:
            self._granted.remove(record.key)
        elif record.job in self._meters:
            self._meters[record.job].spend(observation.at)
        self._count(observation.outcome)
        if is_retired(after.failures, params, gone=observation.outcome == "gone"):
            self._count("retired")
        elif before is not None and before.failures and not after.failures:
            self._count("recovered")
        if end := end_of(before, after, observation, params, self._quiet_s):
            self._count(f"ended/{end}")
            await self.states.forget(record.key)
            return record._replace(state=after, validators=validators)
        after = last_visit(after, params, self._quiet_s)
        written = record._replace(state=after, validators=validators)
        await self._write(written)
        return written

    async def conditions(self, record: PageRecord, site: str) -> Validators:
        """The validators to ask a page with; empty ones where the site lied, or to check whether it does."""
        if record.validators == (None, None, None):
            return Validators()
        return (await self._trusted(site)).conditional(record.validators, self._rng)

    async def answered(self, record: PageRecord, offered: Validators, site: str, *, changed: bool) -> None:
        """Learns from a full answer what the site's validators are worth; see ``Trust.checked``."""
        trust = await self._trusted(site)
        after = trust.checked(record.validators, offered, changed=changed)
        if after is not trust:
            self._trust[site] = after
            self._changed_trust.add(site)

    async def decides(self, record: PageRecord, offered: Validators, site: str) -> bool | None:
        """Design D's decision from the head of an answer; see ``Trust.unchanged``."""
        return (await self._trusted(site)).unchanged(record.validators, offered)

    async def step(self, now: float) -> None:
        """Turns the budgets; to be called now and then, acts once an hour (24 times in a day of ``day_s``)."""
        if self._stepped_at is None or now < self._stepped_at:
            self._stepped_at = now
            return
        elapsed = now - self._stepped_at
        days = [knowledge.base.day_s for knowledge in self._knowledge.values()]
        if not days or elapsed < min(days) / 24:
            return
        self._stepped_at = now
        backlog = (await self.states.counts(now)).due if self.total or self.budgets else 0
        spent, self._spent = self._spent, {}
        total = sum(spent.values())
        if self.total is not None:
            factor, self.total = self.total.step(total, backlog, elapsed).retime()
            if factor != 1.0:
                await self.states.retime(now, factor, max(k.base.max_interval for k in self._knowledge.values()))
        for job, budget in self.budgets.items():
            # How many of the pages due are this job's is not worth a pass over all of them: by its share of the visits.
            share = round(backlog * spent.get(job, 0) / total) if total else 0
            self.budgets[job] = budget.step(spent.get(job, 0), share + self._refused.pop(job, 0), elapsed)

    async def grant(self, record: PageRecord, terms: Terms, now: float) -> float:
        """0 where the job's budget lets a due page be fetched now, which is counted; else the seconds to wait.

        Pages visited for the first time need no grant: what they cost is paid back before others get one.
        """
        if terms.budget is None:
            return 0.0
        await self._known(record.job, terms, now, lists=record.state.kind is Kind.LIST)
        if (meter := self._meters.get(record.job)) is None:
            return 0.0
        wait = meter.grant(now)
        if wait > 0.0:
            self._refused[record.job] = self._refused.get(record.job, 0) + 1
            self._count("over_budget")
        else:
            self._granted.add(record.key)
        return wait

    def allowance(self, now: float) -> int | None:
        """How many pages may be leased now under the budget of the whole crawl; None without one."""
        if self.total is None:
            return None
        since = 0.0 if self._stepped_at is None else max(0.0, now - self._stepped_at)
        ahead = max(60.0, since + 60.0)
        return max(0, round(self.total.allowed(ahead)) - sum(self._spent.values()))

    async def save(self) -> None:
        """Writes profiles, trust and budgets."""
        await self._learned.write(
            "profile",
            {f"{job}/{'lists' if lists else 'pages'}": k.to_json() for (job, lists), k in self._knowledge.items()},
        )
        changed, self._changed_trust = self._changed_trust, set()
        await self._learned.write("trust", {site: self._trust[site].to_json() for site in changed})
        kept = {
            f"job/{job}": {"version": 1, "scale": budget.scale, "paid_at": self._meters[job].paid_at}
            for job, budget in self.budgets.items()
        }
        if self.total is not None:
            kept["total"] = {"version": 1, "scale": self.total.scale}
        await self._learned.write("budget", kept)

    async def close(self) -> None:
        """Writes what still waits, then what was learned."""
        while self._waiting or (self._flusher is not None and not self._flusher.done()):
            if self._flusher is not None and not self._flusher.done():
                await asyncio.wait([self._flusher])
            else:
                await self._flush()
        await self.save()

    def forget_budgets(self, jobs: Iterable[str]) -> None:
        """Ends the budgets of jobs; they begin anew as the terms say at the next visit."""
        for job in jobs:
            self.budgets.pop(job, None)
            self._meters.pop(job, None)

    async def _known(self, job: str, terms: Terms, now: float, *, lists: bool) -> Knowledge:
        async with self._opening.setdefault(job, asyncio.Lock()):
            if (job, lists) not in self._knowledge:
                await self._open(job, terms, lists=lists)
            elif terms.budget is not None and job not in self.budgets:
                await self._open_budget(job, terms.budget)
        scale = 1.0 if self.total is None else self.total.scale
        if job in self.budgets:
            scale *= self.budgets[job].scale
        base = terms.params if lists else terms.document_params
        knowledge = self._knowledge[job, lists]
        if base.stated_at is not None:
            base = base._replace(stated_at=knowledge.stated_since(base.initial, now))
        knowledge.rebase(base._replace(scale=base.scale * scale))
        return knowledge

    async def _open(self, job: str, terms: Terms, *, lists: bool) -> None:
        """What was learned of a job before; a damaged or newer record is left behind and learned anew."""
        knowledge = Knowledge(terms.params if lists else terms.document_params)
        try:
            if kept := await self._learned.read("profile", f"{job}/{'lists' if lists else 'pages'}"):
                knowledge.load(kept)
            if terms.budget is not None and job not in self.budgets:
                await self._open_budget(job, terms.budget)
        except StateError:
            self._count("state_refused")
        self._knowledge[job, lists] = knowledge

    async def open_total(self) -> None:
        """Goes on with the scale at which the whole crawl's budget was last met."""
        if self.total is not None:
            kept = await self._learned.read("budget", "total") or {}
            self.total = _resumed(self.total, kept)

    async def _open_budget(self, job: str, an_hour: float) -> None:
        kept = await self._learned.read("budget", f"job/{job}") or {}
        paid_at = kept.get("paid_at")
        self._meters[job] = Meter(an_hour, 3600.0, float(paid_at) if isinstance(paid_at, int | float) else 0.0)
        self.budgets[job] = _resumed(Budget(an_hour, 3600.0), kept)

    async def _trusted(self, site: str) -> Trust:
        if site not in self._trust:
            trust = Trust()
            try:
                if kept := await self._learned.read("trust", site):
                    trust = Trust.from_json(kept)
            except StateError:
                self._count("state_refused")
            self._trust.setdefault(site, trust)
        return self._trust[site]

    async def _write(self, record: PageRecord) -> None:
        waiting = _Waiting(record, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        if len(self._waiting) >= _BATCH:
            await self._flush()
        elif self._flusher is None or self._flusher.done():
            self._flusher = asyncio.ensure_future(self._flush_later())
        await waiting.done

    async def _flush_later(self) -> None:
        # Until nothing waits: what comes while a batch is being written finds this task still running.
        while self._waiting:
            await asyncio.sleep(self._linger_s)
            await self._flush()

    async def _flush(self) -> None:
        batch, self._waiting = self._waiting[:], []
        if not batch:
            return
        try:
            await self.states.put_many([waiting.record for waiting in batch])
        except Exception as error:  # every caller is told, and knows what to do with it
            for waiting in batch:
                if not waiting.done.done():
                    waiting.done.set_exception(error)
            return
        for waiting in batch:
            if not waiting.done.done():
                waiting.done.set_result(None)


def _resumed(budget: Budget, kept: dict[str, Any]) -> Budget:
    scale = kept.get("scale")
    if not isinstance(scale, int | float) or not scale > 0:
        return budget
    return Budget(budget.fetches, budget.per_s, float(scale), timed=float(scale))
