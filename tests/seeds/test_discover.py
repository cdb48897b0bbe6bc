"""A site of one's own, looked through by the command, as real processes."""

from __future__ import annotations

import gzip
import json
import time
import tomllib
from urllib.parse import urlsplit

import pytest
from scrapy.http import HtmlResponse, TextResponse

from articlebot.looks import look_archives, shown
from articlebot.looks.look_sections import Sections
from articlebot.looks.look_stated import formless
from articlebot.looks.scripted import behind_scripts, placed
from articlebot.looks.site_look import SiteLook
from articlebot.looks.taken_scripts import parts_of, taken
from articlebot.looks.twin_lists import TwinLists
from articlebot.page.page import Page
from articlebot.runtime import Runtime
from articlebot.runtime.browser import Shown
from articlebot.seeds.jobblock import Entry, SiteSeeds, block, chosen, job_name
from articlebot.seeds.offers import Offers, hubs_of_feed, offers, robots_sitemaps
from articlebot.sources import read_listing
from articlebot.sources.fetches import tries
from tests.crawlers import crawler_with
from tests.proxies.running import scrapy
from tests.proxies.serving import Quiet, serve


@pytest.fixture
async def look(tmp_path):
    crawler = crawler_with({"ARTICLEBOT_DATA_DIR": str(tmp_path)})
    yield SiteLook(crawler, "http://a.test/", 40)
    await Runtime.of(crawler).close()


QUICK = {"ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01"}


class NewsSite(Quiet):
    """Home page, two sections, a feed with a hub, garbage, and sitemaps that lead in a circle."""

    def do_GET(self) -> None:
        host = f"http://{self.server.address}"
        self.server.seen.append((self.path, {}))
        answers = {
            "/": ("text/html", _home()),
            "/sport/": ("text/html", _list("sport", 10)),
            "/about/": ("text/html", "<html><body><p>Who we are. We are many.</p></body></html>"),
            "/feed.xml": ("application/rss+xml", _feed(host)),
            "/broken.xml": ("application/rss+xml", "<html><body>Sorry</body></html>"),
            "/robots.txt": ("text/plain", f"User-agent: *\nDisallow: /private/\nSitemap: {host}/index.xml\n"),
            "/index.xml": ("text/xml", _index(f"{host}/index.xml", f"{host}/loop.xml", f"{host}/news.xml.gz")),
            "/loop.xml": ("text/xml", _index(f"{host}/index.xml", f"{host}/loop.xml")),
            "/news.xml.gz": ("application/gzip", gzip.compress(_news(host).encode())),
        }
        kind, text = answers.get(self.path, ("text/html", None))
        if text is None:
            self.answer(404)
        else:
            self.answer(200, text if isinstance(text, bytes) else text.encode(), kind)


def _links(section: str, count: int) -> str:
    return "".join(
        f'<li><h3><a href="/{section}/2026/11/{n}-what-happened-in-town.html">What happened in the town on day {n} of '
        f"the {section} season</a></h3><p>Some words about it.</p></li>"
        for n in range(count)
    )


def _home() -> str:
    return (
        '<html lang="en"><head><title>The Daily</title><link rel="alternate" type="application/rss+xml" '
        'href="/feed.xml"><link rel="alternate" type="application/rss+xml" href="/broken.xml"></head><body><nav>'
        '<a href="/sport/">Sport</a><a href="/about/">About us</a><a href="/private/">Private</a></nav>'
        f"<ul>{_links('town', 12)}</ul></body></html>"
    )


def _list(section: str, count: int) -> str:
    return f"<html><head><title>{section}</title></head><body><ul>{_links(section, count)}</ul></body></html>"


def _feed(host: str) -> str:
    items = "".join(f"<item><title>Story {n}</title><link>{host}/wire/{n}.html</link></item>" for n in range(6))
    return (
        '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>'
        f'<atom:link rel="hub" href="http://hub.example/"/>{items}</channel></rss>'
    )


def _index(*urls: str) -> str:
    return "<sitemapindex>" + "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls) + "</sitemapindex>"


def _news(host: str) -> str:
    rows = "".join(
        f"<url><loc>{host}/late/{n}.html</loc><n:news><n:publication_date>2026-11-20</n:publication_date>"
        f"<n:title>Late {n}</n:title></n:news></url>"
        for n in range(5)
    )
    return f'<urlset xmlns:n="http://www.google.com/schemas/sitemap-news/0.9">{rows}</urlset>'


def test_a_site_is_discovered_and_its_job_is_valid(tmp_path):
    with serve(NewsSite) as (server,):
        done = scrapy(tmp_path, "seeds", "discover", f"http://{server.address}/", **QUICK)
    assert done.returncode == 0, done.stderr
    (job,) = tomllib.loads(done.stdout)["site"]
    host = f"http://{server.address}"
    assert job["feeds"] == [f"{host}/feed.xml"]
    assert job["sitemaps"] == [f"{host}/news.xml.gz"]
    assert job["list_pages"] == [f"{host}/", f"{host}/sport/"]
    assert job["language"] == "en"
    assert "http://hub.example/" in done.stdout
    assert "no_feed 1" in done.stderr
    paths = [path for path, _ in server.seen]
    assert "/private/" not in paths
    assert paths.count("/index.xml") == paths.count("/loop.xml") == 1
    (tmp_path / "jobs.toml").write_text(done.stdout)
    assert scrapy(tmp_path, "jobs", "check", str(tmp_path / "jobs.toml")).returncode == 0


class Unnamed(NewsSite):
    """No robots.txt names its sitemaps."""

    def do_GET(self) -> None:
        if self.path == "/robots.txt":
            self.answer(404)
        else:
            super().do_GET()


@pytest.mark.parametrize(
    ("path", "key", "entry"),
    [("/feed.xml", "feeds", "/feed.xml"), ("/index.xml", "sitemaps", "/news.xml.gz")],
)
def test_an_address_that_is_a_feed_or_sitemap_is_followed_as_such(tmp_path, path, key, entry):
    with serve(Unnamed) as (server,):
        done = scrapy(tmp_path, "seeds", "discover", f"http://{server.address}{path}", **QUICK)
    assert done.returncode == 0, done.stderr
    (job,) = tomllib.loads(done.stdout)["site"]
    assert job[key] == [f"http://{server.address}{entry}"]


class NewsMapAlone(NewsSite):
    """A sitemap of news, and a home page that says next to nothing."""

    def do_GET(self) -> None:
        if self.path == "/sitemap.xml":
            news = _news(f"http://{self.server.address}")
            titles = "港湾局は古い高架橋の計画を十二回の会議のあとで承認した "
            self.answer(200, news.replace("<n:title>", f"<n:title>{titles}").encode(), "text/xml")
        else:
            self.answer(*((200, b"<html><p>Hi</html>") if self.path == "/" else (404,)))


def test_the_titles_of_a_sitemap_of_news_tell_the_language(tmp_path):
    with serve(NewsMapAlone) as (server,):
        done = scrapy(tmp_path, "seeds", "discover", f"http://{server.address}/", **QUICK)
    assert done.returncode == 0, done.stderr
    (job,) = tomllib.loads(done.stdout)["site"]
    assert job["language"] == "ja"


class OneBroken(NewsSite):
    """One of its sections is out of order for good."""

    def do_GET(self) -> None:
        if self.path == "/sport/":
            self.server.seen.append((self.path, {}))
            self.answer(503)
        else:
            super().do_GET()


def test_a_section_that_is_out_of_order_is_asked_for_twice(tmp_path):
    with serve(OneBroken) as (server,):
        done = scrapy(tmp_path, "seeds", "discover", f"http://{server.address}/", **QUICK)
    assert done.returncode == 0, done.stderr
    assert [path for path, _ in server.seen].count("/sport/") == 2


def test_a_site_without_anything_is_said_so(tmp_path):
    with serve(Quiet) as (server,):
        done = scrapy(tmp_path, "seeds", "discover", f"http://{server.address}/", **QUICK)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "No feed, sitemap or list page" in done.stderr


class HugeSite(NewsSite):
    """Sitemaps of a million entries and of entries that are none, feeds that are pictures and web pages."""

    body = b""

    def do_GET(self) -> None:
        host = f"http://{self.server.address}"
        if self.path == "/robots.txt":
            self.answer(200, f"Sitemap: {host}/huge.xml.gz\nSitemap: {host}/none.xml\n".encode(), "text/plain")
        elif self.path == "/huge.xml.gz":
            self.answer(200, self.body, "application/gzip")
        elif self.path == "/none.xml":
            self.answer(200, b"\x89PNG\r\n" + bytes(500), "text/xml")
        elif self.path == "/":
            self.answer(200, b"<html><link rel=alternate type='application/rss+xml' href=/a.xml><p>Hi</html>")
        elif self.path == "/a.xml":
            self.answer(200, b"GIF89a" + bytes(500), "application/rss+xml")
        else:
            self.answer(404)


def test_a_sitemap_of_a_million_entries_is_bounded_counted_and_named(tmp_path):
    with serve(HugeSite) as (server,):
        row = f"<url><loc>http://{server.address}/%d.html</loc></url>"
        HugeSite.body = gzip.compress(
            ("<urlset>" + "".join(row % n for n in range(1_000_000)) + "</urlset>").encode(), 1
        )
        done = scrapy(tmp_path, "seeds", "discover", f"http://{server.address}/", **QUICK)
    assert done.returncode == 0, done.stderr
    (job,) = tomllib.loads(done.stdout)["site"]
    assert job["sitemaps"] == [f"http://{server.address}/huge.xml.gz"]
    assert "50000 articles" in done.stdout
    for problem in ("sitemap_truncated 1", "no_sitemap 1", "no_feed 1"):
        assert problem in done.stderr


class Ledger(Quiet):
    """A home page of one story; an archive names months, months name days."""

    def do_GET(self) -> None:
        pages = {
            "/": _links("town", 1) + '<a href="/archive">Archive</a>',
            "/archive": '<a href="/archive/2026/11">November</a> <a href="/archive/2026/10">October</a>',
            "/archive/2026/11": "".join(f'<td><a href="/archive/2026/11/{day}">{day}</a></td>' for day in range(1, 20)),
            "/archive/2026/11/18": _links("town", 7),
        }
        markup = pages.get(self.path)
        self.server.seen.append((self.path, {}))
        self.answer(404 if markup is None else 200, f"<html><body>{markup}</body></html>".encode(), "text/html")


def test_days_are_found_below_months(tmp_path):
    with serve(Ledger) as (server,):
        done = scrapy(tmp_path, "seeds", "discover", f"http://{server.address}/", **QUICK)
    (job,) = tomllib.loads(done.stdout)["site"]
    assert f"http://{server.address}/archive" in job["archives"], done.stderr


def test_the_archives_of_an_e_paper_are_asked_for_where_its_home_page_leads_each_day(look):
    """Its front may show nothing but where the other days are."""
    body = b"<html><body><a href=/html/2026-11/28/node_1.htm>28</a></body></html>"
    issue, other = (f"http://a.test/html/2026-11/{day}/node_1.htm" for day in (29, 28))
    look.listings = [read_listing(Page.parse(body, url, "text/html"), body) for url in (issue, other)]
    assert [look_archives._address(look, one) for one in look.listings] == [look.home, other]


@pytest.mark.parametrize(("known", "listings"), [("/mt/archives/000102.html", 0), ("/mt/archives/000103.html", 1)])
def test_what_a_list_names_as_an_article_leads_to_no_archives(look, known, listings):
    months = "".join(f'<a href="/mt/archives/2026_{month:02}.html">{month}</a>' for month in range(11, 0, -1))
    body = (
        f"<html><body><p>{'The council of the town has agreed on a bridge. ' * 20}</p>{months}</body></html>".encode()
    )
    page = Page.parse(body, "http://a.test/mt/archives/000102.html", "text/html")
    look.lists = [Entry(look.home, frozenset({f"http://a.test{known}"}))]
    assert look.note(read_listing(page, body), "in the navigation") is None
    assert len(look.listings) == listings


@pytest.mark.parametrize(
    ("issues", "leads"),
    [("<a href=2026/11/>Now</a>", False), ("<a href=2026/11/>Now</a><a href=2026/10/>Last</a>", True)],
)
def test_the_newest_issue_alone_leads_to_nothing_older(look, issues, leads):
    body = f"<html><body><h1>A magazine</h1>{issues}</body></html>".encode()
    look.note(read_listing(Page.parse(body, "http://a.test/sv/", "text/html"), body), "in the navigation")
    assert len(look.listings) == 1
    assert look.leads_back() is leads


@pytest.mark.parametrize(
    ("own", "day", "listings"), [("list.htm", "list-2026-11-23.htm", 1), ("", "2026-11-23.htm", 0)]
)
def test_a_list_that_is_empty_today_is_told_by_its_days_and_a_page_with_a_link_to_one_is_none(look, own, day, listings):
    page = Page.parse(
        f"<html><body><a href='/news/{day}'>Monday</a></body></html>".encode(), f"http://a.test/news/{own}"
    )
    assert look.note(read_listing(page, b""), "in the navigation") is None
    assert len(look.listings) == listings


@pytest.mark.parametrize(
    ("path", "places"),
    [("/static/js/news_1.js", 1), ("/country/1.js", 1), ("/js/clickcount.js", 0), ("/hits.asp?id=1", 0)],
)
def test_counters_beside_a_list_write_no_list(path, places):
    markup = f"<html><body><table><tr><td><script src='{path}'></script></td></tr></table></body></html>"
    assert len(placed(Page.parse(markup.encode(), "http://a.test/"))) == places


async def test_a_module_is_fetched_once_for_all_that_take_it_and_gives_each_its_base(look):
    """The second of two, and one that the page names itself, had no base: such a list ended after its first page."""
    texts = {
        "/env.js": 'const o="/api/v2";export{o as B};',
        "/a.js": 'import{B as q}from"./env.js";fetch(`${q}/ping`)',
        "/list.js": 'import{B as e}from"./env.js";fetch(`${e}/news?page=${n}`)',
    }
    asked = []

    async def get(url):
        asked.append(url)
        return TextResponse(url, body=texts[urlsplit(url).path].encode())

    look.fetching.get = get
    page = Page.parse("".join(f'<script src="{path}"></script>' for path in texts).encode(), "http://a.test/")
    read = [text async for text in taken(look, page)] + [text async for text in taken(look, page)]
    assert sorted(asked) == sorted(f"http://a.test{path}" for path in texts)
    assert sorted(text.partition(";")[0] for text in read) == ['const o="/api/v2"', 'e="/api/v2"', 'q="/api/v2"']


async def test_an_article_that_a_script_names_is_no_list(look):
    """Bundles of static sites name all their pages; articles with links to the newest ones were taken for lists."""
    prose = "<p>The council opened the bridge on Monday, and the mayor thanked all who had built it in four years.</p>"
    article = f"<title>The bridge opens</title><article><h1>The bridge opens</h1>{prose * 8}</article>"

    async def get(url, sent="", kept=True, again=False, repeats=False):
        return TextResponse(url, body=f"<html>{article}<ul>{_links('town', 7)}</ul></html>".encode(), encoding="utf-8")

    look.fetching.get = get
    shell = "<div id=root></div><script>fetch('/town/2026/11/77-the-bridge-opens.html')</script>"
    await behind_scripts(look, read_listing(Page.parse(shell.encode(), look.home), shell.encode()))
    assert look.found.api == []


async def test_a_page_in_the_browser_that_is_noted_as_no_list_is_not_shown_again(look, monkeypatch):
    """A wall there was taken for the list before it, and where there was none the look broke off."""
    page = HtmlResponse(look.home, body=f"<title>News</title><ul>{_links('town', 7)}</ul>".encode(), encoding="utf-8")

    async def show(*_, **__):
        return Shown(page, (), 0, (), goes_on=False)

    monkeypatch.setattr(shown, "show", show)
    monkeypatch.setattr(look, "note", lambda *_, **__: None)
    await shown.behind_browser(look, read_listing(Page.parse(b"<script></script>", look.home), b"<script></script>"))
    assert look.found.rendered == []


async def test_a_program_that_loads_its_parts_when_needed_is_read_with_those_of_its_lists(look):
    """As Vite writes it; what one part sends stands in another."""
    deps = 'm.f=["assets/About-x1.js","assets/Home-x2.js","assets/api-x3.js"]'
    texts = {
        "/assets/main-x0.js": f"import`./dom-x9.js`;{deps};()=>import(`./About-x1.js`),()=>import(`./Home-x2.js`)",
        "/assets/Home-x2.js": "import{n as p}from`./api-x3.js`;async function y(){await p({page:1,size:10})}",
        "/assets/api-x3.js": "var n=e=>r({url:`/api/list`,method:`get`,params:e});export{n}",
    }
    asked = []

    async def get(url):
        asked.append(urlsplit(url).path)
        text = texts.get(asked[-1])
        return TextResponse(url, body=text.encode()) if text else None

    look.fetching.get = get
    page = Page.parse(b"<div id=app></div><script src=/assets/main-x0.js></script>", "http://a.test/")
    read = [text async for text in taken(look, page)]
    assert asked == [*texts, "/assets/About-x1.js", "/assets/dom-x9.js"]
    assert tries(page, 0, read[2]) == ("http://a.test/api/list?page=1&size=10",)


def test_a_program_of_two_thousand_parts_costs_little() -> None:
    hashes = ",".join(f'{number}:"ab{number}"' for number in range(2000))
    script = f'r.u=e=>"js/"+{{{hashes}}}[e]+".js";n.e(1999);' + "function f(){return 1};" * 70_000
    began = time.process_time()
    found = parts_of(script, "http://a.test/js/main.js", [script])
    assert time.process_time() - began < 1.0  # it took 4.5 s to look for each by itself
    assert (next(iter(found)), len(found)) == ("http://a.test/js/ab1999.js", 200)


@pytest.mark.parametrize(("ended", "asked"), [(True, 3), (False, 5)])
async def test_sections_that_repeat_a_home_page_which_was_turned_to_its_end_are_left_out(look, ended, asked):
    body = f"<html><body><ul>{_links('town', 12)}</ul></body></html>".encode()
    read = []

    async def listed(url):
        read.append(url)
        return read_listing(Page.parse(body, url, "text/html"), body)

    async def nothing(*_):
        return None

    home = read_listing(Page.parse(body, look.home, "text/html"), body)
    look.lists, sections = [Entry(look.home, look.named(home))], Sections(look)
    sections.through, sections.ended = look.named(home), ended
    look.read, sections._behind_lists, sections._doubtful = listed, nothing, nothing
    await sections.go_through(home, Offers(sections=tuple(f"http://a.test/{name}/" for name in "abcde")))
    assert len(read) == asked
    assert len(look.found.left_out) == 5 - asked


def test_a_list_of_the_same_articles_below_another_folder_is_a_twin():
    def read(folder, first=0):
        links = "".join(
            f'<li><a href="/{folder}/news/{n}.html">What happened in the town on day {n}</a></li>'
            for n in range(first, 12)
        )
        body = f"<html><body><ul>{links}</ul></body></html>".encode()
        return read_listing(Page.parse(body, f"http://a.test/{folder}/", "text/html"), body)

    twins = TwinLists()
    twins.note(read("bj"))
    assert read("sh") in twins
    assert read("bj") not in twins
    assert read("sh", first=9) not in twins
    twins._titled = {text: url.replace("//a.", "//news.a.") for text, url in twins._titled.items()}
    assert read("bj") in twins
    twins._titled = {text: url.replace("/1", "/2") for text, url in twins._titled.items()}
    assert read("sh") not in twins


class Tags(Quiet):
    """Nothing but a cloud of tags, each of which lists articles of its own."""

    def do_GET(self) -> None:
        self.server.seen.append((self.path, {}))
        cloud = "".join(f'<a href="/tag/{name}">{name}</a> ' for name in ("ash", "elm", "fir", "oak", "yew"))
        markup = cloud if self.path == "/" else _links(self.path[5:], 3) if self.path.startswith("/tag/") else None
        self.answer(404 if markup is None else 200, f"<html><body>{markup}</body></html>".encode(), "text/html")


def test_lists_by_tag_that_were_asked_for_are_not_counted_as_barren(tmp_path):
    with serve(Tags) as (server,):
        done = scrapy(tmp_path, "seeds", "discover", f"http://{server.address}/", **QUICK)
        seen = [path for path, _ in server.seen]
    assert [seen.count(f"/tag/{name}") for name in ("ash", "elm", "fir", "oak", "yew")] == [1] * 5, done.stderr


def test_offers_of_a_page():
    page = Page.parse(_home().encode(), "http://a.example/", "text/html")
    found = offers(page)
    assert found.feeds == ("http://a.example/feed.xml", "http://a.example/broken.xml")
    assert found.sections == ("http://a.example/sport/", "http://a.example/private/")


def test_a_word_of_a_menu_is_a_section_though_its_address_has_a_number():
    menu = (
        '<nav><a href="/news/cate/6638">要聞</a><a href="/news/story/6638/67976">臺北捷運今日起調整首班車時間</a></nav>'
    )
    page = Page.parse(f'<html><body>{menu}<p><a href="/news/cate/6639">社會</a></p>'.encode(), "http://a.test/", "")
    assert offers(page).sections == ("http://a.test/news/cate/6638",)


def test_a_section_may_be_asked_for_by_folders() -> None:
    page = menu("/portal/list/index/id/4.html 协会动态")
    assert offers(page).sections == ("http://a.test/portal/list/index/id/4.html",)


def test_sections_are_told_from_what_serves_and_from_side_lists():
    links = (
        "/sport/ Sport|/about/ About us|/search?q=bridge Bridge|/tag/bridge Bridge|/autores/jane-doe Jane Doe|"
        "/2026/11/05/ 5 November|/page/2 Next|http://culture.a.test/ Culture|http://www.a.test/ Home|"
        "/news/2026/11/a-new-bridge-for-the-town.html A new bridge|/guanyu 关于我们|/tiyu/ 体育|"
        "/people/ People|/help-desk Help desk|/weather/ Weather|/terms-of-use Terms|/about-us About us|/blog/jobs/ Jobs"
    )
    rows = "".join(f'<a href="{one.partition(" ")[0]}">{one.partition(" ")[2]}</a>' for one in links.split("|"))
    markup = f"<html><body><nav>{rows}</nav></body></html>"
    found = offers(Page.parse(markup.encode(), "http://www.a.test/", "text/html"))
    host = "http://www.a.test"
    assert found.sections == (f"{host}/sport/", "http://culture.a.test/", f"{host}/tiyu/")
    assert found.side_lists == (f"{host}/tag/bridge", f"{host}/autores/jane-doe", f"{host}/people/")
    assert found.doubtful == (
        f"{host}/tag/bridge",
        f"{host}/autores/jane-doe",
        f"{host}/people/",
        f"{host}/help-desk",
        f"{host}/weather/",
        f"{host}/blog/jobs/",
    )
    assert [one.url for one in found.archives] == [f"{host}/2026/11/05/"]


def test_a_section_of_several_words_is_told_by_its_neighbours():
    links = (
        '<td><a href="/desk/street.html">Street</a> <a href="/desk/hills%20and%20dales.html">Hills and dales</a></td>'
    )
    story = '<p><a href="/story/hills-and-dales">Hills and dales</a></p>'
    page = Page.parse(f"<html><body>{links}{story}</body></html>".encode(), "http://a.test/", "text/html")
    assert offers(page).sections == ("http://a.test/desk/street.html", "http://a.test/desk/hills%20and%20dales.html")


def menu(links: str, below: str = "") -> Page:
    """A home page whose menu has these links, "/address Text|/other Text"."""
    rows = "".join(f'<a href="{one.partition(" ")[0]}">{one.partition(" ")[2]}</a>' for one in links.split("|"))
    return Page.parse(f"<html><body><nav>{rows}</nav>{below}</body></html>".encode(), "http://a.test/", "text/html")


def test_what_leads_to_all_news_is_a_section_whatever_its_address_looks_like():
    links = (
        "/search/news-and-releases News|/w/all;jsessionid=0A1B2C3D4E5F60718293.node1 Aktuell|"
        "/list.php?s=town Town|/etat/actualites/communiques-de-presse Communiqués de presse|"
        "/etat/actualites/lettres Lettres|/?s=town Search town|/?from=menu The Daily|/events/open-house Open house"
    )
    below = '<p><a href="/presse/meldungen-des-amtes">Alle Meldungen</a> <a href="/profile/jane-roe">Jane Roe</a></p>'
    page = menu(links, below)
    assert {url.removeprefix("http://a.test") for url in offers(page).sections} == {
        "/search/news-and-releases", "/w/all", "/list.php?s=town", "/etat/actualites/communiques-de-presse",
        "/etat/actualites/lettres", "/presse/meldungen-des-amtes",
    }  # fmt: skip


def test_a_sentence_may_lead_to_the_archive():
    said = "All older stories are in the archive, by day"
    page = f"<p><a href='/archive/'>{said}</a> <a href='/archive/old-bridge'>{said}</a></p><a href='/archive/'>All</a>"
    assert offers(Page.parse(page.encode(), "http://a.test/")).sections == ("http://a.test/archive/",)


def test_the_language_that_all_links_have_makes_none_a_switch():
    links = "/news.php?lang=cn&class1=2 新闻资讯|/news.php?lang=cn&class1=3 公司新闻|/news.php?lang=en News"
    assert [url[-8:] for url in offers(menu(links)).sections] == ["class1=2", "class1=3"]


def test_a_menus_entry_of_two_words_is_a_section_whatever_number_its_address_has() -> None:
    links = "/1010.htm Photo stories|/1011.htm Pressemitteilungen|/1012.htm News"
    assert [url[-8:] for url in offers(menu(links)).sections] == ["1010.htm", "1011.htm", "1012.htm"]
    again = "<div><h2><a href='/1011.htm'>Pressemitteilungen</a></h2></div>"  # a box of the newest of it
    assert [url[-8:] for url in offers(menu(links, again)).sections] == ["1010.htm", "1011.htm", "1012.htm"]


def test_sections_are_counted_from_where_the_site_begins():
    links = "/corporate/us/en/newsroom/releases.html Releases|/corporate/us/en/a/b/c/d/e/f/g.html Deep"
    page = Page.parse(menu(links).text.encode(), "http://a.test/corporate/us/en.html", "text/html")
    assert offers(page).sections == ("http://a.test/corporate/us/en/newsroom/releases.html",)


def test_pages_that_serve_are_no_sections_in_any_language():
    links = (
        "/de/neues Neues|/de/impressum Impressum|/de/kontakt Kontakt|/datenschutz Datenschutz|/ueber-uns Über uns|"
        "/chi-siamo/ Chi siamo|/mentions-legales Mentions légales|/aviso-legal Aviso legal|/?page=0 Seite 1|"
        "/?sort_by=title Titel|/over-ons Over ons"
    )
    assert offers(menu(links)).sections == ("http://a.test/de/neues",)


def test_a_host_for_small_screens_is_no_section():
    page = Page.parse(b'<a href="http://m.a.test/">Mobile</a><a href="http://en.a.test/">English</a>', "http://a.test/")
    assert offers(page).sections == ("http://en.a.test/",)


@pytest.mark.parametrize(
    ("markup", "searches"),
    [
        ('<a href="/find?q=&sort=date">All reports</a>', ("http://a.test/find?q=&sort=date",)),
        (
            '<form action="/find"><input name="q" type="search"><input name="o" type="hidden" value="new"></form>',
            ("http://a.test/find?q=&o=new",),
        ),
        (
            '<form action="/find"><input name="keywords"><input name="from" type="date">'
            '<input name="r" type="radio" value=1>'
            '<select name="branch"><option value="">All</option><option value=2>Coal</option></select></form>',
            ("http://a.test/find?keywords=&from=&branch=",),
        ),
        ('<form action="/find" method="post"><input name="q"></form>', ()),
        ('<form action="/mail"><input name="address"></form>', ()),
        ('<form action="/in"><input name="q"><input name="p" type="password"></form>', ()),
        ('<a href="/find?q=bridge">Bridge</a>', ()),
    ],
)
def test_the_search_for_nothing_in_particular(markup, searches):
    page = Page.parse(f"<html><body>{markup}</body></html>".encode(), "http://a.test/", "text/html")
    assert offers(page).searches == searches


@pytest.mark.parametrize(
    ("listed", "feed", "zone"),
    [
        (b'{"date": "2026-11-24T13:05:00+01:00"}', b"", "Europe/Madrid"),
        (b'{"date": "2026-11-24T13:05:00+01:00"}', b"2026-11-24T13:05:00-03:00", "Etc/GMT+3"),
        (b'{"date": "2026-11-24T13:05:00Z"}', b"", None),
    ],
)
def test_the_times_of_lists_tell_the_zone_where_feeds_tell_none(look, listed, feed, zone) -> None:
    look.found.language = "es"
    look.language.tell_by("", feed)
    look.language.of_list("es", [], listed)
    assert look.found.timezone == zone


def test_feeds_of_comments_are_no_feeds_of_the_site() -> None:
    every = ("/feed", "/comments/feed", "/?feed=comments-rss2", "/comment-is-free/rss", "/x?type=comments&id=1")
    links = "".join(f'<link rel="alternate" type="application/rss+xml" href="{url}">' for url in every)
    found = offers(Page.parse(f"<html><head>{links}</head><body></body></html>".encode(), "http://a.test/"))
    assert found.feeds == ("http://a.test/feed", "http://a.test/comment-is-free/rss")


@pytest.mark.parametrize(
    "body", [b"", b"\xff\x00", b"<a href='http://['>x</a>", b"<link rel=alternate type=application/rss+xml>"]
)
def test_what_a_page_offers_never_raises(body):
    offers(Page.parse(body, "http://a.example/", "text/html"))
    assert hubs_of_feed(body, "http://a.example/") == ()
    assert robots_sitemaps(body, "http://a.example/robots.txt") == ()


def test_addresses_that_are_none_cost_no_others():
    robots = b"Sitemap: http://[broken\nSitemap: /news.xml\n"
    assert robots_sitemaps(robots, "http://a.example/robots.txt") == ("http://a.example/news.xml",)
    feed = b"<rss><channel><link rel='hub' href='http://[broken'/><link rel='hub' href='https://hub.example/'/></channel></rss>"
    assert hubs_of_feed(feed, "http://a.example/feed") == ("https://hub.example/",)


def test_a_feed_in_another_format_is_the_same_feed():
    one = [
        f"http://a.test/{path}" for path in ("feed/", "feed/rss/", "feed/atom/", "rss.xml", "atom.xml", "index.json")
    ]
    assert len({formless(url) for url in one}) == 1
    assert (
        len({formless(f"http://a.test/{path}") for path in ("feed/", "feed/1", "town/rss.xml", "?feed=a&cat=2")}) == 4
    )


def test_hubs_of_headers():
    header = '<https://a.example/feed>; rel="self", <https://hub.example/>; rel="hub"'
    assert hubs_of_feed(b"{}", "https://a.example/feed", header) == ("https://hub.example/",)


def test_an_entry_page_that_repeats_others_is_left_out():
    full, part, other = (
        Entry(name, frozenset(map(str, names)))
        for name, names in [("a", range(9)), ("b", range(5)), ("c", range(8, 12))]
    )
    assert chosen([part, other, full], set(), most=5) == [full, other]


@pytest.mark.parametrize(
    ("goes_on", "beyond", "kept"), [(False, False, ["b"]), (True, False, []), (True, True, ["a", "b"])]
)
def test_a_section_that_goes_on_leads_back_where_the_home_page_does_not(goes_on, beyond, kept):
    home = Entry("a", frozenset(map(str, range(9))), goes_on=goes_on)
    section = Entry("b", frozenset(map(str, range(5))), goes_on=True)
    found = SiteSeeds("http://a.example/")
    feeds = [Entry("f", home.articles)] if beyond else []
    found.choose(feeds, (), (), (home, section), beyond=beyond)
    assert found.list_pages == ([] if beyond else [home])
    assert [one.url for one in found.archives] == kept


@pytest.mark.parametrize(
    "url",
    ["http://www.a.example/", "http://1.2.3.4:80/", "http://xn--fiq228c.example/", "http://" + "a" * 90 + ".example"],
)
def test_blocks_are_toml_whatever_the_address(url):
    found = SiteSeeds(url, feeds=[Entry('http://a.example/"\\\n', frozenset())], hubs=["http://h/\n[x]"])
    text = block(found)
    assert json.loads(json.dumps(tomllib.loads(text)))["site"][0]["name"] == job_name(url)
