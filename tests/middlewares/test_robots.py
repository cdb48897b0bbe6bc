"""robots.txt of a host that is down: no error, and asked for again; as is one that was had long ago."""

from __future__ import annotations

import asyncio
import logging

import pytest
from scrapy import Request
from scrapy.downloadermiddlewares import robotstxt
from scrapy.exceptions import IgnoreRequest
from scrapy.http import TextResponse

from articlebot.middlewares import robots
from tests.crawlers import crawler_with


class Engine:
    """Answers each download with a file that forbids one path more, or with an error."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error, self.asked = error, 0

    async def download_async(self, request: Request) -> TextResponse:
        self.asked += 1
        if self.error is not None:
            raise self.error
        rules = "".join(f"Disallow: /{number}\n" for number in range(self.asked))
        return TextResponse(request.url, body=f"User-agent: *\n{rules}".encode())


@pytest.mark.parametrize("error", [OSError("down"), IgnoreRequest("no proxy")])
async def test_a_failed_robots_file_is_no_error_and_asked_for_again(error, monkeypatch, caplog):
    monkeypatch.setattr(robots, "_ASK_AGAIN_S", 0.01)
    monkeypatch.setattr(robots, "_PUT_OFF_S", 0.01)
    crawler = crawler_with({"ROBOTSTXT_OBEY": True, "TWISTED_REACTOR_ENABLED": False})
    crawler.engine = engine = Engine(error)
    caplog.set_level(logging.INFO, robotstxt.logger.name)
    middleware = robots.RobotsMiddleware(crawler)
    request = Request("http://a.example/x")
    for asked in (1, 1, 2):
        if asked == 2:
            await asyncio.sleep(0.05)
        assert await middleware.robot_parser(request) is None
        assert engine.asked == asked
    assert not [record for record in caplog.records if record.levelno > logging.INFO]


async def test_a_robots_file_is_asked_for_anew_after_a_day(monkeypatch):
    monkeypatch.setattr(robots, "_KEPT_S", 0.01)
    crawler = crawler_with({"ROBOTSTXT_OBEY": True, "TWISTED_REACTOR_ENABLED": False})
    crawler.engine = engine = Engine()
    middleware = robots.RobotsMiddleware(crawler)
    for asked in (1, 2):
        parser = await middleware.robot_parser(Request("http://a.example/x"))
        assert engine.asked == asked
        assert [parser.allowed(f"http://a.example/{number}", "bot") for number in range(2)] == [False, asked < 2]
        await asyncio.sleep(0.05)
