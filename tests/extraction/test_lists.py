from __future__ import annotations

from datetime import UTC, datetime

import pytest

from articlebot.extraction.fields.dates import read_beside
from articlebot.extraction.lists import article_links, places_of
from articlebot.extraction.shapes import Shapes
from articlebot.page.anchors import anchors_of
from articlebot.page.page import Page

URL = "https://www.n.test/world/"
PAGE = """<html><body>
<ul class="nav"><li><a href="/">Home</a></li><li><a href="/sport/">Sport</a></li><li>
<a href="/about-our-whole-company.html">About our whole company</a></li></ul>
<div class="lead"><a href="/2024/05/03/a-bridge-opens-in-the-north.html"><img src="x.jpg"></a>
<h2><a href="/2024/05/03/a-bridge-opens-in-the-north.html">A bridge opens in the north of the country</a></h2>
<p>The longest of its kind.</p><a href="/2024/05/03/a-bridge-opens-in-the-north.html">Read more</a></div>
<ul class="list">
<li><a href="/2024/05/02/school-closes-after-storm.html">School closes after the storm of Tuesday</a></li>
<li><a href="/2024/05/02/market-rises-on-news.html">Market rises on the news from abroad</a></li>
<li><a href="https://other.test/2024/05/02/partner-story-of-the-day.html">Partner story of the day, elsewhere</a></li>
<li><a href="javascript:void(0)">A script that looks like a headline of the day</a></li>
<li><a href="/photo/big.jpg">A picture that looks like a headline of the day</a></li></ul>
<div class="pagination"><a href="/world/?page=2">Next</a></div>
<div class="footer"><a href="/legal/terms-of-use-and-privacy.html">Terms of use and privacy policy</a></div>"""


def links(**options: object) -> list[str]:
    found = article_links(Page.parse(PAGE.encode(), URL), **options)  # type: ignore[arg-type]
    return [link.url.removeprefix("https://www.n.test") for link in found]


def test_news_without_navigation_once_and_in_order() -> None:
    own = [u for u in links() if u.startswith("/")]
    assert own == [
        "/2024/05/03/a-bridge-opens-in-the-north.html",
        "/2024/05/02/school-closes-after-storm.html",
        "/2024/05/02/market-rises-on-news.html",
    ]


def test_the_headlines_anchor_wins_over_the_pictures_and_read_more() -> None:
    first = article_links(Page.parse(PAGE.encode(), URL))[0]
    assert first.text == "A bridge opens in the north of the country"
    assert "longest of its kind" in first.context


def test_lists_of_several_folders_are_sections() -> None:
    menu = "".join(f'<a href="/{name}/list.shtml">{name} of the town</a>' for name in ("news", "notes", "rules", "law"))
    assert article_links(Page.parse(f"<html><body><div>{menu}</div></body></html>".encode(), URL)) == []


def test_the_lower_part_of_a_card_may_have_its_title() -> None:
    cards = "".join(
        f'<section><a href="/explore/6a{n}f{n * 7:020x}"><img src="/{n}.jpg"></a>'
        f'<div class="footer"><a href="/explore/6a{n}f{n * 7:020x}">Story {n} of a bridge</a></div></section>'
        for n in range(5)
    )
    assert len(article_links(Page.parse(f"<html><body>{cards}</body></html>".encode(), URL))) == 5


def test_boxes_of_events_among_news_are_left_out() -> None:
    news, events = (
        "".join(
            f'<article><h3><a href="/{folder}/{n}">Story {n} of a bridge in the harbour town</a></h3></article>'
            for n in range(4)
        )
        for folder in ("town", "events")
    )
    found = (
        article_links(Page.parse(f"<html><body>{body}</body></html>".encode(), URL)) for body in (news + events, events)
    )
    assert [{link.url.split("/")[3] for link in links} for links in found] == [{"town"}, {"events"}]


@pytest.mark.parametrize(
    ("beside", "name", "taken"),
    [
        ("<time>11 October 2026</time>", "maps", True),
        ("", "maps", False),
        ("<time>11 October 2026</time>", "/tags/maps", False),
    ],
)
def test_a_brief_entry_with_its_day_goes_with_its_list(beside: str, name: str, taken: bool) -> None:
    """One loop of a template builds each entry of a list: a headline, and the day beside it."""
    long = "".join(
        f'<li><a href="/blog/word{word}-{n}/">How the drivers redesigned the timetable</a> {n + 1} November 2026</li>'
        for n, word in enumerate("abcde")
    )
    address = name if name.startswith("/") else f"/blog/{name}/"
    page = f'<html><body><main><ol>{long}<li><a href="{address}">On maps</a> {beside}</li></ol></main></body></html>'
    found = {link.url for link in article_links(Page.parse(page.encode(), "https://www.n.test/blog/"))}
    assert len(found) == 5 + taken
    assert (f"https://www.n.test{address}" in found) is taken


def test_a_pattern_alone_decides() -> None:
    assert links(pattern=r"/about-") == ["/about-our-whole-company.html"]


@pytest.mark.parametrize("region", ["ul.list", "//ul[@class='list']"])
def test_regions_limit_the_page(region: str) -> None:
    found = links(regions=(region,))
    assert "/2024/05/03/a-bridge-opens-in-the-north.html" not in found
    assert "/2024/05/02/market-rises-on-news.html" in found


@pytest.mark.parametrize("region", ["ul[[", "//ul[", "::x"])
def test_a_wrong_selector_is_named(region: str) -> None:
    with pytest.raises(ValueError, match=r"ul|x"):
        links(regions=(region,))


def test_what_a_job_has_learned_of_its_urls_counts() -> None:
    body = (
        b'<ul><li><a href="/a/7">Seven words are a good headline today</a></li>'
        b'<li><a href="/b/8">Another page with a name</a></li></ul>'
    )
    shapes = Shapes()
    for i in range(20):
        shapes.observe(f"{URL.removesuffix('world/')}a/{i % 10}", "article")
        shapes.observe(f"{URL.removesuffix('world/')}b/{i % 10}", "list")
    found = article_links(Page.parse(body, URL), judge=shapes.judge)
    assert [link.url for link in found] == ["https://www.n.test/a/7"]


def test_chinese_lists() -> None:
    items = "".join(
        f'<li><a href="/c/2024-05-03/{i}234567.shtml">第{i}条新闻的标题说明今天发生的事</a></li>' for i in range(1, 9)
    )
    body = f'<div class="nav"><a href="/news/">新闻</a><a href="/sports/">体育</a></div><ul>{items}</ul>'
    assert len(article_links(Page.parse(body.encode(), "https://n.test/"))) == 8


@pytest.mark.parametrize("body", [b"", b"<a href='http://['>x</a>", b"<a href>" * 100, b"\x00\x01"])
def test_damaged_pages_have_no_links(body: bytes) -> None:
    assert article_links(Page.parse(body, URL)) == []


def _plain_list(entries: list[tuple[str, str]]) -> list[str]:
    items = "".join(f'<li><a href="{path}">{text}</a></li>' for path, text in entries)
    markup = f"<body><nav><a href='/'>Home</a></nav><main><ul class=news>{items}</ul></main></body>"
    found = article_links(Page.parse(markup.encode(), "http://n.test/"))
    return [link.url.removeprefix("http://n.test") for link in found]


def test_short_titles_go_with_the_other_entries_of_their_list() -> None:
    long = [(f"/notes/{n}/index.html", f"A longer title of the note with number {n}") for n in range(18450, 18454)]
    assert _plain_list([*long, ("/notes/18454/index.html", "初学Atom")]) == [
        *(path for path, _ in long),
        "/notes/18454/index.html",
    ]


@pytest.mark.parametrize(("folder", "taken"), [("/posts/", True), ("/", False)])
def test_a_short_name_in_the_folder_of_all_others_goes_with_them(folder: str, taken: bool) -> None:
    names = ["a-winter-with-only-forty-bees", "counting-cyclists-on-the-ring-road", "small-telescopes-and-long-nights"]
    names += ["why-the-clock-tower-runs-late", "letters-found-behind-the-oven"]
    long = [(f"{folder}{name}/", name.replace("-", " ").capitalize()) for name in names]
    short = f"{folder}maps/"
    assert _plain_list([*long, (short, "Maps")]) == [*(path for path, _ in long), *([short] if taken else [])]


def test_the_one_list_of_a_page_is_its_news_though_its_titles_are_short() -> None:
    entries = [
        (f"/mag5-05-{name}__1_.html", title)
        for name, title in (("bear", "The Bear"), ("film", "New Film"), ("spring", "Target: Spring"), ("zero", "Grief"))
    ]
    assert _plain_list(entries) == [path for path, _ in entries]
    assert _plain_list([(f"/{name}/", name.title()) for name in ("politics", "culture", "sports", "travel")]) == []


def test_rows_that_a_click_opens() -> None:
    titles = ["A bridge opens in the north of the country", "School closes after the storm of Tuesday"]
    rows = "".join(
        f"<tr><td onclick=\"location.href='/show_{n}.htm'\">{title}</td></tr>" for n, title in enumerate(titles, 5120)
    )
    story = "/2024/05/03/market-rises-on-news"
    card = f"<div onclick=\"location='{story}'\"><p>Economy</p><a href='{story}'>Market rises on news</a></div>"
    found = article_links(Page.parse(f"<html><body><table>{rows}</table>{card}</body></html>".encode(), URL))
    assert [link.text for link in found] == [*titles, "Market rises on news"]


@pytest.mark.parametrize(
    ("call", "function"),
    [
        ("href='javascript:show({n})'", "function show(id){window.open('/show_'+id+'.htm', '_blank');}"),
        ("href='#' onclick='return show({n}, 1)'", "show = function (i, t) { location = '/show_' + i + '.htm' }"),
        ("href='javascript:;' onclick='show({n});'", "function a(b){} function show(d){open('/show_' + d + '.htm')}"),
        ("href=\"javascript:show('htm',{n})\"", "function show(e, id){open('/show_' + id + '.' + e + '?t=' + now);}"),
        ("onclick='show({n}, this)' href='#'", "function show(id, el) { location.href = `/show_${id}.htm`; }"),
        ("href='javascript:show({n})'", "function show(id) { open(HOST + '/show_' + id + '.htm') }"),
        ("href=\"javascript:openWin('/show_{n}.htm', 800)\"", "/* the function is in a file */"),
    ],
)  # fmt: skip
def test_rows_that_a_function_of_the_page_opens(call: str, function: str) -> None:
    rows = "".join(f"<li><a {call.format(n=n)}>The {n}. bridge opens in the north</a></li>" for n in range(5120, 5126))
    page = Page.parse(
        f"<html><script>{function}</script><body>{rows}</body></html>".encode(), "http://old.test/list.htm"
    )
    found = [link.url.removesuffix("?t=") for link in article_links(page)]
    assert found == [f"http://old.test/show_{n}.htm" for n in range(5120, 5126)]


@pytest.mark.parametrize(
    "function",
    ["function show(id){count('/show_' + id)}", "function show(id){location = id + 1}", "function show(){}", ""],
)
def test_functions_that_open_nothing_are_no_links(function: str) -> None:
    rows = "".join(f"<li><a href='javascript:show({n})'>The {n}. bridge opens in the north</a></li>" for n in range(6))
    page = Page.parse(
        f"<html><script>{function}</script><body>{rows}</body></html>".encode(), "http://old.test/list.htm"
    )
    assert article_links(page) == []


def test_what_a_function_is_told_is_a_link_where_it_is_called_as_one_that_opens() -> None:
    rows = "".join(f"<li><a href=\"javascript:vote('/vote_{n}.htm')\">The {n}. bridge opens</a></li>" for n in range(6))
    assert article_links(Page.parse(f"<html><body>{rows}</body></html>".encode(), "http://old.test/list.htm")) == []


def test_links_that_lie_over_cards_are_called_by_the_headline_below_or_by_their_label() -> None:
    cards = "".join(
        f"<article><header><h2>The {name} of old</h2></header><a href='/posts/the-{name}-of-old/'></a></article>"
        for name in ("harbour", "bridge", "railway", "mayor")
    )
    named = "<p><a href='/posts/what-the-river-said/' aria-label='post link to What the river said'></a></p>"
    found = article_links(Page.parse(f"<html><body>{cards}{named}</body></html>".encode(), "http://n.test/"))
    headlines = ["The harbour of old", "The bridge of old", "The railway of old", "The mayor of old"]
    assert [link.text for link in found] == [*headlines, "post link to What the river said"]


def test_a_portrait_beside_a_headline_that_leads_elsewhere_is_not_called_by_it() -> None:
    row = "<div><h2><a href='/{0}.html'>{1}</a></h2><a href='/author/{0}'><i></i></a></div>"
    rows = "".join(row.format(n, f"The bridge across the river opens in year {n}") for n in range(2390, 2396))
    found = article_links(Page.parse(f"<html><body>{rows}</body></html>".encode(), "http://n.test/"))
    assert [link.url for link in found] == [f"http://n.test/{n}.html" for n in range(2390, 2396)]


def test_a_picture_is_not_called_by_the_pages_headline_where_another_link_says_more() -> None:
    titles = [f"Water company subsidises the film festival of {place}" for place in ("Eastlock", "Garrowby")]
    row = "<p><a href={1}><img src=/x.jpg></a> <a href={1}>{0}</a></p>"
    rows = "".join(row.format(title, f"/t/food/a-film-festival-{n}.htm") for n, title in enumerate(titles))
    found = article_links(Page.parse(f"<html><body><main><h1>Food</h1>{rows}</main></body></html>".encode(), URL))
    assert [link.text for link in found] == titles


def test_a_headline_in_a_card_that_is_a_paragraph() -> None:
    titles = [f"Story {name} of a bridge in the harbour" for name in ("one", "two", "three")]
    card = "<article><a href='/post/{1}'><div><h2><p>{0}</p></h2></div><div>{2}</div></a></article>"
    summary = "What the council has said of it. " * 8
    body = "".join(card.format(title, title.lower().replace(" ", "-"), summary) for title in titles)
    found = article_links(Page.parse(f"<html><body>{body}</body></html>".encode(), URL))
    assert [link.text for link in found] == titles


def test_pages_that_serve_are_no_list_and_stand_in_none() -> None:
    names = ("archive.asp Archive", "contact.asp Contact us", "subscribe.asp Subscribe", "adverts.asp Advertise here")
    rows = "".join(f"<tr><td><a href='/{one.partition(' ')[0]}'>{one.partition(' ')[2]}</a></td></tr>" for one in names)
    front = "<p><a href='/default.asp'><img alt='The Wharfedale Courier'></a></p>"
    page = Page.parse(f"<html><body>{front}<table>{rows}</table></body></html>".encode(), "http://n.test/a.asp")
    assert article_links(page) == []
    assert [one.url for one in article_links(page, places={"table/tr/td", "p"})] == ["http://n.test/archive.asp"]


def test_a_document_beside_the_page_that_says_the_same_is_no_entry() -> None:
    names = (
        "halden-opens-a-new-plant",
        "halden-names-a-new-head",
        "halden-tells-of-a-quarter",
        "halden-sells-its-mills",
    )
    rows = "".join(
        f"<tr><td><a href='/news/2026/{n}.html'>{n.replace('-', ' ')}</a> <a href='/files/{n}.pdf'>{n}</a></td></tr>"
        for n in names
    )
    alone = "<tr><td><a href='/files/2026/report-of-the-whole-year.pdf'>The report of the whole year</a></td></tr>"
    page = Page.parse(f"<html><body><table>{rows}{alone}</table></body></html>".encode(), "http://n.test/")
    found = [one.url.removeprefix("http://n.test") for one in article_links(page)]
    assert found == [*(f"/news/2026/{n}.html" for n in names), "/files/2026/report-of-the-whole-year.pdf"]


def test_tags_beside_headlines_are_no_entries() -> None:
    titles = [
        "A bridge opens in the north of the country",
        "School closes after the storm of Tuesday",
        "Market rises on news",
    ]
    rows = "".join(
        f"<li><a href='/news/2024/05/0{n}/a-story-{n}'>{title}</a> <a class=tag href='/tags/snow-{n}'>snow</a></li>"
        for n, title in enumerate(titles, 1)
    )
    found = article_links(Page.parse(f"<html><body><ul>{rows}</ul></body></html>".encode(), URL))
    assert [link.text for link in found] == titles


def test_a_few_files_beside_many_front_pages_are_no_list() -> None:
    files = "".join(
        f"<li><a href='/{name}'>{name} of the exchange</a>" for name in ("a.json", "b.toml", "c.json", "d.json")
    )
    fronts = "".join(f"<li><a href='http://paper{n}.a.test/'>The paper of town {n}</a>" for n in range(12))
    page = Page.parse(f"<html><body><ul>{files}</ul><ul>{fronts}</ul>".encode(), "http://a.test/")
    assert article_links(page) == []


def test_a_short_headline_is_of_the_list_whose_entries_say_their_category() -> None:
    titles = ["The long road that leads to the harbour", "A winter of storms and what came of it", "On tides",
              "What the old bridge has seen in its time", "Salt", "Letters from a town behind the dikes"]  # fmt: skip
    rows = "".join(
        f'<li class="post type-post category-{"abc"[n % 3]} tag-{n}"><h2><a href="/p-{n + 101}/">{title}</a></h2></li>'
        for n, title in enumerate(titles)
    )
    menu = "<ul><li><h2><a href=/shop/>Shop</a></h2></li></ul>"
    page = Page.parse(f"<html><body>{menu}<ul>{rows}</ul></body></html>".encode(), "http://n.test/")
    assert [link.text for link in article_links(page)] == titles


@pytest.mark.parametrize("word", ["阅读全文", "Texto", "Leer más", "→", "2026-11-02"])
def test_a_word_that_ends_each_entry_is_told_by_the_entry(word: str) -> None:
    entries = "".join(
        f"<div><p>The mayor opened bridge number {n} in the rain.</p>"
        f"<a href='/index.php?a=show&id=4{n}1'>{word}</a></div>"
        for n in range(3)
    )
    menu = "<div><a href='/a/'>Town</a><a href='/b/'>Sport</a></div>"
    page = Page.parse(f"<html><body>{menu}{entries}</body></html>".encode(), "http://a.test/")
    assert [link.url.rpartition("=")[2] for link in article_links(page)] == ["401", "411", "421"]
    assert "bridge number 1" in article_links(page)[1].text


def test_a_word_beside_a_headline_is_not_told_by_the_entry() -> None:
    entries = "".join(
        f"<li><a href='/story/4{n}1'>The mayor opened bridge number {n} in the rain</a>"
        f" <a href='/talk/4{n}1'>Discuss</a></li>"
        for n in range(4)
    )
    page = Page.parse(f"<html><body><ul>{entries}</ul></body></html>".encode(), "http://a.test/")
    assert not any(anchor.entry for anchor in anchors_of(page))


def test_pictures_alone_are_a_list_and_a_menu_of_files_is_none() -> None:
    pictures = "".join(f"<a href='/town/1045{n}'><img src='{n}.jpg'></a>" for n in range(5))
    page = Page.parse(f"<html><body><div>{pictures}</div></body></html>".encode(), "http://a.test/")
    assert len(article_links(page)) == 5
    files = "".join(f"<li><a href='{name}.html'>{name}</a></li>" for name in ("main", "town", "trade", "firm"))
    assert article_links(Page.parse(f"<html><body><ul>{files}</ul></body></html>".encode(), "http://a.test/")) == []


def test_a_head_of_the_page_is_a_menu() -> None:
    head = "".join(
        f"<a href='/{name}'>{name}</a>" for name in ("product", "prices", "letters", "press", "changes", "docs")
    )
    rows = "".join(f"<li>Nov {n} <a href='/changes/v2.{n}.0'>Version 2.{n}.0</a></li>" for n in range(10, 16))
    page = Page.parse(
        f"<html><body><header>{head}</header><ul>{rows}</ul></body></html>".encode(), "http://a.test/changes"
    )
    assert len(article_links(page)) == 6


def test_links_of_a_drawing() -> None:
    markup = "<svg xmlns:xlink='http://www.w3.org/1999/xlink'><a xlink:href='/town/'><text>Town</text></a></svg>"
    page = Page.parse(f"<html><body>{markup}</body></html>".encode(), "http://a.test/")
    assert [anchor.url for anchor in anchors_of(page)] == ["http://a.test/town/"]


def test_what_leads_to_more_of_a_section_is_none_of_its_news() -> None:
    boxes = "".join(
        f"<div><h3>{name}<a href='/{folder}/'>更多</a></h3><ul>"
        + "".join(f"<li><a href='/{folder}/{n}.html'>{name}：第{n}届读书节举办</a></li>" for n in range(101, 105))
        + "</ul></div>"
        for name, folder in (("通知", "tz"), ("新闻", "xw"), ("学术", "xs"))
    )
    page = Page.parse(f"<html><body>{boxes}</body></html>".encode(), "http://a.test/")
    assert len(article_links(page)) == 12
    teasers = "".join(
        f"<section><p>All that the people of this office do for {name}.</p><a href='/{name}/'>Mehr</a></section>"
        for name in ("bau", "kultur", "sport")
    )
    page = Page.parse(f"<html><body>{teasers}</body></html>".encode(), "http://a.test/")
    assert [anchor.text for anchor in anchors_of(page)] == ["Mehr"] * 3
    assert article_links(page) == []


def test_the_file_of_a_papers_sheet_is_no_article() -> None:
    sheets = "".join(
        f"<tr><td><a href=/n/node_{n}.htm>Sheet {n}: news of the town</a></td><td><a href=/i/{n}.pdf>PDF</a></td></tr>"
        for n in range(2, 6)
    )
    heads = "".join(
        f"<li><a href=/n/content_{n}81.htm>The council of the town agrees on bridge {n}</a></li>" for n in range(5)
    )
    own = "<tr><td><a href=''>Sheet 1: the news of the front page</a></td><td><a href=/i/1.pdf>PDF</a></td></tr>"
    page = Page.parse(
        f"<html><body><table>{own}{sheets}</table><ul>{heads}</ul></body></html>".encode(), f"{URL}n/node_1.htm"
    )
    assert not [link.url for link in article_links(page) if link.url.endswith(".pdf")]


def test_the_pictures_of_a_gallery_are_no_list() -> None:
    shown = "".join(
        f'<a href="/media/Harbour%2C%20{n}.jpg" title="Harbour {n}"><img src=/t/{n}.jpg></a>' for n in range(100, 130)
    )
    page = Page.parse(
        f"<html><body><h1>Gallery</h1><div>{shown}</div></body></html>".encode(), "http://n.test/gallery/"
    )
    assert article_links(page) == []


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ("/read/bridge-closes-for-a-year?inherit=true", ["/read/bridge-closes-for-a-year?inherit=true"]),
        ("/read/bridge-closes-for-a-year", ["/read/bridge-closes-for-a-year"]),
        (
            "/read/bridge-opens-after-a-year",
            ["/read/bridge-closes-for-a-year?inherit=true&way=%2F", "/read/bridge-opens-after-a-year"],
        ),
    ],
)
def test_a_headline_that_is_said_once_more_leads_to_one_address(more: str, named: list[str]) -> None:
    title = "The old harbour bridge is to close for a year"
    entry = f"<h3><a href='/read/bridge-closes-for-a-year?inherit=true&amp;way=%2F'>{title}</a></h3>"
    other = "<h3><a href='/read/ferry-times-for-the-winter?inherit=true'>Ferry times for the winter months</a></h3>"
    page = Page.parse(
        f"<div>{entry}<p><a href='{more}'>Read more about {title} »</a></p>{other}</div>".encode(), "http://a.test/news"
    )
    found = [link for link in article_links(page) if "bridge" in link.url]
    assert [link.url.removeprefix("http://a.test") for link in found] == named
    assert found[0].text == title


@pytest.mark.parametrize(("folder", "count"), [("tag", 0), ("author", 0), ("item", 12)])
def test_what_a_page_of_all_tags_leads_to_is_no_article(folder: str, count: int) -> None:
    rows = "".join(f"<a href='/{folder}/{n}'>#harbour talk {n}</a>" for n in range(12))
    page = Page.parse(f"<nav><a href='/'>Home</a></nav><div>{rows}</div>".encode(), "http://a.test/all")
    assert len(article_links(page)) == count


TITLES = [f"The council of the town agrees on bridge number {n}" for n in range(6)]
PICTURED = "".join(
    f'<li><a href="/2026/11/2{n}/story-{n}.html"><img src="{n}.jpg" alt="A crowd with flags before the old town hall, '
    f'above {n}"></a><a href="/2026/11/2{n}/story-{n}.html">{title}</a></li>'
    for n, title in enumerate(TITLES)
)
CUT = "".join(
    f'<li><a href="/2026/11/2{n}/story-{n}.html" title="{title}">{title[:20]}…</a></li>'
    for n, title in enumerate(TITLES)
)


@pytest.mark.parametrize("entries", [PICTURED, CUT])
def test_a_link_is_called_by_its_headline_whole_and_not_by_its_picture(entries: str) -> None:
    page = Page.parse(f"<html><body><ul>{entries}</ul>".encode(), "http://n.test/")
    assert [link.text for link in article_links(page)] == TITLES


@pytest.mark.parametrize("between", ["", "\n  "])
def test_lines_of_a_card_are_parted_whatever_stands_between_their_tags(between: str) -> None:
    cards = "".join(
        f'<a href="/2026/11/2{n}/story-{n}.html"><h3>{title}</h3>{between}<p>A line of <b>it</b>.</p></a>'
        for n, title in enumerate(TITLES)
    )
    page = Page.parse(f"<html><body><div>{cards}</div>".encode(), "http://n.test/")
    assert [link.text for link in article_links(page)] == [f"{title} A line of it." for title in TITLES]


@pytest.mark.parametrize(
    "beside",
    [
        '<div class="podcast"><a href="/podcasts/morning">Listen: the morning briefing in five minutes</a></div>',
        "".join(
            f'<p><a href="https://shop.test/products/item-{n}.html">The best winter jackets of the year {n}</a></p>'
            for n in range(3)
        ),
    ],
)
def test_a_lone_link_beside_the_only_list_does_not_hide_it(beside: str) -> None:
    entries = "".join(f'<li><a href="/{n}7">Bridge {n}, again</a></li>' for n in range(12))
    alone = Page.parse(f"<html><body><ul>{entries}</ul>".encode(), "http://n.test/")
    with_it = Page.parse(f"<html><body><ul>{entries}</ul>{beside}".encode(), "http://n.test/")
    assert len(article_links(alone)) == 12
    assert {link.url for link in article_links(alone)} <= {link.url for link in article_links(with_it)}


def _dated(entry: str, around: str = "%s") -> list[str]:
    """The beginnings of what stands around the links of a list of four entries, each of a day of its own."""
    days = ("21 November 2026", "20 November 2026", "19 November 2026", "18 November 2026")
    entries = (
        entry.format(
            link=f"<a href='/town/bridge-of-the-north-{n}.html'>The bridge of the north opens {n}</a>", day=day
        )
        for n, day in enumerate(days)
    )
    body = f"<html lang=en><body><div><h1>Town</h1>{around % ''.join(entries)}</div><p>Imprint</p></body></html>"
    found = article_links(Page.parse(body.encode(), "http://a.test/town/", "text/html"))
    return [link.context[:16] for link in found]


@pytest.mark.parametrize(
    ("entry", "around"),
    [
        ("<dt>{day}</dt><dd>{link}</dd>", "<dl>%s</dl>"),
        ("<p class=day>{day}</p><h3>{link}</h3>", "%s"),
        ("<h2>{day}</h2><ul><li>{link}</li><li>A word of it</li></ul>", "%s"),
        ("<li><h3>{link}</h3><p>In 2024 it was closed. It was old.</p><span>{day}</span> <a href=/x>More</a></li>",
         "<ul>%s</ul>"),
    ],
)  # fmt: skip
def test_the_day_that_stands_before_an_entry_or_apart_in_it_goes_before_its_text(entry: str, around: str) -> None:
    assert _dated(entry, around) == ["21 November 2026", "20 November 2026", "19 November 2026", "18 November 2026"]


@pytest.mark.parametrize("below", ["<p>{day} | By A. Writer</p>", "({day})<br>"])
def test_the_day_that_stands_below_an_entry_is_its_own(below: str) -> None:
    told = [one.lstrip("(")[:11] for one in _dated("<b>{link}</b>" + below)]
    assert told == ["21 November", "20 November", "19 November", "18 November"]


@pytest.mark.parametrize("numbers", [((1, 2), (1, 2)), ((1,), (1, 2), (1,), (1, 2, 3))])
def test_a_day_over_several_entries_is_of_each(numbers: tuple[tuple[int, ...], ...]) -> None:
    days = range(21, 21 - len(numbers), -1)
    rows = "".join(
        f"<h3>{day} November 2026</h3><ul>"
        + "".join(f"<li><a href='/t/{day}-bridge-{n}.html'>The bridge of the north {n}</a></li>" for n in some)
        + "</ul>"
        for day, some in zip(days, numbers, strict=True)
    )
    found = article_links(Page.parse(f"<html><body>{rows}</body></html>".encode(), "http://a.test/t/", "text/html"))
    assert [link.context[:2] for link in found] == [
        str(day) for day, some in zip(days, numbers, strict=True) for _ in some
    ]


def test_a_list_whose_entries_each_have_a_day_is_one_whatever_their_addresses_are() -> None:
    titles = (
        "社区保利西山林语景观板楼认购",
        "土豆上市首日收报于较发行价下跌",
        "王仪涵领军尤利安蒂三单",
        "首批限售股解禁日被抛",
    )
    rows = "".join(
        f"<dt>2026-11-{20 - n}</dt><dd><a href='/pdb{'abcd'[n]}ig/'>{title}</a></dd>" for n, title in enumerate(titles)
    )
    page = f"<html><body><dl>{rows}</dl></body></html>"
    assert (
        len(article_links(Page.parse(page.encode(), "http://a.test/list.asp?cid=3", "text/html; charset=utf-8"))) == 4
    )
    bare = "".join(f"<dd><a href='/pdb{'abcd'[n]}ig/'>{title}</a></dd>" for n, title in enumerate(titles))
    page = f"<html><body><dl>{bare}</dl></body></html>"
    assert article_links(Page.parse(page.encode(), "http://a.test/list.asp?cid=3", "text/html; charset=utf-8")) == []


def test_a_lone_read_more_is_an_article_where_other_pages_of_the_list_have_theirs() -> None:
    def page(*numbers: int) -> Page:
        rows = "".join(f"<li><b>The bridge of the north {n}</b> <a href=/d/{n}f>Read more</a></li>" for n in numbers)
        return Page.parse(f"<html><body><ul class=list>{rows}</ul></body></html>".encode(), URL, "text/html")

    whole = page(1, 2, 3, 4, 5)
    places = places_of(whole, article_links(whole, judge=lambda url: 0.9), frozenset())
    assert [link.url[-2:] for link in article_links(page(7), places=places)] == ["7f"]
    assert article_links(page(7)) == []


NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def _of_days(
    *days: str, lang: str = "de", entry: str = "<li><span>{day}</span> <a href='/{n}'>{title}</a></li>"
) -> list[str]:
    rows = "".join(entry.format(day=day, n=n, title=f"Der Hafen {n} wird tiefer") for n, day in enumerate(days))
    text = f"<html lang={lang}><body><ul>{rows}</ul></body></html>"
    page = Page.parse(text.encode(), "http://a.test/", "text/html; charset=utf-8", NOW.timestamp())
    found = [read_beside(link.context, link.text, page, lang) for link in article_links(page, r"/\d+$")]
    return [day.iso if day else "" for day in found]


@pytest.mark.parametrize(
    ("lang", "days"),
    [
        ("de", ("29.11.", "9.11.", "31.10.")),
        ("zh", ("11-29", "11-09", "10-31")),
        ("zh", ("[11/29]", "[11/09]", "[10/31]")),
        ("zh", ("11月29日", "11月9日", "10月31日")),
        ("en", ("Nov 29", "Nov 9", "Oct 31")),
        ("en", ("Sun 29 Nov", "Mon 9 Nov", "Sat 31 Oct")),
        ("en", ("yesterday", "21 days ago", "30 days ago")),
        ("de", ("vor 1 Tag", "vor 21 Tagen", "vor 30 Tagen")),
        ("zh", ("1天前", "21天前", "30天前")),
    ],
)
def test_a_day_without_its_year_and_one_so_long_ago_are_those_of_the_list(lang: str, days: tuple[str, ...]) -> None:
    assert _of_days(*days, lang=lang) == ["2026-11-29", "2026-11-09", "2026-10-31"]
    behind = "<li><a href='/{n}'>{title}</a> {day}</li>"
    assert _of_days(*days, lang=lang, entry=behind) == ["2026-11-29", "2026-11-09", "2026-10-31"]


def test_the_last_page_of_a_list_may_have_two_entries_with_days_in_words() -> None:
    assert _of_days("vor 21 Tagen", "30. Oktober") == ["2026-11-09", "2026-10-30"]
    assert _of_days("09.11.", "30.10.") == ["", ""]


def test_the_time_beside_such_a_day_is_read_and_the_last_year_is_meant_where_this_one_lies_ahead() -> None:
    assert _of_days("11-29 08:30", "11-09 21:05", "02-28 08:00", lang="zh")[:2] == [
        "2026-11-29T08:30:00",
        "2026-11-09T21:05:00",
    ]


@pytest.mark.parametrize(
    "numbers",
    [
        ("12 comments", "11 comments", "10 comments"), ("09/10", "08/10", "07/10"), ("10.12", "10.11", "10.10"),
        ("2 h", "1 h", "3 h"), ("01-03", "02-10", "03-11"), ("Dec 5", "Dec 4", "Dec 3"),
        ("3 weeks ago", "4 weeks ago", "5 weeks ago"),
        ("Page 3", "Page 2", "Page 1"),
    ],
)  # fmt: skip
def test_scores_versions_lengths_and_what_is_to_come_are_no_days(numbers: tuple[str, ...]) -> None:
    assert _of_days(*numbers, lang="en") == ["", "", ""]


@pytest.mark.parametrize("beside", ["?mode=reply'>Leave a comment", "?share=mail'>Share", "?print=1'>Print"])
def test_what_asks_an_article_of_the_page_for_something_beside_is_no_other_article(beside: str) -> None:
    def page(*numbers: int) -> Page:
        link = "<a href='/{n}07.html"
        row = f"<div class=entry>{link}'>The bridge of the north was closed {{n}}</a> {link}{beside}</a></div>"
        rows = "".join(row.replace("{n}", str(n)) for n in numbers)
        return Page.parse(f"<html><body>{rows}</body></html>".encode(), URL, "text/html")

    links = article_links(page(1, 2, 3, 4, 5), judge=lambda url: 0.9)
    places = places_of(page(1, 2, 3, 4, 5), links, frozenset())
    again = article_links(page(6, 7), judge=lambda url: 0.9, places=places | {links[0].region})
    assert [link.url[-9:] for link in again] == ["/607.html", "/707.html"]


@pytest.mark.parametrize(
    ("said", "beside"),
    [
        ("<abbr class=published title='2026-11-{0}T14:05:00Z'>{0} days ago</abbr>", "2026-11-{0}T14:05:00Z;"),
        ("<em><span title='2026-11-{0} 14:05'>{0}&nbsp;天前</span></em>", "2026-11-{0} 14:05;"),
        ("<time title='{0} November 2026 14:05'>a while ago</time>", "{0} November 2026 14:05;"),
        ("<span title='November {0}, 2026 14:05'>a while ago</span>", "November {0}, 2026 14:05;"),
        ("<span title='Edited 2026-11-{0} 14:05'>a while ago</span>", ""),
        ("<span title='Ann Lee, since 2019-03-02, 14 posts in all of them'>Ann</span>", ""),
    ],
)
def test_a_day_may_come_up_over_what_an_entry_shows(said: str, beside: str) -> None:
    rows = "".join(
        f"<li><a href='/story/4711{n}.html'>The bridge of the north was closed {n}</a> {said.format(30 - n)}</li>"
        for n in range(6)
    )
    page = Page.parse(f"<html><body><ul>{rows}</ul></body></html>".encode(), URL, "text/html; charset=utf-8")
    told = [link.context for link in article_links(page, judge=lambda url: 0.9)]
    assert [one.startswith(beside.format(30 - n)) for n, one in enumerate(told)] == [True] * 6
    assert beside or not any(";" in one for one in told)


@pytest.mark.parametrize(("lengths", "told"), [(False, True), (True, False)], ids=["times", "lengths"])
def test_a_time_alone_is_of_the_day_of_the_address(lengths: bool, told: bool) -> None:
    clocks = ["09:40", "09:05", "08:30", "07:55", "23:50", "21:10", "20:00", "18:45"]
    clocks = [one[::-1].replace("9", "1") for one in clocks] if lengths else clocks
    days = ["30"] * 4 + ["29"] * 4
    rows = "".join(
        f"<li><span>{clock}</span> <a href='/2026/11/{day}/{n}.html'>The bridge of the north was closed {n}</a></li>"
        for n, (day, clock) in enumerate(zip(days, clocks, strict=True))
    )
    page = Page.parse(f"<html><body><ul>{rows}</ul></body></html>".encode(), URL, fetched_at=1_796_000_000.0)
    beside = [link.context.partition(";")[0] for link in article_links(page, judge=lambda url: 0.9)]
    wanted = [f"2026-11-{day} {clock}" for day, clock in zip(days, clocks, strict=True)]
    assert (beside == wanted) is told
