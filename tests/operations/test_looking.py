"""``scrapy status`` and ``scrapy explain`` on a crawl that has ended, and the frontier's view of one page."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing
from functools import partial
from typing import Any

import pytest
import redis.asyncio

from articlebot.frontier import Candidate, Frontier
from articlebot.frontier.leases import Settlement
from articlebot.frontier.lookup import look_up
from articlebot.frontier.seen import BloomSeen, ExactSeen, SeenLayout
from articlebot.frontier.sharded import ShardedFrontier
from articlebot_lab.leasing import settle, take
from tests.operations.running import Crawled, scrapy, scrapy_json


@pytest.mark.xdist_group("crawled")
def test_a_crawl_that_went_well_is_healthy(crawled: Crawled) -> None:
    code, state = scrapy_json(crawled.folder, "status")
    assert (code, state["warnings"]) == (0, [])
    assert state["archive"]["articles"] > 0
    assert state["last_run"]["reason"] == "finished"
    assert state["frontier"]["leased"] == 0
    assert state["pages"]["known"] > state["archive"]["articles"]
    for _ in range(20):  # the first page falls due some seconds after the crawl
        code, out, _ = scrapy(crawled.folder, "status", "--late", "0.001")
        if code:
            break
        time.sleep(0.5)
    assert code == 1
    assert "nobody fetches them" in out


@pytest.mark.xdist_group("crawled")
def test_an_article_of_a_clock_that_is_ahead_came_at_this_moment(crawled: Crawled) -> None:
    with closing(sqlite3.connect(crawled.folder / "archive.db")) as archive, archive:
        archive.execute("update articles set archived_at = archived_at + 9000")
    told = scrapy(crawled.folder, "status")[1]
    with closing(sqlite3.connect(crawled.folder / "archive.db")) as archive, archive:
        archive.execute("update articles set archived_at = archived_at - 9000")
    assert ", the newest 0 s ago\n" in told, told


@pytest.mark.xdist_group("crawled")
def test_a_store_that_is_away_is_a_warning(crawled: Crawled) -> None:
    code, state = scrapy_json(crawled.folder, "status", REDIS_URL="redis://127.0.0.1:1/0")
    assert code == 1
    assert state["warnings"][0].startswith("REDIS_URL: Redis does not answer: ")
    assert state["archive"]["articles"] > 0
    assert scrapy(crawled.folder, "status", ARTICLEBOT_FRONTIER_TRIES="none")[0] == 2


@pytest.mark.xdist_group("crawled")
def test_an_article_is_explained(crawled: Crawled) -> None:
    row = json.loads((crawled.folder / "published" / "articles.jsonl").read_text().splitlines()[0])
    code, known = scrapy_json(crawled.folder, "explain", row["url"], "--jobs", str(crawled.jobs))
    assert code == 0
    assert known["why"].startswith("Published: ")
    assert known["page_key"] == row["page_key"]
    assert known["job"] == row["job"]
    assert known["fetches"][-1]["status"] == 200
    assert known["robots"]["status"] == 200
    assert known["recrawl"]["due_in_s"] > 0
    assert "interval" in known["recrawl"]["reason"]
    assert known["versions"][-1]["title"] == row["title"]
    assert known["jobs"][0]["may_follow"]
    assert (known["seen"], known["requests"], known["deliveries"]) == (True, [], [])
    code, other = scrapy_json(crawled.folder, "explain", row["url"].replace("http://", "https://"))
    assert (code, other["url"], len(other["fetches"])) == (0, row["url"], len(known["fetches"]))


@pytest.mark.xdist_group("crawled")
def test_an_unknown_page_is_explained(crawled: Crawled) -> None:
    code, known = scrapy_json(crawled.folder, "explain", "http://elsewhere.test/a")
    assert code == 1
    assert known["why"].startswith("Never admitted")
    assert scrapy(crawled.folder, "explain", "no address")[0] == 2


@pytest.mark.parametrize("seen", [ExactSeen(1000), BloomSeen(1000, 0.001)])
@pytest.mark.parametrize("adjacency", ["keys", "slot"])
@pytest.mark.parametrize("shards", [1, 3])
async def test_a_page_on_its_way(redis_url: str, seen: SeenLayout, adjacency: str, shards: int) -> None:
    client = redis.asyncio.Redis.from_url(redis_url)
    make: Any = partial(ShardedFrontier, client, [client] * shards) if shards > 1 else partial(Frontier, client)
    whole = make(adjacency=adjacency, seen=seen, tries=2)
    first, second = "http://a.test/1", "http://a.test/2"
    frontier = whole.of_host("a.test")
    before = await look_up(whole, first)
    assert (before.seen, before.waiting, before.slot) == (False, (), None)
    await whole.links.admit([Candidate(first, priority=3), Candidate(second)], job="a", parent_url="http://a.test/")
    queued = (await look_up(whole, second)).waiting[0]
    assert (queued.state, queued.priority, queued.before) == ("queued", 0, 1)
    assert (await look_up(whole, first)).waiting[0].priority == 3

    (leased,) = (await take(frontier, 10, "w1")).requests
    there = await look_up(whole, first)
    assert there.seen
    assert (there.waiting[0].state, there.waiting[0].worker) == ("leased", "w1")
    assert there.slot is not None
    assert there.slot.running
    await settle(frontier, "w1", [Settlement("fail", leased.member, text="timeout")])
    assert (await look_up(whole, first)).waiting[0].tries[0][1:] == ("w1", "timeout")
    for _ in range(20):
        for one in (await take(frontier, 10, "w1", look_ahead=100)).requests:
            if one.member == leased.member:
                await settle(frontier, "w1", [Settlement("fail", one.member, text="again")])
            else:
                await settle(frontier, "w1", [Settlement("ack", one.member)])
    gone = await look_up(whole, first)
    assert gone.quarantined[0].history[-1][2] == "again"
    done = await look_up(whole, second)
    assert (done.seen, done.waiting) == (True, ())
    await client.aclose()
