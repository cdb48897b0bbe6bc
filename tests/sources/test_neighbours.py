"""The articles before and after one, by what its page says of its links."""

from __future__ import annotations

import pytest

from articlebot.page import Page
from articlebot.sources.neighbours import neighbours, related

OWN = "http://a.test/2026/11/05/a-bridge-is-opened-again.html"
BEFORE = "/2026/11/04/two-towns-share-one-bus.html"


def found(markup: str) -> list[str]:
    page = Page.parse(f"<html><body>{markup}</body></html>".encode(), OWN)
    return [link.url.removeprefix("http://a.test") for link in neighbours(page)]


@pytest.mark.parametrize(
    "markup",
    [
        f"<a href='{BEFORE}'>← Two towns share one bus</a>",
        f"<a href='{BEFORE}'>Two towns share one bus »</a>",
        f"<a href='{BEFORE}' class='nav-previous'>Two towns share one bus</a>",
        f"<div class='nav-previous'><a href='{BEFORE}'>Two towns share one bus</a></div>",
        f"<p>上一篇：<a href='{BEFORE}'>两镇共用一辆公交</a></p>",
        f"<li><span>Older article:</span> <a href='{BEFORE}'>Two towns share one bus</a></li>",
        f"<a href='{BEFORE}'>Vorheriger Beitrag: Zwei Orte</a>",
        f"<link rel='prev' href='{BEFORE}'>",
    ],
)
def test_what_is_named_as_the_one_before_or_after(markup: str) -> None:
    assert found(markup) == [BEFORE]


@pytest.mark.parametrize(
    "markup",
    [
        f"<a href='{BEFORE}'>Two towns share one bus</a>",
        f"<p>Read what came next: it is</p><ul><li><a href='{BEFORE}'>Two towns share one bus</a></li></ul>",
        "<a href='/next'>Next</a>",
        "<a href='http://b.test/2026/11/04/two-towns-share-one-bus.html'>← Two towns</a>",
        f"<a href='{OWN}#more'>Next</a>",
        "<a href='http://['>← x</a><a>Next</a>",
    ],
)
def test_other_links_are_none(markup: str) -> None:
    assert found(markup) == []


@pytest.mark.parametrize(
    ("own", "link", "is_one"),
    [
        (f"{OWN}?sid=4f1c", BEFORE, True),
        (OWN, f"{BEFORE}?from=below", True),
        ("http://a.test/read.php?id=12", "/read.php?id=11", True),
        ("http://a.test/read.php?id=12", "/read.php?page=11", False),
    ],
)
def test_the_one_before_may_have_other_parameters_where_its_path_is_another(own: str, link: str, is_one: bool) -> None:
    page = Page.parse(f"<a href='{link}'>Previous: Two towns</a>".encode(), own)
    assert bool(neighbours(page)) == is_one


def test_the_one_before_may_have_a_shorter_number() -> None:
    page = Page.parse("<a href='/archives/99'>上一篇：两镇共用一辆公交</a>".encode(), "http://a.test/archives/100")
    assert [link.url for link in neighbours(page)] == ["http://a.test/archives/99"]


def test_what_is_recommended_is_alike() -> None:
    service = "<a href='/about-the-paper-and-its-people'>About us</a>"
    links = f"<aside><a href='{BEFORE}'>Two towns share one bus from spring on</a>{service}</aside>"
    page = Page.parse(f"<html><body>{links}</body></html>".encode(), OWN)
    assert [link.url for link in related(page)] == [f"http://a.test{BEFORE}"]
    assert related(page, [f"http://a.test{BEFORE}"]) == []
