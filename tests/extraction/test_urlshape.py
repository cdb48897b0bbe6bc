from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.errors import StateError
from articlebot.extraction.shapes import MAX_SHAPES, Shapes
from articlebot.extraction.url_words import is_about_site, is_about_wiki, is_side_list
from articlebot.extraction.urlshape import is_one_of_many, looks_like_article, shape


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (
            "https://www.example.com/news/2024/05/03/a-new-bridge-opens.html",
            "www.example.com/news/<Y>/<M>/<D>/<slug>.html",
        ),
        ("http://example.com/c/2024-05-03/doc-12345678.shtml", "example.com/c/<date>/doc-<n>.shtml"),
        ("http://example.com/?id=991&page=2", "example.com/?id=<n>&page=<d>"),
        ("http://example.com/talks/4b64cacd", "example.com/talks/<hex>"),
        ("http://example.com/p/Xk92bQ7d.html", "example.com/p/<hex>.html"),
        ("http://example.com/posts/7ceb62d.html", "example.com/posts/<hex>.html"),
        ("http://example.com/posts/feb2026.html", "example.com/posts/feb<n>.html"),
        ("http://example.com/health/covid19", "example.com/health/covid<d>"),
        ("http://example.com/world/", "example.com/world/"),
        ("http://example.com/", "example.com/"),
        ("http://[broken", "<invalid>"),
    ],
)
def test_shape_keeps_what_repeats(url: str, expected: str) -> None:
    assert shape(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "https://www.example.com/2024/05/03/world/a-new-bridge-opens.html",
        "https://news.example.cn/c/2024-05-03/doc-imzabcd1234567.shtml",
        "https://example.com/news/articles/c4n8zyrp9o-123456",
        "https://example.com/talks/4b64cacd",
        "https://example.com/politics/minister-resigns-after-long-night-of-votes",
        "https://example.com/%E7%94%9F%E6%B4%BB/28-%E6%BB%A8%E6%B1%9F%E6%AD%A5%E9%81%93%E4%B8%BA%E4%BD%95.html",
    ],
)
def test_article_addresses_look_like_articles(url: str) -> None:
    assert looks_like_article(url) >= 0.5


@pytest.mark.parametrize(
    "url",
    [
        "https://www.example.com/",
        "https://www.example.com/world/",
        "https://www.example.com/tag/elections",
        "https://www.example.com/%E6%97%B6%E6%94%BF/",
        "https://www.example.com/channel_25950",
        "https://www.example.com/bbs/list.php?id=free",
        "https://www.example.com/index.php?m=content&c=index&a=lists&catid=6&id=12",
        "https://www.example.com/index.php?c=article&a=index&id=12",
        "https://www.example.com/index.php?m=content&c=index&a=show&catid=6",
        "https://www.example.com/list-12345-2.html",
        "https://example.com/contributors/imogen-van-underhill",
        "https://example.org/wiki/User:Imogen_of_the_harbour_town",
        "https://example.org/w/index.php?title=A_bridge_for_the_harbour&oldid=9231",
        "https://example.com/about/contact.html",
        "https://example.com/photo.jpg",
        "https://example.com/journal?author=5f3a9c01",
        "https://example.com/news?tag=184213",
        "https://example.com/town/?p=580",
        "https://example.com/index.php?p=12",
        "https://example.com/?p=580&cat=3",
        "https://example.com/show.php?art=123456&print=1",
        "https://example.com/modules.php?name=News&file=print&sid=123456",
        "https://example.com/news/a-bridge-for-the-harbour-town?view=print",
        "mailto:someone@example.com",
    ],
)
def test_sections_and_files_do_not(url: str) -> None:
    assert looks_like_article(url) < 0.4


def test_an_address_is_one_of_many_where_four_others_have_its_shape() -> None:
    others = [f"https://example.com/{n}.html" for n in (9, 10, 101, 102)]
    assert is_one_of_many("https://example.com/77.html", others)
    assert not is_one_of_many("https://example.com/77.html", [*others[:3], "https://example.com/77.html"])
    assert not is_one_of_many("https://example.com/sport/", ["https://example.com/sport/"] * 9)


@pytest.mark.parametrize("end", ["", "/"])
def test_a_headline_may_begin_as_lists_by_tag_are_called(end: str) -> None:
    assert not is_side_list(f"https://example.com/posts/label-withdraws-the-singer-s-video{end}")
    assert is_side_list(f"https://example.com/label-music{end}")


@pytest.mark.parametrize("action", ["do=recent", "do=media&ns=", "do=index", "do=", "do=export_raw", "do=revisions"])
def test_what_is_done_on_a_wiki_is_no_article_of_it(action: str) -> None:
    assert is_about_wiki(f"https://example.com/doku.php?id=start&{action}")
    assert not is_about_wiki("https://example.com/doku.php?id=news:bridge&todo=recent")


@pytest.mark.parametrize(
    ("url", "aside"),
    [
        ("/?author=3", True), ("/?tag=bay", True), ("/story?id=4711&tag=bay", False), ("/?cat=3", False),
        ("/spip.php?auteur5", True), ("/spip.php?mot12", True), ("/spip.php?rubrique3", False),
        ("/spip.php?article7", False),
    ],
)  # fmt: skip
def test_lists_by_tag_or_author_may_be_asked_for_in_the_query(url: str, aside: bool) -> None:
    assert is_side_list(f"https://example.com{url}") is aside


@pytest.mark.parametrize(
    ("path", "aside"),
    [
        ("/docs/installing-the-tide-app/", True), ("/legal/terms-of-service", True), ("/en/help/Reading-tables", True),
        ("/docs/", False), ("/about/news/a-new-bridge-opens", False), ("/news/help-for-the-harbour", False),
    ],
)  # fmt: skip
def test_what_a_site_says_of_itself_lies_right_in_a_folder_of_that_name(path: str, aside: bool) -> None:
    assert is_about_site(f"https://example.com{path}") is aside


def test_names_in_the_query_are_told_apart() -> None:
    """SPIP's programs: spip.php?article1373, spip.php?auteur5."""
    assert shape("http://a.test/spip.php?article1373") == shape("http://a.test/spip.php?article1380")
    assert shape("http://a.test/spip.php?article1373") != shape("http://a.test/spip.php?auteur1380")


def test_observed_kinds_teach_a_site_whose_addresses_say_nothing() -> None:
    shapes = Shapes()
    for i in range(10):
        shapes.observe(f"http://example.com/x/{i:02d}", "article")
        shapes.observe(f"http://example.com/y/some-long-name-of-a-section-{i}", "list")
    assert shapes.judge("http://example.com/x/77") > 0.7
    assert shapes.judge("http://example.com/y/another-long-name-of-a-section") < 0.35
    assert shapes.judge("http://example.com/y/pic.jpg") == 0.0


def test_a_folder_never_seen_shares_what_its_sisters_taught() -> None:
    shapes = Shapes()
    for i in range(10):
        shapes.observe(f"http://example.com/sport/{i:02d}.php", "article")
    assert shapes.judge("http://example.com/world/55.php") > looks_like_article("http://example.com/world/55.php") + 0.2


def test_state_survives_and_is_bounded() -> None:
    shapes = Shapes()
    for i in range(MAX_SHAPES + 10):
        shapes.observe("http://example.com/" + "".join(chr(97 + int(d)) for d in str(i)) + "/1", "list")
    assert len(shapes.counts) <= MAX_SHAPES
    assert Shapes.from_json(shapes.to_json()) == shapes


@pytest.mark.parametrize("text", ["", "[]", '{"version": 99, "counts": {}}', '{"version": 1, "counts": {"a": [1]}}'])
def test_damaged_state_is_refused(text: str) -> None:
    with pytest.raises(StateError):
        Shapes.from_json(text)


@given(st.text(max_size=80))
def test_any_text_is_judged_within_bounds(text: str) -> None:
    url = "http://example.com/" + text
    assert 0.0 <= looks_like_article(url) <= 1.0
    assert 0.0 <= Shapes().judge(url) <= 1.0


@pytest.mark.parametrize(
    "url",
    [
        "http://n.test/index.jsp?storyID=331739",
        "http://n.test/index.php?m=content&c=index&a=show&catid=6&id=12",
        "http://n.test/index.php?option=com_content&view=article&id=7&catid=2",
        "http://n.test/article.cfm?id=a-new-bridge-opens",
        "http://n.test/?/site/article/4255/",
        "http://n.test/story.php?id=331739&author=77",
        "http://n.test/?p=580",
        "http://n.test/index.php?p=580",
    ],
)
def test_an_identity_in_the_query_makes_an_article(url: str) -> None:
    assert looks_like_article(url) >= 0.45


def test_what_two_workers_count_adds_up() -> None:
    one, other = Shapes(), Shapes()
    for number in range(1000, 1020):
        one.observe(f"https://s.test/n/{number}.html", "article")
        other.observe(f"https://s.test/tag/{number}", "list")
    assert one.fresh == one.counts
    both = Shapes()
    both.add(one.fresh)
    both.add(other.fresh)
    assert not both.fresh
    for url in ("https://s.test/n/7777.html", "https://s.test/tag/7777"):
        assert (both.judge(url) > 0.5) is (url.endswith("html"))
    assert sum(map(sum, both.counts.values())) == 2 * sum(map(sum, one.counts.values()))
