"""What the workers of a focused crawl share: the pages not yet fetched, best first, and what was seen of the others."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import redis.asyncio

from articlebot.files import shipped
from articlebot.items import Link
from articlebot.relevance.focus import Seen
from articlebot.relevance.topic import Topic

_MOST = 200_000
_KEPT_S = 30 * 86_400
# A worker that was not heard of for so long is gone.
_PATIENCE_S = 300
_PAGES_REMEMBERED = 2_000
_READ_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Waiting:
    """A page that waits: its link, the page this stands on, and how many pages off the topic lead to it in a row."""

    link: Link
    source: str | None = None
    steps: int = 0
    priority: float = 0.0


class Pool:
    """A max-priority queue of pages in Redis: insert, extract-max, increase-key (design B), by any number of workers.

    A priority only rises, each page is given out once, and what one worker saw of a page all others learn, so that
    two workers rank as one would. It outlives a crawl: the next one on the same topic goes on with it (30 days).

    Args:
        client: Redis 6.2 or later, replies as bytes.
        prefix: of every key; their slot's tag is in it.
        topic: another topic, also of the same name, has another pool.
        now: gives epoch seconds.
        most: pages kept; beyond it the worst are dropped.
    """

    def __init__(
        self, client: redis.asyncio.Redis, prefix: str, topic: Topic, now: Callable[[], float], most: int = _MOST
    ) -> None:
        told = json.dumps([topic.name, topic.keywords, topic.texts, topic.examples]).encode()
        self._client: Any = client
        self._base = f"{prefix}:{blake2b(told, digest_size=6).hexdigest()}:"
        self._now, self._most = now, most
        self._worker = uuid.uuid4().hex[:12]
        self._read = "0"
        self._script = client.register_script(shipped("articlebot.relevance", "lua/focus.lua"))

    async def open(self) -> bool:
        """Joins the crawl; True where this worker begins it, and the budget is counted anew."""
        return bool(await self._run("open", int(self._now()), self._worker, _PATIENCE_S))

    async def close(self) -> None:
        """Leaves the crawl; the pages stay."""
        await self._run("close", self._worker)

    async def seed(self, url: str, *, fresh: bool, budget: int) -> bool:
        """Whether this worker is to fetch an address to begin at; counts against the budget."""
        return bool(await self._run("seed", url, int(fresh), budget))

    async def offer(self, pages: Iterable[tuple[str, float, Waiting | None]]) -> None:
        """Inserts pages with their priority, or raises it. None: only raises that of a page which waits already."""
        arguments: list[Any] = []
        for url, priority, waiting in pages:
            arguments += (url, f"{priority:.6f}", _packed(waiting) if waiting else "")
        if arguments:
            await self._run("offer", self._most, *arguments)

    async def take(self, window: int, budget: int) -> tuple[str, Waiting] | None:
        """Takes the best page out; None where none waits, `window` are out already or the budget is used up."""
        found = await self._run("take", int(self._now()), self._worker, window, budget, _KEPT_S)
        if found is None:
            return None
        url = found[0].decode()
        text, context, source, steps = json.loads(found[1]) if found[1] else ("", "", None, 0)
        return url, Waiting(Link(url=url, text=text, context=context), source, steps, float(found[2]))

    async def done(self, url: str, *, refund: bool = False) -> bool:
        """A page is answered, by whichever worker; `refund`: it was not fetched. False where it was not out."""
        return bool(await self._run("done", url, "refund" if refund else ""))

    async def tell(self, seen: Seen) -> None:
        """Lets the other workers know what was seen of a page."""
        key = f"{self._base}e"
        fields = {"by": self._worker, "seen": seen.to_json()}
        await self._client.xadd(key, fields, maxlen=_PAGES_REMEMBERED, approximate=True)
        await self._client.expire(key, _KEPT_S)

    async def news(self) -> list[Seen]:
        """What other workers, or earlier crawls, told since the last call."""
        found: list[Seen] = []
        while True:
            entries = await self._client.xrange(f"{self._base}e", f"({self._read}", "+", count=_READ_AT_ONCE)
            for name, fields in entries:
                self._read = name.decode()
                if fields[b"by"] != self._worker.encode():
                    found.append(Seen.from_json(fields[b"seen"]))
            if len(entries) < _READ_AT_ONCE:
                return found

    async def _run(self, command: str, *arguments: Any) -> Any:
        # The base is no key, but it names the slot that all keys below it are in.
        return await self._script(keys=[self._base], args=[self._base, command, *arguments])


def _packed(waiting: Waiting) -> str:
    told = [waiting.link.text, waiting.link.context, waiting.source, waiting.steps]
    return json.dumps(told, ensure_ascii=False).encode("utf-8", "replace").decode()
