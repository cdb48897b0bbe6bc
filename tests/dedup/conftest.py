from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable

import pytest
import redis.asyncio

from articlebot.dedup import NearDuplicates, Sketch
from articlebot.dedup.index import search

WORDS = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("lor", "mit", "nes", "dar", "vek", "sun")]


@pytest.fixture
async def client(redis_url: str) -> AsyncIterator[redis.asyncio.Redis]:
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
def story() -> Callable[[int, int], str]:
    """A text of so many words that shares none of its runs with another seed's."""

    def make(seed: int, words: int = 300) -> str:
        rng = random.Random(seed)
        return " ".join(rng.choice(WORDS) for _ in range(words))

    return make


async def candidates(index: NearDuplicates, sketch: Sketch) -> list[int]:
    """All placements that an index finds for a sketch, the best first."""
    asked = index._index.ask([sketch.items])
    reading = await index._store.read([], asked)
    numbers: list[int] = search(index._index, asked, reading.lengths, reading.buckets, 1 << 30).numbers.tolist()
    return numbers
