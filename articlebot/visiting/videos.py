"""What a play page does not hold itself: yt-dlp's word on it, and the renditions that its manifests name."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from articlebot.extraction.video import ytdlp
from articlebot.extraction.video.generic import format_of
from articlebot.extraction.video.manifests import renditions
from articlebot.items import Article
from articlebot.jobs.visit import CONSENT, META_KEY
from articlebot.runtime import Runtime
from articlebot.runtime.download import fetch
from articlebot.visiting.answer import Answer

logger = logging.getLogger(__name__)
_MOST_MANIFESTS, _MOST_ASKED = 3, 10
# For all that one of yt-dlp's extractors asks for, seconds.
_PATIENCE_S = 120.0


class Videos:
    """Completes the addresses of play pages.

    Stats: ``articlebot/page/video_ytdlp``, ``video_renditions``, and ``video_failed`` where neither answered.

    Args:
        crawler: whose downloader fetches, with its robots.txt, delays and private addresses.
        runtime: has the settings and the stats.
    """

    def __init__(self, crawler: Crawler, runtime: Runtime) -> None:
        self._crawler, self._runtime = crawler, runtime
        runtime.videos  # noqa: B018 - a parser that cannot be loaded is refused now, not at each page
        self._asks = runtime.config.video.ytdlp and ytdlp.is_available()

    async def complete(self, article: Article, page: Answer) -> None:
        """Lists the real addresses of a play page, where others than the page itself tell them."""
        meta = {META_KEY: page.visit.meta(), CONSENT: "given", "dont_retry": True, "handle_httpstatus_all": True}
        try:
            if self._asks and await asyncio.to_thread(ytdlp.claims, article.url):
                await self._ask(article, meta)
            if self._runtime.config.video.renditions:
                await self._expand(article, meta)
        except Exception as error:  # the page's own addresses stay, whatever others failed with
            self._runtime.count("page/video_failed")
            logger.info("No more is known of the video on %s: %s", article.url, error)

    async def _ask(self, article: Article, meta: dict[str, Any]) -> None:
        loop, left = asyncio.get_running_loop(), _MOST_ASKED

        def ask(asked: ytdlp.Asked) -> ytdlp.Got:
            nonlocal left
            left -= 1
            if left < 0:
                raise RuntimeError(f"the extractor asks for more than {_MOST_ASKED} pages")
            request = Request(
                asked.url, method=asked.method, headers=dict(asked.headers), body=asked.body or b"", meta=dict(meta)
            )
            coming = asyncio.run_coroutine_threadsafe(fetch(self._crawler, request), loop)
            return _got(coming.result(_PATIENCE_S))

        found = await asyncio.wait_for(asyncio.to_thread(ytdlp.find, article.url, ask), _PATIENCE_S)
        if found.media:
            article.media = found.addresses
            self._runtime.count("page/video_ytdlp")

    async def _expand(self, article: Article, meta: dict[str, Any]) -> None:
        addresses: list[str] = []
        for number, url in enumerate(article.media):
            found = []
            if number < _MOST_MANIFESTS and format_of(url) in ("hls", "dash"):
                answer = await fetch(self._crawler, Request(url, meta=dict(meta)))
                found = renditions(answer.body, url) if answer.status == 200 else []
            if found:
                self._runtime.count("page/video_renditions")
            addresses += [url, *(media.url for media in found)]
        article.media = tuple(dict.fromkeys(addresses))


def _got(answer: Response) -> ytdlp.Got:
    headers = {
        name.decode("latin-1"): b", ".join(values).decode("latin-1")
        for name, values in answer.headers.items()
        if name.lower() != b"content-encoding"
    }
    return ytdlp.Got(answer.url, answer.status, headers, answer.body)
