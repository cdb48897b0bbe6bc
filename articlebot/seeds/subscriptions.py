"""The subscriptions in Redis, so that any server may answer a hub and one at a time asks it."""

from __future__ import annotations

from contextlib import suppress

from articlebot.connect import RedisStore
from articlebot.errors import StateError
from articlebot.seeds.websub import Subscription, load

_CLAIM_S = 60


class RedisSubscriptions(RedisStore):
    """The subscriptions."""

    below = "websub"

    async def add(self, subscription: Subscription) -> Subscription:
        """The subscription of a feed: this one where there was none, else the one there is."""
        # The record first: a name without a record would leave the feed without a subscription for good.
        await self._redis.hset(f"{self._key}:records", subscription.token, subscription.dump())
        if await self._redis.hsetnx(f"{self._key}:feeds", subscription.feed, subscription.token):
            return subscription
        await self._redis.hdel(f"{self._key}:records", subscription.token)
        known = await self.of_feed(subscription.feed)
        if known is not None:
            return known
        await self._redis.hset(f"{self._key}:feeds", subscription.feed, subscription.token)
        await self.write(subscription)
        return subscription

    async def get(self, token: str) -> Subscription | None:
        """The subscription of a callback, None where there is none that can be read."""
        row = await self._redis.hget(f"{self._key}:records", token)
        with suppress(StateError):
            return load(row) if row is not None else None
        return None

    async def of_feed(self, feed: str) -> Subscription | None:
        """The subscription of a feed."""
        token = await self._redis.hget(f"{self._key}:feeds", feed)
        return await self.get(token.decode()) if token is not None else None

    async def all(self) -> list[Subscription]:
        """All that can be read."""
        found = []
        for row in (await self._redis.hgetall(f"{self._key}:records")).values():
            with suppress(StateError):
                found.append(load(row))
        return found

    async def write(self, subscription: Subscription) -> None:
        """Writes a subscription anew."""
        await self._redis.hset(f"{self._key}:records", subscription.token, subscription.dump())

    async def remove(self, subscription: Subscription) -> None:
        """Forgets a subscription; what its hub still sends gets a 404, which ends it there."""
        await self._redis.hdel(f"{self._key}:feeds", subscription.feed)
        await self._redis.hdel(f"{self._key}:records", subscription.token)

    async def claim(self, subscription: Subscription) -> bool:
        """Whether this worker is the one that asks the hub now; for a minute no other is."""
        return bool(await self._redis.set(f"{self._key}:asks:{subscription.token}", b"1", nx=True, ex=_CLAIM_S))

    async def release(self, subscription: Subscription) -> None:
        """Ends the claim."""
        await self._redis.delete(f"{self._key}:asks:{subscription.token}")
