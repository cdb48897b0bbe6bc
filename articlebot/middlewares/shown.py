"""Shows pages in a browser that are empty until their scripts have run, where nothing else tells what they hold."""

from __future__ import annotations

from http import HTTPStatus
from time import monotonic

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response

from articlebot.bounded import Bounded
from articlebot.errors import Off
from articlebot.extraction.kinds import kind
from articlebot.extraction.script_data import article_in_scripts
from articlebot.extraction.shapes import ARTICLE_KINDS
from articlebot.extraction.shells import lacks_text, needs_scripts
from articlebot.extraction.urlshape import general_shape
from articlebot.jobs import Job
from articlebot.jobs.book import job_of
from articlebot.jobs.visit import DATA, ENTRIES, META_KEY, OF_BROWSER, SENT, SHOWN
from articlebot.page import page_of
from articlebot.runtime.browser import missing
from articlebot.runtime.component import Component
from articlebot.runtime.trial import is_light
from articlebot.sources import read_listing

# Pages of one layout in a row that gained nothing by it, after which the next are read as they come; and for how long.
_MOST_VAIN, _REST_S = 3, 3600.0
_MOST_LAYOUTS = 10_000
# Links to articles that make a page a list.
_LEAST_LINKS = 2


class ShownMiddleware(Component):
    """Decides by each page as it comes: one that holds its text or its links needs no browser, whatever others did.

    Of a job's lists those that its key ``rendered`` names are shown. A layout whose pages stay empty in the browser too
    is left alone for an hour.

    Stats: ``articlebot/browser/shown``, and ``gained`` for those that were empty before.

    Raises:
        Off: there is no browser.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if missing(self._runtime.config.browser):
            raise Off("there is no browser for pages that are empty without scripts")
        # By layout: pages in a row that gained nothing, and when the last did.
        self._vain: Bounded[str, tuple[int, float]] = Bounded(_MOST_LAYOUTS)

    async def process_response(self, request: Request, response: Response) -> Response:
        """The page as the browser shows it, or as it came."""
        job = job_of(self._crawler.spider, request.meta)
        if not isinstance(response, HtmlResponse) or not _may_be_shown(request, response, job):
            return response
        layout, visit = general_shape(request.url), request.meta.get(META_KEY, {})
        vain, since = self._vain.get(layout, (0, 0.0))
        browser, is_list = self._runtime.browser, visit.get("kind") == "list"
        if browser is None or (vain >= _MOST_VAIN and monotonic() - since < _REST_S):
            return response
        if not _is_empty(response, is_list=is_list):
            return response
        meta = {META_KEY: visit} if visit else {}
        shown = await browser.show(response, meta, zone=job.timezone if job is not None else None)
        self._runtime.count("browser/shown")
        if shown is None or _is_empty(shown.page, is_list=is_list):
            self._vain[layout] = vain + 1, monotonic()
            return response
        self._vain.pop(layout, None)
        self._runtime.count("browser/gained")
        return shown.page


def _may_be_shown(request: Request, response: Response, job: Job | None) -> bool:
    """Whether a page is one that may need it, and its job lets it."""
    meta = request.meta
    if response.status != HTTPStatus.OK or meta.keys() & {OF_BROWSER, SENT, DATA} or not is_light(response.body):
        return False
    if SHOWN in meta:
        return True
    kind = meta.get(META_KEY, {}).get("kind")
    is_asked = kind not in ENTRIES or (kind == "list" and job is not None and request.url in job.rendered)
    return job is not None and job.browser and is_asked


def _is_empty(response: Response, *, is_list: bool) -> bool:
    """Whether a page holds neither links nor, if it is no list, a text; in data of its scripts neither."""
    page = page_of(response)
    if is_list:
        return len(read_listing(page, response.body).links) < _LEAST_LINKS
    hollow = needs_scripts(page) or (lacks_text(page) and kind(page).name not in ARTICLE_KINDS)
    return hollow and article_in_scripts(page) is None
