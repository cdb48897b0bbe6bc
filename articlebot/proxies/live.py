"""The pool of one worker, kept like the shared one while a crawl runs, with the operator's own proxies in it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from pathlib import Path

from redis.exceptions import RedisError

from articlebot.errors import ConfigError, RefusedError, StateError
from articlebot.proxies.pool import Pool
from articlebot.proxies.proxy import Proxy
from articlebot.proxies.store import Record, RedisProxies
from articlebot.proxies.verdict import Verdict

logger = logging.getLogger(__name__)


class LivePool:
    """A pool that follows its store, read again from time to time, and the operator's own proxies.

    Raises:
        ConfigError: one of the operator's proxies is none; says which, without its credentials.
    """

    # Seconds between two readings of the pool, some kB: of a round of 600 s a fortieth.
    reload_s: float = 15.0

    def __init__(
        self, store: RedisProxies, pool: Pool, now: Callable[[], float], *, paid: Iterable[str] = (),
        paid_file: Path | None = None,
    ) -> None:  # fmt: skip
        self.store, self.pool, self._now = store, pool, now
        self._paid = [_own(text, "ARTICLEBOT_PROXIES_PAID") for text in paid]
        self._file, self._of_file, self._file_at = paid_file, list[Proxy](), -1.0
        if paid_file is not None:
            self._read_file(paid_file)
        self._read_at = float("-inf")
        self._reading = asyncio.Lock()
        self._lacking = False

    @property
    def paid(self) -> list[Proxy]:
        """The operator's own proxies."""
        return [*self._paid, *self._of_file]

    async def refresh(self) -> None:
        """Reads the store anew where it is time; while it is away the last pool stays in force."""
        if self._now() - self._read_at < self.reload_s:
            return
        async with self._reading:
            if self._now() - self._read_at < self.reload_s:
                return
            self._read_at = self._now()
            try:
                members = await self.store.pool()
                bans = await self.store.bans(self._read_at)
            except (RedisError, StateError) as error:
                logger.warning("The proxy pool stays as it was: %s", error)
                return
            if self._file is not None:
                self._read_again(self._file)
            self.pool.replace([*members, *(Record(proxy=proxy, share=1.0) for proxy in self.paid)])
            for key, site, until in bans:
                self.pool.ban(key, site, until)

    async def lacking(self, demanding: frozenset[str]) -> frozenset[str]:
        """Which of the jobs that demand a proxy have to wait: all while there is none, else none."""
        await self.refresh()
        waiting = frozenset() if len(self.pool) else demanding
        if waiting and not self._lacking:
            logger.warning("%d jobs demand a proxy and wait: the pool is empty", len(waiting))
        elif self._lacking and not waiting:
            logger.info("There are proxies: no job waits any more")
        self._lacking = bool(waiting)
        return waiting

    async def report(self, key: str, site: str, outcome: Verdict) -> None:
        """Tells the pool how a way ended; a ban is told to the other workers too."""
        until = self.pool.report(key, site, outcome, self._now())
        if outcome is Verdict.BAN and until:
            try:
                await self.store.ban(key, site, until)
            except RedisError as error:
                logger.debug("A ban is kept here only: %s", error)

    def _read_again(self, path: Path) -> None:
        try:
            self._read_file(path)
        except ConfigError as error:
            logger.warning("The proxies of the file stay as they were: %s", error)

    def _read_file(self, path: Path) -> None:
        try:
            changed_at = path.stat().st_mtime
            if changed_at == self._file_at:
                return
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"ARTICLEBOT_PROXIES_PAID_FILE: {path} cannot be read: {type(error).__name__}") from None
        self._of_file = [
            _own(line, f"{path}:{number}")
            for number, line in enumerate(lines, 1)
            if line.strip() and not line.lstrip().startswith("#")
        ]
        self._file_at = changed_at


def _own(text: str, where: str) -> Proxy:
    try:
        return Proxy.parse(text, allow_private=True)
    except RefusedError as error:
        raise ConfigError(f"{where}: expected a proxy such as http://user:password@host:port: {error}") from None
