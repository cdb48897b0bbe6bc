"""What outlives a process: the stores of a crawl, each opened when it is first asked for."""

from __future__ import annotations

import socket
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from articlebot.config import Config
from articlebot.frontier.build import frontier_of
from articlebot.frontier.sharded import AnyFrontier
from articlebot.jobs.assignment import Assignment
from articlebot.jobs.backfill import RedisBackfills
from articlebot.jobs.history import Rounds
from articlebot.jobs.looks import RedisLooks
from articlebot.jobs.pauses import RedisPauses
from articlebot.jobs.stated import RedisStated
from articlebot.proxies.wall_counts import RedisWalls
from articlebot.recrawl.store import RedisPageStates
from articlebot.runtime.clients import Clients
from articlebot.runtime.day_orders import DayOrders
from articlebot.runtime.reasons import Reasons
from articlebot.runtime.repeats import Repeats
from articlebot.runtime.runs import RedisRuns
from articlebot.seeds.queue import RedisCandidates
from articlebot.twins import RedisTwins

if TYPE_CHECKING:
    from articlebot.alerts.searches import RedisSearches
    from articlebot.alerts.store import RedisAlerts
    from articlebot.archive import Archive
    from articlebot.extraction.parts import RedisParts
    from articlebot.extraction.wrapper.shelf import Shelf
    from articlebot.extraction.wrapper.turns import RedisTurns
    from articlebot.runtime.known_archive import KnownArchive
    from articlebot.runtime.lost import Lost

T = TypeVar("T")


def _store(kind: Callable[[Any, str], T]) -> cached_property[T]:
    """A part of ``Stores``: one whose keys begin with the prefix of all."""
    return cached_property(lambda own: kind(own.clients.of(), own.config.general.key_prefix))


class Stores:
    """The stores of a crawl.

    Args:
        config: the configuration.
        clients: of Redis.
        worker: name of this process among those that share the stores.
        spider: name of the spider whose queue this is about.
    """

    def __init__(self, config: Config, clients: Clients, *, worker: str, spider: str) -> None:
        self.config, self.clients, self.worker, self._spider = config, clients, worker, spider

    @property
    def last_run(self) -> Path:
        """The file that a run leaves its counts in."""
        return self.config.general.data_dir / self.config.operations.report

    @cached_property
    def frontier(self) -> AnyFrontier:
        """The queue of requests that all workers of the spider share."""
        return frontier_of(self.config, self.clients.url, self._spider)

    @cached_property
    def pages(self) -> RedisPageStates:
        """The state of every page that is visited again."""
        shards = self.clients.shards("recrawl")
        return RedisPageStates(
            self.clients.of("recrawl"), self.config.general.key_prefix, shards=shards,
            losses=lambda: self.frontier.links.forgotten,
        )  # fmt: skip

    @cached_property
    def parts(self) -> RedisParts:
        """Articles of several pages that are not complete yet."""
        from articlebot.extraction.parts import RedisParts

        return RedisParts(self.clients.of(), self.config.general.key_prefix)

    @cached_property
    def archive(self) -> Archive:
        """The archive, for reading; what is published goes through the publishing pipeline."""
        from articlebot.archive import open_archive

        return open_archive(self.database_url, self.config.archive, data_dir=self.config.general.data_dir)

    @cached_property
    def known_archive(self) -> KnownArchive:
        """Tells whether the archive is the one that the crawl has filled."""
        from articlebot.runtime.known_archive import KnownArchive

        return KnownArchive(self.clients.of(), self.config.general.key_prefix, lambda: self.archive)

    @cached_property
    def lost(self) -> Lost:
        """Tells whether Redis lacks what the archive has."""
        from articlebot.runtime.lost import Lost

        return Lost(lambda: self.archive, lambda: self.frontier)

    @property
    def shelf(self) -> Callable[[], Shelf]:
        """Opens the shelf of wrappers and the pages they are learned from; can be given to another process."""
        config = self.config
        # One machine's own is its folder; to open a database takes a third of a command's start.
        if self.database_url.startswith("sqlite:"):
            from articlebot.extraction.wrapper.shelf import FolderShelf

            return partial(FolderShelf, config.general.data_dir)
        from articlebot.archive.shelf import open_shelf

        return partial(open_shelf, self.database_url, config.general.data_dir, upgrade=config.archive.upgrade)

    @cached_property
    def turns(self) -> RedisTurns:
        """Who learns which site's wrapper."""
        from articlebot.extraction.wrapper.turns import RedisTurns

        return RedisTurns(self.clients.of, self.config.general.key_prefix)

    def rounds(self) -> Rounds:
        """Opens the round history; the caller closes it."""
        from articlebot.archive.rounds import open_rounds

        config = self.config
        return open_rounds(self.database_url, config.general.data_dir, self.worker, upgrade=config.archive.upgrade)

    @cached_property
    def alerts(self) -> RedisAlerts:
        """What people are told of, and how the jobs' objectives stand."""
        from articlebot.alerts.store import RedisAlerts

        return RedisAlerts(self.clients.of(), self.config.general.key_prefix)

    @cached_property
    def searches(self) -> RedisSearches:
        """The saved searches."""
        from articlebot.alerts.searches import RedisSearches

        return RedisSearches(self.clients.of(), self.config.general.key_prefix)

    @cached_property
    def assignment(self) -> Assignment:
        """Which jobs other servers follow; this one leaves their due pages alone."""
        return Assignment(self.clients.of(), self.config.general.key_prefix, self.config.frontier.lease_s)

    @property
    def place(self) -> str:
        """What tells this machine's archive from others' in a shared Redis; "" where there is one archive."""
        general = self.config.general
        return f"@{socket.gethostname()}" if general.redis_url and not general.database_url else ""

    @property
    def database_url(self) -> str:
        """SQLAlchemy URL of the archive."""
        return self.config.general.archive_url()

    candidates = _store(RedisCandidates)
    """Sites and list pages that were found and may become jobs."""

    repeats = _store(Repeats)
    """Short texts that a site shows at several addresses."""

    reasons = _store(Reasons)
    """Why pages gave no article."""

    pauses = _store(RedisPauses)
    """The jobs that a command has paused."""

    runs = _store(RedisRuns)
    """What running workers have counted."""

    stated = _store(RedisStated)
    """What each job said when it was followed last."""

    looks = _store(RedisLooks)
    """What looks at the sites of jobs have found."""

    backfills = _store(RedisBackfills)
    """How far the backfills of jobs have come, and which of their lists were gone through."""

    walls = _store(RedisWalls)
    """Which sites showed walls, and how many."""

    day_orders = _store(DayOrders)
    """In which order sites write day and month."""

    twins = _store(RedisTwins)
    """Which addresses of a site show one content."""

    async def close(self) -> None:
        """Closes what was opened; the last user of a private Redis server ends it."""
        if "frontier" in self.__dict__:
            await self.frontier.close()
        if "archive" in self.__dict__:
            self.archive.close()
        await self.clients.close()
