"""Scrapy's redirects by ``<meta http-equiv="refresh">``, for pages that name themselves or a charset that is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.downloadermiddlewares import redirect
from scrapy.http import HtmlResponse

from articlebot.errors import RefusedError
from articlebot.page.decode import codec
from articlebot.urls import canonical_url

if TYPE_CHECKING:
    from scrapy.http import Response

# Scrapy looks at 4,096 characters, and decodes the whole page for them.
_HEAD_BYTES = 4 * 4096


class MetaRefreshMiddleware(redirect.MetaRefreshMiddleware):
    """The same rules, by the head of the page alone.

    A page that reloads itself, as front pages do each minute, is the page; Scrapy's own follows it until it gives up.
    It is asked for once more where it sets a cookie, without which it may show nothing.
    """

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """The answer, or the request for where it leads."""
        if not isinstance(response, HtmlResponse):
            return response
        head = _head(response)
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


def _is_known(request: Request, found: Request, response: Response) -> bool:
    """Whether a refresh leads to the same page, and asking for it again would show nothing else."""
    try:
        same = canonical_url(found.url) == canonical_url(request.url)
    except RefusedError:
        return False
    asked_again = "meta refresh" in request.meta.get("redirect_reasons", ())
    return same and (asked_again or "Set-Cookie" not in response.headers)
