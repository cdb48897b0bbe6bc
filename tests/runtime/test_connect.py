"""Addresses of Redis, the master behind them, and fail-overs of real servers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import redis
from redis.asyncio import ConnectionPool, UnixDomainSocketConnection
from redis.exceptions import ConnectionError as RedisConnectionError
from scrapy.settings import Settings

from articlebot import connect
from articlebot.address import Address, Master, owner_of, parse
from articlebot.config import Config
from articlebot.connect import blocking_client, client, tagged
from articlebot.errors import ConfigError, UnderWay
from articlebot.frontier import Candidate, Frontier
from articlebot.recrawl.record import Seed
from articlebot.recrawl.store import RedisPageStates
from articlebot.runtime.run_lock import check_redis, redis_lock
from articlebot_lab.leasing import take
from tests.operations.running import scrapy
from tests.runtime.fleet import Cluster, Watched, wait_for

NODES = """\
a1 10.0.0.1:7000@17000,one.test master - 0 0 1 connected 0-5460 9000
b2 10.0.0.2:7000@17000 master,fail - 0 0 2 disconnected 5461-8999
c3 :7002@17002 myself,master - 0 0 3 connected 9001-16383 [77->-a1]
d4 10.0.0.4:7000@17000 slave a1 0 0 1 connected
e5 :0@0 master,noaddr - 0 0 0 disconnected
"""


@pytest.mark.parametrize(
    ("url", "hosts", "service", "options"),
    [
        ("redis+cluster://a,b:7001", (("a", 6379), ("b", 7001)), "", {"tls": False}),
        ("rediss+cluster://[::1]:7000/0", (("::1", 7000),), "", {"tls": True}),
        ("redis+sentinel://a,b:1/news", (("a", 26379), ("b", 1)), "news", {"tls": False, "db": 0}),
        ("redis+sentinel://:p%40ss@a/news/3?socket_timeout=2", (("a", 26379),), "news",
         {"tls": False, "db": 3, "password": "p@ss", "socket_timeout": 2.0}),
    ],
)  # fmt: skip
def test_addresses(url, hosts, service, options):
    address = parse(url)
    assert (address.hosts, address.service, address.options) == (hosts, service, options)


def test_a_sentinel_has_its_own_password():
    assert parse("redis+sentinel://:p@a/news?sentinel_password=s").ask == {"password": "s", "tls": False}
    assert parse("redis+cluster://:p@a").ask == {"password": "p", "tls": False}


@pytest.mark.parametrize(
    "url",
    ["http://secret@a", "redis+sentinel://secret@a", "redis+cluster://secret@a/3", "redis+cluster://", "redis+x://a",
     "redis+sentinel://a/b/c/d", "redis+cluster://a:secret", "unix+cluster:///secret", "secret", "redis:/secret"],
)  # fmt: skip
def test_what_is_no_address_is_named_without_its_password(url):
    with pytest.raises(ConfigError) as caught:
        Config.from_settings(Settings(), {"REDIS_URL": url})
    assert "REDIS_URL" in str(caught.value)
    assert "redis+sentinel://" in str(caught.value)
    assert url == "secret" or "secret" not in str(caught.value)


def test_a_wrong_password_is_told_at_once_and_not_shown(redis_url):
    wrong = f"{redis_url}&username=nobody&password=not-the-secret"
    with pytest.raises(ConfigError, match="REDIS_URL: Redis refuses this user or password") as caught:
        check_redis(wrong)
    assert "not-the-secret" not in str(caught.value)


def test_a_secret_that_is_refused_is_not_shown():
    with pytest.raises(ConfigError, match="ARTICLEBOT_CONSOLE_TOKEN") as caught:
        Config.from_settings(Settings(), {"ARTICLEBOT_CONSOLE_TOKEN": "s3cr"})
    assert "s3cr" not in str(caught.value)


@pytest.mark.parametrize(
    ("slot", "owner"),
    [
        (0, ("10.0.0.1", 7000)),
        (9000, ("10.0.0.1", 7000)),
        (6000, None),
        (9001, ("asked", 7002)),
        (77, ("10.0.0.1", 7000)),
    ],
)
def test_the_owner_of_a_slot(slot, owner):
    found, nodes = owner_of(NODES, slot, "asked")
    assert found == owner
    assert len(nodes) == 4


def test_a_store_of_its_own_slot():
    assert tagged("{articlebot}", "frontier") == "{articlebot:frontier}"
    assert tagged("{articlebot}:neardup-1", "nd") == "{articlebot}:neardup-1:nd"
    assert Config().general.key_prefix == "{articlebot}"


def test_nobody_answers():
    with pytest.raises(RedisConnectionError, match="no Redis master"):
        Master(Address("cluster", (("127.0.0.1", 1),), ask={"tls": False}), "a").find()


async def test_a_burst_of_questions_waits_for_connections(redis_url):
    """redis-py refuses from version 8 on what is beyond a hundred at once: articles lost their clusters so."""
    redis = client(redis_url, "a", socket_timeout=30)
    assert all(await asyncio.gather(*(redis.ping() for _ in range(500))))
    assert (await redis.info("clients"))["connected_clients"] <= 110
    await redis.aclose()


async def work(url: str) -> tuple[Frontier, RedisPageStates]:
    """Something of every kind in the stores: scripts, pipelines, transactions."""
    frontier = Frontier(client(url, "{articlebot:frontier}", patience_s=300.0), known=0)
    await frontier.open()
    pages = RedisPageStates(client(url, "{articlebot:recrawl}", patience_s=300.0))
    await frontier.links.admit([Candidate(f"http://s{n}.test/") for n in range(50)], job="j")
    await pages.add_seeds([Seed(n + 1, f"http://s{n}.test/", "j") for n in range(50)], 1.0)
    return frontier, pages


async def look(frontier: Frontier, pages: RedisPageStates) -> tuple[int, int, int]:
    counts, taken = await frontier.counts(), await take(frontier, 20, "w")
    return counts.queued, len(taken.requests), (await pages.counts(2.0)).due


@pytest.mark.xdist_group("fleet")
async def test_a_cluster_fails_over(tmp_path: Path):
    with Cluster(tmp_path / "cluster") as cluster:
        frontier, pages = await work(cluster.url)
        assert len({cluster.master_of(f"{{articlebot:{part}}}").port for part in ("frontier", "recrawl", "nd")}) > 1
        for part, queued, own in (("frontier", 50, 20), ("recrawl", 30, 40)):
            down = cluster.master_of(f"{{articlebot:{part}}}")
            wait_for(down.in_step)
            down.kill()
            assert await look(frontier, pages) == (queued, 20, 50)
            assert (await take(frontier, 0, "w")).own == own
            down.start()
        with redis_lock(cluster.url, "{articlebot}:lock:x", 1.0), pytest.raises(UnderWay):
            redis_lock(cluster.url, "{articlebot}:lock:x", 1.0).__enter__()
        await frontier.close()
        await pages._client.aclose()


@pytest.mark.xdist_group("fleet")
async def test_a_sentinel_fails_over_and_the_old_master_is_left(tmp_path: Path):
    with Watched(tmp_path / "watched") as watched:
        frontier, pages = await work(watched.url)
        old = watched.master()
        wait_for(old.in_step)
        old.kill()
        assert await look(frontier, pages) == (50, 20, 50)
        old.start()
        wait_for(lambda: old.ask("INFO", "replication").get("master_link_status") == "up")
        wait_for(watched.master().in_step)
        # Still connected to what is a replica by now: the client notices and asks for the master anew.
        new = watched.master()
        old.ask("REPLICAOF", "NO", "ONE")
        new.ask("REPLICAOF", "127.0.0.1", old.port)
        wait_for(lambda: not new.is_master())
        new.ask("REPLICAOF", "NO", "ONE")
        assert (await asyncio.wait_for(take(frontier, 5, "w"), 300)).own == 25
        await frontier.close()
        await pages._client.aclose()


class _Alone(UnixDomainSocketConnection):
    """To a master without replicas."""

    host, port = "alone.test", 6379

    async def check(self) -> None:
        pass


async def test_that_no_replica_confirms_is_said_once(
    redis_url: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "_WAIT_PAUSE_S", 0.0)
    pool = ConnectionPool.from_url(redis_url)
    pool.connection_class = _Alone
    async with connect._Replicated(connection_pool=pool) as alone:
        for number in range(3):
            await alone.set("key", number)
    await pool.aclose()
    assert [one.message for one in caplog.records] == ["No replica of alone.test:6379 confirms changes"]


def test_the_blocking_client_is_told_of_no_master():
    with pytest.raises(RedisConnectionError):
        blocking_client("redis+sentinel://127.0.0.1:1/news", "a")


@pytest.mark.parametrize("left", ["articlebot:frontier:layout", "{articlebot:frontier}:layout"])
def test_a_run_is_refused_on_old_state(redis_url: str, tmp_path: Path, left: str):
    with redis.Redis.from_url(redis_url) as store:
        store.hset(left, "version", "1")
    code, out, said = scrapy(tmp_path, "frontier", "show", REDIS_URL=redis_url)
    assert code == 2
    assert "was written by an earlier version" in out + said
    assert "Traceback" not in said
