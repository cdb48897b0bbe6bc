"""What sites ask of those who use their pages: read with each page, and known of each host by this worker."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from articlebot.bounded import Bounded
from articlebot.config import Manners
from articlebot.manners.robots_txt import MOST_BYTES, RobotsTxt
from articlebot.manners.signals import Reservations, is_over, of_page, of_robots
from articlebot.urls import origin_of

# Reasons of refusals that the site asks for: what was published of such a page is withdrawn.
UNWANTED = frozenset({"noindex", "tdm_reservation", "ai_train"})
RESERVATIONS_PATH = "/.well-known/tdmrep.json"
# A copy is used for no more than a day, as of robots.txt.
_KEPT_S = 86_400
_MOST_BYTES = 100_000
_MOST_HOSTS = 20_000
# Of robots.txt in Redis, bytes: those of hundreds of thousands of hosts fit. A longer one lies there packed, where it
# then fits: lists of folders become a tenth. Each worker fetches what does not itself.
_MOST_SHARED = 32_768


class Usage:
    """Reads what is asked, and says what of it is obeyed.

    Args:
        section: the settings.
        agent: the crawler's product token, lower case.
        redis: gives the client of what is kept of hosts for all workers; its replies are bytes.
        prefix: first part of the keys.
    """

    def __init__(self, section: Manners, agent: str, redis: Callable[[], Any], prefix: str) -> None:
        self.agent, self._section, self._redis, self._prefix = agent, section, redis, prefix
        self._obeyed = frozenset(section.obey)
        self._hosts: Bounded[str, tuple[RobotsTxt | None, Reservations]] = Bounded(_MOST_HOSTS)

    def read(
        self, url: str, headers: Mapping[str, Sequence[str]], metas: Mapping[str, Sequence[str]]
    ) -> dict[str, str]:
        """All that is asked for a page, by the page itself first, then by its host."""
        rules, reservations = self._of(origin_of(url))
        said = of_robots(rules, url, self.agent) if rules is not None else {}
        return {**reservations.of(url), **said, **of_page(headers, metas, self.agent)}

    def allows(self, url: str) -> bool:
        """Whether the host's robots.txt lets an address be fetched, as far as it is known here."""
        rules, _ = self._of(origin_of(url))
        return rules is None or rules.allowed(url, self.agent)

    def refusal(self, asked: Mapping[str, str], now: float) -> str | None:
        """Why a page may not be published, one of ``UNWANTED``; None where it may."""
        if "noindex" in self._obeyed and is_over(asked, now):
            return "noindex"
        unwanted = ("noindex", "tdm-reservation", "ai-train")
        return next((name.replace("-", "_") for name in unwanted if self.obeys(name, asked)), None)

    def obeys(self, signal: str, asked: Mapping[str, str]) -> bool:
        """Whether a signal stands there and is obeyed."""
        return signal in asked and signal in self._obeyed

    def keep(self, origin: str, rules: RobotsTxt | None) -> None:
        """Remembers the rules of a host (``http://name:port``); hosts heard of least recently are forgotten."""
        self._hosts[origin] = rules, self._of(origin)[1]

    def reserve(self, origin: str, reservations: bytes) -> None:
        """Remembers the file of a host's reservations."""
        self._hosts[origin] = self._of(origin)[0], Reservations.parse(reservations)

    async def stored(self, origin: str) -> bytes | None:
        """The file of a host's reservations that a worker has fetched; None where it is to be fetched.

        Raises:
            redis.RedisError: Redis is away.
        """
        found: bytes | None = b"" if not self._section.tdmrep else await self._redis().get(self._key(origin))
        return found

    async def store(self, origin: str, body: bytes) -> bytes:
        """Keeps the file of a host's reservations for a day, an empty one where there is none; what was kept.

        Raises:
            redis.RedisError: Redis is away.
        """
        kept = body if len(body) <= _MOST_BYTES else b""
        await self._redis().set(self._key(origin), kept, ex=_KEPT_S)
        return kept

    async def shared_robots(self, origin: str) -> tuple[bytes, float] | None:
        """A host's robots.txt that a worker has fetched, and for how many seconds it holds; None where it is to be had.

        Raises:
            redis.RedisError: Redis is away.
        """
        redis = self._redis()
        for key in (f"{self._prefix}:robots:{origin}", self._packed(origin)):
            if (body := await redis.get(key)) is not None and (left := await redis.pttl(key)) > 0:
                if key == self._packed(origin):
                    body = zlib.decompressobj().decompress(body, MOST_BYTES + 1)
                return body, left / 1000
        return None

    async def share_robots(self, origin: str, body: bytes) -> None:
        """Lets the other workers, and the next start, have a robots.txt for a day; an empty one where there is none.

        Raises:
            redis.RedisError: Redis is away.
        """
        key, other = f"{self._prefix}:robots:{origin}", self._packed(origin)
        if len(body) > _MOST_SHARED:
            body, key, other = zlib.compress(body[: MOST_BYTES + 1]), other, key
        if len(body) <= _MOST_SHARED:
            await self._redis().set(key, body, ex=_KEPT_S)
            await self._redis().delete(other)

    async def forbids(self, url: str) -> bool:
        """Whether the robots.txt that workers share keeps an address from being fetched, as far as one has it.

        Raises:
            redis.RedisError: Redis is away.
        """
        shared = await self.shared_robots(origin_of(url))
        return shared is not None and not RobotsTxt(shared[0]).allowed(url, self.agent)

    def _of(self, origin: str) -> tuple[RobotsTxt | None, Reservations]:
        return self._hosts.get(origin, (None, Reservations()))

    def _packed(self, origin: str) -> str:
        return f"{self._prefix}:robots-packed:{origin}"

    def _key(self, origin: str) -> str:
        return f"{self._prefix}:tdmrep:{origin}"
