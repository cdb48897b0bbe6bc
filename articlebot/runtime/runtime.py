"""The composition root: configuration, stores and clock, put together once per crawler or command.

What reads pages is imported where it is first asked for: it takes .2 s, and most commands read none.
"""

from __future__ import annotations

import asyncio
import logging
import random
import weakref
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy import signals

from articlebot.config import Config
from articlebot.diagnosis import RedisPasts
from articlebot.frontier.inspect import silent
from articlebot.manners.robots_txt import product_token
from articlebot.proxies import Pool, RedisProxies
from articlebot.proxies.live import LivePool
from articlebot.runtime import clock
from articlebot.runtime.archive_wait import WAITS, ArchiveWait
from articlebot.runtime.aside import Aside
from articlebot.runtime.clients import Clients
from articlebot.runtime.diagnosis import Diagnosis
from articlebot.runtime.private_redis import PrivateRedis
from articlebot.runtime.refusals import Refusals
from articlebot.runtime.stores import Stores
from articlebot.runtime.throwaway_redis import ThrowawayRedis, throwaway_folder
from articlebot.runtime.tools import apart, tool_in_use
from articlebot.runtime.usage import Usage
from articlebot.text.segmentation import choose as choose_segmenter
from articlebot.worker_names import worker_name

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from articlebot.extraction.video import Registry
    from articlebot.runtime.beside import BesideItems
    from articlebot.runtime.browser import Browser
    from articlebot.runtime.learning import Learning
    from articlebot.runtime.reader import Reader
    from articlebot.runtime.trial import Trial
    from articlebot.runtime.visits import Visits
    from articlebot.seeds.mining import Miner

logger = logging.getLogger(__name__)
# NTP keeps clocks within a tenth of a second of each other; those that are so far apart are not kept.
_APART_S = 60.0
# Seconds in which a crawl that was told to end does so; after some more it is ended (``extensions.stop``).
_TOLD_S = 6.0

_runtimes: weakref.WeakKeyDictionary[Crawler, Runtime] = weakref.WeakKeyDictionary()


class Runtime(Stores):
    """Everything that is shared inside one process; parts are built when first asked for.

    Args:
        config: the configuration.
        now: the clock; None for this machine's, and Redis' once there is a session with it.
        rng: the randomness of delays and choices.
        spider: name of the spider whose queue this is about.
        tool: the command of Scrapy that must leave no trace; it gets stores of its own, which end with it.

    Raises:
        ConfigError: no ``REDIS_URL`` and no Redis binary.
        StoreUnavailable: the private Redis server does not come up.
        StateError: Redis has state of an earlier version.
    """

    def __init__(
        self, config: Config, *, now: Callable[[], float] | None = None, rng: random.Random | None = None,
        spider: str = "article", tool: str | None = None,
    ) -> None:  # fmt: skip
        self._folder: TemporaryDirectory[str] | None = None
        if tool is not None:
            self._folder = throwaway_folder(tool)
            config = apart(config, tool, Path(self._folder.name))
        choose_segmenter(config.general.segmenter)
        self.tool = tool
        self._clock, self._is_given = now or clock.now, now is not None
        self.rng = rng or random.Random()
        clients = Clients(
            config.general, private=ThrowawayRedis if tool else PrivateRedis, shards=config.frontier.shards
        )
        # Unique per process and start: two workers on one machine, or one that comes back, are never taken for another.
        worker = worker_name(self.rng.getrandbits(24))
        super().__init__(config, clients, worker=worker, spider=spider)
        self._crawler: Callable[[], Crawler | None] = lambda: None
        self.told_at: float | None = None
        """When the process was told to end (``monotonic``); None before."""

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

    def now(self) -> float:
        """Epoch seconds."""
        return self._clock()

    def share_clock(self, of_redis: Callable[[], float]) -> None:
        """Goes by Redis' clock from now on: pages that one worker has put off are due by it for all others."""
        if self._is_given:
            return
        apart = clock.now() - of_redis()
        if abs(apart) > _APART_S:
            said = "ahead of" if apart > 0 else "behind"
            message = "This machine's clock is %.0f s %s Redis', by which the crawl goes: let both follow NTP"
            logger.warning(message, abs(apart), said)
        self._clock = of_redis

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
        from articlebot.archive.engine import cut

        forever = getattr(getattr(crawler, "spider", None), "until", "idle") == "forever"
        give_up_s = None if forever else self.config.publishing.give_up_s
        return ArchiveWait(
            self.count, give_up_s=give_up_s, is_ending=self.is_ending, end=self.end, cut=cut,
            tell=lambda said: self.note(WAITS, said),
        )  # fmt: skip

    @cached_property
    def refusals(self) -> Refusals:
        """Ends the crawl where Redis refuses for good."""
        return Refusals(self.is_ending, self.end)

    @cached_property
    def reader(self) -> Reader:
        """Extraction with what was learned of each site."""
        from articlebot.runtime.reader import Reader

        return Reader(
            self.learning, self.beside, self.usage, self.day_orders, refuse_below=self.config.extraction.refuse_below,
            videos=self.videos, miner=self.miner,
            count=lambda note: self.count(f"page/{note}"), aside=self.aside,
        )  # fmt: skip

    @cached_property
    def browser(self) -> Browser | None:
        """Shows pages that are empty until their scripts have run; None where there is no browser."""
        from articlebot.runtime.browser import browser_of

        return browser_of(self._crawler(), self.config.browser)

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

    @cached_property
    def learning(self) -> Learning:
        """The wrappers of the sites, learned while crawling."""
        from articlebot.runtime.learning import Learning

        section, tell = self.config.wrappers, self._tell_of_wrapper
        return Learning(section, self.shelf, self.now, tell, self.turns, aside=self.aside)

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

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """Whether the jobs are well, by what their visits led to."""
        pasts = RedisPasts(self.clients.of(), self.config.general.key_prefix)
        return Diagnosis(pasts, lambda: self.pages, lambda: self.proxies, self.now, lambda: silent(self.frontier))

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

    def patience(self, usual: float) -> float:
        """Seconds for which the crawl's end may wait for somebody: as usual, or less where it was told to end."""
        return usual if self.told_at is None else max(0.5, min(usual, self.told_at + _TOLD_S - monotonic()))

    def end(self, reason: str) -> None:
        """Ends the crawl for a reason; ``CloseSpider`` from a spider's ``start`` is a fault to Scrapy 2.14."""
        crawler = self._crawler()
        if crawler is not None and crawler.engine is not None:
            self._ended = asyncio.ensure_future(crawler.engine.close_spider_async(reason=reason))

    def count(self, event: str, number: int = 1) -> None:
        """Counts an event, or several, in the crawler's stats."""
        crawler = self._crawler()
        if crawler is not None and crawler.stats is not None:
            crawler.stats.inc_value(f"articlebot/{event}", number)

    def note(self, name: str, value: str | int) -> None:
        """Sets one of the crawl's stats."""
        crawler = self._crawler()
        if crawler is not None and crawler.stats is not None:
            crawler.stats.set_value(name, value)

    async def close(self) -> None:
        """Closes what was opened; the last user of a private Redis server ends it."""
        if "learning" in self.__dict__:
            await self.learning.close()
        await super().close()
        if self._folder is not None:
            self._folder.cleanup()
