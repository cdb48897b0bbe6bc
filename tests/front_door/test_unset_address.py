"""A site whose settings were never told where it lives."""

from __future__ import annotations

from tests.front_door.door import Door
from tests.front_door.site import Reply, SmallSite, article, news

_ELSEWHERE = "http://localhost:4000"
_SIGN = f"<meta property=og:image content={_ELSEWHERE}/og.jpg>"
_COUNT = 6


def test_a_site_is_followed_by_its_feed_that_names_another_host(door: Door) -> None:
    paths = [path for path in news(_COUNT) if path != "/"]
    titles = {path: f"Report number {n} from the harbour town" for n, path in enumerate(paths)}
    items = "".join(
        f"<item><title>{title}</title><link>{_ELSEWHERE}{path}</link></item>" for path, title in titles.items()
    )
    own = f'<atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="self" href="{_ELSEWHERE}/feed.xml"/>'
    feed = f'<rss version="2.0"><channel><title>Pier diary</title>{own}{items}</channel></rss>'
    head = f'{_SIGN}<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
    pages = {path: article(title, head=_SIGN) for path, title in titles.items()} | {
        "/": f"<html lang=en><head><title>Pier diary</title>{head}</head><body><h1>Welcome</h1><p>To our site.</p>",
        "/feed.xml": Reply(feed, headers={"Content-Type": "application/rss+xml"}),
    }
    with SmallSite(pages) as site:  # type: ignore[arg-type]
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
    assert done.returncode == 0, done.stderr[-2000:]
    found = door.archived()
    assert {one["url"] for one in found} == {site.url + path for path in paths}
    assert [one["lead_image"] for one in found] == [None] * _COUNT
