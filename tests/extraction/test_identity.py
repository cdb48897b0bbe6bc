from __future__ import annotations

import pytest

from articlebot.extraction.fields.identity import identity

BASE = "http://news.example.com"


@pytest.mark.parametrize(
    ("fetched", "stated", "kept"),
    [
        ("/a/20260301-storm.html?from=home", "/a/20260301-storm.html", "/a/20260301-storm.html"),
        ("/mobile/20260301123.html", "/a/20260301123.html", "/a/20260301123.html"),
        ("/a/some-long-slug", "/section/some-long-slug/", "/section/some-long-slug/"),
        # A session's numbers are none of the article's.
        (
            "/s-e4da3b7fbbce2345/a/council-opens-the-old-bridge-12?x=e4da3b",
            "/a/council-opens-the-old-bridge-12",
            "/a/council-opens-the-old-bridge-12",
        ),
        # A home page or a section stated on every article is not believed.
        ("/a/20260301123.html", "/", "/a/20260301123.html"),
        ("/a/20260301123.html", "/a/20260301999.html", "/a/20260301123.html"),
        ("/show.php?id=77", "/show.php", "/show.php?id=77"),
        (
            "/council-opens-the-old-bridge-3bd0f?source=topic",
            "/council-opens-the-old-bridge-3bd0f",
            "/council-opens-the-old-bridge-3bd0f",
        ),
        ("/view-latest-article?id=77", "/view-latest-article", "/view-latest-article?id=77"),
        ("/a/1.html", "http://other.example.org/a/1.html", "/a/1.html"),
        ("/a/1.html", "javascript:void(0)", "/a/1.html"),
        ("/a/1.html", None, "/a/1.html"),
    ],
)
def test_identity(fetched: str, stated: str | None, kept: str) -> None:
    stated = BASE + stated if stated and stated.startswith("/") else stated
    assert identity(BASE + fetched, stated) == BASE + kept
