"""The score of crawls whose faults are known."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot_lab.newsroom import World, score
from articlebot_lab.newsroom.compare import f1, grams
from articlebot_lab.newsroom.matching import epoch
from articlebot_lab.newsroom.truth import truth

from .conftest import START

Row = dict[str, Any]


def row(article: Row, index: int, at: float, version: int) -> Row:
    shown = article["versions"][index]
    root = article["reprint_of"] or article["id"]
    return {
        "url": article["url"], "title": shown["title"], "body": shown["body"], "published_at": article["published_at"],
        "author": article["author"], "language": article["language"], "cluster": root, "category": article["category"],
        "version": version, "archived_at": at,
    }  # fmt: skip


def ideal(known: Row, interval: float = 1.0) -> list[Row]:
    """What a crawler archives that looks at every article each ``interval`` seconds."""
    rows = []
    for article in known["articles"]:
        if article["disallowed"]:
            continue
        seen = -1
        at = START + interval
        while at <= known["ends_at"]:
            there = article["visible_at"] <= at and (article["deleted_at"] is None or at < article["deleted_at"])
            now = sum(version["at"] <= at for version in article["versions"]) - 1
            if there and now > seen:
                rows.append(row(article, now, at, len(rows)))
                seen = now
            at += interval
    return rows


@pytest.fixture(scope="module")
def known(world: World) -> Row:
    return truth(world, world.ends_at)


@pytest.fixture
def rows(known: Row) -> list[Row]:
    return ideal(known)


def test_an_ideal_crawl(known: Row, rows: list[Row]) -> None:
    report = score(known, rows)
    assert report["published_share"] == report["videos_share"] == report["documents_share"] == 1
    assert report["changes_caught_share"] == 1
    assert report["changes_expected"] > 20
    for name in ("published_twice", "false_duplicates", "duplicates_missed", "false_changes", "not_articles", "missed"):
        assert report[name] == 0, name
    assert report["duplicates_found"] > 5
    assert 0 < report["delay_p50_s"] <= report["delay_p95_s"] <= report["delay_max_s"] <= 1
    for name in ("body_f1", "title_share", "date_share", "author_share", "language_share", "category_purity"):
        assert report[name] == 1, name
    assert all(site["expected"] == site["found"] for site in report["by_site"].values())


def test_an_empty_archive(known: Row) -> None:
    report = score(known, [])
    assert report["published_share"] == report["changes_caught_share"] == 0
    assert report["missed"] == report["articles_expected"]
    assert report["delay_p50_s"] is report["body_f1"] is None


def test_missed_articles_are_named(known: Row, rows: list[Row]) -> None:
    lost = next(a for a in known["articles"] if a["kind"] == "article" and not a["disallowed"] and not a["deleted_at"])
    report = score(known, [r for r in rows if r["url"] != lost["url"]])
    assert report["missed_urls"] == [lost["url"]]
    assert report["published_share"] < 1


def test_articles_published_under_two_addresses(known: Row, rows: list[Row]) -> None:
    article = next(a for a in known["articles"] if a["pages"] > 1)
    second = {**row(article, 0, START + 50, 1), "url": article["urls"][1]}
    redirected = next(a for a in known["articles"] if a["site"] == "meridian")
    third = {**row(redirected, 0, START + 50, 1), "url": redirected["urls"][-1]}
    assert score(known, [*rows, second, third])["published_twice"] == 2


def test_a_version_published_twice(known: Row, rows: list[Row]) -> None:
    report = score(known, [*rows, {**rows[0], "archived_at": START + 59}])
    assert report["published_twice"] == 1


def test_an_edit_that_is_taken_back_is_a_version_of_its_own(known: Row) -> None:
    article = next(a for a in known["articles"] if len(a["versions"]) == 2 and not a["disallowed"])
    first, second = article["versions"]
    back = {**article, "versions": [first, second, {**first, "at": second["at"] + 2}], "deleted_at": None}
    seen = [row(back, 0, first["at"] + 1, 1), row(back, 1, second["at"] + 1, 2), row(back, 2, second["at"] + 3, 3)]
    assert score({**known, "articles": [back]}, seen)["published_twice"] == 0
    assert score({**known, "articles": [{**article, "deleted_at": None}]}, seen)["published_twice"] == 1


def test_a_change_that_was_none(known: Row, rows: list[Row]) -> None:
    single = next(r for r in rows if len(next(a for a in known["articles"] if a["url"] == r["url"])["versions"]) == 1)
    noisy = {**single, "body": single["body"] + "\nVisitor number 17", "archived_at": START + 58, "version": 999}
    report = score(known, [*rows, noisy])
    assert (report["false_changes"], report["published_twice"]) == (1, 0)


def test_a_slow_crawler_misses_edits(known: Row) -> None:
    late = score(known, ideal(known, 59.0))
    assert 0.9 < late["published_share"] < 1, "those deleted early are gone"
    assert late["delay_p50_s"] > 20
    missing = score(known, [r for r in ideal(known) if r["archived_at"] < START + 10])
    assert missing["changes_caught_share"] < 0.5
    assert missing["changes_missed"]


def test_withdrawals(known: Row, rows: list[Row]) -> None:
    assert score(known, rows)["deletions_seen_share"] == 0
    gone = {a["url"]: a["deleted_at"] for a in known["articles"] if a["deleted_at"]}
    told = [{**r, "change": "withdrawn", "archived_at": gone[r["url"]] + 2} for r in rows if r["url"] in gone]
    report = score(known, [*rows, *told])
    assert report["deletions_expected"] > 2
    assert report["deletions_seen_share"] == 1
    for name in ("published_twice", "false_changes", "false_withdrawals"):
        assert report[name] == 0, name
    staying = next(r for r in rows if r["url"] not in gone)
    assert score(known, [*rows, {**staying, "change": "withdrawn"}])["false_withdrawals"] == 1


def test_unrelated_articles_in_one_cluster(known: Row, rows: list[Row]) -> None:
    plain = [a["url"] for a in known["articles"] if a["kind"] in ("report", "quote")][:3]
    together = [{**r, "cluster": "one"} if r["url"] in plain else r for r in rows]
    assert score(known, together)["false_duplicates"] == len(plain) - 1


def test_reprints_in_other_clusters(known: Row, rows: list[Row]) -> None:
    apart = [{**r, "cluster": r["url"]} for r in rows]
    report = score(known, apart)
    assert report["duplicates_found"] == 0
    assert report["duplicates_missed"] == score(known, rows)["duplicates_found"]


def test_pages_that_are_no_articles(known: Row, rows: list[Row]) -> None:
    about = {**rows[0], "url": "http://www.huadong.test/about"}
    report = score(known, [*rows, about])
    assert report["not_articles_urls"] == [about["url"]]


def test_deleted_too_soon_and_published_too_late_is_not_asked_for(known: Row) -> None:
    cut = score(known, [], until=START + 30)
    assert cut["articles_expected"] < score(known, [])["articles_expected"]


def test_tracking_parameters_and_iso_dates_do_not_matter(known: Row, rows: list[Row]) -> None:
    changed = [
        {
            **r,
            "url": f"{r['url']}{'&' if '?' in r['url'] else '?'}utm_source=x",
            "published_at": "2026-11-21T18:00:00+08:00",
        }
        for r in rows
    ]
    report = score(known, changed)
    assert report["published_share"] == 1
    assert report["date_share"] < 1


def test_politeness(known: Row, rows: list[Row]) -> None:
    def entry(at: float, host: str, path: str, status: int = 200) -> Row:
        return {"at": START + at, "host": host, "path": path, "status": status}

    log = [
        entry(1, "ridge.test", "/atom.xml"),
        entry(1.5, "ridge.test", "/archives/1"),
        entry(2.5, "ridge.test", "/archives/2", 304),
        entry(2.6, "ridge.test", "/robots.txt"),
        entry(3, "www.nanling.test", "/internal/1.html"),
        entry(60, "www.nanling.test", "/"),
    ]
    report = score(known, rows, log)
    assert report["crawl_delay_broken"] == 1
    assert report["disallowed_fetched"] == 1
    assert (report["pages_fetched"], report["not_modified"]) == (6, 1)


@given(st.text("abc 是的", max_size=40), st.text("abc 是的", max_size=40), st.sampled_from(["zh", "en"]))
def test_f1_is_a_similarity(one: str, other: str, language: str) -> None:
    left, right = grams(one, language), grams(other, language)
    assert f1(left, right) == f1(right, left)
    assert 0 <= f1(left, right) <= 1
    assert f1(left, left) == 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (5, 5.0),
        ("1970-01-01T00:00:05Z", 5.0),
        ("1970-01-01T08:00:05+08:00", 5.0),
        ("1970-01-01", 0.0),
        ("x", None),
        (None, None),
    ],
)
def test_times_in_either_form(value: object, expected: float | None) -> None:
    assert epoch(value) == expected
