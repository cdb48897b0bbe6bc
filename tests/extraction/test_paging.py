from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.extraction.page_numbers import later_pages
from articlebot.extraction.paging import first_page, next_pages
from articlebot.extraction.parts import join, join_html
from articlebot.page.page import Page


def page(body: str, url: str) -> Page:
    return Page.parse(f"<html><body>{body}</body></html>".encode(), url)


@pytest.mark.parametrize(
    ("url", "body", "expected"),
    [
        ("http://n.test/a/123.html",
         '<a href="123_2.html">2</a><a href="123_3.html">3</a><a href="123_2.html">下一页</a>',
         ["http://n.test/a/123_2.html", "http://n.test/a/123_3.html"]),
        ("http://n.test/a/slug,1360.html", '<a href="/a/slug,1360,2.html">Page 2</a>', ["http://n.test/a/slug,1360,2.html"]),
        ("http://n.test/a/123", '<a rel="next" href="?page=2">Next</a>', ["http://n.test/a/123?page=2"]),
        ("http://n.test/a/story/", '<a href="/a/story/2/">Next page »</a>', ["http://n.test/a/story/2"]),
        ("http://n.test/2024-05-12.html", '<a href="/2024-05-12-2.html">[2]</a>', ["http://n.test/2024-05-12-2.html"]),
        ("http://n.test/articles/-/77", '<a href="/articles/-/77?page=2">次ページへ</a>', ["http://n.test/articles/-/77?page=2"]),
        ("http://n.test/a/story", '<a href="/a/story?page=2">Página siguiente</a>', ["http://n.test/a/story?page=2"]),
        # a number of its own behind the article's, and an address that ends in little
        ("http://n.test/story/54716354/1", '<a href="/story/54716354/2">2</a><a href="/story/1/2">2</a>',
         ["http://n.test/story/54716354/2"]),
        ("http://n.test/news/a", '<a href="/news/a?page=2">2</a><a href="/sports/a?page=2">2</a>',
         ["http://n.test/news/a?page=2"]),
        # headlines that end as words for "page" do
        ("http://n.test/dog-mishap/", '<a href="/dog-mishap/2/">2</a><a href="/dog-mishap/3/">3</a>',
         ["http://n.test/dog-mishap/2", "http://n.test/dog-mishap/3"]),
        ("http://n.test/on-the-front-page", '<a href="/on-the-front-page/2">2</a>', ["http://n.test/on-the-front-page/2"]),
        ("http://n.test/a/123.html", '<a href="123p2.html">2</a>', ["http://n.test/a/123p2.html"]),
        # the next article, the next day, another story: no pages of this one
        ("http://n.test/a/123.html", '<a rel="next" href="124.html">Next</a><a href="/b/9_2.html">2</a>', []),
        ("http://n.test/2024/05/12", '<a href="/2024/05/13">13</a>', []),
        ("http://n.test/news/1", '<a rel="next" href="/news/2">Next</a><a rel="prev" href="/news">All news</a>', []),
        ("http://n.test/a/1.html", '<a href="1_2.html">2</a><a href="2.html">Next article</a>', ["http://n.test/a/1_2.html"]),
        ("http://n.test/?p=9", '<a href="/">Home</a><a href="/?p=9&page=2">2</a><a rel="next" href="/?p=10">Next</a>',
         ["http://n.test/?p=9&page=2"]),
        ("http://n.test/?p=9", '<a href="/">Home</a><a class="nav-next" rel="next" href="/?p=10">Next post</a>', []),
        ("http://n.test/a/123.html", "", []),
        # all in one; a story elsewhere that can be read so is none
        ("http://n.test/a/story",
         '<a href="?page=2">2</a><a href="?page=3">3</a><a href="/b/story?single=1">Single page</a>'
         '<a href="/a/story?single=1">View as single page</a>', ["http://n.test/a/story?single=1"]),
        # counted from 0
        ("http://n.test/a/t_77.shtml", '<a href="t_77_1.shtml">第2页</a><a href="t_77_2.shtml">第3页</a>',
         ["http://n.test/a/t_77_1.shtml", "http://n.test/a/t_77_2.shtml"]),
        ("http://n.test/a/123_0.html", '<a href="123_1.html">2</a>', ["http://n.test/a/123_1.html"]),
        ("http://n.test/a/story?start=0", '<a href="?start=1">Next page</a>', ["http://n.test/a/story?start=1"]),
        # where the reader came from is left out on the further pages; another story, or its list, is none
        ("http://n.test/a.php?id=45&from=home", '<a href="a.php?id=45&page=2">Next page »</a>',
         ["http://n.test/a.php?id=45&page=2"]),
        ("http://n.test/a/4711.html", '<a href="4711_2.html"><img src=n.gif alt="下一页"></a>', ["http://n.test/a/4711_2.html"]),
        ("http://n.test/a/4711.html", '<a href="javascript:;" onclick="location.href=\'/a/4711_2.html\'">2</a>',
         ["http://n.test/a/4711_2.html"]),
        ("http://n.test/a/4711.html", "<select onchange='go(this.value)'><option value='4711_2.html'>第2页</select>",
         ["http://n.test/a/4711_2.html"]),
        ("http://n.test/the-bridge/", "<select name=stars><option value=2>2</option></select>", []),
        ("http://n.test/a/4711", '<a href="/a/4711/2">Continue to page 2</a>', ["http://n.test/a/4711/2"]),
        ("http://n.test/a/the-long-bridge", '<a href="/a/the-long-bridge/part-2">Part 2 »</a>', ["http://n.test/a/the-long-bridge/part-2"]),
        ("http://n.test/a/4711.html",
         '<a href="4711_all.html">阅读全文</a><a href="4711_2.html">2</a><a href="4711_3.html">3</a>',
         ["http://n.test/a/4711_all.html"]),
        ("http://n.test/a/t2026_4711.htm", '<script>createPageHTML(3, 0, "t2026_4711", "htm");</script>',
         ["http://n.test/a/t2026_4711_1.htm", "http://n.test/a/t2026_4711_2.htm"]),
        ("http://n.test/a/t2026_4711.htm", '<script>createPageHTML(3, 0, "index", "htm");</script>', []),
        ("http://n.test/a/9095.html?from=home", '<a href="9095_2.html">【2】</a>', ["http://n.test/a/9095_2.html"]),
        ("http://n.test/a/latest?from=home", '<a href="latest?page=2">2</a>', []),
        ("http://n.test/a.php?cat=5&id=45",
         '<a href="a.php?cat=5&page=2">Next page</a><a href="a.php?id=46&page=2">2</a>', []),
        # an arrow without text; what a base element makes another address; scripts, comments, other hosts
        ("http://n.test/a/story", '<a aria-label="Next page" href="/a/story?page=2"><svg></svg></a>', ["http://n.test/a/story?page=2"]),
        ("http://n.test/a/story.html", '<base href="http://n.test/b/"><a href="story_2.html">2</a>', []),
        ("http://n.test/a/story.html", '<a href="javascript:go(2)">2</a><a href="#2">2</a><a>2</a>'
         '<a href="?cpage=2">2</a><a href="http://evil.test/a/story_2.html">2</a>', []),
    ],
)  # fmt: skip
def test_next_pages(url: str, body: str, expected: list[str]) -> None:
    assert [u.rstrip("/") for u in next_pages(page(body, url))] == expected


@pytest.mark.parametrize("session", ["?sid=d38cd19a79c8d49f", ";jsessionid=d38cd19a79c8d49f"])
def test_a_session_that_the_address_leaves_out_is_no_part_of_a_further_page(session: str) -> None:
    body = "".join(f'<a href="/{name}{session}">{name}</a>' for name in ("home", "news", "sport", "10001", "10003"))
    body += f'<b>1</b> <a href="/news/10002/2{session}">2</a> <a href="/news/10002/2{session}">Next</a>'
    assert next_pages(page(body, "http://n.test/news/10002")) == ["http://n.test/news/10002/2"]


def test_from_a_later_page_only_the_later_ones() -> None:
    body = '<a href="123.html">1</a><a href="123_2.html">2</a><a href="123_3.html">3</a>'
    assert next_pages(page(body, "http://n.test/123_2.html")) == ["http://n.test/123_3.html"]


def test_a_page_that_is_known_to_continue_another_names_the_next() -> None:
    further = page('<a class="next" href="/r/77/page/3">Next page: the verdict »</a>', "http://n.test/r/77/page/2")
    assert next_pages(further) == []
    assert next_pages(further, 2) == ["http://n.test/r/77/page/3"]
    picture = page('<a href="123_2.html">上一张</a><a href="123_4.html">下一张</a>', "http://n.test/a/123_3.html")
    assert next_pages(picture, 3) == ["http://n.test/a/123_4.html"]


@pytest.mark.parametrize(
    ("url", "first"),
    [
        ("http://n.test/a/story?page=3", "http://n.test/a/story"),
        ("http://n.test/a/5526112_3.html", "http://n.test/a/5526112.html"),
        ("http://n.test/a/20261124/3.html", None),
        ("http://n.test/a-headline-of-words/3/", "http://n.test/a-headline-of-words/"),
        ("http://n.test/2026/11/24", None),
        ("http://n.test/a-headline-of-words-2", None),
    ],
)
def test_the_first_page_of_what_a_page_continues(url: str, first: str | None) -> None:
    links = '<a href="/a/story">1</a><a href="/a/5526112.html">1</a><a href="/a/20261124/1.html">1</a>'
    links += '<a href="/a-headline-of-words/">1</a>'
    assert first_page(page(f'{links}<a href="/2026/11">1</a>', url)) == first


def test_further_pages_among_the_addresses_of_a_sitemap() -> None:
    stay = {
        "http://n.test/a/story", "http://n.test/5526112.html", "http://n.test/news/12", "http://n.test/news",
        "http://n.test/20261124/1.html", "http://n.test/20261124/2.html", "http://n.test/c_20261124",
        "http://n.test/c_20261124_2", "http://n.test/2026_11_24.html", "http://n.test/2026_11_24_2.html",
        "http://n.test/a-headline-of-words", "http://n.test/a-headline-of-words-2", "http://n.test/the-long-way-home",
        "http://n.test/the-long-way-home-part-2", "http://n.test/2026/11", "http://n.test/2026/11/12",
        "http://n.test/", "http://n.test/?p=7",
    }  # fmt: skip
    later = {
        "http://n.test/a/story?page=2", "http://n.test/5526112_3.html", "http://n.test/5526112-2.html",
        "http://n.test/a-headline-of-words/2", "http://n.test/the-long-way-home/page/2/",
    }  # fmt: skip
    assert later_pages(stay | later) == later


def test_at_most_fifty() -> None:
    body = "".join(f'<a href="/a_{i}.html">{i}</a>' for i in range(2, 99))
    assert len(next_pages(page(body, "http://n.test/a.html"))) == 49


def test_what_repeats_from_page_to_page_is_kept_once() -> None:
    one = "The headline of it all\nFirst part of the story.\nShare this story with your friends"
    two = "The headline of it all\nSecond part of the story.\nYes.\nShare this story with your friends"
    joined = join([one, two, one])
    assert joined.split("\n") == [
        "The headline of it all", "First part of the story.", "Share this story with your friends",
        "Second part of the story.", "Yes.",
    ]  # fmt: skip
    assert join_html(["<p>H</p><p>One &amp; all</p>", "<p>H</p><p>Two</p>"]) == "<p>H</p><p>One &amp; all</p><p>Two</p>"


@given(st.lists(st.text(max_size=60), max_size=6))
def test_joining_keeps_the_first_part_and_repeats_nothing_whole(parts: list[str]) -> None:
    joined = join(parts)
    first = [line for line in parts[0].split("\n") if line.strip()] if parts else []
    assert joined.split("\n")[: len(first)] == (first or [""][: len(first)])
    assert join([*parts, *parts[:1]]) == joined
