from __future__ import annotations

import pytest

from articlebot.errors import RefusedError
from articlebot.frontier.slots import SlotKeys, slot_for


def test_slot_for_takes_the_subdomain_with_an_unusual_port():
    assert slot_for("HTTP://News.Example.com:80/a", 5) == SlotKeys("news.example.com", 5)
    assert slot_for("https://example.com:8443/").host == "example.com:8443"
    with pytest.raises(RefusedError):
        slot_for("data:text/plain,x")
    assert slot_for("http://news.example.com/").parent == 0
