"""Sitemaps that name what the lists name, and say less of it or more than there is."""

from __future__ import annotations

import pytest

from tests.front_door.door import Door
from tests.front_door.site import Page, Reply, SmallSite, article

_NAV = "<nav><a href=/town/>Town</a> <a href=/sport/>Sport</a> <a href=/arts/>Arts</a></nav>"
_SECTIONS = ("town", "sport", "arts")


def _three_sections(*, on_pages: bool) -> tuple[dict[str, Page], dict[str, str]]:
    """Three sections of twelve articles on three pages, which tell the days; ``on_pages``: so do the articles."""
    pages: dict[str, Page] = {}
    days: dict[str, str] = {}
    latest = []
    for place, section in enumerate(_SECTIONS):
        rows = []
        for n in range(12):
            path, title = f"/{section}/story-{n}.html", f"{section.title()} report {n} from the harbour town"
            days[path] = f"2026-10-{28 - n * 2 - place % 2:02}"
            # What the first lists name must not be read before the next lists are queued.
            pages[path] = Reply(article(title, date=days[path] if on_pages else ""), wait_s=0.0 if on_pages else 0.15)
            rows.append(f"<li><a href='{path}'>{title}</a> <span>{days[path]}</span></li>")
        latest += rows[:2]
        for number in (1, 2, 3):
            on = f"<a rel=next href='/{section}/?page={number + 1}'>Older</a>" if number < 3 else ""
            shown = "".join(rows[4 * number - 4 : 4 * number])
            pages[f"/{section}/" + (f"?page={number}" if number > 1 else "")] = (
                f"<html lang=en><title>News</title>{_NAV}<h1>News</h1><ul>{shown}</ul>{on}"
            )
    pages["/"] = f"<html lang=en><title>Harbour</title>{_NAV}<ul>{''.join(latest)}</ul>"
    return pages, days


def _map(site: SmallSite, *paths: str) -> None:
    named = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in paths)
    site.pages |= {"/sitemap.xml": f"<urlset>{named}</urlset>", "/robots.txt": f"Sitemap: {site.url}/sitemap.xml\n"}


def _days(door: Door, site: SmallSite) -> dict[str, str]:
    done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
    assert done.returncode == 0, done.stderr[-2000:]
    return {row["url"].removeprefix(site.url): row["published_at"] for row in door.archived()}


@pytest.mark.parametrize("left_out", [0, 6], ids=["whole", "of-most"])
def test_lists_are_gone_through_for_the_days_that_articles_do_not_tell(door: Door, left_out: int) -> None:
    pages, days = _three_sections(on_pages=False)
    with SmallSite(pages) as site:
        _map(site, *sorted(days)[left_out:])
        assert _days(door, site) == days
        assert len(site.hits) <= len(days) + 3 * 3 + 4  # lists, home page, two files about robots, the map


def test_lists_are_left_where_a_sitemap_names_articles_that_tell_their_days(door: Door) -> None:
    pages, days = _three_sections(on_pages=True)
    with SmallSite(pages) as site:
        _map(site, *days)
        assert {path: day[:10] for path, day in _days(door, site).items()} == days
        assert "/arts/" not in {hit.path for hit in site.hits}  # two sections show that the map is whole
        assert len({hit.path for hit in site.hits}) == len(site.hits)


def test_a_picture_that_pages_of_a_sitemap_share_stands_for_none_of_them(door: Door) -> None:
    pages, days = _three_sections(on_pages=True)
    card = '<meta property="og:image" content="/card.png">'
    pages |= {path: article(f"Report {path} from the harbour", head=card) for path in days}
    with SmallSite(pages) as site:
        _map(site, *days)
        _days(door, site)
    assert {row["lead_image"] for row in door.archived()} == {None}


def test_a_sitemap_of_pages_that_are_gone_does_not_stand_for_the_lists(door: Door) -> None:
    pages, days = _three_sections(on_pages=True)
    shown = [path for path in days if f"href='{path}'" in str(pages["/"])]
    with SmallSite(pages) as site:
        _map(site, *shown, *(path for path in days if "-3." in path), *(f"/town/past-{n}.html" for n in range(40)))
        assert _days(door, site).keys() == days.keys()
        assert len(site.hits) <= len(days) + 3 * 3 + 4 + 5
