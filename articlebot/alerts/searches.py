"""Saved searches, in Redis: what people look for again and again, and how far each was told of."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast

from redis.asyncio.lock import Lock

from articlebot.archive import Search
from articlebot.archive.query import Query
from articlebot.connect import RedisStore
from articlebot.errors import ConfigError, RefusedError, StateError

# A name is a part of addresses and of a line that is sent.
_NAME = re.compile(r"[^/\x00-\x1f\x7f]{1,80}")
# Each that is told of costs a question to the index at each look.
_MOST = 1000
# Articles that a message names.
SHOWN = 20
# As long as a message of one search may take, through two channels; after that another worker looks.
_TURN_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSearch:
    """A search under a name.

    Attributes:
        words, site, category, job, language: as of ``archive.Search``.
        alert: people are told of articles that begin to match, and of new versions of those that do.
        who: whose it is.
        at: when it was saved, epoch seconds.
    """

    name: str
    words: str = ""
    site: str | None = None
    category: str | None = None
    job: str | None = None
    language: str | None = None
    alert: bool = False
    who: str = ""
    at: float = 0.0

    @property
    def facets(self) -> dict[str, str]:
        """Those given."""
        return Search(site=self.site, category=self.category, job=self.job, language=self.language).facets

    def search(self, **more: Any) -> Search:
        """The search itself."""
        return Search(words=self.words, **self.facets, **more)  # type: ignore[arg-type]

    def check(self) -> None:
        """Refuses what cannot be looked for.

        Raises:
            ConfigError: the name is no name, or there is nothing to look for.
        """
        if not _NAME.fullmatch(self.name) or self.name != self.name.strip():
            raise ConfigError(f"{self.name!r} is no name for a search: 1 to 80 characters without / and line breaks")
        if not self.words.strip() and not self.facets:
            raise ConfigError("a saved search needs words, a site, a category, a job or a language")
        if self.words.strip():
            try:
                Query.parse(self.words)
            except RefusedError as error:
                raise ConfigError(error.detail) from None


@dataclass(frozen=True, slots=True)
class Told:
    """How far a search was told of: the last version, the last one of the message under way (the same where none is),
    and the channels that took that."""

    last: int
    upto: int
    taken: frozenset[str] = frozenset()


class RedisSearches(RedisStore):
    """Two hashes: the searches by name, and the last version told of."""

    below = "searches"

    async def save(self, search: SavedSearch, marks: Mapping[str, int]) -> bool:
        """Keeps a search, in the place of one of the same name; whether there was none.

        Args:
            search: what to keep.
            marks: the newest version of the archive at each place: only what is newer is told of.

        Raises:
            ConfigError: as of ``SavedSearch.check``, or there are a thousand.
        """
        search.check()
        if await self._redis.hlen(self._key) >= _MOST and not await self._redis.hexists(self._key, search.name):
            raise ConfigError(f"there are {_MOST:,} saved searches: forget one first")
        async with self._redis.pipeline(transaction=True) as pipe:
            for place, version in marks.items():
                pipe.hset(f"{self._key}:told", f"{search.name}/{place}", _packed(Told(version, version)))
            pipe.hset(self._key, search.name, json.dumps(asdict(search), ensure_ascii=False))
            *_, added = await pipe.execute()
        return bool(added)

    async def forget(self, name: str) -> bool:
        """Drops a search; whether there was one."""
        marks = [
            field for field in await self._redis.hkeys(f"{self._key}:told") if field.decode().partition("/")[0] == name
        ]
        if marks:
            await self._redis.hdel(f"{self._key}:told", *marks)
        return bool(await self._redis.hdel(self._key, name))

    async def get(self, name: str) -> SavedSearch | None:
        """The search of a name."""
        kept = await self._redis.hget(self._key, name)
        return None if kept is None else self._read(kept)

    async def all(self) -> list[SavedSearch]:
        """All, by name.

        Raises:
            StateError: one cannot be read.
        """
        return [self._read(kept) for _, kept in sorted((await self._redis.hgetall(self._key)).items())]

    async def told(self, name: str, place: str) -> Told | None:
        """How far a search was told of at a place; None where it was not asked for there."""
        kept = await self._redis.hget(f"{self._key}:told", f"{name}/{place}")
        if kept is None:
            return None
        last, upto, *taken = kept.decode().split()
        return Told(int(last), int(upto), frozenset(taken))

    async def mark(self, name: str, place: str, told: Told) -> None:
        """Keeps it."""
        await self._redis.hset(f"{self._key}:told", f"{name}/{place}", _packed(told))

    def turn(self, place: str, wait_s: float) -> Lock:
        """The turn of looking, for one worker at a place at a time."""
        lock = self._redis.lock(
            f"{self._key}:told:turn{place}", timeout=_TURN_S, blocking=wait_s > 0, blocking_timeout=wait_s or None
        )
        return cast("Lock", lock)

    def _read(self, kept: bytes) -> SavedSearch:
        try:
            return SavedSearch(**json.loads(kept))
        except (TypeError, ValueError) as error:
            raise StateError(f"{self._key} cannot be read: {type(error).__name__}; delete the key") from None


def _packed(told: Told) -> str:
    return " ".join([str(told.last), str(told.upto), *sorted(told.taken)])
