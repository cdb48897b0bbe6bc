"""Which parameters change nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.twins.parameters import (
    Sighting,
    compare,
    is_idle,
    parameters,
    positions,
    sightings,
    together,
    tokens,
    without,
)

TITLES = [f"{word} of the harbour town, in long" for word in ("Bridge", "Ferry", "School", "Council", "Market")]


def pairs_of(*pages: list[tuple[str, str]]) -> tuple[dict[str, int], dict[str, int]]:
    """Titles for and pairs against each parameter, of pages read one after the other."""
    known: dict[int, Sighting] = {}
    same: dict[str, set[int]] = {}
    unlike: dict[str, int] = {}
    for links in pages:
        constant = tokens(url for url, _ in links)
        pairs, kept = compare([one for url, text in links for one in sightings(url, text, constant)], known, constant)
        known |= {key: Sighting.unpack(one.pack()) for key, one in kept.items()}
        for pair in pairs:
            for name in pair.names:
                if pair.title is None:
                    unlike[name] = unlike.get(name, 0) + 1
                elif not pair.own:
                    same.setdefault(name, set()).add(pair.title)
    return {name: len(titles) for name, titles in same.items()}, unlike


def test_a_click_source_changes_nothing() -> None:
    home = [(f"http://a.test/story-{n}?from=home", title) for n, title in enumerate(TITLES)]
    section = [(f"http://a.test/story-{n}?ref=section", title) for n, title in enumerate(TITLES)]
    assert pairs_of(home, section) == ({"from": 5, "ref": 5}, {})
    plain = [(f"http://a.test/story-{n}", title) for n, title in enumerate(TITLES)]
    assert pairs_of(home + plain) == ({"from": 5}, {})


def test_a_session_is_the_same_in_all_links_of_a_page() -> None:
    pages = [
        [(f"http://a.test/a.php?id={740 + n}&s={sid}", title) for n, title in enumerate(TITLES)]
        for sid in ("x9f", "k2b")
    ]
    assert pairs_of(*pages) == ({"s": 5}, {})
    mixed = [
        [(f"http://a.test/a.php?id={740 + n}&s={sid}{n}", title) for n, title in enumerate(TITLES)]
        for sid in ("x9f", "k2b")
    ]
    assert pairs_of(*mixed) == ({}, {})


def test_parameters_that_change_together() -> None:
    pages = [
        [(f"http://a.test/story-{n}?from={mark}&tk={mark}9", title) for n, title in enumerate(TITLES)]
        for mark in ("home", "more")
    ]
    assert pairs_of(*pages) == ({"from": 5, "tk": 5}, {})


def test_what_names_the_article_is_kept() -> None:
    links = [(f"http://a.test/a.php?id=a{n}", title) for n, title in enumerate(TITLES)]
    assert pairs_of(links) == ({}, {"id": 1})
    assert not is_idle(3, 1)
    assert is_idle(10, 1)
    assert not is_idle(2, 0)


@pytest.mark.parametrize("text", ["Next page of news", "下一页更多精彩内容"])
def test_page_numbers_are_kept_though_their_links_read_alike(text: str) -> None:
    pages = [[(f"http://a.test/list-{one}?page={n + 1}", text)] for n in range(4) for one in "abcd"]
    assert pairs_of(*pages) == ({}, {})


def test_a_position_counts_links_of_unlike_paths() -> None:
    paths = ("/one", "/two", "/three", "/four", "/five")
    assert positions(f"http://a.test{path}?pos={n}" for n, path in enumerate(paths, 1)) == {"pos"}
    assert positions(f"http://a.test{path}?pos={n % 3}" for n, path in enumerate([*paths, "/six"])) == {"pos"}
    assert positions(f"http://a.test{path}?page=2" for path in paths) == set()
    assert positions(f"http://a.test/list?page={n}" for n in range(9)) == set()
    assert positions(f"http://a.test{path}?v={n}" for n, path in zip((3, 1, 7, 2, 9), paths, strict=True)) == set()


def test_a_month_is_kept() -> None:
    months = [[(f"http://a.test/calendar?month=2026-{n:02}", "next month of events")] for n in range(1, 12)]
    assert not any(is_idle(count, 0) for count in pairs_of(*months)[0].values())


def test_a_cut_headline_says_nothing() -> None:
    assert pairs_of([("http://a.test/1?x=a", TITLES[0]), ("http://a.test/1", TITLES[0][:12] + "…")]) == ({}, {})


def test_a_pair_counts_once() -> None:
    page = [("http://a.test/1?x=a", TITLES[0]), ("http://a.test/1", TITLES[0])]
    assert pairs_of(page, page, page) == ({"x": 1}, {})
    twice = compare([one for url, text in page for one in sightings(url, text, ())], {}, ())
    again = compare([one for url, text in page for one in sightings(url, text, ())], twice[1], ())
    assert again[0] == []


def test_parameters_behind_the_path() -> None:
    url = "http://a.test/news/1.do;jsessionid=0A1F?x=1"
    assert parameters(url) == [("x", "1"), (";jsessionid", "0A1F")]
    assert without(url, [";jsessionid"]) == "http://a.test/news/1.do?x=1"
    assert without(url, ["x"]) == "http://a.test/news/1.do;jsessionid=0A1F"


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.text("xyz019", max_size=4)), max_size=6),
    st.sets(st.sampled_from("abcd")),
)
def test_without_takes_away_what_it_is_told(pairs: list[tuple[str, str]], gone: set[str]) -> None:
    url = "http://a.test/p" + ("?" + "&".join(f"{name}={value}" for name, value in pairs) if pairs else "")
    rest = without(url, gone)
    assert {name for name, _ in parameters(rest)} == {name for name, _ in pairs} - gone
    assert without(rest, gone) == rest


def test_parameters_that_tell_together_where_a_link_stands_are_found_and_none_that_names_an_article() -> None:
    home = [(f"http://a.test/show?from=home&id={n}&pos={n}&t={n}7", title) for n, title in enumerate(TITLES)]
    section = [(f"http://a.test/show?from=list&id={n}&pos={4 - n}", title) for n, title in enumerate(TITLES)]
    assert together([*home, *section]).keys() == {"from", "pos", "t"}
    assert together(home) == {}
    # The same headline of other articles: the number is what tells them apart.
    again = [(f"http://a.test/show?from=list&id={n + 9}&pos=1", title) for n, title in enumerate(TITLES)]
    assert together([*home, *again, ("http://a.test/show?from=list&id=3", "A story that stands in one list")]) == {}
