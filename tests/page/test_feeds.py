from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.page.feeds import FeedEntry, feeds_of_opml, next_of_feed, parse_feed, part_after
from articlebot.times import stated_time

RSS = """<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>News</title><link>http://n.test/</link>
<item><title><![CDATA[A &amp; B <b>bold</b>]]></title><link> http://n.test/a?x=1&y=2 </link>
<pubDate>Fri, 03 May 2024 10:00:00 +0800</pubDate><description>First&nbsp;one</description></item>
<item><title>Second</title><guid isPermaLink="true">http://n.test/b</guid></item>
<item><title>No address</title><guid isPermaLink="false">77</guid></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><entry><title type="html">One</title>
<link rel="edit" href="/edit/1"/><link href="/1"/><published>2024-05-03T10:00:00Z</published>
<updated>2024-05-03T11:00:00+00:00</updated></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="x"/><item><title>R</title><link>http://n.test/r</link>
 <dc:date>2024-05-03T18:00:00+08:00</dc:date></item></rdf:RDF>"""
JSON_FEED = """{"version": "https://jsonfeed.org/version/1.1", "items": [{"url": "/j", "title": "J",
 "date_published": "2024-05-03T10:00:00Z"}, {"url": 3}, "x"]}"""


def test_rss_in_order_with_times_and_plain_titles() -> None:
    first, second = parse_feed(RSS.encode(), "http://n.test/rss")
    assert first == FeedEntry(
        url="http://n.test/a?x=1&y=2", title="A & B bold", published_at=1714701600.0, summary="First one"
    )
    assert (second.url, second.title, second.published_at) == ("http://n.test/b", "Second", None)


def test_an_identity_that_is_a_path_is_an_address() -> None:
    (entry,) = parse_feed(
        b"<rss><channel><item><title>A</title><link/><guid>/c</guid></item></channel></rss>", "http://n.test/rss"
    )
    assert entry.url == "http://n.test/c"


@pytest.mark.parametrize(
    ("body", "url"), [(ATOM, "http://n.test/1"), (RDF, "http://n.test/r"), (JSON_FEED, "http://n.test/j")]
)
def test_other_formats(body: str, url: str) -> None:
    (entry,) = parse_feed(body.encode(), "http://n.test/feed")
    assert entry.url == url
    assert entry.published_at in (1714730400.0, 1714730400.0)
    assert entry.title


@pytest.mark.parametrize(
    ("link", "url"),
    [
        ("/doku.php?id=news:a&amp;rev=1795858440&amp;do=diff", "/doku.php?id=news:a"),
        ("/wiki/news:a?rev=1795858440&amp;do=diff", "/wiki/news:a"),
        ("/index.php?title=Bridge&amp;diff=4&amp;oldid=1", "/index.php?title=Bridge"),
        ("/story?id=4&amp;rev=2", "/story?id=4&rev=2"),
        ("/story?name=diff", "/story?name=diff"),
    ],
)
def test_what_a_wikis_feed_names_is_the_page_and_not_its_change(link: str, url: str) -> None:
    body = f"<rss><channel><item><title>A</title><link>http://n.test{link}</link></item></channel></rss>"
    assert [one.url for one in parse_feed(body.encode(), "http://n.test/feed")] == [f"http://n.test{url}"]


def test_atom_keeps_the_time_of_the_update() -> None:
    (entry,) = parse_feed(ATOM.encode(), "http://n.test/feed")
    assert entry.updated_at == 1714734000.0


def test_the_last_change_is_the_publication_where_a_feed_tells_of_none():
    entry = "<entry><link href='/{0}'/>{1}<updated>2024-05-0{0}T11:00:00Z</updated></entry>"
    told = "<published>2024-05-01T09:00:00Z</published>"
    feed = "<feed xmlns='http://www.w3.org/2005/Atom'>{}</feed>"
    changed = parse_feed(feed.format(entry.format(3, "") + entry.format(4, "")).encode(), "https://a.example/")
    assert [one.published_at for one in changed] == [one.updated_at for one in changed] == [1714734000.0, 1714820400.0]
    mixed = parse_feed(feed.format(entry.format(3, told) + entry.format(4, "")).encode(), "https://a.example/")
    assert [one.published_at for one in mixed] == [1714554000.0, None]


@pytest.mark.parametrize(
    ("said", "url"), [("http://n.test/story/7", "http://n.test/story/7"), ("story/7", "http://c.test/~r/all/9f/")]
)
def test_an_address_that_counts_readers_stands_for_the_one_behind_it(said: str, url: str) -> None:
    item = f"<item><link>http://c.test/~r/all/9f/</link><feedburner:origLink>{said}</feedburner:origLink></item>"
    named = "http://rssnamespace.org/feedburner/ext/1.0"
    body = f'<rss xmlns:feedburner="{named}"><channel>{item}</channel></rss>'
    assert [entry.url for entry in parse_feed(body.encode(), "http://n.test/feed")] == [url]


@pytest.mark.parametrize("zero", ["Mon, 01 Jan 0001 00:00:00 +0000", "0001-01-01T00:00:00Z"])
def test_pages_as_of_the_year_one_are_no_entries_beside_others(zero: str) -> None:
    item = "<item><title>{0}</title><link>http://n.test/{0}/</link><pubDate>{1}</pubDate></item>"
    about, post = item.format("about", zero), item.format("bridge", "Mon, 23 Nov 2026 08:00:00 +0000")
    for items, expected in ((about + post, ["bridge"]), (about * 2, ["about", "about"])):
        entries = parse_feed(f"<rss><channel>{items}</channel></rss>".encode(), "http://n.test/feed")
        assert [entry.title for entry in entries] == expected


def test_a_feed_that_calls_gbk_gb2312_is_read_to_its_end() -> None:
    text = RSS.replace("utf-8", "gb2312").replace("Second", "朱镕基與中國")
    entries = parse_feed(text.encode("gbk"), "http://n.test/rss")
    assert [e.title for e in entries] == ["A & B bold", "朱镕基與中國"]


@pytest.mark.parametrize("name", ["undefined", "idna", "punycode", "zlib", "rot13", "unicode_escape", "x" * 40])
def test_a_feed_in_what_is_no_charset_is_read_all_the_same(name: str) -> None:
    """Python has codecs under these names that raise, or take a time that grows with the square of the length."""
    body = RSS.replace("utf-8", name).encode() + b"<!-- \xff -->"
    assert len(parse_feed(body, "http://n.test/rss")) == 2


def test_entities_of_a_hostile_feed_are_not_expanded() -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {chr(98 + i)} "{("&" + chr(97 + i) + ";") * 10}">' for i in range(9)
    )
    bomb += "]><rss><channel><item><link>http://n.test/x</link><title>&j;</title></item>"
    bomb += "<item><title>&file;</title><link>http://n.test/y</link></item></channel></rss>"
    entries = parse_feed(bomb.encode(), "http://n.test/")
    assert [e.url for e in entries] == ["http://n.test/x", "http://n.test/y"]
    assert all(len(e.title) < 100 for e in entries)


def test_a_truncated_feed_gives_the_entries_it_has() -> None:
    assert [e.url for e in parse_feed(RSS[: RSS.index("No address")].encode(), "http://n.test/")][:2] == [
        "http://n.test/a?x=1&y=2",
        "http://n.test/b",
    ]


@pytest.mark.parametrize(
    "body", [b"", b"<html><body><item><link>x</link></item></body></html>", b"{}", b"[1]", b"\x00\xff"]
)
def test_what_is_no_feed_is_empty(body: bytes) -> None:
    assert parse_feed(body, "http://n.test/") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fri, 03 May 2024 10:00:00 GMT", 1714730400.0),
        ("2024-05-03T18:00:00+08:00", 1714730400.0),
        ("2024-05-03 10:00:00", 1714730400.0),
        ("2024/05/03 10:00:00", 1714730400.0),
        ("soon", None),
        ("9" * 20, None),
        (f"Mon, 06 May 2024 10:00:00 +{'9' * 20}", None),
        (f"Mon, {'9' * 20} May 2024 10:00:00 GMT", None),
        (f"Mon, 06 May {'9' * 20} 10:00:00 GMT", None),
        (f"Mon, 06 May 2024 {'9' * 20}:00:00 GMT", None),
        ("", None),
        (None, None),
    ],
)
def test_times(text: str | None, expected: float | None) -> None:
    assert stated_time(text) == expected


@given(st.binary(max_size=300))
def test_any_bytes_are_data(body: bytes) -> None:
    assert isinstance(parse_feed(b"<rss><channel><item>" + body, "http://n.test/"), list)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<feed><link rel='self' href='/a'/><link rel='next' href='/feed?p=2&amp;n=9'/></feed>", "/feed?p=2&n=9"),
        ('<rss><channel><atom:link href="?paged=2" rel="next"/></channel></rss>', "/feed?paged=2"),
        ('{"version": "https://jsonfeed.org/version/1.1", "next_url": "/feed/2.json", "items": []}', "/feed/2.json"),
        ('{"items": [], "next_url": "http://a.test/\\x"}', None),
        ('{"items": ["%s"], "next_url": "http:\\/\\/a.test\\/feed?p=2"}' % ("x" * 30_000), "/feed?p=2"),
        ("<feed><link rel='self' href='/a'/></feed>", None),
        ("<link rel='next' href='http://['/>", None),
        ("<link " * 5000, None),
    ],
)
def test_where_a_feed_goes_on(body: str, expected: str | None) -> None:
    assert next_of_feed(body.encode(), "http://a.test/feed") == (expected and f"http://a.test{expected}")


@pytest.mark.parametrize(
    ("url", "on"),
    [("/feed/", "/feed/?paged=2"), ("/?feed=rss2&paged=9", "/?feed=rss2&paged=10"), ("/f?paged=", "/f?paged=2")],
)  # fmt: skip
def test_a_feed_that_does_not_say_where_it_goes_on_is_asked_as_wordpress_is(url: str, on: str) -> None:
    assert part_after(f"http://a.test{url}") == f"http://a.test{on}"


@pytest.mark.parametrize("url", ["/index.rdf", "/feed.json?page=2", "/blog/atom.xml"])
def test_a_file_has_no_part_that_it_does_not_name(url: str) -> None:
    assert part_after(f"http://a.test{url}") is None


def test_a_list_of_subscriptions_names_feeds() -> None:
    body = b'<?xml version="1.0"?><opml><body><outline text="all"><outline xmlUrl="/a.xml"/></outline></body></opml>'
    assert feeds_of_opml(body) == ["/a.xml"]
    assert feeds_of_opml(b"<rss><item><title>xmlUrl</title></item></rss>") == []


def test_what_is_no_address_costs_its_entry_alone() -> None:
    items = "".join(f"<item><title>t</title><link>{at}</link></item>" for at in ("http://[", "urn:x", "/1.html"))
    feed = f"<rss><channel>{items}</channel></rss>".encode()
    assert [one.url for one in parse_feed(feed, "http://a.test/feed")] == ["http://a.test/1.html"]
    said = {"version": "https://jsonfeed.org/version/1", "items": [{"url": "http://["}, {"url": "/1.html"}]}
    assert [one.url for one in parse_feed(json.dumps(said).encode(), "http://a.test/feed")] == ["http://a.test/1.html"]


@pytest.mark.parametrize("before", ["", "\n\n", "<!-- cached -->\n", "<br />\n<b>Warning</b>: x<br />\n", "\ufeff"])
@pytest.mark.parametrize(
    "link", ["http://n.test/a?x=1&amp;y=2", "http://n.test/a?x=1&y=2", "<![CDATA[http://n.test/a?x=1&y=2]]>"]
)
@pytest.mark.parametrize("damage", ["", "<description>1 < 2</description>", "<foo:bar/>"])
def test_damage_to_a_feed_costs_no_part_of_an_address(before: str, link: str, damage: str) -> None:
    feed = (
        f'{before}<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><item>{damage}'
        f"<title>Bread &amp; wine</title><link>{link}</link></item></channel></rss>"
    )
    (entry,) = parse_feed(feed.encode(), "http://n.test/feed")
    assert (entry.url, entry.title) == ("http://n.test/a?x=1&y=2", "Bread & wine")


@pytest.mark.parametrize("declared", [' xmlns:media="http://search.yahoo.com/mrss/"', ""])
def test_an_entry_is_called_by_the_feed_and_not_by_its_picture(declared: str) -> None:
    feed = (
        f'<rss version="2.0"{declared}><channel><item><media:title>A photo</media:title>'
        "<media:description>Crowd</media:description><title>The headline</title><link>http://n.test/a</link><description>Summary</description></item></channel></rss>"
    )
    (entry,) = parse_feed(feed.encode(), "http://n.test/feed")
    assert (entry.title, entry.summary) == ("The headline", "Summary")


def test_addresses_are_below_what_an_entry_says() -> None:
    entry = '<entry xml:base="http://n.test/2026/"><link href="a.html"/></entry>'
    feed = f'<feed xmlns="http://www.w3.org/2005/Atom">{entry}</feed>'
    assert parse_feed(feed.encode(), "http://n.test/feed")[0].url == "http://n.test/2026/a.html"


@pytest.mark.parametrize("said", [' encoding="utf-8"', ""])
def test_a_feed_in_gbk_that_says_otherwise(said: str) -> None:
    title = "市政府召开常务会议研究部署今冬明春防火工作"
    feed = f'<?xml version="1.0"{said}?><rss><channel><item><title>{title}</title><link>http://n.test/a</link></item></channel></rss>'
    assert parse_feed(feed.encode("gbk"), "http://n.test/feed")[0].title == title


@pytest.mark.parametrize("zone", ["+08:00", "GMT+8", "UTC+08:00", "HKT", "+0800"])
def test_zones_as_feeds_write_them(zone: str) -> None:
    assert stated_time(f"Sat, 28 Nov 2026 18:15:00 {zone}") == stated_time("2026-11-28T10:15:00Z")


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ("http://made.test:4000/blog/feed", "http://n.test/blog/a"),  # settings that nobody filled in
        ("http://n.test/blog/feed", "http://made.test:4000/blog/a"),  # another site's articles
        ("http://made.test:4000/rss", "http://made.test:4000/blog/a"),  # another site's feed
    ],
)
def test_a_feed_that_says_its_own_address_on_another_site_means_its_own(told: str, found: str) -> None:
    entry = "<item><title>A</title><link>http://made.test:4000/blog/a</link></item>"
    link = f'<atom:link xmlns:atom="http://www.w3.org/2005/Atom" rel="self" href="{told}"/>'
    feed = f'<rss version="2.0"><channel>{link}{entry}</channel></rss>'
    assert [one.url for one in parse_feed(feed.encode(), "http://n.test/blog/feed")] == [found]


@pytest.mark.parametrize("host", ["localhost:4000", "127.0.0.1:8080", "0.0.0.0", "www.example.com"])
def test_a_feed_that_names_a_host_which_no_reader_reaches_means_its_own(host: str) -> None:
    feeds = [
        f"<rss version='2.0'><channel><item><link>http://{host}/a?b=1</link></item></channel></rss>",
        f"<feed xml:base='http://{host}/'><entry><link href='/a?b=1'/></entry></feed>",
        f'{{"version": "https://jsonfeed.org/version/1.1", "items": [{{"url": "http://{host}/a?b=1"}}]}}',
    ]
    for feed in feeds:
        assert parse_feed(feed.encode(), "https://n.test:81/feed")[0].url == "https://n.test:81/a?b=1"
        assert parse_feed(feed.encode(), f"http://{host}/feed")[0].url == f"http://{host}/a?b=1"


def test_a_feed_on_another_host_of_its_site_keeps_its_addresses() -> None:
    link = '<link rel="self" href="http://www.n.test/feed"/>'
    feed = f'<feed xmlns="http://www.w3.org/2005/Atom">{link}<entry><link href="http://www.n.test/a"/></entry></feed>'
    assert parse_feed(feed.encode(), "http://feeds.n.test/feed")[0].url == "http://www.n.test/a"


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("<link>https://w.test/wiki/Special:RecentChanges</link>", "https://w.test/wiki/Snow,_again"),
        ("<link rel=self href='/f'/><link rel='alternate' href='https://w.test/index.php/Spezial:Änderungen'/>", "https://w.test/index.php/Snow,_again"),
        ("<link>https://w.test/index.php?title=Special:RecentChanges</link>", "https://w.test/w/index.php?title=Snow,_again"),
        ("<link>https://w.test/news/</link>", "https://w.test/w/index.php?title=Snow,_again"),
        ("<link>https://other.test/wiki/Special:RecentChanges</link>", "https://w.test/w/index.php?title=Snow,_again"),
    ],
)  # fmt: skip
def test_a_wikis_feed_of_changes_names_articles_as_its_pages_link_to_them(said: str, found: str) -> None:
    item = "<item><title>Snow</title><link>https://w.test/w/index.php?title=Snow,_again&amp;diff=4&amp;oldid=0</link></item>"
    feed = f"<rss><channel>{said}{item}</channel></rss>".replace("rel=self", "rel='self'")
    assert [one.url for one in parse_feed(feed.encode(), "https://w.test/f")] == [found]
