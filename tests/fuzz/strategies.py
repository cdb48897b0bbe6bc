"""Hostile input: pages, JSON and TOML made of what is right, with something wrong in it."""

from __future__ import annotations

import copy
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from articlebot.errors import ArticlebotError
from articlebot_lab.newsroom.hostile import article

# `ARTICLEBOT_FUZZ=5000 pytest tests/fuzz` looks longer.
EXAMPLES = int(os.environ.get("ARTICLEBOT_FUZZ", "40"))
fuzz = settings(
    max_examples=EXAMPLES, deadline=None, derandomize="ARTICLEBOT_FUZZ" not in os.environ, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)  # fmt: skip

# Processor seconds: what another process does meanwhile does not count.
BOUND_S = 3.0


@contextmanager
def bounded(*allowed: type[BaseException]) -> Iterator[None]:
    """Lets pass our own errors (and those named) and nothing else, in bounded time."""
    begun = time.process_time()
    try:
        yield
    except (ArticlebotError, *allowed):
        pass
    took = time.process_time() - begun
    assert took < BOUND_S, f"{took:.1f} s"


wild_text = st.text(st.characters(codec=None), max_size=60)
wild_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | wild_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)

_URLS = st.one_of(
    st.sampled_from([
        "http://a.test/2026/11/21/story.html", "//b.test/x", "/p?id=1&page=2", "?page=2", "#top",
        "javascript:x", "http://[",
        "http://a.test:99999/", "http://user:pw@a.test/", "data:,x", "http://\u2488.test/",
        "http://a.test/%zz", "", "http://",
        "http://例え.test/路径", "ftp://a.test/", "http://a..test/", "http://xn--/", "http:///x", "\\\\a.test\\x",
    ]),
    wild_text,
)  # fmt: skip
urls = st.builds("".join, st.lists(_URLS, min_size=1, max_size=3))

_DATES = st.sampled_from([
    "2026-11-21T10:00:00+08:00", "2026年11月21日 10:00", "5小时前", "昨天 23:59", "21 Nov 2026", "99/99/9999",
    "Yesterday",
    "0000-00-00", "2026-13-45", "+275760-09-13", "1e999", "31.02.2026", "10000000000000000",
    "२०२६-११-२१", "周三", "5 hours ago",
    "99999999999小时前", "-1 days ago", "2026-11-21T25:61:61Z", "Sat, 32 Nov 2026 99:00 GMT",
    "2026-11-21T10:00:00+99:99",
])  # fmt: skip
dates = st.one_of(_DATES, wild_text, st.builds(lambda a, b: a[: len(a) // 2] + b, _DATES, wild_text))

_TAGS = ("p", "div", "article", "h1", "time", "a", "table", "tr", "td", "br", "li", "script", "svg",
    "template", "pre", "meta",
         "iframe", "noscript", "frameset", "select", "x-y", "!--", "![CDATA[", "?xml")  # fmt: skip
_ATTRIBUTES = st.builds(
    lambda name, value: f' {name}="{value}"',
    st.sampled_from(["class", "href", "datetime", "content", "property", "name", "rel", "src", "style", "lang",
    "id", "itemprop"]),
    st.one_of(urls, dates, wild_text, st.sampled_from(["article:published_time", "og:title", "canonical",
    "next", "headline"])),
)  # fmt: skip
_JSON_LD = st.builds(
    lambda value: f'<script type="application/ld+json">{json.dumps(value)[:2000]}</script>',
    st.one_of(
        wild_json,
        st.fixed_dictionaries({
            "@type": st.sampled_from(["NewsArticle", ["Article", 1], None, "VideoObject", {}]) | wild_json,
            "headline": wild_json, "datePublished": dates | wild_json, "author": wild_json, "image": wild_json,
            "articleBody": wild_json, "mainEntityOfPage": wild_json, "keywords": wild_json, "url": urls | wild_json,
            "@graph": wild_json, "duration": dates | wild_json, "contentUrl": urls | wild_json,
        }),
    ),
)  # fmt: skip
_PIECES = st.one_of(
    st.builds(lambda tag, attributes: f"<{tag}{''.join(attributes)}>", st.sampled_from(_TAGS),
    st.lists(_ATTRIBUTES, max_size=3)),
    st.sampled_from([f"</{tag}>" for tag in _TAGS]),
    st.builds(lambda text: f"<p>{text}</p>", dates),
    _JSON_LD, wild_text, st.sampled_from(["&#0;", "&#x110000;", "&nbsp", "&amp;" * 50, "<", "]]>", "\x00",
    "</html>", "<body>"]),
)  # fmt: skip


@st.composite
def pages(draw: st.DrawFn) -> bytes:
    """A page: a good article with pieces let into it, or pieces alone, in some encoding or none."""
    pieces = draw(st.lists(_PIECES, max_size=25))
    if draw(st.booleans()):
        # Half of a surrogate pair cannot be encoded.
        extra = "".join(pieces).encode("utf-8", "replace").decode()
        text = article("/good/1", 1.0, extra=extra).decode()
        place = draw(st.integers(0, len(text)))
        text = text[:place] + "".join(draw(st.lists(_PIECES, max_size=3))) + text[place:]
    else:
        text = "".join(pieces)
    encoding = draw(st.sampled_from(["utf-8", "utf-16", "gb18030", "big5", "latin-1"]))
    body = text.encode(encoding, "replace")
    return draw(broken(body))


@st.composite
def broken(draw: st.DrawFn, body: bytes) -> bytes:
    """Bytes, now and then cut, with some changed or let in."""
    how = draw(st.sampled_from(["", "", "cut", "change", "add"]))
    place = draw(st.integers(0, max(0, len(body) - 1)))
    if how == "cut":
        return body[:place]
    if how == "change" and body:
        return body[:place] + draw(st.binary(min_size=1, max_size=4)) + body[place + 1 :]
    return body[:place] + draw(st.binary(max_size=8)) + body[place:] if how == "add" else body


@st.composite
def spoiled(draw: st.DrawFn, value: Any) -> Any:
    """A JSON value in which one place or more has something else, or is gone."""
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(value))
        if not places:
            return draw(wild_json)
        holder, name = draw(st.sampled_from(places))
        if draw(st.integers(0, 4)) == 0:
            del holder[name]
        else:
            holder[name] = draw(wild_json)
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        yield value, name
        yield from _places(inner)
