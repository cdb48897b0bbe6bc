"""Scrapy's redirects by ``<meta http-equiv="refresh">``, by its header, and by scripts that do nothing but lead on."""

from __future__ import annotations

import re
from html import escape

from scrapy import Request
from scrapy.downloadermiddlewares import redirect
from scrapy.http import HtmlResponse, Response

from articlebot.errors import RefusedError
from articlebot.extraction.shells import needs_scripts
from articlebot.page import Page, header, page_of
from articlebot.page.decode import codec
from articlebot.sources.fetches import own_scripts
from articlebot.urls import canonical_url

# Scrapy looks at 4,096 characters, and decodes the whole page for them.
_HEAD_BYTES = 4 * 4096
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
_OF_SCREEN = re.compile(r"&&|\|\||navigator|userAgent|screen|innerWidth|matchMedia", re.I)
_SMALL = re.compile(r"//(?:m|wap|h5|mobile|3g)\.|(?:\A|/)(?:m|wap|h5|mobile)(?:/|\Z)", re.I)


class RefreshMiddleware(redirect.MetaRefreshMiddleware):
    """Scrapy's rules, by the head of the page alone, and for the header ``Refresh`` and scripts too.

    A page that reloads itself, as front pages do each minute, is the page; Scrapy's own follows it until it gives up.
    It is asked for once more where it sets a cookie, without which it may show nothing. The home page of many an
    e-paper only says ``location.href = "…/node_01.html"``.
    """

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """The answer, or the request for where it leads."""
        if not isinstance(response, HtmlResponse):
            return response
        head = _led_by_header(response) or _led_by_script(response) or _head(response)
        try:
            found = super().process_response(request, head)
        except ValueError:  # the page's base or where it leads is no address
            return response
        if found is head or (isinstance(found, Request) and _is_known(request, found, response)):
            return response
        return found


def _head(response: HtmlResponse) -> HtmlResponse:
    head = HtmlResponse(response.url, headers=response.headers, body=response.body[:_HEAD_BYTES])
    # Python has codecs that decode no text, and raise.
    return head if codec(head.encoding) else head.replace(encoding="utf-8")


def _led_by_header(response: HtmlResponse) -> HtmlResponse | None:
    """A page that says as a meta element what the header Refresh does, where that leads anywhere."""
    said = header(response, "Refresh")
    if response.status != 200 or "=" not in said:
        return None
    body = f'<meta http-equiv="refresh" content="{escape(said)}">'
    return HtmlResponse(response.url, headers=response.headers, body=body, encoding="utf-8")


def _led_by_script(response: HtmlResponse) -> HtmlResponse | None:
    """A page that says as a meta element what a page's scripts do; None where they do not lead on."""
    if response.status != 200 or len(response.body) > _MOST_BYTES or b"location" not in response.body:
        return None
    url = moved_to(page_of(response))
    said = f'<meta http-equiv="refresh" content="0; url={escape(url)}">'
    return HtmlResponse(response.url, body=said, encoding="utf-8") if url else None


def moved_to(page: Page) -> str:
    """Where a page's scripts lead at once, as they say it; "" where it shows anything itself, or they do not."""
    script = "\n".join(own_scripts(page))
    found = [] if _LATER.search(script) else [one or other for one, other in _LEADS.findall(script)]
    small = [url for url in found if _SMALL.search(url)]
    asks = _IF.search(script)
    if asks and not small:
        return ""  # old browsers are led on, not everybody
    # Where everybody is led to what is for small screens, there is nothing else.
    some = asks or len(small) < len(found) or _OF_SCREEN.search(script)
    url = next((url for url in reversed(found) if url not in small or not some), "")
    return url if url and needs_scripts(page) else ""


def _is_known(request: Request, found: Request, response: Response) -> bool:
    """Whether a refresh leads to the same page, and asking for it again would show nothing else."""
    try:
        same = canonical_url(found.url) == canonical_url(request.url)
    except RefusedError:
        return False
    asked_again = "meta refresh" in request.meta.get("redirect_reasons", ())
    return same and (asked_again or "Set-Cookie" not in response.headers)
