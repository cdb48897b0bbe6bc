"""Dates of HTTP headers and mails."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from articlebot.times import http_date, http_time


@pytest.fixture
def eastern(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("eastern")
@pytest.mark.parametrize(
    "stated", ["Fri, 03 May 2024 08:00:00 GMT", b"Fri, 03 May 2024 08:00:00", "Fri, 03 May 2024 10:00:00 +0200"]
)
def test_a_date_without_a_zone_is_utc_whatever_the_zone_of_the_machine(stated: str | bytes) -> None:
    assert http_time(stated) == 1714723200.0
    assert http_date(1714723200.0) == "Fri, 03 May 2024 08:00:00 GMT"


@pytest.mark.parametrize("stated", [None, "", "0", "-1", b"\xff", "Mon, 06 May " + "9" * 20])
def test_what_is_no_date_is_none(stated: str | bytes | None) -> None:
    assert http_time(stated) is None
