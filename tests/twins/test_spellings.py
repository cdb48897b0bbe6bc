"""Addresses that differ in how they are spelled alone."""

from __future__ import annotations

import pytest

from articlebot.twins.spellings import Spellings

A, B = "The bridge over the harbour is closed", "The ferry sails on Sundays again"


def test_the_last_slash_www_and_the_order_of_parameters_tell_no_pages_apart() -> None:
    spellings = Spellings()
    assert spellings.others((f"http://n.test/{name}/", "") for name in "abc") == {}
    again = {"http://n.test/a": "http://n.test/a/", "https://www.n.test/b/": "http://n.test/b/"}
    assert spellings.others((url, "") for url in again) == again
    spellings.others([("http://n.test/show?id=5&cat=2", A)])
    assert spellings.others([("http://n.test/show?cat=2&id=5", A), ("http://n.test/show?cat=5&id=2", A)]) == {
        "http://n.test/show?cat=2&id=5": "http://n.test/show?id=5&cat=2"
    }
    assert spellings.others([("http://n.test/a?id=1", A), ("http://m.n.test/a", A)]) == {}


def test_one_headline_at_one_path_of_two_hosts_is_one_article() -> None:
    """Papers of a chain have what they share under each of their names."""
    spellings = Spellings()
    assert spellings.others([("http://www.n.test/news/1", A), ("http://www.n.test/sport", "Sport")]) == {}
    again = [
        ("http://north.n.test/news/1", A),
        ("http://north.n.test/sport", "Sport"),
        ("http://north.n.test/news/2", A),
    ]
    assert spellings.others(again) == {"http://north.n.test/news/1": "http://www.n.test/news/1"}
    assert spellings.others([("http://south.other.test/news/1", A), ("http://south.n.test/news/1", B)]) == {}


def test_one_headline_below_two_folders_is_one_article_where_its_own_part_tells_it() -> None:
    """Editions have what they share below each of their folders, sites an article in two of its sections."""
    spellings = Spellings()
    spellings.others([("http://n.test/uk/news/the-bridge-is-closed", A), ("http://n.test/news/4711.html", B)])
    again = {
        "http://n.test/au/news/the-bridge-is-closed": "http://n.test/uk/news/the-bridge-is-closed",
        "http://n.test/trade/4711.html": "http://n.test/news/4711.html",
    }
    assert spellings.others([(url, A if "/au/" in url else B) for url in again]) == again
    others = [("au/sport/the-bridge-is-closed", A), ("us/news/the-bridge-is-closed", B), ("trade/12/4711.html", B)]
    assert spellings.others([(f"http://n.test/{path}", text) for path, text in others]) == {}
    # each day has its own, and what tells an article may be the folder
    for day in ("05/the-day-in-brief", "06/the-day-in-brief", "bridge/index.html", "ferry/index.html"):
        assert spellings.others([(f"http://n.test/{day}", A)]) == {}


def test_no_more_headlines_are_remembered_than_links(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("articlebot.twins.spellings._MOST", 4)
    spellings = Spellings()
    spellings.others([(f"http://www.n.test/news/{number}", f"{A} {number}") for number in range(12)])
    assert len(spellings._places) == 4


def test_a_link_that_alone_is_spelled_so_may_lead_nowhere() -> None:
    spellings = Spellings()
    spellings.others([("http://n.test/a.html/", A), ("http://n.test/NEWS/b.html", B)])
    assert spellings.others([("http://n.test/a.html", A), ("http://n.test/news/b.html", B)]) == {}


def test_letter_case_is_judged_by_titles() -> None:
    spellings = Spellings()
    spellings.others([("http://n.test/News/a", A), ("http://n.test/News/b", "")])
    assert spellings.others([("http://n.test/news/a", A), ("http://n.test/news/b", "")]) == {}
    for number in range(2):
        spellings.others([(f"http://n.test/News/{number}", A), (f"http://n.test/news/{number}", A)])
    assert spellings.others([("http://n.test/news/a", A), ("http://n.test/news/b", "")]) == {
        "http://n.test/news/a": "http://n.test/News/a", "http://n.test/news/b": "http://n.test/News/b",
    }  # fmt: skip
    assert spellings.others([("http://n.test/News/c", A), ("http://n.test/news/c", B)]) == {}


def test_short_names_differ_in_letter_case() -> None:
    spellings = Spellings()
    assert spellings.others([("http://n.test/aB3", A), ("http://n.test/Ab3", B), ("http://n.test/ab3", "")]) == {}
