"""A further page of a list fails: what comes after it is not lost."""

from __future__ import annotations

from itertools import count

import pytest

from tests.front_door.door import Door
from tests.front_door.site import Page, Reply, SmallSite, article

_BRIEF = {"articlebot.visiting.turning:_AGAIN_S": 0}


def paged(pages: int, each: int = 6) -> dict[str, Page]:
    """A site whose list goes on, page by page."""
    made: dict[str, Page] = {}
    for page in range(1, pages + 1):
        titles = {
            f"/news/{page}0{n}-a-story-of-the-town.html": f"Story {n} of page {page} in town" for n in range(each)
        }
        made |= {path: article(title) for path, title in titles.items()}
        rows = "".join(
            f"<li><h2><a href='{path}'>{title}</a></h2><p>{title}.</p></li>" for path, title in titles.items()
        )
        onward = f"<a rel=next href='/page/{page + 1}/'>Next page</a>" if page < pages else ""
        made["/" if page == 1 else f"/page/{page}/"] = (
            f"<html lang=en><title>News</title><ul>{rows}</ul>{onward}</html>"
        )
    return made


_NO_NEWS = "<html lang=en><title>News</title><a href='/'>Home</a><p>There are no more stories.</p></html>"


@pytest.mark.parametrize(
    ("fails", "times"), [(Reply("", 500), 7), (Reply(""), 3), (Reply("<title>Sorry</title><p>Back soon.</p>"), 3),
    (Reply("Not found", 404), 2), (Reply(_NO_NEWS), 2), (None, 2)],
    ids=["500", "empty", "notice", "404", "no-links", "first-page"],
)  # fmt: skip
@pytest.mark.parametrize("keys", ["", 'backfill = "all"\n'], ids=["first", "backfill"])
def test_what_comes_after_it_is_read_by_a_later_run(door: Door, fails: Reply | None, times: int, keys: str) -> None:
    asked, pages = count(), paged(4)
    third = pages["/page/3/"]
    with SmallSite(pages) as site:
        shown = fails or pages["/"]
        pages["/page/3/"] = lambda: shown if next(asked) < times else third  # type: ignore[return-value]
        jobs = door.file("jobs.toml", f'[[site]]\nname = "town"\nlist_pages = "{site.url}/"\n{keys}')
        for _ in range(3):
            assert (
                door.type("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle", constants=_BRIEF).returncode
                == 0
            )
        assert len(door.archived()) == 4 * 6


def test_a_page_that_is_never_answered_is_given_up(door: Door) -> None:
    pages = paged(3)
    pages["/page/2/"] = Reply("", 500)
    with SmallSite(pages) as site:
        jobs = door.file("jobs.toml", f'[[site]]\nname = "town"\nlist_pages = "{site.url}/"\n')
        for _ in range(7):
            door.type("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle", constants=_BRIEF)
        hits = len(site.hits_of("/page/2/"))
        assert hits == 3 * 6  # once more at once and four times later, with two tries of Scrapy's each


def test_a_day_that_a_list_alone_tells_is_kept_although_a_sitemap_named_the_article_first(door: Door) -> None:
    titles = {f"/story/{n}.html": f"Report number {n} from the harbour town" for n in range(18)}
    pages: dict[str, Page] = {path: Reply(article(title, date=""), wait_s=0.2) for path, title in titles.items()}
    days = {path: f"2026-10-{28 - n}" for n, path in enumerate(titles)}
    rows = [f"<li><a href='{path}'>{title}</a> <span>{days[path]}</span></li>" for path, title in titles.items()]
    pages["/"] = "<html lang=en><title>Harbour</title><nav><a href=/news/>News</a></nav><p>Welcome to the town.</p>"
    pages["/news/"] = f"<h1>News</h1><ul>{''.join(rows[:6])}</ul><a rel=next href='/news/?page=2'>Older</a>"
    pages["/news/?page=2"] = f"<h1>News</h1><ul>{''.join(rows[6:])}</ul>"
    with SmallSite(pages) as site:
        named = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in titles)
        pages["/sitemap.xml"] = f"<urlset>{named}</urlset>"
        pages["/robots.txt"] = f"Sitemap: {site.url}/sitemap.xml\n"
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
        assert done.returncode == 0, done.stderr[-2000:]
        found = {row["url"].removeprefix(site.url): row["published_at"] for row in door.archived()}
    assert found.keys() == days.keys()
    told = {path for path, day in found.items() if day == days[path]}
    assert len(told) >= 12  # of the second page's those that were not on their way when it came; else six in all
    assert all(found[path] is None for path in days.keys() - told)
