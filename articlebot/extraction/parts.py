"""The pages of an article of several pages, kept in Redis until the last one is there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import redis.asyncio

from articlebot.errors import StateError
from articlebot.extraction.paging import join, join_html
from articlebot.items import Image

VERSION = 1
_KEPT_SECONDS = 86400


@dataclass(frozen=True, slots=True)
class Part:
    """One page of an article: its text, clean HTML and images."""

    body: str
    html: str
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class Gathered:
    """What is known of an article so far: the first page's fields, its pages in order, the addresses still to fetch."""

    first: dict[str, Any]
    parts: tuple[Part, ...]
    todo: tuple[str, ...]

    @property
    def whole(self) -> Part:
        """All pages as one; what repeats on each of them stands once."""
        images = {image.url: image for part in self.parts for image in part.images}
        return Part(
            join([part.body for part in self.parts]),
            join_html([part.html for part in self.parts]),
            tuple(images.values()),
        )


class RedisParts:
    """A hash per unfinished article, dropped after a day.

    Args:
        client: ``redis.asyncio`` client that returns bytes.
        prefix: first part of every key.
    """

    def __init__(self, client: redis.asyncio.Redis, prefix: str) -> None:
        self._client = client
        self._prefix = f"{prefix}:parts:"

    async def begin(self, key: int, first: dict[str, Any], part: Part, todo: Sequence[str]) -> None:
        """Keeps the first page; what an earlier, unfinished visit left is dropped."""
        name = self._name(key)
        head = json.dumps({"v": VERSION, "first": first, "todo": list(todo)}, ensure_ascii=False)
        async with self._client.pipeline(transaction=True) as pipe:
            pipe.delete(name)
            pipe.hset(name, mapping={"head": head, "1": _dump(part)})
            pipe.expire(name, _KEPT_SECONDS)
            await pipe.execute()

    async def first(self, key: int) -> dict[str, Any] | None:
        """The first page's fields; None where the article has lapsed."""
        raw = await self._client.hget(self._name(key), "head")
        return None if raw is None else _head(raw)["first"]

    async def add(self, key: int, number: int, part: Part | None, found: Sequence[str], url: str) -> Gathered | None:
        """Keeps page ``number`` (None: it could not be had) and returns all that is there; None where it has lapsed.

        Args:
            found: addresses of further pages that this one names; those not known yet are added to the list.
            url: this page's own address, which is done with.
        """
        name = self._name(key)
        raw = await self._client.hget(name, "head")
        if raw is None:
            return None
        head = _head(raw)
        done = {*head.get("done", []), url}
        todo = [u for u in dict.fromkeys([*head["todo"], *found]) if u not in done]
        mapping: dict[Any, Any] = {"head": json.dumps({**head, "todo": todo, "done": sorted(done)}, ensure_ascii=False)}
        if part is not None:
            mapping[str(number)] = _dump(part)
        await self._client.hset(name, mapping=mapping)
        stored: dict[Any, Any] = await self._client.hgetall(name)
        numbers = sorted(int(field) for field in stored if field != b"head")
        return Gathered(head["first"], tuple(_load(stored[str(n).encode()]) for n in numbers), tuple(todo))

    async def drop(self, key: int) -> None:
        """Forgets an article that is complete."""
        await self._client.delete(self._name(key))

    def _name(self, key: int) -> str:
        return f"{self._prefix}{key:016x}"


def _head(raw: bytes) -> dict[str, Any]:
    head: dict[str, Any] = json.loads(raw)
    if head["v"] != VERSION:
        raise StateError(f"parts of version {head['v']}; this articlebot reads {VERSION}")
    return head


def _dump(part: Part) -> str:
    return json.dumps(asdict(part), ensure_ascii=False)


def _load(raw: bytes) -> Part:
    kept = json.loads(raw)
    return Part(kept["body"], kept["html"], tuple(Image(**image) for image in kept["images"]))
