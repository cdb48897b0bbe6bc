"""What signals of changes are worth, and when they move a visit."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import AsyncIterator
from math import exp

import pytest
import redis.asyncio
from hypothesis import given
from hypothesis import strategies as st

from articlebot.connect import tagged
from articlebot.errors import StateError
from articlebot.recrawl import Kind, Observation, PageRecord, PageState, Params, Validators, policy
from articlebot.recrawl.book import RecrawlBook, Terms
from articlebot.recrawl.hearing import due_after
from articlebot.recrawl.learned import RedisLearned, SharedSignals
from articlebot.recrawl.said import RedisSaid, Said, told
from articlebot.recrawl.signals import HEADLINE, PLACE, STATED, Heard, Record, Signals, Worth, tells
from articlebot.recrawl.store import RedisPageStates
from articlebot_lab.recrawl.signals import Quality, Signal, at_random, made
from articlebot_lab.recrawl.simulate import base_params, calibrate
from benchmarks.recrawl_regimes import made_up
from benchmarks.recrawl_signals import figure

DAY = 86400.0
NOW = 1_700_000_000.0


def learned(visits: int, precision: float, recall: float, *, chance: float = 0.2, noise: float = 0.0) -> Signals:
    """Visits to pages that change with a chance, signalled so; ``noise`` is the chance of a signal at any visit."""
    rng, signals = random.Random(1), Signals()
    for _ in range(visits):
        changed = rng.random() < chance
        given = changed and rng.random() < recall
        given = given or rng.random() < chance * recall * (1 - precision) / precision or rng.random() < noise
        signals.note("a.test", Heard(Kind.DOCUMENT, 1, STATED * given, chance, changed))
    return signals


def test_signals_are_believed_when_visits_have_shown_them() -> None:
    found = learned(3000, 0.8, 0.6).worth("a.test", Kind.DOCUMENT)
    assert found is not None
    # Less than the truth, which is .6 of the changes and .8 of the signals: what is not proved is not believed.
    assert 0.4 < found[1].quiet < 0.8
    assert 0.5 < found[1].right[0] < 0.8
    assert set(found[1].right[1:]) == {0.0}
    assert not tells(found, HEADLINE) and tells(found, STATED)
    assert not tells(learned(5, 0.8, 0.6).worth("a.test", Kind.DOCUMENT), STATED)


@pytest.mark.parametrize("noise", [0.05, 0.5, 1.0])
def test_signals_that_say_nothing_are_worth_nothing(noise: float) -> None:
    for visits in (20, 200, 2000):
        found = learned(visits, 1.0, 1e-9, noise=noise).worth("a.test", Kind.DOCUMENT)
        assert found is None or set(found) == {Worth()}


def test_a_site_that_begins_to_lie_is_believed_no_more() -> None:
    signals = learned(1000, 0.9, 0.9)
    assert tells(signals.worth("a.test", Kind.DOCUMENT), STATED)
    for _ in range(150):
        signals.note("a.test", Heard(Kind.DOCUMENT, 1, STATED, 0.2, changed=False))
    assert not tells(signals.worth("a.test", Kind.DOCUMENT), STATED)


@given(
    st.lists(
        st.builds(Heard, st.sampled_from(Kind), st.integers(0, 3), st.integers(0, 7), st.floats(0, 1), st.booleans()),
        max_size=60,
    ),
    st.floats(0, 40 * DAY), st.integers(0, 7), st.sampled_from(Kind),
)  # fmt: skip
def test_whatever_is_heard_a_signal_never_delays_a_visit(
    visits: list[Heard], after: float, bits: int, kind: Kind
) -> None:
    signals = Signals()
    for heard in visits:
        signals.note("a.test", heard)
    worth = signals.worth("a.test", kind)
    for one in worth or ():
        assert 0.0 < one.quiet <= 1.0
        assert all(0.0 <= right < 1.0 for right in one.right)
    state = PageState(kind, 3, 0, 0.0, DAY, 20 * DAY, DAY, 1.0, 19 * DAY, DAY / 2, 0, 0, DAY, 1.0)
    due = due_after(state, bits, Params(heard=worth), DAY + after)
    assert min(DAY + after, state.next_at) <= due <= state.next_at


def test_a_signal_counts_for_the_wait_in_which_the_page_would_have_changed_so_likely() -> None:
    worth = (Worth(0.5, (1 - exp(-1.0), 0.0, 0.0, 0.0)),) * 4
    # 2 changes in 10 days so far, half of them signalled: one without a signal comes in 10 days.
    state = PageState(Kind.DOCUMENT, 9, 0, 0.0, 0.0, 40 * DAY, slow_t=1000 * DAY, slow_x=200.0)
    assert due_after(state, STATED, Params(heard=worth), DAY) == pytest.approx(30 * DAY, rel=0.01)
    assert due_after(state, PLACE, Params(heard=worth), DAY) == 40 * DAY
    assert due_after(state._replace(failures=2), STATED, Params(heard=worth), DAY) == 40 * DAY
    soon = state._replace(next_at=5 * DAY)
    assert due_after(soon, STATED, Params(heard=worth), DAY) == DAY


def test_a_page_whose_changes_are_signalled_is_visited_later_without_one() -> None:
    rule, rng = policy("default"), random.Random(1)
    state = PageState(Kind.DOCUMENT, 5, 0, 0.0, 10 * DAY, 12 * DAY, 10 * DAY, 1.0, DAY, DAY, 7, 0, 10 * DAY, 1.0)
    seen = Observation(12 * DAY, "unchanged", Kind.DOCUMENT)
    without = rule.next_state(state, seen, Params(), seen.at, rng)
    heard = rule.next_state(state, seen, Params(heard=(Worth(0.25),) * 4), seen.at, rng)
    assert heard.next_at - seen.at == pytest.approx(2 * (without.next_at - seen.at), rel=0.01)


def test_records_come_back_and_damaged_ones_have_a_name() -> None:
    record = learned(100, 0.8, 0.6).sites["a.test"]
    kept = json.loads(json.dumps(record.to_json()))
    assert Record.from_json(kept).rows[Kind.DOCUMENT, STATED][1] == pytest.approx(
        record.rows[Kind.DOCUMENT, STATED][1], rel=0.001
    )
    for damaged in ({}, {"version": 9}, {"version": 1, "rows": {"2 1": [[1]]}}, {"version": 1, "rows": {"x": []}}):
        with pytest.raises(StateError):
            Record.from_json(damaged)


@pytest.mark.parametrize(
    ("stated", "seen"),
    [(0, False), (NOW - 59, False), (NOW - 61, True), (NOW + 60, False), (NOW - NOW % 900 - 900, False)],
)
def test_a_visit_has_seen_what_is_stated_for_a_time_before_it_but_not_what_may_be_a_bare_date(
    stated: float, seen: bool
) -> None:
    assert Said(1, int(stated)).is_before(NOW) == seen


def test_what_is_said_otherwise_is_a_signal() -> None:
    before = [Said(1, 100, 7), Said(2, 100, 7), Said(3), Said(4, 100, 7)]
    assert told(before, before) == {}
    assert told(before, [Said(9, 5, 5), *before]) == {}
    assert told(before, [Said(1, 200, 7), Said(2, 100, 8), Said(3, 50, 9), Said(4, 100, 7)]) == {1: STATED, 2: HEADLINE}
    assert told(before, [before[3], *before[:3]]) == {4: PLACE}
    assert Said.of(1, 1e300, "") == Said(1) == Said.of(1, None, "")


def ascending(numbers: list[int]) -> list[list[int]]:
    """Every choice of the numbers that ascends as they stand."""
    found: list[list[int]] = [[]]
    for number in numbers:
        found += [[*one, number] for one in found if not one or one[-1] < number]
    return found


@given(st.permutations(range(8)))
def test_as_few_pages_as_can_be_have_another_place(order: list[int]) -> None:
    pages = [Said(key) for key in range(8)]
    moved = told(pages, [pages[n] for n in order])
    left = [n for n in order if n not in moved]
    assert left == sorted(left)
    assert len(left) == max(map(len, ascending(order)))


# -- in Redis


@pytest.fixture
async def client(redis_url: str) -> AsyncIterator[redis.asyncio.Redis]:
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        yield client


async def test_workers_learn_together(client: redis.asyncio.Redis) -> None:
    refused: Counter[str] = Counter()
    workers = [SharedSignals(RedisLearned(client, "t"), lambda: refused.update(["refused"])) for _ in range(2)]
    rng = random.Random(2)
    for _ in range(400):
        changed = rng.random() < 0.3
        heard = Heard(Kind.ARTICLE, 0, STATED * changed, 0.3, changed)
        await workers[rng.random() < 0.5].note("a.test", heard)
    await asyncio.gather(*(one.save() for one in workers))
    both = [await one.worth("a.test", Kind.ARTICLE) for one in workers]
    assert both[0] == both[1]
    assert tells(both[0], STATED)
    # A site of which less is known goes by the others', until it is found to lie.
    assert await workers[0].worth("b.test", Kind.ARTICLE) is None
    await client.hset(f"{tagged('t', 'recrawl')}:signals", "a.test", b"[1]")
    await workers[1].save()
    assert await workers[1].worth("a.test", Kind.ARTICLE) is None


async def test_an_entry_page_is_compared_with_what_it_said_last_whoever_reads_it(client: redis.asyncio.Redis) -> None:
    first, other = RedisSaid(client, "t"), RedisSaid(client, "t")
    assert await first.now(7, [Said(1, 100), Said(2, 100)]) == {}
    assert await other.now(7, [Said(1, 200), Said(2, 100)]) == {1: STATED}
    assert await first.now(7, [Said(1, 200), Said(2, 100)]) == {}
    assert await other.now(8, [Said(1, 300)]) == {}
    keys = await client.keys("*said*")
    assert len(keys) == 2
    assert all([0 < await client.ttl(key) <= 14 * DAY for key in keys])


def page(key: int, *, next_at: float = NOW + 20 * DAY, job: str = "a") -> PageRecord:
    state = PageState(
        Kind.DOCUMENT, 9, 0, NOW - 900 * DAY, NOW, next_at, 900 * DAY, 90.0, 20 * DAY, NOW - DAY, 7, 0, 900 * DAY, 90.0
    )
    return PageRecord(key, f"https://a.test/{key}", job, state, Validators("e"), "document")


async def test_signals_lie_in_records_and_move_due_times_but_not_those_of_leased_pages(
    client: redis.asyncio.Redis,
) -> None:
    states = RedisPageStates(client, "t")
    await states.put_many([page(1), page(2), page(3, next_at=NOW - 5)])
    await states.lease_due(NOW, 10, 600.0)
    noted = [(page(1)._replace(signals=STATED), NOW + 60), (page(2)._replace(signals=HEADLINE), NOW + 20 * DAY)]
    await states.signal([*noted, (page(3, next_at=NOW - 5)._replace(signals=STATED), NOW - 60), (page(4), NOW)])
    await states.signal([(page(1)._replace(signals=PLACE), NOW + 30 * DAY)])
    one, two, three, four = await states.get([1, 2, 3, 4])
    assert one == page(1)._replace(signals=STATED | PLACE)
    assert two == page(2)._replace(signals=HEADLINE)
    assert three is not None and three.signals == STATED and four is None
    assert [await states.due_at(key) for key in (1, 2, 3)] == [NOW + 60, NOW + 20 * DAY, NOW + 600]


@pytest.mark.parametrize(("hears", "name"), [(True, "default"), (False, "default"), (True, "ratio")])
async def test_the_book_hears_of_known_pages_of_the_job(client: redis.asyncio.Redis, hears: bool, name: str) -> None:
    counts: Counter[str] = Counter()
    states, learned_of = RedisPageStates(client, "t"), RedisLearned(client, "t")
    await learned_of.write("signals", {"a.test": learned(1000, 0.9, 0.9).sites["a.test"].to_json()})
    book = RecrawlBook(
        states, learned_of, random.Random(1), quiet_s=30 * DAY, count=lambda what: counts.update([what]), hears=hears
    )
    terms = Terms(Params(), Params(min_interval=60.0), name, None)
    await states.put_many([page(1), page(2, job="b")])
    # The visit before has seen what is stated for a time before it.
    before = {1: Said(1, int(page(1).state.last_at) - 61)}
    await book.signalled({1: STATED}, before, "a", terms, NOW + DAY)
    assert await states.get([1]) == [page(1)]
    for _ in range(2):
        await book.signalled({1: STATED, 2: STATED, 3: STATED}, {}, "a", terms, NOW + DAY)
    (record,) = await states.get([1])
    assert record is not None
    heeded = hears and name == "default"
    assert (counts["signals/heard"], counts["signals/moved"]) == ((1, 1) if heeded else (0, 0))
    assert await states.due_at(1) == (NOW + DAY if heeded else NOW + 20 * DAY)
    seen = Observation(NOW + 2 * DAY, "changed", Kind.DOCUMENT, content_hash=8)
    written = await book.observe(record, seen, Validators(), terms, "a.test")
    assert written.signals == 0
    assert counts["signals/right"] == heeded
    await book.close()


# -- what it is for


def test_good_signals_save_a_quarter_of_the_fetches_and_noise_costs_nothing() -> None:
    world = made_up("documents, alike", 1)
    without = calibrate(world, policy("default"), base_params(3.0), 3.0, 1)

    def at(rate: float, signals: tuple[Signal, ...]) -> float:
        params, start = base_params(rate), without.scale
        return figure(calibrate(world, policy("default"), params, rate, 1, start=start, signals=signals))

    assert at(2.25, made(world, Quality(0.8, 0.6), 1)) <= figure(without)
    assert at(3.0, at_random(world, 1.0, 1)) <= 1.01 * figure(without)
    assert at(3.0, made(world, Quality(0.05, 0.05), 1)) <= 1.01 * figure(without)


def test_signals_of_a_trace_have_the_precision_and_recall_that_were_asked_for() -> None:
    world = made_up("documents, alike", 1)
    changes = sum(len(one.changes) for one in world.pages)
    signals = made(world, Quality(0.8, 0.6), 1)
    true = sum(signal.at in world.pages[signal.page].changes for signal in signals)
    assert true / changes == pytest.approx(0.6, abs=0.05)
    assert true / len(signals) == pytest.approx(0.8, abs=0.01)
    assert list(signals) == sorted(signals)
