"""Asks for articles as their sites show them on one page, where they do."""

from __future__ import annotations

from scrapy import Request
from scrapy.http import Response

from articlebot.jobs.visit import DATA, ENTRIES, META_KEY
from articlebot.middlewares.path_sessions import download
from articlebot.runtime.component import Component


class WholeViewsMiddleware(Component):
    """Stands next to the downloader: for all others, an article's address answers with all of its pages.

    What has no such view (a shorter article, another page) is asked for under its own address, too.

    Stats: ``articlebot/parts/asked_whole``.
    """

    async def process_request(self, request: Request) -> Response | None:
        """The view of all pages; None where none is known, or it is not there."""
        visit = request.meta.get(META_KEY)
        if visit is None or visit["kind"] in (*ENTRIES, "part") or request.method != "GET" or DATA in request.meta:
            return None
        views = self._runtime.parts.views
        url = views.of(request.url)
        if url is None or not (self._runtime.usage.allows(url) or request.meta.get("dont_obey_robotstxt")):
            return None
        response = await download(self._crawler, request.replace(url=url))
        if response.status in (200, 304):
            self._runtime.count("parts/asked_whole")
            return response.replace(url=request.url)
        views.missed(request.url)
        return None
