"""Turns what visits found into page states, in batches, and keeps what was learned meanwhile."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from articlebot.errors import StateError
from articlebot.recrawl.batch import Batch
from articlebot.recrawl.budgets import Budget, Budgets
from articlebot.recrawl.hearing import due_after, heard
from articlebot.recrawl.knowledge import Knowledge
from articlebot.recrawl.learned import RedisLearned, Shared, SharedSignals
from articlebot.recrawl.observation import Kind, Observation
from articlebot.recrawl.params import Params
from articlebot.recrawl.record import PageRecord, Validators
from articlebot.recrawl.said import Said
from articlebot.recrawl.signals import STATED, tells
from articlebot.recrawl.state import PageState
from articlebot.recrawl.store import RedisPageStates
from articlebot.recrawl.trust import Asked, Trust
from articlebot.recrawl.visit import UNANSWERED, Policy, end_of, is_retired, last_visit, policy
from articlebot.urls import site as site_of


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


class RecrawlBook:
    """The recrawl's memory inside one crawl.

    Args:
        states: where page states are kept.
        learned: where site profiles, trust and budgets are kept.
        rng: randomness of policies and checks.
        quiet_s: seconds without a change after which an article is visited no more.
        linger_s: how long a state waits for others to be written with it: in pipelines of 100, 68,000 states a second
            are written, one by one 9,500.
        total: budget of the whole crawl, None for none.
        count: called with the name of each outcome, for stats.
        hears: whether signals of changes move visits, under a policy that weighs them.
    """

    def __init__(
        self, states: RedisPageStates, learned: RedisLearned, rng: random.Random, *, quiet_s: float,
        linger_s: float = 0.02, total: Budget | None = None, count: Callable[[str], None] = lambda outcome: None,
        hears: bool = True,
    ) -> None:  # fmt: skip
        self.states, self._learned, self._rng = states, learned, rng
        self._quiet_s, self._count = quiet_s, count
        self.budgets = Budgets(states, learned, total, count)
        self._batch = Batch(states, linger_s)
        self._knowledge: dict[tuple[str, bool], Knowledge] = {}
        self._trust = Shared(learned, "trust", Trust, lambda: count("state_refused"))
        self._hears, self._heard = hears, SharedSignals(learned, lambda: count("state_refused"))
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
        rule = policy(terms.policy)
        if self.hears(rule):
            observation = observation._replace(signals=record.signals)
            params = await self._hear(before, observation, params, site)
        after = rule.next_state(before, observation, params, observation.at, self._rng)
        knowledge.observe(site, before, observation, after)
        self.budgets.spend(record, observation.at)
        self._count(observation.outcome)
        if is_retired(after.failures, gone=observation.outcome == "gone"):
            self._count("retired")
        elif before is not None and before.failures and not after.failures:
            self._count("recovered")
        if end := end_of(before, after, observation, self._quiet_s):
            self._count(f"ended/{end}")
            await self.states.forget(record.key)
            return record._replace(state=after, validators=validators)
        after = last_visit(after, params, self._quiet_s)
        signals = record.signals if observation.outcome in UNANSWERED else 0
        written = record._replace(state=after, validators=validators, signals=signals)
        await self._batch.write(written)
        return written

    def hears(self, rule: Policy) -> bool:
        """Whether signals of changes are gone by under a policy."""
        return self._hears and getattr(rule, "hears_signals", False)

    async def signalled(
        self, signals: Mapping[int, int], said: Mapping[int, Said], job: str, terms: Terms, now: float
    ) -> None:
        """Notes signals of changes of a job's pages, and makes those due sooner where the site's have proved right.

        Args:
            signals: bits of the kinds of signals, by page key.
            said: what was said of the pages; a change stated for a time before the last visit is none to look for.

        Raises:
            StoreUnavailable: Redis cannot be reached; the signals are lost.
        """
        if not signals or not self.hears(policy(terms.policy)):
            return
        noted = []
        for record in await self.states.get(list(signals)):
            if record is None or record.job != job:
                continue
            given = signals[record.key]
            if record.key in said and said[record.key].is_before(record.state.last_at):
                given &= ~STATED
            if not given & ~record.signals:
                continue
            self._count("signals/heard")
            due = await self._due(record, given, terms, now)
            if due < record.state.next_at:
                self._count("signals/moved")
            noted.append((record._replace(signals=record.signals | given), due))
        await self.states.signal(noted)

    async def conditions(self, record: PageRecord, site: str) -> Asked:
        """How to ask for a page: whole where the site lied, or to check whether it does."""
        if record.validators == (None, None, None):
            return Asked()
        trust = await self._trust.of(_stater(record, site)) or Trust()
        return trust.asks(record.validators, self._rng)

    async def answered(self, record: PageRecord, offered: Validators, site: str, *, changed: bool) -> None:
        """Learns from a full answer what the site's validators are worth."""
        stater = _stater(record, site)
        check = partial(Trust.checked, kept=record.validators, offered=offered, changed=changed)
        before = await self._trust.of(stater) or Trust()
        if (after := check(before)) is not before:
            self._trust.known[stater] = after
            self._trust.note(stater, check)

    async def step(self, now: float) -> None:
        """Turns the budgets, and shares what was learned of validators; to be called now and then."""
        await self._share()
        if bases := [knowledge.base for knowledge in self._knowledge.values()]:
            day_s, longest = min(base.day_s for base in bases), max(base.max_interval for base in bases)
            await self.budgets.step(now, day_s, longest)

    async def save(self) -> None:
        """Writes profiles, trust and budgets."""
        await self._learned.write(
            "profile",
            {f"{job}/{'lists' if lists else 'pages'}": k.to_json() for (job, lists), k in self._knowledge.items()},
        )
        await self._share()
        await self.budgets.save()

    async def close(self) -> None:
        """Writes what still waits, then what was learned."""
        await self._batch.close()
        await self.save()

    async def _share(self) -> None:
        await self._trust.save()
        await self._heard.save()

    async def _due(self, record: PageRecord, signals: int, terms: Terms, now: float) -> float:
        """When a page is due that got signals."""
        name, kind = site_of(record.url), record.state.kind
        worth = await self._heard.worth(name, kind)
        if not tells(worth, signals):
            return record.state.next_at
        knowledge = await self._known(record.job, terms, now, lists=kind is Kind.LIST)
        return due_after(record.state, signals, knowledge.params(name, kind, now)._replace(heard=worth), now)

    async def _hear(self, before: PageState | None, observation: Observation, params: Params, site: str) -> Params:
        """Learns from a visit what the site's signals are worth; the parameters with what they are worth now."""
        one = None if before is None else heard(before, observation, params)
        if one is not None:
            await self._heard.note(site, one)
            if one.signals:
                self._count("signals/right" if one.changed else "signals/wrong")
        return params._replace(heard=await self._heard.worth(site, observation.kind))

    async def _known(self, job: str, terms: Terms, now: float, *, lists: bool) -> Knowledge:
        async with self._opening.setdefault(job, asyncio.Lock()):
            if (job, lists) not in self._knowledge:
                await self._open(job, terms, lists=lists)
        await self.budgets.open(job, terms.budget)
        base = terms.params if lists else terms.document_params
        knowledge = self._knowledge[job, lists]
        if base.stated_at is not None:
            base = base._replace(stated_at=knowledge.stated_since(base.initial, now))
        knowledge.rebase(base._replace(scale=base.scale * self.budgets.scale(job)))
        return knowledge

    async def _open(self, job: str, terms: Terms, *, lists: bool) -> None:
        """What was learned of a job before; a damaged or newer record is left behind and learned anew."""
        knowledge = Knowledge(terms.params if lists else terms.document_params)
        try:
            if kept := await self._learned.read("profile", f"{job}/{'lists' if lists else 'pages'}"):
                knowledge.load(kept)
        except StateError:
            self._count("state_refused")
        self._knowledge[job, lists] = knowledge


def _stater(record: PageRecord, site: str) -> str:
    """Who states the page's validators: front pages come from other caches and templates than articles do."""
    return f"{site}/lists" if record.state.kind is Kind.LIST else site
