"""What visits led to: counted in Scrapy's stats, in the tally of each job, and walls by site."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from redis.exceptions import RedisError

from articlebot.errors import RefusedError
from articlebot.extraction import walls
from articlebot.extraction.walls import Wall
from articlebot.items import Link
from articlebot.jobs.visit import ENTRIES, Visit
from articlebot.recrawl import Kind, PageRecord
from articlebot.runtime import Runtime
from articlebot.runtime.barren import why_barren, why_unread
from articlebot.runtime.fetched import Fetched
from articlebot.urls import site
from articlebot.visiting.answer import Answer

logger = logging.getLogger(__name__)
_MOST_WALL_BYTES = 500_000


class Outcomes:
    """Counts outcomes.

    Stats: ``articlebot/page/<outcome>``, and ``articlebot/page/walls/<job>``. The walls by site are in Redis, for
    ``scrapy status`` and the console.

    Args:
        runtime: has the stats, the tally and the store of walls.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def count(self, name: str, detail: str = "", *, number: int = 1) -> None:
        """Counts an outcome in the stats; ``detail`` is for the log."""
        self._runtime.count(f"page/{name}", number)
        if detail:
            logger.debug("%s: %s", name, detail)

    def entry(self, page: Answer, links: Sequence[Link], found: int, *, leads: bool = False) -> None:
        """An entry page was read, and ``found`` of its links may be followed; ``leads``: it is an index of others."""
        job, url = page.job, page.fetched.url
        if found:
            self._runtime.diagnosis.tally.links(job.name, page.visit.key, found, url)
        elif leads:
            self._runtime.diagnosis.tally.entry(job.name, "index", url)
        else:
            if not links and page.visit.kind == "list" and self._runtime.reader.is_nofollow(page.fetched):
                reason, detail = "nofollow", ""
            else:
                reason, detail = why_barren(job, page.visit.kind, page.fetched, links)
            self._runtime.diagnosis.tally.entry(
                job.name, reason, page.record.url if reason == "redirected_away" else url, detail
            )

    def named(self, page: Answer, new: int) -> None:
        """An entry page, or a further page of one, named so many addresses that nobody had seen."""
        self._runtime.diagnosis.tally.named(page.job.name, page.visit.kind, new)

    def settled(self, page: Answer) -> None:
        """An entry page was answered with a status that says it all: 304, 404 or 410."""
        reason = "not_modified" if page.status == 304 else f"http_{page.status}"
        self._runtime.diagnosis.tally.entry(page.job.name, reason, page.fetched.url)

    def page(self, page: Answer, outcome: str) -> None:
        """A page turned out to be ``article``, or none for this reason."""
        if page.visit.backfill and page.visit.kind == "auto":
            self._runtime.backfills.note(page.visit.job, page.job.backfill, done=1)
        if page.visit.kind == "auto" and not is_read(page.record):
            self._runtime.diagnosis.tally.page(page.job.name, why_unread(outcome, page.fetched), page.fetched.url)
        else:
            self._runtime.diagnosis.tally.again += 1

    def missed(self, visit: Visit, reason: str, url: str) -> None:
        """A visit brought no answer that can be read."""
        if visit.kind in ENTRIES and visit.part == 1:
            self._runtime.diagnosis.tally.entry(visit.job, reason, url)
        elif visit.kind == "auto":
            self._runtime.diagnosis.tally.page(visit.job, reason, url)

    def published(self, page: Answer, at: float | None) -> None:
        """An article was read that appeared then, epoch seconds."""
        if page.visit.backfill:
            self._runtime.backfills.note_age(page.job.name, page.job.backfill, at, self._runtime.now())

    async def wall(self, job: str, fetched: Fetched, known: Wall | None = None) -> Wall | None:
        """Which wall a page is, None where it is none; a wall is counted. ``known``: what its reader found already."""
        found = known or wall_in(fetched)
        if found is None:
            return None
        self._runtime.count(f"page/walls/{job}", 1)
        try:
            await self._runtime.walls.note(site(fetched.url), found, self._runtime.now())
        except (RedisError, RefusedError) as error:
            logger.debug("A wall is not counted by site: %s", error)
        logger.debug("%s is a wall: %s", fetched.url, found)
        return found


def wall_in(fetched: Fetched) -> Wall | None:
    """The wall that a page is, None where it is none."""
    if "html" not in (fetched.content_type or "") or not 0 < len(fetched.body) <= _MOST_WALL_BYTES:
        return None
    return walls.wall_in(fetched.page)


def is_read(record: PageRecord) -> bool:
    """Whether an article was read before; one that only failed so far is still new."""
    state = record.state
    return state.kind is not Kind.LIST and state.fetches > state.failures
