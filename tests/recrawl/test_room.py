"""Which due visits get into a slot's queue, and what goes first there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.frontier import Candidate
from articlebot.frontier.inspect import queued
from articlebot.frontier.leases import Settlement
from articlebot.frontier.wire import turns
from articlebot.recrawl import Kind, PageRecord, PageState
from articlebot.recrawl.room import Pace, Room
from articlebot.runtime import Runtime
from articlebot.spiders.article import ArticleSpider
from articlebot.urls import page_key
from articlebot_lab.leasing import settle, take
from tests.crawlers import crawler_with


@given(st.integers(0, 100), st.floats(0.0, 60.0), st.integers(1, 60))
def test_a_slot_takes_what_it_can_fetch_soon_and_the_others_wait_in_turn(
    before: int, delay: float, asking: int
) -> None:
    room = Room({"a.test": (before, before)}, 500)
    waits = [room.wait("a.test", delay) for _ in range(asking)]
    assert waits == sorted(waits)
    let_in = waits.count(0.0)
    assert let_in + before <= max(8.0, 3.0 / max(delay, 1e-3)) + 1 or let_in == 0
    assert all(wait >= 1.0 for wait in waits[let_in:])
    assert Room({}, 1).wait("b.test", delay) == 0.0  # an idle slot is never refused


def test_one_that_takes_turns_does_not_wait_for_all_that_waits() -> None:
    room = Room({"a.test": (5000, 3)}, 500)
    assert room.wait("a.test", 2.0) == 10_000.0
    assert [room.wait("a.test", 2.0, in_turn=True) > 0 for _ in range(6)] == [False] * 4 + [True] * 2


def test_a_worker_takes_no_more_over_all_slots_than_it_can_do() -> None:
    room = Room({}, 2)
    assert [room.wait(f"{n}.test", 2.0) > 0 for n in range(4)] == [False, False, True, True]


def test_a_loop_that_is_late_gets_fewer_and_one_on_time_more_again() -> None:
    pace, seen = Pace(), []
    for late in [1.0] * 12 + [0.01] * 200:
        pace.note(late)
        seen.append(pace.most)
    assert seen[:12] == sorted(seen[:12], reverse=True)
    assert seen[11] == 1  # known pages are seen all the same, only late
    assert seen[12:] == sorted(seen[12:])
    assert seen[-1] == 500


@pytest.mark.parametrize("adjacency", ["keys", "slot"])
async def test_news_goes_before_a_backlog_of_known_pages(redis_url: str, tmp_path: Path, adjacency: str) -> None:
    settings = {
        "REDIS_URL": redis_url, "ARTICLEBOT_DATA_DIR": str(tmp_path), "ARTICLEBOT_FRONTIER_ADJACENCY": adjacency,
    }  # fmt: skip
    crawler = crawler_with(settings)
    spider = ArticleSpider.from_crawler(crawler, url="http://a.test/front?all=1")
    runtime, (job,) = Runtime.of(crawler), spider.book
    now = runtime.now()
    known = [_page(f"http://a.test/{number}", job.name, 3, 0, now - 1000 + number) for number in range(700)]
    failed = _page("http://a.test/never-read", job.name, 2, 2, now - 1)
    front = _page("http://a.test/front?all=1", job.name, 9, 0, now, Kind.LIST)
    await runtime.pages.put_many([*known, failed, front])
    await runtime.frontier.open()

    rounds = spider.rounds
    try:
        assert [await rounds.queue_due(now, now) for _ in range(2)] == [500, 202]
        await runtime.frontier.links.admit([Candidate("http://a.test/new", 10)], job=job.name, from_list=True)
        # The list page, what was never read, what is new, and eight that were due longest; the backlog has its turns.
        waiting = await queued(runtime.frontier, dict.fromkeys(["a.test", "b.test"], turns(0, 10)))
        assert (waiting["a.test"], waiting["b.test"]) == ((11, 11), (0, 0))
        assert crawler.stats.get_value("articlebot/recrawl/put_off") == 692
        assert await rounds.queue_due(now, now) == 0
        order = await _order(runtime, now, 11)
        assert order == ["front?all=1", "never-read", "new", *map(str, range(8))]
        later = [len(await runtime.pages.peek_due(now + seconds, 500)) for seconds in (1, 30, 300, 3000)]
        assert later == sorted(later)
        assert 0 < later[1] < 20 < later[2] < 400  # one each two seconds, the delay of the slot
    finally:
        await runtime.close()


async def test_a_young_article_is_visited_again_while_older_ones_are_still_read_for_the_first_time(
    redis_url: str, tmp_path: Path
) -> None:
    crawler = crawler_with({"REDIS_URL": redis_url, "ARTICLEBOT_DATA_DIR": str(tmp_path)})
    spider = ArticleSpider.from_crawler(crawler, url="http://a.test/front?all=1")
    runtime, (job,) = Runtime.of(crawler), spider.book
    now = runtime.now()
    young = [_page(f"http://a.test/young/{number}", job.name, 3, 0, now - 10 + number) for number in range(9)]
    old = _page("http://a.test/old", job.name, 3, 0, now - 99)
    told = _page("http://a.test/told", job.name, 3, 0, now - 98)
    old, told = (one._replace(state=one.state._replace(first_at=now - 9 * 86400)) for one in (old, told))
    await runtime.frontier.open()
    try:
        await runtime.pages.put_many([*young, old, told._replace(signals=1)])
        unread = [Candidate(f"http://a.test/unread/{number}", 10) for number in range(60)]
        await runtime.frontier.links.admit(unread, job=job.name, from_list=True)
        await spider.rounds.queue_due(now, now)
        order = await _order(runtime, now, 14)
    finally:
        await runtime.close()
    assert [place for place in order if not place.startswith("unread")] == ["told", "young/0", "young/1"]
    assert order.index("told") in (3, 4)


def _page(url: str, job: str, fetches: int, failures: int, due: float, kind: Kind = Kind.ARTICLE) -> PageRecord:
    state = PageState(kind, fetches, failures, due - 500, due - 100, due, 500.0, 2.0, 100.0, due - 100, 77)
    form = "list" if kind is Kind.LIST else "article"
    return PageRecord(page_key(url), url, job, state, form=form)


async def _order(runtime: Runtime, now: float, steps: int) -> list[str]:
    """The paths of a site's pages in the order in which one worker gets them."""
    order = []
    for step in range(steps):
        at = now + 100 * step
        (leased,) = (await take(runtime.frontier, 1, "w", look_ahead=99.0, now=at)).requests
        order.append(leased.record.split('"u":"http://a.test/')[1].split('"')[0])
        await settle(runtime.frontier, "w", [Settlement("ack", leased.member)], now=at)
    return order
