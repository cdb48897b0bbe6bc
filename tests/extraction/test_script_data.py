"""Articles that a page holds only as data in its scripts."""

# ruff: noqa: E501  markup reads best unbroken

from __future__ import annotations

import html
import json
import time
from base64 import b64encode
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from articlebot.extraction.cascade import extract
from articlebot.extraction.script_data import article_in_scripts, instead_of
from articlebot.page import Page
from articlebot.page.script_values import values_of

TITLE = "Old bridge to close for repairs"
LINES = [
    "The council voted on Tuesday to close the old bridge for repairs, which will take until the autumn of next year.",
    "Residents on both banks had asked for a ferry, but the harbour office said that the current is too strong in winter.",
    "Engineers found cracks in four of the nine piers last month, and lorries have been turned away since then.",
    "The work is expected to cost eleven million, of which the region pays two thirds and the town the rest.",
]
MARKUP = "".join(f"<p>{line}</p>" for line in LINES)
OTHER = "<p>" + "A garden show opens in the north of the country and nobody knows how long it will last. " * 9 + "</p>"
CONSENT = "We use cookies to improve our service. By clicking you agree to the use of cookies. " * 12
STATE = {"page": {"kind": "story", "consent": CONSENT, "story": {"title": TITLE, "content": MARKUP},
                  "more": [{"title": "A garden show", "content": OTHER}]}}  # fmt: skip
APOLLO = {
    "Story:1": {"__typename": "Story", "title": TITLE, "paragraphs": [{"__ref": f"P:{i}"} for i in range(len(LINES))]},
    **{f"P:{i}": {"__typename": "P", "text": line} for i, line in enumerate(LINES)},
}
RICH = {"headline": TITLE, "body": [{"type": "paragraph", "content": [{"type": "text", "value": line[:20]}, {"type": "text", "value": line[20:]}]}
                                    for line in LINES]}  # fmt: skip
NUXT = [{"data": 1}, {"story": 2}, {"title": 3, "body": 4}, TITLE, MARKUP]


OF_A_FIRM = "The oil firm <AMO> cut the price of its oil by a dollar on Monday, as others of the coast had done."
OTHER_LINE = "A barrel costs seventeen dollars now."


def script(value: Any, attributes: str = "") -> str:
    return f"<script {attributes}>{json.dumps(value)}</script>"


def page_of(scripts: str, body: str = "<div id=app></div>", title: str = TITLE) -> Page:
    markup = f"<html><head><title>{title} - Daily</title></head><body>{body}{scripts}</body></html>"
    return Page.parse(markup.encode(), "http://www.daily.test/a/1.html", fetched_at=1_720_000_000.0)


def _cut(stream: str) -> str:
    half = len(stream) // 3
    return "".join(
        f"<script>self.__next_f.push([1,{json.dumps(part)}])</script>" for part in (stream[:half], stream[half:])
    )


@pytest.mark.parametrize(
    "scripts",
    [
        script({"props": STATE}, "id=__NEXT_DATA__ type=application/json"),
        f"<script>window.__INITIAL_STATE__ = {json.dumps(STATE)};(function(){{var a;}}());</script>",
        f"<script>window.__APOLLO_STATE__={json.dumps(APOLLO)}</script>",
        script(RICH, "type=application/json"),
        script(NUXT, "id=__NUXT_DATA__ type=application/json"),
        f"<script>window.__S__=JSON.parse({json.dumps(json.dumps(STATE))})</script>",
        script({"payload": json.dumps(STATE)}, "type=application/json"),
        f"<script>window.__NUXT__=(function(a,b){{return {{title:a,body:{json.dumps(MARKUP)},x:b}}}}('x',1))</script>",
        f"<script>var story = {json.dumps(html.escape(MARKUP))};</script>",
        f"<script type=text/template><article>{MARKUP}</article></script>",
        f'<script>self.__next_f.push([1,{json.dumps("5:T" + format(len(MARKUP), "x") + "," + MARKUP)}])</script>',
        # the stream cut in two scripts, a text that its article names; what scripts decode; JSON in a text in single quotes
        _cut("1a:T" + format(len(MARKUP), "x") + "," + MARKUP + f'5:["$","$L9",null,{json.dumps({"title": TITLE, "content": "$1a"})}]\n'),
        f'<script>var text = decodeURIComponent("{quote(MARKUP)}");</script>',
        f'<script>show(unescape("{"".join(f"%u{ord(c):04x}" for c in MARKUP)}"));</script>',
        f'<script>show(decodeURIComponent(escape(atob("{b64encode(MARKUP.encode()).decode()}"))));</script>',
        f"<script>var text = JSON.parse({json.dumps(json.dumps(MARKUP))});</script>",
        f"<script>window.__S__ = JSON.parse('{json.dumps(STATE)}');</script>",
        f'<script>window.__S__ = JSON.parse(decodeURIComponent("{quote(json.dumps(STATE))}"));</script>',
        '<script type="application/ld+json">' + json.dumps({"@type": "NewsArticle", "headline": TITLE, "articleBody": "\n".join(LINES)}) + "</script>",
    ],
)  # fmt: skip
def test_an_article_that_is_only_data_is_found(scripts: str) -> None:
    found = extract(page_of(scripts))
    assert found.body.split("\n") == LINES
    assert found.title == TITLE
    assert found.html.count("<p>") == len(LINES)
    assert found.origin["body"] in {"script_data", "jsonld"}
    assert found.refused is None


def test_its_fields_come_with_it() -> None:
    story = {
        "title": "The old bridge closes",
        "publishedAt": "2024-05-02T10:00:00Z",
        "updatedAt": "2024-05-09",
        "content": MARKUP,
    }
    found = extract(page_of(script({"a": {"story": story}}, "type=application/json"), title="The old bridge closes"))
    assert (found.title, found.kind) == ("The old bridge closes", "article")
    assert (found.published, found.published_at) == ("2024-05-02T10:00:00+00:00", 1714644000.0)


def test_its_time_in_seconds_is_the_sites_and_its_source_is_named() -> None:
    text = "".join(
        f"<p>{n}、海港市议会通过了新桥建设方案，造价仍不确定，工程预计明年春天开始。</p>" * 3 for n in range(6)
    )
    data = {"title": "新的大桥在海港正式建成通车", "publishTime": 1714645140000, "source": "海港日报", "content": text}
    found = extract(page_of(script({"detail": data}, "type=application/json"), title=data["title"]))
    assert (found.published, found.source) == ("2024-05-02T18:19:00+08:00", "海港日报")


def test_pictures_and_adverts_of_a_body_are_no_text() -> None:
    blocks: list[Any] = [{"type": "paragraph", "data": {"text": line}} for line in LINES]
    blocks[1:1] = [
        {"type": "image", "data": {"url": "/a.jpg", "caption": "A view of the bridge"}},
        {"__typename": "NewsletterBlock", "text": "Sign up for our letter, every Friday."},
    ]
    assert extract(page_of(script({"title": TITLE, "blocks": blocks}))).body.split("\n") == LINES


TREE = {"nodeType": "document", "content": [
    {"nodeType": "paragraph", "content": [{"nodeType": "text", "value": line}]} for line in LINES]}  # fmt: skip


@pytest.mark.parametrize("title", [TITLE, "Spanning what remains", "Why we still wait"])
@pytest.mark.parametrize(
    "wrap", [lambda story: {"fields": story}, lambda story: story, lambda story: {"data": {"attributes": story}}]
)
def test_a_text_below_its_headline_needs_none_of_its_words(title: str, wrap: Any) -> None:
    story = wrap({"title": title, "slug": "x", "publishDate": "2024-05-02T10:00:00Z", "body": TREE})
    value = {"props": {"post": story, "more": [wrap({"title": "A garden show", "body": {"content": OTHER}})]}}
    found = extract(page_of(script(value, "type=application/json"), f"<h1>{title}</h1><div></div>", title=title))
    assert (found.title, found.body.split("\n"), found.refused) == (title, LINES, None)
    assert found.published == "2024-05-02T10:00:00+00:00"


def test_a_list_lends_its_headline_to_none_of_its_texts() -> None:
    value = {"title": TITLE, "stories": [{"content": OTHER}, {"content": OTHER}]}
    assert instead_of(page_of(script(value, "type=application/json")), []) is None


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ({"author": {"fields": {"name": "Ann Lee"}}}, ("Ann Lee",)),
        ({"byline": [{"name": "Ann Lee"}, {"name": "Bo Grant"}]}, ("Ann Lee", "Bo Grant")),
        ({"authors": {"data": [{"attributes": {"name": "Ann Lee"}}]}}, ("Ann Lee",)),
        ({"authors": {"nodes": [{"firstName": "Ann", "lastName": "Lee"}]}}, ("Ann Lee",)),
        ({"author": {"nickname": "Ann Lee", "uid": 9}}, ("Ann Lee",)),
        ({"newsAuthor": "王小明"}, ("王小明",)),
        ({"post_author": 7, "storyBylines": ["Ann Lee"]}, ("Ann Lee",)),
        ({"author": "By Ann Lee and Bo Grant"}, ("Ann Lee", "Bo Grant")),
        ({"author": {"id": 7, "url": "/a/7"}, "authorId": "Ann Lee"}, ()),
        ({"author": [[[{"name": 7}]], None]}, ()),
    ],
)
def test_authors_that_the_data_name(said: dict[str, Any], names: tuple[str, ...]) -> None:
    story = {"title": TITLE, "content": MARKUP, **said}
    assert extract(page_of(script({"story": story}, "type=application/json"))).authors == names


def test_authors_to_whom_the_cache_of_a_client_refers() -> None:
    cache = {
        "Story:1": {"title": TITLE, "content": MARKUP, "by": 1, "author": {"__ref": "Person:7"}},
        "Person:7": {"name": "Ann Lee"},
    }
    assert extract(page_of(script(cache, "type=application/json"))).authors == ("Ann Lee",)


@pytest.mark.parametrize("body", [f"{OF_A_FIRM}\n{OTHER_LINE}", [OF_A_FIRM, OTHER_LINE]])
def test_what_is_no_element_is_text_and_news_in_brief_are_articles_where_the_data_date_them(body: Any) -> None:
    story = {"title": "Oil firm <AMO> cuts its prices", "content": body, "publishedAt": "2024-05-10T09:00:00Z"}
    shell = f"<html><head><title>{html.escape(story['title'])}</title></head><body><div id=app></div>{{}}</body></html>"
    found = extract(Page.parse(shell.format(script(story, "type=application/json")).encode(), "http://a.test/story/7"))
    assert (found.title, found.body) == (story["title"], f"{OF_A_FIRM}\n{OTHER_LINE}")
    del story["publishedAt"]
    page = Page.parse(shell.format(script(story, "type=application/json")).encode(), "http://a.test/story/7")
    assert article_in_scripts(page) is None


def test_a_long_script_of_nothing_but_spaces_is_none() -> None:
    assert extract(page_of(f"<script>{' ' * 200}</script>", f"<h1>{TITLE}</h1>{MARKUP}")).refused is None


def test_the_document_wins_where_it_has_as_much() -> None:
    page = page_of(script(STATE, "type=application/json"), body=f"<article><h1>{TITLE}</h1>{MARKUP}</article>")
    found = extract(page)
    assert found.origin["body"] not in {"script_data", "jsonld"}
    assert found.body.split("\n") == LINES


def test_the_data_win_over_a_teaser() -> None:
    page = page_of(script(STATE, "type=application/json"), body=f"<article><h1>{TITLE}</h1><p>{LINES[0]}</p></article>")
    assert extract(page).body.split("\n") == LINES


@pytest.mark.parametrize(
    "value",
    [
        {"consent": CONSENT},
        {"more": [{"title": "A garden show", "content": OTHER}]},
        {"comments": [{"body": line} for line in LINES]},
        {"story": {"title": TITLE, "content": "short"}},
        {"code": "var a = 1; function b() { return {c: 2}; } if (x == 1) { y = 2; } " * 20},
        "not an object",
        [],
    ],
)
def test_notices_other_articles_and_code_are_no_article(value: Any) -> None:
    assert instead_of(page_of(script(value, "type=application/json")), []) is None


def test_what_an_article_holds_is_made_safe() -> None:
    story = {
        "title": TITLE,
        "content": MARKUP + "<script>alert(1)</script><p onclick=x()>Last <a href='javascript:x'>line</a></p>",
    }
    found = extract(page_of("<script>" + json.dumps(story).replace("</", "<" + chr(92) + "/") + "</script>"))
    assert LINES[3] in found.body
    assert "alert" not in found.html + found.body
    assert "javascript" not in found.html


@pytest.mark.parametrize(
    "scripts",
    [
        "<script>" + "[" * 100_000 + "</script>",
        "<script type=application/json>" + '{"a":' * 50_000 + "1" + "}" * 50_000 + "</script>",
        "<script>" + 'x="' + "a\\" * 200_000 + "</script>",
        "<script>" + "= { = [ = { = ' = \" " * 40_000 + "</script>",
        "<script>" + ("a" * 119 + '" ' + "'") * 5_000 + "</script>",
        script({"story": [{"content": [{"text": "x"}] * 200}] * 2000}, "type=application/json"),
        script([[1, 1, 1], 1, [0, 0]], "type=application/json"),
        script({"A": {"__ref": "A"}, "body": [{"__ref": "A"}, {"__ref": "A"}]}, "type=application/json"),
        "<script>self.__next_f.push([1," + json.dumps("1:Tfffffff," + MARKUP * 50) + "])</script>" * 30,
    ],
    ids=["brackets", "deep", "escapes", "starts", "quotes", "wide", "selfref", "apollo loop", "flight"],
)
def test_hostile_data_cost_little(scripts: str) -> None:
    page = page_of(scripts)
    begun = time.process_time()
    article_in_scripts(page)
    assert time.process_time() - begun < 3


@settings(max_examples=60, deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=300),
                    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["body", "text", "title", "__ref", "content", "x"]), inner, max_size=4),
                    max_leaves=30))  # fmt: skip
def test_never_raises(value: Any) -> None:
    article_in_scripts(page_of(script(value, "type=application/json").replace("</script>x", "")))


def test_the_document_says_what_the_data_do_not() -> None:
    head = f"<h1>{TITLE}</h1><div class=meta>2026-01-12 14:05 Ann Lee</div><div id=text></div>"
    text = MARKUP.replace("on Tuesday", "yesterday at 9:30")
    found = extract(page_of(f"<script>var text = {json.dumps(text)};</script>", head, f"{TITLE}: what is known"))
    assert found.title == TITLE
    assert found.body.startswith("The council voted yesterday")
    shown = page_of(f"<script>var text = {json.dumps(text)};</script>", head)
    shown.fetched_at = 1_770_000_000.0
    assert extract(shown).published == "2026-01-12T14:05:00"


def test_a_text_that_a_stream_names_often_is_read_once() -> None:
    text = "The harbour is closed. " * 2000
    stream = f"1a:T{len(text):x},{text}5:" + json.dumps([{"content": "$1a"}] * 5000) + "\n"
    values = list(values_of(f"self.__next_f.push([1,{json.dumps(stream)}])"))
    assert json.dumps(values).count(text) == 1
