"""When the site of a job is looked at: never seen, or silent for a day; and that what was known stays known."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Mapping
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType, SimpleNamespace

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response

from articlebot.diagnosis import Finding
from articlebot.jobs import Job
from articlebot.jobs.book import Changes, JobBook
from articlebot.jobs.looks import Found
from articlebot.jobs.visit import META_KEY, Visit
from articlebot.looks.seen import Seen, ends_of, in_order
from articlebot.looks.site_look import SiteLook
from articlebot.looks.taken_scripts import _commonness, _place, parts_of
from articlebot.looks.written_lists import placed
from articlebot.page import Page
from articlebot.recrawl import Kind
from articlebot.recrawl.record import Seed
from articlebot.runtime.diagnosis import Settled
from articlebot.spiders.article import ArticleSpider
from articlebot.urls import page_key
from articlebot.visiting.turning import FIRST_PAGES
from tests.front_door.site import article

SITE = "http://a.test/"
KEYS = {"feeds": ["http://a.test/feed"]}


@pytest.mark.parametrize(
    ("age", "severity", "again"), [(2 * 86_400, "fault", 1), (3600, "fault", 0), (2 * 86_400, "passing", 0)]
)
async def test_a_site_that_falls_silent_is_looked_at_again_after_a_day(
    spider: ArticleSpider, age: float, severity: str, again: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, asked = spider.runtime.now(), []
    await spider.runtime.looks.put("a.test", Found(SITE, now - age, KEYS))
    await spider.looks.know()
    assert spider.book.get("a.test").feeds == ("http://a.test/feed",)  # type: ignore[union-attr]

    async def look(job: object) -> None:
        asked.append(job)

    monkeypatch.setattr(spider.looks, "_look", look)
    assert await spider.looks.tend(now) == 0  # it is known, and well
    finding = Finding("a.test", "fewer_links", "said", "advice", severity)  # type: ignore[arg-type]
    spider.looks.settled(Settled(findings=(finding,), at=now))
    assert bool(await spider.looks.tend(now + 10)) is bool(again)
    assert spider.book.get("a.test").feeds == ("http://a.test/feed",)  # type: ignore[union-attr]


async def test_what_another_worker_has_just_found_is_not_looked_for_again(
    spider: ArticleSpider, monkeypatch: pytest.MonkeyPatch
) -> None:
    spider.follow(type(spider.book).from_argument(None, SITE))
    await spider.looks.know()
    looks, now = spider.runtime.looks, spider.runtime.now()
    asked: list[object] = []

    async def look(job: object) -> None:
        asked.append(job)

    monkeypatch.setattr(spider.looks, "_look", look)
    await looks.begin("a.test", "another")
    assert await spider.looks.tend(now) == 1  # that one still looks
    await looks.put("a.test", Found(SITE, now, KEYS))
    await looks.end("a.test")
    await spider.looks.tend(now + 10)
    assert (spider.book.get("a.test").feeds, asked) == (("http://a.test/feed",), [])  # type: ignore[union-attr]
    assert await looks.begin("a.test", "another")  # it is free


async def test_sites_that_say_nothing_keep_no_others_waiting(
    spider: ArticleSpider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file := tmp_path / "jobs.toml").write_text("".join(f'[[site]]\nsite = "http://{n}.test/"\n' for n in range(60)))
    spider.follow(type(spider.book).from_argument(str(file), None))
    begun = list[SiteLook]()

    async def run(look: SiteLook) -> None:
        begun.append(look)
        await asyncio.Event().wait()

    async def tended(after: float) -> int:
        await spider.looks.tend(spider.runtime.now() + after)
        await asyncio.sleep(0)
        return len(begun)

    monkeypatch.setattr(SiteLook, "run", run)
    assert await tended(0) == 16
    assert await tended(3) == 16  # they may be slow
    now = spider.runtime.now() + 10
    monkeypatch.setattr(spider.desk, "now", lambda: now)
    for look in begun[:6]:
        look.fetching.heard = True
    assert await tended(10) == 26
    monkeypatch.setattr(spider.desk, "now", lambda: now + 10)
    assert await tended(20) == 36
    monkeypatch.setattr(spider.desk, "now", lambda: now + 20)
    assert await tended(30) == 40  # 16, and 24 of those that say nothing
    await spider.looks.closed()


async def test_what_was_found_of_another_address_counts_for_nothing(spider: ArticleSpider) -> None:
    spider.follow(type(spider.book).from_argument(None, SITE))
    await spider.runtime.looks.put("a.test", Found("http://b.test/", spider.runtime.now(), KEYS))
    await spider.looks.know()
    assert [job.name for job in spider.book.unseen] == ["a.test"]


@pytest.mark.parametrize("how", ["kept", "told", "heard"])
async def test_another_worker_knows_the_picture_and_keywords_that_stand_for_the_site(
    spider: ArticleSpider, how: str
) -> None:
    looks, now = spider.runtime.looks, spider.runtime.now()
    spider.follow(type(spider.book).from_argument(None, SITE))
    found = Found(SITE, now, KEYS, title="A", pictures=["http://a.test/card.jpg"], keywords=["blog"])
    if how == "told":
        await looks.tell("a.test", found)
    elif how == "heard":
        await spider.looks.know()
        await looks.put("a.test", found)
        await spider.looks.tend(now + 10)
    else:
        await looks.put("a.test", found)
        await spider.looks.know()
    page = article(
        "A bridge for the harbour",
        head='<meta property="og:image" content="/card.jpg"><meta name="keywords" content="pier, blog">',
    )
    visit = Visit(job="a.test", kind="article", key=page_key(f"{SITE}news/bridge.html"))
    request = Request(f"{SITE}news/bridge.html", meta={META_KEY: visit.meta()})
    answer = await spider.desk.answer(HtmlResponse(request.url, body=page.encode(), request=request))
    assert answer is not None
    read, _ = spider.runtime.reader.read(answer.fetched, answer.job, visit)
    assert (read.lead_image, read.keywords) == (None, ("pier",))


async def test_a_job_that_was_forgotten_is_looked_at_when_it_comes_back(spider: ArticleSpider) -> None:
    looks, now = spider.runtime.looks, spider.runtime.now()
    spider.follow(type(spider.book).from_argument(None, SITE))
    await looks.put("a.test", Found(SITE, now, KEYS))
    await spider.looks.know()
    (job,) = spider.book
    for forgotten in (False, True):  # paused and resumed; removed, forgotten, and written again
        if forgotten:
            await looks.forget("a.test")
        spider.jobs_changed(Changes((job,), (), ()))
        await spider._begin_jobs(now)
        assert [one.name for one in spider.book.unseen] == (["a.test"] if forgotten else [])


def test_the_newest_part_of_a_map_comes_before_the_others_and_its_index_last() -> None:
    named = frozenset({f"{SITE}a"})
    maps = [Seen("sitemap", Response(f"{SITE}{name}.xml"), named if name != "index" else frozenset())
            for name in ("index", "new", "old")]  # fmt: skip
    told = in_order([*maps, Seen("feed", Response(f"{SITE}rss"), named)], {f"{SITE}index.xml"})
    assert [one.response.url.removeprefix(SITE) for one in told] == ["rss", "new.xml", "old.xml", "index.xml"]


def test_the_oldest_archive_of_a_look_leads_on_and_what_lists_archives_alone() -> None:
    read = {
        "/": {"/b"},
        "/tag?datum=2026-11-22": {"/b"},
        "/tag?datum=2026-11-21": {"/c"},
        "/b": {"/c"},
        "/archive/2026/11": set(),
    }
    seen = [Seen("list", Response(f"http://a.test{path}"), frozenset(named)) for path, named in read.items()]
    seen.append(Seen("list", Response("http://a.test/archive/2026"), frozenset({"/b"}), few=True))
    ends = {"http://a.test/tag?datum=2026-11-21", "http://a.test/archive/2026/11", "http://a.test/archive/2026"}
    assert ends_of(SimpleNamespace(seen=seen)) == ends  # type: ignore[arg-type]
    assert ends_of(SimpleNamespace(seen=[])) == set()  # type: ignore[arg-type]


ROWS = [f"<h2><a href='/2026/11/20/story-{n}.html'>Story number {n} of the harbour town</a></h2>" for n in range(40)]
NAV = "<nav><a href='/sport/'>Sport</a><a href='/culture/'>Culture</a></nav>"


async def looked(
    spider: ArticleSpider, pages: dict[str, str], first: str = "", led: Mapping[str, str] = MappingProxyType({}),
    posted: Collection[str] = (),
) -> tuple[SiteLook, list[str]]:  # fmt: skip
    """A look at a site of these pages, and what it asked for of them.

    Args:
        first: shown to who comes for the first time.
        led: where the site leads who asks for a path.
        posted: what it answers by POST alone.
    """
    asked: list[str] = []
    look = SiteLook(spider.crawler, SITE, 40, thorough=False)

    async def get(url: str, *, again: bool = False, sent: str = "", **_: object) -> HtmlResponse | None:
        asked.append(path := url.removeprefix(SITE[:-1]))
        if path not in pages or (asked.count(path) > 1 and not again) or (path in posted and sent != "json"):
            return None
        shown = first if first and asked == ["/"] else pages[path]
        kind = "application/json" if shown.startswith("{") else "text/html"
        headers = {"Content-Type": kind} | ({"Set-Cookie": "seen=1"} if first else {})
        is_plain = shown.startswith(("<urlset", "<sitemapindex", "<rss", "{", "var "))
        body = (shown if is_plain else f"<html lang=en><body>{shown}</body></html>").encode()
        return HtmlResponse(url.replace(path, led.get(path, path)), body=body, headers=headers, request=Request(url))

    look.fetching.get = get  # type: ignore[method-assign,assignment]
    await look.run()
    look.fetching.close()
    return look, [path for path in asked if path in pages]


async def test_one_part_of_a_program_has_the_list_and_another_the_addresses_of_articles(spider: ArticleSpider) -> None:
    items = [{"slug": f"a-{n}", "title": f"The council takes up plan {n} for the bridge"} for n in range(8)]
    pages = {
        "/": "<div id=app></div><script type=module src=/assets/main-x0.js></script>",
        "/assets/main-x0.js": "var r=[{path:`/article/:slug`},{path:`/`}];m.f=[`assets/List-x1.js`,`assets/One-x2.js`]",
        "/assets/List-x1.js": "var l=n=>fetch(`/api/list?page=${n}`)",
        "/api/list?page=1": json.dumps({"items": items}),
        "/article/a-0": "<div id=app></div><script type=module src=/assets/main-x0.js></script>",
        "/assets/One-x2.js": "var o=e=>fetch(`/api/one/article/${e.slug}`)",
        "/api/one/article/a-0": json.dumps({**items[0], "body": "The council has taken it up at last. " * 20}),
    }
    look, order = await looked(spider, pages)
    assert order == list(pages)
    assert look.found.article_data == "/api/one/article/{slug}"
    assert look.known == {f"{SITE}article/a-{n}" for n in range(8)}


async def test_the_text_is_asked_for_by_the_number_behind_the_words_of_an_address(spider: ArticleSpider) -> None:
    items = [{"url": f"/news/plan-for-bridge-{n}", "title": f"The council takes up plan {n}"} for n in range(40, 48)]
    pages = {
        "/": "<div id=app></div><script type=module src=/assets/main-x0.js></script>",
        "/assets/main-x0.js": "l=n=>fetch(`/api/news?page=${n}&size=8`);o=e=>fetch(`/api/news/${e}`)",
        "/api/news?page=1&size=8": json.dumps({"items": items}),
        "/news/plan-for-bridge-40": "<div id=app></div><script type=module src=/assets/main-x0.js></script>",
        "/api/news/40": json.dumps({**items[0], "body": "The council has taken it up at last. " * 20}),
    }
    look, order = await looked(spider, pages)
    assert order == list(pages)
    assert (look.found.article_data, look.found.article_url) == ("/api/news/{id}", "/news/{slug}-{id}")


async def test_the_page_has_the_list_and_its_script_the_addresses_of_articles(spider: ArticleSpider) -> None:
    items = [{"eid": f"{n}100{n}", "name": f"The council takes up plan {n} for the bridge"} for n in range(8)]
    pages = {
        "/": "<div data-api='/api/list?page={page}'></div><script src=/s.js></script>",
        "/api/list?page=1": json.dumps({"list": items}),
        "/s.js": "var u=box.dataset.api.replace('{page}',page);d.list.forEach(e=>{a.href='/episode/'+e.eid})",
    }
    look, order = await looked(spider, pages)
    assert look.known == {f"{SITE}episode/{one['eid']}" for one in items}
    assert [one.url for one in look.found.api] == [f"{SITE}api/list?page=1"]
    assert order == list(pages)


@pytest.mark.parametrize(
    ("script", "parts"),
    [
        ('r.u=e=>"s/js/"+e+"."+{36:"8b",60:"10"}[e]+".chunk.js";r.e(60);r.e(36)', ["60.10.chunk.js", "36.8b.chunk.js"]),
        ('c.p+"s/js/"+({1:"about",7:"home"}[e]||e)+"."+{1:"f5",7:"72"}[e]+".js"', ["home.72.js", "about.f5.js"]),
        ('c.p+"s/js/"+({}[e]||e)+"."+{3:"ab"}[e]+".chunk.js"', ["3.ab.chunk.js"]),
        ('n.u=e=>({1:"one"})[e]+".js";n.f=e=>"s/css/"+{1:"f5"}[e]+".css";b=".chunk.js"', []),
    ],
)  # fmt: skip
def test_the_parts_that_webpack_numbers(script: str, parts: list[str]) -> None:
    found = parts_of(script, f"{SITE}at/s/js/run.c4.js")
    assert sorted(found, key=found.__getitem__) == [f"{SITE}at/s/js/{part}" for part in parts]


async def test_what_is_sent_by_an_earlier_part_of_a_program_and_articles_of_another_page(spider: ArticleSpider) -> None:
    items = [{"id": 40 + n, "title": f"The council takes up plan {n} for the bridge"} for n in range(8)]
    pages = {
        "/": '<script type=importmap>{"imports":{"x1":"/Home.js"}}</script><script src=/run.js></script>'
        '<script>r.u=e=>"js/"+e+"."+{7:"ab"}[e]+".js"</script>',
        "/run.js": 'l=e=>r({url:"/api/list",method:"post",data:e})',
        "/Home.js": 'q={queryParams:{pageNum:1,pageSize:15}};p.push({path:"/detail",query:{id:e.id}})',
        "/api/list?pageNum=1&pageSize=15": json.dumps({"items": items}),
        "/detail?id=40": "<div id=app></div><script src=/one.js></script>",
        "/one.js": "var one=1",
        "/js/7.ab.js": 'fetch("/api/news?id="+e)',
        "/api/news?id=40": json.dumps({**items[0], "body": "The council has taken it up at last. " * 20}),
    }
    look, order = await looked(spider, pages)
    assert order == list(pages)
    assert look.found.article_data == "/api/news?id={id}"


@pytest.mark.parametrize("shown", [0, 4])
@pytest.mark.parametrize("is_file", [True, False])
async def test_each_section_has_a_program_of_its_own(spider: ArticleSpider, shown: int, is_file: bool) -> None:
    names = ["town", "trade", "sport", "culture", "travel"]
    nav = "<nav>" + "".join(f"<a href=/{name}/>{name.title()}</a>" for name in names) + "</nav>"
    pages, want = {"/": nav + "<h1>Welcome</h1>"}, set[str]()
    for at, name in enumerate(names):
        rows = [
            (f"/{name}/{n}.html", f"Story number {n} of the {name} desk and its day")
            for n in range(50 * at, 50 * at + 12)
        ]
        want |= {SITE[:-1] + url for url, _ in rows}
        program = f"var p = {1 + (shown > 0)}; function more() {{ $.get('/list/{name}?page=' + p, add, 'json'); p++ }}"
        script = f"<script src=/js/{name}.js></script>" if is_file else f"<script>{program}</script>"
        listed = "".join(f"<h2><a href={url}>{title}</a></h2>" for url, title in rows[:shown])
        pages[f"/{name}/"] = f"{nav}<main>{listed}<ul id=list></ul></main>{script}"
        pages[f"/js/{name}.js"] = f"var _ = 0; {program}"
        for number in (1, 2, 3):
            some = [{"url": url, "title": title} for url, title in rows[4 * number - 4 : 4 * number]]
            pages[f"/list/{name}?page={number}"] = json.dumps({"list": some})
    look, order = await looked(spider, pages)
    asked = {path for path in order if path.startswith("/list/")}
    # What is inline leads on by itself where the page has the list's beginning, once the crawl comes to it.
    assert len({path.partition("?")[0] for path in asked}) == (len(names) if is_file or not shown else 1)
    assert len(asked) <= len(names)
    assert look.known <= want


@pytest.mark.parametrize(("shown", "from_zero"), [(8, True), (3, True), (3, False)])
async def test_the_first_page_of_a_list_that_a_script_counts_up_behind(
    spider: ArticleSpider, shown: int, from_zero: bool
) -> None:
    """Beside boxes of headlines the script asks for the first page at once, else for the second, which may be 1."""
    begin = 1 if from_zero and shown == 8 else 0 if from_zero else 1
    script = f"var p = {begin}; function more() {{ $.get('/list?page=' + p, function (d) {{ add(d); p++ }}) }} more()"
    pages = {"/": "".join(ROWS[8 - shown : 8] if shown == 8 else ROWS[9:36:9]) + f"<script>{script}</script>"}
    for number in range(4):
        rows = ROWS[8 * number : 8 * number + 8]
        pages[f"/list?page={number if from_zero else number + 1}"] = "".join(rows)
    look, order = await looked(spider, pages)
    first = f"/list?page={begin}"
    assert order[:2] == ["/", first]
    assert [one.url for one in (*look.found.more, *look.found.api)] == [SITE[:-1] + first]
    assert (look.found.more == []) == (shown != 8)  # its first page is where news come


@pytest.mark.parametrize(("filled", "asks"), [(True, "getJSON"), (True, "post"), (False, "getJSON")])
async def test_sections_of_one_shape_are_asked_for_where_the_script_of_one_leads_to_a_list(
    spider: ArticleSpider, filled: bool, asks: str
) -> None:
    nav = "<nav>" + "".join(f"<a href=/list.html?id={n}>Section {n}</a>" for n in range(11, 17)) + "</nav>"
    script = "var p = 1, id = getQueryString('id'); $.ASKS('/api/list', {cid: id, page: p}, add)"
    script = script.replace("ASKS", asks)
    pages = {"/": nav + "<h1>Welcome</h1>", "/js/list.js": f"var _ = 0; {script}"}
    for n in range(11, 17):
        pages[f"/list.html?id={n}"] = f"{nav}<ul id=list></ul><script src=/js/list.js></script>"
        rows = [{"url": f"/a/{100 * n + k}.html", "title": f"Story {k} of the desk of section {n}"} for k in range(8)]
        pages[f"/api/list?cid={n}&page=1"] = json.dumps({"list": rows if filled else []})
    look, order = await looked(spider, pages)
    assert len(look.known) == (48 if filled else 0)
    assert sum(path.startswith("/list.html") for path in order) == (6 if filled else 2)


async def test_an_address_that_an_attribute_names_goes_on_as_a_script_asks(spider: ArticleSpider) -> None:
    rows = [{"url": f"/a/{n}.html", "title": f"Story number {n} of the town"} for n in range(24)]
    pages = {"/": "<ul id=list data-api=/api/list></ul><script src=/js/app.js></script>"}
    pages |= {"/js/app.js": "var _ = 0, p = 1; fetch(list.dataset.api + '?page=' + p).then(add)"}
    pages |= {f"/api/list{asked}": json.dumps({"list": rows[:8]}) for asked in ("", "?page=1")}
    look, _ = await looked(spider, pages)
    assert [(one.url, one.goes_on) for one in look.found.api] == [
        (f"{SITE}api/list", False), (f"{SITE}api/list?page=1", True)
    ]  # fmt: skip


async def test_what_a_script_of_another_section_has_asked_for_is_not_asked_for_again(spider: ArticleSpider) -> None:
    nav = "<nav><a href=/town/>Town</a><a href=/trade/>Trade</a></nav>"
    pages = {"/": nav}
    for name in ("town", "trade"):
        pages[f"/{name}/"] = f"{nav}<p>News</p><ul id=list></ul><script src=/js/{name}.js></script>"
        pages[f"/js/{name}.js"] = f"var _ = 0, p = 1; fetch('/list/{name}?page=' + p).then(add)"
        rows = [{"url": f"/{name}/{n}.html", "title": f"Story number {n} of the {name} desk"} for n in range(8)]
        pages[f"/list/{name}?page=1"] = json.dumps({"list": rows})
    look, order = await looked(spider, pages)
    assert sorted(order) == sorted(pages)
    assert look.found.ajax == []


async def test_what_is_asked_for_in_vain_may_be_posted_for(spider: ArticleSpider) -> None:
    """A script may ask at one address in both ways; which it does is not told."""
    rows = [{"url": f"/a/{n}.html", "title": f"Story number {n} of the town"} for n in range(8)]
    script = "f(d => s ? axios.get('/list', {params: {page: 1}}) : axios.post('/list', {page: 1}))"
    pages = {"/": f"<ul id=list></ul><script>{script}</script>", "/list?page=1": json.dumps({"list": rows})}
    look, _ = await looked(spider, pages, posted=["/list?page=1"])
    assert look.known == {f"{SITE}a/{n}.html" for n in range(8)}
    assert look.found.json_forms == [f"{SITE}list"]


async def test_a_section_is_posted_for_by_the_program_of_another(spider: ArticleSpider) -> None:
    """What it is asked by stands on its own page; no script of an empty list's page is called as programs are."""
    nav = "<nav>" + "".join(f"<a href=/{name}/ data-cat={name}%s>{name}</a>" for name in ("town", "trade")) + "</nav>"
    pages = {"/": nav % ("", "")}
    program = "var c = $('nav .on').data('cat'), p = 1; $.post('/more', {cat: c, page: p}, add)"
    for name in ("town", "trade"):
        on = [" class=on" if one == name else "" for one in ("town", "trade")]
        pages[f"/{name}/"] = nav % tuple(on) + "<p>News</p><ul id=list></ul><script src=/list.js></script>"
        rows = [{"url": f"/{name}/{n}.html", "title": f"Story number {n} of the {name} desk"} for n in range(8)]
        pages[f"/more?cat={name}&page=1"] = json.dumps({"list": rows})
    pages["/list.js"] = f"var _ = 0; {program}"
    look, order = await looked(spider, pages)
    assert look.known == {f"{SITE}{name}/{n}.html" for name in ("town", "trade") for n in range(8)}
    assert look.found.forms == [f"{SITE}more"]
    assert order.count("/list.js") == 1


async def test_a_home_page_that_goes_on_by_script_is_turned_before_its_sections(spider: ArticleSpider) -> None:
    script = "<div x-data=\"{ next: '/more?page=2', more() { fetch(this.next) } }\"></div>"
    more = "<button data-next='/more?page={}'>Load more</button>"
    pages = {"/": NAV + "".join(ROWS[:8]) + script, "/more?page=4": ""}
    pages |= {f"/more?page={n}": "".join(ROWS[8 * n - 8 : 8 * n]) + more.format(n + 1) for n in (2, 3)}
    pages |= {"/sport/": "".join(ROWS[:24:2][:8]), "/culture/": "".join(ROWS[1:24:2][:8])}
    look, order = await looked(spider, pages, "<h1>We value your privacy</h1>")
    # Who comes for the first time is shown a notice, which sets a cookie.
    assert order == ["/", "/", "/more?page=2", "/more?page=3", "/more?page=4", "/sport/", "/culture/"]
    assert look.turned == set()  # its last page is known, and not asked for again
    assert look.first.goes_on
    assert [one.url for one in (*look.found.list_pages, *look.found.archives)] == [SITE]
    assert [one.url for one in look.found.more] == [f"{SITE}more?page=2"]


async def test_a_script_tells_what_is_asked_for_the_cursor_in_a_page_s_data(spider: ArticleSpider) -> None:
    rows = [{"title": f"Story number {n} of the town", "url": f"/2026/11/20/story-{n}.html"} for n in range(24)]
    state = json.dumps({"list": rows[:12], "nextCursor": "x12y"})
    pages = {
        "/": f"<script>window.__STATE__={state};</script><script src=/app.js></script>",
        "/app.js": "var get = function(c) {return axios.get('/api/feed', {params: {cursor: c, size: 12}})}",
        "/api/feed?cursor=x12y&size=12": json.dumps({"list": rows[12:], "nextCursor": ""}),
    }
    pages["/?cursor=x12y"] = pages["/"]
    look, order = await looked(spider, pages)
    assert order == ["/", "/?cursor=x12y", "/app.js", "/api/feed?cursor=x12y&size=12"]
    assert [len(entry.articles) for entry in look.found.more] == [12]


async def test_tabs_beside_a_list_that_goes_on_by_script_have_lists_of_their_own(spider: ArticleSpider) -> None:
    script = (
        "var cid=12,p=1;function get(){$.get('/part/'+cid+'/'+p,show)}"
        "$('.tabs b').click(function(){cid=$(this).data('cid');p=1;get()});$(window).scroll(function(){p++;get()})"
    )
    tabs = "<div class=tabs><b data-cid=12>Town</b><b data-cid=15>Trade</b></div>"
    pages = {
        "/": f"{tabs}{''.join(ROWS[:5])}<script>{script}</script>",
        "/part/12/2": "".join(ROWS[5:10]),
        "/part/15/1": "".join(ROWS[10:15]),
    }
    look, order = await looked(spider, pages)
    assert order == list(pages)
    assert [(one.url, len(one.articles)) for one in (*look.found.more, *look.found.api)] == [
        (f"{SITE}part/12/2", 5), (f"{SITE}part/15/1", 5)
    ]  # fmt: skip


async def test_sections_lead_on_where_the_home_page_ends_before_them(spider: ArticleSpider) -> None:
    """A home page of what editors chose ends after some pages; what its sections show first is all on it."""
    pages = {f"/?page={n}" if n > 1 else "/": NAV + "".join(ROWS[8 * n - 8 : 8 * n]) for n in (1, 2)}
    pages["/"] += "<a href='/?page=2'>Older</a>"
    pages |= {"/sport/": "".join(ROWS[:16:2]) + "<a href='?page=2'>Older</a>", "/sport/?page=2": "".join(ROWS[16::2])}
    pages |= {"/culture/": "".join(ROWS[1:16:2]) + "<a href='?page=2'>Older</a>"}
    look, _ = await looked(spider, pages)
    assert {f"{SITE}sport/", f"{SITE}culture/"} <= {one.url for one in look.found.archives}


async def test_a_program_asks_for_the_first_page_where_it_is_given_none(spider: ArticleSpider) -> None:
    """Each article says where its data are, which is no page, and has tags with names as it has one."""
    tags = [{"name": name, "slug": name, "path": f"api/tags/{name}.json"} for name in ("港口城市新闻", "大桥建设新闻")]
    posts = [
        {
            "title": f"The council takes up plan {n} for the bridge",
            "slug": f"p{n}-ab",
            "path": f"api/articles/p{n}-ab.json",
        }
        | {"date": f"2026-11-{20 - n}T08:00:00Z", "tags": tags}
        for n in range(16)
    ]
    pages = {
        "/": "<div id=app></div><script type=module src=/static/120aa8f8.js></script>",
        "/static/120aa8f8.js": (
            "async function Np(e){return ft.get(`/posts/${e}.json`)}"
            "async function Ap(e){return ft.get(`/articles/${e}.json`)}"
            'var ft=axios.create({baseURL:"/api"}),r=[{name:"tags",path:"/tags"},{name:"post",path:"/post/:slug"}],'
            "s={async list(e){e||(e=1);const{data:t}=await Np(e);return t},async one(e){return await Ap(e)}};"
        ),
        "/api/posts/1.json": json.dumps({"total": 16, "pageSize": 8, "pageCount": 2, "data": posts[:8]}),
        "/api/posts/2.json": json.dumps({"total": 16, "pageSize": 8, "pageCount": 2, "data": posts[8:]}),
        "/post/p0-ab": "<div id=app></div><script type=module src=/static/120aa8f8.js></script>",
        "/api/articles/p0-ab.json": json.dumps({**posts[0], "content": "<p>The council has taken it up. </p>" * 20}),
    }
    look, _ = await looked(spider, pages)
    assert [(one.url, one.goes_on) for one in look.found.api] == [(f"{SITE}api/posts/1.json", True)]
    assert look.found.api[0].articles == {f"{SITE}post/p{n}-ab" for n in range(8)}
    assert look.found.article_data == "/api/articles/{slug}.json"


async def test_what_a_program_holds_by_addresses_without_their_ending_is_not_asked_for_beside_a_list(
    spider: ArticleSpider,
) -> None:
    held = [{"path": f"/2026/11/20/story-{n}", "title": f"Story number {n} of the harbour town"} for n in range(20)]
    menu = "<nav><a href='/sport/'>Sport</a></nav>"
    pages = {
        "/": f"{menu}<div id=app></div><script type=module src=/main.js></script>",
        "/main.js": f"var posts = {json.dumps(held)};",
        "/sport/": "".join(ROWS[:20]),
    }
    look, order = await looked(spider, pages)
    assert order == list(pages)
    assert [one.url for one in look.found.groups["list_pages"]] == [f"{SITE}sport/"]
    assert [one.response.url for one in look.seen] == [f"{SITE}sport/"]
    look, _ = await looked(spider, pages | {"/sport/": "".join(ROWS[:10])})
    assert f"{SITE}main.js" in [one.url for one in look.found.groups["list_pages"]]


STORY = (
    "<h1>{}</h1><p>29 November 2026</p>"
    + "<p>The council of the harbour town has agreed on a new bridge today. </p>" * 12
)


async def test_chapters_of_a_book_are_read_and_no_lists_of_what_comes_next(spider: ArticleSpider) -> None:
    names = [
        "Boats of all kinds",
        "Tides",
        "Winds",
        *(f"What the harbour was built for in year {n} of the town" for n in range(9)),
    ]
    paths = [f"/part1/{name.lower().replace(' ', '-')}.html" for name in names]
    menu = "<nav>" + "".join(f"<a href='{path}'>{name}</a>" for path, name in zip(paths, names, strict=True)) + "</nav>"
    after = "<a rel=next class=nav-next href='{}'> › </a>"
    next_one = dict(pairwise(paths))
    pages = {p: menu + STORY.format(n) + after.format(next_one.get(p, "/")) for p, n in zip(paths, names, strict=True)}
    pages["/"] = menu + "<h1>The harbour</h1><p>This is a book.</p>" + after.format(paths[0])
    look, _ = await looked(spider, pages)
    assert [one.url for one in look.lists] == [SITE]
    assert not look.found.reaches_back  # so that each chapter is asked for the next


async def test_an_article_beside_which_others_stand_is_no_list(spider: ArticleSpider) -> None:
    newest = "<aside><nav><a href='/p/2b5c/'>Storm over the harbour</a></nav></aside>"
    story = "<h2><a href='/p/2b5c/'>Storm over the harbour</a></h2>"
    pages = {"/": f"{newest}<main>{story}{''.join(ROWS[:9])}</main>"}
    pages["/p/2b5c/"] = STORY.format("Storm over the harbour") + "<h3>Read on</h3>" + "".join(ROWS[9:20])
    look, order = await looked(spider, pages)
    assert order == list(pages)
    assert [one.url for one in look.lists] == [SITE]


async def test_the_home_page_is_turned_where_the_archive_goes_on_as_it_does(spider: ArticleSpider) -> None:
    """Sections repeat it; an archive of twice as many a page is not all there is."""
    pages = {f"/?page={n}" if n > 1 else "/": "".join(ROWS[4 * n - 4 : 4 * n]) for n in range(1, 8)}
    pages = {url: f"{rows}<a href='/?page={n}'>Older</a>" for n, (url, rows) in enumerate(pages.items(), 2)}
    pages["/"] = NAV + "<nav><a href='/archives/'>Archive</a></nav>" + pages["/"]
    pages["/archives/"] = "".join(ROWS[:8]) + "<a href='?page=2'>Older</a>"
    pages |= {"/sport/": "".join(ROWS[:24:2]), "/culture/": "".join(ROWS[1:24:2])}
    look, _ = await looked(spider, pages)
    assert [one.url for one in (*look.found.list_pages, *look.found.archives)] == [SITE]


async def test_a_day_leads_to_the_one_before_though_lists_show_all_of_the_newest(spider: ArticleSpider) -> None:
    days = {day: ROWS[4 * (24 - day) : 4 * (24 - day) + 4] for day in range(16, 25)}
    pages = {
        f"/edition/2026/11/{day}/": f"<a href='/edition/2026/11/{day - 1}/'>the day before</a>" + "".join(rows)
        for day, rows in days.items()
    }
    pages["/"] = "<a href='/edition/2026/11/24/'>Today's edition</a>" + "".join(ROWS[:14])
    look, order = await looked(spider, pages)
    assert look.found.archives, order


async def test_a_sitemap_that_the_home_page_names_and_feeds_behind_a_page_about_them(spider: ArticleSpider) -> None:
    item = f"<item><title>Story number 3 of the town</title><link>{SITE}2026/11/20/story-3.html</link></item>"
    urls = "".join(f"<url><loc>{SITE}2026/11/20/story-{n}.html</loc></url>" for n in range(30))
    pages = {
        "/": NAV + "".join(ROWS[:8]) + "<link rel=sitemap href=/map-index.xml><a href='/service/rss.html'>RSS</a>",
        "/map-index.xml": f"<urlset>{urls}</urlset>",
        "/service/rss.html": "".join(f"<a href='/export/{one}.rss'>{one}</a>" for one in ("town", "sport", "stage")),
        "/export/town.rss": f"<rss><channel>{item}</channel></rss>",
        "/export/sport.rss": f"<rss><channel>{item}</channel></rss>",
    }
    look, _ = await looked(spider, pages)
    assert [one.url for one in look.stated.maps] == [f"{SITE}map-index.xml"]
    assert [one.url for one in look.stated.feeds] == [f"{SITE}export/town.rss", f"{SITE}export/sport.rss"]
    assert "no_feed" not in look.found.problems


async def test_a_wikis_feed_of_changes_names_its_articles_alone(spider: ArticleSpider) -> None:
    named = ["The_bridge_reopens", "File:Bridge.jpg", "Talk:The_bridge_reopens", "User:Ann", "Snow_in_the_north"]
    items = "".join(f"<entry><title>{one}</title><link href='/index.php?title={one}'/></entry>" for one in named)
    pages = {
        "/": "<link rel=alternate type=application/atom+xml href=/feed>" + "".join(ROWS[:4]),
        "/feed": f"<feed>{items}</feed>",
    }
    look, _ = await looked(spider, pages)
    assert [one.articles for one in look.stated.feeds] == [
        {f"{SITE}index.php?title={named[0]}", f"{SITE}index.php?title={named[-1]}"}
    ]


async def test_an_index_that_nothing_names_leads_to_all_its_parts_from_where_it_answers(spider: ArticleSpider) -> None:
    news = "<n:news><n:publication_date>2026-11-20</n:publication_date></n:news>"
    urls = [f"<url><loc>{SITE}2026/11/20/story-{n}.html</loc>%s</url>" for n in range(30)]
    parts = "".join(f"<sitemap><loc>{SITE}{one}.xml</loc></sitemap>" for one in ("news", "2026-11"))
    pages = {
        "/": "".join(ROWS[:4]), "/sitemap.xml": f"<sitemapindex>{parts}</sitemapindex>",
        "/news.xml": f"<urlset xmlns:n='news'>{''.join(urls[:3]) % (3 * (news,))}</urlset>",
        "/2026-11.xml": f"<urlset>{''.join(urls) % (30 * ('',))}</urlset>",
    }  # fmt: skip
    look, _ = await looked(spider, pages, led={"/sitemap.xml": "/maps/index.xml"})
    assert [(one.url, len(one.articles)) for one in look.stated.maps] == [(f"{SITE}maps/index.xml", 30)]
    assert [(one.url, len(one.articles)) for one in look.stated.news] == [(f"{SITE}news.xml", 3)]


async def test_months_beside_a_list_come_behind_its_pages_which_go_on_from_the_last_of_a_look(
    spider: ArticleSpider, monkeypatch: pytest.MonkeyPatch
) -> None:
    queued: list[Request] = []

    async def queue(*requests: Request) -> None:
        queued.extend(requests)

    monkeypatch.setattr(spider.desk, "queue", queue)
    spider.follow(type(spider.book).from_argument(None, SITE))
    months = [f"{SITE}2026/{month}/" for month in ("11", "10", "09")]
    beside = "<link rel=alternate type=application/rss+xml href=/feed>" + "".join(
        f"<a href={one}>m</a>" for one in months
    )
    items = "".join(f"<item><title>{n}</title><link>{SITE}2026/11/20/story-{n}.html</link></item>" for n in range(9))
    pages = {f"/page/{n}/": "".join(ROWS[4 * n : 4 * n + 4]) + f"<a href=/page/{n + 1}/>Older</a>" for n in range(1, 9)}
    pages["/"] = beside + "".join(ROWS[:4]) + "<a href=/page/2/>Older</a>"
    pages["/feed"] = f"<rss><channel>{items}</channel></rss>"
    look, _ = await looked(spider, pages)
    (job,) = spider.book
    await spider.looks._settle(job, look)
    lists = [one for one in queued if one.meta[META_KEY].get("kind") == "list"]
    assert [one.url for one in lists] == [f"{SITE}page/8/"]
    assert list(lists[0].meta[META_KEY]["ahead"]) == months


async def test_a_headline_of_few_words_is_looked_at_as_no_section(spider: ArticleSpider) -> None:
    short = "<h2><a href='/sport/12.late-goal/'>A late goal</a></h2>"
    pages = {"/": NAV + "".join(ROWS[:8]), "/sport/": short + "".join(ROWS[8:16]) + "<a href='?page=2'>Older</a>"}
    pages |= {"/culture/": "".join(ROWS[16:24]), "/sport/12.late-goal/": "<h1>A late goal</h1>"}
    look, order = await looked(spider, pages)
    assert f"{SITE}sport/12.late-goal/" in look.known
    assert order == ["/", "/sport/", "/culture/"]


async def test_the_parts_of_a_sitemap_are_due_with_their_index(spider: ArticleSpider) -> None:
    """A run for cron does what was due when it began, and parts are found while it works."""
    begun = spider.desk.begun_at
    parts = "".join(f"<sitemap><loc>{SITE}day-{n}.xml</loc></sitemap>" for n in range(40))
    visit = Visit(job="a.test", kind="sitemap", key=page_key(f"{SITE}index.xml"))
    request = Request(f"{SITE}index.xml", meta={META_KEY: visit.meta()})
    body = f"<sitemapindex>{parts}</sitemapindex>".encode()
    page = await spider.desk.answer(Response(request.url, body=body, request=request))
    assert page is not None
    spider.desk.now = lambda: begun + 60  # type: ignore[method-assign]
    await spider.entry_pages.read(page, "sitemap")
    due = [record.url for record in await spider.runtime.pages.peek_due(begun, 100)]
    assert sorted(due) == sorted(f"{SITE}day-{n}.xml" for n in range(FIRST_PAGES))
    # One of its parts may be of authors: nobody is asked to mend that while others have articles.
    request = Request(
        f"{SITE}day-0.xml",
        meta={META_KEY: Visit(job="a.test", kind="sitemap", key=page_key(f"{SITE}day-0.xml")).meta()},
    )
    page = await spider.desk.answer(
        Response(
            request.url, body=f"<urlset><url><loc>{SITE}author/ann/</loc></url></urlset>".encode(), request=request
        )
    )
    assert page is not None
    await spider.entry_pages.read(page, "sitemap")
    assert spider.runtime.diagnosis.tally.take()["a.test"].entries == {"index": 1, "sitemap_of_others": 1}


async def test_workers_look_at_different_sites_and_at_each_once(
    spider: ArticleSpider, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, now, looks = [f"s{n}" for n in range(12)], spider.runtime.now(), spider.runtime.looks
    spider.follow(JobBook([Job.model_validate({"name": name, "site": f"http://{name}.test/"}) for name in names]))
    asked: list[str] = []

    async def look(job: Job) -> None:
        asked.append(job.name)

    monkeypatch.setattr(spider.looks, "_look", look)
    for name in names[:10]:
        assert await looks.begin(name, "other")
    assert await spider.looks.tend(now) == 12  # ten of them elsewhere: the crawl has not ended
    await looks.put("s0", Found("http://s0.test/", now, {"feeds": ["http://s0.test/feed"]}))
    await looks.note_failure("s1", "nothing there", now + 1)
    await looks.end("s0", "s1", "s2")
    assert await spider.looks.tend(now + 10) == 12 - 2
    await asyncio.sleep(0)
    assert asked == ["s10", "s11", "s2"]  # of the last one nothing is known: its worker has died
    assert spider.book.get("s0").feeds == ("http://s0.test/feed",)  # type: ignore[union-attr]
    assert spider.book.get("s1").list_pages == ("http://s1.test/",)  # type: ignore[union-attr]
    await spider.looks.tend(now + 3700)
    await asyncio.sleep(0)
    assert asked[3:] == ["s1"]
    assert (await looks.failures())["s1"] == "nothing there"


def test_counters_stand_among_a_page_s_own_scripts_and_a_folder_of_static_files_is_no_counter() -> None:
    names = (
        "/static/js/app.js",
        "/js/account.js",
        "/js/news_1.js",
        "/stat.js",
        "/hits/count.js?id=3",
        "/static/jquery.js",
    )
    markup = "".join(f'<td><script src="{name}"></script></td>' for name in names)
    page = Page.parse(f"<html><body><table><tr>{markup}</tr></table></body></html>".encode(), SITE, "text/html")
    assert placed(page) == tuple(f"{SITE[:-1]}{name}" for name in names[:3])


async def test_a_page_of_one_year_alone_leads_to_what_is_older(spider: ArticleSpider) -> None:
    """The press office of a site that was begun this year."""
    folder = "/Actualites/Communiques-de-presse"
    rows = [row.replace("/2026/11/20/", f"{folder}/2026/Novembre-2026/") for row in ROWS]
    pages = {
        "/": "<nav><a href='/Actualites'>News</a></nav>"
        + "".join(rows[:4])
        + f"<p><a href='{folder}'>Tous les communiqués</a></p>",
        "/Actualites": f"<ul><li><a href='{folder}'>Press releases</a></li></ul>",
        folder: f"<h1>Press releases</h1><ul><li><a href='{folder}/2026'>2026</a></li></ul>",
        f"{folder}/2026": f"<ul><li><a href='{folder}/2026/Novembre-2026'>Novembre 2026</a></li></ul>",
        f"{folder}/2026/Novembre-2026": "".join(rows[:12]),
    }
    look, order = await looked(spider, pages)
    assert look.found.reaches_back, order


@pytest.mark.parametrize(("inside", "is_there"), [("".join(ROWS[:8]), True), ("<p>Nothing yet.</p>", False)])
async def test_a_page_before_the_site_leads_to_its_home_page(
    spider: ArticleSpider, inside: str, is_there: bool
) -> None:
    pages = {
        "/": "<img src=/cover.jpg><p><a href='/home'>Enter</a></p>",
        "/home": f"<nav><a href='/town/'>Town</a></nav>{inside}",
        "/town/": "".join(ROWS[8:16]),
    }
    look, order = await looked(spider, pages)
    assert bool(look.known) is is_there, order
    assert (f"{SITE}home" in [one.url for one in look.lists]) is is_there


async def test_feeds_are_not_guessed_where_days_of_an_archive_have_the_articles(spider: ArticleSpider) -> None:
    """The front of an e-paper may show nothing but where its pages and its earlier issues are."""
    pages = {
        "/": "<a href='/archive/2026/11/20/'>20 November</a> <a href='/archive/2026/11/19/'>19 November</a>",
        "/archive/2026/11/20/": "".join(ROWS[:6]),
        "/archive/2026/11/19/": "".join(row.replace("/20/", "/19/") for row in ROWS[6:12]),
        "/feed": "<rss><channel></channel></rss>",
    }
    look, order = await looked(spider, pages)
    assert look.found.archives, order
    assert "/feed" not in order


async def test_a_magazine_has_issues_beside_news_that_go_on(spider: ArticleSpider) -> None:
    """What its home page shows of the newest issue no list that goes on has."""
    news = [row.replace("/2026/11/20/", "/web/") for row in ROWS]
    months = [[row.replace("/2026/11/20/", f"/magazine/2026/{month}/") for row in ROWS[:6]] for month in (11, 10)]
    covers = "".join(f"<a href='/magazine/2026/{month}/'><img alt=Cover></a>" for month in (11, 10))
    pages = {
        "/": "<nav><a href='/magazine/'>Issues</a> <a href='/web/'>Online</a></nav>"
        + "".join(months[0][:3] + news[:3]),
        "/magazine/": covers,
        "/magazine/2026/11/": "".join(months[0]),
        "/magazine/2026/10/": "".join(month.replace(">The", ">A") for month in months[1]),
        "/web/": "".join(news[:6]) + "<a rel=next href='/web/?from=6'>More</a>",
    }
    look, order = await looked(spider, pages)
    assert [one.url for one in look.found.archives] == [f"{SITE}magazine/"], order


async def test_what_ends_elsewhere_while_looks_begin_is_heard_once_and_looked_for_no_more(
    spider: ArticleSpider, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, now, looks = ("s0", "s1"), spider.runtime.now(), spider.runtime.looks
    spider.follow(JobBook([Job.model_validate({"name": name, "site": f"http://{name}.test/"}) for name in names]))
    asked: list[str] = []
    begin = looks.begin

    async def begin_late(job: str, worker: str) -> bool:
        for name in names if job == "s0" else ():
            await looks.put(name, Found(f"http://{name}.test/", now, KEYS))
        return await begin(job, worker)

    async def look(job: Job) -> None:
        asked.append(job.name)

    monkeypatch.setattr(spider.looks, "_look", look)
    monkeypatch.setattr(looks, "begin", begin_late)
    await spider.looks.know()
    await spider.looks.tend(now)
    await asyncio.sleep(0)
    assert asked == []
    assert await looks.free(names) == set(names)


@pytest.mark.parametrize("stored", [True, False])
async def test_what_another_look_has_left_to_visit_is_due_in_this_run_whoever_hears_of_it(
    spider: ArticleSpider, stored: bool
) -> None:
    """A run that ends visits what was due when it began: a due time that is moved past that is passed over by all."""
    spider.follow(type(spider.book).from_argument(None, SITE))
    await spider.looks.know()
    begun, pages = spider.desk.begun_at, spider.runtime.pages
    if stored:  # else this worker has taken it for a page that no job names
        await pages.add_seeds([Seed(page_key(SITE), SITE, "a.test", Kind.LIST, "list")], begun)
    await spider.runtime.looks.note_failure("a.test", "nothing there", begun + 1)
    await spider.looks.tend(begun + 10)
    assert [record.url for record in await pages.peek_due(begun, 10)] == [SITE]


async def test_a_page_that_lists_the_sections_names_those_that_no_menu_has(spider: ArticleSpider) -> None:
    plan = "<h2>网站地图</h2><dl><dd><a href='/sport/'>Sport</a></dd><dd><a href='/culture/'>Culture</a></dd></dl>"
    pages = {"/": "".join(ROWS[:6]) + "<p><a href='/map/'>网站地图</a></p>", "/map/": plan}
    pages |= {"/sport/": "".join(ROWS[6:14]), "/culture/": "".join(ROWS[14:20])}
    look, _ = await looked(spider, pages)
    assert {one.url for one in look.lists} == {SITE, f"{SITE}sport/", f"{SITE}culture/"}


async def test_behind_a_page_that_asks_for_a_language_the_sections_of_each_are_read(spider: ArticleSpider) -> None:
    nav = "<nav><a href='/portal/home.html'>Home</a><a href='/town/'>Town</a><a href='/coast/'>Coast</a></nav>"
    pages = {"/": "<h1>Welcome</h1><a href='/portal/home.html'>English</a> <a href='/xx/'>Deutsch</a>", "/xx/": "soon"}
    pages |= {"/portal/home.html": nav + "".join(ROWS[:4]), "/town/": nav + "".join(ROWS[4:12])}
    pages |= {"/coast/": nav + "".join(ROWS[12:20])}
    look, _ = await looked(spider, pages)
    assert {one.url for one in look.lists} == {f"{SITE}{one}" for one in ("portal/home.html", "town/", "coast/")}


async def test_each_of_many_sections_with_months_of_its_own_leads_to_them(spider: ArticleSpider) -> None:
    names = [f"part{n}" for n in range(5)]
    pages = {"/": "<nav>" + "".join(f"<a href='/{one}/'>{one}</a>" for one in names) + "</nav>" + "".join(ROWS[:5])}
    for n, name in enumerate(names):
        months = "".join(f"<a href='/{name}/?m=2026-{month:02d}'>{month}</a>" for month in (11, 10, 9))
        pages[f"/{name}/"] = months + "".join(ROWS[n : n + 1] + ROWS[5 + 2 * n :][:2])
        pages |= {f"/{name}/?m=2026-{month:02d}": "".join(ROWS[20 + 3 * n + month - 9 :][:1]) for month in (11, 10, 9)}
    look, _ = await looked(spider, pages)
    assert {one.url for one in look.found.archives} == {f"{SITE}{name}/" for name in names}


async def test_a_calendar_of_events_does_not_hide_the_issues_of_a_section(spider: ArticleSpider) -> None:
    nav = "<nav><a href='/review/'>Review</a><a href='/events/'>Events</a></nav>"
    days = "".join(f"<a href='/events/?day=2026-12-{day:02d}'>{day}</a>" for day in range(1, 29))
    issues = "".join(f"<li><a href='/review/?issue={n}'>Vol. 3, No. {n}</a></li>" for n in (1, 2, 3, 4))
    pages = {"/": nav + "".join(ROWS[:4]), "/events/": nav + days, "/review/": f"{nav}<ul>{issues}</ul>"}
    pages |= {f"/events/?day=2026-12-{day:02d}": nav for day in range(1, 29)}
    pages |= {f"/review/?issue={n}": nav + "".join(ROWS[20 - 4 * n :][:4]) for n in (1, 2, 3, 4)}
    look, order = await looked(spider, pages)
    assert f"{SITE}review/" in {one.url for one in look.found.archives}, order
    assert not [path for path in order if "day=" in path]


async def test_a_section_whose_number_follows_anothers_is_not_where_that_goes_on(spider: ArticleSpider) -> None:
    nav = "<nav><ul><li><a href='/list/3.html'>Town</a><li><a href='/list/4.html'>Coast</a></ul></nav>"
    pages = {"/": nav + "".join(ROWS[:4]), "/list/3.html": nav + "".join(ROWS[4:8])}
    pages |= {"/list/4.html": nav + "".join(ROWS[8:12])}
    look, _ = await looked(spider, pages)
    assert {one.url: one.goes_on for one in look.lists if "/list/" in one.url} == {
        f"{SITE}list/3.html": False, f"{SITE}list/4.html": False,
    }  # fmt: skip


async def test_months_beside_every_page_make_no_list_of_people_one_of_issues(spider: ArticleSpider) -> None:
    months = "<div>" + "".join(f"<a href='/archive/2026-{month:02d}'>{month}</a>" for month in (11, 10, 9)) + "</div>"
    nav = "<nav><a href='/town/'>Town</a><a href='/people/'>People</a></nav>"
    people = "".join(f"<li><a href='/people/{n}.html'>Maria Antonia Example {n}</a></li>" for n in range(10))
    pages = {"/": nav + "".join(ROWS[:5]) + months, "/town/": nav + "".join(ROWS[:12]) + months}
    pages |= {"/people/": f"{nav}<ul>{people}</ul>{months}"}
    pages |= {f"/people/{n}.html": f"{nav}<h1>Maria</h1><p>Tel. 0123 {n}</p>{months}" for n in range(10)}
    look, order = await looked(spider, pages)
    assert f"{SITE}people/" not in {one.url for one in look.lists}, order
    assert len([path for path in order if path.startswith("/people/")]) == 4


async def test_sections_of_sections_whose_addresses_are_alike_are_read(spider: ArticleSpider) -> None:
    """The pages of Japanese towns lie below categories of categories."""
    tops = "".join(f"<li><a href='/category/{n}-0-0.html'>Part {n} of life</a></li>" for n in (1, 2, 3))
    pages = {"/": f"<nav>{tops}</nav>" + "".join(ROWS[:6])}
    for n in (1, 2, 3):
        below = "".join(f"<li><a href='/category/{n}-{k}-0.html'>Kind {k}</a></li>" for k in (1, 2))
        pages[f"/category/{n}-0-0.html"] = f"<nav>{tops}</nav><h1>Part {n}</h1><ul>{below}</ul>"
        pages |= {f"/category/{n}-{k}-0.html": "".join(ROWS[6 * n + 3 * k :][:3]) for k in (1, 2)}
    _, order = await looked(spider, pages)
    assert {path for path in pages if path.startswith("/category/")} <= set(order)


async def test_days_lead_back_where_the_newest_are_known_and_the_oldest_is_empty(spider: ArticleSpider) -> None:
    days = {day: "".join(ROWS[2 * (24 - day) :][:2]) if day > 17 else "" for day in range(16, 25)}
    links = "".join(f"<a href='/archive/2026/11/{day}'>{day}</a> " for day in days)
    pages = {f"/archive/2026/11/{day}": rows or "<p>Nothing was published.</p>" for day, rows in days.items()}
    pages |= {"/archive": "<a href='/archive/2026/11'>November</a>", "/archive/2026/11": links}
    pages["/"] = "<nav><a href='/archive'>Archive</a></nav>" + "".join(ROWS[:6])
    look, order = await looked(spider, pages)
    assert look.found.archives, order


@pytest.mark.parametrize("there", ["http://b.test/", "http://www.a.test/"])
async def test_a_look_goes_on_at_the_host_to_which_the_home_page_leads(spider: ArticleSpider, there: str) -> None:
    look, asked = SiteLook(spider.crawler, SITE, 40, thorough=False), list[str]()

    async def get(url: str, **_: object) -> HtmlResponse | None:
        asked.append(url)
        body = f"<html lang=en><body>{''.join(ROWS[:9])}</body></html>".encode()
        return HtmlResponse(there, body=body, request=Request(url)) if url == SITE else None

    look.fetching.get = get  # type: ignore[method-assign,assignment]
    await look.run()
    assert [(entry.url, len(entry.articles)) for entry in look.found.list_pages] == [(there, 9)]
    assert f"{there}sitemap.xml" in asked
    assert f"{SITE}sitemap.xml" not in asked


async def test_a_home_page_without_links_that_is_led_to_www_is_asked_for_once(spider: ArticleSpider) -> None:
    look, asked = SiteLook(spider.crawler, SITE, 40, thorough=False), list[str]()

    async def get(url: str, **_: object) -> HtmlResponse | None:
        asked.append(url)
        return HtmlResponse("http://www.a.test/", body=b"<html><div id=app></div></html>", request=Request(url))

    look.fetching.get = get  # type: ignore[method-assign,assignment]
    await look.run()
    assert asked.count(SITE) == 1
    assert look.home == "http://www.a.test/"


async def test_a_sitemap_of_the_newest_hides_no_archive(spider: ArticleSpider) -> None:
    urls = "".join(f"<url><loc>{SITE}2026/11/20/story-{n}.html</loc></url>" for n in range(20))
    pages = {
        "/": NAV + "<a href='/archivio/'>Archivio</a>" + "".join(ROWS[:8]),
        "/sitemap.xml": f"<urlset>{urls}</urlset>",
        "/sport/": "".join(ROWS[:8]), "/culture/": "".join(ROWS[8:16]),
        "/archivio/": "<a href='/archivio/2026/'>2026</a>", "/archivio/2026/": "<a href='/archivio/2026/11/'>11</a>",
        "/archivio/2026/11/": "".join(f"<a href='/archivio/2026/11/{day}/'>{day}</a>" for day in range(10, 25)),
        "/archivio/2026/11/10/": "".join(ROWS[30:]),
    }  # fmt: skip
    look, order = await looked(spider, pages)
    assert [one.url for one in look.found.archives] == [f"{SITE}archivio/"], order


async def test_archives_of_a_host_whose_lists_end_are_found_beside_one_whose_lists_go_on(spider: ArticleSpider) -> None:
    stories = [f"<h2><a href='http://stories.a.test/story-{n}'>A long story number {n}</a></h2>" for n in range(9)]
    pages = {
        "/": "<nav><a href='/sport/'>Sport</a><a href='http://stories.a.test/'>Stories</a></nav>" + "".join(ROWS[:8]),
        "/sport/": "".join(ROWS[8:16]) + "<a href='?page=2'>Older</a>",
        "http://stories.a.test/": "<nav><a href='/archive'>Archive</a></nav>" + "".join(stories[:4]),
        "http://stories.a.test/archive": "".join(f"<a href='/archive/2026-{m:02}'>{m}</a>" for m in range(7, 12)),
        "http://stories.a.test/archive/2026-11": "".join(stories[:4]),
        "http://stories.a.test/archive/2026-10": "".join(stories[4:]),
    }
    look, order = await looked(spider, pages)
    assert "http://stories.a.test/archive" in [one.url for one in look.found.archives], order


async def test_parts_of_a_list_that_goes_on_are_not_asked_for(spider: ArticleSpider) -> None:
    parts = "".join(f"<a href='/news/?type={one}'>{one}</a>" for one in ("story", "opinion"))
    pages = {"/": "<nav><a href='/news/'>News</a></nav>" + "".join(ROWS[:4])}
    pages["/news/"] = parts + "".join(ROWS[:8]) + "<a href='?page=2'>Older</a>"
    pages["/news/?type=story"] = "".join(ROWS[:8])
    _, order = await looked(spider, pages)
    assert order == ["/", "/news/"]


@pytest.mark.parametrize("shown", [40, 8])
async def test_a_page_of_all_articles_spares_the_home_page_s_own(spider: ArticleSpider, shown: int) -> None:
    """The one behind as many articles says whether it has them all, or goes on as the reader scrolls."""
    on = "<a href='/page/{}/'>Older</a>"
    pages = {f"/page/{n}/": "".join(ROWS[4 * n - 4 : 4 * n]) + on.format(n + 1) for n in range(2, 8)}
    pages["/"] = "<nav><a href='/archive/'>Archive</a></nav>" + "".join(ROWS[:4]) + on.format(2)
    pages["/archive/"] = "".join(ROWS[:shown])
    look, order = await looked(spider, pages)
    if shown == len(ROWS):
        assert (order, look.passed) == (["/", "/archive/"], {f"{SITE}page/2/"})
    else:
        assert (order, look.passed, look.turned) == (["/", "/archive/", "/page/3/"], set(), {f"{SITE}page/3/"})


async def test_a_list_that_has_all_news_is_asked_first_and_others_are_left_out_but_what_may_tell(
    spider: ArticleSpider,
) -> None:
    rows = [row.replace("/2026/", "/news/2026/") for row in ROWS]
    names = ["bins", "dogs", "rates", "parks", "roads", "press"]
    note = "<h2><a href='/alerts/2026/boil-all-water'>Boil all water in the upper valley until Friday</a></h2>"
    pages = {f"/{name}/": f"<h1>{name}</h1>{note}<p>Pay at the counter.</p>" for name in names}
    pages["/"] = "<nav>" + "".join(f"<a href='/{name}/'>{name}</a>" for name in [*names, "news"]) + "</nav>"
    pages["/"] += note + "".join(rows[:4])
    pages["/news/"] = "".join(rows[:8]) + "<a href='?page=2'>Older</a>"
    look, order = await looked(spider, pages)
    assert order == ["/", "/news/", "/bins/", "/dogs/", "/press/"]
    assert {one.url for one in look.found.left_out} >= {f"{SITE}{name}/" for name in ("rates", "parks", "roads")}


async def test_a_cloud_of_tags_is_left_out_where_lists_that_go_on_have_the_news(spider: ArticleSpider) -> None:
    tags = [f"tag{letter}" for letter in "abcdefghijklmnopqrst"]
    pages = {f"/{tag}/": ROWS[n] for n, tag in enumerate(tags)}
    pages["/"] = NAV + "".join(f"<a href='/{tag}/'>{tag}</a>" for tag in tags) + "".join(ROWS[:6])
    pages |= {
        f"/{name}/": "".join(ROWS[n : 16 + n : 2]) + "<a href='?page=2'>Older</a>"
        for n, name in enumerate(("sport", "culture"))
    }
    look, order = await looked(spider, pages)
    assert order == ["/", "/sport/", "/culture/", "/taga/", "/tagb/"]
    assert f"{SITE}tagt/" in {one.url for one in look.found.left_out}


async def test_a_home_page_whose_pages_repeat_its_newest_is_its_list_and_no_archive(spider: ArticleSpider) -> None:
    newest, on = "".join(ROWS[:4]), "<a href='/page/{}/'>Older</a>"
    pages = {f"/page/{n}/": newest + "".join(ROWS[4 * n - 4 : 4 * n]) + on.format(n + 1) for n in range(2, 9)}
    pages["/"] = NAV + newest + on.format(2)
    look, _ = await looked(spider, pages)
    assert [one.url for one in look.found.list_pages] == [SITE]
    assert look.found.archives == []


async def test_sections_of_a_menu_that_a_script_fetches_are_asked_for(spider: ArticleSpider) -> None:
    pages = {"/": "<button data-src='/parts/menu'>Menu</button>" + "".join(ROWS[:8]), "/parts/menu": NAV}
    pages |= {"/sport/": "".join(ROWS[8:16]), "/culture/": "".join(ROWS[16:24])}
    look, order = await looked(spider, pages)
    assert order == ["/", "/parts/menu", "/sport/", "/culture/"]
    assert len(look.known) == 24


def test_the_module_of_a_page_is_read_before_those_of_all() -> None:
    nodes = [f"http://a.test/_app/immutable/nodes/{name}" for name in ("0.Ck1.js", "1.Dq2.js", "2.Ha7.js", "14.Zx.js")]
    assert [_commonness(url) for url in nodes] == [1, 1, 0, 0]
    lists = "http://a.test/assets/index-x1.js"
    assert sorted([*nodes, lists], key=lambda url: _place(url, 1 if url == lists else 2, 0)) == [
        lists,
        *nodes[2:],
        *nodes[:2],
    ]
