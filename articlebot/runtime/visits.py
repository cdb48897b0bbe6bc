"""Writing what visits found into the page states."""

from __future__ import annotations

import random
from collections.abc import Callable

from articlebot.jobs import Job
from articlebot.recrawl import Kind, Observation, PageRecord, Params, Validators, policy
from articlebot.recrawl.store import RedisPageStates


class Visits:
    """The recrawl policy applied to observations."""

    def __init__(self, pages: RedisPageStates, now: Callable[[], float], rng: random.Random) -> None:
        self._pages, self._now, self._rng = pages, now, rng
        self._policy = policy("default")

    async def observe(self, record: PageRecord, seen: Observation, validators: Validators, job: Job) -> PageRecord:
        """Stores the page's next state, which says when it is due again."""
        low, high = job.bounds
        stated = 0.0 if job.interval is not None and seen.kind is Kind.LIST else None
        params = Params(initial=job.begins_with(), min_interval=low, max_interval=high, stated_at=stated)
        state = record.state if record.state.fetches else None
        after = self._policy.next_state(state, seen, params, self._now(), self._rng)
        written = record._replace(state=after, validators=validators)
        await self._pages.put_many([written])
        return written

    async def conditions(self, record: PageRecord) -> Validators:
        """The validators to send with the page's request."""
        return record.validators

    def closed_for(self, job: Job, now: float) -> float:
        """Seconds until a job's entry pages may be visited; 0 where they may be now."""
        return job.closed_for(now)

    def allowance(self, now: float) -> int | None:
        """How many pages may be leased now under the budget of the whole crawl; None without one."""
        return None

    async def grant(self, record: PageRecord, job: Job, now: float) -> float:
        """0 where the job's own budget lets a due page be fetched now; else the seconds to wait."""
        return 0.0
