"""Pages of plain text on the crawl's own reactor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from twisted.web.resource import Resource
from twisted.web.server import Site


def plain_pages(texts: Mapping[str, Callable[[], str]]) -> Any:
    """A site with a page of each name, whose text is made anew for who asks."""
    root: Any = Resource()  # type: ignore[no-untyped-call]
    for name, text in texts.items():
        root.putChild(name.encode(), _Page(text))
    make: Any = Site
    return make(root)


class _Page(Resource):
    isLeaf = True  # noqa: N815 - Twisted's name

    def __init__(self, text: Callable[[], str]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._text = text

    def render_GET(self, request: Any) -> bytes:  # noqa: N802 - Twisted's name
        request.setHeader(b"Content-Type", b"text/plain; version=0.0.4; charset=utf-8")
        return self._text().encode()
