"""The first thing a user does: follow a site and look at what came."""

from __future__ import annotations

from tests.front_door.door import Door
from tests.front_door.site import SmallSite, news


def test_a_site_is_followed_and_its_articles_are_exported(door: Door) -> None:
    with SmallSite(news(6)) as site:
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
    assert done.returncode == 0, done.stderr[-3000:]
    assert {row["title"] for row in door.archived()} == {f"Report number {n} from the harbour town" for n in range(6)}
