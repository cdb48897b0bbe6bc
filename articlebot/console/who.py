"""Who may do what: named tokens with roles, and the list of what was changed by whom, in Redis for all consoles."""

from __future__ import annotations

import hmac
import json
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal, get_args

from articlebot.connect import RedisStore
from articlebot.errors import ConfigError

Role = Literal["read", "edit", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
_NAME = re.compile(r"[\w.@-]{1,64}")
# A revoked token is refused within so many seconds.
_KNOWN_S = 5.0
# Articles of which is kept that somebody has read them: more than anybody reads in years.
_MOST_READ = 50_000
# Changes that are kept; a text of a job file is a few hundred characters.
_MOST_CHANGES = 10_000


@dataclass(frozen=True, slots=True)
class Who:
    """Somebody who was let in. The link that ``scrapy console`` prints is for its own user, who may do everything."""

    name: str
    role: Role

    def may(self, role: Role) -> bool:
        """Whether the role is enough."""
        return ROLES.index(self.role) >= ROLES.index(role)


LINK = Who("link", "admin")


class RedisTokens(RedisStore):
    """Named tokens: of each a digest is kept, so that nobody can read them."""

    below = "console:tokens"

    async def add(self, name: str, role: Role, now: float) -> str:
        """Makes a token; it cannot be shown again.

        Raises:
            ConfigError: the name is no name, or has a token.
        """
        if not _NAME.fullmatch(name) or name == LINK.name:
            raise ConfigError(
                f"{name!r} is no name for a token: up to 64 letters, digits and _ . @ -, and not {LINK.name}"
            )
        token = f"ab-{secrets.token_urlsafe(32)}"
        kept = {"role": role, "digest": digest(token), "at": now}
        if not await self._redis.hsetnx(self._key, name, json.dumps(kept)):
            raise ConfigError(f"{name} has a token already: `scrapy console tokens revoke {name}` first")
        return token

    async def revoke(self, name: str) -> bool:
        """Ends a token, and forgets what was read with it; whether there was one."""
        await self._redis.delete(f"{self._prefix}:console:read:{name}")
        return bool(await self._redis.hdel(self._key, name))

    async def all(self) -> dict[str, dict[str, Any]]:
        """Role, digest and time of each token, by name."""
        kept = await self._redis.hgetall(self._key)
        return {name.decode(): json.loads(value) for name, value in sorted(kept.items())}


class Tokens:
    """What a console knows of the named tokens: at most five seconds old, and read anew for one that is none of them.
    Raises as ``RedisTokens``.
    """

    def __init__(self, tokens: RedisTokens, now: Callable[[], float]) -> None:
        self._tokens, self._now = tokens, now
        self._kept: dict[str, dict[str, Any]] = {}
        self._read_at = float("-inf")

    async def _known(self, at_most: float = _KNOWN_S) -> dict[str, dict[str, Any]]:
        now = self._now()
        if not 0 <= now - self._read_at < at_most:
            self._kept, self._read_at = await self._tokens.all(), now
        return self._kept

    async def who(self, token: str) -> Who | None:
        """Whose token it is; one that was just made is known at once."""
        given = digest(token)
        return _of(given, await self._known()) or _of(given, await self._known(0.0))

    async def named(self, name: str) -> tuple[Who, str] | None:
        """Who has a token of this name, and its digest."""
        kept = (await self._known()).get(name)
        return None if kept is None else (Who(name, kept["role"]), str(kept["digest"]))


def _of(given: str, known: Mapping[str, Mapping[str, Any]]) -> Who | None:
    """Whose digest it is; takes the same time whoever's it is."""
    found = [Who(name, kept["role"]) for name, kept in known.items() if hmac.compare_digest(given, str(kept["digest"]))]
    return found[-1] if found else None


def digest(token: str) -> str:
    """What is kept of a token: it has 256 bits of chance, so that no slower function is needed."""
    return sha256(token.encode("utf-8", "replace")).hexdigest()


class RedisReadMarks(RedisStore):
    """What somebody has read, under the name of the token."""

    below = "console:read"

    async def note(self, who: Who, page_key: str, now: float) -> None:
        """Somebody has opened an article; the oldest marks go beyond fifty thousand."""
        key = f"{self._key}:{who.name}"
        await self._redis.zadd(key, {page_key: now})
        await self._redis.zremrangebyrank(key, 0, -_MOST_READ - 1)

    async def read(self, who: Who, archived: Mapping[str, float]) -> set[str]:
        """Those that were opened since their newest version came, of articles by page key with its time."""
        if not archived:
            return set()
        times = await self._redis.zmscore(f"{self._key}:{who.name}", list(archived))
        return {key for (key, at), read_at in zip(archived.items(), times, strict=True) if (read_at or 0.0) >= at}


class RedisChanges(RedisStore):
    """Who changed what, newest first; the oldest go beyond ten thousand."""

    below = "console:changes"

    async def note(self, who: Who, did: str, about: str, now: float, **kept: Any) -> str:
        """Keeps a change; returns its id."""
        text = json.dumps({"at": now, "who": who.name, "did": did, "about": about, **kept}, ensure_ascii=False)
        identity = await self._redis.xadd(self._key, {"change": text}, maxlen=_MOST_CHANGES, approximate=True)
        return str(identity.decode())

    async def newest(self, limit: int = 100) -> list[dict[str, Any]]:
        """The last changes."""
        rows = await self._redis.xrevrange(self._key, count=limit)
        return [{"id": name.decode(), **json.loads(fields[b"change"])} for name, fields in rows]

    async def get(self, identity: str) -> dict[str, Any] | None:
        """One change."""
        if not re.fullmatch("[0-9]{1,19}-[0-9]{1,19}", identity):  # Redis takes 64 bits of each
            return None
        rows = await self._redis.xrange(self._key, identity, identity)
        return next(({"id": name.decode(), **json.loads(fields[b"change"])} for name, fields in rows), None)
