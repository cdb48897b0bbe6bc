"""Visits that brought no page: counted by reason, and tried again later where that can help."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator

from scrapy import Request
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from articlebot.errors import RefusedError
from articlebot.extraction.walls import Wall
from articlebot.items import Article
from articlebot.jobs.visit import ENTRIES
from articlebot.runtime.failures import PUT_OFF_REASON, Fault, fault_of
from articlebot.runtime.trial import is_light
from articlebot.visiting.answer import asked_for, fetched_of
from articlebot.visiting.desk import REFUSED_PATIENCE, Desk
from articlebot.visiting.entry_pages import EntryPages
from articlebot.visiting.parts import Parts

# With these a site says no; the page beside it may say what it wants.
_REFUSALS = frozenset({401, 403, 405, 429, 451, 503})
# These mean a page, and no moment or visitor.
_FINAL = frozenset({401, 402, 404, 405, 410, 451})


class Missed:
    """Takes requests without a usable answer.

    Args:
        desk: what it works with.
        parts: what is done where a page of an article is missing.
        entry_pages: what else may name articles where an entry page fails, and further pages that do.
    """

    def __init__(self, desk: Desk, parts: Parts, entry_pages: EntryPages) -> None:
        self._desk, self._parts, self._entry_pages = desk, parts, entry_pages

    def unanswered(self, request: Request, fault: str) -> None:
        """A host does not answer, or refuses for haste or load: its page waits, and the job has nothing of it yet."""
        self._desk.outcomes.missed(self._desk.visit_of(request), fault, request.url)

    async def take(self, request: Request, failure: Failure) -> AsyncIterator[Article | Request]:
        """What follows: mostly nothing; of a page of an article, what becomes of the others."""
        visit, fault = self._desk.visit_of(request), fault_of(failure)
        if fault.reason == PUT_OFF_REASON:
            return  # queued again, unlike a failure
        self._desk.outcomes.count(f"failed/{fault.reason}", request.url)
        if (job := self._desk.jobs.get(visit.job)) is None:
            return
        wall = await self._wall(job.name, failure, fault)
        reason = f"wall_{wall}" if wall else fault.reason
        self._desk.outcomes.missed(visit, reason, request.url)
        await self._desk.runtime.reasons.note(visit.key, reason)
        if visit.kind == "part":
            if fault.permanent or not await self._parts.put_off(visit, job):
                async for result in self._parts.gather(visit, job, request.url, None):
                    yield result
            return
        page = await self._desk.without_page(visit, job, asked_for(request))  # redirects may lead to no address
        # What a crawler is told is often not what a reader is told, and not for long.
        passes = fault.reason == "redirects" if fault.status is None else fault.status not in _FINAL
        is_final = fault.permanent and not passes
        if visit.kind in ENTRIES and visit.part > 1:
            if not (is_final or visit.candidate):
                await self._entry_pages.turning.again(page)
            return
        await self._desk.fail(page, 0 if is_final else REFUSED_PATIENCE if fault.permanent else math.inf)
        if visit.kind in ENTRIES:
            await self._entry_pages.overlooked.quiet(page, surely=fault.permanent or fault.status is not None)

    async def _wall(self, job: str, failure: Failure, fault: Fault) -> Wall | None:
        if fault.status not in _REFUSALS or not isinstance(failure.value, HttpError):
            return None
        if not is_light(failure.value.response.body):
            return None  # a wall is not, and this one would be read without a trial
        try:
            return await self._desk.outcomes.wall(job, fetched_of(failure.value.response, self._desk.now()))
        except RefusedError:
            return None  # of a redirect to what is no address
