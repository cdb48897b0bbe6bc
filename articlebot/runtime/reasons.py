"""Why a page gave no article when it was last visited, for ``scrapy explain``."""

from __future__ import annotations

import logging

from redis.exceptions import RedisError

from articlebot.connect import RedisStore

logger = logging.getLogger(__name__)
_KEPT_S = 30 * 86_400


class Reasons(RedisStore):
    """A short word for each page that was refused or failed, for 30 days."""

    below = "reason"

    async def note(self, key: int, reason: str) -> None:
        """Keeps the reason of a page, by its page key; without it nothing but an explanation is lost."""
        try:
            await self._redis.set(f"{self._key}:{key:016x}", reason, ex=_KEPT_S)
        except (RedisError, OSError) as error:
            logger.debug("A reason is not kept: %s", error)

    async def get(self, key: int) -> str | None:
        """The reason of a page, None where none is known.

        Raises:
            redis.RedisError: Redis is away.
        """
        found = await self._redis.get(f"{self._key}:{key:016x}")
        return None if found is None else str(found.decode())
