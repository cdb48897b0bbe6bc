"""Pages on a site itself tell no day; where its articles do, a crawl of the site's address leaves them out."""

from __future__ import annotations

import pytest

from tests.front_door.door import Door
from tests.front_door.site import Page, SmallSite, article

_POSTS = {f"/blog/mill-report-number-{n}": f"The mill on the river reports for the week {n}" for n in range(12)}
_OTHERS = {
    "/flood-warnings-for-towns": "Flood warnings for towns that cannot wait",
    "/teaching-packs-for-schools": "Teaching packs for schools and for clubs",
    "/how-it-works-with-councils": "How it works with councils and their mills",
}


def _site(*, told: bool) -> dict[str, Page]:
    """A firm's pages and its blog, whose list tells the day of each post, and whose posts do where ``told``."""
    menu = "<html lang=en><title>Millrace</title><nav><a href=/>Home</a> <a href=/blog>Blog</a></nav>"
    pages: dict[str, Page] = {
        path: article(title, date="2026-11-20T09:30:00+00:00" if told else "") for path, title in _POSTS.items()
    }
    pages |= {path: article(title, date="") for path, title in _OTHERS.items()}
    rows = [
        f"<article><h2><a href='{path}'>{title}</a></h2><p>{28 - n} Nov 2026</p></article>"
        for n, (path, title) in enumerate(_POSTS.items())
    ]
    cards = "".join(f"<div><h3><a href='{path}'>{title}</a></h3></div>" for path, title in _OTHERS.items())
    return {"/": f"{menu}{cards}", "/blog": menu + "".join(rows), **pages}


@pytest.mark.parametrize("told", [True, False], ids=["days told", "days in the list alone"])
def test_what_tells_no_day_is_left_out_where_articles_do(door: Door, told: bool) -> None:
    with SmallSite(_site(told=told)) as site:
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
        assert done.returncode == 0, done.stderr[-2000:]
        found = {row["url"].removeprefix(site.url) for row in door.archived()}
        assert found == _POSTS.keys() if told else found == _POSTS.keys() | _OTHERS.keys()
        assert all(len(site.hits_of(path)) == 1 for path in _POSTS)
        if told:
            why = door.json("explain", f"{site.url}/how-it-works-with-councils")["why"]
            assert why.startswith("It tells no day, as its site's articles do (article_pattern in its job")


def test_a_pattern_of_a_job_says_which_pages_are_articles_whether_they_tell_a_day(door: Door) -> None:
    with SmallSite(_site(told=True)) as site:
        job = f'[[site]]\nname = "mill"\nsite = "{site.url}/"\narticle_pattern = "/(blog/|flood)"\n'
        done = door.type("crawl", "--jobs", str(door.file("mill.toml", job)), "-a", "until=idle")
        assert done.returncode == 0, done.stderr[-2000:]
        found = {row["url"].removeprefix(site.url) for row in door.archived()}
    assert found == _POSTS.keys() | {"/flood-warnings-for-towns"}
