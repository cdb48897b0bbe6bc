from __future__ import annotations

import itertools
import random
from datetime import UTC, datetime
from email.utils import format_datetime
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request

from articlebot.frontier.delays import DelayPolicy, Delays, Schedule, Times
from articlebot.frontier.fetch import Fetch
from articlebot.frontier.in_hand import InHand
from articlebot.times import parse_retry_after

seconds = st.floats(0, 1000)


@pytest.mark.parametrize(("path", "rests"), [("robots.txt", 16.0), ("image.png", 3600.0)])
async def test_a_page_waits_no_hours_in_hand_after_its_robots_txt(path, rests):
    rested = []
    hosts = SimpleNamespace(leave=lambda host, delay: None, end_turn=lambda host, delay, guest: rested.append(delay))
    delays = Delays(DelayPolicy(spread=0), random.Random(0))
    delays.learn("a.example", 3600.0)
    in_hand = InHand(
        None, hosts, delays, capacity=1, now=lambda: 0.0, wake=list, count=lambda name, n: None, send=list,
        longest_pause=1.0,
    )  # fmt: skip
    request = Request(f"https://a.example/{path}")
    in_hand._fetches[request] = Fetch("a.example", planned_at=0.0, is_guest=True, in_turn=True, started_at=0.0)
    in_hand.leave(request)
    assert rested[0] >= rests
    assert rested[0] < 1.2 * rests


def test_a_crawl_delay_of_years_is_taken_as_a_day():
    delays = Delays(DelayPolicy(), random.Random(1))
    delays.learn("slow.example", 999_999_999.0)
    assert delays.least("slow.example") == 86_400.0


@given(
    seed=st.integers(),
    click=st.floats(0.01, 100),
    mean=seconds,
    crawl_delay=st.none() | seconds,
    spread=st.floats(0, 3),
)
def test_a_delay_is_longer_than_a_click_and_than_the_crawl_delay(seed, click, mean, crawl_delay, spread):
    policy = DelayPolicy(click_interval=click, spread=spread)
    delay = policy.sample(random.Random(seed), mean, crawl_delay)
    assert delay > click * (1 - 1e-9)
    assert crawl_delay is None or delay >= crawl_delay


def test_the_mean_is_what_was_asked_and_the_distribution_is_skewed():
    policy = DelayPolicy(click_interval=1.0, mean=3.0, spread=0.8)
    rng = random.Random(1)
    drawn = sorted(policy.sample(rng) for _ in range(20_000))
    mean = sum(drawn) / len(drawn)
    assert mean == pytest.approx(3.0, rel=0.03)
    assert drawn[len(drawn) // 2] < mean  # most are shorter, a few much longer
    assert drawn[-1] > 3 * mean
    assert drawn[0] > 1.0


def test_without_spread_every_delay_is_the_mean():
    assert DelayPolicy(click_interval=1, mean=3, spread=0).sample(random.Random(0)) == 3


def test_a_job_cannot_ask_for_less_than_a_click():
    assert DelayPolicy(click_interval=1.0, spread=0).sample(random.Random(0), mean=0.1) > 1.0


@given(
    planned=seconds,
    visits=st.lists(st.tuples(seconds, seconds, seconds, seconds), min_size=1, max_size=5),
    least=seconds,
    rest=seconds,
)
def test_the_next_start_is_never_before_the_end_nor_too_close(planned, visits, least, rest):
    schedule = Schedule()
    for late, answer, body, above in visits:
        started = planned + late
        heard, ended = started + answer, started + answer + body
        planned = schedule.next_start(1, Times(planned, started, heard, ended), least + above, least)
        assert planned >= ended
        assert planned >= heard + least


def run_slot(late, answer, delay, least, pages=20):
    """When a slot's pages are planned, each started `late(n)` later and answered `answer(n)` after that."""
    schedule, planned = Schedule(), 0.0
    plans = [planned]
    for n in range(pages):
        started = planned + late(n)
        heard = started + answer(n)
        planned = schedule.next_start(1, Times(planned, started, heard, heard), delay, least)
        plans.append(planned)
    return plans


def test_what_a_busy_worker_was_late_is_caught_up_with():
    plans = run_slot(lambda n: 0.4 if n < 3 else 0.0, lambda n: 0.01, delay=1.0, least=0.8)
    assert plans[1] - plans[0] > 1.0
    assert plans[-1] == pytest.approx(20.0)


def test_a_site_that_takes_long_is_not_pressed_on():
    plans = run_slot(lambda n: 0.0, lambda n: 10.0 if n == 3 else 0.01, delay=1.0, least=0.2)
    gaps = [b - a for a, b in itertools.pairwise(plans)]
    assert max(gaps) > 10
    assert min(gaps) > 0.5


def test_nothing_is_caught_up_with_after_a_rest():
    schedule = Schedule()
    free_at = schedule.next_start(1, Times(0.0, 2.0, 2.0, 2.0), 1.0, 0.5)
    assert free_at == 2.5
    later = free_at + 60
    assert schedule.next_start(1, Times(later, later, later, later), 1.0, 0.5) == later + 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [("120", 120), (" 7 ", 7), ("0", 0), ("", None), (None, None), ("soon", None), ("-5", None), ("9" * 40, 999999999)],
)
def test_retry_after_in_seconds(value, expected):
    assert parse_retry_after(value, 1000.0) == expected


def test_retry_after_as_a_date():
    at = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
    assert parse_retry_after(format_datetime(at, usegmt=True), at.timestamp() - 90) == 90
    assert parse_retry_after(format_datetime(at, usegmt=True), at.timestamp() + 90) == 0
    far = format_datetime(at, usegmt=True).replace("2026", "9999")
    assert parse_retry_after(far, 0.0) == datetime(9999, 1, 1, 12, 0, tzinfo=UTC).timestamp()


def test_a_mean_below_the_least_keeps_a_tenth_above_it() -> None:
    policy = DelayPolicy(click_interval=2.0, mean=3.0, spread=0.0)
    assert policy.sample(random.Random(0), mean=1.0) == pytest.approx(2.2, abs=1e-9)
    assert policy.sample(random.Random(0), mean=2.0) == pytest.approx(2.2, abs=1e-9)
    assert policy.sample(random.Random(0), crawl_delay=20.0) == pytest.approx(22.0, abs=1e-9)
    assert policy.sample(random.Random(0), mean=0.0, crawl_delay=1.0) == pytest.approx(2.2, abs=1e-9)


def test_what_lies_above_the_least_is_log_normal_about_the_mean() -> None:
    drawn = random.Random(7).lognormvariate(-0.6 * 0.6 / 2, 0.6)
    assert DelayPolicy().sample(random.Random(7)) == pytest.approx(1.0 + drawn, abs=1e-12)


def test_no_more_than_a_second_is_caught_up_with_and_a_slot_s_plan_is_its_own() -> None:
    schedule = Schedule()
    assert schedule.next_start(1, Times(0.0, 5.0, 5.0, 5.0), 1.0, 0.5) == 5.5
    assert schedule.next_start(2, Times(5.5, 5.5, 5.5, 5.5), 1.0, 0.5) == 6.5  # another slot owes nothing
    assert schedule.next_start(1, Times(5.5, 5.5, 5.5, 5.5), 1.0, 0.2) == pytest.approx(6.0, abs=1e-9)
    assert schedule.next_start(1, Times(6.0, 6.0, 6.0, 6.0), 1.0, 0.2) == pytest.approx(7.0, abs=1e-9)


@given(visits=st.lists(st.tuples(seconds, seconds, seconds), min_size=2, max_size=8), delay=st.floats(1.0, 10.0))
def test_a_site_sees_its_delays_but_for_a_second_in_all(visits, delay):
    schedule, planned, seen = Schedule(), 0.0, []
    for late, answer, idle in visits:
        started = planned + idle + late
        seen.append((started, started + answer))
        planned = schedule.next_start(1, Times(planned + idle, started, started + answer, started + answer), delay, 0.0)
    for first, (_, heard) in enumerate(seen):
        for last in range(first + 1, len(seen)):
            # At the soonest for the site: it saw the one request when it answered, and the other when it was sent.
            assert seen[last][0] - heard >= delay * (last - first) - 1.0 - 1e-6


def test_a_clock_that_is_off_by_less_than_a_twentieth_of_a_second_is_no_rest() -> None:
    for late, expected in ((0.04, 3.54 - 0.5), (0.06, 3.56)):
        schedule = Schedule()
        at = schedule.next_start(1, Times(0.0, 0.5, 0.5, 0.5), 1.0, 1.0)
        assert at == 1.5
        planned = at + 1.0 + late - 1.0
        assert schedule.next_start(1, Times(planned, planned, planned, planned), 2.0, 0.1) == pytest.approx(
            expected, abs=1e-9
        )
