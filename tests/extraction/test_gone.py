"""What a page says on which an article was, where its status is 200."""

from __future__ import annotations

import pytest

from articlebot.extraction.gone import says_gone
from articlebot.page import Page


@pytest.mark.parametrize(
    ("body", "gone"),
    [
        ("<title>Page not found | Town news</title><p>Try the search.", True),
        ("<h1>该文章已被删除</h1>", True),
        ("<p>Sorry, this story is no longer available.", True),
        ("<h2>Seite nicht gefunden</h2>", True),
        ("<h1>The bridge is open</h1><p>It was closed for a month, and is used by many.", False),
        ("<h1>The bridge is open</h1>" + "<p>The old one has been removed by a crane in one night." * 20, False),
        ("", False),
    ],
)
def test_a_page_says_that_nothing_is_there(body: str, gone: bool) -> None:
    page = Page.parse(f"<html><body>{body}</body></html>".encode(), "http://a.test/1", "text/html", 0.0, None)
    assert says_gone(page) is gone
