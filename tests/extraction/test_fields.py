"""Titles, authors, sources, images, keywords and clean HTML from small pages."""

# ruff: noqa: E501  markup reads best unbroken

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.extraction import clean_html
from articlebot.extraction.cascade import extract
from articlebot.extraction.fields.authors import authors_of
from articlebot.extraction.fields.images import images_between
from articlebot.extraction.fields.lead import front_of
from articlebot.extraction.fields.person_names import split_names
from articlebot.extraction.fields.sources import source_of
from articlebot.extraction.fields.titles import title_of, titles_of
from articlebot.front import Front
from articlebot.page import Page
from articlebot.page.blocks import Block
from articlebot.page.metadata import canonical_of, jsonld_nodes, keywords_of, language_of

PARAGRAPH = (
    "The council voted on Tuesday to close the bridge for repairs, which will take until the autumn of next year."
)

HARMLESS = re.compile(
    r"(?:[^<>]|</?(?:[uo]l|li|d[ldt]|table|thead|tbody|tr|blockquote|pre|h[2-6]|p|figure|figcaption|strong|em|code|su[bp]|q|mark)>|"
    r'<br>|</(?:a|td|th)>|<a href="https?://[^"<>]*">|<img src="https?://[^"<>]*" alt="[^"<>]*">|<t[dh](?: (?:col|row)span="[0-9]+")*>)*'
)
MARKUP = (
    "<p onclick=x()>Text &lt;script&gt;", "<b>bold <i>both</b></i>", "<a href='javascript:alert(1)'>bad</a>", "<br>", "</p>",
    "<a href='/x?a=1&amp;b=\"2\"'>good</a>", "<script>alert(1)</script>", "<img src='/p.jpg' alt='\"><script>' onerror=x()>",
    "<ul><li>one", "</ul>", "<table><tr><td colspan='2\"'>cell<th rowspan=3>head", "</table>", "<pre>a <b>\n b</b></pre>",
    "<blockquote>said", "</blockquote>", "<h1>Head", "</h1>", "<figure><img src='//h/q.png'><figcaption>A <b>&amp;</b> B</figcaption></figure>",
)  # fmt: skip


def parse(markup: str, url: str = "http://www.daily.test/a/1.html") -> Page:
    return Page.parse(markup.encode(), url)


def paragraphs(page: Page) -> list[Block]:
    return [block for block in page.blocks if block.text.startswith("The council")]


@pytest.mark.parametrize(
    ("markup", "title"),
    [
        ("<title>Bridge to close - Daily Test</title><h1>Bridge to close</h1>", "Bridge to close"),
        ("<title>Bridge to close for a year | Daily Test</title><meta property=og:site_name content='Daily Test'>", "Bridge to close for a year"),
        ("<title>Bridge to close_News_Daily</title><div class=logo><h1>Daily</h1></div><h2>Bridge to close</h2>", "Bridge to close"),
        ("<title>大桥将关闭一年_新闻频道_某某网</title><h1>大桥将关闭一年</h1>", "大桥将关闭一年"),
        ("<title>橋が閉まる理由（1/2 ページ） - 毎日試験</title><h1>橋が閉まる理由（1/2 ページ）</h1>", "橋が閉まる理由"),
        ('<title>x</title><script type="application/ld+json">{"@type":"NewsArticle","headline":"Bridge &amp; tunnel to close"}</script>', "Bridge & tunnel to close"),
        ("<title>Daily Test</title><h1 class=site-title>Daily Test</h1><h2 class=headline>Bridge to close for repairs</h2>", "Bridge to close for repairs"),
        ("<title>Why the bridge closes: a guide</title><h1>Bridge to close for a year, says council</h1>", "Bridge to close for a year, says council"),
        # behind a kicker in the document's title
        ("<title>Harbour: Bridge to close for a year | Daily Test</title><h1>Bridge to close for a year</h1>", "Bridge to close for a year"),
        ("<title>the daily test log: Council votes to close</title><table><tr><td><font size=6><a href='/'>the daily test log</a></font></td></tr>"
         "<tr><td><font size=4><b>Council votes to close</b></font></td></tr></table>", "Council votes to close"),
        ("<title>Daily Test: Local</title><table><tr><td><b>Council votes to close the bridge</b></td></tr><tr><td>By Ann Lee</td></tr></table>", "Council votes to close the bridge"),
    ],
)  # fmt: skip
def test_title_is_the_headline_without_the_site(markup: str, title: str) -> None:
    head, _, rest = markup.partition("</title>")
    page = parse(f"<html><head>{head}</title></head><body>{rest}<p>{PARAGRAPH}</p></body></html>")
    assert title_of(page, paragraphs(page)).text == title


def test_byline_is_no_headline_though_the_text_has_its_words() -> None:
    top = "<font size='+2'><b>How Lower Tarn found $91,000</b></font><br><i>By Ann Lee, Weekly staff</i><br>21 November 2023"
    text = f"<p>{PARAGRAPH}<p>Ann Lee said that the weekly staff was there. {PARAGRAPH}<p>{PARAGRAPH}"
    page = parse(f"<html><body><table><tr><td>{top}{text}</td></tr></table></body></html>")
    assert title_of(page, paragraphs(page)).text == "How Lower Tarn found $91,000"


@pytest.mark.parametrize(
    ("title", "asked"),
    [("Bridge to close for a year | Daily Test", False), ("Harbour: Bridge to close for a year", True), ("", True)],
)
def test_heading_that_the_title_begins_with_needs_no_classifier(title: str, asked: bool) -> None:
    page = parse(f"<title>{title}</title><body><h1>Bridge to close for a year</h1><p>{PARAGRAPH}</p></body>")
    found = title_of(page, paragraphs(page))
    assert (found.text, found.rule, found.confidence != 0.99) == ("Bridge to close for a year", "h1", asked)


@pytest.mark.parametrize(
    ("head", "above", "title"),
    [
        # the kicker belongs to it where the page's own statements agree on it
        ("<meta property=og:title content='Harbour: Old bridge to close'><script type='application/ld+json'>"
         '{"@type":"NewsArticle","headline":"Harbour: Old bridge to close"}</script>', "<h1>Old bridge to close</h1>", "Harbour: Old bridge to close"),
        # a statement cut short or with the site's name loses to the heading
        ("<meta property=og:title content='Old bridge to close for all of…'>", "<h1>Old bridge to close for all of the year</h1>", "Old bridge to close for all of the year"),
        # the site's logo and a section are headings, too
        ("<meta property=og:site_name content='Daily Test'>", "<h1><a href=/>Daily Test</a></h1><h1>Old bridge to close</h1>", "Old bridge to close"),
        # white space, entities and quotes as shown
        ("<meta property=og:title content='&quot;Old&quot; bridge\n to&nbsp;close'>", "<h1> &ldquo;Old&rdquo;\n bridge to close </h1>", "“Old” bridge to close"),
        # a wording for search engines at the end of the breadcrumbs, and the heading that readers see
        ("<meta property=og:title content='Who crosses when the bridge is closed'>",
         "<nav><a href=/>Home</a><a href=/city>City</a><h1>Old bridge to close</h1></nav><h2>Who crosses when the bridge is closed</h2>",
         "Who crosses when the bridge is closed"),
        # a kicker inside of the heading that no statement has
        ("<meta property=og:title content='Old bridge to close'>",
         "<h1><span class=overline>Works at the harbour</span> <i>-</i> <span>Old bridge to close</span></h1>", "Old bridge to close"),
        # a heading that was cut short is not made whole by the title with the site's name
        ("<title>The old bridge in the harbour is to close for... | Daily Test</title>",
         "<h1>The old bridge in the harbour is to close for...</h1>", "The old bridge in the harbour is to close for..."),
        ("", "<h1>Old brid&shy;ge to close</h1>", "Old bridge to close"),
        # the only main heading is all that the page states: with the sign of a link, and where both are the site's name
        ("<meta property=og:title content='Old bridge to close'>",
         "<nav>OLD BRIDGE TO CLOSE</nav><h1>Old bridge to close<a href=#old>¶</a></h1>", "Old bridge to close"),
        ("<meta property=og:title content='Daily Test'><meta property=og:site_name content='Daily Test'>",
         "<h1>Daily Test</h1><h2>Old bridge to close</h2>", "Old bridge to close"),
        # the site's name in the heading
        ("<meta property=og:site_name content='Daily Test'>", "<h1>Old bridge to close – Daily Test</h1>", "Old bridge to close"),
        ("<meta property=og:site_name content=Daily>", "<h1>Old bridge to close | Daily Test Blog</h1>", "Old bridge to close"),
        # breadcrumbs with small letters say the same, and a template that escapes twice
        ("", "<ul><li>Old Bridge To Close</li></ul><h1>Old bridge: to close</h1>", "Old bridge: to close"),
        ("", "<h1>Old bridge &amp;#x26; new to close</h1>", "Old bridge & new to close"),
        # a heading that is broken into lines
        ("<meta name=ArticleTitle content='雅思高分考生献秘籍：听力阅读各个击破'>", "<h1>雅思高分考生献秘籍<br/>：听力阅读各个击破</h1>", "雅思高分考生献秘籍：听力阅读各个击破"),
        # nothing on the page is the headline: the statement without the site
        ("<meta property=og:title content='Old bridge to close for a year'>", "", "Old bridge to close for a year"),
    ],
)  # fmt: skip
def test_title_where_the_places_differ(head: str, above: str, title: str) -> None:
    page = parse(
        f"<html><head><title>Old bridge to close | Daily Test</title>{head}</head><body>{above}<p>{PARAGRAPH}</p></body></html>"
    )
    assert title_of(page, paragraphs(page)).text == title


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("<div><span><a href=/>Hay Notes</a>/ <a href=/posts/>posts</a>/</span> <b>Old bridge to close</b></div>", "Old bridge to close"),
        # of a line whose links are its own words, nothing is cut off
        ("<div><b>Council: <a href=/bridge/>Old bridge</a> to close</b></div>", "Council: Old bridge to close"),
    ],
)  # fmt: skip
def test_of_a_line_that_begins_with_the_way_to_a_page_the_title_is_what_follows(line: str, title: str) -> None:
    page = parse(f"<html><head><title>{title}</title></head><body>{line}<ul><li><a href=/>x</a></ul><p>{PARAGRAPH}</p>")
    assert title_of(page, paragraphs(page)).text == title


def test_what_a_wiki_calls_a_page_and_itself_is_no_title() -> None:
    page = parse(
        "<html lang=zh><head><title>news:tiyu-1004 [港口消息]</title></head><body><header><h1><a href=/doku/start>港口消息</a></h1>"
        "</header><main><div class=pageId><span>news:tiyu-1004</span></div><h1>千亩牡丹入画来</h1>"
        f"<p>{'洛阳的牡丹到了四月就开了，满城都是看花的人。' * 9}</p></main></body></html>",
        "http://wiki.test/doku/news:tiyu-1004",
    )
    assert title_of(page, page.blocks[-1:]).text == "千亩牡丹入画来"


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("<h2><span><a href='/?date=20261128'>2026-11-28</a></span> <span>Old bridge</span></h2>", "Old bridge"),
        ("<h2>Sat, 28 Nov 2026</h2><h3>Old bridge to close</h3>", "Old bridge to close"),
    ],
)
def test_what_the_front_page_is_called_is_no_title_and_a_day_is_none_of_one(head: str, title: str) -> None:
    page = parse(
        f"<html><head><title>Pier diary(28 11 2026)</title></head><body><h1>Pier diary</h1>{head}<p>{PARAGRAPH}</p>",
        "http://www.daily.test/?date=20261128",
    )
    assert title_of(page, paragraphs(page)).text == "Pier diary"
    page.front = Front("Pier diary")
    assert title_of(page, paragraphs(page)).text == title


def test_a_headline_of_two_halves_is_whole_where_nothing_else_of_the_page_says_it() -> None:
    title = "An engineer from leeds and captain lowe: why a second survey found nothing"
    told = (
        "An engineer from leeds denied that the roof leaked, and captain lowe said on monday that nobody had looked. "
    )
    text = "".join(f"<p>{n * told}</p>" for n in (3, 2, 4, 2))
    page = parse(
        f"<html><head><title>The Bugle of Corley</title></head><body><h1><a href='/'>The Bugle of Corley</a></h1>"
        f"<div class=post><h2>{title}</h2><p class=info>Monday, November 30, 2026 at 16:30</p>{text}</div>",
        "http://www.daily.test/2026/11/30/11.html",
    )
    page.front = Front("The Bugle of Corley")
    assert extract(page).title == title


@pytest.mark.parametrize(
    "title", ["Die Lage: «Es hat viel mit der Brücke zu tun»", "Le maire parle de « la gravité du moment »"]
)
def test_the_mark_that_ends_a_quotation_belongs_to_the_headline(title: str) -> None:
    text = "<p>The council of the harbour town has agreed on a new bridge after a debate of several hours.</p>" * 5
    markup = f"<html><head><title>{title} - News - Port</title></head><body><h1>{title}</h1>{text}</body></html>"
    assert extract(Page.parse(markup.encode(), "http://x.test/a/1")).title == title


def test_who_wrote_is_no_title() -> None:
    page = parse(
        f"<title>作者：王小明</title><p><b>港口老桥大修工程下月正式开工</b></p><p>作者：王小明</p><p>{PARAGRAPH}</p>"
    )
    assert title_of(page, page.blocks[-1:]).text == "港口老桥大修工程下月正式开工"


@pytest.mark.parametrize(
    "line", ["发布时间：2026-11-25　浏览次数：270", "点击量：270", "掲載日：2026年11月25日", "작성일 : 2026-11-25"]
)
def test_when_it_came_and_how_often_it_was_read_is_no_title(line: str) -> None:
    page = parse(f"<title>Town</title><table><tr><td><b>Ferry</b><tr><td>{line}<tr><td>{PARAGRAPH}</table>")
    assert line.split(maxsplit=1)[0] not in [one.text.split()[0] for one in titles_of(page, page.blocks[-1:])]


def test_a_bold_line_with_which_the_body_begins_may_be_the_headline() -> None:
    """Where nothing else is: old sites call all their pages by the site's name, which their texts have as well."""
    lead = "白石镇经济开发区日前召开会议，研究老桥维修与夜间公交线路的安排，并听取各部门意见。" * 4
    page = parse(
        f"<title>白石镇经济开发区</title><table><tr><td><b>港口老桥大修下月开工</b><tr><td>发布时间：2026-11-25<tr><td>{lead}</table>"
    )
    assert title_of(page, [page.blocks[0], page.blocks[2]]).text == "港口老桥大修下月开工"


@pytest.mark.parametrize(("href", "title"), [("/?p=9", "Old bridge to close"), ("/", "The Gazette")])
def test_a_link_to_the_page_itself_is_none_to_the_front(href: str, title: str) -> None:
    page = parse(
        f"<title>{title} - A Town Paper</title><h2>{title}</h2><h2>Ferry runs late</h2><p>{PARAGRAPH}</p>"
        f"<p>Latest</p><ul><li><a href='{href}'>{title}</a></ul>",
        "http://www.daily.test/?p=9",
    )
    assert (title_of(page, paragraphs(page)).text == title) == (href != "/")


@pytest.mark.parametrize("day", ["Sunday, 22 June 2025", "domingo, 22 de junio de 2025"])
def test_a_day_above_a_post_is_no_headline_and_a_blogs_name_is_none(day: str) -> None:
    page = parse(
        "<html><head><title>Hay and Handle: Ringing</title></head><body><h1><a href=/>Hay and Handle</a></h1>"
        f"<p>Notes on mowing by hand</p><h2>{day}</h2><h3 class=post-title>Ringing</h3><div>{PARAGRAPH}</div></body></html>"
    )
    assert title_of(page, page.blocks[-1:]).text == "Ringing"


@pytest.mark.parametrize(
    "markup",
    [
        "<h1>" + "a - " * 50_000 + "</h1>",
        "<title>" + "| " * 50_000 + "</title><h1>x</h1>",
        "<h2>Old bridge</h2>" * 20_000,
        '<script type="application/ld+json">{"@type":"Article","headline":["a"],"name":{"x":1}}</script><h1></h1>',
    ],
    ids=["long heading", "separators", "many headings", "odd types"],
)
def test_hostile_titles_cost_little(markup: str) -> None:
    page = parse(f"<html><body>{markup}<p>{PARAGRAPH}</p></body></html>")
    body = paragraphs(page)
    begun = time.process_time()
    title_of(page, body)
    assert time.process_time() - begun < 2


def test_no_title_is_said_so() -> None:
    assert title_of(parse("<p>x</p>"), []) == ("", "none", 0.0)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("By Ann Lee and Bo Li, Staff Writers", ["Ann Lee", "Bo Li"]),
        ("Von Anna Groß", ["Anna Groß"]),
        ("记者 王小明 李红", ["王小明", "李红"]),
        ("作者：王小明、李红", ["王小明", "李红"]),
        ("周建国 Lv4", ["周建国"]),
        ("admin", []),
        ("https://www.facebook.com/x", []),
    ],
)
def test_split_names(text: str, names: list[str]) -> None:
    assert [name for name in split_names(text) if "Staff" not in name] == names


LD_AUTHOR = '<script type="application/ld+json">{"@type":"Article","author":{"@type":"Person","name":'


@pytest.mark.parametrize(
    ("markup", "names"),
    [
        ('<script type="application/ld+json">{"@type":"Article","author":[{"@type":"Person","name":"Ann Lee"},{"@id":"#b"}]}</script>'
         '<script type="application/ld+json">[{"@type":"Person","@id":"#b","name":"Bo Li"}]</script>', ("Ann Lee", "Bo Li")),
        ("<a rel=author href=/x>Ann Lee</a>", ("Ann Lee",)),
        ("<meta name=author content='Ann Lee'>", ("Ann Lee",)),
        ("<p>By Ann Lee</p>", ("Ann Lee",)),
        ("<p>本报记者 王小明 报道</p>", ("王小明",)),
        ("<h1>T</h1><p>王小明 2024-05-02 10:00</p>", ("王小明",)),
        ("<h1>T</h1><p>欧阳小明 3小时前</p>", ("欧阳小明",)),
        ("<h1>T</h1><div><span>Ann Lee</span><span>2 May 2024, 12:37 CET</span><span>Source: Daily</span></div>", ("Ann Lee",)),
        ("<h1>T</h1><div>2 May 2024, 01:48 EST Source: Morning Ledger By Ann Lee</div>", ("Ann Lee",)),
        ("<h1>T</h1><div><span>Ann Lee</span><span>May 2, 2024</span><span>2 Shares</span></div>", ("Ann Lee",)),
        ("<h1>T</h1><div>By <b>Ann Lee</b><i>December 22, 2023</i></div>", ("Ann Lee",)),
        ("<h1>T</h1><div><b>Şehnur Karsu |</b> 05.04.2025 - 06.04.2025</div>", ("Şehnur Karsu",)),
        ("<h1>T</h1><ul><li>Von: <b>Ann Lee</b>, <b>Bo Li</b></li></ul>", ("Ann Lee", "Bo Li")),
        ('<script type="application/ld+json">{"@type":"Article","author":{"@type":"Organization","name":"Wire Service"}}</script>', ("Wire Service",)),
        ('<script type="application/ld+json">{"@type":"Article","author":{"@type":"Organization","name":"Wire Service"}}</script>'
         "<p>By Ann Lee</p>", ("Ann Lee",)),
        (f'{LD_AUTHOR}"Ann Lee"}}}}</script><h1>T</h1><p>By Ann Lee and Bo Li, Daily</p>', ("Ann Lee", "Bo Li")),
        (f'{LD_AUTHOR}"Ann Lee"}}}}</script><h1>T</h1><p>By Ann Lee, Politics and Law Reporter</p>', ("Ann Lee",)),
        (f'{LD_AUTHOR}"Ann Lee | The Bay Journal"}}}}</script>', ("Ann Lee",)),
        (f'{LD_AUTHOR.replace("Article", "DiscussionForumPosting")}"lulu_30"}}}}</script><h1>T</h1><p>By Bo Li</p>', ("lulu_30",)),
        (f'{LD_AUTHOR}", The Bay Journal"}}}}</script><h1>T</h1><p>By Ann Lee</p>', ("Ann Lee",)),
        (f'{LD_AUTHOR}", The Bay Journal"}}}}</script>', ("The Bay Journal",)),
        ("<div rel=author>By Ann Lee Dec 23, 2023 at 3:15 pm ET • 3 min read</div>", ("Ann Lee",)),
        ("<a rel=author><b>Ann Lee</b><i>Editor</i></a>", ("Ann Lee",)),
        ("<h1>T</h1><div><a href=/staff/7/ann-lee/>Ann Lee</a> Bay Courier</div>", ("Ann Lee",)),
        ("<h1>T</h1><p><strong>Ann Lee/Bo Li</strong></p>", ("Ann Lee", "Bo Li")),
        ("<h1>T</h1><p><strong>A Word Before</strong> it begins</p>", ()),
        ("<h1>T</h1><div>World News | 2 May 2024</div>", ()),
        ("<h1>T</h1><div>本地新闻 2024-05-02</div>", ()),
    ],
)  # fmt: skip
def test_authors(markup: str, names: tuple[str, ...]) -> None:
    page = parse(f"<body>{markup}<p>{PARAGRAPH}</p>")
    assert authors_of(page, paragraphs(page), lambda: None).names == names


def test_source() -> None:
    page = parse(f"<body><h1>T</h1><div>2024-01-02 来源：新华社 责任编辑：某某</div><p>{PARAGRAPH}</p>")
    assert source_of(page, paragraphs(page)) == "新华社"
    touching = parse(f"<body><p><i>来源：东港日报</i><i>作者：某某</i></p><p>{PARAGRAPH}</p>")
    assert source_of(touching, paragraphs(touching)) == "东港日报"
    assert source_of(parse("<p>x</p>"), []) == ""
    linked = parse(
        f"<body><meta name=source content='//cdn.daily.test/x'><p>{PARAGRAPH}</p><p>来源：https://daily.test/a</p>"
    )
    assert source_of(linked, paragraphs(linked)) == ""


def test_images_of_the_article_have_captions_and_no_decoration() -> None:
    page = parse(
        "<body><img src=/logo.png><h1>T</h1>"
        "<figure><img data-src='/a.jpg' src='data:x' alt='A bridge'><figcaption>The bridge</figcaption></figure>"
        f"<p>{PARAGRAPH}</p><img src=b.jpg width=20><img src=c.jpg><p>{PARAGRAPH}</p><footer><p>x</p><img src=/d.jpg></footer>"
    )
    found = [image for _, image in images_between(page, paragraphs(page), lambda: None)]
    assert [image.url for image in found] == ["http://www.daily.test/a/c.jpg"] or [image.url for image in found] == [
        "http://www.daily.test/a.jpg",
        "http://www.daily.test/a/c.jpg",
    ]


def test_clean_html_keeps_structure_and_nothing_active() -> None:
    page = parse(
        "<body><h2 onclick=x()>Head &lt;b&gt;</h2><ul><li>One <b>bold</b></li><li>Two <a href='javascript:x'>bad</a> <a href='/g'>good</a></li></ul>"
        "<table><tr><th>Year</th><td colspan=2>2024</td></tr></table><blockquote><p>Said so</p></blockquote><pre>a  =\n  1 &lt; 2</pre>"
        "<img src=/pic/x.jpg onerror=x() alt='<i>'><p>End <script>alert(1)</script></p>"
    )
    markup = clean_html.of_blocks(page, page.blocks, images_between(page, page.blocks, lambda: None))
    assert "<h2>Head &lt;b&gt;</h2>" in markup
    assert "<li>One <strong>bold</strong></li>" in markup
    assert '<a href="http://www.daily.test/g">good</a>' in markup
    assert '<td colspan="2">2024</td>' in markup
    assert "<blockquote><p>Said so</p>" in markup
    assert "<pre>a  =\n  1 &lt; 2</pre>" in markup
    assert '<img src="http://www.daily.test/pic/x.jpg" alt="' in markup
    assert "javascript" not in markup
    assert "alert" not in markup
    assert "onerror" not in markup


@given(st.lists(st.sampled_from(MARKUP), max_size=12).map("".join))
def test_clean_html_is_nothing_but_text_and_harmless_tags(inner: str) -> None:
    page = parse(f"<body><div>{inner}</div>")
    markup = clean_html.of_blocks(page, page.blocks, images_between(page, page.blocks, lambda: None))
    assert HARMLESS.fullmatch(markup)


def test_metadata() -> None:
    page = parse(
        '<html lang="en-GB"><head><link rel="canonical" href="/a/1"><meta name="keywords" content="bridge, council，bridge">'
        '<script type="application/ld+json">{"@graph":[{"@type":"NewsArticle","keywords":["repair"],}]}</script></head><body>x'
    )
    assert canonical_of(page) == "http://www.daily.test/a/1"
    assert keywords_of(page) == ("repair", "bridge", "council")
    assert language_of(page) == "en"
    assert jsonld_nodes([]) == []


@pytest.mark.parametrize(
    ("front", "article", "found"),
    [
        ("Blog, Python", "blog,python", ("ferry",)),
        ("blog, python", "harbour, blog, python", ("harbour", "ferry")),
        ("blog, python", "python", ("python", "ferry")),  # the article's own, of the same word
        ("", "blog, python", ("blog", "python", "ferry")),
    ],
)
def test_keywords_that_the_front_page_states_too_are_the_sites(
    front: str, article: str, found: tuple[str, ...]
) -> None:
    page = parse(f"<html><head><meta name=keywords content='{article}'></head><body>x")
    page.front = front_of(parse(f"<html><head><meta name=keywords content='{front}'></head><body>x"))
    assert keywords_of(page, ["ferry"]) == found


PROSE = "".join(
    f"<p>The council voted on day {n} to mend the old bridge over the harbour, which had been shut.</p>"
    for n in range(6)
)


@pytest.mark.parametrize(
    ("above", "below", "tags"),
    [
        ("", '<footer><a href="/c/news" rel="category tag">News</a> <a href="/x/b" rel="tag">bridge</a>, <a rel="tag" href="/x/c">Council</a></footer>', ("bridge", "Council")),
        ("", '<p>标签：<a href="/s?q=1">大桥</a> <a href="/s?q=2">议会</a></p>', ("大桥", "议会")),
        # behind what shares the article, other articles
        ("", '<p>标签：<a href="/s?q=1">大桥</a></p><p><a href="https://share.example/">分享</a></p><h4><a href="/a/2">港口的新闻</a></h4>', ("大桥",)),
        ("", '<div>Tags:</div><ul><li><a href="/s/1">bridge</a></li><li><a href="/s/2">council</a></li></ul><a href="https://share.example/">Share</a>', ("bridge", "council")),
        ('<div class="meta"><a href="/tags/bridge">#bridge</a><a href="tags.html?tag=council">#council</a></div>', "", ("bridge", "council")),
        ("", '<a href="../tag/bridge.html">bridge</a><p>Next: <a href="/a/2">The town hall</a></p><p><a href="/a/3">An older one</a></p><p><a href="/a/4">More</a></p><p><a href="/tag/other">other</a></p>', ("bridge",)),
        ("", '<p>in</p><div class="taxonomy-category terms"><a href="/?cat=4" rel="tag">News</a></div><p>by</p><p><a href="/?author=2">Ann Lee</a></p><p>Tags:</p><div class="taxonomy-post_tag terms"><a href="/?tag=b" rel="tag">bridge</a></div>', ("bridge",)),
        # no links
        # below them the article's table of contents
        ("", '<footer><b>Tags:</b><a rel="tag" href="/tags/bridge">bridge</a></footer><nav><a href="/b">Older post</a></nav><ul><li><a href="#begin">How it began</a></li></ul>', ("bridge",)),
        ("", '<div class="tags">Tags: <span>old bridge</span> <span>council</span></div>', ("old bridge", "council")),
        ("", '<nav class="md-tags"><span>bridge</span> <span>council</span></nav>', ("bridge", "council")),
        ("", '<ul class="post-tags"><li>bridge</li><li>council</li></ul>', ("bridge", "council")),
        ("", "<p>Keywords: old bridge, council</p>", ("old bridge", "council")),
        ("", "<p>关键词：大桥、议会</p>", ("大桥", "议会")),
        ("", "<p>Tags were put on all that was found below the bridge, and on each of the boxes.</p>", ()),
        ("", '<div class="tags">The council, which sat long, voted.</div>', ()),
        ("", '<div><h2 class="tags-title">Related</h2><a href="/c/9">bridge</a></div>', ()),
        ("", '<div class="tags"><p>Writers: Ann Lee</p></div>', ()),
        # a site's: counted, many, beside the article, all of them
        ("", '<p><a href="/tag/a">bridge (4)</a> <a href="/tag/b">council (12)</a></p>', ()),
        ("", '<p><a href="/tag/a"><i></i>bridge<span class="count">14</span></a></p>', ("bridge",)),
        ("", "<p>" + " ".join(f'<a href="/tag/t{n}">tag {n}</a>' for n in range(20)) + "</p>", ()),
        ("", '<div class="sidebar"><a href="/tag/bridge">bridge</a></div><aside><a rel="tag" href="/t/x">mayor</a></aside>', ()),
        ("", '<p><a href="/tags/">All tags</a></p>', ()),
        # said in the text
        ('<p>More of <a href="/tag/it">it</a> than of any other thing was said on that long day in the harbour.</p>', "", ()),
    ],
)  # fmt: skip
def test_the_tags_of_an_article_are_keywords(above: str, below: str, tags: tuple[str, ...]) -> None:
    page = parse(
        f"<body><nav><a href='/tag/menu'>menu</a></nav><article><h1>The old bridge</h1>{above}{PROSE}{below}</article></body>"
    )
    assert extract(page).keywords == tags


def test_tags_may_stand_above_the_headline_and_lead_nowhere() -> None:
    tags = '<nav class="md-tags"><span>bridge</span> <span>council</span></nav>'
    page = parse(
        f"<body><nav><a href='/tag/menu'>menu</a></nav><article>{tags}<h1>The old bridge</h1>{PROSE}</article>"
    )
    assert extract(page).keywords == ("bridge", "council")


@pytest.mark.parametrize("tag", ["h2", "h3"])
def test_a_text_may_begin_with_its_headline_where_the_title_is_the_sites(tag: str) -> None:
    """IBM Domino's forms: a table with the day, and the headline within the field of the text."""
    text = (
        "The curator could not say why the roof leaked during every storm, and the union denied that the old bridge "
        "would reopen before winter. Half of the stalls stood empty on Monday, as the harbour pilot told visitors."
    )
    body = "".join(f"<p>{text} {n}</p>" for n in ("Ashby", "Corley", "Garth"))
    when = "<table><tr><td>Date:</td><td>11/30/2026 06:37:00 AM GMT</td></tr></table>"
    page = f"<html><head><title>Council of Dunmoor</title></head><body><form>{when}<{tag}>A local baker and the union: why half of the stalls stood empty</{tag}>{body}</form></body></html>"
    extracted = extract(Page.parse(page.encode(), "http://a.test/web/news.nsf/0/E6A8140E7640?OpenDocument"))
    assert extracted.title == "A local baker and the union: why half of the stalls stood empty"


@pytest.mark.parametrize(
    "line",
    [
        "Press release No. 118/2026",
        "Pressemitteilung Nr. 118/2026 vom 27.11.2026",
        "Comunicado n.º 118",
        "新闻稿第118号",
    ],
)
def test_the_number_under_which_an_office_files_a_text_is_no_headline(line: str) -> None:
    head = "<title>Press releases | City of Harbour</title>"
    lines = f"<p>{line}</p><h2>Council votes to replace the harbour bridge</h2><p>{PARAGRAPH}</p><p>{PARAGRAPH}</p>"
    found = extract(Page.parse(f"<html><head>{head}</head><body><div>{lines}".encode(), "https://gov.test/press/118"))
    assert found.title == "Council votes to replace the harbour bridge"
    assert found.body.split("\n") == [PARAGRAPH, PARAGRAPH]
