"""What is away now and then, said."""

from __future__ import annotations

import logging

import pytest

from articlebot.outage import Outage


def test_what_comes_and_goes_is_said_once_a_minute_with_how_often(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = 1000.0
    monkeypatch.setattr("articlebot.outage.monotonic", lambda: now)
    outage = Outage(logging.getLogger("store"))
    with caplog.at_level(logging.INFO):
        for _ in range(100):
            assert outage.begin("It is away: %s", "reset")
            assert not outage.begin("It is away: %s", "refused")
            now += 0.5
            assert outage.end("It is back")
            assert not outage.end("It is back")
            now += 0.5
        now += 3600.0
        outage.begin("It is away: %s", "once more")
    assert [record.getMessage() for record in caplog.records] == [
        "It is away: reset", "It is back",
        "It is away: reset (and 59 times since this was last said)", "It is back",
        "It is away: once more (and 39 times since this was last said)",
    ]  # fmt: skip
    assert outage.is_on
