"""The same short text where there should be different things: a wall, or a notice, in whatever language."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from articlebot.connect import RedisStore

if TYPE_CHECKING:
    from articlebot.page import Page

# Links with so many different texts; one article under several addresses is linked with one headline.
ANCHORS = 3
MOST_CHARS = 600
_MOST_KEPT = 20
_KEPT_S = 7 * 86_400
# A notice, as of maintenance, is remembered for so long after the last page that showed it.
_NOTICE_S = 86_400


class Repeats(RedisStore):
    """Remembers which pages of a site showed which short text, for all workers, for a week after the last."""

    below = "repeats"

    async def note(self, site: str, text: str, key: int, anchor: str) -> tuple[int, ...]:
        """The other pages (page keys) of the site that showed this text, once that tells a wall; else none.

        Args:
            text: of an article, shorter than ``MOST_CHARS``.
            key: its page key.
            anchor: text of the link that led to it; without one it tells nothing.

        Raises:
            redis.RedisError: Redis is away.
        """
        if not anchor:
            return ()
        name = f"{self._key}:{site}:{_digest(text)}"
        async with self._redis.pipeline(transaction=True) as pipe:
            pipe.hset(name, f"{key:016x}", _digest(anchor))
            pipe.expire(name, _KEPT_S)
            pipe.hgetall(name)
            *_, found = await pipe.execute()
        if len(found) > _MOST_KEPT:
            await self._redis.hdel(name, f"{key:016x}")
        if len(set(found.values())) < ANCHORS:
            return ()
        return tuple(sorted(int(one, 16) for one in found if int(one, 16) != key))

    async def notice(self, site: str, text: str, key: int = 0) -> bool:
        """Whether other pages of the site showed this text where they had shown something else before.

        Args:
            text: all that the page shows.
            key: of a page that does so itself, which is remembered; 0: none.

        Raises:
            redis.RedisError: Redis is away.
        """
        name = f"{self._key}:{site}:notice:{_digest(text)}"
        async with self._redis.pipeline(transaction=True) as pipe:
            pipe.smembers(name)
            if key:
                pipe.sadd(name, f"{key:016x}")
                pipe.expire(name, _NOTICE_S)
            found, *_ = await pipe.execute()
        return any(int(one, 16) != key for one in found)

    async def doubted(self, key: int, fingerprint: int) -> int | None:
        """The fingerprint of what a page (page key) showed when it was doubted last, None where it was not.

        Args:
            fingerprint: of what it shows now, for the next time.

        Raises:
            redis.RedisError: Redis is away.
        """
        at_last = await self._redis.set(f"{self._key}:doubted:{key:016x}", fingerprint, ex=_KEPT_S, get=True)
        return None if at_last is None else int(at_last)


def shown_on(page: Page) -> str:
    """All text of a page, as it is compared with others'."""
    return "\n".join(block.text for block in page.blocks)


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
