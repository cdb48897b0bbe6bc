"""The same short text at the end of links that promised different things: a wall in whatever language."""

from __future__ import annotations

from hashlib import blake2b

from articlebot.connect import RedisStore

# Links with so many different texts; one article under several addresses is linked with one headline.
ANCHORS = 3
MOST_CHARS = 600
_MOST_KEPT = 20
_KEPT_S = 7 * 86_400


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


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
