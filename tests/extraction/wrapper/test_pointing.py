"""The selector of an element that was pointed at: what it is made of, and that it chooses that element alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.extraction.wrapper.overrides import compiled
from articlebot.extraction.wrapper.pointing import candidates, container_of, selector_of
from articlebot.page import Page
from tests.extraction.wrapper.pages import article


def _page(body: str) -> Page:
    return Page.parse(f"<html><body>{body}</body></html>".encode(), "https://a.test/")


@pytest.mark.parametrize(
    ("body", "path", "expected"),
    [
        ("<h1 class=kicker>News</h1><h1 class=head>A</h1>", "//h1[2]", "h1.head"),
        ("<div id=by>Ann</div><div>B</div>", "//div[1]", "div#by"),
        ("<span itemprop=author>Ann</span><span>x</span>", "//span[1]", 'span[itemprop="author"]'),
        ("<div class=meta><b>Ann</b></div><b>x</b>", "//div/b", "div.meta b"),
        ("<time>1</time><p><time>2</time></p>", "//p/time", "p > time"),
        ("<p class='by a1b2'>Ann</p><p class=by>Bo</p>", "//p[1]", "p:nth-of-type(1)"),  # a name made for one page
    ],
)
def test_names_go_before_places(body: str, path: str, expected: str) -> None:
    page = _page(body)
    (element,) = page.tree.xpath(path)
    assert expected in (selector_of(page, element, []) or "")


def test_the_other_pages_decide() -> None:
    one = _page("<div class='box lead'>A</div><div class=box>x</div>")
    others = [_page("<div class=lead>A</div><div class=lead>x</div><p><div class='box lead'>y</div>")] * 3
    (element,) = one.tree.xpath("//div[1]")
    assert selector_of(one, element, []) == "div.lead"
    assert selector_of(one, element, others) == "div.box.lead"


def test_it_fits_pages_of_a_real_template() -> None:
    pages = [Page.parse(article(n)[0], f"https://a.test/{n}") for n in range(8)]
    (author,) = pages[0].tree.xpath("//span[@class='author']")
    selector = selector_of(pages[0], author, pages[1:])
    assert selector == "span.author"
    assert {one.text for page in pages for one in compiled(selector)(page.tree)} == {"By Ann Lee"}


def test_who_points_at_a_paragraph_means_the_text() -> None:
    page = _page("<div class=story><p>One <b>two</b></p><ul><li><a>x</a></li></ul></div>")
    for path in ("//b", "//p", "//div"):
        assert container_of(page.tree.xpath(path)[0]).get("class") == "story"
    assert container_of(page.tree.xpath("//li")[0]).tag == "ul"


@given(
    st.recursive(
        st.just(""),
        lambda inner: st.builds(
            lambda tag, name, parts: f"<{tag}{name}>{''.join(parts)}</{tag}>",
            st.sampled_from(["div", "span", "b", "x-y", "section"]),
            st.sampled_from(["", " class=a", " class='a b'", " id=c", " class='1 .x \"'", " rel=author"]),
            st.lists(inner, max_size=3),
        ),
        max_leaves=20,
    )
)
def test_every_candidate_chooses_the_element_alone(body: str) -> None:
    page = _page(body)
    for element in page.elements:
        for one in candidates(page, element):
            assert compiled(one)(page.tree) == [element]
