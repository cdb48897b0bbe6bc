from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import redis.asyncio

from articlebot.extraction.parts import Part, RedisParts
from articlebot.items import Image


@pytest.fixture
async def parts(redis_url: str) -> AsyncIterator[RedisParts]:
    client = redis.asyncio.Redis.from_url(redis_url)
    yield RedisParts(client, "test")
    await client.aclose()


def part(number: int) -> Part:
    return Part(f"Head\nText of page {number}.", f"<p>{number}</p>", (Image(url=f"http://x.example/{number}.jpg"),))


async def test_pages_are_joined_in_order(parts: RedisParts) -> None:
    await parts.begin(1, {"title": "T"}, part(1), ["u2", "u3"])
    after_two = await parts.add(1, 2, part(2), ["u3", "u4"], "u2")
    assert after_two is not None
    assert after_two.todo == ("u3", "u4")
    await parts.add(1, 3, part(3), [], "u3")
    whole = await parts.add(1, 4, part(4), ["u2"], "u4")
    assert whole is not None
    assert whole.todo == ()
    assert whole.first == {"title": "T"}
    assert whole.whole.body.split("\n") == ["Head", *(f"Text of page {n}." for n in (1, 2, 3, 4))]
    assert [image.url for image in whole.whole.images] == [f"http://x.example/{n}.jpg" for n in (1, 2, 3, 4)]


async def test_a_missing_page_is_left_out(parts: RedisParts) -> None:
    await parts.begin(1, {}, part(1), ["u2"])
    whole = await parts.add(1, 2, None, [], "u2")
    assert whole is not None
    assert len(whole.parts) == 1


async def test_a_lapsed_article_is_none_and_a_new_visit_begins_afresh(parts: RedisParts) -> None:
    assert await parts.add(9, 2, part(2), [], "u2") is None
    await parts.begin(1, {}, part(1), ["u2"])
    await parts.add(1, 2, part(2), [], "u2")
    await parts.begin(1, {}, part(1), ["u5"])
    again = await parts.add(1, 2, part(5), [], "u5")
    assert again is not None
    assert [one.body for one in again.parts] == [part(1).body, part(5).body]
    await parts.drop(1)
    assert await parts.add(1, 2, part(2), [], "u2") is None
