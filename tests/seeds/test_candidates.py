"""The queue of candidates in a real Redis, always with two workers, and what ends a probation."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
import redis.asyncio
from hypothesis import given
from hypothesis import strategies as st

from articlebot.errors import RefusedError, StateError
from articlebot.jobs import Job
from articlebot.jobs.files import load as load_jobs
from articlebot.page import Page
from articlebot.seeds.candidates import Candidate, Entry, Look, Offer, decide, load, looked
from articlebot.seeds.promotion import existing_jobs, job_block, write_job
from articlebot.seeds.queue import MOST_SOURCES, RedisCandidates
from articlebot.spiders.probation import ProbationSpider
from tests.crawlers import crawler_with

FEED = Entry("feed", "http://a.example/feed", 9)
_weights = st.dictionaries(st.text(max_size=5), st.floats(0, 0.99), max_size=8)


@pytest.fixture
async def workers(redis_url):
    """Two workers on one Redis."""
    async with redis.asyncio.Redis.from_url(redis_url) as one, redis.asyncio.Redis.from_url(redis_url) as other:
        yield RedisCandidates(one, most=10), RedisCandidates(other, most=10)


def offer(key: str, weight: float, source: str = "s") -> Offer:
    return Offer(key, f"http://{key}/", source, weight)


async def keys(store: RedisCandidates, state="waiting") -> list[str]:
    return [candidate.key for candidate, _ in await store.of_state(state)]


async def test_the_best_comes_first_and_keys_only_increase(workers):
    one, other = workers
    assert await one.offer([offer("a.example", 0.2), offer("b.example", 0.5), offer("c.example", 0.3)], 1.0) == (3, 0)
    ((best, at),) = await other.best()
    assert (best.key, at) == ("b.example", 0.5)
    assert await other.offer([offer("a.example", 0.9), offer("c.example", 0.1)], 2.0) == (0, 1)
    assert await keys(one) == ["a.example", "b.example", "c.example"]
    assert await other.offer([offer("c.example", 0.9, "other")], 3.0) == (0, 1)
    ((best, at),) = await one.best()
    assert best.key == "c.example"
    assert at == pytest.approx(1 - (1 - 0.3) * (1 - 0.9))


async def test_a_source_counts_once(workers):
    one, other = workers
    await one.offer([offer("a.example", 0.2)] * 50, 1.0)
    await other.offer([offer("a.example", 0.2)], 2.0)
    ((_, at),) = await one.best()
    assert at == pytest.approx(0.2)
    await other.offer([offer("a.example", 0.01, f"s{n}") for n in range(100)], 2.0)
    ((candidate, _),) = await one.best()
    assert len(candidate.sources) == MOST_SOURCES


async def test_the_queue_is_bounded_and_the_least_goes(workers):
    one, other = workers
    await one.offer([offer(f"n{n}.example", 0.5) for n in range(10)], 1.0)
    assert await other.offer([offer("low.example", 0.1)], 1.0) == (0, 0)
    assert await other.offer([offer("high.example", 0.9)], 1.0) == (1, 0)
    assert (await one.counts())["waiting"] == 10
    assert await one.get("low.example") is None


async def test_two_workers_never_take_the_same(workers):
    one, other = workers
    await one.offer([offer(f"n{n}.example", n / 100) for n in range(10)], 1.0)
    taken = await asyncio.gather(*(w.take(3, 2.0, lease_s=60, room=20) for w in (one, other) * 2))
    names = [candidate.key for candidates, _ in taken for candidate in candidates]
    assert len(names) == len(set(names)) == 10
    assert (await one.counts()) == {"waiting": 0, "probation": 10, "promoted": 0, "dropped": 0}


async def test_a_dead_workers_candidate_comes_again_and_its_late_word_counts_for_nothing(workers):
    one, other = workers
    await one.offer([offer("a.example", 0.5)], 1.0)
    (lost,), stale = await one.take(1, 10.0, lease_s=60, room=20)
    assert (await other.take(1, 60.0, lease_s=60, room=20))[0] == []
    (again,), lease = await other.take(1, 71.0, lease_s=60, room=20)
    assert again.key == lost.key
    assert not await one.settle(lost.because("late"), "dropped", 72.0, stale)
    assert await other.settle(again.because("in time"), "probation", 100.0, lease)
    candidate, state = await one.get("a.example")
    assert (candidate.reason, state) == ("in time", "probation")
    assert [c.key for c, _ in await one.due(100.0, 5)] == ["a.example"]
    assert await one.due(99.0, 5) == []


async def test_probation_has_room_for_so_many(workers):
    one, other = workers
    await one.offer([offer(f"n{n}.example", 0.5) for n in range(5)], 1.0)
    assert len((await one.take(5, 2.0, lease_s=60, room=2))[0]) == 2
    assert (await other.take(5, 2.0, lease_s=60, room=2))[0] == []


async def test_what_was_decided_stays_decided_until_it_is_forgotten(workers):
    one, other = workers
    await one.offer([offer("a.example", 0.5), offer("b.example", 0.5)], 1.0)
    for name, state in [("a.example", "dropped"), ("b.example", "promoted")]:
        candidate, _ = await one.get(name)
        assert await one.settle(candidate, state, 100.0)
    again = [offer("a.example", 0.9, "x"), offer("b.example", 0.9, "x")]
    assert await other.offer(again, 150.0, dropped_s=100.0) == (0, 0)
    assert await other.offer(again, 300.0, dropped_s=100.0) == (1, 0)
    assert await keys(one) == ["a.example"]
    assert await keys(one, "promoted") == ["b.example"]


async def test_a_record_that_was_looked_at_keeps_its_lists(workers):
    one, other = workers
    await one.offer([offer("a.example", 0.5)], 1.0)
    (candidate,), lease = await one.take(1, 2.0, lease_s=60, room=5)
    after = looked(candidate, Look(5, 4, 4, 4, (FEED,), ("00ff",), "en", {"http_404": 1}), 3.0)
    await one.settle(after, "probation", 3.0, lease)
    await other.offer([offer("a.example", 0.9, "more")], 4.0)
    (again,), _ = await other.take(1, 5.0, lease_s=60, room=5)
    assert again == after


async def test_a_damaged_record_hides_no_other(workers, redis_url):
    one, other = workers
    await one.offer([offer("a.example", 0.9), offer("b.example", 0.5)], 1.0)
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        await client.hset("{articlebot}:seeds:records", "a.example", "{")
    assert await keys(other) == ["b.example"]
    assert [c.key for c in (await other.take(5, 2.0, lease_s=60, room=5))[0]] == ["b.example"]


@given(st.integers(0, 99), st.lists(st.text(max_size=9), max_size=5), st.text(max_size=20))
def test_records_survive_their_store(number, known, reason):
    candidate = Candidate(
        key="k", url="http://k/", looks=number, known=tuple(known), reason=reason, entries=(FEED,), sources={"a": 0.5}
    )
    assert load(candidate.dump()) == candidate


@pytest.mark.parametrize("text", ["", "{", "[]", '{"v": 99}', '{"v": 1}', '{"v": 1, "key": "a", "url": "u", "x": 1}'])
def test_what_is_no_record_is_said(text):
    with pytest.raises(StateError):
        load(text)


GOOD = Candidate(
    key="a.example",
    url="http://a.example/",
    looks=2,
    fetched=20,
    read=6,
    articles=6,
    relevant=5,
    new=2,
    entries=(FEED,),
)


@pytest.mark.parametrize(
    ("change", "state", "why"),
    [
        ({}, "promoted", "yield 0.25"),
        ({"entries": (), "problems": {"robots": 1}}, "dropped", "robots 1"),
        ({"entries": (), "problems": {"timeout": 1, "http_404": 2}}, "probation", "timeout 1"),
        ({"entries": (), "problems": {"timeout": 1}, "looks": 3}, "dropped", "timeout 1"),
        ({"articles": 2, "relevant": 2}, "dropped", "2 of 6 pages read are articles"),
        ({"read": 8, "articles": 8, "relevant": 0}, "dropped", "off the topic"),
        ({"new": 0}, "probation", "0 new in 2 looks"),
        ({"new": 0, "fetched": 40}, "dropped", "budget is spent"),
        ({"relevant": 2}, "probation", "2 of 6"),
        ({"relevant": 3, "fetched": 39}, "probation", "yield 0.08"),
        ({"relevant": 3, "fetched": 41}, "dropped", "yield 0.07"),
    ],
)
def test_decisions_and_their_reasons(change, state, why):
    decided, reason = decide(replace(GOOD, **change))
    assert decided == state
    assert why in reason


def test_a_first_look_finds_nothing_new_and_a_second_only_what_is():
    first = looked(Candidate(key="a", url="u"), Look(5, known=("1", "2"), entries=(FEED,)), 1.0)
    assert (first.new, first.looks) == (0, 1)
    second = looked(first, Look(1, known=("3", "2")), 2.0)
    assert (second.new, second.entries) == (1, (FEED,))
    assert second.known == ("3", "1", "2")


def test_a_promoted_candidate_becomes_a_valid_job(tmp_path):
    topic = tmp_path / "topic.toml"
    name, text = job_block(GOOD.because('why "\n[x]'), [], topic)
    path = write_job(tmp_path / "mined", name, text)
    (job,) = load_jobs([path.parent])
    assert (job.name, job.feeds, job.topic) == ("a.example", ("http://a.example/feed",), str(topic))
    assert list(path.parent.iterdir()) == [path]


def test_no_site_is_followed_twice_and_no_name_used_twice(tmp_path):
    own = Job(name="a.example", list_pages=("http://other.example/",))
    assert job_block(GOOD, [own])[0] == "a.example-2"
    with pytest.raises(RefusedError, match="followed"):
        job_block(GOOD, [Job(name="mine", list_pages=("http://a.example/news",))])
    section = replace(
        GOOD, kind="list", url="http://a.example/sport/", entries=(Entry("list", "http://a.example/sport/", 5),)
    )
    assert job_block(section, [Job(name="mine", list_pages=("http://a.example/news",))])[0] == "a.example-sport"
    with pytest.raises(RefusedError, match="no_entries"):
        job_block(replace(GOOD, entries=()), [])
    assert existing_jobs([tmp_path, tmp_path / "missing"]) == []


async def test_a_look_that_breaks_off_costs_no_other_candidate(redis_url, tmp_path, monkeypatch):
    crawler = crawler_with({"REDIS_URL": redis_url, "ARTICLEBOT_DATA_DIR": str(tmp_path)})
    spider = ProbationSpider.from_crawler(crawler)

    async def look(candidate):
        if candidate.key == "bad.example":
            raise ValueError("a page that nobody thought of")
        return Look(fetched=5, problems={"http_404": 1})

    monkeypatch.setattr(spider, "_look", look)
    await spider.runtime.candidates.offer([offer("bad.example", 0.9), offer("good.example", 0.5)], 1.0)
    assert [request async for request in spider.start()] == []
    assert [(candidate.key, state) for candidate, state in spider.decided] == [("good.example", "dropped")]
    assert (await spider.runtime.candidates.counts())["probation"] == 1  # leased
    await spider.runtime.close()


async def test_one_advert_tells_of_its_likes_where_most_of_a_site_is_of_another_shape() -> None:
    """Adverts have other addresses at each look: three pages of eight were articles, and the site was dropped."""

    class AllAdverts:
        async def page(self, url: str) -> Page:
            return Page.parse(b"<p>Buy one, get one.</p>", url)

    spider: Any = SimpleNamespace(judge=None)
    look: Any = AllAdverts()
    urls = [f"http://{host}/ads/{number}" for host in ("a.test", "www.a.test") for number in (36326205, 81457399)]
    assert await ProbationSpider._sample(spider, look, urls, {"ads/<n>"}) == (1, 0, 0, ("ads/<n>",))
    assert await ProbationSpider._sample(spider, look, urls, set()) == (4, 0, 0, ())
    after = looked(Candidate(key="a.test", url="http://a.test/"), Look(barren=("ads/<n>",)), now=1.0)
    assert load(after.dump()).barren == ("ads/<n>",)
