"""Freshness objectives: what is measured, when it is missed, and that one of all workers tells."""

from __future__ import annotations

import asyncio
import hmac
import json
import subprocess
from base64 import b64encode
from pathlib import Path

import pytest
import redis.asyncio
from hypothesis import given
from hypothesis import strategies as st

from articlebot.alerts.channels import Webhook
from articlebot.alerts.freshness import Measured, is_breached, measure, objectives, percentile
from articlebot.alerts.messages import message_of, text_of
from articlebot.alerts.store import RedisAlerts, Standing
from articlebot.archive import open_archive
from articlebot.config import Config
from articlebot.errors import StateError
from articlebot_lab.newsroom.process import Newsroom
from tests.archive.conftest import make_article
from tests.hurried import scrapy_with
from tests.operations.running import ROOT, crawl_environment, scrapy_json
from tests.publishing.server import serving
from tests.runtime.fleet import wait_for

NOW = 1_700_000_000.0


@given(st.lists(st.floats(0, 1e6), min_size=1))
def test_of_all_delays_a_twentieth_may_be_longer(delays):
    bound = percentile(delays, 0.95)
    assert bound in delays
    assert sum(delay > bound for delay in delays) <= len(delays) / 20


def test_percentiles_are_values_of_the_list() -> None:
    assert percentile([], 0.5) is None
    assert percentile([3, 1, 2], 0.5) == 2
    assert percentile(list(range(100)), 0.95) == 94


def test_few_articles_do_not_tell():
    assert is_breached(Measured(4, 999.0), 60.0) is None
    assert is_breached(Measured(0, None), 60.0) is None
    assert is_breached(Measured(5, 60.0), 60.0) is False
    assert is_breached(Measured(5, 61.0), 60.0) is True


@pytest.fixture
async def store(redis_url):
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        yield RedisAlerts(client, "{articlebot}")


def late(job, p95_s=100.0, holds=True):
    return Standing("freshness", job, holds, {"objective_s": 60.0, "p95_s": p95_s, "articles": 10}, keep=True)


def fresh(job):
    return late(job, 10.0, holds=False)


async def test_a_breach_is_told_once_and_so_is_its_end(store):
    first, second = await asyncio.gather(*(store.note(late("a"), NOW) for _ in range(2)))
    due = first or second
    assert (first is None) != (second is None)
    assert (due.event, due.turn, due.alert.data["p95_s"], due.alert.since) == ("begun", 1, 100.0, NOW)
    await store.sent(due)
    assert await store.note(late("a"), NOW + 100) is None
    assert await store.note(late("a", None, None), NOW + 150) is None
    (standing,) = objectives(await store.all())
    assert standing.breached
    assert (standing.at, standing.since) == (NOW + 150, NOW)
    over = await store.note(fresh("a"), NOW + 200)
    assert (over.event, over.turn) == ("over", 2)
    await store.sent(over)
    assert await store.note(fresh("a"), NOW + 300) is None


async def test_a_message_whose_sender_died_is_sent_by_another_under_the_same_name(store):
    due = await store.note(late("a"), NOW)
    assert await store.note(late("a"), NOW + 30) is None
    again = await store.note(late("a"), NOW + 61)
    assert (again.event, again.turn) == (due.event, due.turn)


async def test_what_nobody_was_told_needs_no_end(store):
    await store.note(late("a"), NOW)
    assert await store.note(fresh("a"), NOW + 100) is None
    # While it may be under way, its end is told.
    await store.note(late("b"), NOW)
    over = await store.note(fresh("b"), NOW + 10)
    assert over.event == "over"


async def test_what_is_over_and_told_leaves_nothing(store):
    quiet = Standing("quiet", "j", True, {"silent_h": 50.0, "longest_h": 20.0})
    well = Standing("quiet", "j", False)
    assert await store.note(well, NOW) is None
    assert await store.all() == []
    await store.sent(await store.note(quiet, NOW))
    assert [(one.kind, one.about, one.open) for one in await store.all()] == [("quiet", "j", True)]
    over = await store.note(well, NOW + 9)
    await store.sent(over)
    assert await store.all() == []
    # Another event of the same kind is no repetition of the first.
    again = await store.note(quiet, NOW + 99)
    assert (over.turn, again.turn) == (2, 3)
    # Nobody was told of it in time, and now it is over.
    assert await store.note(well, NOW + 999) is None
    assert await store.all() == []


@pytest.mark.parametrize(("p95_s", "said"), [
    (100.0, "job a: 95% of its articles came within 100 s, wanted 60 s"),
    (None, "job a: its articles came later than the 60 s wanted, and too few have come since to tell"),
    (30.0, "job a: its articles came later than the 60 s wanted, and too few have come since to tell"),
])  # fmt: skip
async def test_a_missed_objective_is_told_as_it_was_though_nothing_came_since(store, p95_s, said):
    await store.note(late("a"), NOW)
    await store.note(late("a", p95_s, holds=None), NOW + 9)
    (alert,) = await store.all()
    assert text_of(alert) == said


async def test_a_message_that_nobody_sent_waits_for_no_clock_that_was_set_back(store):
    first = await store.note(late("a"), NOW + 1e6)
    assert await store.note(late("a"), NOW + 1e6 + 30) is None
    again = await store.note(late("a"), NOW)
    assert (first.turn, first.event) == (again.turn, again.event)
    assert await store.note(late("a"), NOW + 30) is None


async def test_objectives_that_are_no_more(store):
    await store.note(late("a"), NOW)
    await store.forget("freshness", ["a", "b"])
    await store.forget("freshness", [])
    assert await store.all() == []
    await store._redis.hset("{articlebot}:alerts", "freshness x", "[]")
    with pytest.raises(StateError, match="delete the key"):
        await store.all()


def test_what_is_measured(tmp_path: Path):
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}", Config().archive) as archive:
        old = make_article(
            "old", "Old one.", job="j", published_at_epoch=NOW - 9e5, published_at="2023-11-04T00:13:20+00:00"
        )
        archive.publish([old], NOW)
        for number, delay in enumerate((1.0, 5.0, 30.0)):
            at = NOW + 100 + number
            article = make_article(
                str(number), f"Text {number}.", job="j", published_at_epoch=at, published_at=f"2023-11-14T22:1{number}"
            )
            archive.publish([article], at + delay)
        day = make_article("day", "Of a day.", job="j", published_at_epoch=NOW + 50, published_at="2023-11-14")
        archive.publish([day], NOW + 9000)
        assert measure(archive.engine, "j", NOW + 9001, 10_000) == Measured(3, 30.0)
        assert measure(archive.engine, "j", NOW + 9001, 1.0) == Measured(0, None)
        assert measure(archive.engine, "other", NOW + 9001, 10_000) == Measured(0, None)


async def test_messages_are_signed(store):
    with serving() as server:
        due = await store.note(late("a"), NOW)
        notifier, message = Webhook(server.url, "secret"), message_of(due, "articlebot", NOW)
        await asyncio.to_thread(notifier.send, message)
        server.answer = lambda posted: (500, b"no")
        with pytest.raises(OSError, match="500 no"):
            await asyncio.to_thread(notifier.send, message)
        notifier.close()
        first, second = server.posted
    assert first.headers["webhook-id"] == second.headers["webhook-id"] == "articlebot-freshness-a-1"
    digest = hmac.digest(b"secret", f"articlebot-freshness-a-1.{int(NOW)}.".encode() + first.body, "sha256")
    assert first.headers["webhook-signature"] == "v1," + b64encode(digest).decode()
    told = json.loads(first.body)
    assert told["type"] == "freshness.breached"
    assert told["data"] == {"job": "a", "objective_s": 60.0, "p95_s": 100.0, "articles": 10, "since": NOW}


def test_a_crawl_tells_of_a_breach_and_status_shows_it(tmp_path: Path):
    with serving() as server, Newsroom(seconds=600, sites=1, rate=1, grace=3600) as room:
        jobs = tmp_path / "jobs.toml"
        # No crawl is as quick as that: the objective is missed at the first look.
        jobs.write_text(room.job_file().replace("[[site]]\n", "[[site]]\nfreshness = 0.001\n"))
        environment = crawl_environment(
            tmp_path, room.proxy, ARTICLEBOT_ALERTS_URL=server.url, ARTICLEBOT_ALERTS_CHECK_S="1",
            ARTICLEBOT_RECRAWL_MAX_INTERVAL="2", ARTICLEBOT_RECRAWL_MIN_INTERVAL="0.5", ARTICLEBOT_RECRAWL_DAY_S="30",
        )  # fmt: skip
        command = scrapy_with({"articlebot.alerts.freshness:LEAST": 1})
        command += ["crawl", "article", "-a", f"jobs={jobs}", "-s", f"LOG_FILE={tmp_path / 'crawl.log'}"]
        with subprocess.Popen(command, cwd=ROOT, env=environment) as process:
            wait_for(lambda: server.posted)
            process.terminate()
            assert process.wait(500) == 0
        assert [json.loads(posted.body)["type"] for posted in server.posted] == ["freshness.breached"]
    code, state = scrapy_json(tmp_path, "status")
    (standing,) = state["freshness"]
    assert code == 1
    assert standing["breached"]
    assert standing["articles"] >= 1
    assert any("95% of its articles" in warning for warning in state["warnings"])
