"""robots.txt of a host that is down: no error, and asked for again."""

from __future__ import annotations

import asyncio
import logging

import pytest
from scrapy import Request
from scrapy.downloadermiddlewares import robotstxt
from scrapy.exceptions import IgnoreRequest

from articlebot.middlewares import robots
from tests.crawlers import crawler_with


class Engine:
    """Answers each download with an error."""

    def __init__(self, error: Exception) -> None:
        self.error, self.asked = error, 0

    async def download_async(self, request: Request) -> None:
        self.asked += 1
        raise self.error


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
