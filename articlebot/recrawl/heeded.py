"""What signals of changes are worth, learned by all workers together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from articlebot.errors import StateError, StoreUnavailable
from articlebot.recrawl.learned import RedisLearned
from articlebot.recrawl.observation import Kind
from articlebot.recrawl.signals import FADE, FADE_ALL, Heard, Record, Signals, Worth

# Where the counts of all sites lie: no site has this name.
_ALL = "*"


class SharedSignals:
    """The worth of each site's signals.

    Args:
        learned: where it is kept.
        refused: called where what is kept is damaged, or newer; it is learned anew.
    """

    def __init__(self, learned: RedisLearned, refused: Callable[[], None]) -> None:
        self._learned, self._refused = learned, refused
        self._signals = Signals()
        self._read: set[str] = set()
        self._seen: dict[str, list[Heard]] = {}

    async def worth(self, site: str, kind: Kind) -> tuple[Worth, ...] | None:
        """As ``Signals.worth``; what other workers have learned is there after their next ``save``.

        Raises:
            StoreUnavailable: Redis cannot be reached.
        """
        await self._open(site)
        return self._signals.worth(site, kind)

    async def note(self, site: str, heard: Heard) -> None:
        """Learns from a visit.

        Raises:
            StoreUnavailable: Redis cannot be reached.
        """
        await self._open(site)
        if heard.signals or site in self._signals.sites:
            self._signals.note(site, heard)
            for name in (site, _ALL):
                self._seen.setdefault(name, []).append(heard)

    async def save(self) -> None:
        """Adds what was seen to what all workers have, and forgets what they may have changed meanwhile.

        Raises:
            StoreUnavailable: Redis cannot be reached; what was seen is kept for the next time.
        """
        while self._seen:
            name, seen = self._seen.popitem()
            try:
                await self._learned.fold("signals", name, partial(self._with, seen, FADE_ALL if name == _ALL else FADE))
            except StoreUnavailable:
                self._seen[name] = seen + self._seen.get(name, [])
                raise
        self._signals, self._read = Signals(), set()

    async def _open(self, site: str) -> None:
        for name in (_ALL, site):
            if name in self._read:
                continue
            try:
                kept: Any = await self._learned.read("signals", name)
            except StateError:
                kept = {}
            if name in self._read:
                continue
            self._read.add(name)
            if kept is not None:
                self._signals.take(None if name == _ALL else name, self._record(kept))

    def _with(self, seen: Sequence[Heard], fade: float, kept: Any) -> dict[str, Any]:
        record = Record() if kept is None else self._record(kept)
        for heard in seen:
            record.note(heard, fade)
        return record.to_json()

    def _record(self, kept: Any) -> Record:
        try:
            return Record.from_json(kept)
        except StateError:
            self._refused()
            return Record()
