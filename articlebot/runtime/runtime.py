"""The composition root: configuration, stores and clock, put together once per crawler or command.

What reads pages is imported where it is first asked for: it takes .2 s, and most commands read none.
"""

from __future__ import annotations

import asyncio
import os
import random
import socket
import tempfile
import weakref
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy import signals

from articlebot.config import Config
from articlebot.diagnosis import RedisPasts
from articlebot.frontier.build import frontier_of
from articlebot.frontier.inspect import silent
from articlebot.frontier.sharded import AnyFrontier
from articlebot.jobs.assignment import Assignment
from articlebot.jobs.backfill import RedisBackfills
from articlebot.jobs.history import Rounds
from articlebot.jobs.looks import RedisLooks
from articlebot.jobs.pauses import RedisPauses
from articlebot.jobs.stated import RedisStated
from articlebot.manners.robots_txt import product_token
from articlebot.proxies import Pool, RedisProxies
from articlebot.proxies.live import LivePool
from articlebot.proxies.wall_counts import RedisWalls
from articlebot.recrawl.store import RedisPageStates
from articlebot.runtime import clock
from articlebot.runtime.archive_wait import ArchiveWait
from articlebot.runtime.aside import Aside
from articlebot.runtime.clients import Clients
from articlebot.runtime.diagnosis import Diagnosis
from articlebot.runtime.private_redis import PrivateRedis, ThrowawayRedis
from articlebot.runtime.reasons import Reasons
from articlebot.runtime.refusals import Refusals
from articlebot.runtime.repeats import Repeats
from articlebot.runtime.runs import RedisRuns
from articlebot.runtime.tools import apart, tool_in_use
from articlebot.runtime.usage import Usage
from articlebot.seeds.queue import RedisCandidates
from articlebot.text.segmentation import choose as choose_segmenter
from articlebot.twins import RedisTwins

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from articlebot.alerts.searches import RedisSearches
    from articlebot.alerts.store import RedisAlerts
    from articlebot.archive import Archive
    from articlebot.extraction.parts import RedisParts
    from articlebot.extraction.video import Registry
    from articlebot.extraction.wrapper import RedisTurns, Shelf
    from articlebot.runtime.beside import BesideItems
    from articlebot.runtime.known_archive import KnownArchive
    from articlebot.runtime.learning import Learning
    from articlebot.runtime.reader import Reader
    from articlebot.runtime.trial import Trial
    from articlebot.runtime.visits import Visits
    from articlebot.seeds.mining import Miner

_MOST_TEMP_PATH = 50

T = TypeVar("T")


def _store(kind: Callable[[Any, str], T]) -> cached_property[T]:
    """A part of ``Runtime``: a store whose keys begin with the prefix of all."""
    return cached_property(lambda runtime: kind(runtime.clients.of(), runtime.config.general.key_prefix))


_runtimes: weakref.WeakKeyDictionary[Crawler, Runtime] = weakref.WeakKeyDictionary()


class Runtime:
    """Everything that is shared inside one process; parts are built when first asked for.

    Args:
        config: the configuration.
        now: the clock.
        rng: the randomness of delays and choices.
        spider: name of the spider whose queue this is about.
        tool: the command of Scrapy that must leave no trace; it gets stores of its own, which end with it.

    Raises:
        ConfigError: no ``REDIS_URL`` and no Redis binary.
        StoreUnavailable: the private Redis server does not come up.
        StateError: Redis has state of an earlier version.
    """

    def __init__(
        self, config: Config, *, now: Callable[[], float] = clock.now, rng: random.Random | None = None,
        spider: str = "article", tool: str | None = None,
    ) -> None:  # fmt: skip
        self._folder: TemporaryDirectory[str] | None = None
        if tool is not None:
            # A socket's path has a limit of about 100 bytes, which a long TMPDIR would break.
            place = tempfile.gettempdir() if len(tempfile.gettempdir()) < _MOST_TEMP_PATH else "/tmp"  # noqa: S108
            self._folder = TemporaryDirectory(prefix=f"articlebot-{tool}-", dir=place, ignore_cleanup_errors=True)
            config = apart(config, tool, Path(self._folder.name))
        self.config = config
        choose_segmenter(config.general.segmenter)
        self.tool = tool
        self._spider = spider
        self.now = now
        self.rng = rng or random.Random()
        # Unique per process and start: two workers on one machine, or one that comes back, are never taken for another.
        self.worker = f"{socket.gethostname()}-{os.getpid()}-{self.rng.getrandbits(24):06x}"
        self.clients = Clients(
            config.general, private=ThrowawayRedis if tool else PrivateRedis, shards=config.frontier.shards
        )
        self._crawler: Callable[[], Crawler | None] = lambda: None

    @classmethod
    def of(cls, crawler: Crawler) -> Runtime:
        """The runtime of a crawler, made at the first call and closed when its engine has stopped."""
        runtime = _runtimes.get(crawler)
        if runtime is None:
            spider = crawler.spider.name if crawler.spider is not None else crawler.spidercls.name
            runtime = cls(Config.from_settings(crawler.settings), spider=spider, tool=tool_in_use())
            _runtimes[crawler] = runtime
            runtime._crawler = weakref.ref(crawler)
            crawler.signals.connect(runtime.close, signals.engine_stopped)
        return runtime

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
    def beside(self) -> BesideItems:
        """What pipelines have to know of an item and nobody reads in it."""
        from articlebot.runtime.beside import BesideItems

        return BesideItems()

    @cached_property
    def aside(self) -> Aside:
        """Guards what may fail without costing a page."""
        return Aside(self.count)

    @cached_property
    def trial(self) -> Trial:
        """Tells which answers can be read without keeping the event loop."""
        from articlebot.runtime.trial import Trial

        return Trial()

    @cached_property
    def archive_wait(self) -> ArchiveWait:
        """Keeps what needs the archive waiting while that is away."""
        crawler = self._crawler()
        forever = getattr(getattr(crawler, "spider", None), "until", "idle") == "forever"
        give_up_s = None if forever else self.config.publishing.give_up_s
        return ArchiveWait(self.count, give_up_s=give_up_s, is_ending=self.is_ending, end=self.end)

    @cached_property
    def refusals(self) -> Refusals:
        """Ends the crawl where Redis refuses for good."""
        return Refusals(self.is_ending, self.end)

    @cached_property
    def known_archive(self) -> KnownArchive:
        """Tells whether the archive is the one that the crawl has filled."""
        from articlebot.runtime.known_archive import KnownArchive

        return KnownArchive(self.clients.of(), self.config.general.key_prefix, lambda: self.archive)

    @cached_property
    def reader(self) -> Reader:
        """Extraction with what was learned of each site."""
        from articlebot.runtime.reader import Reader

        return Reader(
            self.learning, self.beside, self.usage, refuse_below=self.config.extraction.refuse_below,
            videos=self.videos, miner=self.miner,
            count=lambda note: self.count(f"page/{note}"), aside=self.aside,
        )  # fmt: skip

    @cached_property
    def videos(self) -> Registry:
        """The parsers of play pages.

        Raises:
            ConfigError: a class path of ``ARTICLEBOT_VIDEO_PARSERS`` is wrong.
        """
        from articlebot.extraction.video import Registry

        section = self.config.video
        return Registry.load(section.parsers, allowed=section.domains, generic=section.generic)

    @cached_property
    def usage(self) -> Usage:
        """What sites ask of those who use their pages."""
        crawler = self._crawler()
        settings = crawler.settings if crawler is not None else {}
        agent = product_token(str(settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT") or "articlebot"))
        return Usage(self.config.manners, agent, self.clients.of, self.config.general.key_prefix)

    repeats = _store(Repeats)
    """Short texts that a site shows at several addresses."""

    reasons = _store(Reasons)
    """Why pages gave no article."""

    @cached_property
    def miner(self) -> Miner | None:
        """Collects what the pages that are read link to; None where ``ARTICLEBOT_SEEDS_MINE`` is off.

        Raises:
            ConfigError: the topic file is wrong.
        """
        from articlebot.relevance import Judge, load_topic
        from articlebot.seeds.mining import Miner

        section = self.config.seeds
        if not section.mine:
            return None
        return Miner(Judge(load_topic(section.topic)) if section.topic is not None else None)

    @property
    def shelf(self) -> Callable[[], Shelf]:
        """Opens the shelf of wrappers and the pages they are learned from; can be given to another process."""
        from articlebot.archive.shelf import open_shelf

        config = self.config
        return partial(open_shelf, self.database_url, config.general.data_dir, upgrade=config.archive.upgrade)

    @cached_property
    def learning(self) -> Learning:
        """The wrappers of the sites, learned while crawling."""
        from articlebot.runtime.learning import Learning

        section, tell = self.config.wrappers, self._tell_of_wrapper
        return Learning(section, self.shelf, self.now, tell, self.turns, aside=self.aside)

    @cached_property
    def turns(self) -> RedisTurns:
        """Who learns which site's wrapper."""
        from articlebot.extraction.wrapper import RedisTurns

        return RedisTurns(self.clients.of, self.config.general.key_prefix)

    def rounds(self) -> Rounds:
        """Opens the round history; the caller closes it."""
        from articlebot.archive.rounds import open_rounds

        config = self.config
        return open_rounds(self.database_url, config.general.data_dir, self.worker, upgrade=config.archive.upgrade)

    @cached_property
    def visits(self) -> Visits:
        """What visits found, written to the page states by the recrawl policy."""
        from articlebot.recrawl.learned import RedisLearned
        from articlebot.recrawl.said import RedisSaid
        from articlebot.runtime.visits import Visits, book_of

        general = self.config.general
        learned = RedisLearned(self.clients.of("recrawl"), general.key_prefix)
        book = book_of(self.config.recrawl, self.pages, learned, self.rng, lambda what: self.count(f"recrawl/{what}"))
        said = RedisSaid(self.clients.of("recrawl"), general.key_prefix)
        return Visits(self.config, book, self.rounds(), self.rng, self.aside, store=learned, said=said)

    @cached_property
    def assignment(self) -> Assignment:
        """Which jobs other servers follow; this one leaves their due pages alone."""
        return Assignment(self.clients.of(), self.config.general.key_prefix, self.config.frontier.lease_s)

    @cached_property
    def proxies(self) -> LivePool:
        """The pool of proxies, followed while it changes."""
        section = self.config.proxies
        return LivePool(
            RedisProxies(self.clients.of(), self.config.general.key_prefix),
            Pool(self.rng, size=section.round_size, round_s=section.round_s),
            self.now,
            paid=[text.get_secret_value() for text in section.paid],
            paid_file=section.paid_file,
        )

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
    def diagnosis(self) -> Diagnosis:
        """Whether the jobs are well, by what their visits led to."""
        pasts = RedisPasts(self.clients.of(), self.config.general.key_prefix)
        return Diagnosis(
            pasts, lambda: self.pages, lambda: self.proxies, self.now, lambda: silent(self.frontier)
        )  # fmt: skip

    walls = _store(RedisWalls)
    """Which sites showed walls, and how many."""

    twins = _store(RedisTwins)
    """Which addresses of a site show one content."""

    @cached_property
    def candidates(self) -> RedisCandidates:
        """Sites and list pages that were found and may become jobs."""
        return RedisCandidates(self.clients.of(), self.config.general.key_prefix, most=self.config.seeds.most)

    @property
    def place(self) -> str:
        """What tells this machine's archive from others' in a shared Redis; "" where there is one archive."""
        general = self.config.general
        return f"@{socket.gethostname()}" if general.redis_url and not general.database_url else ""

    @property
    def database_url(self) -> str:
        """SQLAlchemy URL of the archive."""
        general = self.config.general
        if general.database_url:
            return general.database_url
        general.data_dir.mkdir(parents=True, exist_ok=True)
        return f"sqlite:///{(general.data_dir / 'archive.db').resolve()}"

    def _tell_of_wrapper(self, site: str, event: str) -> None:
        self.count(f"wrappers/{event}")
        from articlebot.runtime.learning import wrapper_changed

        if (crawler := self._crawler()) is not None:
            crawler.signals.send_catch_log(wrapper_changed, site=site, event=event)

    def is_ending(self) -> bool:
        """Whether the crawl ends, or has none of Scrapy's engine that could go on."""
        crawler = self._crawler()
        slot: Any = getattr(getattr(crawler, "engine", None), "_slot", None)
        return slot is None or slot.closing is not None

    def end(self, reason: str) -> None:
        """Ends the crawl for a reason."""
        crawler = self._crawler()
        if crawler is not None and crawler.engine is not None:
            self._ended = asyncio.ensure_future(crawler.engine.close_spider_async(reason=reason))

    def count(self, event: str, number: int = 1) -> None:
        """Counts an event, or several, in the crawler's stats."""
        crawler = self._crawler()
        if crawler is not None and crawler.stats is not None:
            crawler.stats.inc_value(f"articlebot/{event}", number)

    async def close(self) -> None:
        """Closes what was opened; the last user of a private Redis server ends it."""
        if "learning" in self.__dict__:
            await self.learning.close()
        if "frontier" in self.__dict__:
            await self.frontier.close()
        if "archive" in self.__dict__:
            self.archive.close()
        await self.clients.close()
        if self._folder is not None:
            self._folder.cleanup()
