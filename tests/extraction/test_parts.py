from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import redis.asyncio

from articlebot.extraction.parts import Part, RedisParts, WholeViews
from articlebot.urls import page_key


@pytest.fixture
async def parts(redis_url: str) -> AsyncIterator[RedisParts]:
    client = redis.asyncio.Redis.from_url(redis_url)
    yield RedisParts(client, "test")
    await client.aclose()


def part(number: int) -> Part:
    return Part(f"Head\nText of page {number}.", f"<p>{number}</p>", ({"url": f"http://x.example/{number}.jpg"},))


def url(number: int) -> str:
    return f"http://x.example/story_{number}.html"


def key(number: int) -> int:
    return page_key(url(number))


async def test_pages_are_joined_in_order(parts: RedisParts) -> None:
    last = 12  # by their numbers, not by their numbers' text: 10 comes after 9
    begun = await parts.begin(key(1), {"title": "T"}, part(1), [url(1), url(2), url(3)])
    assert begun.ahead == (url(2), 2)
    after_two = await parts.add(key(1), key(2), part(2), [url(1), *map(url, range(3, last + 1))])
    assert after_two is not None
    assert after_two.ahead == (url(3), 3)
    for number in range(last, 3, -1):
        await parts.add(key(1), key(number), part(number), [url(2)])
    whole = await parts.add(key(1), key(3), part(3))
    assert whole is not None
    assert whole.ahead is None
    assert whole.first == {"title": "T"}
    assert whole.whole.body.split("\n") == ["Head", *(f"Text of page {n}." for n in range(1, last + 1))]
    assert [image["url"] for image in whole.whole.images] == [f"http://x.example/{n}.jpg" for n in range(1, last + 1)]


async def test_a_page_that_comes_again_keeps_its_place(parts: RedisParts) -> None:
    await parts.begin(key(1), {}, part(1), [url(2), url(3), url(4)])
    await parts.add(key(1), key(2), part(2))
    await parts.add(key(1), key(3), part(3))
    again = await parts.add(key(1), key(2), part(2))
    assert again is not None
    assert again.ahead == (url(4), 4)
    assert [one.body for one in again.parts] == [part(n).body for n in (1, 2, 3)]


async def test_a_missing_page_is_left_out(parts: RedisParts) -> None:
    await parts.begin(key(1), {}, part(1), [url(2)])
    whole = await parts.add(key(1), key(2), None)
    assert whole is not None
    assert len(whole.parts) == 1
    assert whole.ahead is None


async def test_a_lapsed_article_is_none_and_a_new_visit_begins_afresh(parts: RedisParts) -> None:
    assert await parts.add(9, key(2), part(2)) is None
    await parts.begin(key(1), {"title": "A"}, part(1), [url(2)])
    await parts.add(key(1), key(2), part(2))
    await parts.begin(key(1), {"title": "B"}, part(1), [url(5), "no address"])
    assert await parts.first(key(1)) == {"title": "B"}
    again = await parts.add(key(1), key(5), part(5))
    assert again is not None
    assert [one.body for one in again.parts] == [part(1).body, part(5).body]
    await parts.drop(key(1))
    assert await parts.add(key(1), key(2), part(2)) is None
    assert await parts.first(key(1)) is None


def test_where_a_site_shows_articles_whole_is_learned_from_two() -> None:
    views = WholeViews()
    views.learn("http://x.example/a", "http://x.example/a?view=all")
    assert views.of("http://x.example/c") is None
    views.learn("http://x.example/b", "http://x.example/b?view=all")
    assert views.of("http://x.example/c") == "http://x.example/c?view=all"
    assert views.of("http://x.example/c?id=7") is None
    assert views.of("http://y.example/c") is None
    for _ in range(2):
        views.missed("http://x.example/c")
    assert views.of("http://x.example/d") is None


def test_what_names_its_article_is_no_view_of_others() -> None:
    views = WholeViews()
    for one in "abc":
        views.learn(f"http://x.example/{one}", f"http://x.example/{one}?whole={one * 3}")
        views.learn(f"http://x.example/{one}", "http://x.example/print")
    assert views.of("http://x.example/d") is None
