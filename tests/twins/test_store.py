"""What workers learn of a site's addresses, on a real server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

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


async def test_what_one_page_learns_beside_another_takes_none_of_its_links(client: Redis) -> None:
    """The second to learn it knew links that the first had yet to queue: an article was never fetched."""
    one, other = RedisTwins(client), RedisTwins(client)
    await one.cleaned(HOME[:4])
    judged, begun, learned = other._judge, asyncio.Event(), asyncio.Event()

    async def later(*args: Any) -> Any:
        begun.set()
        await learned.wait()
        return await judged(*args)

    other._judge = later  # type: ignore[method-assign]
    beside = asyncio.create_task(other.cleaned(HOME[:4] + SECTION[:4]))
    await begun.wait()
    first = await one.cleaned(SECTION)
    learned.set()
    second = await beside
    assert first.learned == ["from", "ref"]
    assert first.urls[SECTION[4][0]] == "http://a.test/story-4"
    assert page_key("http://a.test/story-4") not in {*first.read["a.test"], *second.read.get("a.test", ())}
    assert second.learned == []


async def test_lists_without_parameters_tell_those_of_the_home_page(client: Redis) -> None:
    twins = RedisTwins(client)
    plain = [(url.partition("?")[0], title) for url, title in HOME]
    assert (await twins.cleaned(plain)).learned == []
    await twins.cleaned(HOME)
    told = await twins.cleaned(plain)
    assert told.learned == ["from"]
    assert {site: set(keys) for site, keys in told.read.items()} == {"a.test": {page_key(url) for url, _ in plain}}


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


async def test_an_article_that_moved_down_its_list_is_asked_for_once(client: Redis) -> None:
    twins = RedisTwins(client)
    shown = [(f"http://a.test/story-{n}", title) for n, title in enumerate(TITLES)]
    pages = [
        [(f"{url}?pos={place}", title) for place, (url, title) in enumerate(links, 1)]
        for links in (shown, [shown[-1], *shown[:-1]])
    ]
    await twins.cleaned(pages[0])
    told = await twins.cleaned(pages[1])
    assert told.learned == ["pos"]
    assert {site: set(keys) for site, keys in told.read.items()} == {"a.test": {page_key(url) for url, _ in shown}}
    assert set(told.keys.values()) == {page_key(url) for url, _ in shown}


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


async def test_another_address_of_what_was_read_is_known(client: Redis) -> None:
    twins, other = RedisTwins(client), "http://a.test/moved"
    assert await twins.other_of(11) is None
    await twins.note_other(11, other)
    assert [await twins.other_of(one) for one in (11, 12)] == [other, None]


async def test_a_session_in_a_folder_is_learned_by_its_titles(client: Redis) -> None:
    pages = [
        [(f"http://s.test/s/{token}/news/{n}", title) for n, title in enumerate(TITLES)]
        for token in ("8f3a90cd12ab77ee", "77aa01bb22cc33dd", "0c1d2e3f4a5b6c7d")
    ]
    twins = RedisTwins(client)
    assert not (await twins.cleaned(pages[0])).keys
    told = await twins.cleaned(pages[1])
    bare = [page_key(f"http://s.test/s/news/{n}") for n in range(5)]
    assert (told.learned, told.urls, list(told.keys.values())) == ([";session"], {}, bare)
    assert {site: set(keys) for site, keys in told.read.items()} == {"s.test": set(bare)}
    assert list((await RedisTwins(client).cleaned(pages[2])).keys.values()) == bare
    # What names an article is no session, nor is a folder that some have.
    named = [(f"http://m.test/a/{n}f3a90cd12ab77e/story", title) for n, title in enumerate(TITLES)]
    assert not (await twins.cleaned(named)).keys
    assert not (await twins.cleaned([*pages[0][:3], ("http://s.test/news/7", TITLES[0])])).keys


async def test_another_spelling_is_the_first_one_without_its_parameters_too(client: Redis) -> None:
    twins = RedisTwins(client)
    await twins.cleaned(HOME)
    await twins.cleaned(SECTION)
    told = await twins.cleaned([("http://www.a.test/story-1/?from=home", TITLES[1])])
    assert told.urls == {"http://www.a.test/story-1/?from=home": "http://a.test/story-1"}
    assert told.read == {"a.test": [page_key("http://www.a.test/story-1/")]}


async def test_what_the_pages_of_a_look_show_is_known_before_the_first_link_is_queued(client: Redis) -> None:
    home = [(f"http://c.test/show?from=home&id={n}&pos={n}", title) for n, title in enumerate(TITLES)]
    section = [(f"http://c.test/show?from=list&id={n}&pos={4 - n}", title) for n, title in enumerate(TITLES)]
    twins = RedisTwins(client)
    await twins.learn([*home, *section])
    first, then = await twins.cleaned(home), await twins.cleaned(section)
    assert set(first.keys.values()) == set(then.keys.values())
    assert len(first.keys) == len(TITLES)
    assert (first.urls, then.urls) == ({}, {})  # each is asked for as it is
