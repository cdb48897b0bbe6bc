"""What answers list and how they go on: documents, fragments, hydration data, JSON."""

from __future__ import annotations

import base64
import json
import time
from datetime import UTC, datetime
from html import escape
from urllib.parse import quote
from zoneinfo import ZoneInfo

import pytest

from articlebot.page import Page
from articlebot.seeds.offers import offers
from articlebot.sources import Listing, read_listing
from articlebot.sources.answers import next_of_data
from articlebot.sources.choices import choices
from articlebot.sources.data import items_of
from articlebot.sources.dated import archives, dated
from articlebot.sources.fetches import fetches, tries
from articlebot.sources.further import next_page
from articlebot.sources.issues import issues
from articlebot.sources.templates import template_of

SITE = "http://paper.test"


def listing(text: str, url: str = f"{SITE}/", content_type: str = "text/html", **more) -> Listing:
    body = text.encode()
    return read_listing(Page.parse(body, url, content_type), body, **more)


def urls(found: Listing) -> list[str]:
    return [link.url.removeprefix(SITE) for link in found.links]


TITLES = [f"The council of the town agrees on bridge number {n}" for n in range(6)]
SCRIPT = '<html><body><div id="{mount}"></div><script {how}>{text}</script></body></html>'


def rows(**make) -> list[dict]:
    return [{name: one(n) for name, one in make.items()} for n in range(6)]


@pytest.mark.parametrize(
    ("how", "wrap"),
    [
        ('id="__NEXT_DATA__" type="application/json"', '{"props": {"pageProps": {"articles": %s}}, "page": "/"}'),
        ("", 'window.__INITIAL_STATE__ = {"feed": {"items": %s}, "nav": [{"title": "Sport", "url": "/sport"}]};'),
        ("", 'window.__APOLLO_STATE__ = {"data": {"list": %s}};'),
        ("", 'window.__INITIAL_STATE__={"user":undefined,"feed":{"list":%s}}'),
        ("", "window.__NUXT__=(function(a,b){b.n=6;return {layout:'x',data:[{list:%s,error:a,ok:!0}],s:b}}(null,{}));"),
    ],
)
def test_hydration_data_list_articles(how, wrap):
    check_hydration(how, lambda rows: wrap % rows)


@pytest.mark.parametrize("escaped", [{'"': "&q;", "'": "&s;", "<": "&l;", ">": "&g;"}, {'"': "&quot;"}])
def test_data_that_are_escaped_within_their_script_are_read(escaped):
    def hide(rows: str) -> str:
        return "".join(
            escaped.get(letter, letter) for letter in '{"12": {"body": {"rows": ROWS}}}'.replace("ROWS", rows)
        )

    check_hydration('id="app-state" type="application/json"', hide)


def check_hydration(how, wrap):
    items = rows(title=lambda n: TITLES[n], url=lambda n: f"/story/{n}00{n}", date=lambda n: "2026-11-20T10:00:00Z")
    found = listing(SCRIPT.format(mount="root", how=how, text=wrap(json.dumps(items))))
    assert urls(found) == [f"/story/{n}00{n}" for n in range(6)]
    assert found.hidden == 6
    assert found.published[f"{SITE}/story/1001"] == 1763632800.0 + 365 * 86400


def test_an_answer_has_its_list_as_html_inside() -> None:
    html = (
        "<ul>"
        + "".join(f"<li><a href='/art/2026/11/art_12_30{n}.html'>{t}</a></li>" for n, t in enumerate(TITLES))
        + "</ul>"
    )
    asked = f"{SITE}/unit?paramJson=%7B%22pageNo%22%3A1%2C%22pageSize%22%3A15%7D"
    found = listing(json.dumps({"success": True, "data": {"html": html}}), asked, "application/json")
    assert urls(found) == [f"/art/2026/11/art_12_30{n}.html" for n in range(6)]
    assert found.next_url == asked.replace("%3A1%2C", "%3A2%2C")
    behind = json.dumps({"status": 1, "html": html.replace("<li>", "<li data-id=3041>")})
    assert listing(behind, f"{SITE}/more?lastid=3052", "application/json").next_url == f"{SITE}/more?lastid=3041"


def test_a_flash_is_told_by_its_sentence_where_it_has_no_title() -> None:
    rows_ = [
        {"id": n, "title": "" if n % 2 else t, "digest": f"{t}.", "url": f"/kx/30{n}.html"}
        for n, t in enumerate(TITLES)
    ]
    assert [item.title for item in items_of({"list": rows_}, SITE)] == [
        f"{t}." if n % 2 else t for n, t in enumerate(TITLES)
    ]


def test_a_number_of_another_name_makes_addresses() -> None:
    items = items_of(
        {"list": [{"contId": f"312{n}", "nodeId": 7, "name": t, "time": "2026-11-20"} for n, t in enumerate(TITLES)]},
        SITE,
    )
    assert [item.names for item in items] == [{"contid": f"312{n}"} for n in range(6)]


NAMED = [(title, f"/story/{n}00{n}") for n, title in enumerate(TITLES)]


@pytest.mark.parametrize(
    "script",
    [
        "var rows = [" + "".join(f"{{id: 7, t: '{title}', u: '{url}', d: '11-20'}}," for title, url in NAMED) + "];",
        "var rows = [" + "".join(f"{{title: '{title}', url: '{url}', f: go}}," for title, url in NAMED) + "{}];",
        "var rows=" + json.dumps([{"a": url, "b": title, "c": "/x.jpg"} for title, url in NAMED]),
        "show(" + json.dumps([{"title": title, "link": url} for title, url in NAMED]) + ")",
    ],
    ids=["odd keys", "JavaScript", "any keys", "argument"],
)
def test_rows_that_a_script_assigns_are_a_list(script):
    found = listing(f"<html><body><ul id=list></ul><script>{script}</script></body></html>")
    assert urls(found) == [url for _, url in NAMED]


def test_letters_that_an_archive_counts_as_issues_are_articles_and_the_issues_of_a_paper_are_not():
    letters = [{"title": title, "canonical_url": f"/p/issue-{n}"} for n, title in enumerate(TITLES, 1)]
    found = listing(json.dumps(letters), f"{SITE}/api/archive?offset=4&limit=6", "application/json")
    assert urls(found) == [one["canonical_url"] for one in letters]
    paper = [{"title": f"No. {n} of the Lantern", "url": f"/p/issue-{n}"} for n in range(1, 7)]
    assert urls(listing(json.dumps(paper), f"{SITE}/api/archive?offset=4&limit=6", "application/json")) == []


def test_where_a_list_goes_on_is_no_article_of_it():
    data = json.dumps(
        {"posts": [{"title": title, "slug": f"bridge-{n}", "date": "2026-11-20"} for n, title in enumerate(TITLES)]}
    )
    text = f'<div id=root><a href="/archive/3">Older</a></div><script type="application/json">{data}</script>'
    found = listing(f"<html><body>{text}</body></html>", f"{SITE}/archive/2", template="/n/{slug}", places={"div#root"})
    assert urls(found) == [f"/n/bridge-{n}" for n in range(6)]
    assert found.next_url == f"{SITE}/archive/3"


@pytest.mark.parametrize(
    "rows",
    [
        [{"t": name, "u": f"/{name.lower()}"} for name in ("Sport", "City", "World", "Opinion", "Culture")],
        [{"t": title, "u": f"/img/{n}.jpg"} for n, title in enumerate(TITLES)],
    ],
    ids=["menu", "pictures"],
)
def test_menus_and_pictures_that_a_script_assigns_are_none(rows):
    assert not listing(f"<html><body><script>var some = {json.dumps(rows)}</script></body></html>").links


def records(wrap: str = "<record><![CDATA[%s]]></record>") -> str:
    return "".join(
        wrap % f'<li><a href="/art/2026/11/{n}00{n}.html">{title}</a></li>' for n, title in enumerate(TITLES)
    )


@pytest.mark.parametrize("kind", ["text/xml", "text/html", "text/x-rows"])
def test_markup_in_a_script_is_a_list(kind):
    menu = "".join(f'<a href="/col/{n}/index.html">The {n}. section</a>' for n in range(5))
    data = f'<script type="{kind}"><datastore>{records()}</datastore></script>'
    found = listing(f"<html><body><div class=top>{menu}</div>{data}</body></html>")
    assert urls(found) == [f"/art/2026/11/{n}00{n}.html" for n in range(6)]


@pytest.mark.parametrize("made", ["{{url}}", "${url}", "<%= url %>", "#url#"])
def test_templates_and_code_are_no_list(made):
    template = f'<li><a href="{made}">The council of the town agrees on a bridge</a></li>' * 6
    text = f'<script type="text/template">{template}</script><script>var x = `{records("%s")}`</script>'
    assert not listing(f"<html><body>{text}</body></html>").links


def test_hostile_rows_cost_little():
    text = "var a=[{a:'b',c:[{a:" * 20_000 + "=[{'" * 20_000
    begun = time.process_time()
    listing(f"<html><body><script>{text}</script></body></html>")
    assert time.process_time() - begun < 3


def test_names_become_addresses_as_the_scripts_make_them():
    items = rows(headline=lambda n: TITLES[n], slug=lambda n: f"bridge-number-{n}", summary=lambda n: "Words.")
    script = "fetch('/api/list').then(r => r.items.map(a => `<a href=\"/story/${a.slug}.html\">${a.headline}</a>`))"
    text = f"<html><body><script>window.data = {json.dumps({'items': items})}; {script}</script></body></html>"
    found = listing(text)
    assert found.template == "/story/{slug}.html"
    assert urls(found)[0] == "/story/bridge-number-0.html"
    data = listing(
        json.dumps({"items": items, "page": 1}), f"{SITE}/api/list?page=1", "application/json", template=found.template
    )
    assert urls(data) == urls(found)
    assert data.next_url == f"{SITE}/api/list?page=2"


def test_articles_in_a_page_whose_addresses_its_outer_scripts_make_wait_for_these():
    state = {
        "stories": rows(headline=TITLES.__getitem__, slug=lambda n: f"bridge-{n}", published_at=lambda n: 1.7e9 + n)
    }
    page = SCRIPT.format(mount="app", how="id=__NEXT_DATA__ type=application/json", text=json.dumps(state))
    found = listing(page)
    assert (found.links, [one.names["slug"] for one in found.unnamed][:1]) == ((), ["bridge-0"])
    told = listing(page, template="/story/{slug}")
    assert (len(told.links), told.unnamed) == (6, ())
    packed = json.dumps(
        {"page": 1, "payload": json.dumps({"stories": rows(title=TITLES.__getitem__, url=lambda n: f"/s/{n}77")})}
    )
    assert len(listing(SCRIPT.format(mount="app", how="", text=f"var state = {packed};")).links) == 6


def test_a_folder_of_an_address_is_the_section_that_data_name():
    named = zip(range(6), ("town", "coast", "hills") * 2, strict=False)
    items = [
        {"title": TITLES[n], "slug": f"bridge-{n}", "section": {"name": place.title(), "slug": place}, "dek": "Words."}
        for n, place in named
    ]
    links = "".join(f'<a href="/{one["section"]["slug"]}/{one["slug"]}">{one["title"]}</a>' for one in items[:3])
    data = json.dumps({"items": items, "nextCursor": "ckz7"})
    found = listing(f"<html><body>{links}<script>window.data = {data}</script></body></html>")
    assert found.template == "/{section.slug}/{slug}"
    assert sorted(urls(found)) == sorted(f"/{one['section']['slug']}/{one['slug']}" for one in items)


def test_an_address_may_hold_several_names_of_an_article():
    items = [
        {"title": TITLES[n], "id": 4100 + n, "slug": f"bridge-{n}", "section": ("town", "coast")[n % 2]}
        for n in range(6)
    ]
    links = "".join(f'<a href="/{one["section"]}/{one["slug"]}/{one["id"]}">{one["title"]}</a>' for one in items[:3])
    found = listing(f"<html><body>{links}<script>window.data = {json.dumps({'items': items})}</script></body></html>")
    assert found.template == "/{section}/{slug}/{id}"


def test_what_several_articles_share_is_no_name_of_one():
    items = [{"title": TITLES[n], "slug": f"bridge-{n}", "section": {"slug": "town"}} for n in range(6)]
    links = "".join(f'<a href="/town/{one["slug"]}">{one["title"]}</a>' for one in items[:2])
    # The lead stands among the newest once more: it is one article all the same.
    data = json.dumps({"items": items, "lead": {"items": items[:2]}})
    found = listing(f"<html><body>{links}<script>window.data = {data}</script></body></html>")
    assert sorted(urls(found)) == sorted(f"/town/{one['slug']}" for one in items)


@pytest.mark.parametrize(
    "made",
    [
        'href:"/".concat(e.section.slug,"/").concat(e.slug)', "href:`/${e.section.slug}/${e?.slug}`",
        'href:"/"+e.section.slug+"/"+e.slug', '"/".concat(e.section.slug, "/", e.slug)',
        'f("/"+e.id+"?x=1",e.y),href:"/"+encodeURIComponent(e.section.slug)+"/"+e.slug',
    ],
)  # fmt: skip
def test_scripts_make_an_address_of_several_fields(made: str) -> None:
    items = [{"title": one, "slug": f"bridge-{n}", "section": {"slug": "town"}} for n, one in enumerate(TITLES[:6])]
    text = f"<html><body><script>window.data = {json.dumps({'items': items})}; go({made})</script></body></html>"
    assert listing(text).template == "/{section.slug}/{slug}"


def test_records_of_xml_and_where_the_next_ones_are():
    on = "<nextgroup><![CDATA[<a href='/dataproxy.jsp?col=7&amp;page=2'></a>]]></nextgroup>"
    data = f"<datastore>{on}<recordset>{records()}</recordset></datastore>"
    page = listing(f"<html><body><script type='text/xml'>{data}</script></body></html>")
    answer = listing(f"<?xml version='1.0'?>{data}", f"{SITE}/dataproxy.jsp?col=7&page=1", "text/xml")
    for found in (page, answer):
        assert urls(found) == [f"/art/2026/11/{n}00{n}.html" for n in range(6)]
        assert found.next_url == f"{SITE}/dataproxy.jsp?col=7&page=2"


def test_an_item_list_of_jsonld():
    node = {
        "@context": "https://schema.org",
        "@type": "ItemList",
        "itemListElement": [
            {"@type": "ListItem", "position": n, "url": f"{SITE}/n/{n}.html", "name": TITLES[n]} for n in range(5)
        ],
    }
    found = listing(f'<html><body><script type="application/ld+json">{json.dumps(node)}</script></body></html>')
    assert urls(found) == [f"/n/{n}.html" for n in range(5)]


@pytest.mark.parametrize(
    ("answer", "url", "expected"),
    [
        ({"next": "/api?cursor=b"}, "/api", "/api?cursor=b"),
        ({"links": {"next": {"href": "/api/p/2"}}}, "/api/p/1", "/api/p/2"),
        ({"has_more": False}, "/api?page=1", None),
        ({"pagination": {"page": 3, "total_pages": 3}}, "/api?page=3", None),
        ({"page": 1, "total_pages": 3}, "/api", "/api?page=2"),
        ({"page": "/", "total_pages": 3}, "/api", None),
        ({"page": 3, "total_pages": 3}, "/api", None),
        ({"nextCursor": "abc"}, "/api?cursor=x", "/api?cursor=abc"),
        ({"next": "abc"}, "/api?cursor=x", "/api?cursor=abc"),
        ({"next": "abc"}, "/api?size=6", None),
        ({"hasMore": True, "lastId": 41}, "/api?size=6", "/api?size=6&lastId=41"),
        ({"hasMore": False, "lastId": 41}, "/api?size=6", None),
        ({"lastId": 41}, "/api?size=6", None),
        ({}, "/api?offset=0&limit=6", "/api?offset=6&limit=6"),
        ({}, "/api/list/1.json", "/api/list/2.json"),
        ({}, "/api", None),
        (
            {"pageInfo": {"endCursor": "c9", "hasNextPage": True}},
            "/graphql?op=List&variables=%7B%22first%22%3A6%7D",
            "/graphql?op=List&variables=%7B%22first%22%3A6%2C%22after%22%3A%22c9%22%7D",
        ),
    ],
)
def test_how_answers_go_on(answer, url, expected):
    items = rows(title=lambda n: TITLES[n], link=lambda n: f"/a/{n}.html")
    found = listing(json.dumps({**answer, "list": items}), SITE + url, "application/json")
    assert len(found.links) == 6
    assert found.next_url == (expected and SITE + expected)


@pytest.mark.parametrize("first", [{"data": 1, "prerenderedAt": 2}, ["ShallowReactive", 1]])
def test_the_payload_of_nuxt_lists_by_the_places_of_its_values(first):
    stories = [{"title": 5 + 2 * n, "path": 6 + 2 * n} for n in range(4)]
    told = [value for n in range(4) for value in (TITLES[n], f"/a/{n}.html")]
    places = range(5 + len(told), 9 + len(told))
    payload = json.dumps([first, {"list": 3}, 1_700_000_000, list(places), 0, *told, *stories])
    assert urls(listing(payload, f"{SITE}/_payload.json", "application/json")) == [f"/a/{n}.html" for n in range(4)]


def test_a_list_of_numbered_entries_is_no_payload():
    entries = [{"id": n, "title": TITLES[n], "url": f"/a/{n}.html"} for n in range(4)]
    found = listing(json.dumps(entries), f"{SITE}/api", "application/json")
    assert urls(found) == [f"/a/{n}.html" for n in range(4)]
    shell = f"<html><body><script type=application/json>{json.dumps(entries)}</script></body></html>"
    assert urls(listing(shell)) == [f"/a/{n}.html" for n in range(4)]


def test_entries_of_a_menu_are_links():
    entries = "".join(f"<option value='/a/{n}.html'>{TITLES[n]}</option>" for n in range(4))
    files = entries.replace("'/a/", "'a/")
    for menu, count in (
        (f"<select>{entries}</select>", 4),
        (f"<select onchange='location=this.value'>{files}</select>", 4),
        (f"<form><select name=file>{files}</select></form>", 0),
        (f"<select onchange=\"location.href='/read?of=' + this.value\">{files}</select>", 4),
        (f"<select onchange='location=`/read?of=`+this.value'>{files.replace('.html', '')}</select>", 0),
        (
            f"<select onchange='go(this.options[this.selectedIndex].value)'>{files}</select>"
            "<script>function go(of){location.href='/read?of='+of}</script>",
            4,
        ),
    ):
        assert len(listing(f"<html><body>{menu}</body></html>").links) == count


@pytest.mark.parametrize(
    ("entry", "script", "count"),
    [
        ('<a href="javascript:void(0)" data-id="{}">{}</a>', 'open("/read?id=" + this.getAttribute("data-id"))', 4),
        ('<li data-news-id="{}"><b>{}</b></li>', 'location.href = "/read/" + $(this).data("news-id") + ".html"', 4),
        ('<p data-id="{}">{}</p>', "window.location = `/read/${el.dataset.id}.html`", 4),
        ('<p data-id="{}">{}</p>', '$.post("/like?id=" + $(this).data("id"))', 0),
    ],
)
def test_what_a_click_opens_of_what_its_element_holds_is_a_link(entry, script, count):
    entries = "".join(entry.format(4100 + n, TITLES[n]) for n in range(4))
    script = f"<script>$('.go').on('click', function () {{ {script} }})</script>"
    found = urls(listing(f"<html><body><div>{entries}</div>{script}</body></html>"))
    assert len(found) == count
    assert all("/read" in url and "410" in url for url in found)


HIDDEN = "<form action={} method=post><input type=hidden name={} value={}>{}</form>"
PAGED = "<input type=hidden name=pageNo value={}>"


@pytest.mark.parametrize(
    ("own", "form", "expected"),
    [
        # what the form hides is the list's own where the page is another than what it is sent to
        (
            "/list?cid=10", HIDDEN.format("/list", "cid", 10, PAGED.format(1)) + "<a href='javascript:go(2)'>2</a>",
            "/list?__POSTED=cid:10&__POSTED=pageNo:2",
        ),
        (
            "/list?__POSTED=cid:10&__POSTED=pageNo:2",
            HIDDEN.format("/list", "cid", 10, PAGED.format(2)) + "<a href='javascript:go(3)'>3</a>",
            "/list?__POSTED=cid:10&__POSTED=pageNo:3",
        ),
        ("/town/", HIDDEN.format("/town/", "page", 2, "<button>Older</button>"), "/town/?__POSTED=page:2"),
        (
            "/town/?__POSTED=page:2", HIDDEN.format("/town/", "page", 3, "<input type=submit value=下一页>"),
            "/town/?__POSTED=page:3",
        ),
        ("/town/", HIDDEN.format("/more", "page", 2, "<button>Load more</button>"), "/more?__POSTED=page:2"),
        ("/town/", HIDDEN.format("/more", "page", 2, "<button>加载更多</button>"), "/more?__POSTED=page:2"),
        ("/town/", HIDDEN.format("/more", "page", 2, "<button>Load more comments</button>"), None),
        ("/town/", HIDDEN.format("/town/", "page", 2, "<input name=mail><button>Next</button>"), None),
        ("/town/", HIDDEN.format("/town/", "page", 2, "<button>Subscribe</button>"), None),
        # or a button by itself
        (
            "/", "<b hx-post=/more hx-vals='{\"cat\": \"x\", \"offset\": 9}'>More</b>",
            "/more?__POSTED=cat:x&__POSTED=offset:9",
        ),
        ("/", """<b hx-post="/like" hx-vals='{"id": 9}'>Like</b>""", None),
    ],
)  # fmt: skip
def test_a_form_that_posts_the_number_of_a_page_goes_on(own, form, expected):
    found = next_page(Page.parse(f"<html><body>{form}</body></html>".encode(), SITE + own))
    assert found == (expected and SITE + expected)


@pytest.mark.parametrize(
    ("own", "piece", "expected"),
    [
        ("/more?__POSTED=page:2", "<h3><a href=/s/1>Bridge</a></h3>", "/more?__POSTED=page:3"),
        ("/more?__POSTED=a:4&__POSTED=page:9", "<a href=/s/1>Bridge</a>", "/more?__POSTED=a:4&__POSTED=page:10"),
        ("/more?__POSTED=page:2", "<p>No more</p>", None),
        ("/more?__POSTED=page:2", "<html><body><h3><a href=/s/1>Bridge</a></h3></body></html>", None),
        ("/more?__POSTED=id:2", "<h3><a href=/s/1>Bridge</a></h3>", None),
    ],
)  # fmt: skip
def test_a_piece_of_a_list_that_was_posted_for_goes_on_by_its_number(own, piece, expected):
    assert next_page(Page.parse(piece.encode(), SITE + own)) == (expected and SITE + expected)


def test_a_document_beside_a_page_in_its_row_is_no_article():
    row = "<div><i>11/0{0}</i> <a href='/releases/2026/{0}-bridge.html'>{1}</a> <a href='/files/{0}.pdf'>PDF</a></div>"
    rows = "".join(row.format(n, TITLES[n]) for n in range(6))
    assert urls(listing(f"<html><body>{rows}</body></html>")) == [f"/releases/2026/{n}-bridge.html" for n in range(6)]


def test_a_list_of_which_the_document_shows_the_first_goes_on_as_its_data_say():
    items = rows(title=lambda n: TITLES[n], url=lambda n: f"/story/{n}00{n}")
    shown = "".join(f"<h2><a href=/story/{n}00{n}>{TITLES[n]}</a></h2>" for n in range(4))
    state = json.dumps({"posts": items, "nextHref": "/?after=5005"})
    found = listing(f"<html><body><div>{shown}</div><script>window.__STATE__ = {state};</script></body></html>")
    assert len(found.links) == 6
    assert found.next_url == f"{SITE}/?after=5005"


@pytest.mark.parametrize(
    ("own", "expected"),
    [("/town/", "/town/index_3.html"), ("/town/index_3.html", "/town/index_4.html"), ("/town/index_9.html", None)],
)
def test_labels_count_the_pages_whose_addresses_do_not(own, expected):
    numbers = {1: "/town/index_1.html", 2: "/town/index_3.html", 3: "/town/index_4.html", 4: "/town/index_9.html"}
    at = {"/town/": 1, "/town/index_3.html": 2, "/town/index_9.html": 4}[own]
    links = " ".join(f"<a href={url}>{n}</a>" if n != at else f"<b>{n}</b>" for n, url in numbers.items())
    assert next_page(Page.parse(f"<html><body><p>{links}</p></body></html>".encode(), SITE + own)) == (
        expected and SITE + expected
    )


def test_four_digits_below_a_year_are_days_where_all_of_them_are():
    numbers = [f"{SITE}/town/2026/{number}.html" for number in (1102, 1030, 1334)]
    assert archives(numbers) == []
    assert len(archives(numbers[:2])) == 2


def test_a_last_page_may_list_one_article():
    last = json.dumps({"list": [{"title": TITLES[0], "link": "/a/7.html"}]})
    assert urls(listing(last, f"{SITE}/api?page=4", "application/json")) == ["/a/7.html"]
    assert urls(listing(last, f"{SITE}/api?cursor=x4", "application/json")) == ["/a/7.html"]
    assert urls(listing(last, f"{SITE}/api", "application/json")) == []


@pytest.mark.parametrize(
    ("beside", "own", "expected"),
    [
        ({"next": "/town?page=2"}, "/town", "/town?page=2"),
        ({"nextHref": "/town?cursor=6"}, "/town", "/town?cursor=6"),
        ({"page": 2, "pages": 4}, "/town?page=2", "/town?page=3"),
        ({"page": 4, "pages": 4}, "/town?page=4", None),
        ({"page": "/town", "pages": [1]}, "/town", None),
        ({"next": "http://other.test/town?page=2"}, "/town", None),
    ],
)
def test_data_of_a_page_say_where_its_list_goes_on(beside, own, expected):
    items = rows(title=lambda n: TITLES[n], link=lambda n: f"/a/{n}.html")
    text = f"window.__STATE__ = {json.dumps({'next': '/elsewhere?page=9', 'list': {'items': items, **beside}})};"
    found = listing(SCRIPT.format(mount="app", how="", text=text), SITE + own)
    assert found.next_url == (expected and SITE + expected)


@pytest.mark.parametrize(
    ("said", "expected"),
    [("page:1,pages:3", "/essays?page=2"), ("page:3,pages:3", None), ("page:1,pages:1", None), ("shown:1", None)],
)
def test_a_program_says_in_its_own_writing_how_many_pages_a_list_has(said, expected):
    shown = "".join(f'<li><a href="/essays/{n}.html">{TITLES[n]}</a></li>' for n in range(4))
    data = f'[null,{{type:"data",data:{{essays:{json.dumps(rows(title=lambda n: TITLES[n]))},{said}}},uses:{{}}}}]'
    markup = f"<ul>{shown}</ul><button>Newer</button><button>Older</button><script>start(app, {{data:{data}}})</script>"
    found = listing(f"<html><body>{markup}</body></html>", f"{SITE}/essays")
    assert found.next_url == (expected and SITE + expected)


def test_times_of_data_are_those_of_the_site():
    items = rows(title=lambda n: TITLES[n], link=lambda n: f"/a/{n}.html", time=lambda n: f"2026-11-24 10:0{n}")
    body = json.dumps(items).encode()
    page = Page.parse(body, f"{SITE}/api", "application/json", zone=ZoneInfo("Asia/Shanghai"))
    assert read_listing(page, body).published[f"{SITE}/a/0.html"] == datetime(2026, 11, 24, 2, tzinfo=UTC).timestamp()


def test_articles_below_a_key_of_any_name():
    items = [
        {"type": 1, "doc": {"docId": n, "title": TITLES[n], "time": 1.79e12}, "stat": {"read": 3}} for n in range(6)
    ]
    found = listing(json.dumps({"data": {"list": items}}), f"{SITE}/api", "application/json", template="/a/{docid}")
    assert urls(found) == [f"/a/{n}" for n in range(6)]


def test_a_script_that_writes_links_is_a_list_and_the_next_one_follows():
    lines = [f"document.write('<li><a href=\"/news/2026{n}.html\">{TITLES[n]}<\\/a></li>');" for n in range(6)]
    found = listing("\n".join(lines), f"{SITE}/js/list_town_1.js", "application/javascript", home=f"{SITE}/")
    assert urls(found) == [f"/news/2026{n}.html" for n in range(6)]
    assert found.next_url == f"{SITE}/js/list_town_2.js"


@pytest.mark.parametrize("made", ["JSON.parse('{}')", "JSON.parse(`{}`)", "{}"])
def test_data_in_a_program_are_a_list(made):
    rows = json.dumps([{"title": one, "url": f"/n/story-{n}", "date": "2026-11-05"} for n, one in enumerate(TITLES)])
    program = "".join(f'let v{n}="{n}";function f{n}(a){{return a[{n}]==="x"?{{k:[v{n}]}}:[]}}' for n in range(99))
    text = f"import{{a}}from'./f.js';{program}const p={made.format(rows)};export{{p as d}};"
    found = listing(text, f"{SITE}/assets/chunks/list.Vi1gHGEo.js", "text/javascript", home=f"{SITE}/")
    assert urls(found) == [f"/n/story-{n}" for n in range(6)]


def test_what_is_of_one_article_may_stand_in_several_objects():
    halo = [
        {"metadata": {"name": f"5c-{n}"}, "spec": {"title": TITLES[n]}, "status": {"permalink": f"/archives/{n}"},
         "owner": {"displayName": "Lin", "url": "/authors/lin"}}
        for n in range(6)
    ]  # fmt: skip
    notes = [
        {"id": f"6a{n}", "user": {"name": "Lin"}, "card": {"type": "a", "display_title": TITLES[n]}} for n in range(6)
    ]
    found = listing(json.dumps({"items": halo}), f"{SITE}/api", "application/json")
    assert urls(found) == [f"/archives/{n}" for n in range(6)]
    found = listing(json.dumps({"items": notes}), f"{SITE}/api", "application/json", template="/explore/{id}")
    assert urls(found) == [f"/explore/6a{n}" for n in range(6)]


def test_fields_may_be_named_in_the_language_of_the_site():
    rows = [
        {"id": n, "titel": f"Nieuwe brug over de haven {n}", "gepubliceerdOp": f"2026-11-0{n}T08:00:00+01:00"}
        for n in (4, 5)
    ]
    items = items_of({"items": rows, "totaal": 2}, SITE)
    assert [(item.title[-1], item.names["id"]) for item in items] == [("4", "4"), ("5", "5")]
    assert items[0].published_at == datetime(2026, 11, 4, 7, tzinfo=UTC).timestamp()


def test_what_a_route_calls_id_is_a_number_by_another_name() -> None:
    items = items_of([{"postId": 4100 + n, "title": title, "topic": "town"} for n, title in enumerate(TITLES)], SITE)
    assert template_of(["routes=[{path:'/p/:id.html',name:'Post'}]"], items, []) == "/p/{postid}.html"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (
            "routes=[{path:'/tag/:slug'},{path:'/story/:slug',name:'s'}]; fetch(API+'/stories?slug='+slug)",
            "/story/{slug}",
        ),
        ("r.get('/news/detail/'+e.id); routes=[{path:'/detail/:id'}]", "/detail/{id}"),
        ("routes=[{path:'news',component:N},{path:'news/:id',component:D}]", "/news/{id}"),
        ("this.$router.push({path:'/detail',query:{id:e.id}})", "/detail?id={id}"),
        ("f(t){this.$router.push({path:'/detail',query:{id:t}})}", "/detail?id={id}"),
        ("this.$router.push({path:'/user',query:{id:e.id}})", None),
        ('[{name:"news-id",path:"/news/:id()",component:l}]', "/news/{id}"),
        ("""html += '<a href="view.html?id=' + n.id + '">'""", "view.html?id={id}"),
        ("a(L,{to:`/section/${e.slug}`});a(L,{to:`/article/${e.slug}`})", "/article/{slug}"),
        ("r.get('/news/detail/'+e.id)", None),
        ("l('/q/one?id='+r.params.id); routes=[{path:'/story/:id'}]", "/story/{id}"),
        ("l('/q/one?id='+r.params.id); routes=[{path:'/w/:id'},{path:'/tag/:id'}]", "/w/{id}"),
        ("l('/q/one?id='+e.id); routes=[{path:'/w/:id'},{path:'/shop/:id'}]", "/q/one?id={id}"),
        ("a(L,{to:`/q/${e.id}`,href:`/q/${e.id}`}); routes=[{path:'/w/:id'}]", "/q/{id}"),
    ],
)
def test_what_is_fetched_is_no_address_for_readers(script: str, expected: str | None) -> None:
    items = items_of([{"id": 4100 + n, "slug": f"a-{n}", "title": title} for n, title in enumerate(TITLES)], SITE)
    assert template_of([script], items, []) == expected


def test_addresses_in_the_answer_of_an_api_are_those_of_the_site():
    items = json.dumps(rows(title=lambda n: TITLES[n], link=lambda n: f"/a/{n}.html"))
    api = "http://api.paper.test/v2/posts?page=1"
    found = listing(items, api, "application/json", home=f"{SITE}/")
    assert found.links[0].url == f"{SITE}/a/0.html"
    assert found.next_url == api.replace("=1", "=2")
    assert listing(items, api, "application/json", home="http://other.test/").links[0].url.startswith("http://api.")


@pytest.mark.parametrize(
    ("home", "host", "below"),
    [
        ("http://paper.test/", "www.paper.test", "http://www.paper.test/"),
        ("http://www.paper.test/", "m.paper.test", "http://m.paper.test/"),
        ("http://news.paper.test/", "www.paper.test", "http://news.paper.test/"),
        ("http://www.paper.test/", "data.paper.test", "http://www.paper.test/"),
    ],
)
def test_addresses_in_data_lead_from_where_the_home_page_may_have_been_led(home: str, host: str, below: str) -> None:
    items = json.dumps({"list": rows(title=lambda n: TITLES[n], url=lambda n: f"/2026/11/20/story-{n}.html")})
    found = listing(items, f"http://{host}/list.json", "application/json", home=home)
    assert {link.url.partition("2026/")[0] for link in found.links} == {below}


def test_sections_that_an_answer_names_are_put_into_the_addresses_of_lists():
    tree = [{"id": 1, "name": "News", "children": [{"id": 11, "name": "Town"}, {"id": 12, "name": "County"}]}]
    menu = listing(json.dumps({"data": tree}), f"{SITE}/api/tree", "application/json").menu
    script = "tree.forEach(c => fetch('/api/category/' + c.cid + '/articles?page=' + page))"
    page = Page.parse(f"<html><body><script>{script}</script></body></html>".encode(), f"{SITE}/", "text/html")
    assert tries(page, 0) == ()
    expected = tuple(f"{SITE}/api/category/{number}/articles?page=1" for number in (11, 12))
    assert tries(page, 0, menu=menu) == expected


def test_what_a_page_fetches_ahead_may_be_its_list():
    head = '<link rel="preload" as="fetch" href="/graphql?op=Feed"><link rel="preload" as="font" href="/graphql/f">'
    page = Page.parse(f"<html><head>{head}</head><body></body></html>".encode(), f"{SITE}/", "text/html")
    assert tries(page, 0) == (f"{SITE}/graphql?op=Feed",)


def test_all_that_a_page_may_show_is_fetched_ahead():
    head = '<link rel="preload" as="fetch" href="/page-data/blog/page-data.json">'
    page = Page.parse(f"<html><head>{head}</head><body></body></html>".encode(), f"{SITE}/", "text/html")
    assert tries(page, 8) == (f"{SITE}/page-data/blog/page-data.json",)
    nodes = [
        {"node": {"fields": {"slug": f"/a/{n}/"}, "frontmatter": {"title": title}}} for n, title in enumerate(TITLES)
    ]
    answer = json.dumps({"result": {"data": {"edges": nodes}}})
    assert urls(listing(answer, f"{SITE}/page-data/blog/page-data.json", "application/json"))[:2] == ["/a/0/", "/a/1/"]


_APPENDED = (
    "<div id=r data-endpoint='/surface/more'></div><script>"
    "$.get($('#r').data('endpoint') + '?page=' + page, show); $.get(e.dataset.none + '?page=' + page)</script>"
)


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ('<ul data-url-template="/fragments/{page}"><li>x</li></ul>', "/fragments/2"),
        (_APPENDED, "/surface/more?page=2"),
    ],
)
def test_an_attribute_has_a_place_for_the_page_or_a_script_puts_it_behind(markup, expected):
    page = Page.parse(f"<html><body>{markup}</body></html>".encode(), f"{SITE}/", "text/html")
    assert tries(page, 9) == (f"{SITE}{expected}",)


@pytest.mark.parametrize("before", ["", "var rows = ", "window.rows=", "show("])
def test_data_behind_a_name(before):
    items = [
        {"id": n, "title": title, "url_w": f"{SITE}/a/{n}.html", "img_url": "/i/1"} for n, title in enumerate(TITLES)
    ]
    body = f"{before}{json.dumps({'list': items})}{')' if '(' in before else ';' if before else ''}"
    assert urls(listing(body, f"{SITE}/api/get_1_.html")) == [f"/a/{n}.html" for n in range(6)]


def test_data_in_the_writing_of_a_script():
    rows = ",".join(
        f'{{channel : {{id : "9"}},title : "{one}",url : "{SITE}/c/{n}.shtml",time : 17955439{n}0}}'
        for n, one in enumerate(TITLES)
    )
    found = listing(f"var jsonData = {{count : 70,list : [{rows}]}};", f"{SITE}/roll.php?col=89&num=20&page=1")
    assert urls(found) == [f"/c/{n}.shtml" for n in range(6)]
    assert found.next_url == f"{SITE}/roll.php?col=89&num=20&page=2"


def test_cards_that_a_script_makes_links_of():
    cards = "".join(f"<div class=card data-href='/n/2026/a-{n}.html'><h3>{t}</h3></div>" for n, t in enumerate(TITLES))
    assert len(listing(f"<html><body><main>{cards}</main></body></html>").links) == 6


def form(menus, more=""):
    return f"<html><body><form action='/past.php'>{menus}{more}</form></body></html>"


DAYS = "<select name=riqi><option value=''>-</option><option>2026-11-05</option><option>2026-11-04</option></select>"
MONTHS = "<select name=y><option>2026</option></select><select name=m><option>10</option><option>9</option></select>"


@pytest.mark.parametrize(
    ("menus", "expected"),
    [
        (DAYS, ["/past.php?riqi=2026-11-05", "/past.php?riqi=2026-11-04"]),
        (MONTHS, ["/past.php?y=2026&m=10", "/past.php?y=2026&m=9"]),
        (DAYS + "<input name=q>", []),
        ("<select name=n><option>7</option></select>", []),
    ],
)
def test_days_and_months_of_a_form_are_archives(menus, expected):
    found = listing(form(menus))
    assert [one.url.removeprefix(SITE) for one in found.archives] == expected


def test_days_of_a_form_that_is_sent_by_post_are_archives_and_nothing_else_of_one_is():
    markup = (
        '<html><body><form method=POST action="/past"><input type=hidden name=token value=a>{}</form></body></html>'
    )
    # What a page that posts itself hides is told as it is answered; another's goes with it.
    for page, hidden in (("/past", ""), ("/", "__POSTED=token:a&")):
        found = [one.url.removeprefix(SITE) for one in listing(markup.format(DAYS), SITE + page).archives]
        assert found == [f"/past?{hidden}__POSTED=riqi:{day}" for day in ("2026-11-05", "2026-11-04")]
    menu = "<select name=cat><option value=3>Town</option></select>"
    assert not list(choices(Page.parse(markup.format(menu).encode(), f"{SITE}/", "text/html")))


def test_earlier_issues_of_an_e_paper_are_told_by_its_address():
    found = listing("<html><body></body></html>", f"{SITE}/html/2026-11/02/node_2.htm")
    days = [f"{SITE}/html/{day}/node_2.htm" for day in ("2026-11/01", "2026-10/30", "2026-10/26")]
    assert [one.url for one in found.archives] == days


def test_a_list_that_a_script_goes_through_is_put_into_the_address():
    for each in ("function show(d){%s}DAYS.forEach(show);", "DAYS.forEach(d => {%s});", "for (const d of DAYS) {%s}"):
        script = 'var DAYS=["20261105","20261104"];' + each % 'fetch("/data/day/"+d+".json").then(draw);'
        page = Page.parse(f"<html><body><script>{script}</script></body></html>".encode(), f"{SITE}/", "text/html")
        assert {one.url for one in fetches(page)} == {f"{SITE}/data/day/{day}.json" for day in ("20261105", "20261104")}


def test_sections_to_choose_from():
    menu = "<select name=cat><option value=3>Town</option><option value=5>Coast</option></select>"
    page = Page.parse(form(menu).encode(), f"{SITE}/", "text/html")
    assert offers(page).sections == (f"{SITE}/past.php?cat=3", f"{SITE}/past.php?cat=5")
    hostile = form(
        "<select name=a>" + "<option>x" * 5000 + "</select>" + "<select name=b>" + "<option>x" * 5000 + "</select>"
    )
    assert len(list(choices(Page.parse(hostile.encode(), f"{SITE}/", "text/html")))) == 400


def test_months_to_choose_from_are_archives():
    months = "".join(f"<option value='/news/list2026{month}.html'>{month}</option>" for month in ("11", "10"))
    found = listing(f"<html><body><select>{months}</select></body></html>", f"{SITE}/news/list.html")
    assert [one.ends for one in found.archives] == [(2026, 11, 32), (2026, 10, 32)]


def test_an_empty_answer_is_the_end():
    assert listing('{"list": []}', f"{SITE}/api?page=4", "application/json").next_url is None


@pytest.mark.parametrize(
    ("markup", "own", "expected"),
    [
        ('<a rel="next" href="/sport/2">2</a>', "/sport", "/sport/2"),
        ('<a href="/p/1">1</a><a href="/p/2">2</a><a href="/p/9">9</a>', "/p/1", "/p/2"),
        ('<a href="?page=3">3</a><a href="?page=1">1</a>', "/x?page=2", "/x?page=3"),
        ('<a href="/older/2">Older posts »</a>', "/", "/older/2"),
        ('<a href="/?after=a91b">Show older releases</a>', "/", "/?after=a91b"),
        ('<a href="/list_2.html">下一页</a>', "/list.html", "/list_2.html"),
        ('<button data-next="/more?offset=20">Load more</button>', "/", "/more?offset=20"),
        ('<div><a href="/2026/11/2/">2</a></div>', "/", None),
        ('<a href="/p/1">« Newer</a>', "/p/2", None),
        ('<a class="more" href="/sport/">更多&gt;&gt;</a><a href="/news/">More</a>', "/", None),
        ('<a class="more" href="/sport/?page=2">More</a>', "/sport/", "/sport/?page=2"),
        ('<script>createPageHTML(6, 1, "index", "html");</script>', "/xw/index_1.html", "/xw/index_2.html"),
        ('<script>createPageHTML(6, 5, "index", "html");</script>', "/xw/index_5.html", None),
        ("<script>createPageHTML('pages',6, 0,'index','shtml',41);</script>", "/xw/", "/xw/index_1.shtml"),
        ('<a class="ajax-next" href="?orderby=views">Views</a><a class="next" href="/p/2">+</a>', "/p", "/p/2"),
        (
            '<script>curPage=0,countPage=5;document.write("<a href=\\"index_"+nextPage+".html\\">下页</a>")</script>',
            "/xw/",
            "/xw/index_1.html",
        ),
        (
            """<script>cur=3,pageCount=3;document.write('<a href="/xw/p-'+i+'.html">'+i+'</a>')</script>""",
            "/xw/p-3.html",
            None,
        ),
        # Counted from 1, where the first page is called otherwise.
        ('<script>createPageHTML(2, 1, "list", "shtml");</script>', "/", "/list_2.shtml"),
        ('<script>createPageHTML(3, 2, "list", "shtml");</script>', "/xw/list_2.shtml", "/xw/list_3.shtml"),
        ('<script>createPageHTML(3, 3, "list", "shtml");</script>', "/xw/list_3.shtml", None),
        (
            '<input type="hidden" id="nexturl" value="//app.paper.test/next?since=10">',
            "/",
            "//app.paper.test/next?since=10",
        ),
        ('<button class="btn-more" data-url="/more/town?ts=17">ดูเพิ่มเติม</button>', "/town", "/more/town?ts=17"),
        ('<a href="http://other.test/2">Next</a>', "/", None),
        ('<a href="/find?q=&at=2">2</a><a href="/find?q=&at=3">3</a>', "/find?q=", "/find?q=&at=2"),
        ('<a href="/find?q=&at=1">1</a><a href="/find?q=&at=3">3</a>', "/find?q=&at=2", "/find?q=&at=3"),
        ('<a href="/r?c=2&debut=20">20</a><a href="/r?c=2&debut=10">10</a>', "/r?c=2", "/r?c=2&debut=10"),
        ('<a href="/desk/seite/2/">Ältere</a>', "/desk/", "/desk/seite/2/"),
        ("<form><input name=q><input type=hidden name=page value=2><button>Find more</button></form>", "/", None),
        ('<a href="/cal?day=2">2</a><a href="/cal?day=3">3</a>', "/cal", None),
        # Pages that are counted down, as Chinese universities have them.
        ('<a href="/xw/3.htm">2</a><a href="/xw/2.htm">3</a><a href="/xw/3.htm">下页</a>', "/xw.htm", "/xw/3.htm"),
        ('<a href="/xw/3.htm">上页</a><a href="/xw/3.htm">2</a><a href="/xw/1.htm">下页</a>', "/xw/2.htm", "/xw/1.htm"),
        ('<a class="more" href="/live?before=8976">查看更多</a>', "/live", "/live?before=8976"),
        ('<a class="more" href="/deep?before=8976">查看更多</a>', "/live", None),
        ('<a class="more" href="/more?until=1795500006">עוד חדשות</a>', "/", "/more?until=1795500006"),
    ],
)
def test_the_next_page_of_a_list(markup, own, expected):
    found = next_page(Page.parse(f"<html><body>{markup}</body></html>".encode(), SITE + own, "text/html"))
    assert found == (expected and (f"http:{expected}" if expected.startswith("//") else SITE + expected))


@pytest.mark.parametrize(
    ("script", "links", "expected"),
    [
        ("let page = 1; fetch(`/api/news?page=${page}&size=${size}`); const size = 15", 0, "/api/news?page=1&size=15"),
        ("let page = 1; load(); function load(){ $.getJSON('/more.php?p=' + (++page)) }", 20, "/more.php?p=2"),
        ("axios.get('/api/articles', {params: {}})", 0, "/api/articles"),
        ("const at='/v2'; fetch(`${at}/posts?page=${page}`)", 0, "/v2/posts?page=1"),
        ("const at='http://paper.test/v2/'; fetch(at + '/posts?page=' + page)", 0, "/v2/posts?page=1"),
        (
            "window.API='http://paper.test/v2'; var r=n('bc3a'),a=window.API; r.get(a+'/posts?page='+p)",
            0,
            "/v2/posts?page=1",
        ),
        ("axios.create({baseURL: '/v2'}).get('/posts', {})", 0, "/v2/posts"),
        ("x.open('GET', '../index.json')", 8, "/index.json"),
        ("fetch(`${location.pathname}?page=${next}&part=1`)", 8, "/?page=2&part=1"),
        (
            "async function rows(kind,n){return fetch(`/entries?kind=${kind}&skip=${n}`)} rows('post',k,10)",
            0,
            "/entries?kind=post&skip=0",
        ),
        ("fetch('/list.json?' + new URLSearchParams({page: n, rows: 10}))", 0, "/list.json?page=1&rows=10"),
        ("fetch(`/list.json?${new URLSearchParams({page: n, rows: 10})}`)", 0, "/list.json?page=1&rows=10"),
        ("const A='/v4', L={list:'/posts'}; fetch(A + L.list + '?page=' + n)", 0, "/v4/posts?page=1"),
        ("http.get(`/news?page=${n}`); http.defaults.baseURL='/v5'", 0, "/v5/news?page=1"),
        (
            "class A{constructor(b){this.b=b} list(n){return fetch(`${this.b}/list?page=${n}`)}} new A('/v6')",
            0,
            "/v6/list?page=1",
        ),
        ("$('#p').pagination({total: 88, link: '/xw/list_{p}.html'})", 8, "/xw/list_2.html"),
        # handed to a function that puts the API before it
        (
            "function get(p,o){return fetch(new URL(B+p,location.origin))} B='/v1';get('/news',{page,size:10})",
            0,
            "/v1/news?page=1&size=10",
        ),
        (
            "const A='/api/v2'; async function api(path){return fetch(A+path)} api('/posts?page='+n)",
            0,
            "/api/v2/posts?page=1",
        ),
        (
            'const q="/v1",u=async e=>{const t=await fetch(`${q}/api${e}`)};u(`/posts?pagination[page]=${n}`)',
            8,
            "/v1/api/posts?pagination%5Bpage%5D=2",
        ),
        ("let p=0; fetch('/find?hitsPerPage=20&page='+p)", 4, "/find?hitsPerPage=20&page=0"),
        (
            "$.ajax({url: '/roll?a='+c.a+'&b='+c.b+'&d='+c.d+'&e='+c.e+'&page='+n}); c={a:1,b:2,d:3,e:4}",
            0,
            "/roll?a=1&b=2&d=3&e=4&page=1",
        ),
        ("fetch('/api/posts?page='+p+(c.cat?'&cat='+c.cat:''))", 20, "/api/posts?page=2"),
        ("$.ajax({url: '/ajax/list?offset=' + offset})", 20, "/ajax/list?offset=20"),
        ("fetch('/api/list/' + page + '.json')", 0, "/api/list/1.json"),
        ("fetch('/api/' + section + '/list?page=' + n); const section = 'tech'", 0, "/api/tech/list?page=1"),
        ("var page = 1; fetch('/ajax/list?page=' + (++page))", 20, "/ajax/list?page=2"),
        ('var c="",page=1;fetch("/ajax/list?channel="+c+"&page="+page)', 0, "/ajax/list?channel=&page=1"),
        ("fetch('/ajax/list?page=' + page++ + '&n=' + 20)", 0, "/ajax/list?page=1&n=20"),
        ("$fetch('/api/news', {query: {limit: 10, skip: rows.length}})", 10, "/api/news?limit=10&skip=10"),
        (
            "c=function(e){return s({url:'/list',method:'get',params:e})}; c({page:this.page,size:20,cid:cid})",
            8,
            "/list?page=1&size=20",
        ),
        (
            "const list = (params) => http.get('/list', { params }); queryParams: { pageNum: 1, pageSize: 10 },",
            8,
            "/list?pageNum=2&pageSize=10",
        ),
        ('fetch("/api/list?page=".concat(n, "&size=").concat(10)).then(f)', 8, "/api/list?page=2&size=10"),
        ('fetch("/list/".concat(encodeURIComponent(c),"?page=").concat(n)); const c="tech"', 8, "/list/tech?page=2"),
        (
            "feed={channel:'hot',at_time:1795470000}; $.get('/feed/?channel='+e.channel+'&at_time='+e.at_time)",
            8,
            "/feed/?channel=hot&at_time=1795470000",
        ),
        ("$.ajax({url: '/more', type: 'get', data: {p: n, type: 1}, success: f})", 8, "/more?p=2&type=1"),
        ("function get(code, n) { get('/data/list_' + n + '.json') }", 0, "/data/list_1.json"),
        ("$.getJSON('/more', {p: page, type: 'a', last_id: x})", 8, "/more?p=2&type=a"),
        ("let at = ''; fetch('/api/feed?size=8&cursor=' + at)", 8, "/api/feed?size=8&cursor="),
        (
            "const ps = new URLSearchParams({page: n}); fetch('/index.php?s=/api/list&' + ps)",
            8,
            "/index.php?s=/api/list&page=2",
        ),
        (
            "const A='/gate', V='v2', at=A+'/'+V+'/list'; fetch(at+'?size=10'+(c?'&cursor='+c:''))",
            0,
            "/gate/v2/list?size=10",
        ),
        ("const A='/gate', at=`${A}/v2/list`; fetch(at + '?page=' + n)", 0, "/gate/v2/list?page=1"),
        ("const A=B+'/x', B=A+'/y'; fetch('/list?page=' + n)", 0, "/list?page=1"),
        # of a page that shows fewer than half of what is asked for at once, the second such does not follow
        ('fetch("/api/list?page=".concat(n,"&size=").concat(12))', 8, "/api/list?page=1&size=20"),
        (
            'let e=new URLSearchParams({limit:"12"});s&&e.set("sec",s),e.set("page",String(n));'
            'fetch("/api/list?".concat(e.toString()))',
            8,
            "/api/list?limit=12&page=2",
        ),
        (
            'let q=new URLSearchParams;c&&q.set("cursor",c),q.set("limit","12");fetch("/list?".concat(q.toString()));'
            'self.__next_f.push([1,"7:{\\"cursor\\":\\"k41\\"}"])',
            8,
            "/list?cursor=k41&limit=12",
        ),
        (
            "var at={section:null,from:8}; fetch('/_search/news?section='+(at.section||'')+'&from='+at.from)",
            8,
            "/_search/news?section=&from=8",
        ),
        (
            "const u = new URL('/api/list', location.origin); u.searchParams.set('page', n); fetch(u)",
            8,
            "/api/list?page=2",
        ),
        ('const e=this.state.page+1;fetch("/paginated/".concat(e,".json"))', 9, "/paginated/2.json"),
        (
            'C=axios.create({baseURL:"/cms"});f=(e,t)=>C.get("/news",{params:{"paging[page]":e,"paging[pageSize]":10,all:"*"}})',
            8,
            "/cms/news?paging%5Bpage%5D=2&paging%5BpageSize%5D=10",
        ),
        ("const at='/v2'; axios.create({baseURL: at}).get('/posts', {})", 0, "/v2/posts"),
        ("axios.create({baseURL: env.API || '/v3'}).get('/posts', {})", 0, "/v3/posts"),
    ],
)
def test_addresses_that_scripts_fetch(script, links, expected):
    text = f"<html><body><div id=root></div><script>{script}; navigator.sendBeacon('/track/log')</script></body></html>"
    page = Page.parse(text.encode(), f"{SITE}/", "text/html")
    assert tries(page, links)[:1] == (SITE + expected,)
    assert not any("track" in one.url for one in fetches(page))


def test_what_is_posted_is_no_address():
    script = '$.ajax({type:"POST",url:"/roll.php",data:{offset:n,day:"20261105"}})'
    page = Page.parse(f"<html><body><script>{script}</script></body></html>".encode(), f"{SITE}/", "text/html")
    assert not fetches(page)


def test_where_a_component_in_an_attribute_goes_on():
    data = "{ next: '/artikler/mere?sektion=by&side=2', more() { fetch(this.next) } }"
    text = f'<html><body><main x-data="{data}"></main>'
    assert tries(Page.parse(text.encode(), f"{SITE}/"), 8) == (f"{SITE}/artikler/mere?sektion=by&side=2",)


def test_sections_that_a_script_itself_names():
    tabs = "const tabs = [{id: 7, name: 'Town'}, {id: 9, name: 'County'}, {id: 12, name: 'Coast'}]"
    script = f"{tabs}; http.get('/feed/list', {{params: {{channelId: c, lastId: last || 0, size: 15}}}})"
    page = Page.parse(f"<html><body><script>{script}</script></body></html>".encode(), f"{SITE}/", "text/html")
    assert tries(page, 0) == tuple(f"{SITE}/feed/list?channelId={n}&lastId=&size=15" for n in (7, 9, 12))


def test_sections_by_a_field_of_any_name():
    script = (
        "const C = [{cid: '7', name: 'Town'}, {cid: '9', name: 'Coast'}]; fetch('/feed/list?cid=' + cid + '&size=10')"
    )
    page = Page.parse(f"<html><body><script>{script}</script></body></html>".encode(), f"{SITE}/", "text/html")
    assert tries(page, 0) == tuple(f"{SITE}/feed/list?cid={n}&size=10" for n in (7, 9))


ENTRIES = "".join(f'<p class=entry data-id="{n}" data-w=3><a href="/n/{n}">{TITLES[0]}</a></p>' for n in (812, 807))


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("let last = l.lastChild.getAttribute('data-id'); fetch('/ajax/list?before=' + last)", "/ajax/list?before=807"),
        ("fetch(`/ajax/list?last_id=${entries[entries.length - 1].dataset.id}`)", "/ajax/list?last_id=807"),
        ("$.get('/ajax/list?cursor=' + c)", "/ajax/list?cursor=807"),
        ("s = b.getAttribute('data-s') || 'all'; fetch('/x/' + s + '/list?max_id=' + m)", "/x/all/list?max_id=807"),
        ("const last = all[all.length - 1].dataset.id; fetch(`/river/town/${last}`)", "/river/town/807"),
        ("fetch('/ajax/list?token=' + c)", None),
    ],
)  # fmt: skip
def test_what_a_script_reads_from_the_page_is_put_into_the_address(script, expected):
    text = f'<html><body data-s=""><div id=l>{ENTRIES}</div><script>{script}</script></body></html>'
    assert tries(Page.parse(text.encode(), f"{SITE}/", "text/html"), 2)[:1] == ((SITE + expected,) if expected else ())


def test_a_bundle_of_a_megabyte_costs_little():
    one = "function f{n}(e,t){{var n=e.a;return o.get('/svc{n}/'+name{n}+'/x'+t.c)}};" + "a.b = c(d); " * 40
    script = "".join(one.format(n=n) for n in range(1800))
    page = Page.parse(f"<html><body>{'<p data-id=1>x</p>' * 2000}</body></html>".encode(), f"{SITE}/", "text/html")
    begun = time.process_time()
    fetches(page, script)
    assert time.process_time() - begun < 5


def test_each_section_that_a_script_names_is_an_address():
    script = "const S = ['world', 'tech', 'art']; fetch(`/api/list?section=${S[0]}&offset=${i}&limit=20`)"
    page = Page.parse(f"<html><body><script>{script}</script></body></html>".encode(), f"{SITE}/", "text/html")
    assert tries(page, 0) == tuple(
        f"{SITE}/api/list?section={one}&offset=0&limit=20" for one in ("world", "tech", "art")
    )


@pytest.mark.parametrize(
    ("asked", "rest", "expected"),
    [
        ("/ajax/list?before=815", "", "/ajax/list?before=807"),
        ("/ajax/list?n=2&last_id=815&x=1", "", "/ajax/list?n=2&last_id=807&x=1"),
        ("/ajax/list?before=807", "", None),  # the same again
        ("/ajax/list?before=bGFzdA", "", None),  # nothing is like it
        ("/ajax/list", "", None),
        ("/river/town/53868", '<p data-id="53791"></p>', "/river/town/53791"),
        ("/river/town/53868", '<p data-id="53868"></p>', None),
        ("/river/a-town-by-the-sea", '<p data-id="a-town-by-the-bay"></p>', None),
        ("/ajax/list?x=1", '<div hx-get="/ajax/list?x=2" hx-trigger="revealed"><img src=w></div>', "/ajax/list?x=2"),
        ("/ajax/list?x=1", '<div class="load-more" data-url="/ajax/list?x=b"></div>', "/ajax/list?x=b"),
        ("/ajax/list?x=1", '<div hx-get="/weather" hx-trigger="load"></div><i data-url="/share"></i>', None),
    ],
)  # fmt: skip
def test_a_fragment_goes_on_behind_its_last_entry(asked, rest, expected):
    assert listing(ENTRIES.replace(TITLES[0], TITLES[1]) + rest, SITE + asked).next_url == (
        expected and SITE + expected
    )


@pytest.mark.parametrize(
    ("path", "ends"),
    [
        ("/2026/11/05/", (2026, 11, 5)),
        ("/archive/2026/11", (2026, 11, 32)),
        ("/archive/2026/", (2026, 13, 32)),
        ("/html/2026-11/05/node_2.htm", (2026, 11, 5)),
        ("/20261105/", (2026, 11, 5)),
        ("/day?date=2026-11-05", (2026, 11, 5)),
        ("/?m=202611", (2026, 11, 32)),
        ("/past.asp?m=2026-11", (2026, 11, 32)),
        ("/archive-2026-11.html", (2026, 11, 32)),
        ("/tag?datum=2026-11-05", (2026, 11, 5)),
        ("/index.php?issue=211", (0, 13, 32)),
        ("/article.php?issue=211&n=3", None),
        ("/past.php?riqi=2026-11-05", (2026, 11, 5)),
        ("/m.php?name=Old&year=2026&month=11&month_l=November", (2026, 11, 32)),
        ("/m.php?year=2026&month=11&id=5", None),
        ("/archive.asp?m=11&y=2026", (2026, 11, 32)),
        ("/archives/01-novembre-2026.html", (2026, 11, 1)),
        ("/news/default.aspx?year=2025", (2025, 13, 32)),
        ("/news/default.aspx?year=2025&id=4", None),
        ("/archives/f%C3%A9vrier-2026.html", (2026, 2, 32)),
        ("/world/2026/nov/03", (2026, 11, 3)),
        ("/world/2026/nov/03/all", (2026, 11, 3)),
        ("/world/2026/nov/03/all-that-jazz", None),
        ("/sitemap/2026/", (2026, 13, 32)),
        ("/archiv/2026/maerz/", (2026, 3, 32)),
        ("/world/2026/nov/03/the-bridge", None),
        ("/news/review-november-2026", None),
        ("/news/november-2026", None),  # a month's newsletter as often as its archive
        ("/desk?to=2026-11-05", None),
        ("/news/list202611.html", (2026, 11, 32)),
        ("/news202611.html", None),
        ("/pc/layout/202611/05/node_01.html", (2026, 11, 5)),
        ("/html/2026-11/05/nbs.D110000daily_02.htm", (2026, 11, 5)),
        ("/paper/20261105/A03.htm", (2026, 11, 5)),
        ("/scroll-news/gn/2026/1105/news.shtml", (2026, 11, 5)),
        ("/news/news-list-2026-11-5-0.htm", (2026, 11, 5)),
        ("/gia/general/202611/05c.htm", (2026, 11, 5)),
        ("/html/2026/11/05/A02/default.htm", (2026, 11, 5)),
        ("/html/2026/11/05/A02/A02_56.htm", None),
        ("/price-list-2026-11-05-0.htm", None),
        ("/gn/scroll/2026/1105/", (2026, 11, 5)),
        ("/news/2026/1305/", None),
        ("/news/2026/1105/8801.html", None),
        ("/issues/2026-10", (2026, 10, 32)),
        ("/issues/march-2026", (2026, 3, 32)),
        ("/issue/winter-2025/", (2025, 1, 32)),
        ("/issues/no-41", (0, 13, 32)),
        ("/vol-3/no-2/", (0, 13, 32)),
        ("/arquivo?mes=2026-11", (2026, 11, 32)),
        ("/edicao/214", (0, 13, 32)),
        ("/num%C3%A9ro-12/", (0, 13, 32)),
        ("/utgave-7", (0, 13, 32)),
        ("/the-paper/v48/n22", (0, 13, 32)),
        ("/CN/Y2026/I22", (0, 13, 32)),
        ("/CN/Y2026/V45/I11", (0, 13, 32)),
        ("/qikan.aspx?year=2026&qi=22", (0, 13, 32)),
        ("/actualites/communiques-de-presse/2025", (2025, 13, 32)),
        ("/actualites/Communiques-de-presse/2025/Aout-2025", (2025, 8, 32)),
        ("/news/2025", None),  # as often an article with that number
        ("/actualites/agenda/2024/aout-2025", None),
        ("/issues/no-41/the-bridge", None),
        ("/issues/about-2025", None),
        ("/editions/12345", None),
        ("/no/12", None),
        ("/news/202611/05.html", None),  # the article 5 of a month
        ("/pc/content/202611/05/content_3012.html", None),
        ("/2026/11/05/bridge.html", None),
        ("/2026/11/05/2019.htm", None),  # an article that has a number
        ("/html/20261105/2019.html", None),
        ("/2026/11/05/2019-05.htm", None),
        ("/201911.html", None),
        ("/the-plan-for-2026.html", None),
        # of mailing lists
        ("/2026-11/maillist.html", (2026, 11, 32)),
        ("/pipermail/announce/2026-November/date.html", (2026, 11, 32)),
        ("/2026-11/msg00003.html", None),
        ("/news/2026-november.html", None),
        ("/budget-2026-11-05.html", None),
        ("/news/12345", None),
    ],
)
def test_date_archives(path, ends):
    found = dated(SITE + path)
    assert (found and found.ends) == ends


def test_archives_are_ordered_by_what_they_end_with():
    found = archives([f"{SITE}/2026/10/", f"{SITE}/2026/11/03/", f"{SITE}/2025/", f"{SITE}/about/"])
    assert [one.url.removeprefix(SITE) for one in found] == ["/2026/11/03/", "/2026/10/", "/2025/"]


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["/news/2026/", "/news/2025/", "/news/2026/nov/28/the-old-bridge/"], ["/news/2026/", "/news/2025/"]),
        (["/zh/news/2026/", "/zh/news/2026/11/28/keji-1000/"], ["/zh/news/2026/"]),
        # numbers of articles: they have pages, or one of them is no year that was
        (["/news/2026/", "/news/2025/", "/news/2026/2/", "/news/2026/comments/"], []),
        (["/news/2026/", "/news/2027/", "/news/2026/nov/28/the-old-bridge/"], []),
        (["/news/2026/", "/other/2026/nov/28/the-old-bridge/"], []),
    ],
)
def test_a_year_is_an_archive_where_what_was_published_is_filed_below_it(paths, found):
    at = datetime(2026, 11, 29, tzinfo=UTC).timestamp()
    named = [one.url.removeprefix(SITE) for one in archives((SITE + path for path in paths), at)]
    assert [path for path in named if path.rstrip("/").rpartition("/")[2] in ("2025", "2026", "2027")] == found


def test_days_that_have_several_letters_are_articles_of_days():
    lists = [f"{SITE}/202611/{day}c.htm" for day in (24, 23)]
    assert [one.url for one in archives(lists)] == lists
    stories = [f"{SITE}/202611/{day}.html" for day in ("24a", "24b", "23a")]
    assert [one.url for one in archives([*stories, f"{SITE}/202610/"])] == [f"{SITE}/202610/"]


def test_numbers_that_may_be_months_are_none_where_others_beside_them_are_not():
    months = [f"{SITE}/archives/202611", f"{SITE}/archives/202610"]
    assert [one.url for one in archives(months)] == months
    assert archives([*months, f"{SITE}/archives/202675"]) == []
    at = datetime(2026, 11, 24, tzinfo=UTC).timestamp()
    row = [f"{SITE}/news/2026{month}.html" for month in (11, 10, "09")]
    assert [one.url for one in archives(row, at)] == row
    assert archives(row) == archives(row[:2], at) == archives([*row[1:], f"{SITE}/news/202608.html"], at + 5e6) == []
    assert archives([*row, f"{SITE}/news/202675.html"], at) == []
    items = "".join(
        f"<li><a href=/archives/{n}>The bridge of the old harbour {n}</a>" for n in (201410, 202275, 202331)
    )
    found = listing(f"<html><body><ul>{items}</ul>")
    assert len(found.links) == 3
    assert not found.archives


@pytest.mark.parametrize(
    "paths",
    [
        ["/html/2026-11/05/node_1.htm", "/html/2026-11/05/node_2.htm", "/html/2026-11/04/node_1.htm"],
        ["/20261105/A01.htm", "/20261105/A12.htm", "/20261105/B01.htm"],
        ["/2026/11/05/A01/default.htm", "/2026/11/05/B01/default.htm", "/2026/11/04/A01/default.htm"],
        ["/issues/no-41", "/issues/no-40", "/issues/no-9"],
        ["/vol-4/no-1", "/vol-3/no-12", "/vol-3/no-2"],
        ["/CN/Y2026/I2", "/CN/Y2025/I22", "/CN/Y2025/I3"],
    ],
)
def test_the_first_section_of_a_day_and_the_newest_issue_come_first(paths):
    assert [one.url.removeprefix(SITE) for one in archives(SITE + path for path in reversed(paths))] == paths


def test_data_that_an_answer_holds_as_a_text_is_read():
    rows = [{"id": n, "title": f"The bridge of the old harbour, part {n}", "url": f"/news/{n}"} for n in range(4)]
    inner = json.dumps({"list": rows})
    for held in (inner, base64.b64encode(inner.encode()).decode()):
        found = listing(json.dumps({"code": 0, "data": {"rows": held}}), content_type="application/json")
        assert len(found.links) == 4
    shell = f"<html><body><script id=RENDER_DATA type='application/json'>{quote(inner)}</script>"
    assert len(listing(shell).links) == 4


@pytest.mark.parametrize("body", ["", "{", "[" * 5000, '{"a": [{}, {}]}', "cb([1,2]);", "<a href='http://['>x</a>"])
def test_whatever_comes_is_read(body):
    listing(body, content_type="application/json")
    listing(body)


@pytest.mark.parametrize(
    "wrap",
    [
        "try{feedCards(%s);}catch(e){};",
        "/**/ typeof cb === 'function' && cb(%s);",
        "jQuery112_1([%s])",
        "var data = %s;",
    ],
    ids=["Sina", "Express", "jQuery", "variable"],
)
def test_data_behind_a_callback_is_a_list_whatever_its_charset(wrap):
    names = ("临江港务局启动跨江大桥普查工作", "北岭水务集团完成冬季供暖管网改造", "清河教育局公布新学年的校车线路")
    rows = [{"title": name, "pic": "/i/1.jpg", "url": f"/i/{n}.jpg", "link": f"/c/{n}"} for n, name in enumerate(names)]
    body = (wrap % json.dumps({"result": {"data": rows}}, ensure_ascii=False)).encode("gbk")
    page = Page.parse(body, f"{SITE}/api/roll?callback=cb", "application/javascript")
    found = read_listing(page, body)
    # Some call a picture's address "url".
    assert [(link.text, link.url) for link in found.links] == [(name, f"{SITE}/c/{n}") for n, name in enumerate(names)]


def test_what_an_address_asks_for_and_its_answer_gives_anew_leads_on_whatever_its_name_is():
    told = {"has_more": True, "data": [], "category": "hot", "next": {"behot_time": 1795460000}}
    url = f"{SITE}/feed?category=hot&behot_time=1795470000"
    assert next_of_data(told, url, 12) == f"{SITE}/feed?category=hot&behot_time=1795460000"
    assert next_of_data({**told, "has_more": False}, url, 12) is None
    url = f"{SITE}/feed?cursor_score=90&num=12"
    assert next_of_data({"data": {"cursor_score": "78"}}, url, 12) == f"{SITE}/feed?cursor_score=78&num=12"


def test_what_an_attribute_gives_to_a_component_is_read_as_a_script_is():
    """Inertia and its like: an empty element with all of the page in an attribute, its menu too."""
    news = {
        "data": rows(title=TITLES.__getitem__, url=lambda n: f"{SITE}/news/{n}"),
        "next_page_url": f"{SITE}/news?page=2",
    }
    menu = [
        {"label": "News", "href": "/news"},
        {"label": "Squad", "href": "/squad"},
        {"label": "Tickets", "href": "//t.example/"},
    ]
    props = escape(json.dumps({"component": "News", "props": {"news": news, "nav": menu}}), quote=True)
    text = f'<html><body><div id="app" data-page="{props}"></div><script src="/app.js"></script></body></html>'
    found = listing(text, f"{SITE}/")
    assert urls(found) == [f"/news/{n}" for n in range(6)]
    assert found.next_url == f"{SITE}/news?page=2"
    assert set(offers(Page.parse(text.encode(), f"{SITE}/")).sections) == {f"{SITE}/news", f"{SITE}/squad"}


@pytest.mark.parametrize("mark", ['items="{}"', "items='{}'", ":items='{{\"of\": {}}}'"])
def test_a_list_that_an_element_has_in_an_attribute(mark: str) -> None:
    items = json.dumps(rows(title=TITLES.__getitem__, url=lambda n: f"{SITE}/news/{n}"))
    said = mark.format(escape(items, quote=True) if mark.endswith('"') else items)
    found = listing(f"<html><body><news-list {said}></news-list></body></html>", f"{SITE}/")
    assert urls(found) == [f"/news/{n}" for n in range(6)]


def test_what_turns_a_list_back_is_no_article():
    """ "<< Previous" beside the headlines, at an address with as many numbers as theirs."""
    cell = '<p>11/5/2026 <a href="/index.cfm?go=news.detail&amp;id={}">{}</a><br>The council said so on Monday.</p>'
    news = "".join(cell.format(1400 + n, title) for n, title in enumerate(TITLES))
    turns = '<p>Records 11 to 20 <a href="/index.cfm?go=news.list&amp;start=1">&lt;&lt; Previous</a> '
    turns += '<a href="/index.cfm?go=news.list&amp;start=21">Next &gt;&gt;</a></p>'
    text = f"<html><body><table><tr><td>{news}{turns}</td></tr></table></body></html>"
    places = {link.region for link in listing(text).links}
    found = listing(text, f"{SITE}/index.cfm?go=news.list&start=11", places=places)
    assert urls(found) == [f"/index.cfm?go=news.detail&id={1400 + n}" for n in range(6)]


def test_what_an_island_is_given_is_a_list_beside_the_cards_that_are_shown():
    posts = [
        {"url": [0, f"/story/{n}00{n}"], "data": [0, {"title": [0, TITLES[n]], "tags": [1, [[0, "a"]]]}]}
        for n in range(6)
    ]
    given = escape(json.dumps({"posts": [1, [[0, post] for post in posts]], "size": [0, 2], "about": [0, "x" * 300]}))
    cards = "".join(f"<li><a href=/story/{n}00{n}>{TITLES[n]}</a></li>" for n in range(2))
    found = listing(f'<html><body><astro-island props="{given}"><ul>{cards}</ul></astro-island></body></html>')
    assert urls(found) == [f"/story/{n}00{n}" for n in range(6)]
    assert found.hidden == 4


def test_what_react_streams_says_where_its_list_goes_on():
    items = rows(title=lambda n: TITLES[n], href=lambda n: f"/story/{n}00{n}", date=lambda n: "2026-11-20T10:00:00Z")
    row = ["$", "main", None, {"children": ["$", "$L7", None, {"articles": items, "page": 1, "totalPages": 3}]}]
    text = f"self.__next_f.push({json.dumps([1, '0:' + json.dumps(row) + chr(10)])})"
    found = listing(SCRIPT.format(mount="root", how="", text=text), f"{SITE}/topics/town")
    assert (len(found.links), found.next_url) == (6, f"{SITE}/topics/town?page=2")


def test_a_list_of_amp_is_fetched_and_what_its_template_has_is_no_link():
    template = "<template type=amp-mustache><h3><a href='{{url}}'>{{title}}, told at some length</a></h3></template>"
    text = f"<html><body><amp-list src='/items.json?page=1' load-more=auto>{template * 4}</amp-list></body></html>"
    page = Page.parse(text.encode(), f"{SITE}/", "text/html")
    assert tries(page, 0) == (f"{SITE}/items.json?page=1",)
    assert listing(text).links == ()


def test_what_a_system_behind_the_site_names_is_at_the_address_of_readers():
    items = rows(
        title=lambda n: TITLES[n], url=lambda n: f"http://cms.paper.test/story/{n}00{n}", slug=lambda n: f"s{n}"
    )
    answer = json.dumps({"posts": items})
    found = listing(
        answer, "http://cms.paper.test/content/posts/?page=1", "application/json", home="http://www.paper.test/"
    )
    assert found.links[1].url == "http://www.paper.test/story/1001"
    found = listing(
        answer, "http://cms.paper.test/content/posts/?page=1", "application/json", home="http://cms.paper.test/"
    )
    assert found.links[1].url == "http://cms.paper.test/story/1001"


def test_rows_that_name_whole_addresses_for_a_script_are_links():
    cards = "".join(f"<li data-link='{SITE}/s/{n}00{n}'><div>{TITLES[n]}</div></li>" for n in range(5))
    assert urls(listing(f"<html><body><ul>{cards}</ul></body></html>")) == [f"/s/{n}00{n}" for n in range(5)]
    assert urls(listing(f"<html><body><ul>{cards.replace(SITE, '')}</ul></body></html>")) == []


def test_the_file_beside_a_page_goes_on_as_the_pages_do():
    payload = [
        {"data": 1},
        {"list": 2},
        [3, 6],
        *(
            {"title": 4 + 3 * n, "url": 5 + 3 * n} if not k else one
            for n in range(2)
            for k, one in enumerate(("", TITLES[n], f"/a/{n}.html"))
        ),
    ]
    told = [
        listing(json.dumps(payload), f"{SITE}{at}/_payload.json", "application/json").next_url for at in ("", "/page/2")
    ]
    assert told == [None, f"{SITE}/page/3/_payload.json"]


def test_a_program_that_holds_a_sites_pages_has_articles_and_how_their_addresses_are_made():
    made = '"permalink": "/:year/:month/:day/:slug"'
    front = [f'{{"title": "{TITLES[n]}", "date": "2026-11-0{n + 1}", {made}}}' for n in range(5)]
    posts = [
        f'{{title: "{TITLES[n]}", frontmatter: {one}, path: "/2026/11/0{n + 1}/a-{n}/"}}' for n, one in enumerate(front)
    ]
    pages = [
        f'{{title: "Page {n} | Tag", frontmatter: {{layout: "Tags"}}, path: "/tag/摄影/page/{n}/"}}' for n in (2, 3)
    ]
    found = listing(f"var site = {{pages: [{', '.join(posts + pages)}]}};", f"{SITE}/app.js", "text/javascript")
    assert urls(found) == [f"/2026/11/0{n + 1}/a-{n}/" for n in range(5)]


def test_a_program_that_names_its_articles_by_several_addresses_is_read_by_the_list_with_their_dates():
    menu = [{"text": title, "title": title, "link": f"/2/{n}-bridge"} for n, title in enumerate(TITLES[:8])]
    files = [{"name": title, "path": f"2/{n}-bridge.md"} for n, title in enumerate(TITLES[:8])]
    called = [{"title": title, "permalink": f"/posts/7c{n}b62d"} for n, title in enumerate(TITLES[:8])]
    posts = [
        {"title": title, "url": f"/2/{n}-bridge.html", "date": f"2026-11-0{n + 1}"}
        for n, title in enumerate(TITLES[:8])
    ]
    data = {"sidebar": menu, "files": files, "words": called, "posts": posts}
    wanted = [f"/2/{n}-bridge.html" for n in range(len(posts))]
    assert urls(listing(f"var site = {json.dumps(data)};", f"{SITE}/app.js", "text/javascript")) == wanted
    assert urls(listing(json.dumps(data), f"{SITE}/data.json", "application/json")) == wanted
    page = f"<html><body><div id=app></div><script type=application/json>{json.dumps(data)}</script></body></html>"
    assert urls(listing(page)) == wanted
    # Two lists that share some articles are lists of their own.
    some = {"newest": posts[:6], "chosen": [*called[:3], *({**one, "title": one["title"] + "!"} for one in called[3:])]}
    assert len(urls(listing(json.dumps(some), f"{SITE}/data.json", "application/json"))) > len(posts[:6])


@pytest.mark.parametrize(
    ("said", "are_issues"),
    [
        (("2026年第9期", "2026年第10期", "第11期（总第512期）"), True),
        (("2026年9月号", "2026年10月号", "2026年11月号"), True),
        (("September 2026", "October 2026", "November 2026"), True),
        (("Heft 1/2026", "Ausgabe 2", "Nr. 3"), True),
        (("Vol. 12, No. 1", "Vol. 12, No. 2", "Issue #3 (Winter)"), True),
        (("제9호", "2026년 10월호", "11호"), True),
        (("Issue 9 of our trouble", "Issue 10 is out", "November was wet"), False),
        (("No. 9", "No. 10", "The town in brief"), False),
    ],
)
def test_issues_are_told_by_what_links_to_them_say(said: tuple[str, ...], are_issues: bool) -> None:
    links = "".join(f"<li><a href='/qikan/2026/{n}/'>{text}</a>" for n, text in enumerate(said, 9))
    page = Page.parse(
        f"<html><body><ul>{links}</ul></body></html>".encode(), "http://a.test/qikan/", "text/html; charset=utf-8"
    )
    newest_first = [f"http://a.test/qikan/2026/{n}/" for n in (11, 10, 9)]
    assert [one.url for one in issues(page)] == (newest_first if are_issues else [])


@pytest.mark.parametrize(
    ("said", "asked", "count"),
    [("{}", "/{}.html", 3), ("{}年", "/archives/{}.html", 3), ("{}", "/archives/7{}7.html", 3),
     ("{}", "/yearbook.php", 0), ("{}: the bridge", "/{}.html", 0)],
)  # fmt: skip
def test_years_lead_to_what_appeared_in_them_where_the_address_has_the_year(said: str, asked: str, count: int) -> None:
    links = " ".join(f"<a href='{asked.format(year)}'>{said.format(year)}</a>" for year in (2024, 2025, 2026))
    page = Page.parse(f"<html><body>{links}</body></html>".encode(), "http://a.test/", "text/html; charset=utf-8")
    assert len(issues(page)) == count


@pytest.mark.parametrize(
    ("letters", "asked", "count"),
    [("ABCDEF", "/news?letter={}", 6), ("абвгд", "/az/{}/", 5), ("ABC", "/news?letter={}", 0),
     ("ABCDEF", "/of-{}-all", 6)],
)  # fmt: skip
def test_letters_by_which_a_list_is_cut_lead_to_all_of_it(letters: str, asked: str, count: int) -> None:
    links = " ".join(f"<a href='{asked.format(letter)}'>{letter}</a>" for letter in letters)
    page = Page.parse(f"<html><body>{links}</body></html>".encode(), "http://a.test/news", "text/html; charset=utf-8")
    assert len(issues(page)) == count


def test_a_lone_link_in_the_document_does_not_hide_what_its_data_list() -> None:
    items = [{"title": title, "path": f"/article/703{n}"} for n, title in enumerate(TITLES)]
    data = SCRIPT.format(
        mount="app", how="id=__NEXT_DATA__ type=application/json", text=json.dumps({"articles": items})
    )
    lone = '<p><a href="/podcasts/morning">Listen: the morning briefing in five minutes</a></p></body>'
    assert set(urls(listing(data))) <= set(urls(listing(data.replace("</body>", lone))))
    assert len(urls(listing(data))) == len(TITLES)
