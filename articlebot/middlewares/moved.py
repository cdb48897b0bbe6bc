"""Follows pages that do nothing but lead on by script, as Scrapy follows those that do by a meta element."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.http import HtmlResponse, Response

from articlebot.extraction.shells import needs_scripts
from articlebot.page import Page
from articlebot.sources.fetches import own_scripts

# What is longer shows something itself.
_MOST_BYTES = 20_000
_LEADS = re.compile(
    r"(?<![\w$])location(?:\.href)?\s{0,9}=\s{0,9}[\"']([^\"'\s<>]{1,500})[\"']\s{0,9}(?=[;})\n<]|\Z)|"
    r"(?<![\w$])location\.(?:replace|assign)\(\s{0,9}[\"']([^\"'\s<>]{1,500})[\"']\s{0,9}\)"
)
# What a reader has to press or wait for first, and what is for small screens.
_LATER = re.compile(
    r"\bon(?:click|submit|change)\b|\bfunction\b[^;]{0,40}click|setTimeout|setInterval|addEventListener", re.I
)
_IF = re.compile(r"\bif\s{0,4}\(")
_SMALL = re.compile(r"//(?:m|wap|h5|mobile|3g)\.|(?:\A|/)(?:m|wap|h5|mobile)(?:/|\Z)", re.I)


class MovedMiddleware(MetaRefreshMiddleware):
    """Scrapy's, for scripts too: the home page of many an e-paper only says ``location.href = "…/node_01.html"``."""

    def process_response(self, request: Request, response: Response, spider: Any = None) -> Request | Response:
        """The request for where the page leads, else the page."""
        url = moved_to(Page.parse(response.body, response.url)) if _is_small(response) else ""
        if not url:
            return super().process_response(request, response)
        said = f'<meta http-equiv="refresh" content="0; url={escape(url)}">'
        led = super().process_response(request, HtmlResponse(response.url, body=said, encoding="utf-8"))
        return led if isinstance(led, Request) and led.url != request.url else response


def _is_small(response: Response) -> bool:
    return (
        isinstance(response, HtmlResponse)
        and response.status == 200
        and len(response.body) <= _MOST_BYTES
        and b"location" in response.body
    )


def moved_to(page: Page) -> str:
    """Where a page's scripts lead at once, as they say it; "" where it shows anything itself, or they do not."""
    script = "\n".join(own_scripts(page))
    found = [] if _LATER.search(script) else [one or other for one, other in _LEADS.findall(script)]
    small = [url for url in found if _SMALL.search(url)]
    if _IF.search(script) and not small:
        return ""  # old browsers are led on, not everybody
    url = next((url for url in reversed(found) if url not in small), "")
    return url if url and needs_scripts(page) else ""
