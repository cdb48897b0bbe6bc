"""The order of day and month in English without a country: told by a site's other pages, by lists, by feeds."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from redis.asyncio import Redis

from articlebot.extraction.cascade import extract
from articlebot.page import Page
from articlebot.runtime.day_orders import DayOrders

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC).timestamp()
TEXT = "".join(
    f"<p>Sentence number {n} says what the council has decided about the harbour this week.</p>" for n in range(6)
)


def page(day: str, lang: str = "en") -> Page:
    body = f"<h1>The harbour is closed</h1><div class=meta>{day} 14:30</div><article>{TEXT}</article>"
    return Page.parse(f"<html lang={lang}><body>{body}</body></html>".encode(), "http://n.test/a", None, NOW)


@pytest.fixture
async def client(redis_url: str) -> AsyncIterator[Redis]:
    client = Redis.from_url(redis_url)
    yield client
    await client.aclose()


@pytest.mark.parametrize(
    ("day", "lang", "known", "listed", "told"),
    [
        ("08/11/2026", "en", None, None, "2026-11-08"),  # weeks ago rather than months
        ("11/08/2026", "en", None, None, "2026-11-08"),
        ("03/04/2026", "en", None, None, "2026-03-04"),
        ("03/04/2026", "en", True, None, "2026-04-03"),
        ("11/08/2026", "en", True, None, "2026-08-11"),
        ("11/08/2026", "en-US", True, None, "2026-08-11"),
        ("03/04/2026", "en", None, "2026-04-03", "2026-04-03"),
        ("03/04/2026", "en-US", None, "2026-04-03", "2026-04-03"),
        ("03/04/2026", "en-GB", None, "2026-05-09", "2026-04-03"),
        ("03/04/2026", "en-US", None, None, "2026-03-04"),
    ],
)
def test_which_day_it_is(day: str, lang: str, known: bool | None, listed: str | None, told: str) -> None:
    read = page(day, lang)
    read.day_first = known
    read.listed_at = datetime.fromisoformat(f"{listed}T09:00:00+00:00").timestamp() if listed else None
    assert (extract(read).published or "")[:10] == told


@pytest.mark.parametrize(("day", "told"), [("23/11/2026", [True]), ("11/23/2026", [False]), ("08/11/2026", [])])
def test_a_page_tells_the_order_that_it_is_read_in(day: str, told: list[bool]) -> None:
    read = page(day)
    extract(read)
    assert read.told_orders == told


async def test_what_pages_and_lists_told_is_kept_for_all_workers(client: Redis) -> None:
    one, other = DayOrders(client), DayOrders(client)
    await one.open("n.test")
    assert one.of("n.test") is None
    one.see("n.test", page("23/11/2026"))
    one.see("m.test", page("08/11/2026"))
    one.see("g.test", page("23/11/2026", "en-GB"))
    assert [one.of(name) for name in ("n.test", "m.test", "g.test")] == [True, None, None]
    await one.open("n.test")
    await other.open("n.test")
    assert other.of("n.test") is True
    other.note("n.test", False)
    assert other.of("n.test") is None
    other.note("n.test", True)
    assert other.of("n.test") is True


async def test_a_worker_that_has_asked_before_hears_what_another_s_list_tells(client: Redis) -> None:
    one, other = DayOrders(client), DayOrders(client)
    await other.open("n.test")
    one.see("n.test", page("23/11/2026"))
    await one.open("n.test")
    await other.open("n.test")
    assert other.of("n.test") is True
