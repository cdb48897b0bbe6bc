"""Telling walls apart from other answers, and counting them by job and by site."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from redis.exceptions import RedisError

from articlebot.errors import RefusedError
from articlebot.extraction.kinds import kind
from articlebot.extraction.walls import Wall, asks_consent, wall_of
from articlebot.page.page import Page
from articlebot.runtime import Runtime
from articlebot.urls import site

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)
# With these a site says no; the page beside it may say what it wants.
REFUSALS = frozenset({401, 403, 405, 429, 451, 503})
# Walls that are not there for every reader, or not for long.
PASSING = frozenset[Wall]({"captcha", "challenge", "blocked"})
_MOST_BYTES = 500_000


async def note_wall(crawler: Crawler, job: str, response: Response) -> Wall | None:
    """Counts the wall that an answer is, where it is one; returns which.

    Stats: ``articlebot/page/walls/<job>``. The counts by site are in Redis, for `scrapy status` and the console.
    """
    found = wall_in(response)
    if found is None:
        return None
    assert crawler.stats is not None
    crawler.stats.inc_value(f"articlebot/page/walls/{job}")
    runtime = Runtime.of(crawler)
    try:
        await runtime.walls.note(site(response.url), found, runtime.now())
    except (RedisError, RefusedError) as error:
        logger.debug("A wall is not counted by site: %s", error)
    logger.debug("%s is a wall: %s", response.url, found)
    return found


def wall_in(response: Response) -> Wall | None:
    """The wall that an answer is, None where it is none."""
    content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
    if "html" not in content_type or not 0 < len(response.body) <= _MOST_BYTES:
        return None
    page = Page.parse(response.body, response.url, content_type)
    if kind(page).name == "wall":
        return wall_of(page)
    return "consent" if asks_consent(page) else None
