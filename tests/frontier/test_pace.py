"""What a slot's refusals teach of the rate that it bears."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.frontier.delays import DelayPolicy, Delays
from articlebot.frontier.pace import TOO_SOON, Pace, Paces, is_too_soon, pace_after

POLICY = DelayPolicy(click_interval=0.05, mean=0.1, back_off=10.0, back_off_cap=3600.0)
paces = st.builds(Pace, st.floats(0, 3600), st.floats(0, 60), st.floats(0, 60), st.floats(0, 60))


@given(
    pace=paces, status=st.sampled_from([429, 503]), retry_after=st.none() | st.floats(0, 1e6),
    gap=st.none() | st.floats(0.01, 60),
)  # fmt: skip
def test_back_off_grows_to_the_cap_and_honours_retry_after(
    pace: Pace, status: int, retry_after: float | None, gap: float | None
) -> None:
    after = pace_after(pace, status, retry_after, gap, POLICY)
    assert (POLICY.back_off if retry_after is None else 0) <= after.back_off <= POLICY.back_off_cap
    assert after.back_off >= min(2 * pace.back_off, POLICY.back_off_cap)
    assert retry_after is None or after.back_off >= min(retry_after, POLICY.back_off_cap)
    assert pace.gap <= after.gap <= 60
    assert after.borne in (0, min(60, 2 * pace.borne))


@given(pace=paces, status=st.sampled_from([200, 304, 404, 500]))
def test_a_good_answer_only_ever_brings_a_slot_closer(pace: Pace, status: int) -> None:
    after = pace_after(pace, status, None, 1.0, POLICY)
    assert after.back_off <= pace.back_off
    assert after.gap <= max(pace.gap, 1.25 * pace.refused)
    assert after.borne == min(1.0, pace.borne or 1.0)
    assert pace_after(pace, None, None, 1.0, POLICY) == pace


def test_back_off_recovers_step_by_step() -> None:
    pace, levels = Pace(), []
    for status in (503, 429, 503, 200, 200, 200, 200, 404):
        pace = pace_after(pace, status, None, None, POLICY)
        levels.append(pace.back_off)
    assert levels == [10, 20, 40, 20, 10, 5, 0, 0]


def crawl(allows: Callable[[float, int], bool], pages: int, retry_after: float | None = 1.0) -> tuple[Pace, int, float]:
    """A slot's pace after so many pages of a site, its refusals, and the seconds that it took."""
    delays = Delays(POLICY, random.Random(1))
    pace, refusals, clock, last = Pace(), 0, 0.0, -1e9
    paces = Paces(delays)
    for number in range(pages):
        status = 200 if allows(clock - last, number) else 429
        refusals += status == 429
        last = clock
        paces.told("a.test", pace)
        asked = retry_after if status == 429 else None
        pace = paces.of_leased("a.test", pace, clock, status=status, retry_after=asked, mean=None)
        clock += max(delays.sample("a.test"), pace.back_off)
    return pace, refusals, clock


def test_a_site_that_wants_a_second_is_given_it_after_a_few_refusals() -> None:
    pace, refusals, clock = crawl(lambda gap, number: gap >= 1.0, 400)
    assert refusals <= 7
    assert 0.9 <= pace.gap <= 1.3
    assert clock < 400 * 1.5


def test_a_site_that_is_overloaded_now_and_then_is_not_asked_ever_more_slowly() -> None:
    pace, refusals, clock = crawl(lambda gap, number: number % 9 != 8, 450)
    assert refusals == 50
    assert pace.gap < 0.5
    assert clock < 50 * 1.0 + 400 * 0.5


def test_a_limit_that_is_lifted_is_forgotten() -> None:
    pace, refusals, _ = crawl(lambda gap, number: gap >= 1.0 or number > 50, 4000)
    assert refusals <= 7
    assert pace.gap == 0.0


def test_an_outage_teaches_no_gap() -> None:
    pace, refusals, _ = crawl(lambda gap, number: not 20 <= number < 30, 60, None)
    assert refusals == 10
    assert pace.gap <= 0.4  # its first refusal may have been for haste, the others came after pauses
    rested = pace_after(Pace(), 503, None, None, POLICY)
    assert (rested.gap, rested.back_off) == (0.0, 10.0)


def test_one_retry_after_lengthens_a_gap_fourfold_at_most() -> None:
    assert pace_after(Pace(), 429, 3600.0, 2.0, POLICY).gap == 8.0
    assert pace_after(Pace(), 429, 5.0, 2.0, POLICY).gap == 5.0
    assert pace_after(Pace(), 429, 1.0, 2.0, POLICY).gap == 4.0
    assert pace_after(Pace(), 429, None, 50.0, POLICY).gap == 60.0


def test_what_was_borne_before_is_not_refused_for_haste() -> None:
    assert pace_after(Pace(borne=2.0), 503, 1.0, 2.0, POLICY) == Pace(1.0, borne=4.0)
    assert pace_after(Pace(borne=2.1), 429, None, 2.0, POLICY)[1:] == (2.5, 2.0, 0.0)
    assert pace_after(Pace(borne=5.0), 429, None, 2.0, POLICY).gap == 4.0
    assert pace_after(Pace(borne=5.0), 429, 3600.0, 2.0, POLICY).gap == 5.0


def test_two_random_refusals_teach_a_pace_no_longer_than_what_was_borne() -> None:
    pace = Pace(borne=0.2)
    for retry_after in (2.0, 2.0):
        pace = pace_after(pace, 503, retry_after, 0.2, POLICY)
        pace = pace_after(pace, 200, None, None, POLICY)  # the back-off has passed
    assert pace.gap <= 0.4


def test_what_guests_meet_is_taken_along_by_the_next_leased_page() -> None:
    delays = Delays(POLICY, random.Random(1))
    paces = Paces(delays)
    met = paces.of_guest("a.test", 10.0, 429, 2.0)
    assert met.back_off == 2.0
    assert delays.least("a.test") == met.gap > POLICY.click_interval
    paces.told("a.test", Pace())
    assert delays.least("a.test") == met.gap
    taken = paces.of_leased("a.test", Pace(), 12.0, status=200, retry_after=None, mean=None)
    assert taken.gap == pytest.approx(0.97 * met.gap, abs=1e-9)
    paces.told("a.test", Pace())
    assert delays.least("a.test") == POLICY.click_interval


@given(paces)
def test_it_is_kept_to_a_thousandth(pace: Pace) -> None:
    kept = Pace.load(pace.dump())
    if pace.back_off or pace.gap:
        assert kept == pytest.approx(pace, abs=6e-4)
    else:
        assert pace.dump() == "0"
        assert kept == Pace()


@pytest.mark.parametrize(
    ("text", "pace"),
    [
        (None, Pace()), ("", Pace()), (b"20", Pace(20.0)), ("x", Pace()), ("1 2", Pace()), ("1 2 3 4 5", Pace()),
        (b"\xff", Pace()),
    ],
)  # fmt: skip
def test_what_an_earlier_version_wrote_is_a_back_off(text: str | bytes | None, pace: Pace) -> None:
    assert Pace.load(text) == pace


@pytest.mark.parametrize(
    ("pace", "status", "reasons", "too_soon"),
    [
        (Pace(borne=9), 429, [f"{TOO_SOON}429"] * 9, True),
        (Pace(borne=9), 503, [f"{TOO_SOON}503"], True),
        (Pace(borne=9), 503, [f"{TOO_SOON}503"] * 2, False),
        (Pace(borne=0), 503, [f"{TOO_SOON}503"] * 9, True),  # nobody is answered there
        (Pace(borne=9), 503, ["no answer: timeout"] * 9, True),
    ],
)  # fmt: skip
def test_a_page_is_given_up_only_for_its_own_503(pace: Pace, status: int, reasons: list[str], too_soon: bool) -> None:
    assert is_too_soon(pace, status, reasons, 2) is too_soon
