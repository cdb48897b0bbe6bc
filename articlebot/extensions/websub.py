"""Listens for what hubs push: off unless a port is named."""

from __future__ import annotations

import asyncio
import logging
import secrets
from contextlib import suppress
from typing import Any

from redis.exceptions import RedisError
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.http import Response

from articlebot.errors import ConfigError, Off
from articlebot.extensions.listening import listen, stop
from articlebot.items import Link
from articlebot.jobs.book import JobBook, followed_by
from articlebot.jobs.follow import candidates
from articlebot.jobs.visit import META_KEY, Visit
from articlebot.page import header
from articlebot.page.feeds import parse_feed
from articlebot.runtime.component import Component
from articlebot.seeds.offers import hubs_of_feed
from articlebot.seeds.websub import RedisSubscriptions, Subscription, signed, topic_of
from articlebot.urls import canonical_url, page_key

logger = logging.getLogger(__name__)
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_TOKEN_BYTES = 24
# Ten days, as PubSubHubbub's hubs grant.
_LEASE_S = 864_000.0
# Of a delivery, beyond which it is cut off: a feed of a hundred whole articles has about one megabyte.
_MOST_BYTES = 2_000_000
# Seconds between two looks for what to renew, of leases that last days.
LOOK_S = 60.0


class WebSubExtension(Component):
    """Subscribes to the hubs that the jobs' feeds name, and takes what they push into the frontier at once.

    The feeds are still visited at their interval: a hub may die. Deliveries are taken from who can sign them.

    Raises:
        Off: no port is named.
        ConfigError: it listens for others, but is not told under which address they reach it.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        runtime = self._runtime
        self._section = section = runtime.config.websub
        if section.port is None:
            raise Off("ARTICLEBOT_WEBSUB_PORT is not set")
        if section.public_url is None and section.address not in _LOOPBACK:
            raise ConfigError("ARTICLEBOT_WEBSUB_PUBLIC_URL: expected the address under which hubs reach this machine")
        self._store = RedisSubscriptions(runtime.clients.of(), runtime.config.general.key_prefix)
        self._known: set[tuple[str, str]] = set()
        self._port: Any = None
        self._base = (section.public_url or "").rstrip("/")
        self._tasks: set[asyncio.Future[None]] = set()

    def spider_opened(self, spider: Spider) -> None:
        """Listens, for a spider that has jobs; a port that is taken costs the pushes, not the crawl."""
        if followed_by(spider) is None:
            return
        from articlebot.extensions.callbacks import callbacks  # noqa: PLC0415 - a server few crawls need

        assert self._section.port is not None
        site = callbacks(self.verify, self.deliver, _MOST_BYTES)
        self._port = listen("WebSub", site, self._section.port, self._section.address)
        if self._port is None:
            return
        self._base = self._base or f"http://{self._section.address}:{self._port.getHost().port}"
        logger.info("WebSub callbacks at %s/websub/", self._base)
        self._begin(self._renew_for_ever())

    async def spider_closed(self) -> None:
        """Stops listening; the subscriptions stay, for the next crawl."""
        await stop(self._port)
        for task in list(self._tasks):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def jobs_changed(self) -> None:
        """Feeds of jobs that come back are subscribed again at their next visit."""
        self._known.clear()

    # -- asking

    def response_received(self, response: Response, request: Request) -> None:
        """Looks at a feed's answer for hubs."""
        kept = request.meta.get(META_KEY)
        if self._port is None or not kept or kept.get("kind") != "feed" or response.status != 200:
            return
        linked = header(response, "Link")
        hubs = hubs_of_feed(response.body, response.url, linked)
        feed = canonical_url(request.meta.get("redirect_urls", [request.url])[0])
        if hubs and (feed, hubs[0]) not in self._known:
            self._known.add((feed, hubs[0]))
            topic = topic_of(response.body, response.url, linked)
            self._begin(self._subscribe(feed, hubs[0], topic, str(kept.get("job", ""))))

    async def _subscribe(self, feed: str, hub: str, topic: str, job: str) -> None:
        new = Subscription(
            token=secrets.token_urlsafe(_TOKEN_BYTES), hub=hub, topic=topic, feed=feed, job=job,
            secret=secrets.token_urlsafe(_TOKEN_BYTES),
        )  # fmt: skip
        try:
            known = await self._store.add(new)
            if (known.hub, known.topic) != (hub, topic):
                await self._store.remove(known)
                known = await self._store.add(new)
            await self._ask(known)
        except RedisError as error:
            self._known.discard((feed, hub))
            logger.debug("%s is subscribed at its next visit: %s", feed, error)

    async def _renew_for_ever(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                for one in await self._store.all():
                    await self._ask(one)
            except RedisError as error:
                logger.debug("Subscriptions wait for Redis: %s", error)

    async def _ask(self, subscription: Subscription) -> None:
        """Asks the hub where it is time; of several servers one does, of those that have the job."""
        if self._book.get(subscription.job) is None:
            return
        if subscription.ask_at() > self._runtime.now() or not await self._store.claim(subscription):
            return
        try:
            current = await self._store.get(subscription.token)
            if current is None or current.ask_at() > self._runtime.now():
                return
            if self._job(current) is None:
                await self._store.remove(current)
                self._count("left")
                return
            current = current.asked(self._runtime.now())
            await self._store.write(current)  # before the hub verifies: its question may overtake the answer
            await self._post(current)
        finally:
            await self._store.release(subscription)

    async def _post(self, subscription: Subscription) -> None:
        request = Request(
            subscription.hub, method="POST",
            body=subscription.form(f"{self._base}/websub/{subscription.token}", _LEASE_S),
            headers={"Content-Type": "application/x-www-form-urlencoded"},
            # Subscribing is what a hub is there for; its robots.txt is about pages.
            meta={"dont_obey_robotstxt": True, "dont_retry": True, "handle_httpstatus_all": True},
        )  # fmt: skip
        assert self._crawler.engine is not None
        try:
            answer = await self._crawler.engine.download_async(request)
        except Exception as error:  # a stranger's hub: whatever fails is asked again later
            self._count("ask_failed")
            logger.info("%s was not asked for %s: %r", subscription.hub, subscription.topic, error)
            return
        well = 200 <= answer.status < 300
        self._count("asked" if well else f"refused/http_{answer.status}")
        if not well:
            logger.info("%s refuses %s: %d", subscription.hub, subscription.topic, answer.status)

    def _job(self, subscription: Subscription) -> Any:
        job = self._book.get(subscription.job) if self._book.follows(subscription.job) else None
        return job if job is not None and subscription.feed in job.feeds else None

    @property
    def _book(self) -> JobBook:
        return self._crawler.spider.book  # type: ignore[union-attr, no-any-return]

    # -- being asked, and being told

    async def verify(self, token: str, question: dict[str, str]) -> tuple[int, str]:
        """Status and text for a hub that asks whether we want this."""
        known = await self._store.get(token)
        answer = known.answer(question, self._runtime.now(), _LEASE_S) if known is not None else None
        if known is None or answer is None or self._job(known) is None:
            self._count("unknown_question")
            return 404, ""
        after, text = answer
        await self._store.write(after)
        self._count(after.state)
        logger.info("%s: %s for %.0f s", after.topic, after.state, after.lease_s)
        return 200, text

    async def deliver(self, token: str, signature: str, body: bytes) -> int:
        """The status for a hub that pushes; what is not signed is taken and left aside, as the protocol wants."""
        known = await self._store.get(token)
        job = self._job(known) if known is not None else None
        if known is None or job is None:
            self._count("unknown_delivery")
            return 404
        if known.state != "active" or not signed(signature, known.secret, body):
            self._count("unsigned")
            return 202
        self._count("delivered")
        entries = parse_feed(body, known.topic)
        if not entries:
            await self._make_due(known)
            return 202
        key = page_key(known.feed)
        published = {entry.url: entry.published_at for entry in entries}
        links = [Link(url=entry.url, text=entry.title) for entry in entries]
        visit, usual = Visit(job=job.name, kind="feed", key=key), self._runtime.config.delays.mean_s
        found = candidates(self._book, job, links, visit, published, usual_delay=usual, fresh=True)
        new = await self._runtime.frontier.links.admit(
            found, job=job.name, parent_url=known.feed, depth=1, from_list=True, errback="failed"
        )
        self._count("admitted", new)
        return 202

    async def _make_due(self, subscription: Subscription) -> None:
        """Has the feed itself visited now: the hub told only that there is something new."""
        (record,) = await self._runtime.pages.get([page_key(subscription.feed)])
        if record is not None:
            state = record.state._replace(next_at=self._runtime.now())
            await self._runtime.pages.put_many([record._replace(state=state)])
            self._count("made_due")

    def _begin(self, coroutine: Any) -> None:
        task = asyncio.ensure_future(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _count(self, name: str, number: int = 1) -> None:
        self._runtime.count(f"websub/{name}", number)
