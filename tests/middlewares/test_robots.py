"""What becomes of pages while robots.txt is had, not there, or cannot be had: RFC 9309, section 2.3.1."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response, TextResponse
from twisted.internet.error import ConnectionRefusedError

from articlebot.middlewares import robots
from articlebot.runtime import Runtime
from tests.crawlers import crawler_with

REQUEST = Request("http://a.example/x")
PARSER = "articlebot.manners.robots_txt.RobotsTxt"
FORBIDS = b"User-agent: *\nDisallow: /x\n"


class Engine:
    """Answers each download with the next of some answers; the last one again and again."""

    _slot = None

    def __init__(self, *answers: Response | Exception) -> None:
        self._answers, self.asked = list(answers), list[str]()

    async def download_async(self, request: Request) -> Response:
        self.asked.append(request.url)
        await asyncio.sleep(0)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def answer(status: int, body: bytes = FORBIDS, **headers: str) -> Response:
    return TextResponse("http://a.example/robots.txt", status=status, body=body, headers=headers)


@pytest.fixture
def middleware(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    clock = [1000.0]
    monkeypatch.setattr(robots, "monotonic", lambda: clock[0])
    settings = {"ROBOTSTXT_OBEY": True, "ROBOTSTXT_PARSER": PARSER, "TWISTED_REACTOR_ENABLED": False}
    crawler = crawler_with({**settings, "USER_AGENT": "articlebot/1.0"})

    def build(*answers: Response | Exception, redis: str = "") -> tuple[robots.RobotsMiddleware, Engine, list[float]]:
        shares = crawler_with({**settings, "USER_AGENT": "articlebot/1.0", "REDIS_URL": redis}) if redis else crawler
        shares.engine = Engine(*answers)
        return robots.RobotsMiddleware(shares), shares.engine, clock

    yield build


async def outcome(middleware: robots.RobotsMiddleware, request: Request = REQUEST) -> str:
    try:
        await middleware.process_request(request)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "allowed"


async def test_a_file_that_is_had_holds_for_a_day(middleware):
    obeys, engine, clock = middleware(answer(200), answer(200, b""))
    assert await outcome(obeys) == "IgnoreRequest: Forbidden by robots.txt"
    clock[0] += 86_399
    assert await outcome(obeys) == "IgnoreRequest: Forbidden by robots.txt"
    clock[0] += 2
    assert await outcome(obeys) == "allowed"
    assert len(engine.asked) == 2


async def test_workers_that_share_a_redis_share_what_was_had_for_the_rest_of_its_day(middleware, redis_url):
    request = Request("http://a.example/x", meta={"articlebot": {"job": "a", "kind": "auto", "key": 1}})
    away, engine, _ = middleware(answer(503), redis=redis_url)
    assert "cannot be had" in await outcome(away, request)  # of a file that cannot be had each worker asks itself
    first, engine, _ = middleware(answer(200), redis=redis_url)
    assert await outcome(first, request) == "IgnoreRequest: Forbidden by robots.txt"
    assert [url for url in engine.asked if url.endswith("robots.txt")] == ["http://a.example/robots.txt"]
    second, engine, clock = middleware(answer(200, b""), redis=redis_url)
    assert await outcome(second, request) == "IgnoreRequest: Forbidden by robots.txt"
    assert engine.asked == []
    clock[0] += 86_401
    await Runtime.of(second.crawler).usage.share_robots("http://a.example", b"")
    assert await outcome(second, request) == "allowed"
    assert not [url for url in engine.asked if url.endswith("robots.txt")]
    # A long one is shared too, whole.
    long = (
        b"User-agent: *\n" + b"".join(b"Disallow: /folder/%d/\n" % number for number in range(9000)) + b"Disallow: /x"
    )
    usage = Runtime.of(second.crawler).usage
    await usage.share_robots("http://a.example", long)
    shared = await usage.shared_robots("http://a.example")
    assert shared is not None
    assert shared[0] == long
    assert await usage.forbids("http://a.example/x")
    await usage.share_robots("http://a.example", b"")
    assert not await usage.forbids("http://a.example/x")
    for one in (away, first, second):
        await Runtime.of(one.crawler).close()


async def test_workers_of_one_run_share_what_was_had_since_it_began(middleware, monkeypatch):
    request = Request("http://a.example/x", meta={"articlebot": {"job": "a", "kind": "auto", "key": 1}})
    obeys, engine, clock = middleware(answer(200, b""))
    clock[0] += 10
    usage, ages = Runtime.of(obeys.crawler).usage, {"http://a.example": 5.0, "http://b.example": 15.0}

    async def shared(origin: str) -> tuple[bytes, float]:
        return FORBIDS, 86_400 - ages[origin]

    async def share(origin: str, body: bytes) -> None: ...

    monkeypatch.setattr(usage, "shared_robots", shared)
    monkeypatch.setattr(usage, "share_robots", share)
    monkeypatch.setattr(obeys, "_reserve", lambda *_: asyncio.sleep(0))
    assert await outcome(obeys, request) == "IgnoreRequest: Forbidden by robots.txt"
    assert await outcome(obeys, request.replace(url="http://b.example/x")) == "allowed"
    assert engine.asked == ["http://b.example/robots.txt"]


async def test_a_crawl_delay_is_kept_by_workers_that_have_the_file_from_another(middleware, redis_url, monkeypatch):
    learned: list[tuple[str, float]] = []
    delays = SimpleNamespace(learn=lambda host, delay: learned.append((host, delay)))
    monkeypatch.setattr(robots.Scheduler, "of", lambda crawler: SimpleNamespace(delays=delays))
    request = Request("http://a.example/x", meta={"articlebot": {"job": "a", "kind": "list", "key": 1}})
    for asked in (1, 0):
        obeys, engine, _ = middleware(answer(200, b"User-agent: *\nCrawl-delay: 7\n"), redis=redis_url)
        assert await outcome(obeys, request) == "allowed"
        assert (len(engine.asked), learned.pop(), learned) == (asked, ("a.example", 7.0), [])
        await Runtime.of(obeys.crawler).close()
    obeys, _, _ = middleware(answer(404, b""), redis=redis_url)
    assert await outcome(obeys, request.replace(url="https://a.example/x")) == "allowed"
    assert learned == []  # the host's other file says nothing, and takes nothing back
    await Runtime.of(obeys.crawler).close()


async def test_reservations_are_asked_for_when_a_page_comes_that_may_be_published(middleware, redis_url):
    obeys, engine, _ = middleware(answer(200, b""), redis=redis_url)
    file = "http://a.example/.well-known/tdmrep.json"
    for kind, asked in (("list", 0), ("feed", 0), ("sitemap", 0), ("auto", 1), ("article", 1)):
        request = Request("http://a.example/x", meta={"articlebot": {"job": "a", "kind": kind, "key": 1}})
        assert await outcome(obeys, request) == "allowed"
        assert engine.asked.count(file) == asked, kind
    await Runtime.of(obeys.crawler).close()


@pytest.mark.parametrize(
    ("there", "asked"),
    [("https://a.example/.well-known/tdmrep.json", 2), ("https://www.a.example/.well-known/tdmrep.json", 1)],
)
async def test_reservations_do_not_wait_for_the_turn_of_another_host(middleware, redis_url, there, asked):
    """A page of that host may have the turn, and wait for the reservations of this one."""
    obeys, engine, _ = middleware(answer(404, b""), answer(301, b"", Location=there), answer(404, b""), redis=redis_url)
    request = Request("http://a.example/x", meta={"articlebot": {"job": "a", "kind": "article", "key": 1}})
    assert await outcome(obeys, request) == "allowed"
    assert sum(url.endswith("tdmrep.json") for url in engine.asked) == asked
    await Runtime.of(obeys.crawler).close()


@pytest.mark.parametrize(
    "gone", [answer(404), answer(403), answer(401), answer(410), answer(304), IgnoreRequest("max redirections reached")]
)
async def test_a_file_that_is_not_there_allows_all_whatever_its_page_says(middleware, gone):
    obeys, engine, _ = middleware(gone)
    assert [await outcome(obeys), await outcome(obeys)] == ["allowed", "allowed"]
    assert len(engine.asked) == 1


@pytest.mark.parametrize("status", [500, 502, 503, 429])
async def test_a_file_that_cannot_be_had_forbids_all_until_it_can(middleware, status):
    obeys, engine, clock = middleware(answer(status), answer(200))
    for _ in range(2):
        assert await outcome(obeys) == f"IgnoreRequest: robots.txt cannot be had ({status})"
    assert len(engine.asked) == 1
    clock[0] += 601
    assert await outcome(obeys, Request("http://a.example/y")) == "allowed"
    assert await outcome(obeys) == "IgnoreRequest: Forbidden by robots.txt"


async def test_it_is_not_asked_again_before_retry_after(middleware):
    obeys, engine, clock = middleware(answer(503, **{"Retry-After": "7200"}), answer(200, b""))
    await outcome(obeys)
    clock[0] += 7199
    await outcome(obeys)
    assert len(engine.asked) == 1
    clock[0] += 2
    assert await outcome(obeys) == "allowed"


@pytest.mark.parametrize(("busy", "outcomes"), [(3, "Forbidden by robots.txt"), (4, "robots.txt cannot be had (503)")])
async def test_a_short_retry_after_is_waited_for_at_once(middleware, busy, outcomes):
    obeys, engine, _ = middleware(*[answer(503, **{"Retry-After": "0"})] * busy, answer(200))
    assert await outcome(obeys) == f"IgnoreRequest: {outcomes}"
    assert len(engine.asked) == 4


async def test_a_host_that_does_not_answer_is_the_pages_own_failure_and_no_error(middleware, caplog):
    caplog.set_level(logging.INFO)
    obeys, engine, _ = middleware(ConnectionRefusedError("down"), answer(200, b""))
    assert (await outcome(obeys)).startswith("ConnectionRefusedError")
    assert await outcome(obeys) == "allowed"
    assert len(engine.asked) == 2
    assert not [record for record in caplog.records if record.levelno > logging.INFO]


async def test_what_breaks_off_forbids_all_too(middleware):
    obeys, engine, _ = middleware(OSError("cut off"))
    for _ in range(2):
        assert await outcome(obeys) == "IgnoreRequest: robots.txt cannot be had (cut off)"
    assert len(engine.asked) == 1


async def test_a_refusal_of_the_address_is_the_pages_too(middleware):
    obeys, _, _ = middleware(IgnoreRequest("private address 10.0.0.1"))
    assert await outcome(obeys) == "IgnoreRequest: private address 10.0.0.1"


async def test_one_request_for_all_that_wait_and_one_for_each_scheme_and_port(middleware):
    obeys, engine, _ = middleware(answer(200))
    urls = ["http://a.example/1", "http://a.example/2", "https://a.example/1", "http://a.example:8080/1"]
    await asyncio.gather(*(outcome(obeys, Request(url)) for url in urls))
    assert sorted(engine.asked) == [
        "http://a.example/robots.txt", "http://a.example:8080/robots.txt", "https://a.example/robots.txt",
    ]  # fmt: skip


async def test_hosts_are_forgotten_when_there_are_many(middleware, monkeypatch):
    monkeypatch.setattr(robots, "_MOST_KEPT", 3)
    obeys, engine, clock = middleware(answer(200, b""))
    for number in range(6):
        await outcome(obeys, Request(f"http://{number}.example/x"))
        clock[0] += 86_401
    assert len(obeys._asked) <= 3
    assert len(engine.asked) == 6


async def test_a_job_may_leave_it_out(middleware):
    obeys, engine, _ = middleware(answer(200))
    assert await outcome(obeys, Request("http://a.example/x", meta={"dont_obey_robotstxt": True})) == "allowed"
    assert not engine.asked
