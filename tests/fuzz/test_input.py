"""Whatever a site sends: pages, addresses, dates, feeds, sitemaps, robots.txt, headers."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from articlebot import urls
from articlebot.classify import keywords, summarise
from articlebot.classify import load as load_classifier
from articlebot.dedup import article_text
from articlebot.extraction.cascade import extract
from articlebot.extraction.kinds import kind
from articlebot.extraction.lists import article_links
from articlebot.extraction.paging import next_pages
from articlebot.extraction.parts import join, join_html
from articlebot.extraction.shells import lacks_text, needs_scripts
from articlebot.extraction.urlshape import looks_like_article, shape
from articlebot.extraction.video import Registry
from articlebot.extraction.video.manifests import renditions
from articlebot.extraction.wrapper.wrapper import Wrapper, learn
from articlebot.looks.taken_scripts import imported_bases, parts_of
from articlebot.looks.written_lists import placed
from articlebot.manners.robots_txt import RobotsTxt
from articlebot.page import Page
from articlebot.page.anchors import anchors_of
from articlebot.page.feeds import next_of_feed, parse_feed
from articlebot.page.plain_texts import quoted
from articlebot.page.sitemaps import parse_sitemap
from articlebot.proxies.lists import parse_list
from articlebot.seeds.offers import hubs_of_feed, offers, robots_sitemaps
from articlebot.sources import read_listing
from articlebot.sources.choices import choices, frames, menus
from articlebot.sources.fetches import tries
from articlebot.sources.plain_scripts import written
from articlebot.sources.posts import posts
from articlebot.text import content_hash, language, normalise, segment
from articlebot.text.simhash import fingerprint
from articlebot.times import parse_retry_after, stated_time
from articlebot_lab.newsroom.hostile import article
from tests.fuzz.strategies import bounded, broken, dates, fuzz, pages, spoiled, wild_text
from tests.fuzz.strategies import urls as addresses

AT = "http://a.test/2026/11/21/story.html"
CONTENT_TYPES = st.sampled_from(
    [None, "", "text/html", "text/html; charset=gbk", "text/html; charset=\x00", "image/png", ";;"]
)
REGISTRY = Registry.load()
KEYWORDS = load_classifier(None)


def learned() -> list[Wrapper]:
    made = [Page.parse(article(f"/good/{n}", 1.7e9 + n), f"http://a.test/good/{n}.html") for n in range(6)]
    return learn(made, site="a.test")


WRAPPERS = learned()


@fuzz
@given(pages(), addresses, CONTENT_TYPES)
def test_pages(body: bytes, address: str, content_type: str | None) -> None:
    with bounded():
        url = urls.canonical_url(address)
    if "url" not in locals():
        url = AT
    with bounded():
        page = Page.parse(body, url, content_type=content_type, fetched_at=1.7e9)
        found = extract(page)
        assert isinstance(found.body, str)
        kind(page)
        for link in anchors_of(page):
            with bounded():
                urls.canonical_url(link.url)
        article_links(page)
        next_pages(page)
        offers(page)
        with bounded():
            REGISTRY.find(page)
        for wrapper in WRAPPERS:
            wrapper.fits(page)
            wrapper.apply(page)
        text(found.title, found.body)


def text(title: str, body: str) -> None:
    whole = article_text(title, body)
    content_hash(whole), fingerprint(whole), language(whole), segment(normalise(whole))
    keywords(whole, "zh", 5), summarise(whole, None, 100), KEYWORDS.predict([(title, body)])


@fuzz
@given(wild_text, wild_text)
def test_texts(title: str, body: str) -> None:
    with bounded():
        text(title, body)
        join([title, body, title])
        join_html([title, body])


@fuzz
@given(st.lists(pages(), min_size=4, max_size=7))
def test_wrappers_of_wild_pages(bodies: list[bytes]) -> None:
    with bounded():
        for wrapper in learn([Page.parse(b, AT) for b in bodies], site="a.test"):
            assert Wrapper.from_json(wrapper.to_json()).name == wrapper.name


@fuzz
@given(addresses)
def test_addresses(address: str) -> None:
    with bounded():
        url = urls.canonical_url(address)
        assert urls.canonical_url(url) == url
        (
            urls.page_key(url),
            urls.parent_hash(url),
            urls.subdomain(url),
            urls.site(url),
            shape(url),
            looks_like_article(url),
        )


@fuzz
@given(dates, dates)
def test_dates(meta: str, shown: str) -> None:
    body = article("/good/1", 1.7e9).decode().replace("</h1>", f"</h1><p>{shown}</p>")
    page = f'<meta property="article:published_time" content="{meta}">{body}'.encode("utf-8", "replace")
    with bounded():
        found = extract(Page.parse(page, AT, fetched_at=1.7e9))
        assert found.published_at is None or abs(found.published_at) < 1e11
        stated_time(meta)
        parse_retry_after(meta, 1.7e9)


FEED = b"""<?xml version="1.0" encoding="utf-8"?><rss><channel><title>t</title>
<item><title>a &amp; b</title><link>http://a.test/1</link><pubDate>Sat, 21 Nov 2026 10:00:00 GMT</pubDate></item>
<entry xmlns="http://www.w3.org/2005/Atom"><link href="/2"/><updated>2026-11-21T10:00:00Z</updated></entry>
</channel></rss>"""
SITEMAP = b"""<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
 xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"><url><loc>http://a.test/1</loc><lastmod>2026-11-21</lastmod>
<n:news><n:publication_date>2026-11-21T10:00:00Z</n:publication_date><n:title>t</n:title></n:news></url>
<sitemap><loc>http://a.test/s.xml</loc></sitemap></urlset>"""


@fuzz
@given(broken(FEED), broken(SITEMAP), addresses, dates)
def test_feeds_and_sitemaps(feed: bytes, sitemap: bytes, address: str, date: str) -> None:
    feed = feed.replace(b"http://a.test/1", address.encode("utf-8", "replace"))
    feed = feed.replace(b"Sat, 21 Nov 2026 10:00:00 GMT", date.encode("utf-8", "replace"))
    for body in (feed, sitemap):
        with bounded():
            parse_feed(body, AT)
            hubs_of_feed(body, AT)
            next_of_feed(body, AT)
        with bounded():
            parse_sitemap(body, AT)


@fuzz
@given(st.lists(st.sampled_from(["User-agent: *", "Disallow: /a*$b", "Crawl-delay: 1e400", "Crawl-delay: -5",
    "Crawl-delay: nan",
                                 "Sitemap: //x", "Sitemap: http://[",
    "Allow: %zz", "\x00", "Request-rate: 1/0", "Visit-time: 9999-0"])
                | wild_text))  # fmt: skip
def test_robots(lines: list[str]) -> None:
    body = "\n".join(lines)
    with bounded():
        robots_sitemaps(body.encode("utf-8", "replace"), "http://a.test/robots.txt")
        rules = RobotsTxt(body.encode("utf-8", "replace"))
        rules.allowed(AT, "articlebot")
        rules.crawl_delay("articlebot")


@fuzz
@given(st.binary(max_size=200) | st.builds(lambda a, b: f"{a}:{b}\n".encode("utf-8", "replace"), addresses, wild_text))
def test_lists_of_proxies_and_videos(body: bytes) -> None:
    with bounded():
        parse_list(body)
        parse_list(body)
    with bounded():
        renditions(b"#EXTM3U\n" + body, AT)
        renditions(b"<MPD>" + body, AT)


# What the scripts of front ends are made of.
SCRIPTS = st.builds(
    "".join,
    st.lists(
        st.sampled_from([
            'fetch("/api/list?page="+n)', "fetch(`/api/${a}/list?page=${n}`)", "{page:n,size:20}", "function f(a){",
            "}", '"', "'", "`", "${", "\\", "/*", '$.ajax({type:"POST",url:"/x",data:{page:n}})', 'import("./a.js")',
            'import{a as b}from"//[c.js";', 'axios.get("/x",{params:{page:n}})', "new URLSearchParams({",
            'e.u=e=>"s/"+e+"."+{1:"abc"}[e]+".js"', '"/news/"+a.slug+".html"', "a=>", "(", ")", "[", "]", " " * 130,
            'window.__DATA__={"a":[{"title":"x","url":"http://["}]}', "JSON.parse(", "el.dataset.url+", "&page=", "\n",
        ])
        | wild_text,
        max_size=12,
    ),
)  # fmt: skip


@fuzz
@given(pages(), SCRIPTS, addresses)
def test_lists_and_what_scripts_fetch(body: bytes, script: str, address: str) -> None:
    whole = body + f"<script>{script}</script><a href='{address}'>More of it</a>".encode("utf-8", "replace")
    with bounded():
        page = Page.parse(whole, AT, fetched_at=1.7e9)
        read_listing(page, whole)
        needs_scripts(page), lacks_text(page)
        for links in (0, 5):
            tries(page, links), posts(page, links), tries(page, links, written(quoted(script)))
        parts_of(script, AT), list(imported_bases(script))
        list(menus(page)), list(choices(page)), placed(page), frames(page)


ANSWER = {
    "code": 0, "data": {"total": 80, "pageNo": 1, "next": "/more?page=2", "list": [
        {"id": n, "title": f"Headline number {n} of this day", "url": f"/n/{n}.html", "time": "2026-11-01 10:00"}
        for n in range(4)
    ]},
}  # fmt: skip


@fuzz
@given(spoiled(ANSWER), addresses)
def test_lists_in_data(answer: object, address: str) -> None:
    body = json.dumps(answer).encode()
    with bounded():
        page = Page.parse(body, "http://a.test/api/list?page=2", content_type="application/json")
        read_listing(page, body)
        read_listing(page, body, template="/n/{id}.html", home=address)
