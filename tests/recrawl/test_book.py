"""The recrawl's memory on a real Redis server, budgets and validator trust."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import redis.asyncio
from hypothesis import given
from hypothesis import strategies as st

from articlebot.errors import StoreUnavailable
from articlebot.recrawl import Kind, Observation, PageRecord, PageState, Params, Validators
from articlebot.recrawl.book import RecrawlBook, Terms
from articlebot.recrawl.budgets import Budget
from articlebot.recrawl.learned import RedisLearned
from articlebot.recrawl.store import RedisPageStates
from articlebot.recrawl.trust import Asked, Score

NOW = 1_700_000_000.0
TERMS = Terms(Params(), Params(max_interval=30 * 86400.0), "default", 60.0)


@pytest.fixture
async def client(redis_url: str) -> AsyncIterator[redis.asyncio.Redis]:
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        yield client


def page(key: int, job: str = "a") -> PageRecord:
    return PageRecord(key, f"https://a.test/{key}", job, PageState(Kind.LIST, 0, 0, NOW, NOW, NOW))


def book_of(
    client: redis.asyncio.Redis, counts: Counter[str] | None = None, total: Budget | None = None
) -> RecrawlBook:
    counted: Counter[str] = Counter() if counts is None else counts

    def count(outcome: str) -> None:
        counted[outcome] += 1

    return RecrawlBook(
        RedisPageStates(client, "t"),
        RedisLearned(client, "t"),
        random.Random(1),
        quiet_s=30 * 86400.0,
        linger_s=0.005,
        total=total,
        count=count,
    )


async def test_a_state_is_written_before_its_visit_is_done(client: redis.asyncio.Redis) -> None:
    counts: Counter[str] = Counter()
    book = book_of(client, counts)
    seen = Observation(NOW, "changed", Kind.LIST, 3, content_hash=9)
    written = await asyncio.gather(
        *(book.observe(page(key), seen, Validators("e"), TERMS, "a.test") for key in range(250))
    )
    kept = await book.states.get(list(range(250)))
    assert [record.state.content_hash for record in kept if record] == [9] * 250
    assert written[7].state.next_at > NOW
    assert kept[7] is not None
    assert kept[7].validators == Validators("e")
    assert counts == {"changed": 250}
    await book.close()


async def test_what_was_learned_survives_a_restart(client: redis.asyncio.Redis) -> None:
    book = book_of(client, total=Budget(100, 3600.0))
    record, at = page(1), NOW
    for _ in range(100):
        seen = Observation(at, "changed" if at % 86400 < 43200 else "unchanged", Kind.LIST, 5)
        record = await book.observe(record, seen, Validators(), TERMS, "a.test")
        at += 1800
        await book.step(at)
    for _ in range(12):
        await book.answered(page(1)._replace(validators=Validators("e")), Validators("e"), "a.test", changed=True)
    scale = book.budgets.total.scale if book.budgets.total else 0
    await book.close()
    again = book_of(client, total=Budget(100, 3600.0))
    await again.budgets.open_total()
    assert again.budgets.total is not None
    assert again.budgets.total.scale == pytest.approx(scale) != 1.0
    lying = await again.conditions(page(1)._replace(validators=Validators("e")), "a.test")
    assert lying == Asked()
    await again.observe(record, Observation(at, "unchanged", Kind.LIST), Validators(), TERMS, "a.test")
    assert again._knowledge["a", True].params("a.test", Kind.LIST, at).profile is not None


async def test_workers_keep_the_budget_of_the_crawl_together(client: redis.asyncio.Redis) -> None:
    here, there = (book_of(client, total=Budget(360, 3600.0)) for _ in range(2))

    async def visits(book: RecrawlBook, number: int, at: float) -> None:
        for key in range(number):
            await book.observe(page(key), Observation(at, "unchanged", Kind.LIST, 5), Validators(), TERMS, "a.test")

    await visits(here, 5, NOW)
    await visits(there, 1, NOW)
    assert (here.budgets.allowance(NOW), there.budgets.allowance(NOW)) != (0, 0)
    for book in (here, there, here):
        await book.step(NOW)
    assert [book.budgets.allowance(NOW) for book in (here, there)] == [0, 0]  # six in a minute
    assert [book.budgets.allowance(NOW + 60) for book in (here, there)] == [6, 6]
    again = book_of(client, total=Budget(360, 3600.0))
    await again.budgets.open_total()
    assert again.budgets.allowance(NOW + 60) == 6
    await visits(here, 1000, NOW + 3000)
    await here.step(NOW + 3001)
    waits = [page(5000)._replace(state=PageState(last_at=NOW, next_at=NOW + 13600))]
    await here.states.put_many(waits)
    for book in (there, here, there, here):
        await book.step(NOW + 3600)  # the first of them moves the scale
    scales = [book.budgets.total.scale for book in (here, there) if book.budgets.total is not None]
    assert scales[0] == scales[1] > 1.25
    assert await here.states.due_at(5000) == pytest.approx(NOW + 3600 + 10000 * scales[0], abs=1)  # moved once
    # Where nobody has worked for hours, nothing is made up for.
    await there.step(NOW + 50_000)
    assert there.budgets.allowance(NOW + 50_000) == 6


async def test_lists_that_lie_cost_articles_no_trust(client: redis.asyncio.Redis) -> None:
    book = book_of(client)
    front = page(1)._replace(validators=Validators("e"), state=PageState(kind=Kind.LIST))
    story = page(2)._replace(validators=Validators("e"), state=PageState(kind=Kind.ARTICLE))
    await book.answered(front, Validators("e"), "a.test", changed=True)
    for _ in range(40):
        await book.answered(story, Validators("f"), "a.test", changed=True)
    asked = [[await book.conditions(one, "a.test") for _ in range(200)] for one in (front, story)]
    assert not any(one.send.etag for one in asked[0])
    assert sum(one.send.etag == "e" for one in asked[1]) > 150


async def test_workers_learn_of_a_sites_validators_together(client: redis.asyncio.Redis) -> None:
    here, there = book_of(client), book_of(client)
    visited = page(1)._replace(validators=Validators("e"))
    for book, changed in ((here, False), (there, False), (there, True), (here, False)):
        await book.answered(visited, Validators("e"), "a.test", changed=changed)
    for book in (here, there):
        await book.step(NOW)
    assert (
        (await here._trust.of("a.test/lists")).etag
        == (await there._trust.of("a.test/lists")).etag
        == Score(0.0, 1.0, 0.0)
    )


async def test_damaged_memory_is_left_behind_and_counted(client: redis.asyncio.Redis) -> None:
    counts: Counter[str] = Counter()
    await client.hset("t:recrawl:profile", "a/lists", "{")
    await client.hset("t:recrawl:trust", "a.test/lists", '{"version": 77}')
    book = book_of(client, counts)
    await book.observe(page(1), Observation(NOW, "changed", Kind.LIST), Validators(), TERMS, "a.test")
    await book.conditions(page(1)._replace(validators=Validators("e")), "a.test")
    assert counts["state_refused"] == 2


async def test_an_outage_reaches_every_visit_that_waits() -> None:
    gone = redis.asyncio.Redis(host="127.0.0.1", port=1, socket_connect_timeout=0.2)
    with pytest.raises(StoreUnavailable):
        await book_of(gone).observe(page(1), Observation(NOW, "changed"), Validators(), TERMS, "a.test")
    await gone.aclose()


async def test_waits_follow_the_budget_in_the_store(client: redis.asyncio.Redis) -> None:
    states = RedisPageStates(client, "t")
    await states.put_many(
        [page(key)._replace(state=PageState(last_at=NOW, next_at=NOW + 10 * key - 50)) for key in range(1000)]
    )
    await states.retime(NOW, 0.1, 1e6)
    assert (await states.counts(NOW)).due == 6
    assert (await states.counts(NOW + 995)).due == 1000
    await states.retime(NOW, 20.0, 5000.0)
    assert (await states.counts(NOW)).due == 6
    assert (await states.counts(NOW + 4999)).due < 300
    assert (await states.counts(NOW + 5001)).due == 1000


@pytest.mark.parametrize("wrong", [0.01, 1.0, 100.0])
def test_a_budget_started_wrong_is_met_after_three_days(wrong: float) -> None:
    rng, budget, pages = random.Random(3), Budget(100.0, 3600.0, wrong, timed=wrong), 2000
    due = [rng.random() * 72000 * wrong for _ in range(pages)]
    now, spent_late = 0.0, 0
    for hour in range(96):
        spent, limit = 0, round(1.5 * budget.allowed(3600.0))
        for index in sorted(range(pages), key=due.__getitem__):
            if due[index] > now + 3600 or spent >= limit:
                break
            spent += 1
            due[index] = max(due[index], now) + 72000 * budget.scale * rng.uniform(0.5, 1.5)
        now += 3600.0
        backlog = sum(1 for at in due if at <= now)
        factor, budget = budget.step(spent, backlog, 3600.0).retime()
        due = [now + (at - now) * factor if at > now else at for at in due]
        spent_late += spent if hour >= 72 else 0
    assert spent_late == pytest.approx(2400, rel=0.05)


@pytest.mark.parametrize(("an_hour", "new"), [(60.0, 0), (60.0, 40), (0.5, 0)])
async def test_a_job_fetches_no_more_than_its_budget(client: redis.asyncio.Redis, an_hour: float, new: int) -> None:
    """Two hundred pages of one job all due: what is granted, and what was fetched as new, is paid back in time."""
    counts: Counter[str] = Counter()
    book, terms, none = book_of(client, counts), replace(TERMS, budget=an_hour), Validators()
    often = replace(terms, params=Params(max_interval=60.0))
    await book.states.put_many(page(key) for key in range(200))
    fetched, now = new, NOW
    await book.budgets.open("a", an_hour)
    for key in range(1000, 1000 + new):
        await book.observe(page(key), Observation(now, "changed", Kind.ARTICLE), none, terms, "a.test")
    while now < NOW + 2 * 3600.0:
        later, waiting = [], []
        for record in await book.states.lease_due(now, 500, 60.0):
            if (wait := book.budgets.grant(record, now)) > 0.0:
                later.append(record._replace(state=record.state._replace(next_at=now + wait)))
            else:
                fetched += 1
                waiting.append(book.observe(record, Observation(now, "unchanged", Kind.LIST), none, often, "a.test"))
        await book.states.put_many(later)
        await asyncio.gather(*waiting)
        now += 30.0
    assert 0.9 * 2 * an_hour <= fetched <= 2 * an_hour * 1.02 + 1
    assert counts["over_budget"] > 0
    await book.close()
    again = book_of(client)
    await again.budgets.open("a", an_hour)
    assert again.budgets.meters["a"].paid_at >= book.budgets.meters["a"].paid_at > NOW


@pytest.mark.parametrize("workers", [2, 3])
async def test_workers_keep_the_budget_of_a_job_together(client: redis.asyncio.Redis, workers: int) -> None:
    books, terms = [book_of(client) for _ in range(workers)], replace(TERMS, budget=60.0)
    often = replace(terms, params=Params(max_interval=60.0))
    await books[0].states.put_many(page(key) for key in range(600))
    fetched, now = [0] * workers, NOW
    while now < NOW + 3 * 3600.0:
        for number, book in enumerate(books):
            await book.budgets.open("a", terms.budget)
            for record in await book.states.lease_due(now, 20, 60.0):
                if (wait := book.budgets.grant(record, now)) > 0.0:
                    await book.states.put_many([record._replace(state=record.state._replace(next_at=now + wait))])
                else:
                    fetched[number] += 1
                    seen = Observation(now, "unchanged", Kind.LIST)
                    await book.observe(record, seen, Validators(), often, "a.test")
            await book.step(now)
        now += 30.0
    assert 0.9 * 180 <= sum(fetched) <= 180 * 1.02 + workers
    scales = [book.budgets.scale("a") for book in books]
    assert scales == pytest.approx([scales[0]] * workers, rel=1e-9)  # one worker has moved it, for all
    assert scales[0] > 1.5
    await books[0].close()
    later = book_of(client)  # a run of cron goes on with what all have spent
    await later.budgets.open("a", terms.budget)
    assert later.budgets.meters["a"].paid_at == pytest.approx(max(b.budgets.meters["a"].paid_at for b in books))


@pytest.mark.parametrize("workers", [1, 3])
async def test_known_pages_have_a_share_of_a_budget_that_new_ones_spend(
    client: redis.asyncio.Redis, workers: int
) -> None:
    """A backfill at the pace of the budget, by any of the workers: of four fetches one is a known page's."""
    books, granted, now = [book_of(client) for _ in range(workers)], 0, NOW
    for book in books:
        await book.budgets.open("a", 60.0)
    while now < NOW + 4 * 3600.0:
        for number in range(3):  # half a minute's, and as much again
            books[number % workers].budgets.spend(page(round(now) + number), now)
        for number, book in enumerate(books):
            for key in range(9 * number, 9 * number + 9):
                if book.budgets.grant(page(key), now) == 0.0:
                    granted += 1
                    book.budgets.spend(page(key), now)
            await book.budgets.step(now, 86400.0, 86400.0)
        now += 30.0
    assert 0.9 * 60 <= granted <= 1.1 * 60 + 2 * workers


async def test_a_clock_that_went_back_stops_no_job(client: redis.asyncio.Redis) -> None:
    book = book_of(client)
    await book.budgets.open("a", TERMS.budget)
    assert book.budgets.grant(page(1), NOW) == 0.0
    assert 0.0 < book.budgets.grant(page(2), NOW - 365 * 86400.0) <= 86400.0


@given(st.lists(st.tuples(st.integers(0, 10**7), st.integers(0, 10**7), st.floats(0, 1e6)), max_size=30))
def test_a_scale_stays_finite(steps: list[tuple[int, int, float]]) -> None:
    budget = Budget(10.0, 3600.0)
    for spent, backlog, elapsed in steps:
        factor, budget = budget.step(spent, backlog, elapsed).retime()
        assert 1e-6 <= budget.scale <= 1e6
        assert factor > 0
