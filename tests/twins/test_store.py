"""What workers learn of a site's addresses, on a real server."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from articlebot.twins import RedisTwins
from articlebot.urls import page_key

TITLES = [f"{word} of the harbour town, in long" for word in ("Bridge", "Ferry", "School", "Council", "Market")]
HOME = [(f"http://a.test/story-{n}?from=home", title) for n, title in enumerate(TITLES)]
SECTION = [(f"http://a.test/story-{n}?ref=section", title) for n, title in enumerate(TITLES)]


@pytest.fixture
async def client(redis_url: str) -> AsyncIterator[Redis]:
    client = Redis.from_url(redis_url)
    yield client
    await client.aclose()


async def test_two_workers_learn_together(client: Redis) -> None:
    one, other = RedisTwins(client), RedisTwins(client)
    first = await one.cleaned(HOME)
    assert (first.urls, first.learned, first.read) == ({}, [], {})
    then = await other.cleaned(SECTION)
    assert then.learned == ["from", "ref"]
    assert then.urls == {url: url.partition("?")[0] for url, _ in SECTION}
    assert {site: set(keys) for site, keys in then.read.items()} == {
        "a.test": {page_key(url.partition("?")[0]) for url, _ in HOME}
    }
    again = await one.cleaned(
        [("http://a.test/new?from=home", "A story that nobody has seen"), ("http://b.test/?from=x", "")]
    )
    assert again.urls == {"http://a.test/new?from=home": "http://a.test/new"}
    assert await one.idle("a.test") == ["from", "ref"]


async def test_what_is_new_in_each_link_is_asked_for_once(client: Redis) -> None:
    twins = RedisTwins(client)
    pages = [
        [(f"http://a.test/story-{n}.html?x={73 * n + page}5k", title) for n, title in enumerate(TITLES)]
        for page in (1, 2)
    ]
    await twins.cleaned(pages[0])
    told = await twins.cleaned(pages[1])
    assert (told.urls, told.learned) == ({}, ["x"])
    bare = [page_key(url.partition("?")[0]) for url, _ in pages[1]]
    assert list(told.keys.values()) == bare
    assert {site: set(keys) for site, keys in told.read.items()} == {"a.test": set(bare)}


async def test_what_turns_out_to_matter_is_kept(client: Redis) -> None:
    twins = RedisTwins(client)
    await twins.cleaned(HOME)
    await twins.cleaned(SECTION)
    others = [(url.replace("from=home", "from=east"), f"East: {title}") for url, title in HOME]
    told = await twins.cleaned(others)
    assert await twins.idle("a.test") == ["ref"]
    assert told.urls == {}


async def test_memory_is_bounded(client: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("articlebot.twins.store._MOST_LINKS", 8)
    twins = RedisTwins(client)
    await twins.cleaned([(f"{url}&n=aa{n}", title) for url, title in HOME for n in range(3)])
    assert await client.keys("*links") == []


async def test_a_text_belongs_to_the_page_that_showed_it_first(client: Redis) -> None:
    twins, day = RedisTwins(client), 86_400.0
    assert await twins.first_of("a.test", 5, 11, 0.0) == (11, 0.0)
    assert await twins.first_of("a.test", 5, 12, 16 * day) == (11, 0.0)
    assert await twins.first_of("b.test", 5, 12, 16 * day) == (12, 16 * day)
    assert await twins.first_of("a.test", 5, 12, 60 * day) == (12, 60 * day)
