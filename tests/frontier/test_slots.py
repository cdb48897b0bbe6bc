from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.errors import RefusedError
from articlebot.frontier.slots import SlotKeys, adjacent, slot_for

pages = st.builds(SlotKeys, st.sampled_from(["a.test", "b.test", "c.test"]), st.integers(0, 3))


@given(a=pages, b=pages, adjacency=st.sampled_from(["keys", "slot", "host"]))
def test_adjacency_is_symmetric_and_reflexive(a, b, adjacency):
    assert adjacent(a, b, adjacency) == adjacent(b, a, adjacency)
    assert adjacent(a, a, adjacency)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (SlotKeys("a.test", 1), SlotKeys("a.test", 2), True),
        (SlotKeys("a.test", 1), SlotKeys("b.test", 1), True),
        (SlotKeys("a.test", 0), SlotKeys("b.test", 0), False),
        (SlotKeys("a.test", 1), SlotKeys("b.test", 2), False),
    ],
)
def test_pages_are_adjacent_by_host_or_parent(a, b, expected):
    assert adjacent(a, b) is expected


def test_the_host_reading_knows_no_parents():
    assert not adjacent(SlotKeys("a.test", 1), SlotKeys("b.test", 1), "host")


def test_slot_for_takes_the_subdomain_with_an_unusual_port():
    assert slot_for("HTTP://News.Example.com:80/a", 5) == SlotKeys("news.example.com", 5)
    assert slot_for("https://example.com:8443/").host == "example.com:8443"
    with pytest.raises(RefusedError):
        slot_for("data:text/plain,x")
    assert slot_for("http://news.example.com/").parent == 0
    same_parent = SlotKeys("a.test", 1), SlotKeys("b.test", 1)
    assert adjacent(*same_parent, "keys")
    assert adjacent(*same_parent, "slot")
