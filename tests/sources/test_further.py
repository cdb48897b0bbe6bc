"""How a list's next page is known."""

# ruff: noqa: E501  scripts read best unbroken

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from scrapy.http import TextResponse

from articlebot.looks.alike import is_alike, place_of
from articlebot.looks.taken_scripts import imported_bases
from articlebot.page import Page, page_of
from articlebot.seeds.offers import offers
from articlebot.sources import read_listing
from articlebot.sources.answers import behind_last, counted, next_of_data
from articlebot.sources.attributes import Attributes
from articlebot.sources.counting import page_behind
from articlebot.sources.dated import is_like
from articlebot.sources.fetches import tries
from articlebot.sources.further import next_page
from articlebot.sources.names import Names
from articlebot.urls import canonical_url


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
        ("http://a.test/blog/", "/blog/1/", "Previous"),
        ("http://a.test/desk/town", "/desk/town;page=2", "2"),
        ("http://a.test/ja", "?page=1", "もっと見る"),
        ("http://a.test/nyheter", "?sida=2", "Visa fler"),
        ("http://a.test/Estados/?ref=menu", "/estados/pagina/2?ref=pag", "Ver"),
        ("http://a.test/noticias", "/archivo?hasta=4711", "Entradas anteriores"),
        ("http://a.test/desk/town/p2", "/desk/town/p3", "3"),
        ("http://a.test/desk/town", "/desk/town?start=6", "2"),
        ("http://a.test/noticias", "/noticias?b_start:int=15", "Próximo »"),
        ("http://a.test/noticias?b_start:int=15", "/noticias?b_start:int=30", "3"),
        ("http://a.test/fr/actualites", "/fr/actualites?b_start:int=10", "10 éléments suivants »"),
        ("http://a.test/wies", "/wies/starsze", "Następna strona"),
        ("http://a.test/desk/town?start=6", "/desk/town?start=12", "3"),
        ("http://a.test/desk/town", "/desk/town?to=2026-11-20", "Earlier stories"),
        ("http://a.test/actualites", "/actualites?avant=2026-11-20", "Actualités plus anciennes"),
        ("http://a.test/noticias", "/noticias?hasta=2026-11-20", "Artículos más antiguos"),
        ("http://a.test/ja", "/older/4711", "次ページへ"),
        ("http://a.test/desk?id=3", "/desk?start=6&id=3", "Down the river"),
        ("http://a.test/vi/thoi-su/", "/vi/thoi-su/trang-2.htm", "Xem thêm"),
        ("http://a.test/portal", "/portal/before/28f5", "منشورات أقدم"),
        ("http://a.test/doc", "/doc/older", "Далее"),
        ("http://a.test/~amy/log/", "/~amy/log/older.html", "« Older entries"),
        ("http://a.test/desk/town", "/desk/town/elsewhere", "Next 6 >>"),
        ("http://a.test/presse/2026", "/presse/2026/(offset)/6", "2"),
        ("http://a.test/presse/2026/(offset)/6", "/presse/2026/(offset)/12", "3"),
        ("http://a.test/desk", "/desk?tx_news_pi1%5BcurrentPage%5D=2&cHash=9b1c", "2"),
        ("http://a.test/list?sid=1&date=20261124", "?sid=1&date=20261124&page=2", "2"),
        ("http://a.test/desk.html", "/desk2.html", "⟩"),
        ("http://a.test/", "/index2.html", "Further back"),
        ("http://a.test/desk?tx_news_pi1%5BcurrentPage%5D=2&cHash=9b1c", "?tx_news_pi1[currentPage]=3&cHash=77ae", "3"),
    ],
)
def test_a_list_goes_on_where_a_word_or_its_address_says_so(url: str, href: str, text: str) -> None:
    other = {"/desk/harbour/p2": "Further back", "/2026/11/05/a-story.html": "A story of a bridge"}
    assert next_page(page(url, {**other, href: text})) == canonical_url(page(url, {}).resolve(href))


@pytest.mark.parametrize(
    ("url", "href", "text"),
    [
        ("http://a.test/desk/town/p3", "/desk/town/p2", "Towards today"),
        ("http://a.test/desk/town/p3", "/desk/town/p5", "Much further back"),
        ("http://a.test/desk/town", "/desk/harbour/p2", "Further back"),
        ("http://a.test/2026/11/04/", "/2026/11/05/", "A day later"),
        ("http://a.test/list?sid=1&date=20261101", "?sid=1&date=20261102", "2"),
        ("http://a.test/", "/news?page=1", "More news"),
        ("http://a.test/news", "/news/a-story-of-2", "A story of two bridges and of the people who built them"),
    ],
)
def test_other_pages_are_no_next_page(url: str, href: str, text: str) -> None:
    assert next_page(page(url, {href: text})) is None


@pytest.mark.parametrize(
    ("own", "hrefs", "following"),
    [
        ("/nytt", "?to=12.7c&12.7c.route=/1 ?to=12.7c&12.7c.route=/2 ?to=12.7c&12.7c.route=/3", "?to=12.7c&12.7c.route=/2"),
        ("/nytt?to=12.7c&12.7c.route=/2", "?to=12.7c&12.7c.route=/1 ?to=12.7c&12.7c.route=/2 ?to=12.7c&12.7c.route=/3", "?to=12.7c&12.7c.route=/3"),
        ("/nytt?to=12.7c&12.7c.route=/3", "?to=12.7c&12.7c.route=/1 ?to=12.7c&12.7c.route=/2 ?to=12.7c&12.7c.route=/3", None),
        ("/agenda", "?what=all&dia=1 ?what=all&dia=2 ?what=all&dia=3", None),
        ("/nytt", "/other?of=x&n=1 /other?of=x&n=2", None),
        ("/desk/2", "?p=1 ?p=2 ?p=3", "?p=2"),
    ],
)  # fmt: skip
def test_numbered_links_that_differ_in_nothing_else_are_a_pager(own: str, hrefs: str, following: str | None) -> None:
    rows = "".join(f"<li><a href='{href}'>{n + 1}</a></li>" for n, href in enumerate(hrefs.split()))
    of = Page.parse(f"<html><body><ul>{rows}</ul></body></html>".encode(), f"http://a.test{own}")
    assert next_page(of) == (of.resolve(following) if following else None)


@pytest.mark.parametrize(
    "pager",
    [
        "<select><option value='/desk?page=1'>1</option><option value='/desk?page=2'>2</option></select>",
        "<button onclick=\"location.href='/desk?page=2'\">Next</button>",
        "<form action='/desk'><button name=page value=1>Newer</button><button name=page value=2>Older</button></form>",
        "<div class=sentinel data-next='/desk?page=2'></div><div data-next='3'></div>",
        "<a href=\"javascript:window.open('/desk?page=2')\">Next</a>",
        "<button data-url='/desk?page=2'>Cargar más noticias</button>",
        "<button data-url='/desk?page=2'>Mehr laden</button>",
        "<turbo-frame id=page_2 loading=lazy src='/desk?page=2'>Loading</turbo-frame>",
        "<form method=GET><input type=hidden name=page value=2><button>Cargar más</button></form>",
    ],
)
def test_a_pager_that_is_no_link(pager: str) -> None:
    form = "<select name=rows><option value='2'>2</option><option value='20'>20</option></select>"
    markup = f"<html><body><div>{form}{pager}</div></body></html>"
    assert next_page(Page.parse(markup.encode(), "http://a.test/desk")) == "http://a.test/desk?page=2"


@pytest.mark.parametrize(("href", "following"), [("#", True), ("javascript:void(0)", True), ("/more", False)])
def test_a_link_that_leads_nowhere_is_a_button(href: str, following: bool) -> None:
    more = f"<a class=btn href='{href}' data-url='/search/?f=ajax&o=6&c=desk'>Load more</a>"
    found = next_page(Page.parse(f"<html><body>{more}</body></html>".encode(), "http://a.test/desk"))
    assert found == ("http://a.test/search/?f=ajax&o=6&c=desk" if following else None)


LAYUI = "<script>laypage.render({jump: function(obj){ location.href = '/desk?page=' + obj.curr; }})</script>"
CALLED = (
    "<a href='javascript:go(1)'>1</a><a href='javascript:go(2)'>2</a>"
    "<script>function go(p){ window.location.href = '/desk/list-' + p + '.html'; }</script>"
)


@pytest.mark.parametrize(
    ("own", "scripts", "following"),
    [
        ("/desk", LAYUI, "/desk?page=2"),
        ("/desk?page=4", LAYUI, "/desk?page=5"),
        ("/desk", CALLED, "/desk/list-2.html"),
        ("/desk/list-2.html", CALLED, None),  # the last one
        ("/desk", "<script>location.href = '/desk/list-' + id + '.html';</script>", None),
        ("/desk", "<script>location.href = '/desk?city=' + id;</script>", None),
    ],
)
def test_a_pager_whose_addresses_a_script_makes_of_numbers(own: str, scripts: str, following: str | None) -> None:
    of = Page.parse(f"<html><body><p>The council's news.</p>{scripts}</body></html>".encode(), f"http://a.test{own}")
    assert next_page(of) == (following and f"http://a.test{following}")


def test_the_number_of_a_section_is_none_of_its_pages() -> None:
    pages = "".join(f"<option value='list_12_{n}.html'>{n}</option>" for n in (1, 2, 3))
    markup = f"<html><body><select name=sldd>{pages}</select></body></html>".encode()
    for own, following in (("/a/12/", 2), ("/a/12/list_12_2.html", 3), ("/a/12/list_12_3.html", None)):
        expected = following and f"http://a.test/a/12/list_12_{following}.html"
        assert next_page(Page.parse(markup, f"http://a.test{own}")) == expected


def test_a_pager_that_a_script_leads_on() -> None:
    script = "var at = 1; function on() { if (at < 9) location.href = 'index_' + (at + 1) + '.html' }"
    markup = f"<html><body><script>{script}</script><a href='javascript:on()'>Next</a></body></html>"
    assert (
        next_page(Page.parse(markup.encode(), "http://a.test/desk/index_1.html")) == "http://a.test/desk/index_2.html"
    )


def test_of_steps_of_entries_the_nearest_behind_the_page() -> None:
    pager = {f"/desk?start={first}": str(1 + first // 6) for first in (0, 6, 12, 18)}
    assert next_page(page("http://a.test/desk?start=6", pager)) == "http://a.test/desk?start=12"


def test_more_of_a_section_is_where_its_list_goes_on() -> None:
    markup = "<h1>{}</h1><h3><a href=/news/a-story-of-two-bridges-4711.html>A story of two bridges</a></h3>{}"
    more = "<a class=btn href='/search/?c=sports&f=html&s=start_time'>More Sports</a>"
    for heading, following in (("Sports", "http://a.test/search/?c=sports&f=html&s=start_time"), ("News", None)):
        of = Page.parse(f"<html><body>{markup.format(heading, more)}</body></html>".encode(), "http://a.test/sports/")
        assert next_page(of) == following


@pytest.mark.parametrize("name", ["data-href", "data-url"])
def test_a_box_that_leads_on_by_an_attribute_is_followed_on_each_page(name: str) -> None:
    for here, there in (("/desk", "/desk?page=2"), ("/desk?page=2", "/desk?page=3")):
        more = f"<div class=more {name}='{there}'>Show more</div><div {name}='/town/story-7'>Show more</div>"
        markup = f"<html><body><ul><li><a href='/town/story-1'>A story</a></li></ul>{more}</body></html>"
        assert next_page(Page.parse(markup.encode(), f"http://a.test{here}")) == f"http://a.test{there}"


@pytest.mark.parametrize("here", ["http://a.test", "https://a.test", "https://www.a.test"])
def test_a_next_page_whose_host_is_spelled_otherwise_is_the_lists_own(here: str) -> None:
    for there in ("http://a.test", "http://www.a.test", "https://www.a.test"):
        found = next_page(page(f"{here}/desk/town", {f"{there}/desk/town?page=2": "Next"}))
        assert found == f"{here}/desk/town?page=2"
    assert next_page(page(f"{here}/desk/town", {"http://b.a.test/desk/town?page=2": "Next"})) is None


def test_a_section_that_is_called_next() -> None:
    menu = "<nav><a href='/'>Start</a><a href='/city'>City</a><a href='/arts'>Arts</a><a href='/next'>Next</a></nav>"
    whole = "<html><body>{}{}</body></html>"
    pager = "<div><a href='/city/older/4711'>Next</a></div>"
    assert next_page(Page.parse(whole.format(menu, "").encode(), "http://a.test/city")) is None
    assert (
        next_page(Page.parse(whole.format(menu, pager).encode(), "http://a.test/city"))
        == "http://a.test/city/older/4711"
    )
    posts = "<nav class='posts-navigation'><a href='/blog/older/4711'>Older posts</a><a href='/x'>Newer posts</a></nav>"
    assert (
        next_page(Page.parse(whole.format(menu, posts).encode(), "http://a.test/")) == "http://a.test/blog/older/4711"
    )


@pytest.mark.parametrize(
    ("url", "other", "like"),
    [
        ("http://a.test/calendar?day=2026-11-23", "http://a.test/calendar?day=2026-10-02", True),
        ("http://a.test/archive/2026/11", "http://a.test/archive/2026/10", True),
        ("http://a.test/calendar?day=2026-11-23", "http://a.test/archive/2026/11", False),
        ("http://a.test/town/2026/11", "http://a.test/county/2026/11", False),
    ],
)
def test_archives_of_one_sort(url: str, other: str, like: bool) -> None:
    assert is_like(url, other) is like


def test_sections_with_numbers_are_sections_where_the_first_of_them_has_a_name() -> None:
    named = {"/list/1": "Town", "/list/2": "County", "/list/3": "Sport"}
    assert len(offers(page("http://a.test/", named)).sections) == 3
    pager = {"/list": "News", "/list/1": "First", "/list/24": "Last"}
    assert offers(page("http://a.test/", pager)).sections == ("http://a.test/list", "http://a.test/list/1")


def test_pictures_lead_to_sections_that_stand_below_them() -> None:
    cells = "".join(f"<td><a href=/t/{n}/><img src=/{n}.jpg></a><br>{n}</td>" for n in ("sea", "hill", "town", "food"))
    markup = f"<html><body><table><tr>{cells}</table></body></html>"
    assert len(offers(Page.parse(markup.encode(), "http://a.test/")).sections) == 4


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


@pytest.mark.parametrize(
    ("pressed", "following"),
    [
        ("", "Page$2"),
        ("?__EVENTTARGET=G&__EVENTARGUMENT=Page$2", "Page$3"),
        ("?__EVENTTARGET=G&__EVENTARGUMENT=x", ""),
    ],
)
def test_a_list_that_is_posted_back_goes_on_by_its_pager_whatever_was_pressed(pressed: str, following: str) -> None:
    links = "".join(f"<a href=\"javascript:__doPostBack('G','Page${n}')\">{n}</a>" for n in (1, 2, 3))
    found = next_page(Page.parse(f"<form>{links}</form>".encode(), f"http://a.test/list.aspx{pressed}"))
    assert (found or "").rpartition("__EVENTARGUMENT=")[2] == following


_LAST = "<p data-id=7 data-time=1795500007>x</p><p data-id=6 data-time=1795500006>y</p>"
_STATE = '<script>window._STATE={"feed":{"list":[{"behot_time":1795500009}],"max_behot_time":1795500006}}</script>'


@pytest.mark.parametrize(
    ("body", "own", "taken", "links", "url"),
    [
        # what comes behind the entry that stands last, by its time
        (_LAST, 'var t=items[n-1].getAttribute("data-time");fetch("/live?last_time="+t+"&limit=20")', None, 9, "/live?last_time=1795500006&limit=20"),
        # by what the page's own data say, for a script that it takes
        (_STATE, "", 'function n(e){return fetch("/feed?c=all&max_behot_time="+e)}', 9, "/feed?c=all&max_behot_time=1795500006"),
        # what an attribute asks for behind an entry, and what stands in those beside one
        ("<button data-endpoint='/api/items?desk=town&cursor=2026-11-17T02:53'>x</button>", "", None, 8, "/api/items?desk=town&cursor=2026-11-17T02:53"),
        ("<div data-src=/parts/list/town data-offset=8 data-limit=8 data-total=30>x</div>", "", None, 8, "/parts/list/town?offset=8&limit=8"),
        # pages counted from 0, by the call of the function; what keeps caches out is left out
        ("", 'var ch="gn";function load(page){var url="/s/ch:"+ch+".shtml?pager="+page+"&pagenum=20&_="+new Date().getTime();$.getScript(url)}load(0)', None, 0, "/s/ch:gn.shtml?pager=0&pagenum=20"),
        # what a field of the page has, and what an attribute has where the address is put together
        ("<input type=hidden id=zone value=3>", 'var page=2, z=$("#zone").val();$.get("/timeline/"+z+"/trang-"+page+".htm",f)', None, 9, "/timeline/3/trang-2.htm"),
        ('<b class=more data-url="/ajax/more" data-cat=1 data-start=10 data-limit=10>More</b>',
         '$.get(b.data("url")+"?cat="+b.data("cat")+"&start="+b.data("start")+"&limit="+b.data("limit"),f)', None, 10, "/ajax/more?cat=1&start=10&limit=10"),
        # the list of a public body, which a unit is to fetch
        ("""<script parseType="buildstatic" url="/unit" queryData="{'webId':'20','pageId':'9ad5'}"></script>""", "", None, 0,
         "/unit?webId=20&pageId=9ad5&paramJson=%7B%22pageNo%22%3A1%2C%22pageSize%22%3A15%7D"),
        # what the number of the page is put behind
        ('<button id=dalej data-url="/ajax/lista?sekcja=sport&strona=" data-nr=2>Dalej</button>', "", None, 8, "/ajax/lista?sekcja=sport&strona=2"),
        # by the key of a page in another language
        ('<button data-endpoint="/fragmenten/rubriek/sport" data-page=2>Laad</button>', "",
         'const u=b.dataset.endpoint+"?pagina="+b.dataset.page;const r=await fetch(u)', 8, "/fragmenten/rubriek/sport?pagina=2"),
        # at an address that has a name
        ('<b class=more data-cat=all data-page=1>More</b>', 'var ajax={"url":"\\/ajax.php"};$.get(ajax.url,{action:"more",page:page,cat:b.data("cat")},f)', None, 8, "/ajax.php?action=more&page=2&cat=all"),
        # what else stands beside the address
        ('<button data-url="/partes/notas" data-seccion="pais" data-pagina="2" data-target="#notas">Ver</button>', "", None, 8, "/partes/notas?seccion=pais&pagina=2"),
        # by the page's own host, and behind a cursor of which the first page knows nothing
        ("", 'const A=`${location.origin}/_api`,l=t=>j(`${A}/stories?limit=12${t?`&after=${t}`:""}`)', None, 0, "/_api/stories?limit=12"),
        ("", 'fetch(location.protocol+"//"+location.host+"/api/list?page="+n)', None, 0, "/api/list?page=1"),
        ("", 'fetch(`/api/list?size=9${n>1?`&page=${n}`:""}`)', None, 8, "/api/list?size=9&page=2"),
        # what is put in for nothing, and what is encoded
        ("", "", 'function n(s,o,a){return t("/api/archive?sort=".concat(s||"new","&search=").concat(encodeURIComponent(o||""),"&offset=").concat(a))}',
         12, "/api/archive?sort=new&search=&offset=12"),
        # with parameters that are set one by one before it; pages are counted from where the page stands
        ("", "", 'let n=(new O).set("page",t.toString()).set("size",e.toString());return this.http.get(`/rest/news`,{params:n});this.page=0', 0, "/rest/news?page=0&size=20"),
        # at an address that has a name, which the request's object says
        ("", 'var API={list:"/data/list.do"};ajax({url:API.list,data:{p:page,size:15},success:f})', None, 0, "/data/list.do?p=1&size=15"),
        # behind what the page says at some depth, and without a slash of its own
        ("", 'window.__ENV={"API_URL":"/svc"}', "const e=window.__ENV.API_URL;fetch(`${e}/stories?page=${t}`)", 0, "/svc/stories?page=1"),
        ("", 'var wp={"root":"\\/wp-json\\/"}', 'fetch(wp.root+"wp/v2/posts?per_page=9&page="+p)', 9, "/wp-json/wp/v2/posts?per_page=9&page=2"),
        # by what adds the parameters to any address, and none of what a compiler calls with one letter
        ("", "", 'function t(e){let n=new URLSearchParams;n.set(e,a);return fetch(`${n}${e}${s?`?${s}`:""}`)}n="/api";c=(e)=>t("/list",{page:e})', 0, "/api/list?page=1"),
        # by functions that hand it to a client, whose base is set among what a library says of bases
        ("", "", 'r=e.baseURL;o={baseURL:r};$.defaults.baseURL="/api";var j=(e,t)=>$.get(e,{params:t}),k=e=>j("/list",e);k({page:1,size:5})', 0, "/api/list?page=1&size=5"),
        # by a class's method at an address that has a name, from the page that the function takes where it is told none
        ("", "", 'var t=new class{constructor(){this.c=e.create({baseURL:"/api/v3"})}get(e,t){return this.c.get(e,{params:t})}},n="/news",'
         'r={list({page:e=0,size:r=15,category:i}={}){return t.get(n,{page:e,size:r,category:i})}}', 0, "/api/v3/news?page=0&size=15"),
        # by what is put together before it is fetched, and with what is asked for at times left out
        ("", "", 'var e={api:{host:"",prefix:"/gw",version:"v2"}},t=`${e.api.host}${e.api.prefix}/${e.api.version}`;async function n(e,{params:r,body:i}={})'
         '{let a=r?`${t}${e}?${new URLSearchParams(r)}`:t+e,o=await fetch(a)}var r=(t,r)=>n("/posts",{params:{pageNo:t,...r?{topic:r}:{}}})', 0, "/gw/v2/posts?pageNo=1"),
        # by a function of any name that is told what to ask for; what the page's own address says is not known
        ("", "", 'async function o(e,t){let n={page:e,size:t};return await fetch("/api/list?"+new URLSearchParams(n))}', 0, "/api/list?page=1&size=20"),
        ("", "", 'm=n.create({baseURL:"/api"});m.get("/info/feed",{params:f({skip:n,limit:c},a)})', 0, "/api/info/feed?skip=0&limit=20"),
        ("", "", 'c=e=>fetch("/api"+e);s=(t,e)=>c("/list",function(t){for(var e=1;e<arguments.length;e++){var r=arguments[e];d(r)}return t}({page:t,per_page:12},e?{tag:e}:{}))', 0, "/api/list?page=1&per_page=12"),
        ("", "", 'p("/api/list",{query:{page:e,pageSize:12,channel:m.params.name}},"$YF");q={__name:"home"}', 8, "/api/list?page=2&pageSize=12"),
        # by where it begins, which stands where the function is called
        ("", "", 'o=0,b=15;u=e=>l({url:"/api/list",method:"get",params:e});await u({offset:o,limit:b});s({start:4})', 0, "/api/list?offset=0&limit=15"),
        # what the element of a controller has for it
        ('<ul data-controller="feed" data-feed-url-value="/more.json?of=a" data-feed-cursor-value="eyJpIjo5fQ==" data-feed-limit-value=10>', "",
         "fetch(`${this.urlValue}&cursor=${this.cursorValue}&limit=${this.limitValue}`)", 10, "/more.json?of=a&cursor=eyJpIjo5fQ==&limit=10"),
        ('<ul data-controller="feed" data-feed-url-value="/parts/list">', "", 'this.pageValue++;fetch(this.urlValue+"?page="+this.pageValue)', 10, "/parts/list?page=2"),
        # beside what nobody tells, as a list's order is handed to the function that asks
        ("", "", "const g=async(e,t,n,r)=>{const o=await fetch(`/api/archive?sort=${e}&search=${t}&offset=${n}&limit=${r}`)};g(a(),'',k,12)", 12, "/api/archive?offset=12&limit=20"),
        # what is fetched as the reader scrolls
        ('<ul infinite-scroll-url="/u/7?order_by=date"><li>x</ul>', "", None, 9, "/u/7?order_by=date&page=2"),
    ],
)  # fmt: skip
def test_what_scripts_ask_for(body: str, own: str, taken: str | None, links: int, url: str) -> None:
    of = Page.parse(f"<html><body>{body}<script>{own}</script></body></html>".encode(), "http://a.test/")
    assert tries(of, links, taken)[:1] == (f"http://a.test{url}",)


@pytest.mark.parametrize(
    ("script", "url"),
    [
        ("fetch(location.pathname + 'list.json?page=' + n)", "/town/list.json?page=1"),
        ("$.get('/api' + window.location.pathname, {page: n})", "/api/town/?page=1"),
        ("fetch(`/api${location.pathname}?page=${n}`)", "/api/town/?page=1"),
        ("var c = location.pathname.split('/')[1]; axios.get('/api/list', {params: {cat: c, page: n}})", "/api/list?cat=town&page=1"),
        ("var c = location.pathname.split('/').filter(Boolean).pop(); fetch(`/api/list/${c}/${page}.json`)", "/api/list/town/1.json"),
        ("fetch('/api/' + location.pathname.slice(1, -1) + '/list?page=' + n)", "/api/town/list?page=1"),
        ("fetch('/api/list?cat=' + location.pathname.replace(/\\//g, '') + '&page=' + n)", "/api/list?cat=town&page=1"),
        ("var id = new URLSearchParams(location.search).get('id'); fetch('/api/list?cid=' + id + '&page=' + n)", "/api/list?cid=7&page=1"),
        ("const u = new URL(location.href); fetch(`/api/list?cid=${u.searchParams.get('id')}&page=${n}`)", "/api/list?cid=7&page=1"),
        ("$.getJSON('/api/list', {cid: getQueryString('id'), page: n})", "/api/list?cid=7&page=1"),
        ("if (location.pathname === '/town/') go(); fetch('/api/list?page=' + n)", "/api/list?page=1"),
        # of the element that a selector names; without, the first would be another's
        ("var c = document.querySelector('nav li.on').getAttribute('data-cid'); fetch('/api/list?cid=' + c + '&page=' + n)", "/api/list?cid=12&page=1"),
        ("$.getJSON('/api/list', {cid: $('#list').data('cid'), page: n})", "/api/list?cid=14&page=1"),
        ("fetch('/api/list?cid=' + document.getElementById('list').dataset.cid + '&page=' + n)", "/api/list?cid=14&page=1"),
        # behind a callback whose name jQuery makes up
        ("$.getJSON('/api/list?page=' + n + '&callback=?', show)", "/api/list?page=1&callback=callback"),
        # a cursor that begins with nothing, and with what the script says
        ("$.get('/api/list', {max_id: last, size: 9})", "/api/list?max_id=&size=9"),
        ("var last = 0; $.get('/api/list', {max_id: last, size: 9})", "/api/list?max_id=0&size=9"),
    ],
)  # fmt: skip
def test_what_scripts_ask_for_by_what_their_page_says_of_itself(script: str, url: str) -> None:
    said = "<nav><li data-cid=11>Home<li class='on' data-cid=12>Town</nav><ul id=list data-cid=14></ul>"
    of = Page.parse(f"<html><body>{said}<script>{script}</script></body></html>".encode(), "http://a.test/town/?id=7")
    assert tries(of, 0)[:1] == (f"http://a.test{url}",)


@pytest.mark.parametrize("links", [0, 8])
@pytest.mark.parametrize(
    "script",
    [
        "document.querySelectorAll('.years button').forEach(function (b) { b.onclick = function () { fetch('/archive/' + b.dataset.year + '.html').then(show) } })",
        "$('.years').on('click', 'button', function () { $('#list').load('/archive/' + $(this).data('year') + '.html') })",
        "$('.years button').click(function () { var y = $(this).attr('data-year'); $.get('/archive/' + y + '.html', show) })",
        "for (const b of all) b.addEventListener('click', async e => { await fetch(`/archive/${e.target.dataset.year}.html`) })",
        "all.forEach(b => { b.onclick = () => fetch(b.dataset.url) })",
    ],
)  # fmt: skip
def test_each_button_of_a_year_has_a_list_of_its_own(script: str, links: int) -> None:
    entries = "".join(f"<li class=item data-year={n}>x</li>" for n in (3, 4)) if "all" not in script else ""
    name, value = ("url", "/archive/%d.html") if "url" in script else ("year", "%d")
    buttons = "".join(f"<button data-{name}={value % year}>{year}</button>" for year in (2026, 2025, 2024))
    body = f"<div class=years>{buttons}</div><ul id=list>{entries}</ul><script>{script}</script>"
    found = tries(Page.parse(f"<html><body>{body}</body></html>".encode(), "http://a.test/"), links)
    assert found == tuple(f"http://a.test/archive/{year}.html" for year in (2026, 2025, 2024))


@pytest.mark.parametrize(
    ("script", "links", "urls"),
    [
        # from the number with which a script begins that counts it up behind
        ("var p = 1; function more() { fetch('/list?page=' + p).then(d => { show(d); p++ }) }", 8, ["/list?page=1"]),
        ("var p = 1; function more() { p++; fetch('/list?page=' + p).then(show) }", 8, ["/list?page=2"]),
        # of a name that a compiler has left one letter, for what is declared once, and of what is counted in a path
        ('var s="7",t=2;b.click(function(){s=$(this).data("k")});fetch(`/list?channel=${s}&page=${t}`)', 8, ["/list?channel=7&page=2"]),
        ('var t=2;function n(){axios.get("/roll/town/"+t+".json").then(function(e){t++})}', 8, ["/roll/town/2.json"]),
        # from the beginning, where the script begins there, whatever entries have
        ("var last = 0; fetch('/list?last_time=' + last)", 8, ["/list?last_time=0"]),
        ("function load(c) { fetch('/list?' + 'next=' + c + '&size=9') } load('')", 8, ["/list?next=&size=9"]),
        ("fetch(`/i.php?s=/list&${new URLSearchParams({page: n, size: 9})}`)", 0, ["/i.php?s=/list&page=1&size=9"]),
        ("var self = this; self.last = 0; $.get('/list', {max_id: self.last})", 8, ["/list?max_id=0"]),
        ('const api={list:(c)=>$.get("/list",{cursor:c})};let c="";api.list(c)', 8, ["/list?cursor="]),
        # as it is handed to a function, where that is counted up
        ("f=d=>r({url:'/list',params:d});var p=1;function go(){f({page:p,size:9}).then(d=>{add(d);p++})}", 8, ["/list?page=1&size=9"]),
        ("f=d=>r({url:'/list',params:d});var l=0;f({section:'town',until:l}).then(d=>{l=d[d.length-1].time})", 0, ["/list?section=town&until=0"]),
        # with what a function is called first, which may stand on the page
        ("function load(t) { fetch('/list?page=' + t).then(d => { add(d); go.onclick = () => load(t + 1) }) } load(1)", 8, ["/list?page=1"]),
        ("function load(t) { fetch('/list?last_time=' + t) } load(document.getElementById('list').dataset.feed)", 8, ["/list?last_time=/feed"]),
        ("f=d=>r({url:'/list',params:d});var l=0;f({max_time:l}).then(d=>{l=d[d.length-1].time})", 0, ["/list?max_time=0"]),
        # behind what an attribute or a name has, which alone is no list then; and what is posted is not asked for
        ("fetch(box.dataset.api + '&page=' + p)", 0, ["/a.php?act=list&page=1"]),
        ("fetch(box.dataset.feed + '?offset=' + p + '&count=9')", 0, ["/feed?offset=0&count=9"]),
        ("var at = '/list?cat=7'; $.get(at + '&page=' + n, add)", 0, ["/list?cat=7&page=1"]),
        ("x.open('POST', '/list?k=1', true); fetch('/list?page=' + n, {headers: {a: 1}, method: 'POST', body: b})", 0, []),
    ],
)  # fmt: skip
def test_where_a_script_begins(script: str, links: int, urls: list[str]) -> None:
    place = next((one for one in ("data-api='/a.php?act=list'", "data-feed=/feed") if one[5:8] in script), "")
    body = f"<p data-id=17>x</p><p data-id=16>y</p><ul id=list {place}></ul><script>{script}</script>"
    found = tries(Page.parse(f"<html><body>{body}</body></html>".encode(), "http://a.test/"), links)
    assert found[: max(1, len(urls))] == tuple(f"http://a.test{url}" for url in urls)


def test_a_month_of_a_number_is_no_page() -> None:
    buttons = "".join(f"<button data-url=/archive/2026-{month}.html>{month}</button>" for month in ("09", "01"))
    found = tries(Page.parse(f"<html><body>{buttons}</body></html>".encode(), "http://a.test/"), 8)
    assert found == ("http://a.test/archive/2026-09.html", "http://a.test/archive/2026-01.html")
    assert counted("http://a.test/archive/2026-09.html", 8) is None


def test_a_script_that_begins_at_0_may_count_up_before_it_asks() -> None:
    script = "this.page=0;more(){this.page++;fetch(`/api/list?page=${this.page}`)}"
    empty = Page.parse(b"<html><body></body></html>", "http://a.test/")
    assert tries(empty, 8, script) == ("http://a.test/api/list?page=1", "http://a.test/api/list?page=2")
    assert tries(empty, 0, script) == ("http://a.test/api/list?page=0", "http://a.test/api/list?page=1")


def test_what_a_module_puts_before_addresses_may_be_anothers() -> None:
    script = 'import{B as e,M as t}from"./env.js";const n=await fetch(`${e}/stories?offset=${o}`)'
    assert list(imported_bases(script)) == [("e", "B", "./env.js")]
    env = Names('const t="live",o="/gw/v2",n=`${o}`;export{n as B,t as M};', Attributes(page("http://a.test/", {})))
    assert env.exported("B") == ("/gw/v2",)


@pytest.mark.parametrize(
    ("url", "beside", "following"),
    [
        ("/live?last_time=1795500006&limit=2", {}, "/live?last_time=1795500002&limit=2"),
        ("/live?last_id=7&limit=2", {}, "/live?last_id=3&limit=2"),
        ("/live?last_time=1795500006", {"next_cursor": "1795500002"}, "/live?last_time=1795500002"),
        ("/live?pager=2&pagenum=20", {}, "/live?pager=3&pagenum=20"),
        ("/live?pagenum=20&pager=2", {}, "/live?pagenum=20&pager=3"),
        ("/live?last_time=1795500002", {}, None),
        ("/live?pageNum=2&startTime=17", {"hasNext": True, "startTime": 99}, "/live?pageNum=3&startTime=17"),
    ],
)
def test_an_answer_goes_on_behind_its_last_entry(url: str, beside: dict[str, str], following: str | None) -> None:
    items = [{"id": n, "title": f"Flash {n}", "display_time": 1795500000 + n - 1} for n in (5, 4, 3)]
    found = next_of_data({"data": {"items": items, **beside}}, f"http://a.test{url}", len(items))
    assert found == (f"http://a.test{following}" if following else None)


@pytest.mark.parametrize(
    ("script", "beside", "following"),
    [
        ('fetch(`/api?n=9${last?"&starting_after="+last:""}`)', {}, "&starting_after=x7"),
        ('get("/api?n=9&last_time="+at)', {}, "&last_time=1795500006"),
        ('get("/api?n=9&last_time="+at)', {"has_more": False}, None),
        ('get("/api?n=9")', {}, None),
    ],
)
def test_what_comes_behind_the_last_entry_as_the_script_asks_for_it(
    script: str, beside: dict[str, Any], following: str | None
) -> None:
    rows = [{"id": "x8", "ctime": 1795500008}, {"id": "x7", "ctime": 1795500006}]
    found = behind_last(json.dumps({"data": rows, **beside}).encode(), "http://a.test/api?n=9", script)
    assert found == (following and f"http://a.test/api?n=9{following}")


@pytest.mark.parametrize(
    ("script", "following"),
    [
        ("get('/api?before=' + last); last = rows[rows.length - 1].ctime", "1795500006"),
        ("get('/api', {before: t.at}); t.at = rows.at(-1).id;", "x7"),
        ("u.searchParams.set('before', l); l=d[d.length-1].ctime}", "1795500006"),
        ("function more(b) { fetch(`/api?before=${b}`).then(d => { go.onclick = () => more(d.at(-1).ctime) }) }", "1795500006"),
        ("get('/api?before=' + last); last = rows.next", None),
    ],
)  # fmt: skip
def test_the_script_tells_which_field_of_the_last_entry_it_sends_on(script: str, following: str | None) -> None:
    rows = [{"id": "x8", "ctime": 1795500008}, {"id": "x7", "ctime": 1795500006}]
    found = behind_last(json.dumps(rows).encode(), "http://a.test/api?before=&n=9", script)
    assert found == (following and f"http://a.test/api?before={following}&n=9")


@pytest.mark.parametrize(("now", "following"), [(0, "?page=1"), (1, "?page=2"), (None, "?page=2"), (6, None)])
def test_pages_that_an_answer_counts_from_0(now: int | None, following: str | None) -> None:
    found = next_of_data({"data": [{}], "meta": {"page": now, "pages": 6}}, "http://a.test/posts", 10)
    assert found == (following and f"http://a.test/posts{following}")


def test_what_is_posted_and_what_has_no_place_before_it_is_not_asked_for() -> None:
    for script in (
        'var API={list:"/list.do"};ajax({type:"POST",url:API.list,data:{p:page}})',
        'fetch(base+"wp/v2/posts?page="+p)',
    ):
        found = tries(Page.parse(b"<html><body></body></html>", "http://a.test/"), 0, script)
        assert not [url for url in found if "?" in url]


def test_where_an_api_begins_is_no_list_and_no_pattern_is_an_address() -> None:
    script = 'const a=`/_api`;get(`${a}/stories?n=9`);get("/v/posts");get("/v/posts/:id")'
    of = Page.parse(f"<html><body><script>{script}</script></body></html>".encode(), "http://a.test/")
    assert tries(of, 0) == ("http://a.test/_api/stories?n=9", "http://a.test/v/posts")


def test_a_form_that_is_sent_by_get_leads_on_by_its_address() -> None:
    form = (
        "<form action=/q><input type=hidden name=cat value=3><input name=pageNo value=1><a href=javascript:go(2)>2</a>"
    )
    found = next_page(Page.parse(form.encode(), "http://a.test/q?cat=3"))
    assert found == "http://a.test/q?cat=3&pageNo=2"


@pytest.mark.parametrize(
    ("own", "following"), [("/", "/page/2/"), ("/page/3/", "/page/4/"), ("/town/", None), ("/about/page/2/", None)]
)
def test_pages_that_a_script_names_as_the_reader_scrolls(own: str, following: str | None) -> None:
    script = r'<script>var scroll={"history":{"host":"a.test","path":"\/page\/%d\/"}}</script>'
    found = next_page(Page.parse(script.encode(), f"http://a.test{own}"))
    assert found == (following and f"http://a.test{following}")


def test_articles_that_an_issue_numbers_are_no_pages() -> None:
    links = {f"/issue/214/{n}": text for n, text in enumerate(("The mill", "A river", "Two towns"), 1)}
    assert next_page(page("http://a.test/issue/214", links)) is None


@pytest.mark.parametrize(
    ("second", "behind"),
    [("/page/2/", "/page/4/"), ("/?page=1", "/?page=3"), ("/?start=10", "/?start=30"), ("/older?x=a", "/older?x=a")],
)
def test_the_page_behind_so_many_entries(second: str, behind: str) -> None:
    assert page_behind(f"http://a.test{second}", 28, 10) == f"http://a.test{behind}"


@pytest.mark.parametrize(
    ("picture", "leads"),
    [("<img src='next.gif' alt='Next'>", True), ("<img alt='Previous'>", False), ("<img alt=Next> The mill", False)],
)
def test_what_stands_for_the_picture_of_an_arrow_says_where_it_leads(picture: str, leads: bool) -> None:
    url = "http://a.test/news/default.aspx?Paged=TRUE&p_ID=88"
    of = Page.parse(f"<body><a href='{url}'>{picture}</a></body>".encode(), "http://a.test/news/default.aspx")
    assert next_page(of) == (canonical_url(url) if leads else None)


def test_a_page_as_a_document_is_no_page_of_the_list() -> None:
    links = {f"/pdf/vale-118-p{n}.pdf": f"[page {n}]" for n in (1, 2, 3)}
    assert next_page(page("http://a.test/", links)) is None


@pytest.mark.parametrize("pager", ["", '<a href="/desk/2" class="next">→</a>'])
def test_an_arrow_behind_each_entry_is_no_pager(pager: str) -> None:
    entries = "".join(f'<div>Entry {number} <a href="/desk/story-{number}">→</a></div>' for number in range(4, 9))
    of = Page.parse(f"<body>{entries}{pager}</body>".encode(), "http://a.test/desk")
    assert next_page(of) == ("http://a.test/desk/2" if pager else None)


@pytest.mark.parametrize(
    ("own", "following"),
    [("http://a.test/topic/town", "?page=2"), ("http://a.test/topic/town?page=2&q=a", "?page=3&q=a")],
)
def test_a_pager_whose_buttons_the_server_answers_to(own: str, following: str) -> None:
    pager = """<button wire:click="gotoPage(4, 'page')">4</button><button wire:click="nextPage('page')">Next</button>"""
    shown = Page.parse(f"<html><body>{pager}</body></html>".encode(), own)
    assert next_page(shown) == f"http://a.test/topic/town{following}"


def test_the_day_before_continues_a_list_whose_address_names_no_day() -> None:
    assert (
        next_page(page("http://a.test/today.htm", {"202611/27.htm": "Previous Day"})) == "http://a.test/202611/27.htm"
    )
    assert next_page(page("http://a.test/2026/11/28/", {"/2026/11/27/": "Previous day"})) is None


@pytest.mark.parametrize(("before", "following"), [("/c/35", None), ("/c/30", "/c/32"), ("/c", "/c/32")])
def test_a_section_with_the_next_number_is_no_next_page(before: str, following: str | None) -> None:
    shown = page("http://a.test/c/31", {before: "Harbour", "/c/32": "Trade"})
    assert next_page(shown) == (f"http://a.test{following}" if following else None)


ROWS = "".join(
    f"<h2><a href='/story-{n}-of-the-long-bridge'>The bridge opens for the {n}. time</a></h2>" for n in range(4)
)
STATE = (
    '{"props":{"comments":{"page":3,"pages":9},"list":{"pagination":{"currentPage":1,"totalPage":4}}},"pad":"%s"}'
    % ("x" * 120)
)


@pytest.mark.parametrize(("button", "following"), [("2", "?page=2"), ("Load more", None)])
def test_a_pager_of_buttons_goes_on_where_the_pages_data_count_pages(button: str, following: str | None) -> None:
    state = f'<script type="application/json">{STATE}</script>'
    body = f"<html><head></head><body>{ROWS}<button>{button}</button>{state}</body></html>".encode()
    found = read_listing(Page.parse(body, "http://a.test/nation"), body).next_url
    assert found == (f"http://a.test/nation{following}" if following else None)


def test_a_button_whose_address_is_asked_with_what_stands_beside_it_leads_nowhere_by_itself() -> None:
    button = '<button class="load-more" data-url="/parts" data-page="2">Load more</button>'
    assert next_page(Page.parse(f"<body>{ROWS}{button}</body>".encode(), "http://a.test/nation")) is None


@pytest.mark.parametrize("following", ["http://a.test/nation/page/2/", "http://a.test/nation?e-page-7a5c=2"])
def test_an_address_with_its_own_number_is_whole_whatever_stands_beside_it(following: str) -> None:
    anchor = f'<div class="anchor" data-page="1" data-max-page="5" data-next-page="{following}"></div>'
    found = next_page(Page.parse(f"<body>{ROWS}{anchor}</body>".encode(), "http://a.test/nation/"))
    assert (found or "").rstrip("/") == following.rstrip("/")


def test_a_page_in_utf_16_is_no_fragment_that_goes_on_until_nothing_comes() -> None:
    body = f"<html><head></head><body>{ROWS}</body></html>".encode("utf-16")
    assert read_listing(Page.parse(body, "http://a.test/news/page-3.html"), body).next_url is None


@pytest.mark.parametrize(
    "body",
    [f"<html><head></head><body>{ROWS}</body></html>", '[{"title":"a b","url":"/a/1"},{"title":"c d","url":"/a/2"}]'],
)
def test_a_list_goes_on_where_the_header_of_the_answer_says_so(body: str) -> None:
    link = '<http://a.test/style.css>; rel=preload; as=style, <http://a.test/desk?page=2>; rel="next", <http://a.test/desk?page=9>; rel="last"'
    response = TextResponse("http://a.test/desk", body=body.encode(), headers={"Link": link})
    assert read_listing(page_of(response), response.body).next_url == "http://a.test/desk?page=2"


@pytest.mark.parametrize(("start", "total", "following"), [(0, 2, 2), (2, 6, 4), (4, 6, None)])
def test_a_list_ends_where_its_answer_says(start: int, total: int, following: int | None) -> None:
    url = "http://a.test/api?offset={}"
    answer = {"total": total, "rows": [{"title": "a"}, {"title": "b"}]}
    assert next_of_data(answer, url.format(start), 2) == (url.format(following) if following else None)


@pytest.mark.parametrize("markup", ["<link rel=next href=/part1/boats>", "<a href=/part1/boats class=nav-next> › </a>"])
def test_the_next_chapter_of_a_book_is_no_next_page_of_a_list(markup: str) -> None:
    contents = "<nav><a href=/part1/boats>Boats of the harbour</a><a href=/part1/tides>Tides and winds</a></nav>"
    book = Page.parse(f"<html><body>{contents}{markup}</body></html>".encode(), "http://a.test/")
    assert next_page(book) is None
    unnamed = Page.parse(f"<html><body>{markup}</body></html>".encode(), "http://a.test/")
    assert next_page(unnamed) == "http://a.test/part1/boats"
    named = contents.replace("part1/boats", "page/2") + markup.replace("part1/boats", "page/2")
    assert next_page(Page.parse(f"<html><body>{named}</body></html>".encode(), "http://a.test/")) is not None


def test_a_list_by_jsonp_may_be_a_numbered_script_of_the_site() -> None:
    ask = '$.ajax({url: "/data/" + ch + "_" + pg + ".js", dataType: "jsonp"})'
    page = Page.parse(
        f"<html><body><script>var ch='town',pg=1;{ask};pg=1;</script></body></html>".encode(), "http://a.test/"
    )
    assert tries(page, 0) == ("http://a.test/data/town_1.js",)
    assert tries(Page.parse(b"<script>$.getScript('/js/menu.js')</script>", "http://a.test/"), 0) == ()


def test_places_of_lists_may_differ_in_a_word_beside_the_pages_number() -> None:
    places = [place_of(f"http://a.test{path}") for path in ("/data/town_1.js", "/data/trade_1.js", "/data/trade.js")]
    assert [is_alike(places[0], one) for one in places] == [True, True, False]


def test_a_script_asks_by_json_in_a_query() -> None:
    script = (
        'var f=function(n,p){return fetch("/api/fetch/"+n+"?query="+encodeURIComponent(JSON.stringify(p))+"&d=2")};'
        'more=function(at){return f("story-feed",{feature:"results",feedOffset:at,feedSize:12})}'
    )
    asked = quote('{"feature":"results","feedOffset":8,"feedSize":12}', safe="")
    rows = page("http://a.test/news/", {f"/news/{n}": f"Report number {n} from the harbour" for n in range(8)})
    assert tries(rows, 8, script) == (f"http://a.test/api/fetch/story-feed?query={asked}&d=2",)


@pytest.mark.parametrize(
    ("own", "back", "on"), [("/", "index1.html", ""), ("/index1.html", "index2.html", "index.html")]
)
def test_what_a_blog_calls_the_previous_index_is_the_next_page(own: str, back: str, on: str) -> None:
    def next_of(back: str, on: str) -> str | None:
        links = f"<a rel=prev href={back}>Previous</a>" + (f"<a rel=next href={on}>Next</a>" if on else "")
        return next_page(Page.parse(f"<html><body>{links}</body></html>".encode(), f"http://a.test{own}"))

    assert next_of(back, on) == f"http://a.test/{back}"
    assert next_of(on, back) == f"http://a.test/{back}"  # as others say it
    assert next_of("/2026/an-older-post", "") is None
