"""Looks at what people are to be told of, and tells when it begins and when it is over, once in the whole cluster."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing
from functools import partial

from redis.exceptions import RedisError
from scrapy import Spider
from scrapy.crawler import Crawler

from articlebot.alerts.channels import Channel, Command, Webhook
from articlebot.alerts.messages import Message, found_message, message_of
from articlebot.alerts.store import Due, Standing
from articlebot.errors import StateError, StoreUnavailable
from articlebot.jobs.book import JobBook, followed_by
from articlebot.outage import Outage
from articlebot.runtime import Runtime
from articlebot.runtime.component import Component
from articlebot.runtime.diagnosis import SETTLED, Settled
from articlebot.runtime.found import Findings
from articlebot.runtime.learning import wrapper_changed
from articlebot.runtime.watch import Look, Watch, of_settled

logger = logging.getLogger(__name__)
_AWAY = (RedisError, StoreUnavailable, StateError, OSError)
# Seconds for a last message where the process was told to end.
_LAST_S = 3.0


class AlertsExtension(Component):
    """Looks each ``ARTICLEBOT_ALERTS_CHECK_S`` and at the end; see ``docs/how-to/operations.md``.

    Stats: ``articlebot/alerts/begun``, ``over``, ``found``, ``unsent``.

    Raises:
        ConfigError: ``ARTICLEBOT_ALERTS_URL`` is no web address.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        runtime = self._runtime
        self._channels = _channels(runtime)
        self._name = runtime.config.general.key_prefix.strip("{}")
        self._watch: Watch | None = None
        self._book: Callable[[], JobBook] = lambda: JobBook(())
        # What happened since the last look, and of messages that not all channels took, those that did.
        self._events: list[Standing] = []
        self._taken: dict[int, set[str]] = {}
        # Channels that did not take their last message, and those of this look.
        self._failing: set[str] = set()
        self._failing_now: set[str] = set()
        self._outage = Outage(logger)
        crawler.signals.connect(self.settled, SETTLED)
        crawler.signals.connect(self.wrapper_changed, wrapper_changed)

    def spider_opened(self, spider: Spider) -> None:
        """Begins, where the spider follows jobs."""
        if followed_by(spider) is not None:
            self._book = lambda: spider.book  # type: ignore[attr-defined]  # may be another one later
            self._watch = Watch(self._runtime, self._book)
            self._repeat(self._look, self._runtime.config.alerts.check_s)

    async def spider_closed(self) -> None:
        """Looks once more: a run for cron may be shorter than the pause between two looks."""
        if not self._stop():
            return
        if self._runtime.told_at is not None:
            asyncio.get_running_loop().call_later(self._runtime.patience(_LAST_S), self._cut)
        settled = await self._runtime.diagnosis.end()
        if settled is not None:
            await self.settled(settled)
        await self._look(last=True)
        for channel in self._channels:
            channel.close()

    def _cut(self) -> None:
        for channel in self._channels:
            channel.cut()

    async def settled(self, settled: Settled) -> None:
        """Jobs were judged."""
        try:
            self._events += of_settled(settled, await self._runtime.alerts.all())
        except _AWAY as error:
            logger.warning("How the jobs stand cannot be told now: %s", error)

    def wrapper_changed(self, site: str, event: str) -> None:
        """A site's wrapper is doubted, or is trusted again."""
        if self._watch is not None and event != "failed":
            self._events.append(Standing("drift", site, event == "doubted"))

    async def _look(self, *, last: bool = False) -> None:
        assert self._watch is not None
        self._failing_now = set()
        now = self._runtime.now()
        events, self._events = self._events, []
        try:
            await self._note(events, now)
        except _AWAY as error:
            self._events = events + self._events
            self._outage.begin("Alerts wait: %s", error)
            return
        steps: tuple[Callable[[float], Awaitable[None]], ...] = (
            *(partial(self._seen, look) for look in self._watch.looks), self._again, partial(self._found, last)
        )  # fmt: skip
        away: Exception | None = None
        for step in steps:
            try:
                await step(now)
            except _AWAY as error:
                away = error
        if away is None:
            self._outage.end("Alerts are looked for again")
        else:
            self._outage.begin("Some alerts wait: %s", away)

    async def _seen(self, look: Look, now: float) -> None:
        await self._note(await look(now), now)

    async def _note(self, standings: Iterable[Standing], now: float) -> None:
        for standing in standings:
            due = await self._runtime.alerts.note(standing, now)
            if due is not None:
                await self._tell(due, now)

    async def _again(self, now: float) -> None:
        """Takes up messages that nobody has sent yet, and forgets objectives that jobs have no more."""
        alerts, book = self._runtime.alerts, self._book()
        known = await alerts.all()
        waiting = [Standing(one.kind, one.about, None, one.data, keep=one.kind == "freshness")
                   for one in known if one.pending]  # fmt: skip
        await self._note(waiting, now)
        jobs = [book.get(one.about) for one in known if one.kind == "freshness"]
        await alerts.forget("freshness", [job.name for job in jobs if job is not None and job.freshness is None])

    async def _found(self, last: bool, now: float) -> None:
        """Tells what saved searches have found."""
        findings = Findings(self._runtime)
        async with aclosing(findings.since_last(last=last)) as news:
            async for found in news:
                message = found_message(found.search.name, found.results, found.upto, self._name, now)
                taken = set(found.taken)
                if await self._sent(message, logging.INFO, taken):
                    await findings.told(found)
                    self._runtime.count("alerts/found")
                else:
                    await findings.told(found, taken)

    async def _tell(self, due: Due, now: float) -> None:
        """Sends the message of an event."""
        level = logging.WARNING if due.event == "begun" else logging.INFO
        if await self._sent(message_of(due, self._name, now), level, self._taken.setdefault(due.turn, set())):
            self._taken.pop(due.turn)
            await self._runtime.alerts.sent(due)
            self._runtime.count(f"alerts/{due.event}")

    async def _sent(self, message: Message, level: int, taken: set[str]) -> bool:
        """Sends a message through all channels; where one does not take it, it is sent through that one again later.

        Args:
            message: what to send.
            level: of the line in the log.
            taken: channels that have it; grows.

        Returns:
            Whether all have it.
        """
        if not taken:
            logger.log(level, "%s", message.text)
        for channel in self._channels:
            # One that does not answer is not waited for again in this look.
            if channel.name in taken or channel.name in self._failing_now:
                continue
            try:
                await asyncio.to_thread(channel.send, message)
                taken.add(channel.name)
                self._failing.discard(channel.name)
            except OSError as error:
                self._runtime.count("alerts/unsent")
                known = logging.DEBUG if channel.name in self._failing else logging.WARNING
                logger.log(known, "%s did not take a message, it is sent again: %s", channel.name, error)
                self._failing.add(channel.name)
                self._failing_now.add(channel.name)
        return all(channel.name in taken for channel in self._channels)


def _channels(runtime: Runtime) -> list[Channel]:
    section = runtime.config.alerts
    found: list[Channel] = []
    if section.url is not None:
        secret = None if section.secret is None else section.secret.get_secret_value()
        found.append(Webhook(section.url.get_secret_value(), secret))
    if section.command is not None:
        found.append(Command(section.command))
    return found
