"""When visits end, and which pages are swept."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import AsyncIterator

import pytest
import redis.asyncio
from hypothesis import given
from hypothesis import strategies as st

from articlebot.recrawl import Kind, Observation, PageRecord, PageState, Params, Validators
from articlebot.recrawl.book import RecrawlBook, Terms
from articlebot.recrawl.learned import RedisLearned
from articlebot.recrawl.store import RedisPageStates
from articlebot.recrawl.visit import end_of, last_visit

NOW, DAY = 1_700_000_000.0, 86_400.0
PARAMS = Params(max_interval=30 * DAY)


def state(quiet_days: float, kind: Kind = Kind.ARTICLE, failures: int = 0) -> PageState:
    changed_at = NOW - quiet_days * DAY
    return PageState(kind, 9, failures, changed_at, NOW, NOW + DAY, changed_at=changed_at)


@pytest.mark.parametrize(
    ("outcome", "after", "end"),
    [
        ("unchanged", state(31), "quiet"),
        ("not_modified", state(31), "quiet"),
        ("unchanged", state(29), None),
        ("changed", state(0), None),
        ("changed", state(31), None),  # it dates its change long ago
        ("unchanged", state(31, Kind.DOCUMENT), None),
        ("unchanged", state(3000, Kind.LIST), None),
        ("failed", state(31, failures=9), None),
        ("failed", state(31, failures=10), "quiet"),
        ("failed", state(1, failures=9), None),
        ("gone", state(1, failures=4), None),
        ("gone", state(1, failures=5), "gone"),
        ("gone", state(1, Kind.DOCUMENT, failures=5), "gone"),
        ("gone", state(1, Kind.LIST, failures=9), None),
    ],
)
def test_when_visits_end(outcome, after: PageState, end: str | None) -> None:
    seen = Observation(NOW, outcome, after.kind)
    assert end_of(after, after, seen, 30 * DAY) == end
    assert end_of(None, after, seen, 30 * DAY) is None


@given(quiet=st.floats(0, 60), wait=st.floats(1, 40 * DAY), limit=st.floats(0.01, 60))
def test_the_last_visit_is_not_later_than_the_end(quiet: float, wait: float, limit: float) -> None:
    before = state(quiet)._replace(next_at=NOW + wait)
    after = last_visit(before, PARAMS, limit * DAY)
    ends_at = before.changed_at + limit * DAY
    assert after._replace(next_at=before.next_at) == before
    if NOW < ends_at < before.next_at:
        assert after.next_at == max(ends_at, NOW + PARAMS.min_interval)
    else:
        assert after == before


@pytest.fixture
async def client(redis_url: str) -> AsyncIterator[redis.asyncio.Redis]:
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        yield client


async def test_a_quiet_article_is_visited_at_its_end_and_then_forgotten(client: redis.asyncio.Redis) -> None:
    counts: Counter[str] = Counter()
    states = RedisPageStates(client, "t")
    book = RecrawlBook(
        states, RedisLearned(client, "t"), random.Random(1), quiet_s=10 * DAY, linger_s=0.005,
        count=lambda outcome: counts.update([outcome]),
    )  # fmt: skip
    terms = Terms(PARAMS, PARAMS)
    record = PageRecord(1, "https://a.test/1", "a", PageState(Kind.ARTICLE, 0, 0, NOW, NOW, NOW))
    at, visits, kept = NOW, 0, True
    while kept:
        seen = Observation(at, "unchanged" if visits else "changed", Kind.ARTICLE, content_hash=5)
        record = await book.observe(record, seen, Validators(), terms, "a.test")
        [stored] = await states.get([1])
        at, visits, kept = record.state.next_at, visits + 1, stored is not None
    assert record.state.last_at == pytest.approx(NOW + 10 * DAY, abs=1.0)
    assert visits > 3
    assert counts["ended/quiet"] == 1
    assert await states.next_due_at() is None
    await book.close()


async def test_pages_of_jobs_that_nobody_knows_are_forgotten(client: redis.asyncio.Redis) -> None:
    states = RedisPageStates(client, "t")

    async def sweep(days: float) -> dict[str, int]:
        await client.delete("-", *await client.keys("*:swept"))
        return await states.forget_unknown(NOW + days * DAY, 90 * DAY, 3600.0)

    pages = [PageRecord(n, f"https://a.test/{n}", "kept" if n % 2 else "left", state(1)) for n in range(300)]
    await states.put_many(pages)
    assert await sweep(0) == {}  # neither was noted before: they count from here on
    await states.note_jobs(["kept"], NOW + 80 * DAY)
    assert await sweep(89) == {}
    assert await states.forget_unknown(NOW + 500 * DAY, 90 * DAY, 3600.0) == {}  # another worker has just looked
    assert await sweep(91) == {"left": 150}
    assert (await states.counts(NOW)).by_job == {"kept": 150}
    await states.put_many(pages[:2])
    assert await sweep(92) == {}  # one that comes back has its time anew
