"""Addresses of one content: each article is fetched once and published once."""

from __future__ import annotations

from collections import Counter

from tests.front_door.door import Door
from tests.front_door.site import Page, SmallSite, article, front

# Each list adds where the click came from, and a token that is another one on each page.
_LISTS = {"/": "src=front&tk=9f3ac", "/more": "src=more&tk=77b1e", "/again": "src=again&tk=c04d2"}


def title(number: int) -> str:
    return f"Report number {number} from the harbour town"


def pages() -> dict[str, Page]:
    made: dict[str, Page] = {}
    for number in range(14):
        page = article(title(number))
        for mark in ("", *(f"?{mark}" for mark in _LISTS.values()), "?src=front", "?src=more", "?src=again"):
            made[f"/2026/11/20/report-number-{number}.html{mark}"] = page
        made[f"/lite/2026/11/20/{number}/report-number-{number}.html"] = page
    shown = {"/": range(10), "/more": range(4, 14), "/again": range(14)}
    for path, numbers in shown.items():
        made[path] = front({f"/2026/11/20/report-number-{n}.html?{_LISTS[path]}": title(n) for n in numbers})
    made["/lite"] = front({f"/lite/2026/11/20/{n}/report-number-{n}.html": title(n) for n in range(3)})
    return made


def test_an_article_under_several_addresses_is_fetched_and_published_once(door: Door) -> None:
    with SmallSite(pages()) as site:
        lists = [f"{site.url}{path}" for path in ("/", "/more", "/again", "/lite")]
        jobs = door.file("jobs.toml", f'[[site]]\nname = "town"\nlist_pages = {lists}\n')
        done = door.type("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle")
        assert done.returncode == 0, done.stderr[-3000:]
        asked = Counter(hit.path.partition("?")[0] for hit in site.hits if hit.path.startswith("/2026/"))
        found = door.archived()
        told = door.json("explain", f"{site.url}/2026/11/20/report-number-0.html?src=new")
    assert Counter(one["title"] for one in found) == {title(number): 1 for number in range(14)}
    # All lists are read at the same moment: each sees what those before it have queued.
    assert len(asked) == asked.total() == 14, asked
    assert told["idle_parameters"] == ["src", "tk"]
    assert f"Links to it are followed as {site.url}/2026/11/20/report-number-0.html:" in told["why"]
