"""Which addresses of feeds and sitemaps are read under the host that sent them."""

from __future__ import annotations

import pytest

from articlebot.page.own_host import under_own


@pytest.mark.parametrize(
    ("url", "base", "read"),
    [
        ("http://localhost:4000/a", "https://news.test/feed", "https://news.test/a"),
        ("https://example.org/a?b=1", "http://news.test/feed", "http://news.test/a?b=1"),
        ("http://localhost/a", "http://127.0.0.1:99/feed", "http://127.0.0.1:99/a"),
        ("http://www.example.com/a", "http://feeds.example.com/feed", "http://www.example.com/a"),
        ("http://127.0.0.2:9/a", "http://127.0.0.1:9/feed", "http://127.0.0.2:9/a"),
        ("http://example.com.news.test/a", "http://news.test/feed", "http://example.com.news.test/a"),
        ("http://localhost.test/a", "http://news.test/feed", "http://localhost.test/a"),
    ],
)
def test_hosts_that_nobody_reaches_are_the_senders_own(url: str, base: str, read: str) -> None:
    assert under_own(url, base) == read
