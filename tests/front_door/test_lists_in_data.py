"""Lists that come as data, as programs of many sites fetch them: a user types the address, and all articles come."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from tests.front_door.door import Door
from tests.front_door.site import Page, Reply, SmallSite, article, front

_SCRIPT, _JSON = {"Content-Type": "text/javascript"}, {"Content-Type": "application/json"}


def _title(n: int) -> str:
    return f"Harbour report number {n} on the {n + 3} ferries of the northern line"


def _crawled(door: Door, pages: dict[str, Page], path: str) -> set[str]:
    """The addresses of the articles that a crawl of one address has archived."""
    with SmallSite(pages) as site:
        done = door.type("crawl", "article", "-a", f"url={site.url}{path}", "-a", "until=idle")
        assert done.returncode == 0, done.stderr[-2000:]
        return {row["url"].removeprefix(site.url) for row in door.archived()}


def test_data_name_paths_to_which_the_pages_of_a_part_of_the_site_add_an_ending(door: Door) -> None:
    """The program and what it fetches lie beside the part; the address is in an attribute, and long."""
    program = (
        'var e=document.querySelector("[data-is=list]");if(e){var o=0,n=+e.dataset.pageSize,r=e.dataset.resource;'
        'fetch(r+"?offset="+o+"&limit="+n).then(t=>t.json()).then(t=>t.results.forEach(i=>e.append(i.path+".html")))}'
    )
    resource = "/content/port/en/newsroom/press-releases/content/root/container/section/list/press.results.json"
    titles = {f"/en/newsroom/press-releases/2026/11/report-{n}": _title(n) for n in range(20)}
    page = "<!doctype html><html lang=en><head><title>Newsroom</title></head><body>%s<script src=/lib/site.js></script>"
    shown = "".join(f"<h2><a href={one}.html>{title}</a></h2>" for one, title in list(titles.items())[:4])
    menu = "<nav><a href=/en/newsroom.html>News</a><a href=/en/newsroom/press-releases.html>Press releases</a></nav>"
    place = f"data-is=list data-page-size=10 data-resource={resource}"
    pages: dict[str, Page] = {f"{one}.html": article(title) for one, title in titles.items()}
    pages |= {
        "/en/newsroom.html": page % f"{menu}{shown}",
        "/en/newsroom/press-releases.html": page % f"{menu}<div {place}>",
        "/lib/site.js": Reply(program, headers=_SCRIPT),
    }
    for offset in (0, 10):
        rows = [{"path": one, "title": title} for one, title in list(titles.items())[offset : offset + 10]]
        text = json.dumps({"total": 20, "results": rows})
        pages[f"{resource}?offset={offset}&limit=10"] = Reply(text, headers=_JSON)
    assert _crawled(door, pages, "/en/newsroom.html") == {f"{one}.html" for one in titles}


def test_the_list_of_one_writer_goes_on_as_the_program_of_its_page_asks(door: Door) -> None:
    """What comes behind the entries that are shown is asked for by the time of the last one."""
    rows = [
        {"title": _title(n), "url": f"/s?id=1753{n:04}", "ctime": 1_763_600_000 - 7_000 * n} for n in range(24)
    ]  # fmt: skip
    state = {"user": {"id": "1680231"}, "feed": {"list": rows[:8], "ctime": str(rows[7]["ctime"])}}
    pages: dict[str, Page] = {str(one["url"]): article(str(one["title"])) for one in rows}
    listed = front({str(one["url"]): str(one["title"]) for one in rows[:8]})
    script = f"<script>window.__INITIAL_STATE__={json.dumps(state)};</script><script src=/home.js></script></body>"
    pages["/home/1680231"] = listed.replace("</body>", script)
    pages["/home.js"] = Reply(
        'var s=window.__INITIAL_STATE__,u="/dynamic/list";function more(){return fetch(u+"?uk="+s.user.id+'
        '"&num=8&ctime="+s.feed.ctime).then(r=>r.json()).then(r=>{s.feed.ctime=r.data.ctime;r.data.list.forEach(add)})}',
        headers=_SCRIPT,
    )
    for begin in (8, 16, 24):
        some, before = rows[begin : begin + 8], rows[begin - 1]["ctime"]
        data = {"list": some, "ctime": str(some[-1]["ctime"] if some else 0), "hasMore": begin < 16}
        pages[f"/dynamic/list?uk=1680231&num=8&ctime={before}"] = Reply(json.dumps({"data": data}), headers=_JSON)
    assert _crawled(door, pages, "/home/1680231") == {str(one["url"]) for one in rows}


def test_a_list_is_asked_for_by_json_in_a_query_as_the_cache_of_its_page_says(door: Door) -> None:
    rows = [
        {"canonical_url": f"/news/2026/11/20/story-{n}/", "headlines": {"basic": _title(n)}, "type": "story"}
        for n in range(24)
    ]
    pages: dict[str, Page] = {str(one["canonical_url"]): article(_title(n)) for n, one in enumerate(rows)}
    asked = '{"feedOffset":%d,"feedSize":8,"includeSections":"/news"}'
    cache = {"navigation": {'{"hierarchy":"main"}': {"data": {}}}, "story-feed": {asked % 0: {"data": {"count": 24}}}}
    said = 'Fusion.arcSite="town";Fusion.contextPath="/pf";Fusion.deployment="231";'
    script = f"<script>window.Fusion=window.Fusion||{{}};{said}Fusion.contentCache={json.dumps(cache)};</script></body>"
    pages["/"] = front({str(one["canonical_url"]): _title(n) for n, one in enumerate(rows[:8])}).replace(
        "</body>", script
    )
    for offset in (8, 16, 24):
        text = json.dumps({"content_elements": rows[offset : offset + 8], "count": 24})
        query = quote(asked % offset, safe="")
        pages[f"/pf/api/v3/content/fetch/story-feed?query={query}&d=231&_website=town"] = Reply(text, headers=_JSON)
    assert _crawled(door, pages, "/") == {str(one["canonical_url"]) for one in rows}


def test_a_list_is_posted_for_at_an_address_with_parameters_of_its_own(door: Door) -> None:
    """Articles have the same path, and are asked for as they are."""
    rows = [{"title": _title(n), "url": f"/index.php?s=/news/show/id/{n}"} for n in range(30)]
    pages: dict[str, Page] = {str(row["url"]): article(str(row["title"])) for row in rows}
    script = (
        'var p = 1; function more() { fetch("/index.php?s=/news/list", {method: "POST", headers: {"Content-Type": '
        '"application/x-www-form-urlencoded"}, body: "page=" + p}).then(show); p++ } more();'
    )
    pages["/"] = front({}).replace("</body>", f"<script>{script}</script></body>")
    for p in (1, 2, 3, 4):
        listed = json.dumps({"code": 1, "data": rows[10 * p - 10 : 10 * p]})
        pages[f"POST /index.php?s=/news/list page={p}"] = Reply(listed, headers=_JSON)
    assert _crawled(door, pages, "/") == {str(row["url"]) for row in rows}


@pytest.mark.parametrize("shown", [0, 8])
@pytest.mark.parametrize(
    ("asked", "begin"),
    [("page=${p}", "1"), ("limit=8&offset=${p}", "0"), ("cursor=${p}", "''"), ("last_id=${p}", "0")],
)
def test_a_list_that_scripts_fill_beside_boxes_of_headlines_is_read_from_its_beginning(
    door: Door, asked: str, begin: str, shown: int
) -> None:
    """The boxes of the newest and of the most read are no page of the list; what the place holds may be its first."""
    rows = [{"id": 900 - n, "title": _title(n), "url": f"/story/{900 - n}"} for n in range(28)]
    said = {str(row["url"]): str(row["title"]) for row in rows}
    boxes = dict([*said.items()][:6] + [*said.items()][10:27:4])
    pages: dict[str, Page] = {url: article(title) for url, title in said.items()}
    program = f"let p = {begin}; function more() {{ fetch(`/api/list?{asked}`).then(show) }} more();"
    pages["/main.js"] = Reply(program, headers=_SCRIPT)
    filled = "".join(f"<li><a href={row['url']}>{row['title']}</a></li>" for row in rows[:shown])
    place = f"<a href=/town/>Town</a><div><ul id=list>{filled}</ul><script src=/main.js></script></div></body>"
    # The page of the section takes no script.
    pages |= {"/": front(boxes).replace("</body>", place), "/town/": front(boxes)}
    for start in range(32):
        # By the page's number, the first entry, and what the answer or its last entry says to ask for next.
        begins = {
            "page": start // 8 + 1,
            "limit": start,
            "cursor": start or "",
            "last_id": 901 - start if start else 0,
        }
        if (key := asked.partition("=")[0]) == "page" and start % 8:
            continue
        beside = {"next_cursor": str(start + 8) if start + 8 < len(rows) else None} if key == "cursor" else {}
        text = json.dumps({"code": 0, "list": rows[start : start + 8], **beside})
        pages[f"/api/list?{asked.replace('${p}', str(begins[key]))}"] = Reply(text, headers=_JSON)
    assert _crawled(door, pages, "/") == set(said)
