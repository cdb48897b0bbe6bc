"""How a list's next page is known."""

from __future__ import annotations

import pytest

from articlebot.page import Page
from articlebot.seeds.offers import offers
from articlebot.sources.further import next_page


def page(url: str, links: dict[str, str]) -> Page:
    rows = "".join(f"<li><a href='{href}'>{text}</a></li>" for href, text in links.items())
    return Page.parse(f"<html><body><ul>{rows}</ul></body></html>".encode(), url)


@pytest.mark.parametrize(
    ("url", "href", "text"),
    [
        ("http://a.test/desk/town", "/desk/town/p2", "Further back"),
        ("http://a.test/desk/town/p2", "/desk/town/p3", "Further back"),
        ("http://a.test/list?cat=3", "?cat=3&page=2", "Yesterday and before"),
        ("http://a.test/roll/index.html", "index_2.html", "昨天的"),
        ("http://a.test/desk/town", "/desk/town/elsewhere", "Next page"),
        ("http://a.test/ja", "?page=1", "もっと見る"),
        ("http://a.test/desk/town/p2", "/desk/town/p3", "3"),
    ],
)
def test_a_list_goes_on_where_a_word_or_its_address_says_so(url: str, href: str, text: str) -> None:
    other = {"/desk/harbour/p2": "Further back", "/2026/11/05/a-story.html": "A story of a bridge"}
    assert next_page(page(url, {**other, href: text})) == page(url, {}).resolve(href)


@pytest.mark.parametrize(
    ("url", "href", "text"),
    [
        ("http://a.test/desk/town/p3", "/desk/town/p2", "Towards today"),
        ("http://a.test/desk/town/p3", "/desk/town/p5", "Much further back"),
        ("http://a.test/desk/town", "/desk/harbour/p2", "Further back"),
        ("http://a.test/2026/11/04/", "/2026/11/05/", "A day later"),
        ("http://a.test/", "/news?page=1", "More news"),
        ("http://a.test/news", "/news/a-story-of-2", "A story of two bridges and of the people who built them"),
    ],
)
def test_other_pages_are_no_next_page(url: str, href: str, text: str) -> None:
    assert next_page(page(url, {href: text})) is None


def test_further_pages_of_a_list_are_no_sections() -> None:
    links = {
        "/desk/town": "Town",
        "/desk/town/p2": "Further back",
        "/desk/harbour/p2": "Further back",
        "/desk/5": "Five",
        "?page=1": "もっと見る",
    }
    assert offers(page("http://a.test/desk/harbour", links)).sections == (
        "http://a.test/desk/town",
        "http://a.test/desk/5",
    )
