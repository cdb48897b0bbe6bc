"""What signals of changes are worth, learned by all workers together."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from articlebot.recrawl.learned import RedisLearned, Shared
from articlebot.recrawl.observation import Kind
from articlebot.recrawl.signals import FADE, FADE_ALL, Heard, Record, Signals, Worth

# Where the counts of all sites lie: no site has this name.
_ALL = "*"


class SharedSignals:
    """The worth of each site's signals; arguments as of ``Shared``. Methods raise ``StoreUnavailable``."""

    def __init__(self, learned: RedisLearned, refused: Callable[[], None]) -> None:
        self._records = Shared(learned, "signals", Record, refused)
        self._signals = Signals()

    async def worth(self, site: str, kind: Kind) -> tuple[Worth, ...] | None:
        """As ``Signals.worth``; what other workers have learned is there after their next ``save``."""
        await self._open(site)
        return self._signals.worth(site, kind)

    async def note(self, site: str, heard: Heard) -> None:
        """Learns from a visit."""
        await self._open(site)
        if heard.signals or site in self._signals.sites:
            self._signals.note(site, heard)
            for name, fade in ((site, FADE), (_ALL, FADE_ALL)):
                self._records.note(name, partial(Record.note, heard=heard, fade=fade))

    async def save(self) -> None:
        """As ``Shared.save``."""
        await self._records.save()
        self._signals = Signals()

    async def _open(self, site: str) -> None:
        for name in (_ALL, site):
            if name not in self._records.known and (record := await self._records.of(name)) is not None:
                self._signals.take(None if name == _ALL else name, record)
