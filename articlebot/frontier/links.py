"""The way of links into the queue: the new ones of a page, all in one script."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import Protocol

from redis.exceptions import RedisError

from articlebot.errors import RefusedError
from articlebot.frontier.envelope import Candidate, Envelope
from articlebot.frontier.scripts import passes
from articlebot.urls import parent_hash

# Links that are stored in one round trip, and those of a page that are stored before the others, so that their
# downloads need not wait for all.
_BATCH, _FIRST_BATCH = 75, 50
# Keys of 8 bytes in a dictionary: some 10 MB a worker.
KNOWN_LINKS = 100_000
# Between two batches, for downloads to begin.
_FIRST_BREATH_S, _BREATH_S = 0.05, 0.025


class Push(Protocol):
    """Queues requests; returns how many were new."""

    def __call__(self, envelopes: list[Envelope], *, now: float | None = None) -> Awaitable[int]: ...


class Links:
    """Admits links; ``refused`` counts those that cannot be URLs of pages, by reason.

    Args:
        push: queues what is new among them.
        known: links kept in this process's memory, so that they are not sent again; 0 for none.
        list_parents: whether list pages are parents of their links, as other pages are.
    """

    def __init__(self, push: Push, known: int, *, list_parents: bool = False) -> None:
        self._push, self._known, self._list_parents = push, KnownLinks(known), list_parents
        self._admitted: Callable[[list[Envelope]], None] = lambda envelopes: None
        self.refused: Counter[str] = Counter()

    async def admit(
        self,
        links: Iterable[Candidate],
        *,
        job: str,
        parent_url: str | None = None,
        depth: int = 0,
        from_list: bool = False,
        callback: str | None = None,
        errback: str | None = None,
        now: float | None = None,
    ) -> int:
        """Queues those links of a page that are new, in one script; returns how many were.

        A known page that is still queued gets the higher priority of the two, and what this page says of it where that
        which named it first said nothing. While Redis is away or full this waits.

        Args:
            links: the page's links.
            job: name of the job.
            parent_url: the page they stand on.
            depth: of the links (the parent's plus one).
            from_list: the page is a list page or feed, whose links are neighbours only under ``list_parents``.
            callback, errback: names of the spider's methods, None for ``parse`` and for none.
            now: for simulations.
        """
        parent = 0 if from_list and not self._list_parents else parent_hash(parent_url)
        base = {"job": job, "parent": parent, "parent_url": parent_url, "depth": depth}
        fresh, size, breath, cleared = 0, _FIRST_BATCH, _FIRST_BREATH_S, self._known.cleared
        batch: list[Envelope] = []
        sent: list[tuple[str, int, int]] = []
        for link in links:
            says = ("context" in link.meta) + 2 * ("published_at" in link.meta)
            if self._known.knows(link.url, link.priority, says):
                continue
            sent.append((link.url, link.priority, says))
            try:
                batch.append(link.envelope(base, parent, callback, errback))
            except RefusedError as error:
                self.refused[error.reason] += 1
            if len(batch) >= size:
                fresh += await self._admit(batch, now)
                await asyncio.sleep(breath)
                batch, size, breath = [], _BATCH, _BREATH_S
        fresh += await self._admit(batch, now)
        if self._known.cleared == cleared:
            for url, priority, says in sent:
                self._known.add(url, priority, says)
        return fresh

    def listen(self, admitted: Callable[[list[Envelope]], None]) -> None:
        """Calls ``admitted`` from now on when any of some links were queued: their downloads may begin."""
        self._admitted = admitted

    async def _admit(self, batch: list[Envelope], now: float | None) -> int:
        new = await self._push_patiently(batch, now) if batch else 0
        if new:
            self._admitted(batch)  # the first pages of a long list start while the others are stored
        return new

    async def _push_patiently(self, envelopes: list[Envelope], now: float | None) -> int:
        # The page waits with its links: were it finished without them, they would be lost.
        pause = 0.05
        while True:
            try:
                return await self._push(envelopes, now=now)
            except (RedisError, OSError) as error:
                if not passes(error):
                    raise
                await asyncio.sleep(pause)
                pause = min(1.0, 2 * pause)

    @property
    def forgotten(self) -> int:
        """How often ``forget`` was called: Redis came back, perhaps without what it was told last."""
        return self._known.cleared

    def forget(self) -> None:
        """Asks Redis of every link again, also of those that this process has admitted."""
        self._known.clear()


class KnownLinks:
    """Links admitted a short while ago, by their text: most links of a page were on the page before it too.

    Two generations of dictionaries; a link that is asked for again stays.

    Attributes:
        cleared: how often all was forgotten. Links admitted before that may be lost; do not add them afterwards.
    """

    def __init__(self, size: int) -> None:
        self.cleared = 0
        self._half = size // 2
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}

    def knows(self, url: str, priority: int, says: int = 0) -> bool:
        """Whether the link was admitted with at least this priority, and with what it ``says``: text 1, its day 2."""
        known = self._young.get(url)
        if known is None:
            known = self._old.get(url)
            if known is None:
                return False
            self._keep(url, known)
        return known >> 2 >= priority and not says & ~known

    def add(self, url: str, priority: int, says: int = 0) -> None:
        """Remembers a link."""
        known = self._young.get(url, self._old.get(url, priority << 2))
        self._keep(url, max(known >> 2, priority) << 2 | known & 3 | says)

    def _keep(self, url: str, known: int) -> None:
        if len(self._young) >= self._half:
            self._old, self._young = self._young, {}
        if self._half:
            self._young[url] = known

    def clear(self) -> None:
        """Forgets all."""
        self.cleared += 1
        self._young, self._old = {}, {}
