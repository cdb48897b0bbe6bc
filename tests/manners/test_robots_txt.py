"""RFC 9309 by its own examples and tables, and where parsers are known to depart from it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.manners.robots_txt import RobotsTxt, product_token

# Section 5.1.
SIMPLE = b"""
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot

EOF
"""
# Section 5.2.
LONGEST = b"User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n"


@pytest.mark.parametrize(
    ("body", "agent", "path", "allowed"),
    [
        (SIMPLE, "foobot", "/example/page.html", True),
        (SIMPLE, "foobot", "/example/allowed.gif", True),
        (SIMPLE, "foobot", "/anything", False),
        (SIMPLE, "barbot", "/example/page.html", False),
        (SIMPLE, "bazbot", "/example/page.html", False),
        (SIMPLE, "bazbot", "/example/other.html", True),
        (SIMPLE, "quxbot", "/example/page.html", True),
        (SIMPLE, "otherbot", "/example/page.html", False),
        (SIMPLE, "otherbot", "/publications/x.html", True),
        (SIMPLE, "otherbot", "/publications/x.gif", True),
        (SIMPLE, "otherbot", "/pictures/x.gif", False),
        (SIMPLE, "otherbot", "/pictures/x.gif?size=1", True),
        (LONGEST, "foobot", "/example/page/disallowed.gif", False),
        (LONGEST, "foobot", "/example/page/other.gif", True),
    ],
)
def test_examples_of_section_5(body, agent, path, allowed):
    assert RobotsTxt(body).allowed(f"http://a.example{path}", agent) is allowed


def test_the_groups_of_one_agent_are_one_whatever_its_case():
    # Section 2.2.1, figure 2 and the text before it.
    robots = RobotsTxt(
        b"user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: BazBot\nDISALLOW: /qux\n\n"
        b"user-agent: EXAMPLEBOT\nDisallow: /baz\n"
    )
    for path, allowed in (("/foo", False), ("/bar", False), ("/baz", False), ("/qux", True)):
        assert robots.allowed(f"http://a.example{path}", "examplebot/2.0 (+http://a.example/bot)") is allowed


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        # The table of section 2.2.2, each spelling against each.
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%E3%83%84", "/foo/bar/ツ"),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
        ("/foo/bar/baz", "/foo/bar/%62%61%7A"),
        # Section 2.2.3.
        ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html"),
        ("/path/foo-%24", "/path/foo-$"),
        ("/this/*/exactly", "/this/path/exactly"),
        ("/this/path/exactly$", "/this/path/exactly"),
        ("/*/feed/", "/x?next=/feed/"),
        ("/a$b", "/a$b"),
        ("/**x", "/yx"),
    ],
)  # fmt: skip
def test_what_is_the_same_path_is_the_same_rule(rule, path):
    robots = RobotsTxt(f"User-agent: *\nDisallow: {rule}\n".encode())
    assert not robots.allowed(f"http://a.example{path}", "bot")


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("/a%2Fb", "/a/b"),
        ("/path/foo-%24", "/path/foo-"),
        ("/path/file-with-a-%2A.html", "/path/file-with-a-x.html"),
        ("/this/path/exactly$", "/this/path/exactly/not"),
        ("/index.html$", "/"),
        ("/Folder", "/folder"),
        ("folder", "/folder"),
        ("/x*y*z$", "/xyzw"),
        ("/ab*ba$", "/aba"),
    ],
)
def test_what_is_another_path_is_not_forbidden(rule, path):
    robots = RobotsTxt(f"User-agent: *\nDisallow: {rule}\n".encode())
    assert robots.allowed(f"http://a.example{path}", "bot")


def test_the_most_octets_win_and_of_as_many_allow():
    robots = RobotsTxt("User-agent: *\nAllow: /页\nDisallow: /%E9%A1%B5\nDisallow: /pa*\nAllow: /p\n".encode())
    assert robots.allowed("http://a.example/页", "bot")
    assert not robots.allowed("http://a.example/page", "bot")
    # An index page that is allowed is not the folder: no rule says so.
    robots = RobotsTxt(b"User-agent: *\nDisallow: /\nAllow: /index.html\n")
    assert not robots.allowed("http://a.example/", "bot")


def test_robots_txt_itself_is_always_allowed():
    robots = RobotsTxt(b"User-agent: *\nDisallow: /\n")
    assert robots.allowed("http://a.example/robots.txt", "bot")
    assert not robots.allowed("http://a.example/robots.txt.html", "bot")


@pytest.mark.parametrize(
    ("user_agent", "token"),
    [
        ("articlebot/1.0 (article crawler; obeys robots.txt)", "articlebot"),
        ("Mozilla/5.0 (compatible; MyBot/2.1; +http://a.example)", "mybot"),
        ("My_Bot-News", "my_bot-news"),
        ("", ""),
    ],
)
def test_product_token(user_agent, token):
    assert product_token(user_agent) == token


@pytest.mark.parametrize("other", ["article", "crawler", "robots", "bot", "articlebot-news", "obeys"])
def test_a_part_of_the_user_agent_is_not_its_token(other):
    robots = RobotsTxt(f"User-agent: {other}\nDisallow: /\n".encode())
    assert robots.allowed("http://a.example/x", "articlebot/1.0 (article crawler; obeys robots.txt)")


@pytest.mark.parametrize("written", ["articlebot", "ArticleBot/1.0", "articlebot*", "articlebot # that one"])
def test_the_token_as_it_is_written(written):
    robots = RobotsTxt(f"User-agent: {written}\nDisallow: /\n".encode())
    assert not robots.allowed("http://a.example/x", "articlebot/1.0 (article crawler)")


@pytest.mark.parametrize("between", ["Crawl-delay: 3", "Sitemap: http://a.example/s.xml", "Foo: bar", "", "# said"])
def test_other_records_end_no_group(between):
    robots = RobotsTxt(f"User-agent: a\n{between}\nUser-agent: b\nDisallow: /x\n{between}\nDisallow: /y\n".encode())
    for agent in "ab":
        assert not robots.allowed("http://a.example/x", agent)
        assert not robots.allowed("http://a.example/y", agent)


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_line_ends_byte_order_mark_and_bytes_of_no_charset(end):
    lines = [b"\xef\xbb\xbfUser-agent: *", b"Disallow: /\xd0\xc2\xce\xc5", b"\xff\xfe", b"disallow : /x # why"]
    robots = RobotsTxt(end.join(lines))
    assert not robots.allowed("http://a.example/%D0%C2%CE%C5", "bot")
    assert not robots.allowed("http://a.example/x", "bot")
    assert robots.allowed("http://a.example/y", "bot")


def test_at_least_500_kib_are_read_and_half_a_line_is_none():
    rules = b"User-agent: *\n" + b"# a line that says nothing at all\n" * 14_300 + b"Disallow: /late\n"
    assert 470 * 1024 < len(rules) < 500 * 1024
    assert not RobotsTxt(rules).allowed("http://a.example/late", "bot")
    cut = b"User-agent: *\nDisallow: /x\n" + b"#" * ((1 << 20) - 28 - 12) + b"\nDisallow: /private/only"
    assert len(cut) > 1 << 20
    assert RobotsTxt(cut).allowed("http://a.example/p", "bot")
    assert not RobotsTxt(cut).allowed("http://a.example/x", "bot")


def test_a_hostile_file_costs_little():
    many = b"".join(b"User-agent: a%d\n" % n for n in range(30_000)) + b"Disallow: /*a*b*c\n" * 20_000
    started = time.process_time()
    robots = RobotsTxt(many)
    for _ in range(3):
        assert robots.allowed("http://a.example/" + "ab" * 500, "a")
    assert time.process_time() - started < 5.0


def test_crawl_delay_is_that_of_the_agents_group():
    robots = RobotsTxt(
        b"User-agent: *\nCrawl-delay: 9\nUser-agent: bot\nDisallow:\n\nUser-agent: slow\nCrawl-delay: 2.5\n"
    )
    assert [robots.crawl_delay(agent) for agent in ("other", "bot", "slow")] == [9.0, 9.0, 2.5]
    assert RobotsTxt(b"User-agent: *\nCrawl-delay: much\n").crawl_delay("bot") is None


def test_agents_that_are_named_and_refused():
    robots = RobotsTxt(
        b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\nAllow: /free/\n\nUser-agent: *\nDisallow: /\n"
    )
    agents = frozenset({"gptbot", "ccbot", "claudebot"})
    assert robots.refused_of("http://a.example/x", agents) == ("ccbot", "gptbot")
    assert robots.refused_of("http://a.example/free/x", agents) == ()


def test_usage_is_that_of_the_longest_path():
    robots = RobotsTxt(
        b"Content-Signal: search=yes\nUser-agent: *\nContent-Usage: train-ai=n\n"
        b"Content-Usage: /ok/ train-ai=y\nAllow: /\n"
    )
    assert robots.usage("http://a.example/x", "bot") == ("search=yes", "train-ai=n")
    assert robots.usage("http://a.example/ok/x", "bot") == ("train-ai=y",)


@given(st.binary(max_size=300), st.text(max_size=60), st.text(max_size=20))
def test_nothing_that_is_sent_raises(body, path, agent):
    robots = RobotsTxt(b"User-agent: *\nDisallow: " + body)
    robots.allowed(f"http://a.example/{path}", agent)
    robots.usage(f"http://a.example/{path}", agent)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_what_an_editor_wrote_in_utf_16_is_read(encoding: str) -> None:
    mark = "" if encoding == "utf-16" else "\ufeff"
    rules = RobotsTxt(f"{mark}User-agent: *\r\nDisallow: /x\r\n".encode(encoding))
    assert not rules.allowed("http://a.test/x", "articlebot")
    assert rules.allowed("http://a.test/y", "articlebot")
