"""Feeds and sitemaps as servers damage them."""

from __future__ import annotations

from pathlib import Path

from tests.front_door.door import Door
from tests.front_door.site import Reply, SmallSite, article


def test_articles_of_a_damaged_feed_and_sitemap_are_fetched_at_their_addresses(tmp_path: Path) -> None:
    door = Door(tmp_path)
    fed, mapped = "/2026/11/20/story.html?part=1&side=a", "/2026/11/20/story.html?part=2&side=b"
    with SmallSite({fed: article("A story that is fed", date=""), mapped: article("A story on the map")}) as site:
        site.pages["/rss"] = Reply(
            "<br />\n<b>Warning</b>: Undefined $x<br />\n<?xml version='1.0'?><rss version='2.0'><channel><item>"
            f"<title>A story that is fed</title><link><![CDATA[{site.url}{fed}]]></link>"
            "<pubDate>Fri, 20 Nov 2026 18:00:00 GMT+8</pubDate></item></channel></rss>",
            headers={"Content-Type": "application/rss+xml"},
        )
        site.pages["/map.xml"] = Reply(
            f"\n<?xml version='1.0'?><urlset><url><loc>{site.url}{mapped}</loc></url></urlset>",
            headers={"Content-Type": "application/xml"},
        )
        entries = f'feeds = ["{site.url}/rss"]\nsitemaps = ["{site.url}/map.xml"]'
        job = f'[[site]]\nname = "town"\ntimezone = "UTC"\n{entries}\n'
        done = door.type("crawl", "article", "-a", f"jobs={door.file('jobs.toml', job)}", "-a", "until=idle")
    assert done.returncode == 0, done.stderr[-3000:]
    rows = {row["title"]: row["published_at"] for row in door.archived()}
    assert rows.keys() == {"A story that is fed", "A story on the map"}
    assert rows["A story that is fed"] == "2026-11-20T10:00:00+00:00"
