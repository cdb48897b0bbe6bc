"""Lists that show nothing to who comes for the first time, and set the cookie with which they do."""

from __future__ import annotations

from collections import Counter
from http.cookies import CookieError, SimpleCookie

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response

from articlebot.extraction.kinds import kind
from articlebot.extraction.lists import article_links
from articlebot.extraction.shapes import ARTICLE_KINDS
from articlebot.jobs.visit import CONSENT, META_KEY
from articlebot.page import page_of
from articlebot.runtime.component import Component
from articlebot.urls import subdomain

_AGAIN = "articlebot_with_cookie"
# Of a host, pages that showed nothing the second time either; then it is asked so no more.
_MOST_VAIN = 2


class FirstVisitsMiddleware(Component):
    """Asks once more for a page without articles that sets a cookie which the request did not carry, as browsers do.

    Stats: ``articlebot/first_visits/asked_again``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._vain: Counter[str] = Counter()

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """The answer, or the request for it with the cookie."""
        is_visit = request.method == "GET" and (META_KEY in request.meta or CONSENT in request.meta)
        if not is_visit or request.meta.get("dont_merge_cookies"):  # the shell's may be of a file
            return response
        again, host = _AGAIN in request.meta, subdomain(request.url)
        if self._vain[host] >= _MOST_VAIN:
            return response
        if not (again or _sets_another(request, response)) or not _shows_nothing(response):
            return response
        if again:
            self._vain[host] += 1
            return response
        self._runtime.count("first_visits/asked_again")
        return request.replace(meta={**request.meta, _AGAIN: True}, dont_filter=True)


def _sets_another(request: Request, response: Response) -> bool:
    """Whether an answer sets a cookie of a name that the request had none of."""
    carried = _names((request.headers.get("Cookie") or b"").decode("latin-1"))
    sent = [line.decode("latin-1").partition(";")[0] for line in response.headers.getlist("Set-Cookie")]
    return any(_names(line) - carried for line in sent)


def _names(text: str) -> set[str]:
    try:
        return {*SimpleCookie(text)}
    except CookieError:
        return set()


def _shows_nothing(response: Response) -> bool:
    """Whether a page lists no article and is none."""
    if response.status != 200 or not isinstance(response, HtmlResponse):
        return False
    page = page_of(response)
    return page.tree is not None and kind(page).name not in ARTICLE_KINDS and not article_links(page)
