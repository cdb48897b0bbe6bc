"""Page states and records as bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.errors import StateError
from articlebot.recrawl import Kind, Observation, PageRecord, PageState, Validators, is_change
from articlebot.recrawl.record import FORMS, named_in, pack_record, prefix_of, unpack_record

times = st.integers(0, 2**37).map(lambda ticks: ticks / 64)
amounts = st.floats(0, 2.0**40, width=32)
hashes = st.integers(0, 2**64 - 1)
states = st.builds(
    lambda gap, last, **rest: PageState(last_at=last, next_at=last + gap, interval=gap, **rest),
    gap=st.integers(0, 2**22).map(float), last=times, kind=st.sampled_from(Kind), fetches=st.integers(0, 0xFFFF),
    failures=st.integers(0, 255), first_at=times, t=amounts, x=amounts, changed_at=times, content_hash=hashes,
    fingerprint=hashes, slow_t=amounts, slow_x=amounts,
)  # fmt: skip


@given(states)
def test_a_state_comes_back_as_it_was_packed(state: PageState) -> None:
    assert PageState.unpack(state.pack()) == state
    assert len(state.pack()) <= 60


@given(states, st.floats(0, 2.0**99, width=32))
def test_an_interval_that_is_not_the_gap_is_kept(state: PageState, interval: float) -> None:
    packed = state._replace(interval=interval).pack()
    assert PageState.unpack(packed).interval == pytest.approx(interval, rel=2e-6)


def test_a_typical_page_takes_about_forty_bytes() -> None:
    page = PageState(Kind.LIST, 3, 0, 1e9, 1.7e9, 1.7e9 + 60, 500.0, 2.0, 60.0, 1.7e9, 77)
    assert len(page.pack()) == 40


@pytest.mark.parametrize("value", [-1.0, 1e30, 1e300, float("inf")])
def test_absurd_numbers_are_packed_all_the_same(value: float) -> None:
    PageState.unpack(PageState(last_at=value, t=value, x=value, changed_at=value).pack())


@given(st.binary(max_size=80))
def test_damaged_bytes_have_a_name(packed: bytes) -> None:
    try:
        PageState.unpack(packed)
    except StateError:
        return
    assert packed[0] == 2


@given(
    st.builds(
        PageRecord, key=st.just(0), job=st.just("job"), state=states, form=st.sampled_from(FORMS),
        signals=st.integers(0, 15),
        url=st.from_regex(r"https?://(www\.)?[a-z]{1,9}/[ -~é新]{0,80}(\.html|/)?", fullmatch=True),
        validators=st.builds(
            Validators, st.none() | st.text(min_size=1, max_size=40),
            st.none() | st.just("Wed, 21 Oct 2015 07:28:00 GMT") | st.text(min_size=1, max_size=40),
            st.none() | st.integers(0, 2**32 - 1),
        ),
    )
)  # fmt: skip
def test_a_record_comes_back_as_it_was_packed(record: PageRecord) -> None:
    whole = pack_record(record, 513)
    assert named_in(whole) == (513, None)
    assert unpack_record(0, whole, "job", "") == record
    origin = prefix_of(record.url)
    numbered = pack_record(record, 513, origin, 65_535)
    assert named_in(numbered) == (513, 65_535)
    assert unpack_record(0, numbered, "job", origin) == record
    assert len(numbered) < len(whole) + 2


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://www.a.test/x/y", "https://www.a.test/"), ("http://a.test:8080/", "http://a.test:8080/"),
        ("http://a.test/https://b.test/", "http://a.test/"), ("http://a.test", ""), ("ftp://a.test/x", ""),
        ("http://\udce4.test/x", ""), ("", ""),
    ],
)  # fmt: skip
def test_what_a_url_begins_with(url: str, origin: str) -> None:
    assert prefix_of(url) == origin


@pytest.mark.parametrize(
    ("outcome", "distance", "rule", "changed"),
    [
        ("changed", 1, "exact", True), ("changed", 5, "simhash", False), ("changed", 6, "simhash", True),
        ("changed", None, "simhash", True), ("unchanged", 9, "simhash", False), ("not_modified", None, "exact", False),
    ],
)  # fmt: skip
def test_what_counts_as_a_change(outcome: str, distance: int | None, rule: str, changed: bool) -> None:
    assert is_change(Observation(0.0, outcome, distance=distance), rule, 5) is changed  # type: ignore[arg-type]
