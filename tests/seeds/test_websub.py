"""WebSub with a real hub: intent, signatures, bounds, renewal; and two workers that share the subscriptions."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import os
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis.asyncio
from hypothesis import given
from hypothesis import strategies as st

from articlebot.errors import StateError
from articlebot.seeds.websub import RedisSubscriptions, Subscription, load, signed, topic_of
from tests.hurried import scrapy_with

ROOT = Path(__file__).resolve().parents[2]
ONE = Subscription(token="t", hub="http://hub.example/", topic="http://a.example/feed", feed="http://a.example/feed",
                   job="a", secret="s3cret")  # fmt: skip
ASK = {"hub.mode": "subscribe", "hub.topic": ONE.topic, "hub.challenge": "abc", "hub.lease_seconds": "600"}


def test_only_what_was_asked_for_is_verified():
    assert ONE.answer(ASK, 1.0, 900.0) is None  # nobody waits for it
    asked = ONE.asked(1.0)
    after, text = asked.answer(ASK, 2.0, 900.0)
    assert (text, after.state, after.ends_at, after.tries) == ("abc", "active", 602.0, 0)
    assert asked.answer({**ASK, "hub.lease_seconds": "99999"}, 2.0, 900.0)[0].ends_at == 902.0
    for wrong in [
        {"hub.topic": "http://b.example/"}, {"hub.mode": "unsubscribe"}, {"hub.challenge": ""},
        {"hub.lease_seconds": "soon"}, {"hub.mode": ""},
    ]:  # fmt: skip
        assert asked.answer({**ASK, **wrong}, 2.0, 900.0) is None
    assert asked.answer({**ASK, "hub.mode": "denied"}, 2.0, 900.0)[0].state == "denied"


def test_a_lease_is_renewed_before_it_ends_and_a_silent_hub_asked_ever_less_often():
    assert ONE.ask_at() <= 0.0
    active, _ = ONE.asked(0.0).answer(ASK, 0.0, 900.0)
    assert active.ask_at() == 400.0
    waits, asked, now = [], ONE, 0.0
    for _ in range(12):
        asked = asked.asked(now)
        waits.append(asked.ask_at() - now)
        now = asked.ask_at()
    assert waits == sorted(waits)
    assert waits[0] == 60.0
    assert waits[-1] == 86_400.0


@given(st.binary(max_size=200), st.text(max_size=40))
def test_signatures(body, header):
    for method in ("sha1", "sha256", "sha512"):
        right = hmac.new(b"s3cret", body, getattr(hashlib, method)).hexdigest()
        assert signed(f"{method}={right}", "s3cret", body)
        assert not signed(f"{method}={right}", "other", body)
        assert not signed(f"{method}={right}", "s3cret", body + b"x")
    assert not signed(header, "s3cret", body)
    assert not signed(f"sha256={header}", "s3cret", body)


@pytest.mark.parametrize(
    ("body", "header", "topic"),
    [
        (b"<feed xmlns='http://www.w3.org/2005/Atom'><link rel='self' href='/own'/></feed>", "", "http://a.example/own"),
        (b"<feed><entry><link rel='self' href='/entry'/></entry></feed>", "", "http://a.example/feed"),
        (b"{\"feed_url\": \"http://a.example/json\"}", "", "http://a.example/json"),
        (b"", '<http://a.example/head>; rel="self"', "http://a.example/head"),
        (b"<feed><link rel='self' href='javascript:x'/></feed>", "", "http://a.example/feed"),
        (b"\x00<", "", "http://a.example/feed"),
        (b"[1]", "", "http://a.example/feed"),
    ],
)  # fmt: skip
def test_the_topic_is_what_the_feed_calls_itself(body, header, topic):
    assert topic_of(body, "http://a.example/feed", header) == topic


def test_records_survive_their_store():
    assert load(ONE.asked(3.0).dump()) == ONE.asked(3.0)
    for text in ["", "[]", '{"v": 9}', '{"v": 1}']:
        with pytest.raises(StateError):
            load(text)


async def test_two_workers_share_the_subscriptions(redis_url):
    async with redis.asyncio.Redis.from_url(redis_url) as a, redis.asyncio.Redis.from_url(redis_url) as b:
        one, other = RedisSubscriptions(a), RedisSubscriptions(b)
        assert await one.add(ONE) == ONE
        again = load(ONE.dump().replace('"token":"t"', '"token":"u"'))
        assert await other.add(again) == ONE  # the feed has one
        assert await other.all() == [ONE]
        assert await one.claim(ONE)
        assert not await other.claim(ONE)
        await one.release(ONE)
        assert await other.claim(ONE)
        await other.remove(ONE)
        assert await one.get("t") is None
        await one.write(ONE)  # a hub's answer that comes late
        assert await one.all() == []
        assert await one.add(again) == again


async def test_nobody_sees_a_subscription_that_is_taken_back(redis_url):
    new = [replace(ONE, token=f"t{n}") for n in range(50)]
    async with redis.asyncio.Redis.from_url(redis_url) as a, redis.asyncio.Redis.from_url(redis_url) as b:
        one, other = RedisSubscriptions(a), RedisSubscriptions(b)
        seen, *kept = await asyncio.gather(
            seen_for(other, 100), *(one.add(n) for n in new), *(other.add(n) for n in new)
        )
    assert len({subscription.token for subscription in kept}) == 1
    assert {subscription.token for subscription in seen} == {kept[0].token}


async def seen_for(store: RedisSubscriptions, times: int) -> list[Subscription]:
    return [subscription for _ in range(times) for subscription in await store.all()]


async def test_a_damaged_subscription_begins_anew(redis_url):
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        store = RedisSubscriptions(client)
        await store.add(ONE)
        await client.hset("{articlebot}:websub:records", "t", "{}")
        again = replace(ONE, token="u")
        assert await store.add(again) == again


class Hub:
    """The site and its hub in a process of their own."""

    def __init__(self, port: str) -> None:
        self.base = f"http://127.0.0.1:{port}"

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.base + path, timeout=100) as answer:
            return json.loads(answer.read())


@pytest.fixture
def hub() -> Iterator[Hub]:
    command = [sys.executable, "-m", "tests.seeds.hub", "3"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Hub(process.stdout.readline().strip())
        finally:
            process.kill()


def until(condition: Callable[[], Any], seconds: float = 300.0) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.1)
    return found


def worker(folder: Path, redis_url: str, jobs: Path) -> subprocess.Popen[bytes]:
    environment = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
    environment |= {
        "ARTICLEBOT_DATA_DIR": str(folder), "REDIS_URL": redis_url, "ARTICLEBOT_PROGRESS_S": "0",
        "ARTICLEBOT_ALLOW_PRIVATE": "1", "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01",
        "ARTICLEBOT_DELAYS_MEAN_S": "0.02", "ARTICLEBOT_WEBSUB_PORT": "0",
    }  # fmt: skip
    command = [
        *scrapy_with({"articlebot.extensions.websub:LOOK_S": 0.3}), "crawl", "article", "-a", f"jobs={jobs}",
        "-s", f"LOG_FILE={folder}.log",
    ]  # fmt: skip
    return subprocess.Popen(command, cwd=ROOT, env=environment)


def test_what_a_hub_pushes_is_fetched_at_once(tmp_path, redis_url, hub):
    jobs = tmp_path / "jobs.toml"
    jobs.write_text(
        f'[[site]]\nname = "local"\nfeeds = "{hub.base}/feed.xml"\narticle_pattern = "story"\ninterval = "1d"\n'
        "allow_private = true\n"
    )
    folders = [tmp_path / "one", tmp_path / "two"]
    workers = [worker(folders[0], redis_url, jobs)]

    def stories() -> int:
        count = 0
        for file in tmp_path.glob("*/archive.db"):
            with closing(sqlite3.connect(file)) as archive, suppress(sqlite3.OperationalError):
                count += archive.execute("select count(*) from articles").fetchone()[0]
        return count

    try:
        status = until(lambda: (s := hub.get("/status"))["verified"] and s)
        assert status["verified"][0] == [[404, ""], [200, "abc"]]
        until(lambda: stories() == 1)
        # Two that begin at once may both see the feed due, and visit it twice.
        workers.append(worker(folders[1], redis_url, jobs))
        log = Path(f"{folders[1]}.log")
        until(lambda: log.exists() and "WebSub callbacks at" in log.read_text())
        fetched = hub.get("/status")["fetched"]

        assert set(hub.get("/publish?n=2&how=forged")) == {202}
        assert set(hub.get("/publish?n=3&how=big")) == {0}
        assert set(hub.get("/publish?n=3&how=signed")) == {202}
        until(lambda: stories() == 3)
        assert hub.get("/status")["fetched"] == fetched  # nobody asked for the feed

        assert set(hub.get("/publish?n=4&how=thin")) == {202}
        until(lambda: stories() == 4)
        assert fetched < hub.get("/status")["fetched"] <= fetched + 2  # the push told only that there is something

        until(lambda: len(hub.get("/status")["asked"]) >= 3)  # a lease of three seconds
        assert len({url.rpartition("/")[2] for url in hub.get("/status")["asked"]}) == 1  # of two workers one token
    finally:
        for process in workers:
            process.terminate()
        for process in workers:
            process.wait(300)
    assert stories() == 4  # what both were told was fetched once
    logs = "".join(Path(f"{folder}.log").read_text() for folder in folders)
    assert " ERROR " not in logs
    assert "Traceback" not in logs


def test_a_worker_of_other_jobs_leaves_a_subscription_alone(tmp_path, redis_url, hub):
    mine, other = tmp_path / "mine.toml", tmp_path / "other.toml"
    text = '[[site]]\nname = "{}"\n{} = "{}"\narticle_pattern = "story"\ninterval = "1d"\nallow_private = true\n'
    mine.write_text(text.format("local", "feeds", f"{hub.base}/feed.xml"))
    other.write_text(text.format("other", "list_pages", f"{hub.base}/none/"))
    workers = [worker(tmp_path / "two", redis_url, other)]
    try:
        until(lambda: (log := Path(f"{tmp_path}/two.log")).exists() and "WebSub callbacks at" in log.read_text())
        workers.append(worker(tmp_path / "one", redis_url, mine))
        until(lambda: len(hub.get("/status")["asked"]) >= 3)  # a lease of three seconds
    finally:
        for process in workers:
            process.terminate()
        for process in workers:
            process.wait(300)
    assert len(set(hub.get("/status")["asked"])) == 1
