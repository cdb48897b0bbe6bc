"""The page of a response, kept as long as the response lives: parsed once for middlewares, spider and reader."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from scrapy.http import Response

from articlebot.page.page import Page

_PAGES: WeakKeyDictionary[Response, Page] = WeakKeyDictionary()


def page_of(response: Response, fetched_at: float | None = None) -> Page:
    """The page of a response, parsed when it is first asked for.

    Args:
        fetched_at: epoch seconds, where it is known.
    """
    page = _PAGES.get(response)
    if page is None:
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1").strip()
        page = _PAGES[response] = Page.parse(response.body, response.url, content_type or None, fetched_at)
    return page


def known_page(response: Response) -> Page | None:
    """The page of a response that somebody has asked for, None where nobody has."""
    return _PAGES.get(response)
