"""The tokens against forged requests that frameworks give to their own pages, and want with what is posted.

Rails and Laravel state one in a page's head, Laravel and Angular's servers one in the cookie ``XSRF-TOKEN``, Django one
in ``csrftoken``. Each counts with its session's cookies alone.
"""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.http import Response

from articlebot.bounded import Bounded
from articlebot.page import header

# Statuses by which a missing or outdated token is refused; 419 is Laravel's own.
FORGED = (403, 419)
_MOST_HOSTS = 1000
_META = re.compile(rb"<meta\s[^<>]{0,200}?\bname=[\"']?(?:csrf|xsrf)-token\b[^<>]{0,400}", re.I)
_CONTENT = re.compile(rb"\bcontent=[\"']?([\w+/=.:-]{8,300})")
_OF_COOKIES = {"XSRF-TOKEN": "X-XSRF-TOKEN", "csrftoken": "X-CSRFToken"}


class Tokens:
    """The newest token of each host."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._stated: Bounded[str, bytes] = Bounded(_MOST_HOSTS)

    def note(self, page: Response) -> None:
        """Keeps the token that a page states."""
        tag = _META.search(page.body) if b"rf-token" in page.body else None
        if tag and (stated := _CONTENT.search(tag[0])):
            self._stated[urlsplit(page.url).netloc] = stated[1]

    def put(self, posted: Request, page: Response | None = None) -> Request:
        """The request with its host's tokens.

        Args:
            page: of the host, just downloaded past all middlewares: its token and cookies count from now on.
        """
        cookies = self._crawler.get_downloader_middleware(CookiesMiddleware)
        if page is not None:
            self.note(page)
            if isinstance(cookies, CookiesMiddleware):
                cookies.process_response(posted, page)
                cookies.process_request(posted)
        if stated := self._stated.get(urlsplit(posted.url).netloc):
            posted.headers["X-CSRF-Token"] = stated
        held = dict(pair.strip().split("=", 1) for pair in header(posted, "Cookie").split(";") if "=" in pair)
        for name, token in _OF_COOKIES.items():
            if name in held:
                posted.headers[token] = unquote(held[name])
        posted.headers.setdefault("Referer", posted.url)  # Django wants it, too
        return posted
