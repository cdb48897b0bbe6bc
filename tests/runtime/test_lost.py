"""Whether Redis lacks what the archive has is looked up once, however many articles ask."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from articlebot.runtime import lost
from articlebot.runtime.lost import Lost


async def test_articles_that_come_together_wait_for_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def newest(most: int) -> list[tuple[int, str]]:
        asked.append(most)
        return [(1, "http://a.test/1"), (2, "http://a.test/2")]

    async def is_seen(frontier: Any, key: int, url: str) -> bool:
        await asyncio.sleep(0)
        return key == 1

    monkeypatch.setattr(lost, "is_seen", is_seen)
    archive: Any = SimpleNamespace(newest_addresses=newest)
    frontier: Any = SimpleNamespace(links=SimpleNamespace(forgotten=0))
    one = Lost(lambda: archive, lambda: frontier)
    assert await asyncio.gather(*(one.is_some() for _ in range(5))) == [True] * 5
    assert len(asked) == 1
    frontier.links.forgotten = 1
    assert (await one.is_some(), len(asked)) == (True, 2)
