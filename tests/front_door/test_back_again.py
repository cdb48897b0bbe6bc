"""Articles that are elsewhere for a while, or for good: none is lost, none stands twice."""

from __future__ import annotations

import random
import shutil

import pytest

from tests.front_door.door import Door
from tests.front_door.site import Reply, SmallSite, article, front

TITLES = {
    f"/2026/11/20/story-{n}.html": f"The {name} of the harbour is open to all"
    for n, name in enumerate(("library", "museum", "theatre"))
}


def follow(door: Door, site: SmallSite, *visited: str) -> set[str]:
    """Paths of the articles that stand in the archive, after another run that visits these pages."""
    if visited:
        assert door.type("frontier", "visit", *(site.url + path for path in visited)).returncode == 0
    door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
    return {row["url"].removeprefix(site.url) for row in door.archived() if row["withdrawn_at"] is None}


def test_new_articles_that_all_lead_to_a_notice_are_asked_for_again(door: Door) -> None:
    away = Reply("", 302, {"Location": "/maintenance"})
    notice = "<html lang=en><title>Maintenance</title><h1>Back soon</h1><p>Our pages are being renewed.</p></html>"
    with SmallSite({"/": front(TITLES), "/maintenance": notice, **dict.fromkeys(TITLES, away)}) as site:
        assert follow(door, site) == set()
        site.pages |= {path: article(title) for path, title in TITLES.items()}
        assert follow(door, site, *TITLES) == set(TITLES)


def test_a_redirect_that_says_not_where_to_is_what_it_shows(door: Door) -> None:
    pages = {
        path: Reply(article(title), status, {"Content-Type": "text/html; charset=utf-8"})
        for (path, title), status in zip(TITLES.items(), (300, 302, 308), strict=True)
    }
    with SmallSite({"/": front(TITLES), **pages}) as site:
        assert follow(door, site) == set(TITLES)


def at_new_addresses(door: Door, site: SmallSite, *visits: list[str]) -> dict[str, tuple[int, bool]]:
    """Version of each article in the archive, and whether it is withdrawn, after all addresses were ordered anew."""
    texts = {path: article(title) for path, title in TITLES.items()}
    moved = {path.replace("/2026/11/20/", "/news/town/"): path for path in TITLES}
    site.pages |= {"/": front(TITLES), **texts}
    assert follow(door, site) == set(TITLES)
    site.pages |= {new: texts[old] for new, old in moved.items()}
    site.pages["/"] = front({new: TITLES[old] for new, old in moved.items()})
    if visits[0] == ["/"]:  # both answer: one of them stands
        assert follow(door, site, "/") == set(TITLES)
    for path in TITLES:
        del site.pages[path]
    for visited in visits:
        follow(door, site, *visited)
    rows = door.archived()
    assert {row["canonical_url"] for row in rows} == {row["url"] for row in rows} == {site.url + new for new in moved}
    return {row["title"]: (row["version"], row["withdrawn_at"] is not None) for row in rows}


def test_articles_whose_addresses_are_new_are_the_same_still(door: Door) -> None:
    with SmallSite() as site:
        told = at_new_addresses(door, site, ["/"], [*TITLES], [*TITLES])
    assert told == dict.fromkeys(TITLES.values(), (2, False))


def test_articles_that_redis_has_lost_are_the_same_still_at_their_new_addresses(door: Door) -> None:
    texts = {path: article(title) for path, title in TITLES.items()}
    moved = {path.replace("/2026/11/20/", "/news/town/"): path for path in TITLES}
    with SmallSite({"/": front(TITLES), **texts}) as site:
        assert follow(door, site) == set(TITLES)
        shutil.rmtree(door.data / "redis")
        site.pages = {"/": front({new: TITLES[old] for new, old in moved.items()})}
        site.pages |= {new: texts[old] for new, old in moved.items()}
        assert follow(door, site) == set(TITLES)
        again = {row["title"]: (row["version"], row["page_key"]) for row in door.archived()}
        # From then on its new address is visited for it.
        edited = next(iter(moved))
        site.pages[edited] = article(TITLES[moved[edited]], paragraphs=9)
        follow(door, site, moved[edited])
        rows = door.archived()
    assert len(again) == len(rows) == len(TITLES)
    assert {version for version, _ in again.values()} == {1}
    assert [row["version"] for row in rows if row["title"] == TITLES[moved[edited]]] == [2]


@pytest.mark.parametrize("leads", [True, False])
def test_articles_that_were_edited_are_the_same_still_at_their_new_addresses(door: Door, leads: bool) -> None:
    texts = {path: article(title) for path, title in TITLES.items()}
    moved = {path.replace("/2026/11/20/", "/news/town/"): path for path in TITLES}
    with SmallSite({"/": front(TITLES), **texts}) as site:
        assert follow(door, site) == set(TITLES)
        more = "<p>Since then the mayor has said that all may come in for nothing on the first day.</p></article>"
        site.pages |= {path: page.replace("</article>", more) for path, page in texts.items()}
        assert follow(door, site, *TITLES) == set(TITLES)
        site.pages |= {new: site.pages[old] for new, old in moved.items()}
        site.pages["/"] = front({new: TITLES[old] for new, old in moved.items()})
        for new, old in moved.items():
            if leads:
                site.pages[old] = Reply("", 301, {"Location": new})
            else:
                del site.pages[old]
        for visited in (["/"], [*TITLES], [*TITLES]):
            follow(door, site, *visited)
        told = [(row["title"], row["withdrawn_at"]) for row in door.archived()]
    assert sorted(told) == sorted((title, None) for title in TITLES.values())


def test_articles_that_were_withdrawn_before_their_new_addresses_were_seen_are_the_same_still(door: Door) -> None:
    with SmallSite() as site:
        told = at_new_addresses(door, site, [*TITLES], ["/"], [*TITLES])
    assert told == dict.fromkeys(TITLES.values(), (3, False))


def test_articles_with_new_headlines_and_addresses_are_the_same_still(door: Door) -> None:
    with SmallSite({"/": front(TITLES), **{path: article(title) for path, title in TITLES.items()}}) as site:
        assert follow(door, site) == set(TITLES)
        worded = {path.replace("story", "late"): f"Late on Friday: {title}" for path, title in TITLES.items()}
        for (new, headline), (old, title) in zip(worded.items(), TITLES.items(), strict=True):
            page = article(title)
            for tag in ("<title>", "<h1>"):
                page = page.replace(tag + title, tag + headline)
            site.pages[new] = page
            del site.pages[old]
        site.pages["/"] = front(worded)
        follow(door, site, "/")
        told = {row["url"].removeprefix(site.url): row["version"] for row in door.archived()}
    assert told == dict.fromkeys(worded, 2)


@pytest.mark.parametrize("first", ["new address", "end of the old"])
def test_articles_that_are_edited_as_they_move_are_the_same_still(door: Door, first: str) -> None:
    """With their headlines and days; another article of the day with one's headline is another one."""
    other = "/2026/11/20/story-9.html"
    texts = {path: article(title) for path, title in TITLES.items()}
    moved = {path.replace("/2026/11/20/", "/news/town/"): path for path in TITLES}
    with SmallSite({"/": front(TITLES), **texts}) as site:
        assert follow(door, site) == set(TITLES)
        more = "<p>Since then the mayor has said that all may come in for nothing on the first day.</p></article>"
        site.pages = {new: texts[old].replace("</article>", more) for new, old in moved.items()}
        title = next(iter(TITLES.values()))
        day = "<meta property='article:published_time' content='2026-11-20T12:00:00+00:00'><article>"
        site.pages[other] = tide(7).replace("Ferry 7 rests for a storm tide", title).replace("<article>", day)
        if first != "new address":
            site.pages["/"] = front(TITLES)
            follow(door, site, *TITLES)
        site.pages["/"] = front({new: TITLES[old] for new, old in moved.items()} | {other: title})
        for visited in (["/"], [*TITLES], [*TITLES]):
            follow(door, site, *visited)
        rows = door.archived()
    assert {row["url"].removeprefix(site.url): row["withdrawn_at"] for row in rows} == dict.fromkeys([*moved, other])
    assert all(row["version"] > 1 for row in rows if not row["url"].endswith(other))


def strange(title: str) -> str:
    """The end of a page whose text has no word in common with another's."""
    rng = random.Random(title)
    words = ["".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(3)) for _ in range(90)]
    text = "".join(f"<p>{' '.join(rng.choices(words, k=40)).capitalize()}.</p>" for _ in range(6))
    return f"<h1>{title}</h1>{text}</article></body></html>"


def test_articles_that_stood_at_each_others_addresses_are_right_again(door: Door) -> None:
    right = {path: article(title).partition("<h1>")[0] + strange(title) for path, title in TITLES.items()}
    with SmallSite({"/": front(TITLES), **right}) as site:
        assert follow(door, site) == set(TITLES)
        first, second, third = TITLES
        for path, shown in ((first, second), (second, third), (third, first)):
            site.pages[path] = right[shown]
        for _ in range(3):
            follow(door, site, *TITLES)
        # Whatever was shown for how long, no article is taken for another that is still there.
        assert {row["url"].removeprefix(site.url): row["title"] for row in door.archived()} == TITLES
        site.pages |= right
        for _ in range(3):
            follow(door, site, *TITLES)
        told = {row["url"].removeprefix(site.url): row["title"] for row in door.archived()}
    assert told == TITLES


def test_an_older_copy_now_and_then_is_no_version_but_an_edit_that_is_taken_back_is(door: Door) -> None:
    old = {path: article(title) for path, title in TITLES.items()}
    new = {path: article(title, paragraphs=9) for path, title in TITLES.items()}
    with SmallSite({"/": front(TITLES), **old}) as site:
        follow(door, site)
        for shown in (new, old, new, old, new):
            site.pages |= shown
            follow(door, site, *TITLES)
        assert {row["version"] for row in door.archived()} == {2}
        assert "believed if the next visit" not in door.type("explain", site.url + next(iter(TITLES))).stdout
        site.pages |= old
        for _ in range(2):
            follow(door, site, *TITLES)
        assert {row["version"] for row in door.archived()} == {3}


def test_two_headlines_that_are_tried_on_readers_are_two_versions_whatever_line_counts_beside_them(door: Door) -> None:
    path, title = next(iter(TITLES.items()))
    counts = iter(range(10, 99))

    def shown(headline: str) -> str:
        whole = (
            article(title).replace(f"<h1>{title}", f"<h1>{headline}").replace(f"<title>{title}", f"<title>{headline}")
        )
        return whole.replace("</article>", f"<p>With {next(counts)} comments from the town so far</p></article>")

    with SmallSite({"/": front(TITLES), **{one: article(TITLES[one]) for one in TITLES}}) as site:
        site.pages[path] = shown(title)
        follow(door, site)
        for headline in ("Who pays for the books", title, "Who pays for the books", title):
            site.pages[path] = shown(headline)
            follow(door, site, path)
        (row,) = (row for row in door.archived() if row["url"].endswith(path))
        assert (row["version"], row["title"]) == (2, "Who pays for the books")
        site.pages[path] = shown(title)
        follow(door, site, path)
        (row,) = (row for row in door.archived() if row["url"].endswith(path))
        assert (row["version"], row["title"]) == (3, title)


def tide(number: int) -> str:
    """An article that has nothing in common with the others."""
    told = (
        "tied up the boat at noon, waited for a brother and read aloud from old logbooks whose ink had run in the rain"
    )
    lines = "".join(
        f"<p>{name} {told}, as {name} had once, far up north.</p>" for name in ("Aldo", "Egon", "Cosimo", "Dirk")
    )
    headline = f"Ferry {number} rests for a storm tide"
    return f"<html lang=en><title>{headline}</title><article><h1>{headline}</h1>{lines * 2}</article></html>"


@pytest.mark.parametrize("kind", ["another", "half"])
def test_another_article_or_half_of_one_is_a_version_at_the_second_visit(door: Door, kind: str) -> None:
    paths = list(TITLES)
    texts = {path: article(title) for path, title in TITLES.items()}
    halves = [text[: text.rindex("<p>") + 80] for text in texts.values()]
    with SmallSite({"/": front(TITLES), **texts}) as site:
        follow(door, site)
        site.pages |= {path: tide(n) if kind == "another" else halves[n] for n, path in enumerate(paths[:2])}
        follow(door, site, *paths)
        assert {row["version"] for row in door.archived()} == {1}
        site.pages[paths[0]] = texts[paths[0]]
        follow(door, site, *paths)
        assert {row["url"].removeprefix(site.url): row["version"] for row in door.archived()} == dict(
            zip(paths, (1, 2, 1), strict=True)
        )


def test_an_edit_of_an_article_of_several_pages_whose_first_one_is_short(door: Door) -> None:
    first, title = next(iter(TITLES.items()))
    second = first.replace(".html", "_2.html")
    opening = "<p>Aldo tied up the boat at noon, and read aloud from logbooks whose ink had run.</p>"
    pager = f'<div class=pages><b>1</b> <a href="{second}">2</a></div>'
    whole = article(title)
    with SmallSite({"/": front({first: title}), second: whole}) as site:
        site.pages[first] = (
            f"<html lang=en><title>{title}</title><article><h1>{title}</h1>{opening * 2}</article>{pager}</html>"
        )
        follow(door, site)
        site.pages[second] = whole.replace("<p>", "<p>The council met again on Friday and put it off. ", 1)
        follow(door, site, first)
        assert [(row["url"].removeprefix(site.url), row["version"]) for row in door.archived()] == [(first, 2)]


TAKEN_DOWN = (
    "<html lang=en><head><title>Removed</title></head><body><article><h1>This article has been removed</h1><p>It was "
    "taken down at the request of a person that it named, and by order of the court of the harbour town.</p></article>"
    "</body></html>"
)


@pytest.mark.parametrize("goes_on", [True, False])
def test_articles_taken_down_with_one_sentence_for_all_are_so_in_the_archive(door: Door, goes_on: bool) -> None:
    """Where the site goes on to publish; else it may be a notice of maintenance, however long that takes."""
    quick = {"articlebot.visiting.doubts:_FOR_GOOD_S": 1.0}
    texts = {path: article(title) for path, title in TITLES.items()}
    taken = [*TITLES][:2]
    with SmallSite({"/": front(TITLES), **texts}) as site:
        assert follow(door, site) == set(TITLES)
        site.pages |= dict.fromkeys(taken, TAKEN_DOWN)
        if goes_on:
            path, title = "/news/bridge.html", "The bridge of the harbour is closed"
            site.pages |= {path: article(title, date=""), "/": front({**TITLES, path: title})}
        for _ in range(4):
            assert door.type("frontier", "visit", *(site.url + path for path in ("/", *taken))).returncode == 0
            door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle", constants=quick)
        told = {row["url"].removeprefix(site.url): row["title"] for row in door.archived()}
    shown = {told[path] for path in taken}
    assert shown == ({"This article has been removed"} if goes_on else {TITLES[path] for path in taken})


def test_a_correction_under_a_new_alias_of_an_article_without_a_date_is_seen_at_once(door: Door) -> None:
    path, title = "/news/the-library-of-the-harbour-is-open-to-all.html", "The library of the harbour is open to all"
    with SmallSite() as site:
        canonical = f'<link rel="canonical" href="{site.url}{path}">'
        page, edited = (article(title, paragraphs=n, head=canonical, date="") for n in (6, 7))
        site.pages |= {"/": front({path: title}), path: page}
        assert follow(door, site) == {path}
        site.pages |= {path: edited, f"{path}?from=9": edited, f"{path}?from=10": edited}
        for alias in (f"{path}?from=9", f"{path}?from=10"):
            assert door.type("frontier", "visit", site.url + alias).returncode == 0
            door.type(
                "crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle",
                env={"ARTICLEBOT_RECRAWL_MIN_INTERVAL": "0.01"},
            )  # fmt: skip
        told = [(row["url"], row["version"]) for row in door.archived()]
        asked = len(site.hits_of(path))
    assert told == [(site.url + path, 2)]
    assert asked == 2
