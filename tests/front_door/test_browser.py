"""Sites that nothing but a browser shows, followed with a real Chromium: lists, articles, and what it leaves behind."""

from __future__ import annotations

import json
import shutil
import signal
import tomllib
from pathlib import Path

import pytest

from tests.front_door.door import Door, wait_for
from tests.front_door.site import Page, Reply, SmallSite, article, front
from tests.front_door.test_one_address import PATIENT

pytest.importorskip("playwright", reason="no browser tests: playwright is not installed")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on PATH"),
    pytest.mark.xdist_group("browser"),  # of one process: a Chromium takes seconds to start
]

_STORIES = {300 - n: f"Report number {n} from the harbour town and its {n} bridges" for n in range(12)}
_JSON = {"Content-Type": "application/json"}
_SHOWS = {"ARTICLEBOT_BROWSER_PAGES": "2", "ARTICLEBOT_BROWSER_SECONDS": "30", "ARTICLEBOT_BROWSER_MEMORY_MB": "256"}
_TEXT = "The council has agreed on a bridge after a debate that lasted until the evening of a long day. " * 10


def _shell(script: str) -> str:
    return (
        "<!doctype html><html lang=en><head><title>The Harbour Post</title></head><body><div id=app></div>"
        f"<script src='{script}'></script></body></html>"
    )


def _hidden(text: str) -> str:
    """A text as obfuscated programs have it, which no reading of scripts finds."""
    return f"[{','.join(str(ord(letter) ^ 7) for letter in text)}].map(c=>String.fromCharCode(c^7)).join('')"


def _program(*, list_at: str, text_at: str) -> str:
    """A program that writes lists and articles, and whose addresses stand in no script as they are."""
    return (
        f"const L={_hidden(list_at)},T={_hidden(text_at)},app=document.getElementById('app');"
        "const id=location.pathname.match(/\\d+$/);"
        "if(id)fetch(T+id[0]).then(r=>r.json()).then(a=>{document.title=a.title;"
        "const ps=a.text.split('|').map(p=>`<p>${p}</p>`).join('');"
        "const at=`<time datetime='${a.at}'>${a.at}</time>`;"
        "app.innerHTML=`<article><h1>${a.title}</h1>${at}<div>${ps}</div></article>`});"
        "else fetch(L).then(r=>r.json()).then(d=>{app.innerHTML='<ul>'+d.rows.map(a=>"
        "`<li><h2><a href='/r/${a.id}'>${a.title}</a></h2></li>`).join('')+'</ul>'});"
    )


def _site(*, signed: bool) -> SmallSite:
    """Lists and articles by data; ``signed``: each answer counts but once, so that nobody can ask for it again."""
    site = SmallSite()
    used: set[str] = set()

    def once(path: str, answer: str) -> Page:
        def reply() -> Reply:
            if signed and path in used:
                return Reply("used", 403)
            used.add(path)
            return Reply(answer, headers=_JSON)

        return reply

    site.pages = {"/": _shell("/p.js"), "/p.js": Reply(_program(list_at="/d/l", text_at="/d/t?k="))}
    rows = [{"id": key, "title": title, "day": "2026-11-20"} for key, title in _STORIES.items()]
    site.pages["/d/l"] = once("/d/l", json.dumps({"rows": rows}))
    for key, title in _STORIES.items():
        text = "|".join(f"{title}. {_TEXT}" for _ in range(3))
        answer = json.dumps({"title": title, "at": "2026-11-20T08:30:00Z", "text": text})
        site.pages |= {f"/r/{key}": _shell("/p.js"), f"/d/t?k={key}": once(f"/d/t?k={key}", answer)}
    return site


def test_what_a_page_asks_for_in_a_browser_is_fetched_without_one_from_then_on(door: Door) -> None:
    with _site(signed=False) as site:
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle", env=_SHOWS)
        assert done.returncode == 0, done.stderr[-2000:]
        assert {row["title"] for row in door.archived()} == set(_STORIES.values())
        (job,) = tomllib.loads(door.type("jobs", "show", "127.0.0.1").stdout)["site"]
        assert job["list_pages"] == [f"{site.url}/d/l"]
        assert (job["article_url"], job["article_data"]) == ("/r/{id}", "/d/t?k={id}")
        assert "rendered" not in job
        assert len([hit for hit in site.hits if hit.path.startswith("/r/")]) <= 1
        assert len(site.hits) <= 2 * len(_STORIES)


_MANY = {400 - n: f"Report number {n} from the coast and its {n} islands" for n in range(24)}


def _sections() -> SmallSite:
    """Two sections whose lists go on as the reader scrolls; the home page is the first one's."""
    program = (
        f"const L={_hidden('/d/l?c=')};let n=0,c=(location.pathname.match(/c.(\\w+)/)||[0,'town'])[1];"
        "const app=document.getElementById('app'),go=()=>fetch(L+c+'&p='+(++n)).then(r=>r.json()).then(d=>{"
        "app.innerHTML+=d.rows.map(a=>`<p style='height:900px'><a href='/r/${a.id}'>${a.title}</a></p>`).join('')});"
        "app.innerHTML='<nav><a href=/c/town>Town</a><a href=/c/coast>Coast</a></nav>';"
        "onscroll=()=>{if(innerHeight+scrollY>=document.body.scrollHeight-9)go()};go()"
    )
    site, rows = SmallSite({"/p.js": Reply(program)}), list(_MANY.items())
    site.pages |= {path: _shell("/p.js") for path in ("/", "/c/town", "/c/coast")}
    for place, section in enumerate(("town", "coast")):
        for number in (1, 2, 3, 4):
            some = rows[place * 12 : place * 12 + 12][4 * number - 4 : 4 * number]
            data = {"rows": [{"id": key, "title": title} for key, title in some]}
            site.pages[f"/d/l?c={section}&p={number}"] = Reply(json.dumps(data), headers=_JSON)
    site.pages |= {f"/r/{key}": article(title) for key, title in rows}
    return site


def test_lists_that_go_on_as_the_reader_scrolls_are_followed_in_each_section(door: Door) -> None:
    with _sections() as site:
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle", env=_SHOWS)
        assert done.returncode == 0, done.stderr[-2000:]
        assert {row["title"] for row in door.archived()} == set(_MANY.values())


def test_extract_reads_what_a_browser_shows(door: Door) -> None:
    with _site(signed=True) as site:
        (read,) = door.json("extract", f"{site.url}/r/300", env=_SHOWS)
        assert read["title"] == _STORIES[300]
        assert _TEXT[:60] in read["body"]


def test_a_list_that_a_program_writes_into_a_page_of_much_else_is_found(door: Door) -> None:
    with _site(signed=True) as site:
        about = "".join(f"<p>We have written of this town for {n} years. {_TEXT}</p>" for n in (40, 50))
        links = "".join(f"<a href='/about/{n}'>About {n}</a>" for n in range(20))
        site.pages["/"] = str(site.pages["/"]).replace("<div", f"<nav>{links}</nav>{about}<div")
        told = door.json("doctor", f"{site.url}/", constants=PATIENT, env=_SHOWS)
        assert told["needs_browser"]
        assert [(one["url"], one["articles"]) for one in told["lists"]] == [(f"{site.url}/", len(_STORIES))]
        assert all(one["published_at"] == "2026-11-20T08:30:00+00:00" for one in told["samples"])


def test_what_cannot_be_had_without_a_browser_is_shown_at_each_visit(door: Door) -> None:
    with _site(signed=True) as site:
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle", env=_SHOWS)
        assert done.returncode == 0, done.stderr[-2000:]
        rows = door.archived()
        assert len(rows) >= len(_STORIES) - 2
        assert all(row["title"] in row["body"] and row["published_at"] == "2026-11-20T08:30:00+00:00" for row in rows)


def test_a_list_that_cannot_be_asked_for_twice_is_no_problem_of_the_site(door: Door) -> None:
    with _site(signed=True) as site:
        told = door.json("doctor", site.url, env=_SHOWS)
        assert len(site.hits_of("/d/l")) > 1  # each has been refused but one
    assert "http_403" not in told["problems"], told


def _framed() -> SmallSite:
    """Articles of which the server sends headline and recommendations, and a script the text."""
    site, rows = _site(signed=True), {f"/r/{key}": title for key, title in _STORIES.items()}
    others = "".join(
        f"<li><a href={path}>{title}</a><p>{title}, and so on ...</p></li>" for path, title in rows.items()
    )
    frame = "<html lang=en><title>{0}</title><h1>{0}</h1><div id=app class=story-body></div><ul>{1}</ul>"
    program = "<script src=/p.js></script>"
    site.pages |= {"/": front(rows), **{path: frame.format(title, others) + program for path, title in rows.items()}}
    return site


def test_articles_whose_frame_alone_comes_from_the_server_are_shown(door: Door) -> None:
    with _framed() as site:
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle", env=_SHOWS)
        assert done.returncode == 0, done.stderr[-2000:]
        archived = door.archived()
        assert len(archived) >= len(_STORIES) - 2
        assert all(row["body"].count(_TEXT[:60]) == 30 for row in archived)


def test_of_articles_that_are_frames_it_is_told_that_they_need_a_browser(door: Door) -> None:
    with _framed() as site:
        off = {"ARTICLEBOT_BROWSER_PAGES": "0"}
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle", env=off)
        assert f"none of {len(_STORIES)} new pages could be published: they need JavaScript" in done.stderr
        assert "articlebot[browser]" in done.stderr


def test_a_page_that_holds_its_text_is_shown_in_no_browser_whatever_others_needed(door: Door) -> None:
    with _site(signed=True) as site:
        keys = f'list_pages = ["{site.url}/"]\nrendered = ["{site.url}/"]\n'
        jobs = door.file("jobs.toml", f'[[site]]\nname = "town"\n{keys}')
        rows = {f"/r/{key}": title for key, title in _STORIES.items()}
        site.pages |= {"/": front(rows), **{path: article(title) for path, title in rows.items()}}
        done = door.type("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle", env=_SHOWS)
        assert done.returncode == 0, done.stderr[-2000:]
        assert len(door.archived()) == len(_STORIES)
        assert not any(hit.path.startswith(("/d/", "/p.js")) for hit in site.hits)


@pytest.mark.parametrize("how", ["a job's key", "a setting"])
def test_without_a_browser_it_is_told_what_would_help(door: Door, how: str) -> None:
    with _site(signed=True) as site:
        off = "\nbrowser = false" if how == "a job's key" else ""
        jobs = door.file("jobs.toml", f'[[site]]\nname = "town"\nsite = "{site.url}/"{off}\n')
        env = _SHOWS if off else {"ARTICLEBOT_BROWSER_PAGES": "0"}
        done = door.type("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle", env=env)
        assert "articlebot[browser]" in done.stdout + done.stderr
        assert not any(hit.path.startswith("/d/") for hit in site.hits)


def test_a_home_page_in_another_encoding_is_shown_as_it_is(door: Door) -> None:
    with _site(signed=True) as site:
        program = f"if('港口新闻'==='\\u6e2f\\u53e3\\u65b0\\u95fb'){{{_program(list_at='/d/l', text_at='/d/t?k=')}}}"
        shell = f"<html><head><meta charset=gbk></head><div id=app></div><script>{program}</script></html>"
        site.pages["/"] = Reply(shell.encode("gbk"), headers={"Content-Type": "text/html"})
        told = door.json("doctor", f"{site.url}/", constants=PATIENT, env=_SHOWS)
        assert [one["articles"] for one in told["lists"]] == [len(_STORIES)]


def test_what_robots_txt_keeps_from_scripts_is_not_asked_for_and_told(door: Door) -> None:
    with _site(signed=False) as site:
        site.pages["/robots.txt"] = Reply("User-agent: *\nDisallow: /d/", headers={"Content-Type": "text/plain"})
        done = door.type("doctor", f"{site.url}/", constants=PATIENT, env=_SHOWS)
        assert done.returncode == 1
        assert not any(hit.path.startswith("/d/") for hit in site.hits)
        assert f"robots ({site.url}/d/l)" in done.stdout
        assert "articlebot[browser] shows them" not in done.stdout
        assert "unless robots.txt forbids" in done.stdout


def test_a_program_that_is_no_browser_is_told_of(door: Door) -> None:
    with _site(signed=True) as site:
        wrong = _SHOWS | {"ARTICLEBOT_BROWSER_PROGRAM": "/bin/false"}
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle", env=wrong)
        assert "No browser starts" in done.stderr
        assert "ARTICLEBOT_BROWSER_PROGRAM" in done.stderr


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_browser_outlives_its_crawl(door: Door, sent: signal.Signals) -> None:
    with _site(signed=True) as site:
        for path in [path for path in site.pages if path.startswith("/d/t")]:
            site.pages[path] = Reply("{}", headers=_JSON, wait_s=2)
        worker = door.begin("crawl", "article", "-a", f"url={site.url}/", env=_SHOWS)
        wait_for(lambda: any(hit.path.startswith("/d/t") for hit in site.hits))
        started = [one for one in _below(worker.pid) if b"chrom" in _command(one)]
        assert started
        worker.send_signal(sent)
        wait_for(lambda: not any(b"chrom" in _command(one) for one in started), seconds=60)
        worker.communicate(timeout=100)


def _below(pid: int) -> list[int]:
    """The processes that one has started, and those that they have."""
    try:
        text = "".join(path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children"))
    except OSError:
        return []
    every = [int(one) for one in text.split()]
    return every + [below for one in every for below in _below(one)]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
