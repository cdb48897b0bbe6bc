"""Decoding and parsing: the real charset, and bounds on hostile pages."""

from __future__ import annotations

import re
import resource
import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from articlebot.extraction.fields.dates import read_beside
from articlebot.extraction.lists import article_links
from articlebot.page import Page, anchors
from articlebot.page.anchors import anchors_of
from articlebot.page.decode import decode
from articlebot.page.entries import context_of
from articlebot.page.source import without_image_data
from articlebot.page.text import fold, squash, tokens, units

CHINESE = "中国经济在今年上半年保持了稳定增长，国家统计局的数据显示，消费对增长的贡献超过一半。" * 3
TAIWAN = "中華電信在這個月發表新的資費方案，記者表示，許多民眾對於網路速度仍有意見，電話費用也是關心的焦點。" * 3
JAPANESE = "東京都は今日、新しい方針を発表しました。これによって、多くの人が影響を受けることになります。" * 3
KOREAN = "정부는 오늘 새로운 정책을 발표하고 이에 대한 의견을 듣기로 했다고 밝혔다. 한국은 이를 지지한다." * 3
GERMAN = "Die Übergabe der Schlüssel an die Bürger fällt häufig größer aus, als Außenstehende glauben." * 3


@pytest.mark.parametrize(
    ("query", "left"),
    [("sec=town&sid=3dde2504", "?sec=town"), ("sid=3dde2504", ""), ("s=ab12cd&a=1#top", "?a=1#top"),
     ("sid=1234567", None), ("s=sport&a=1", None)],
)  # fmt: skip
def test_a_session_in_most_links_is_no_part_of_them(query: str, left: str | None) -> None:
    links = "".join(f'<a href="/{n}.php?{query.replace("&", "&amp;")}">One</a>' for n in range(4))
    page = Page.parse(f'<a href="/about">About</a>{links}'.encode(), "http://b.test/d/")
    assert page.resolve(f"/7.php?{query}") == f"http://b.test/7.php{f'?{query}' if left is None else left}"


def test_a_parameter_that_few_links_have_or_that_differs_is_no_session() -> None:
    few = "<a href='/a?sid=ab12cd'>One</a>" * 3 + "<a href=/b>Two</a>" * 6
    unlike = "".join(f"<a href='/a?sid=ab12c{n}'>One</a>" for n in range(4))
    assert [Page.parse(text.encode(), "http://b.test/").session for text in (few, unlike)] == ["", ""]


@pytest.mark.parametrize(
    "base", ["http://[", "javascript:", "file:///C:/site/", "ftp://a.test/", "mailto:a@b.test", "//"]
)
def test_a_base_that_is_no_address_of_a_site_is_none(base: str) -> None:
    page = Page.parse(f'<head><base href="{base}"></head><a href="a.html">One</a>'.encode(), "http://b.test/d/")
    assert page.resolve("a.html") == "http://b.test/d/a.html"


def document(text: str, charset: str = "") -> str:
    meta = f'<meta charset="{charset}">' if charset else ""
    return f"<html><head>{meta}<title>x</title></head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize(
    ("text", "real", "declared", "header"),
    [
        (CHINESE, "gb18030", "gbk", None),
        (CHINESE, "gb18030", "gb2312", None),
        (CHINESE, "gb18030", "utf-8", None),
        (CHINESE, "gb18030", "", "text/html; charset=utf-8"),
        (CHINESE, "gb18030", "gb2312", "text/html; charset=ISO-8859-1"),
        (CHINESE, "gb18030", "big5", None),
        (CHINESE, "gb18030", "", None),
        (CHINESE, "utf-8", "gb2312", None),
        (CHINESE, "utf-8", "", "text/html; charset=iso-8859-1"),
        (CHINESE, "utf-16-le", "", None),
        (TAIWAN, "big5", "big5", None),
        (TAIWAN, "big5", "utf-8", None),
        (TAIWAN, "big5", "gb2312", None),
        (TAIWAN, "big5", "", None),
        (JAPANESE, "shift_jis", "shift_jis", None),
        (JAPANESE, "shift_jis", "", None),
        (JAPANESE, "euc_jp", "euc-jp", None),
        (KOREAN, "euc_kr", "euc-kr", None),
        (GERMAN, "cp1252", "iso-8859-1", None),
        (GERMAN, "cp1252", "", None),
        (GERMAN, "cp1252", "utf-8", None),
        (GERMAN, "iso8859-15", "", "text/html; charset=iso-8859-15"),
        (GERMAN, "utf-8", "iso-8859-1", "text/html; charset=windows-1252"),
    ],
)
def test_reads_the_charset_a_page_is_really_in(text: str, real: str, declared: str, header: str | None) -> None:
    body = document(text, declared).encode(real)
    assert text in decode(body, header).text
    page = Page.parse(body, "http://a.test/", header)
    assert page.tree is not None
    assert "".join(map(str, page.tree.itertext())).endswith(text)


@pytest.mark.parametrize(
    ("real", "declared", "body", "shown"),
    [
        ("cp950", "big5", "約翰‧史密斯今年７～８月來訪", "約翰‧史密斯今年７～８月來訪"),
        ("euc_jp", "euc-jp", "７〜８月の２日間−３日間です", "７～８月の２日間－３日間です"),
    ],
)
def test_reads_signs_as_browsers_do(real: str, declared: str, body: str, shown: str) -> None:
    assert shown in decode(document(body, declared).encode(real)).text


def test_headlines_without_a_label_are_read_as_texts_are() -> None:
    lines = (
        "禧福汇将推158至212平米楼王级景观大宅压轴作",
        "哼哈二将砍70分小牛过关 霍华德受困犯规魔术擒猫",
    )
    body = "".join(f'document.write("<li><a href=/{n}.html>{line}</a></li>");' for n, line in enumerate(lines))
    assert decode(body.encode("gb18030")).text == body


# A sentence each; what is given is read back without a label, and with one that the bytes contradict.
SINGLE = {
    "cp1251": "Городской совет решил закрыть старый мост на ремонт, который продлится до осени следующего года.",
    "koi8_r": "Жители жалуются на пробки и требуют построить временную переправу, сообщает администрация.",
    "cp866": "По словам мэра, движение будет направлено через соседний район города.",
    "iso8859_5": "Работы обойдутся бюджету в двенадцать миллионов рублей, сообщает пресс-служба.",
    "koi8_u": "Міська рада вирішила закрити старий міст на ремонт, який триватиме до осені наступного року.",
    "cp1253": "Το δημοτικό συμβούλιο αποφάσισε να κλείσει την παλιά γέφυρα για επισκευές μέχρι το φθινόπωρο.",
    "iso8859_7": "Οι κάτοικοι διαμαρτύρονται για την κίνηση και ζητούν προσωρινή γέφυρα.",
    "cp1256": "قرر مجلس المدينة إغلاق الجسر القديم من أجل أعمال الصيانة التي ستستمر حتى خريف العام المقبل.",
    "cp1255": "מועצת העיר החליטה לסגור את הגשר הישן לתיקונים שיימשכו עד הסתיו של השנה הבאה.",
    "cp874": "สภาเมืองมีมติให้ปิดสะพานเก่าเพื่อซ่อมแซมซึ่งจะใช้เวลาจนถึงฤดูใบไม้ร่วงปีหน้า",
    "cp1254": "Belediye meclisi eski köprünün sonbahara kadar süren onarım için kapatılmasına karar verdi.",
    "cp1250": "Městská rada rozhodla, že starý most bude uzavřen kvůli opravám, které potrvají do příštího roku.",
    "iso8859_2": "Mieszkańcy skarżą się na korki i żądają tymczasowej przeprawy przez rzekę.",
}


@pytest.mark.parametrize("label", ["", "iso-8859-1", "utf-8", "gbk", "euc-kr"])
@pytest.mark.parametrize("charset", SINGLE)
def test_single_byte_charsets_are_told_by_their_letters(charset: str, label: str) -> None:
    text = SINGLE[charset]
    assert text in decode(document(text, label).encode(charset)).text
    header = f"text/html; charset={label}" if label else None
    assert text in decode(document(text).encode(charset), header).text


@pytest.mark.parametrize(
    ("text", "charset"), [("Grüße", "cp1252"), ("© 2024", "cp1252"), ("£40 each", "cp1252"), ("une école", "cp1252")]
)
def test_a_few_letters_are_western(text: str, charset: str) -> None:
    assert text in decode(document(text).encode(charset)).text


@pytest.mark.parametrize("text", ["It’s “late” — a café’s owner", "他说：“很好。”然后走了"])
def test_what_was_encoded_twice_is_read_as_it_was_meant(text: str) -> None:
    body = document(text).encode().decode("latin-1").encode()
    page = Page.parse(body, "http://a.test/")
    assert [block.text for block in page.blocks] == [text]
    assert text in page.text


def test_letters_that_only_look_as_if_encoded_twice_stay() -> None:
    assert Page.parse(document("Ã© and â are letters").encode(), "").blocks[0].text == "Ã© and â are letters"


def test_a_few_broken_bytes_do_not_change_the_charset() -> None:
    body = document(CHINESE, "utf-8").encode() + b"\xe4\xb8"
    assert CHINESE in decode(body).text


@pytest.mark.parametrize(
    "header", [None, "text/html; charset=no-such-thing", "text/html; charset=", "text/html; charset=idna"]
)
def test_unknown_charsets_are_ignored(header: str | None) -> None:
    assert CHINESE in decode(document(CHINESE).encode("gb18030"), header).text


@pytest.mark.parametrize(
    ("body", "content_type", "refused"),
    [
        (b"", None, "empty"),
        (b"  \n ", None, "empty"),
        (b"%PDF-1.7 ...", "text/html", "not_html"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), None, "not_html"),
        (bytes(range(256)) * 40, "application/octet-stream", "not_html"),
        (b"\x00\x01\x02" * 900, None, "not_html"),
        (b'{"a": 1}', "application/json", "not_html"),
    ],
)
def test_says_why_there_is_no_page(body: bytes, content_type: str | None, refused: str) -> None:
    page = Page.parse(body, "http://a.test/", content_type)
    assert (page.refused, page.tree, page.blocks, page.meta, page.jsonld) == (refused, None, [], {}, [])


def test_plain_text_is_a_page() -> None:
    page = Page.parse(b"Just two words.\nAnd a line.", "http://a.test/", "text/plain")
    assert "And a line." in page.blocks[0].text


MILLION = 1_000_000
HOSTILE: dict[str, Callable[[], str]] = {
    "attributes of one tag": lambda: "<div " + " ".join(f'a{i}="x"' for i in range(MILLION)) + "><p>The end</p>",
    "attributes holding >": lambda: "<div " + " ".join(f'a{i}=">"' for i in range(MILLION)) + "><p>The end</p>",
    "attributes named <": lambda: "<div " + " ".join(f"<a{i}" for i in range(MILLION)) + "><p>The end</p>",
    "attributes of a script": lambda: (
        "<script " + " ".join(f"a{i}" for i in range(MILLION)) + '>"<p>"</script><p>The end</p>'
    ),
    "attributes without blanks": lambda: "<b " + "".join(f'a{i}=""' for i in range(MILLION)) + "><p>The end</p>",
    "attributes of many tags": lambda: (
        ("<i " + " ".join(f"a{i}=1" for i in range(50)) + ">x</i>") * 10_000 + "<p>The end</p>"
    ),
    "nesting": lambda: "<div>" * 100_000 + "<p>Hello</p>" + "</div>" * 100_000 + "<p>The end</p>",
    "open tags": lambda: "<a " * MILLION + "><p>The end</p>",
    "open quotes": lambda: '<a "' * MILLION + '"><p>The end</p>',
    "brackets": lambda: "<" * 5_000_000,
    "comments": lambda: "<!--" * 1_000_000,
    "scripts": lambda: "<script>" * 2_000_000,
    "repeated ids": lambda: '<p id="x">same</p>' * 100_000,
    "20 MB of text": lambda: "<p>" + "word " * 4_000_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pages_cost_bounded_time_and_memory(name: str) -> None:
    body = ("<html><body>" + HOSTILE[name]()).encode()
    started = time.process_time()
    page = Page.parse(body, "http://a.test/")
    blocks = page.blocks
    found = anchors_of(page)
    assert time.process_time() - started < 15
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4_000_000  # kB, over the whole test process
    assert len(blocks) <= 200_000
    assert len(found) <= 5_000
    if name.startswith("attr") or name == "nesting":
        assert blocks[-1].text == "The end"


DATA = "data:image/png;base64,"


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ('<p>a<img src="', '" alt="b">c</p>'),
        ("<p>a<img src='", '\' alt="b">c</p>'),
        ('<p style="background: url(', ');display:none">c</p>'),
        ('<p style="background: url(&quot;', '&quot;);display:none">c</p>'),
        ('<script type="application/ld+json">{"image": "', '", "name": "c"}</script>'),
        ('<script>x = "<img src=\\"', '\\">c"</script>'),
    ],
)
def test_the_data_of_images_in_a_page_are_not_parsed(before: str, behind: str) -> None:
    page = f"<html>{before}{DATA}{{}}{behind}{before}{DATA}QUJD{behind}</html>"
    long = page.replace("{}", "QUJD" * 1000, 1)
    assert without_image_data(long.encode()).decode() == page.replace("{}", "", 1)


@pytest.mark.parametrize("unquoted", [f"<img src={DATA}{'A' * 5000}><p>x", f'<p>{DATA}{"A" * 5000}</p>"', f'"{DATA}'])
def test_what_only_looks_like_data_of_images_stays(unquoted: str) -> None:
    assert without_image_data(unquoted.encode()) == unquoted.encode()


@pytest.mark.parametrize("piece", ['"data:;base64,', "'data:;base64,<", ";base64,", '"data:;base64,"'])
def test_the_time_to_look_for_data_of_images_grows_with_the_page_only(piece: str) -> None:
    page = piece.encode() * (2_000_000 // len(piece))
    started = time.process_time()
    assert without_image_data(page) == page
    assert time.process_time() - started < 5


@pytest.mark.parametrize("first", ["<article>", "<header>Top</header><main>", "<my-app>", "<tr>"])
def test_a_head_without_an_end_ends_where_the_standard_says(first: str) -> None:
    page = Page.parse(f"<title>x</title><meta name=a>{first}<p>{GERMAN}</p><div>more</div>".encode(), "http://a.test/")
    assert page.tree is not None
    assert [child.tag for child in page.tree.find("head")] == ["title", "meta"]
    assert GERMAN.strip() in [block.text for block in page.blocks]


@pytest.mark.parametrize("between", ["", "\n<!-- built in 3 ms -->\n"])
def test_what_stands_behind_the_end_of_a_page_is_its_bodys(between: str) -> None:
    text = f"<html><body><p>One.</p></body></html>{between}<script>go()</script><div><p>Two.</p></div></body></HTML>\n"
    page = Page.parse(text.encode(), "http://a.test/")
    assert [block.text for block in page.blocks] == ["One.", "Two."]
    assert [one.getparent().tag for one in page.by_tag["script"]] == ["body"]


def test_a_page_whose_title_lost_its_end_keeps_its_text() -> None:
    text = "<html><head><title>Head<link href='x' rel=stylesheet></head><body>" + "<div><p>One sentence.</p></div>" * 30
    assert sum(block.text == "One sentence." for block in Page.parse(text.encode(), "").blocks) == 30


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=2000) | st.text(alphabet="<>/=\"' abpdiv!-\n&;#x0中", max_size=800).map(str.encode))
def test_parsing_never_raises(body: bytes) -> None:
    page = Page.parse(body, "http://a.test/", "text/html")
    assert page.blocks is not None
    assert page.meta is not None
    assert page.jsonld is not None
    anchors_of(page)


def test_links_carry_anchor_and_context() -> None:
    page = Page.parse(
        b'<base href="http://b.test/d/"><ul><li>Said before it: <a href="a.html#top">One</a> after</li></ul>'
        b'<a href="/root">Two</a><a href="javascript:void(0)">no</a><a href="#x">no</a><a href="mailto:a@b">no</a>'
        b'<a href="//c.test/x"><img alt="Three"></a><a href="http://[broken">no</a>',
        "http://a.test/",
    )
    found = anchors_of(page)
    assert [(anchor.url, anchor.text) for anchor in found] == [
        ("http://b.test/d/a.html#top", "One"),
        ("http://b.test/root", "Two"),
        ("http://c.test/x", "Three"),
    ]
    assert context_of(found[0].element, {}) == "Said before it: One after"


@pytest.mark.parametrize(
    ("entry", "context"),
    [
        ("<time datetime=2026-11-20>20.11.26</time> <a href=/a>One of two</a>", "2026-11-20; 20.11.26 One of two"),
        ("<a href=/a>One of the town</a><time datetime=2026-11-20>20 Nov</time><time datetime=2026-11-21>21 Nov</time>",
         "One of the town 20 Nov 21 Nov"),
    ],
)  # fmt: skip
def test_a_context_begins_with_the_time_that_the_entrys_only_element_states(entry: str, context: str) -> None:
    page = Page.parse(f"<ul><li>{entry}</li><li><a href=/b>Two</a></li></ul>".encode(), "http://a.test/", "text/html")
    assert context_of(anchors_of(page)[0].element, {}) == context


_LOST = "<h1>Bridge</h1>" + "<p>The council met on Monday and decided after a long debate to build the bridge.</p>" * 6


@pytest.mark.parametrize(
    "markup",
    [
        f"<header><button class=menu>Menu<ul><li>Home</li></ul></header><main><article>{_LOST}</article></main>",
        f"<news-page><template shadowrootmode=open><style>p{{}}</style>{_LOST}</template></news-page>",
        f"<div id=app></div><noscript>{_LOST}</noscript>",
        f"<svg><path d=M0><div>{_LOST}</div>",
    ],
)
def test_a_page_inside_an_element_that_is_skipped_is_read(markup: str) -> None:
    page = Page.parse(f"<html><body>{markup}<footer>Foot</footer></body></html>".encode(), "http://a.test/b.html")
    assert [block.text[:11] for block in page.blocks if block.tag in ("h1", "p")] == ["Bridge"] + ["The council"] * 6


def test_shadow_trees_are_read_as_a_browser_shows_them() -> None:
    inner = "<a-p><template shadowrootmode=open><p><slot></slot></p></template><span>One.</span></a-p>"
    shell = "<header><slot name=nav></slot></header><main><slot></slot></main><footer>Foot</footer>"
    second = "<template shadowrootmode=open><p>Never shown</p></template>"  # a host has one shadow tree
    article = f"<a-b><template shadowrootmode=open><h1>Bridge</h1>{inner}</template>{second}</a-b>"
    markup = f"<a-shell><template shadowrootmode=open>{shell}</template>{article}<nav slot=nav>Home</nav></a-shell>"
    page = Page.parse(f"<html><body>{markup}</body></html>".encode(), "http://a.test/b.html")
    assert [block.text for block in page.blocks] == ["Home", "Bridge", "One.", "Foot"]


def test_a_notice_inside_an_element_that_is_skipped_stays_there() -> None:
    notice = "<dialog><p>We use cookies, and so do our 800 partners, to show you what you may want to buy.</p></dialog>"
    page = Page.parse(f"<html><body>{notice}{_LOST}</body></html>".encode(), "http://a.test/b.html")
    assert not [block for block in page.blocks if "cookies" in block.text]


@pytest.mark.parametrize("tag", ["embed", "source", "track"])
def test_what_follows_an_element_that_holds_nothing_is_text(tag: str) -> None:
    page = Page.parse(f"<div>a<{tag} src=x>b<p>c</p>d</div><p>e</p>".encode(), "http://x.test/")
    assert [block.text for block in page.blocks] == ["ab", "c", "d", "e"]


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        ("<h2>The worker<a href=#w>#</a></h2>", "The worker"),
        ("<h2>The worker <a href=#w class=headerlink>¶</a></h2>", "The worker"),
        ("<h2>Learn C#</h2>", "Learn C#"),
        ("<h2><a href=#w>#</a></h2>", None),
    ],
)
def test_a_headings_link_to_itself_is_none_of_its_words(heading: str, text: str | None) -> None:
    assert [block.text for block in Page.parse(f"<body>{heading}".encode(), "").blocks] == [text] * (text is not None)


def test_a_headings_words_that_link_to_itself_are_no_link() -> None:
    own, other = Page.parse(
        b"<body><h2><a href=#w><b>#</b></a> <a href=#w>The worker</a></h2><h2><a href=/w>More</a></h2>", ""
    ).blocks
    assert (own.text, own.links, other.links) == ("The worker", 0, 1)


def test_a_picture_keeps_its_sources() -> None:
    page = Page.parse(b"<picture><source srcset=a.webp><source srcset=b.webp><img src=c.jpg></picture><p>x</p>", "")
    assert page.by_tag["img"][0].getparent().tag == "source"
    assert [block.text for block in page.blocks] == ["x"]


@given(st.text(max_size=60) | st.text(alphabet="aZ _-9.,¶é中ー・", max_size=60))
def test_words_and_letters_are_those_of_the_expressions_whatever_the_alphabet(text: str) -> None:
    han = "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
    assert tokens(text) == re.findall(r"\w+", re.sub(f"({han})", r" \1 ", text))
    assert squash(text) == re.sub(r"[\W_]+", "", text.lower())


def test_letters_of_alphabets_are_one_unit_each_whatever_their_bytes() -> None:
    assert units("ข่าวประชาสัมพันธ์") == len("ข่าวประชาสัมพันธ์")
    assert units("नगर समाचार") == len("नगर समाचार")
    assert units("市议会") == 7


def test_what_stands_around_links_is_read_once_for_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = "".join(f'<li><a href="/m/{number}">Word{number}</a></li>' for number in range(400))
    page = Page.parse(f"<body><div><ul>{entries}</ul></div></body>".encode(), "https://n.test/")
    folded = list[int]()
    monkeypatch.setattr(anchors, "fold", lambda text: folded.append(len(text)) or fold(text))
    assert len(article_links(page, "/m/")) == 400
    assert sum(folded) < len(page.text)  # a text for each link would be two hundred times as much


@pytest.mark.parametrize(
    "entry",
    [
        "<tr><td><a href=/{n}>Headline number {n}</a> <a href=/{n}>Read more</a></td><td>2026-11-2{n}</td></tr>",
        "<tr><td><a href=/{n}>Headline number {n}</a> (1234)</td><td>2026-11-2{n}</td></tr>",
        "<tr><td><a href=/{n}><div>Headline number {n}</div><div>The paper 2026-11-2{n}</div></a></td></tr>",
        "<tr><td><a href=/{n}>Headline number {n}</a><time datetime=2026-11-2{n}>November 2{n}, 2026</time></td></tr>",
    ],
)
def test_the_day_of_an_entry_is_found_whatever_stands_nearer(entry: str) -> None:
    rows = "".join(entry.format(n=n) for n in range(1, 6))
    page = Page.parse(f"<table>{rows}</table>".encode(), "http://a.test/", "text/html", 1796000000.0)
    links = article_links(page, r"/\d$")
    days = [read_beside(link.context, link.text, page, "en") for link in links]
    assert [day and day.iso for day in days] == [f"2026-11-2{n}" for n in range(1, 6)]
