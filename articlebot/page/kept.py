"""The page of a response, kept as long as the response lives: parsed once for middlewares, spider and reader."""

from __future__ import annotations

import re
from collections.abc import Iterable
from weakref import WeakKeyDictionary

from scrapy.http import Request, Response

from articlebot.page.page import Page

# <…?page=2>; rel="next" (RFC 8288), among others in one header.
_NEXT = re.compile(r"<([^<>]{1,2000})>\s{0,9};[^,<]{0,200}?\brel=\"?(?:[\w-]{1,20}\s)?next\b", re.I)
_PAGES: WeakKeyDictionary[Response, Page] = WeakKeyDictionary()


def page_of(response: Response, fetched_at: float | None = None) -> Page:
    """The page of a response, parsed when it is first asked for.

    Args:
        fetched_at: epoch seconds, where it is known.
    """
    page = _PAGES.get(response)
    if page is None:
        page = _PAGES[response] = Page.parse(response.body, response.url, header(response, "Content-Type"), fetched_at)
        page.following = following(value.decode("latin-1") for value in response.headers.getlist("Link"))
    return page


def header(message: Request | Response, name: str) -> str:
    """A header as text, "" where there is none."""
    return (message.headers.get(name) or b"").decode("latin-1").strip()


def following(headers: Iterable[str]) -> str:
    """The address that an answer's ``Link`` headers call the next page, as written; "" where none does."""
    return next((match[1] for header in headers if (match := _NEXT.search(header))), "")


def known_page(response: Response) -> Page | None:
    """The page of a response that somebody has asked for, None where nobody has."""
    return _PAGES.get(response)
