"""Asks for lists as scripts do: by POST where addresses have what is sent as their query; and for articles' data."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.http import HtmlResponse, Response

from articlebot.bounded import Bounded
from articlebot.extraction.page_numbers import PAGE_KEYS
from articlebot.jobs.visit import DATA, SENT
from articlebot.middlewares.forgery import FORGED, Tokens
from articlebot.middlewares.path_sessions import PathSessionsMiddleware, download
from articlebot.page import page_of
from articlebot.page.forms import hidden_fields
from articlebot.runtime.component import Component
from articlebot.runtime.trial import is_light
from articlebot.sources.details import as_page
from articlebot.sources.form_pagers import pressed_in

# Pages whose forms are kept; each has tens of kilobytes of its server's state.
_MOST_FORMS, _MOST_FIELDS = 200, 200
# Calls that may send a form, in small letters. Every page is asked: an expression that begins with a text is searched
# for ten times as fast as one of several, or one in letters of any case.
_CALL = rb"\s{0,4}\w{1,40}\(\s{0,4}[\"']?\d{1,5}[\"']?\s{0,4}[,)]"
_CALLS = tuple(re.compile(before + _CALL) for before in (rb"javascript:", rb"onclick\s{0,4}=\s{0,4}[\"']"))
_BUTTON = re.compile(rb"<(?:button|input)\s[^<>]{0,200}?\bname=[\"']?(?:%s)\b" % "|".join(sorted(PAGE_KEYS)).encode())
# What jQuery says of itself; frameworks that answer readers with a page and scripts with data go by either header.
_AS_SCRIPT = {"X-Requested-With": "XMLHttpRequest", "Accept": "application/json, text/javascript, */*; q=0.01"}
_TYPES = {"form": "application/x-www-form-urlencoded; charset=UTF-8", "json": "application/json"}


class PostsMiddleware(Component):
    """Stands next to the downloader: for all others, the answer is that of the address with its query.

    Of a list whose form a script sends, as ASP.NET posts it back, the query names what was pressed alone; the form's
    other fields, which hold the page's state, are those of the page as it was answered last.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._forms: Bounded[str, dict[str, str]] = Bounded(_MOST_FORMS)
        self._tokens = Tokens(crawler)

    async def process_request(self, request: Request) -> Response | None:
        """Downloads what is asked for by POST itself; all else is left to the downloader."""
        if pressed := pressed_in(request.url):
            return await self._press(request, *pressed)
        if at := request.meta.get(DATA):
            return await self._held(request, at)
        sent = request.meta.get(SENT)
        if sent is None:
            return None
        if sent == "ajax":
            request.headers.update(_AS_SCRIPT)
            return None
        how, _, own = sent.partition("?")
        bare, kept, query = _parted(request.url, own)
        body = json.dumps(_values(query)) if how == "json" else query
        posted = request.replace(url=bare + kept, method="POST", body=body)
        posted.headers.update({"Content-Type": _TYPES[how], **_AS_SCRIPT})
        answer = await self._download(self._tokens.put(posted))
        if answer.status in FORGED:
            # Its session has ended, or a process before had it: a page of the site opens another.
            page = await self._download(request.replace(url=urljoin(bare, "/")))
            answer = await self._download(self._tokens.put(posted, self._unpacked(request, page)))
        return answer.replace(url=request.url)

    async def _held(self, request: Request, at: str) -> Response | None:
        """The data of an article as its page; None where they may not be had, so that the page itself is."""
        if not (self._runtime.usage.allows(at) or request.meta.get("dont_obey_robotstxt")):
            return None
        asked = request.replace(url=at)
        asked.headers.update(_AS_SCRIPT)
        answer = self._unpacked(request, await self._download(asked))
        page = as_page(answer.body) if answer.status == 200 else None
        if page is None:
            return answer.replace(url=request.url)
        return HtmlResponse(
            request.url, headers={"Content-Type": "text/html; charset=utf-8"}, body=page, encoding="utf-8"
        )

    def response_received(self, response: Response, request: Request) -> None:
        """Keeps the form of a page that posts itself back, once all others are done with it: it came packed."""
        self._tokens.note(response)
        if response.status == 200 and _sends(response.body) and is_light(response.body):
            pressed = pressed_in(request.url)
            self._keep(pressed[0] if pressed else request.url, response)

    async def _press(self, request: Request, url: str, pressed: Mapping[str, str]) -> Response:
        if url not in self._forms:
            self._keep(url, self._unpacked(request, await self._download(request.replace(url=url))))
        body = urlencode({**self._forms.get(url, {}), **pressed})
        posted = request.replace(url=url, method="POST", body=body)
        posted.headers["Content-Type"] = _TYPES["form"]
        return (await self._download(posted)).replace(url=request.url)

    def _keep(self, url: str, response: Response) -> None:
        page = page_of(response)
        for one in page.elements if "hx-post" in page.text else ():
            if at := one.get("hx-post"):  # a button that posts for itself has no form elsewhere
                self._forms.setdefault(page.resolve(at), {})
        self._forms[url] = dict(hidden_fields(page.by_tag["input"], _MOST_FIELDS))

    def _unpacked(self, request: Request, response: Response) -> Response:
        packing = self._crawler.get_downloader_middleware(HttpCompressionMiddleware)
        unpacked = None if packing is None else packing.process_response(request, response)
        return unpacked if isinstance(unpacked, Response) else response

    async def _download(self, request: Request) -> Response:
        sessions = self._crawler.get_downloader_middleware(PathSessionsMiddleware)
        if isinstance(sessions, PathSessionsMiddleware):
            request = request.replace(url=sessions.with_session(request.url))
        return await download(self._crawler, request)


def _parted(url: str, own: str) -> tuple[str, str, str]:
    """An address without its query, what of that stays there, as many parameters as are its own, and what is sent."""
    bare, _, query = url.partition("?")
    pairs, stay = query.split("&"), own.count("&") + 1 if own else 0
    return bare, f"?{'&'.join(pairs[:stay])}" if own else "", "&".join(pairs[stay:])


def _values(query: str) -> dict[str, Any]:
    """What a query says, with numbers as numbers and objects as objects, as scripts have them."""
    return {name: _value(value) for name, value in parse_qsl(query, keep_blank_values=True)}


def _value(said: str) -> Any:
    if said.isdecimal() and len(said) < 10:
        return int(said)
    try:
        return json.loads(said) if said[:1] in ("{", "[") else said
    except (ValueError, RecursionError):  # a query of GraphQL may begin so
        return said


def _sends(body: bytes) -> bool:
    """Whether a page may have a form that a script sends, or a pager's button."""
    small = body.lower()
    return (
        b"__dopostback" in small
        or b"hx-post" in small
        or (b"<form" in small and any(call.search(small) for call in (*_CALLS, _BUTTON)))
    )
