"""What a site's validators are worth: learned from changes that they showed or hid."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from articlebot.errors import StateError
from articlebot.recrawl.record import Validators
from articlebot.recrawl.trust import Asked, Score, Trust, states_the_same

KEPT = Validators("e", "d", 5)


def test_believed_from_nineteen_changes_in_twenty() -> None:
    assert Trust(etag=Score(19.0, 1.0)).believes("etag")
    assert not Trust(etag=Score(18.9, 1.1)).believes("etag")
    assert Trust().believes("length")


def test_each_change_is_counted_for_what_both_visits_state_and_old_ones_fade() -> None:
    offered = Validators("f", "d", None)
    trust = Trust(Score(10.0, 5.0), Score(10.0, 5.0), Score(10.0, 5.0)).checked(KEPT, offered, changed=True)
    assert (trust.etag.honest, trust.etag.lied) == pytest.approx((10.8, 4.9), abs=1e-9)
    assert (trust.last_modified.honest, trust.last_modified.lied) == pytest.approx((9.8, 5.9), abs=1e-9)
    assert trust.length == Score(10.0, 5.0)
    unchanged = trust.checked(KEPT, offered, changed=False)
    assert unchanged == replace(trust, last_modified=replace(trust.last_modified, same=1.0))
    assert unchanged.checked(KEPT, KEPT, changed=True).last_modified.same == 0.0
    assert Trust().checked(Validators(None, "d", 5), KEPT, changed=True).etag == Score()


def test_checks_become_rare_with_what_was_seen() -> None:
    # Of a site that nothing is known of, a round that is queued at once would hide edits: each visit checks.
    assert Trust().check_share == Trust(etag=Score(same=3.0)).check_share == 1.0
    assert Trust(etag=Score(same=4.0)).check_share == pytest.approx(0.45, abs=1e-9)
    assert Trust(etag=Score(2.0, 3.0), last_modified=Score(1.0, 1.0)).check_share == pytest.approx(0.25, abs=1e-9)
    assert Trust(last_modified=Score(4.0, 1.0)).check_share == pytest.approx(0.25, abs=1e-9)
    assert Trust(etag=Score(100.0, 0.0)).check_share == 0.02
    # Pages that never change say less: one in five visits goes on to check.
    assert Trust(last_modified=Score(same=8.0)).check_share == pytest.approx(0.4, abs=1e-9)
    assert Trust(last_modified=Score(same=1000.0)).check_share == pytest.approx(0.2, abs=1e-9)


def test_only_what_is_believed_is_sent() -> None:
    class Never(random.Random):
        def random(self) -> float:
            return 0.5

    class Always(random.Random):
        def random(self) -> float:
            return 0.4

    some = Trust(etag=Score(same=4.0))
    assert some.asks(KEPT, Never()) == Asked(Validators("e", "d"))
    assert some.asks(KEPT, Always()) == Trust().asks(KEPT, Never()) == Asked()
    liar = Score(0.0, 1.0)
    assert Trust(etag=liar).asks(KEPT, Never()) == Asked(Validators(None, "d"))
    assert Trust(last_modified=liar).asks(KEPT, Never()) == Asked(Validators("e", None))
    # Only what was borne out stops a download; the length alone never does.
    borne_out = Score(2.0, 0.0, 4.0)
    assert Trust(last_modified=borne_out).asks(KEPT, Never()) == Asked(Validators("e", "d"), KEPT)
    assert Trust(last_modified=Score(5.9, 0.0, 0.0)).asks(KEPT, Never()).unless == Validators()
    assert Trust(last_modified=Score(9.0, 1.0, 9.0)).asks(KEPT, Never()).unless == Validators()
    assert Trust(length=borne_out).asks(KEPT, Never()).unless == Validators()


@pytest.mark.parametrize(
    ("kept", "offered", "same"),
    [
        (KEPT, KEPT, True),
        (KEPT, Validators("e", "d", 6), False),
        (KEPT, Validators("e", "d", None), True),
        (KEPT, Validators("e", None, 5), False),
        (KEPT, Validators("f", "d", 5), False),
        (Validators(None, "d", 5), Validators("e", "d", 5), False),
        (Validators(None, None, 5), Validators(None, None, 5), False),
    ],
)
def test_an_answer_repeats_what_the_one_before_stated(kept: Validators, offered: Validators, same: bool) -> None:
    assert states_the_same(kept, offered) is same


def test_it_is_kept_as_json_to_a_thousandth() -> None:
    trust = Trust(Score(1.23456, 2.0), Score(3.0, 4.98765), Score(5.0, 6.0))
    kept = trust.to_json()
    before = {"version": 1, "etag": [1.235, 2.0], "last_modified": [3.0, 4.988], "length": [5.0, 6.0]}
    assert kept == {"version": 1, **{name: [*before[name], 0.0] for name in ("etag", "last_modified", "length")}}
    assert (
        Trust.from_json(kept) == Trust.from_json(before) == Trust(Score(1.235, 2.0), Score(3.0, 4.988), Score(5.0, 6.0))
    )
    with pytest.raises(StateError, match="version 2; this articlebot reads 1"):
        Trust.from_json(kept | {"version": 2})
    for damaged in ({"version": 1}, kept | {"etag": [1.0]}, kept | {"etag": ["x", 1]}, kept | {"length": None}, []):
        with pytest.raises(StateError, match="validator trust is damaged"):
            Trust.from_json(damaged)  # type: ignore[arg-type]
