from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import redis.asyncio

from articlebot.frontier import Frontier


@pytest.fixture
async def client(redis_url) -> AsyncIterator[redis.asyncio.Redis]:
    async with redis.asyncio.Redis.from_url(redis_url) as connection:
        yield connection


@pytest.fixture(params=["keys", "slot", "host"])
def any_frontier(client, request) -> Frontier:
    return Frontier(client, adjacency=request.param, known=0)


@pytest.fixture
def frontier(client) -> Frontier:
    return Frontier(client, known=0, tries=3, lease_s=30, lost_pause=2)
