"""What saved searches have found since people were told of them last."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection
from dataclasses import dataclass

from articlebot.alerts.searches import SHOWN, SavedSearch, Told
from articlebot.archive import Results
from articlebot.runtime.runtime import Runtime

# How long a run that ends waits for a worker that looks just now: that one may not have seen what this one archived.
_LAST_S = 5.0


@dataclass(frozen=True, slots=True)
class Found:
    """What one search has found after the version with the id ``last``, up to ``upto``; ``taken`` are the channels
    that have the message."""

    search: SavedSearch
    results: Results
    last: int
    upto: int
    taken: frozenset[str]


async def save_search(runtime: Runtime, search: SavedSearch) -> None:
    """Keeps a search under its name; people are told of what is archived from now on.

    Raises:
        ConfigError: as of ``SavedSearch.check``, or there are too many.
    """
    newest = await asyncio.to_thread(runtime.archive.newest_version)
    await runtime.searches.save(search, {runtime.place: newest})


class Findings:
    """Asks the archive; of several workers one at a time. Raises redis' errors, StoreUnavailable and StateError.

    A message that was not taken is made again of the same versions, so that whoever took it knows it by its id.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime, self._searches = runtime, runtime.searches

    async def since_last(self, *, last: bool) -> AsyncGenerator[Found]:
        """What there is to tell; ``told`` is to be called before the next.

        Args:
            last: the run ends: looks also where others have looked a moment ago.
        """
        runtime = self._runtime
        place, every = runtime.place, runtime.config.alerts.check_s
        if not last and not await runtime.alerts.is_turn(f"searches{place}", every):
            return
        turn = self._searches.turn(place, _LAST_S if last else 0.0)
        if not await turn.acquire():
            return
        try:
            for search in await self._searches.all():
                if search.alert:
                    await turn.reacquire()
                    found = await self._look(search, place)
                    if found is not None:
                        yield found
        finally:
            if await turn.owned():
                await turn.release()

    async def told(self, found: Found, by: Collection[str] | None = None) -> None:
        """The message was sent: by some channels alone, where these are given, or by all."""
        told = Told(found.upto, found.upto) if by is None else Told(found.last, found.upto, frozenset(by))
        await self._searches.mark(found.search.name, self._runtime.place, told)

    async def _look(self, search: SavedSearch, place: str) -> Found | None:
        archive, name = self._runtime.archive, search.name
        newest = await asyncio.to_thread(archive.newest_version)
        told = await self._searches.told(name, place)
        if told is None or told.last > newest:  # begun elsewhere; or another archive, or one that was restored
            told = Told(newest, newest)
        pending = told.upto > told.last
        upto = told.upto if pending else newest
        if upto > told.last:
            wanted, now = search.search(limit=SHOWN), self._runtime.now()
            results = await asyncio.to_thread(archive.newer, wanted, told.last, upto, now)
            if results.found:
                return Found(search, results, told.last, upto, told.taken)
        await self._searches.mark(name, place, Told(upto, upto))
        return None
