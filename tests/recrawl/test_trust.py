"""What a site's validators are worth: learned from changes that they showed or hid."""

from __future__ import annotations

import random

import pytest

from articlebot.errors import StateError
from articlebot.recrawl.record import Validators
from articlebot.recrawl.trust import Score, Trust

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
    assert trust.checked(KEPT, offered, changed=False) == trust
    assert Trust().checked(Validators(None, "d", 5), KEPT, changed=True).etag == Score()


def test_checks_become_rare_with_what_was_seen() -> None:
    assert Trust().check_share == 0.5
    assert Trust(etag=Score(2.0, 3.0), last_modified=Score(1.0, 1.0)).check_share == pytest.approx(0.25, abs=1e-9)
    assert Trust(last_modified=Score(4.0, 1.0)).check_share == pytest.approx(0.25, abs=1e-9)
    assert Trust(etag=Score(100.0, 0.0)).check_share == 0.02


def test_only_what_is_believed_is_sent() -> None:
    class Never(random.Random):
        def random(self) -> float:
            return 0.5

    class Always(random.Random):
        def random(self) -> float:
            return 0.49

    assert Trust().conditional(KEPT, Never()) == Validators("e", "d")
    assert Trust().conditional(KEPT, Always()) == Validators()
    liar = Score(0.0, 1.0)
    assert Trust(etag=liar).conditional(KEPT, Never()) == Validators(None, "d")
    assert Trust(last_modified=liar).conditional(KEPT, Never()) == Validators("e", None)


def test_it_is_kept_as_json_to_a_thousandth() -> None:
    trust = Trust(Score(1.23456, 2.0), Score(3.0, 4.98765), Score(5.0, 6.0))
    kept = trust.to_json()
    assert kept == {"version": 1, "etag": [1.235, 2.0], "last_modified": [3.0, 4.988], "length": [5.0, 6.0]}
    assert Trust.from_json(kept) == Trust(Score(1.235, 2.0), Score(3.0, 4.988), Score(5.0, 6.0))
    with pytest.raises(StateError, match="version 2; this articlebot reads 1"):
        Trust.from_json(kept | {"version": 2})
    for damaged in ({"version": 1}, kept | {"etag": [1.0]}, kept | {"etag": ["x", 1]}, kept | {"length": None}, []):
        with pytest.raises(StateError, match="validator trust is damaged"):
            Trust.from_json(damaged)  # type: ignore[arg-type]
