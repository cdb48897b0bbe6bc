from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.page.sitemaps import MAX_DEPTH, parse_sitemap

URLSET = """<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
 xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc>http://n.test/a</loc><image:image><image:loc>http://n.test/a.jpg</image:loc></image:image>
<lastmod>2024-05-03T10:00:00Z</lastmod></url>
<url><loc> http://n.test/b </loc><news:news><news:publication><news:name>N</news:name></news:publication>
<news:publication_date>2024-05-03</news:publication_date><news:title>B title</news:title></news:news></url></urlset>"""
INDEX = """<sitemapindex><sitemap><loc>/s1.xml.gz</loc><lastmod>2024-05-03</lastmod></sitemap><sitemap><loc>http://n.test/s2.xml</loc>
</sitemap></sitemapindex>"""


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_urlset_and_news(pack: object) -> None:
    sitemap = parse_sitemap(pack(URLSET.encode()), "http://n.test/sitemap.xml")  # type: ignore[operator]
    a, b = sitemap.entries
    assert (a.url, a.modified_at) == ("http://n.test/a", 1714730400.0)
    assert (b.url, b.title, b.published_at) == ("http://n.test/b", "B title", 1714694400.0)
    assert not sitemap.truncated


def test_index_nests_only_so_deep() -> None:
    children = parse_sitemap(INDEX.encode(), "http://n.test/sitemap.xml").children
    assert [c.url for c in children] == ["http://n.test/s1.xml.gz", "http://n.test/s2.xml"]
    assert children[0].modified_at == 1714694400.0
    assert parse_sitemap(INDEX.encode(), "http://n.test/sitemap.xml", depth=MAX_DEPTH).children == ()


def test_plain_text() -> None:
    sitemap = parse_sitemap(b"\xef\xbb\xbfhttp://n.test/1\r\nnothing\nhttps://n.test/2\n", "http://n.test/sitemap.txt")
    assert [e.url for e in sitemap.entries] == ["http://n.test/1", "https://n.test/2"]


def test_entries_are_bounded() -> None:
    many = "<urlset>" + "".join(f"<url><loc>http://n.test/{i}</loc></url>" for i in range(500)) + "</urlset>"
    sitemap = parse_sitemap(many.encode(), "http://n.test/s.xml", max_entries=100)
    assert len(sitemap.entries) == 100
    assert sitemap.truncated


def test_a_gzip_bomb_is_cut() -> None:
    bomb = gzip.compress(b"<urlset>" + b" " * 80_000_000)
    assert parse_sitemap(bomb, "http://n.test/s.xml.gz").truncated


def test_damage_keeps_what_came_before() -> None:
    cut = URLSET[: URLSET.index("<news:news>")].encode()
    assert [e.url for e in parse_sitemap(cut, "http://n.test/s.xml").entries][:1] == ["http://n.test/a"]
    assert parse_sitemap(gzip.compress(URLSET.encode())[:60], "http://n.test/s.xml.gz").truncated


@given(st.binary(max_size=300))
def test_any_bytes_are_data(body: bytes) -> None:
    parse_sitemap(body, "http://n.test/")
    parse_sitemap(b"<urlset><url><loc>" + body, "http://n.test/")


@pytest.mark.parametrize(
    ("named", "read"),
    [
        ("https://www.a.test/1.html", "http://a.test/1.html"),
        ("http://localhost:1313/1.html", "http://a.test/1.html"),
        ("http://news.a.test/1.html", "http://news.a.test/1.html"),
        ("/1.html", "http://a.test/1.html"),
    ],
)
def test_a_host_that_is_spelled_otherwise_is_the_files_own(named: str, read: str) -> None:
    body = f"<urlset><url><loc>{named}</loc></url></urlset>".encode()
    assert [one.url for one in parse_sitemap(body, "http://a.test/sitemap.xml").entries] == [read]


def test_what_shows_a_page_in_its_language_once_more_is_no_further_page() -> None:
    spoken = {"zh-Hans": "/hans/1", "zh-Hant": "/hant/1", "en": "/en/1", "x-default": "/en/1"}
    links = "".join(
        f'<x:link rel="alternate" hreflang="{tag}" href="http://n.test{at}"/>' for tag, at in spoken.items()
    )
    each = "".join(f"<url><loc>http://n.test{at}</loc>{links}</url>" for at in ("/hans/1", "/en/1", "/hant/1"))
    body = f'<urlset xmlns:x="http://www.w3.org/1999/xhtml">{each}</urlset>'.encode()
    assert [one.url for one in parse_sitemap(body, "http://n.test/").entries] == [
        "http://n.test/hans/1",
        "http://n.test/en/1",
    ]


def test_what_is_no_address_costs_its_entry_alone() -> None:
    entries = "".join(f"<url><loc>{at}</loc></url>" for at in ("http://[", "//[x", "javascript:x", "/1.html"))
    assert [one.url for one in parse_sitemap(f"<urlset>{entries}</urlset>".encode(), "http://a.test/").entries] == [
        "http://a.test/1.html"
    ]
    plain = b"http://[abc\nhttp://a.test/1.html\n"
    assert [one.url for one in parse_sitemap(plain, "http://a.test/").entries] == ["http://a.test/1.html"]


def sitemap_of(record: str, before: str = "", spaces: str = "") -> str:
    return f'{before}<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"{spaces}>{record}</urlset>'


@pytest.mark.parametrize("before", ["", "\n", "<!-- cached -->", "<br />\n<b>Notice</b>: x<br />\n"])
@pytest.mark.parametrize("between", ["&amp;", "&"])
def test_damage_to_a_sitemap_costs_no_part_of_an_address(before: str, between: str) -> None:
    records = "".join(f"<url><loc>http://n.test/a?x={n}{between}y=2</loc></url>" for n in range(2))
    found = parse_sitemap(sitemap_of(records, before).encode(), "http://n.test/sitemap.xml")
    assert [entry.url for entry in found.entries] == ["http://n.test/a?x=0&y=2", "http://n.test/a?x=1&y=2"]


def test_a_sitemap_in_utf_16() -> None:
    text = sitemap_of("<url><loc>http://n.test/a</loc></url>").replace("UTF-8", "utf-16")
    assert [entry.url for entry in parse_sitemap(text.encode("utf-16"), "http://n.test/s.xml").entries] == [
        "http://n.test/a"
    ]


@pytest.mark.parametrize("order", [1, -1])
def test_what_a_sitemap_says_of_a_picture_is_not_said_of_its_page(order: int) -> None:
    google = "http://www.google.com/schemas"
    spaces = f' xmlns:image="{google}/sitemap-image/1.1" xmlns:video="{google}/sitemap-video/1.1"'
    parts = [
        "<loc>http://n.test/a</loc>",
        "<image:image><image:loc>http://n.test/i.jpg</image:loc><image:title>A photo</image:title></image:image>",
        "<video:video><video:title>A film</video:title>"
        "<video:publication_date>2020-01-01</video:publication_date></video:video>",
    ]
    record = f"<url>{''.join(parts[::order])}</url>"
    (entry,) = parse_sitemap(sitemap_of(record, spaces=spaces).encode(), "http://n.test/sitemap.xml").entries
    assert (entry.url, entry.title, entry.published_at) == ("http://n.test/a", "", None)


def test_a_news_sitemap_that_declares_no_namespaces() -> None:
    told = "<news:publication_date>2026-11-28</news:publication_date><news:title>Bread&nbsp;here</news:title>"
    record = f"<url><loc>http://n.test/a</loc><news:news>{told}</news:news></url>"
    (entry,) = parse_sitemap(sitemap_of(record).encode(), "http://n.test/sitemap.xml").entries
    assert (entry.title, entry.published_at) == ("Bread here", 1795824000.0)
