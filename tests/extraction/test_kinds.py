from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.extraction.kinds import kind
from articlebot.page.page import Page

PROSE = "The council met on Monday and decided to build the bridge after all. " * 4
TEASERS = "".join(
    f'<div class="card"><h3><a href="/news/2024/05/story-number-{i}-of-today.html">Story number {i} of today has a '
    f"long headline</a></h3><p>A short summary of story number {i}, in one sentence.</p></div>"
    for i in range(25)
)
ZH_LINKS = "".join(
    f'<li><a href="/c/2024-05-03/{1000000 + i}.shtml">第{i}条新闻的标题说明今天发生了什么事情</a></li>'
    for i in range(60)
)


def judged(body: str, url: str = "https://n.test/news/2024/05/03/a-story-of-a-bridge.html", head: str = "") -> str:
    return kind(Page.parse(f"<html><head>{head}</head><body>{body}</body></html>".encode(), url)).name


def test_articles() -> None:
    nav = "".join(f'<li><a href="/s{i}/">Section {i}</a></li>' for i in range(40))
    assert judged(f"<ul>{nav}</ul><h1>A bridge</h1>" + f"<p>{PROSE}</p>" * 4) == "article"
    assert (
        judged(
            "<div>" + "市议会周一开会，决定还是要建这座桥。居民们表示欢迎。<br><br>" * 12 + f"</div><ul>{ZH_LINKS}</ul>"
        )
        == "article"
    )


@pytest.mark.parametrize(
    "path", ["/events/31", "/jobs/hgv-driver-day-shifts-town", "/de/produkte/micro", "/loja/caneca-9"]
)
def test_goods_jobs_and_events_are_no_articles_unless_they_say_so(path: str) -> None:
    body, url = (
        f"<h1>Table quiz in aid of the lifeboat</h1><p>Saturday 5 December 2026</p><p>{PROSE * 3}</p>",
        "https://n.test",
    )
    assert judged(body, url + path) == "other"
    said = '<script type="application/ld+json">{"@type":"NewsArticle"}</script>'
    assert judged(body, url + path, said) == judged(body, url + "/town/31") == "article"
    shown = '<script type="application/ld+json">{"@graph":[{"@type":"ExhibitionEvent"}]}</script>'
    assert judged(body, url + "/town/31", shown) == "other"
    assert judged(body, url + "/town/31", shown * 2) == judged(body, url + "/town/31", said + shown) == "article"


FLASH = "<h1>The harbour board postpones its new ferry terminal</h1>"
LINE = "<p>The board said so on Monday; the terminal is to open next May.</p>"
HOT = "".join(f'<a href="/live/{88_000 + i}">Story {i} of today has a long headline, too</a>' for i in range(7))


def test_a_flash_below_its_headline_and_minute() -> None:
    url = "https://n.test/live/88012"
    assert judged(f"{FLASH}<div>2024-05-03 10:15</div>{LINE}<div>{HOT}</div>", url) == "article"
    assert judged(f"{FLASH}{LINE}<div>{HOT}</div>", url) != "article"
    assert judged(f"<h1>Live</h1><div>2024-05-03 10:15</div>{LINE}<div>{HOT}</div>", url) != "article"


def test_a_thread_of_short_posts_is_no_flash() -> None:
    post = "<div>网友{0} <em>发表于 2026-11-1{0} 09:30</em></div><p>预算三万左右，急，有没有认识的师傅推荐一下。</p>"
    posts = "".join(post.format(number) for number in range(4))
    assert judged(f"<h1>求推荐靠谱的装修师傅，老城附近</h1>{posts}", "https://n.test/thread-22-1-1.html") == "other"


def test_a_thread_whose_first_post_is_long_is_no_article() -> None:
    """The first post stands below a line as its answers do; an article and its comments below two kinds of lines."""
    line = "<div class='post{0}'><div class=by>发表于 2024-05-0{0} 09:30</div></div><div class=text>{1}</div>"
    long = "市政部门昨夜拆除了桥面护栏，工程预计持续三个月，期间公交车改道行驶，沿线商户对此表示担忧。" * 6
    answers = "".join(line.format(number, "顶一个，楼主辛苦了，写得真不错。") for number in range(2, 5))
    thread = f"<h1>老城大桥封闭施工三个月，市民出行怎么办</h1>{line.format(1, long)}{answers}"
    assert judged(thread, "https://n.test/thread-22-1-1.html") == "other"
    by = "<div id=p{0}><p class=author>by gasket{0} » Fri May 0{0}, 2024 3:04 PM</p><div class=content>{1}</div></div>"
    words = "The council keeps the old bridge closed for three months while its deck is laid anew, and buses turn. " * 6
    for line in (by, by.replace("by gasket{0} »", "By: <a href=/u/{0}>gasket{0}</a> on")):
        topic = line.format(1, words) + "".join(line.format(n, "Had the same last year.") for n in range(2, 5))
        page = f"<h2>How do you cross the river this summer</h2>{topic}"
        assert judged(page, "https://n.test/t.php?t=1255") == "other"
    article = f"<h1>老城大桥封闭施工三个月，市民出行怎么办</h1><p>发布于 2024-05-01 09:30</p><p>{long}</p>{answers}"
    assert judged(article, "https://n.test/news/22.html") == "article"


@pytest.mark.parametrize(
    ("forum", "answer", "expected"),
    [
        ("Announcements", "Great news, thanks.", "article"),
        ("General chat", "Great news, thanks.", "other"),
        ("Announcements", "I doubt that the buses turn in time, as nobody has asked the drivers. " * 5, "other"),
    ],
)
def test_what_a_forum_of_news_announces_is_an_article(forum: str, answer: str, expected: str) -> None:
    by = "<div id=p{0}><p class=author>by gasket{0} » Fri May 0{0}, 2024 3:04 PM</p><div class=content>{1}</div></div>"
    words = "The council keeps the old bridge closed for three months while its deck is laid anew, and buses turn. " * 6
    posts = by.format(1, words) + "".join(by.format(number, answer) for number in (2, 3))
    crumbs = f"<ul class=nav-breadcrumbs><li><a href=/>Board index</a></li><li><a href=/f2>{forum}</a></li></ul>"
    thread = f"{crumbs}<h2>The bridge is closed for three months from Monday</h2>{posts}"
    assert judged(thread, "https://n.test/viewtopic.php?f=2&t=1255") == expected


def test_paragraphs_in_boxes_of_their_own_are_one_text_among_slots_of_adverts() -> None:
    line = "The harbour authority will close the eastern quay from Monday after divers found cracks in its piles."
    text = "<ad-slot>Advertisement</ad-slot>".join(f"<a-box><p>{line}</p></a-box>" for _ in range(4))
    teasers = "".join(
        f"<article><a href=/t/{i}><h3>School roof {i} to be replaced before Christmas</h3><p>{line}</p></a></article>"
        for i in range(3)
    )
    head = "<meta property=article:published_time content=2025-11-13T16:42:00Z>"
    body = f"<h1>Quay closes</h1><a-body>{text}</a-body>{teasers}"
    assert judged(body, "https://n.test/news/quay", head) == "article"


def test_sections_of_one_text_are_an_article() -> None:
    text = "Forty sets, the oldest from 1926, and most of them still play. Ask for the one below the floor."
    items = "".join(f"<section><h2>{i}. The shed of the radios</h2><p>{text}</p></section>" for i in range(5))
    links = "".join(
        f'<li><a href="/guides/some-guide-{i}">Another guide that one may like to read</a></li>' for i in range(9)
    )
    assert (
        judged(f"<h1>Five sheds</h1><div>{items}</div><ul>{links}</ul>", "https://n.test/guides/best-sheds")
        == "article"
    )
    teasers = items.replace("<h2>", "<h2><a href=/guides/the-shed-of-radios>")
    assert judged(f"<div>{teasers}</div><ul>{links}</ul>", "https://n.test/guides/") == "list"


def test_a_flash_of_one_dated_paragraph_is_an_article() -> None:
    text = "国内一家企业的芯片累计装车量突破一千万颗，覆盖十二个品牌的四十多款车型，业内人士表示，空间仍然很大。"
    links = "".join(f'<li><a href="/detail/18512{i}">{i}号线今起空载试运行</a></li>' for i in range(8))
    flash = f"<div><div>2024.11.05 08:02</div><p>{text}</p></div><ul>{links}</ul>"
    assert judged(flash, "https://n.test/detail/1851234") == "article"


def test_two_dated_sentences_above_cards_are_an_article() -> None:
    said = (
        "<h1>Edith Marlowe, bell-founder, dies at 94</h1><p>27 February 2025</p>"
        "<p>Edith Marlowe, who cast more than 300 bells, has died at 94.</p>"
    )
    head = "<meta property=article:published_time content=2025-02-27T19:40:00Z>"
    assert judged(said + TEASERS, head=head) == "article"
    assert judged(TEASERS, head=head) == "list"


def test_lists() -> None:
    assert judged(TEASERS, "https://n.test/") == "list"
    assert judged(TEASERS, "https://n.test/news/") == "list"
    assert judged(f"<ul>{ZH_LINKS}</ul>", "https://n.test/china/") == "list"


@pytest.mark.parametrize(
    "box",
    [
        '<div id="cookie-banner" role="dialog"><h2>We value your privacy</h2><p>We and our 843 partners store and '
        "access information on a device, such as cookies, and process personal data, such as unique identifiers, "
        "for measurement and audience research.</p><button>Accept all</button></div>",
        '<div class="newsletter"><h3>Sign up to our newsletter</h3><p>Get the most important stories in your inbox '
        "every morning at seven. By signing up you agree to our terms.</p><form><input name=e></form></div>",
    ],
)
def test_what_a_box_asks_makes_no_article_of_a_list(box: str) -> None:
    links = "".join(f"<li><a href=/html/{n}.html>The bridge and the town, part {n}</a></li>" for n in range(6))
    assert judged(f"<ul>{links}</ul>", "https://n.test/issue/2026/18/") == "list"
    assert judged(f"<ul>{links}</ul>{box}", "https://n.test/issue/2026/18/") == "list"
    assert judged("<h1>News</h1>", "https://n.test/news/1.htm") == "other"
    assert judged(f"<h1>News</h1>{box}", "https://n.test/news/1.htm") == "other"


def test_a_blog_front_of_whole_posts_is_a_list() -> None:
    posts = "".join(
        f'<article><h2><a href="/2024/05/post-{i}-about-a-thing/">Post {i} about a thing of ours</a></h2>'
        + f"<p>{PROSE}</p>" * 2
        + "</article>"
        for i in range(10)
    )  # fmt: skip
    assert judged(posts, "https://blog.test/") == "list"


def test_topics_walls_adverts_and_pages_that_are_gone() -> None:
    assert judged(TEASERS, "https://n.test/topics/bridges/") == "topic"
    assert judged("<p>Please verify that you are human</p><p>Checking your browser</p>") == "wall"
    assert judged("<p>请登录后查看全文</p>") == "wall"
    assert (
        judged(
            "<h1>警告</h1><p>本物品不可派發予年齡未滿18歲的人士或將本物品向該等人士出示。</p><a href=/ok>我已滿18歲</a>"
        )
        == "wall"
    )
    assert judged("<h1>Best shoes</h1><p>Buy now! Free shipping! Add to cart</p><p>Limited time offer</p>") == "ad"
    mug = "<h1>Mug</h1><p>Made of sturdy stoneware with the crest printed on both sides, sent within days.</p>"
    assert judged(mug, head='<meta property="og:type" content="product">') == "ad"
    assert judged("<h1>404</h1>", head="<title>404 Not Found</title>") == "other"
    assert judged("") == "other"
    assert judged("<h1>Request blocked</h1><p>Your request was blocked by the security policy. ID 41</p>") == "wall"
    assert (
        judged("<h1>Page introuvable</h1><p>La page que vous cherchez n’existe pas ou a été déplacée.</p>") == "other"
    )


@pytest.mark.parametrize(
    "said",
    [
        "Sorry, we could not find that story", "Oops! That page can’t be found.", "The article you want is unavailable",
        "您访问的页面已下线", "抱歉，您要查看的内容已被删除", "該文章已過期", "查無此頁", "Cette page n’existe plus",
        "Diese Seite existiert leider nicht",
    ],
)  # fmt: skip
def test_a_notice_at_the_address_of_an_article_is_none(said: str) -> None:
    text = f"<h1>{said}</h1><p>It may have expired. Try the search, or go back to where you came from.</p>"
    assert judged(text, head="<title>Sorry</title>") == "other"


@pytest.mark.parametrize(
    ("stated", "kind"),
    [('<meta property="article:published_time" content="2026-11-12T08:00:00Z">', "article"), ("", "other")],
)
def test_news_of_what_was_not_found_are_an_article_where_a_day_is_stated(stated: str, kind: str) -> None:
    headline = "Missing boat not found after two days"
    text = "<p>Crews called off the search for the trawler on Thursday. Two helicopters had looked for it all week.</p>"
    head = f'<title>{headline}</title><meta property="og:type" content="article">{stated}'
    assert judged(f"<h1>{headline}</h1>{text}", "https://n.test/news/2026/boat-not-found.html", head) == kind


def test_what_is_told_of_a_person_is_an_article_where_it_has_a_day() -> None:
    told = "<p>She has led the harbour company since it was founded, and before that its yard by the river.</p>" * 9
    assert judged(f"<h1>Ann Hill leads the harbour company</h1>{told}", "https://n.test/people/3") == "other"
    for day in ("12 Nov 2026", "12th November 2026", "November 12th, 2026"):
        dated = f"<h1>Ann Hill leads the harbour company</h1><p>By Jo Lee, {day}</p>{told}"
        assert judged(dated, "https://n.test/people/3") == "article"
    headline = "https://n.test/people-of-the-harbour-company-lead.html"
    assert judged(f"<h1>Ann Hill leads the harbour company</h1>{told}", headline) == "article"


@pytest.mark.parametrize(
    ("steps", "line", "expected"),
    [
        ("当前位置：<a href=/>首页</a> &gt; 产品中心", "", "other"),
        ("<a href=/>Home</a> » <a href=/p/>Products</a> » A pump", "", "other"),
        ("<a href=/>Home</a> » <a href=/p/>Products</a> » A pump", "<p>12 November 2026</p>", "article"),
        ("<a href=/>Home</a> » <a href=/p/>Products</a> » A pump", "<p>3 hours ago</p>", "article"),
        ("<a href=/>Home</a> » <a href=/p/>News</a> » A pump", "", "article"),
        ("".join(f"<a href=/{one}/>{one}</a> » " for one in ("Home", "Products", "News", "Team")), "", "article"),
    ],
)
def test_what_stands_among_what_a_site_offers_is_an_article_where_it_has_a_day(
    steps: str, line: str, expected: str
) -> None:
    told = "<p>The pump lifts the water of the harbour to the tower, and it needs no oil for years.</p>" * 9
    page = f"<div>{steps}</div><h1>A pump for the harbour town's tower</h1>{line}{told}"
    assert judged(page, "https://n.test/show-6-40.html") == expected


def test_a_play_page_is_a_video() -> None:
    head = '<meta property="og:type" content="video.other">'
    assert (
        judged("<video src=a.mp4></video><p>A short description.</p>", "https://n.test/video/1234567.html", head)
        == "video"
    )


def test_a_long_description_leaves_a_video_one() -> None:
    data = '<script type="application/ld+json">{"@type": "VideoObject"}</script>'
    head = f'<meta property="og:type" content="video.other">{data}'
    text = "<p>" + "The council of the harbour town agreed on the new bridge after a long night. " * 8 + "</p>"
    url = "https://n.test/videos/the-bridge-opens-12345"
    assert judged(f"<video src=a.mp4></video>{text * 2}", url, head) == "video"


def test_captured_articles_are_articles(corpus: Path) -> None:
    right = total = 0
    for name in ("atf", "big9", "blogs", "fundus", "l3s"):
        folder = corpus / "pages" / name
        for line in (folder / "pages.jsonl").read_text(encoding="utf-8").splitlines()[::7]:
            row = json.loads(line)
            total += 1
            right += kind(Page.parse((folder / row["html_path"]).read_bytes(), row["url"])).name == "article"
    assert right >= 0.97 * total


@given(st.text(max_size=200))
def test_any_page_has_a_kind(text: str) -> None:
    found = kind(Page.parse(text.encode("utf-8", "replace"), "http://x.test/"))
    assert 0.0 <= found.confidence <= 1.0
    assert str(found) == found.name


@pytest.mark.parametrize("body", [b"", b"\x89PNG\r\n", b"<div>" * 5000])
def test_pages_without_text(body: bytes) -> None:
    assert kind(Page.parse(body, "http://x.test/a")).name == "other"


@pytest.mark.parametrize(("to", "name"), [("/posts/p-{}/", "list"), ("#p{}", "article")])
def test_a_link_without_text_that_is_laid_over_a_card_makes_a_teaser_of_it(to: str, name: str) -> None:
    cards = "".join(
        f"<article><header><h2>第{n}座桥今天重新开放了</h2></header><p>{'市议会周一开会，决定还是要建这座桥。' * 4}</p>"
        f'<footer>2026</footer><a aria-label="post link" href="{to.format(n)}"></a></article>'
        for n in range(6)
    )
    head = "<title>桥梁 | 日报</title>"
    assert judged(f"<main><h1>桥梁</h1>{cards}</main>", "http://d.test/categories/bridges/", head) == name


def test_entries_that_share_one_element_are_a_list() -> None:
    entries = "".join(
        f'<dt><a href="/science/10{i}805.html">A headline of the day, number {i}</a></dt><dd>{PROSE[:70]}</dd>'
        for i in range(20)
    )
    assert judged(f"<dl>{entries}</dl>", "https://n.test/") == "list"
