from __future__ import annotations

from hashlib import blake2b
from urllib.parse import quote, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from articlebot.errors import RefusedError
from articlebot.urls import canonical_url, page_key, parent_hash, site, subdomain

PATH_SAFE = "/:@!$&'()*+,;=~-._"
hosts = st.sampled_from(
    ["a.test", "WWW.Example.com", "例え.test", "a-b.c_d.test", "192.168.0.1", "[::1]", "a.test.", "x..y"]
)
schemes = st.sampled_from(["http", "https", "HTTP", "ftp", "mailto", ""])
ports = st.sampled_from(["", ":80", ":443", ":8080", ":", ":99999", ":x"])
pieces = st.text(st.sampled_from("aZ09-._~/%4é中 ?&=;,'()*+!$@:|[]{}<>\"\\^`#\t\x7f"), max_size=24)
queries = st.lists(
    st.sampled_from(
        ["", "a=1", "b", "utm_source=x", "UTM_Medium=y", "spm=1", "PHPSESSID=9f", "q=%e4%b8%ad", "c=é", "d=|[]?/", "&"]
    )
).map("&".join)
urls = st.builds(
    lambda scheme, host, port, path, query, fragment: (
        f"{scheme}://{host}{port}/{path}" + (f"?{query}" if query is not None else "") + fragment
    ),
    schemes, hosts, ports, pieces, st.none() | queries | pieces, st.sampled_from(["", "#x", "#", "# é\t"]),
)  # fmt: skip


def escaped_slowly(path: str) -> str:
    """What a path becomes, character by character: the definition that the fast form has to meet."""
    out, i = [], 0
    while i < len(path):
        pair = path[i + 1 : i + 3]
        if path[i] == "%" and len(pair) == 2 and all(ch in "0123456789abcdefABCDEF" for ch in pair):
            char = chr(int(pair, 16))
            out.append(char if char.isascii() and (char.isalnum() or char in "-._~") else path[i : i + 3].upper())
            i += 3
        else:
            out.append(quote(path[i], safe=PATH_SAFE))
            i += 1
    return "".join(out) or "/"


def canonical_or_refusal(url: str) -> str:
    try:
        return canonical_url(url)
    except RefusedError as error:
        return f"refused: {error.reason}"


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("http://a.test/n.php?PHPSESSID=0a1f&id=7", "http://a.test/n.php?id=7"),
        ("http://a.test/n.do;jsessionid=0A1F.node1?id=7", "http://a.test/n.do?id=7"),
        ("http://a.test/n.do;JSESSIONID=0A1F#x", "http://a.test/n.do"),
        ("http://a.test/n.cfm?id=7&CFID=1&CFTOKEN=2", "http://a.test/n.cfm?id=7"),
        ("http://a.test/n;v=2?sid=1", "http://a.test/n;v=2?sid=1"),
        ("http://a.test/t.php?t=7&sid=31ece188aa364253a1209f8ef83d32e9", "http://a.test/t.php?t=7"),
        ("http://a.test/?s=harbours-and-their-bridges", "http://a.test/?s=harbours-and-their-bridges"),
        ("http://a.test/7.html?x=0.7381240091", "http://a.test/7.html"),
        ("http://a.test/7.html?from=timeline&isappinstalled=0", "http://a.test/7.html"),
        ("http://a.test/7.html?from=station", "http://a.test/7.html?from=station"),
        ("http://a.test/7.html?_=1795392000123", "http://a.test/7.html"),
        ("http://a.test/?id=1795392000123&t=1400", "http://a.test/?id=1795392000123&t=1400"),
    ],
)
def test_sessions_are_no_part_of_a_page(url: str, canonical: str) -> None:
    assert canonical_url(url) == canonical


@given(url=urls)
@example(url="http://a.test")
@example(url="http://a.test/a?b#c")
@example(url="https://a.test/%7Euser/%e4%B8%ad?utm_source=x&a=%zz")
def test_canonical_is_a_fixed_point(url):
    canonical = canonical_or_refusal(url)
    if not canonical.startswith("refused"):
        assert canonical_url(canonical) == canonical
        parts = urlsplit(canonical)
        assert parts.fragment == ""
        assert parts.scheme in ("http", "https")
        assert canonical.isascii()


@given(path=st.text(st.characters(codec="utf-8", exclude_categories=["Cc"], exclude_characters="?#\\"), max_size=30))
def test_paths_are_escaped_as_defined(path):
    url = f"http://a.test/{path}"
    assert canonical_url(url) == "http://a.test" + escaped_slowly("/" + path.rstrip())


@given(
    path=st.text("abcXYZ019-._~/:@!$&'()*+,;=", max_size=20),
    query=queries,
    fragment=st.sampled_from(["", "#x", "#é中|"]),
    port=st.sampled_from(["", ":80", ":443", ":8", ":800", ":4430", ":59999", ":60000", ":080"]),
    scheme=st.sampled_from(["http", "https"]),
)
def test_the_short_way_is_the_long_way(path, query, fragment, port, scheme):
    # A capital in the host keeps the same URL off the short way.
    short = f"{scheme}://a.test{port}/{path}?{query}{fragment}"
    assert canonical_url(short) == canonical_url(short.replace("a.test", "A.test"))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("  HTTP://User:Pass@WWW.Example.COM:80/a/../b?x=1&utm_source=y#top ", "http://www.example.com/a/../b?x=1"),
        ("https://example.com:443", "https://example.com/"),
        ("https://example.com:8443/?", "https://example.com:8443/"),
        ("http://example.com./a", "http://example.com/a"),
        ("http://例え.test/中", "http://xn--r8jz45g.test/%E4%B8%AD"),
        ("http://a.test/%7e%41%2f%e4", "http://a.test/~A%2F%E4"),
        ("http://a.test/?&&b=2&a=1&gclid=3", "http://a.test/?b=2&a=1"),
        ("http://a.test/?utm_campaign=x", "http://a.test/"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ('http://a.test/x[1]{2}?q=[a]|{b}"', "http://a.test/x%5B1%5D%7B2%7D?q=%5Ba%5D%7C%7Bb%7D%22"),
        ("http://a.test/?q=\udcff", "http://a.test/?q=%FF"),
        ("http://a.test/\udcff", "http://a.test/%FF"),
        ("http://A.test/?spm=1", "http://a.test/"),
        ("http://A.test/?UTM_x=1&=2&b", "http://a.test/?=2&b"),
        ("https://A.test:80/", "https://a.test:80/"),
        ("http://A.test:443/", "http://a.test:443/"),
        ("HTTP://a.test..", "http://a.test/"),
        ("refused", "refused: url_not_http"),
        ("http://[::1/", "refused: url_invalid"),
        ("http://a%2e.test/", "refused: url_invalid"),
        ("http://./", "refused: url_invalid"),
        ("http://" + "é" * 80 + ".test/", "refused: url_invalid"),
        ("http://a.test/" + "x" * 2034, "http://a.test/" + "x" * 2034),
        ("mailto:a@b.test", "refused: url_not_http"),
        ("http:///x", "refused: url_without_host"),
        ("http://a.test:99999/", "refused: url_invalid"),
        ("http://a b.test/", "refused: url_invalid"),
        ("http://a.test/\x00", "refused: url_control_character"),
        ("http://a.test/#\x07", "refused: url_control_character"),
        ("http://a.test/" + "x" * 2048, "refused: url_too_long"),
    ],
)
def test_canonical_examples(url, expected):
    assert canonical_or_refusal(url) == expected


def test_a_page_keeps_its_key_when_the_site_moves_to_https():
    assert page_key("http://a.test/x") == page_key("https://a.test/x") != page_key("https://a.test/y")


def test_a_page_key_is_what_stored_states_are_kept_under() -> None:
    # Eight bytes of BLAKE2b, the first the highest, of what follows the scheme.
    digest = blake2b(b"a.test/x://y", digest_size=8).digest()
    assert page_key("http://a.test/x://y") == int.from_bytes(digest, "big")
    assert page_key("http://a.test/\ud800") != page_key("http://a.test/")


@pytest.mark.parametrize(
    ("url", "reason", "detail"),
    [
        ("http://a.test/" + "x" * 2048, "url_too_long", "http://a.test/" + "x" * 66),
        ("ftp://a.test/" + "x" * 99, "url_not_http", "ftp://a.test/" + "x" * 67),
        ("http:///" + "x" * 99, "url_without_host", "http:///" + "x" * 72),
        ("http://a b.test/" + "x" * 99, "url_invalid", "http://a b.test/" + "x" * 64),
        ("http://a:99999/" + "x" * 99, "url_invalid", "http://a:99999/" + "x" * 65 + ": Port out of range 0-65535"),
        ("http://" + "é" * 99 + ".test/", "url_invalid", "http://" + "é" * 73),
        ("http://a.test/\x7f" + "x" * 99, "url_control_character", repr("http://a.test/\x7f" + "x" * 65)),
        ("http://a.test/\ud83d" + "x" * 99, "url_invalid", repr("http://a.test/\ud83d" + "x" * 65)),
        ("http://a.test/?q=\ud83d", "url_invalid", repr("http://a.test/?q=\ud83d")),
    ],
)  # fmt: skip
def test_a_refusal_names_its_reason_and_the_beginning_of_the_url(url: str, reason: str, detail: str) -> None:
    with pytest.raises(RefusedError) as caught:
        canonical_url(url)
    assert (caught.value.reason, caught.value.detail) == (reason, detail)


def test_no_parent_is_zero():
    assert parent_hash(None) == 0 == parent_hash("")
    assert parent_hash("http://a.test/#x") == page_key("http://a.test/")


@pytest.mark.parametrize(
    ("url", "host", "domain"),
    [
        ("http://News.BBC.co.uk:80/x", "news.bbc.co.uk", "bbc.co.uk"),
        ("https://a.example.com:8443/", "a.example.com:8443", "example.com"),
        ("http://192.168.0.1/", "192.168.0.1", "192.168.0.1"),
        ("http://localhost:80/", "localhost", "localhost"),
    ],
)
def test_host_and_site(url, host, domain):
    assert (subdomain(url), site(url)) == (host, domain)
