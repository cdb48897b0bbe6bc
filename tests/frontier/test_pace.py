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
paces = st.builds(Pace, st.floats(0, 3600), *[st.floats(0, 60)] * 3, st.sampled_from([0.0, 1.0]), st.floats(0, 2e9))


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
    assert after.borne in (pace.borne, min(60, 1.25 * pace.borne))


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


def crawl(
    allows: Callable[[float, int], bool], pages: int, retry_after: float | None = 1.0, refusal: int = 429
) -> tuple[Pace, int, float]:
    """A slot's pace after so many pages of a site, its refusals, and the seconds that it took."""
    delays = Delays(POLICY, random.Random(1))
    pace, refusals, clock, last = Pace(), 0, 0.0, -1e9
    paces = Paces(delays)
    for number in range(pages):
        status = 200 if allows(clock - last, number) else refusal
        refusals += status == refusal
        last = clock
        paces.told("a.test", pace)
        asked = retry_after if status == refusal else None
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
    assert pace.gap < 1.5
    assert clock < 50 * 1.0 + 400 * 1.5


@pytest.mark.parametrize(
    ("refusal", "retry_after", "refused"), [(429, None, 0.1), (503, None, 0.1), (429, 1.0, 0.2), (503, 1.0, 0.25)]
)
def test_a_site_that_counts_is_soon_asked_as_fast_as_it_refills(
    refusal: int, retry_after: float | None, refused: float
) -> None:
    """Four pages at once, and one more each second: no gap is too short by itself."""
    tokens = 4.0

    def allows(gap: float, number: int) -> bool:
        nonlocal tokens
        tokens = min(4.0, tokens + min(gap, 60.0))
        good = tokens >= 1
        tokens -= good
        return good

    _, refusals, clock = crawl(allows, 400, retry_after, refusal)
    assert refusals < refused * 400
    assert clock < 400 * 2.5


@pytest.mark.parametrize("share", [0.03, 0.06])
def test_errors_at_random_slow_nothing(share: float) -> None:
    rng = random.Random(2)
    _, refusals, clock = crawl(lambda gap, number: rng.random() >= share, 1000, 1.0, 503)
    assert clock < 1000 * POLICY.mean * 1.2 + refusals * 1.0


def test_a_suspicion_is_forgotten_and_a_second_refusal_confirms_it() -> None:
    suspected = pace_after(Pace(borne=0.5), 503, None, 0.2, POLICY)
    assert (suspected.gap, suspected.sure) == (0.4, 0)
    forgotten = suspected
    for _ in range(100):
        forgotten = pace_after(forgotten, 200, None, 0.5, POLICY)
    assert (forgotten.gap, forgotten.borne) == (0, 0.5)
    assert pace_after(suspected, 503, None, 0.4, POLICY).sure == 1
    assert pace_after(Pace(borne=0.5), 429, None, 0.2, POLICY).sure == 1


def test_a_site_that_wants_ten_usual_delays_between_pages_is_not_refused_at_every_second() -> None:
    _, refusals, _ = crawl(lambda gap, number: gap >= 10 * POLICY.mean, 200, None, 503)
    assert refusals <= 10


def test_a_limit_that_is_lifted_is_forgotten() -> None:
    pace, refusals, _ = crawl(lambda gap, number: gap >= 1.0 or number > 50, 4000)
    assert refusals <= 7
    assert pace.gap == 0.0


def test_an_outage_teaches_no_gap() -> None:
    pace, refusals, _ = crawl(lambda gap, number: not 20 <= number < 30, 60, None)
    assert refusals == 10
    assert pace.gap <= 0.4  # its first refusal may have been for haste, the others came after pauses
    away = Pace()
    for gap in (None, 0.2, 0.4, 0.8):  # a process that begins in one
        away = pace_after(away, 503, 0.2, gap, POLICY)
    assert (away.gap, away.back_off) == (0.0, 1.6)
    rested = pace_after(Pace(), 503, None, None, POLICY)
    assert (rested.gap, rested.back_off) == (0.0, 10.0)


@pytest.mark.parametrize("refusal", [429, 503])
def test_an_outage_behind_a_first_good_page_is_one_refusal(refusal: int) -> None:
    pace, _, _ = crawl(lambda gap, number: not 1 <= number < 9, 9, 0.5, refusal)
    assert 0 < pace.gap <= 2.0
    pace, _, _ = crawl(lambda gap, number: not 1 <= number < 9, 60, 0.5, 503)
    assert pace.gap == 0.0


def test_one_retry_after_lengthens_a_gap_fourfold_at_most() -> None:
    assert pace_after(Pace(), 429, 3600.0, 2.0, POLICY).gap == 8.0
    assert pace_after(Pace(), 429, 5.0, 2.0, POLICY).gap == 5.0
    assert pace_after(Pace(), 429, 1.0, 2.0, POLICY).gap == 4.0
    assert pace_after(Pace(), 429, None, 50.0, POLICY).gap == 60.0


def test_what_was_borne_before_is_not_refused_for_haste() -> None:
    assert pace_after(Pace(borne=2.0), 503, 1.0, 2.0, POLICY) == Pace(1.0, borne=2.5)
    assert pace_after(Pace(borne=2.1), 429, None, 2.0, POLICY)[1:4] == (2.5, 2.0, 2.1)
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
    paces.of_guest("a.test", 9.9, 200, None)
    met = paces.of_guest("a.test", 10.0, 429, 2.0)
    assert met.back_off == 2.0
    assert delays.least("a.test") == met.gap > POLICY.click_interval
    paces.told("a.test", Pace())
    assert delays.least("a.test") == met.gap
    taken = paces.of_leased("a.test", Pace(), 12.0, status=200, retry_after=None, mean=None)
    assert taken.gap == pytest.approx(0.97 * met.gap, abs=1e-9)
    paces.told("a.test", Pace())
    assert delays.least("a.test") == POLICY.click_interval


@pytest.mark.parametrize(("rationed", "gap"), [(False, 2.0), (True, 0.0)])
def test_what_robots_txt_bears_says_nothing_of_pages(rationed: bool, gap: float) -> None:
    paces = Paces(Delays(POLICY, random.Random(1)))
    for at in (10.0, 10.1):
        paces.of_guest("a.test", at, 200, None, rationed=rationed)
    assert paces.of_leased("a.test", Pace(), 10.6, status=429, retry_after=2.0, mean=None).gap == gap


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
        ("1 2 3 4", Pace(1, 2, 3, 4)), (b"\xff", Pace()),
    ],
)  # fmt: skip
def test_what_an_earlier_version_wrote_is_a_back_off(text: str | bytes | None, pace: Pace) -> None:
    assert Pace.load(text) == pace


@pytest.mark.parametrize(
    ("since", "status", "reasons", "too_soon"),
    [
        (0, 429, [f"{TOO_SOON}429"] * 9, True),
        (0, 503, [f"{TOO_SOON}503"], True),
        (0, 503, [f"{TOO_SOON}503"] * 2, False),
        (99, 503, [f"{TOO_SOON}503"] * 9, True),  # nobody has been answered there since
        (101, 503, [f"{TOO_SOON}503"] * 9, False),
        (0, 503, ["no answer: timeout"] * 9, True),
    ],
)  # fmt: skip
def test_a_page_is_given_up_only_for_its_own_503(since: float, status: int, reasons: list[str], too_soon: bool) -> None:
    tries = [(100.0 + number, "worker", reason) for number, reason in enumerate(reasons)]
    assert is_too_soon(Pace(10.0, refusing_since=since), status, tries, 2) is too_soon
