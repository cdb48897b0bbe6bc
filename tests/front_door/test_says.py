"""A run that found nothing, or far less than before, says why, what to do, and by its exit code; so do alerts."""

from __future__ import annotations

import json
import sqlite3
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from articlebot.runtime.clock import now
from tests.front_door.door import ROOT, Door
from tests.front_door.site import Page, Reply, SmallSite, article, front, news

SHELL = (
    "<!doctype html><html><head><title>The Daily</title><script src='/main.js'></script></head><body>"
    "<noscript>You need to enable JavaScript to run this app.</noscript><div id='root'></div></body></html>"
)
LOGIN = (
    "<!doctype html><html><head><title>Log in</title></head><body><h1>Log in</h1><p>Please log in to continue "
    "reading.</p><form action='/login'><input type='password' name='p'><button>Sign in to read</button></form></body>"
    "</html>"
)
PLAIN = f"<html><body><p>{'A long text about nothing at all. ' * 40}</p><a href='/about'>About</a></body></html>"
FEED = (
    "<?xml version='1.0'?><rss version='2.0'><channel><title>F</title>"
    "<item><title>One</title><link>http://a.test/one.html</link></item></channel></rss>"
)
# Pages are due again after a second, so that a test need not wait for the next visit.
AT_ONCE = 'interval = "1s"\nmin_interval = 0.5\nmax_interval = "1s"\n'
XML, TEXT = {"Content-Type": "application/rss+xml"}, {"Content-Type": "text/plain"}


def job(name: str, url: str, more: str = "", key: str = "list_pages") -> str:
    return f'[[site]]\nname = "{name}"\n{key} = ["{url}"]\n{more}\n'


def quiet(door: Door) -> tuple[str, ...]:
    """As cron's line has it: the log goes to a file, and what is printed is what a person reads."""
    return ("-s", f"LOG_FILE={door.folder / 'crawl.log'}")


def test_a_crawl_that_was_to_fetch_one_page_ends_well(door: Door) -> None:
    with SmallSite(news(4)) as site:
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-s", "CLOSESPIDER_PAGECOUNT=1", *quiet(door))
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stderr.splitlines()[-1].startswith("articlebot: article done (closespider_pagecount) in ")


def test_each_site_that_gives_nothing_is_told_with_the_reason_and_the_key_to_change(door: Door) -> None:
    pages: dict[str, dict[str, Page]] = {
        "well": news(4),
        "shell": {"/": SHELL},
        "robots": {**news(4), "/robots.txt": Reply("User-agent: *\nDisallow: /\n", headers=TEXT)},
        "missing": {},
        "login": {"/": LOGIN},
        "file": {"/": Reply(b"%PDF-1.4 \x00\x01\x02", headers={"Content-Type": "application/pdf"})},
        "plain": {"/": PLAIN, "/feed": PLAIN},
        "feed": {"/": Reply(FEED.replace("http://a.test", ""), headers=XML)},
        "foreign": {"/": Reply(FEED, headers=XML)},
        "pattern": news(4),
        "away": {},
        "others": {"/": front({f"http://other.test/2026/1{n}.html": f"The story number {n} of six" for n in range(6)})},
        "bare": {"/": "<html><body><p>hi</p></body></html>"},
        "hollow": {"/": front({f"/2026/11/20/story-{n}.html": f"The story with the number {n}" for n in range(6)})},
    }  # fmt: skip
    with ExitStack() as stack:
        sites = {name: stack.enter_context(SmallSite(own)) for name, own in pages.items()}
        elsewhere = sites["well"].url.replace("127.0.0.1", "localhost")
        sites["away"].pages["/"] = Reply("", 302, {"Location": f"{elsewhere}/"})
        for n in range(6):
            sites["hollow"].pages[f"/2026/11/20/story-{n}.html"] = SHELL
        text = "".join(
            job(name, f"{site.url}/", 'article_pattern = ["/never/"]' if name == "pattern" else "")
            for name, site in sites.items()
        )
        text += job("nodns", "http://nosuch.invalid/") + job("refused", "http://127.0.0.1:9/")
        text += job("nofeed", f"{sites['plain'].url}/feed", key="feeds")
        jobs = door.file("jobs.toml", text)
        first = door.type("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle", *quiet(door))
        again = door.type("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle", *quiet(door))
        state = door.json("status")
    # Nobody is asked to look at what somebody has paused.
    assert door.type("jobs", "pause", "away").returncode == 0
    left = door.json("status")["findings"]
    assert {one["job"] for one in state["findings"]} - {one["job"] for one in left} == {"away"}
    assert first.returncode == 3, first.stderr[-3000:]
    *lines, last = first.stderr.splitlines()
    assert last.startswith("articlebot: article found too little (finished) in ")
    assert "4 new articles" in last
    assert lines[0].startswith("articlebot: away: ")
    assert len(lines) == 9, first.stderr
    assert len(state["findings"]) == 16, [one["job"] for one in state["findings"]]
    assert lines[-1] == "articlebot: and 8 more jobs: scrapy status --json"
    found = {one["job"]: (one["reason"], one["advice"]) for one in state["findings"]}
    expected = {
        "shell": ("needs_javascript", "feeds or sitemaps"),
        "robots": ("robots", "robots = false"),
        "missing": ("http_404", "list_pages"),
        "login": ("wall_login", "list_pages"),
        "file": ("not_html", "list_pages"),
        "plain": ("no_links", "article_pattern"),
        "bare": ("without_links", "browser"),
        "feed": ("is_feed", "feeds"),
        "foreign": ("feed_elsewhere", "allowed_domains"),
        "pattern": ("article_pattern", "article_pattern"),
        "away": ("redirected_away", "allowed_domains"),
        "others": ("other_sites", "allowed_domains"),
        "hollow": ("pages_needs_javascript", "articlebot[browser]"),
        "nodns": ("dns", "DNS"),
        "refused": ("refused_connection", "port"),
        "nofeed": ("feed_without_entries", "feeds"),
    }
    assert {name: reason for name, (reason, _) in found.items()} == {
        name: reason for name, (reason, _) in expected.items()
    }
    for name, (_, key) in expected.items():
        assert key in found[name][1], name
    # A second run soon after asks those again that never answered, and names them.
    assert again.returncode == 3, again.stderr
    named = {line.split(": ")[1] for line in again.stderr.splitlines()[:-1]}
    assert named == {"missing", "nodns", "refused", "robots"}


def test_a_private_address_is_told_and_misspelt_words_are_refused(door: Door) -> None:
    with SmallSite(news(2)) as site:
        done = door.type("run", "--url", f"{site.url}/", "--json", env={"ARTICLEBOT_ALLOW_PRIVATE": "0"})
    assert done.returncode == 3, done.stderr
    report = json.loads(done.stdout)
    assert [one["reason"] for one in report["findings"]] == ["private_address"]
    assert "allow_private = true in the job, or ARTICLEBOT_ALLOW_PRIVATE=1" in done.stderr
    crawl = ("crawl", "article", "-a", "url=http://a.test/")
    for arguments, env, meant in (
        ((*crawl, "-a", "untill=idle"), {}, "did you mean until?"),
        ((*crawl, "-a", "jobs=sites.toml"), {}, "-a jobs=sites.toml and -a url=http://a.test/: give one of the two"),
        (("crawl", "--jobs", "missing.toml", "-a", "until=forever"), {}, "missing.toml: cannot be read: No such file"),
        (("crawl", "articel"), {}, "no spider articel; did you mean article?"),
        ((*crawl, "-a", "seconds=-3"), {}, "-a seconds=-3: expected a number of seconds above 0"),
        (("crawl", "article", "-a", "url=http://127.0.0.1:99999/"), {}, "Port out of range 0-65535"),
        *(
            ((*words, "foo"), {}, "foo: expected an http or https address, such as https://news.example/")
            for words in (("explain",), ("doctor",), ("run", "--url"), ("seeds", "add"))
        ),
        (("settings", "--getint", "ARTICLEBOT_DATA_DIR"), {}, "ARTICLEBOT_DATA_DIR: invalid literal for int()"),
        (("search", "x", "--save", "a/b"), {}, "'a/b' is no name for a search"),
        (("export", "--jsn"), {}, "no option --jsn; did you mean --json?"),
        (("run", "--url", "a.test", "--jobs", "sites.toml"), {}, "expected --jobs FILE or --url URL"),
        ((*crawl, "-s", "ARTICLEBOT_ALOW_PRIVATE=1"), {}, "did you mean ARTICLEBOT_ALLOW_PRIVATE?"),
        (("status",), {"ARTICLEBOT_DATADIR": "x"}, "did you mean ARTICLEBOT_DATA_DIR?"),
        ((*crawl, "-s", "SCHEDULER=scrapy.core.scheduler.Scheduler"), {}, "SCHEDULER: the spider article works with"),
    ):
        done = door.type(*arguments, env=env)
        assert done.returncode == 2, arguments
        assert meant in done.stderr
        assert " INFO " not in done.stderr, arguments
    # What a setting names is loaded before anything is fetched: at each page it was an error, and no page was kept.
    for wrong, meant in (("RECRAWL_POLICY=foo", "no recrawl policy"), ("VIDEO_PARSERS=foo.Bar", "foo.Bar: No mod")):
        done = door.type(*crawl, "-s", f"ARTICLEBOT_{wrong}", "-a", "until=idle")
        assert (done.returncode, meant in done.stderr.splitlines()[-1]) == (2, True), done.stderr
    # What is like no setting may be somebody else's, as what Kubernetes sets for a service of that name.
    done = door.type("status", "--json", env={"ARTICLEBOT_PORT_8765_TCP": "tcp://10.0.0.1:8765"})
    assert len(json.loads(done.stdout)["warnings"]) == 1
    jobs = door.file("jobs.toml", job("one", "http://127.0.0.1:9/") + job("two", "http://127.0.0.1:9/"))
    done = door.type("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle", "-a", "seconds=1")
    assert (
        "WARNING [articlebot.spiders.article] http://127.0.0.1:9/ is an entry page of the jobs one and two"
        in done.stderr
    )
    assert (
        "Never admitted: the host a.test is no" in door.type("explain", "http://a.test/b", "--jobs", str(jobs)).stdout
    )


def test_settings_of_scrapys_without_effect_are_told_once_with_what_takes_their_place(door: Door) -> None:
    typed = {"DEPTH_LIMIT": "1", "JOBDIR": str(door.folder / "own"), "DOWNLOAD_DELAY": "0.2"}
    options = [word for name, value in typed.items() for word in ("-s", f"{name}={value}")]
    with SmallSite(news(3)) as site:
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle", *options)
        assert done.returncode == 0, done.stderr
        at = [hit.at for hit in site.hits if "report" in hit.path]
    told = [line.partition("] ")[2] for line in done.stderr.splitlines() if "has no effect" in line]
    assert [line.partition(" ")[0] for line in told] == ["DEPTH_LIMIT", "JOBDIR"]
    assert "the key depth of a job" in told[0]
    assert min(later - earlier for earlier, later in pairwise(at)) >= 0.1


def test_a_run_that_ends_before_all_sites_were_looked_at_says_how_many_are_left(door: Door) -> None:
    with SmallSite(news(3)) as one, SmallSite({"/": Reply(wait_s=20.0)}) as two:
        jobs = door.file("jobs.toml", f'[[site]]\nsite = "{one.url}/"\n\n[[site]]\nname = "two"\nsite = "{two.url}/"\n')
        done = door.type("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle", "-a", "seconds=4")
    assert "3 new articles" in done.stderr.splitlines()[-1]
    assert done.stderr.splitlines()[-1].endswith("; sites that wait for their first look: 1")


def test_wrong_addresses_are_told_in_words(door: Door) -> None:
    done = door.type("extract", "http://nosuch.invalid/a.html", "http://127.0.0.1:9/")
    assert done.returncode == 1
    assert "the name nosuch.invalid cannot be resolved (DNS)" in done.stderr
    assert "127.0.0.1:9 refuses the connection" in done.stderr
    assert done.stdout == ""
    done = door.type("seeds", "discover", "http://127.0.0.1:9/")
    assert done.returncode == 1
    assert "127.0.0.1:9 refuses the connection" in done.stderr
    done = door.type("run", "--url", "file:///etc/hosts")
    assert done.returncode == 2
    assert "expected an http or https address" in done.stderr


def test_a_page_that_was_read_needs_no_script(door: Door) -> None:
    story = {
        "headline": "A bridge for the town",
        "text": "The council agreed on a new bridge after a long debate. " * 30,
    }
    read = SHELL.replace("</body>", f"<script>window.__S__ = {json.dumps(story)}</script></body>").replace(
        "The Daily", story["headline"]
    )
    moved = Reply("", 301, {"Location": "/read"})
    with SmallSite({"/shell": SHELL, "/moved": moved, "/read": read}) as site:
        done = door.type("extract", f"{site.url}/shell", f"{site.url}/moved")
    assert "after a long debate" in done.stdout
    assert done.stderr.count("needs JavaScript") == done.stderr.count(f"{site.url}/shell needs JavaScript") == 1


def test_far_less_than_before_is_told_and_a_bad_moment_is_no_fault(door: Door) -> None:
    with SmallSite(news(24)) as one, SmallSite(news(3)) as two:
        jobs = door.file("jobs.toml", job("one", f"{one.url}/", AT_ONCE) + job("two", f"{two.url}/", AT_ONCE))
        # A run waits for a host that refused for less than four times this, so it ends at the back-off of 8 seconds.
        waits = ("-s", "ARTICLEBOT_FRONTIER_IDLE_WAIT_S=1.5")
        crawl = ("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle", *waits, *quiet(door))
        first = door.type(*crawl)
        whole = one.pages["/"]
        time.sleep(1.2)
        two.pages["/"] = Reply("busy", 503)
        moment = door.type(*crawl)
        status = door.type("status").stdout
        time.sleep(5)
        one.pages["/"] = front({"/2026/11/20/report-number-1.html": "Report number 1 from the harbour town"})
        del two.pages["/"]
        less = door.type(*crawl)
        time.sleep(1.2)
        one.pages["/"], two.pages["/"] = (
            whole,
            front({"/2026/11/20/report-number-1.html": "Report number 1 of the town"}),
        )
        well = door.type(*crawl)
    assert first.returncode == 0, first.stderr
    assert "27 new articles" in first.stderr
    assert moment.returncode == 0, moment.stderr
    said, *_, last = moment.stderr.splitlines()  # between them, that it was put back for haste
    assert said.startswith("articlebot: two: ")
    assert "503" in said
    assert f"refuses  {two.url[7:]} answers 429 or 503, as a site does that is asked too often, or is down: " in status
    assert last.startswith("articlebot: article done")
    assert less.returncode == 3, less.stderr
    assert "one: its entry pages show 1 links to articles, where 24 are usual" in less.stderr
    assert "two: " in less.stderr
    assert well.returncode == 0, well.stderr
    assert "nothing new" in well.stderr


@contextmanager
def listener() -> Iterator[tuple[str, list[dict[str, Any]], list[str]]]:
    """A webhook: its address, the messages that came and their ids; and it refuses every article."""
    posted: list[dict[str, Any]] = []
    ids: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path == "/alerts":
                posted.append(body)
                ids.append(self.headers["webhook-id"])
            self.send_response(204 if self.path == "/alerts" else 422)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", posted, ids
    finally:
        server.shutdown()
        server.server_close()


SCRIPT = """
import json, os, sys
with open(sys.argv[1], "a") as out:
    message = json.load(sys.stdin)
    out.write(json.dumps([message, sys.argv[2], os.environ["ALERT_TEXT"]]) + "\\n")
"""


_DAY_S = 60.0


def _lay_back(door: Door, name: str) -> None:
    """The articles of a job have come half a day apart, the last three days ago."""
    with closing(sqlite3.connect(door.data / "archive.db")) as database, database:
        rows = database.execute("SELECT id FROM articles WHERE job = ?", (name,)).fetchall()
        for number, row in enumerate(rows):
            at = now() - (3 + number / 2) * _DAY_S
            database.execute("UPDATE articles SET first_archived_at = ?, archived_at = ? WHERE id = ?", (at, at, *row))


def test_alerts_are_told_once_by_webhook_and_by_command_and_once_when_they_are_over(door: Door) -> None:
    script, out = door.file("tell.py", SCRIPT), door.folder / "told.jsonl"
    with SmallSite(news(24)) as steady, SmallSite({"/": LOGIN}) as walled, listener() as (hook, posted, ids):
        text = job("steady", f"{steady.url}/", AT_ONCE) + job("walled", f"{walled.url}/", AT_ONCE)
        jobs = door.file("jobs.toml", text)
        env = {
            # Quiet is looked for each hour of such a day.
            "ARTICLEBOT_RECRAWL_DAY_S": str(_DAY_S),
            "ARTICLEBOT_OPERATIONS_LOCK": "none",
            "ARTICLEBOT_ALERTS_URL": f"{hook}/alerts",
            "ARTICLEBOT_ALERTS_COMMAND": f"{sys.executable} {script} {out} {{subject}}",
            "ARTICLEBOT_PUBLISHING_ATTEMPTS": "1",
            "ARTICLEBOT_PUBLISHING_SINKS": json.dumps({"hook": {"type": "webhook", "url": f"{hook}/articles"}}),
        }
        crawl = ("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle", *quiet(door))
        workers = [door.begin(*crawl, env=env) for _ in range(2)]
        codes = [worker.wait(500) for worker in workers]
        for worker in workers:
            worker.communicate()
        assert 3 in codes
        _lay_back(door, "steady")
        time.sleep(_DAY_S / 24)
        door.type(*crawl, env=env)
        opened = door.json("status", env=env)
        first = [message["type"] for message in posted]
        walled.pages["/"] = front({"/2026/11/20/open.html": "A page that is open to everybody"})
        walled.pages["/2026/11/20/open.html"] = article("A page that is open to everybody")
        titles = {"/2026/11/21/late.html": "A late report from the harbour town"}
        steady.pages["/"], steady.pages["/2026/11/21/late.html"] = front(titles), article(*titles.values())
        time.sleep(1.2)
        assert door.type("outbox", "drop", "--sink", "hook", env=env).returncode == 0
        done = door.type(*crawl, env=env)
        # The two new articles are refused as well; the sink is repaired by dropping them.
        door.type("outbox", "drop", "--sink", "hook", env=env)
        time.sleep(1.2)
        last = door.type(*crawl, env=env)
        closed = door.json("status", env=env)
    assert Counter(first) == {"walls.begun": 1, "dead_letters.begun": 1, "quiet.begun": 1}, posted
    assert {one["kind"] for one in opened["alerts"]} == {"walls", "dead_letters", "quiet"}
    assert any("no new article for" in warning for warning in opened["warnings"])
    over = Counter(message["type"] for message in posted[len(first) :])
    assert over["walls.over"] == 1, (posted, done.stderr)
    assert over["quiet.over"] == 1
    assert over["dead_letters.over"] == 1, last.stderr
    assert {one["kind"] for one in closed["alerts"]} <= {"quiet", "ailing"}
    assert len(set(ids)) == len(ids)
    told = [json.loads(line) for line in out.read_text().splitlines()]
    # Of alerts of the same moment, the two ways may tell one before the other.
    assert Counter(row[0]["type"] for row in told) == Counter(message["type"] for message in posted)
    (walls,) = (row for row in told if row[0]["type"] == "walls.begun")
    assert walls[0]["data"]["job"] == "walled"
    assert walls[1] == "articlebot: walls begun: walled"
    assert "wants a login" in walls[2]


def other_layout(title: str) -> str:
    """The same article on pages that are built anew."""
    text = article(title).partition("</h1>")[2].partition("</article>")[0].replace("<p>", "<div class='par'>")
    return (
        f"<!doctype html><html><head><title>{title}</title></head><body><table class='page'><tr><td><h2>{title}</h2>"
        f"<div class='texts'>{text.replace('</p>', '</div>')}</div></td></tr></table></body></html>"
    )


def test_a_worker_tells_of_a_wrapper_that_no_longer_fits_and_of_quarantine(door: Door) -> None:
    def wait(until: Callable[[], Any], seconds: float = 300.0) -> None:
        end = time.monotonic() + seconds
        while not until():
            assert time.monotonic() < end, (list(posted), (door.folder / "crawl.log").read_text()[-3000:])
            time.sleep(0.3)

    with SmallSite(news(8)) as site, listener() as (hook, posted, _):
        jobs = door.file("jobs.toml", job("site", f"{site.url}/", AT_ONCE))
        env = {
            "ARTICLEBOT_ALERTS_URL": f"{hook}/alerts", "ARTICLEBOT_ALERTS_CHECK_S": "0.5",
            "ARTICLEBOT_FRONTIER_LEASE_S": "2",
        }  # fmt: skip
        crawl = ("crawl", "article", "-a", f"jobs={jobs}", *quiet(door))
        worker = door.begin(*crawl, env=env)
        wait(lambda: list((door.data / "wrappers").glob("*/v1.json")))
        titles = {f"/2026/11/21/rebuilt-number-{n}.html": f"Rebuilt page number {n} of the town" for n in range(12)}
        site.pages |= {path: other_layout(title) for path, title in titles.items()}
        site.pages["/"] = front(titles)
        wait(lambda: [message["type"] for message in posted] == ["drift.doubted", "drift.recovered"])
        site.pages["/2026/11/21/slow.html"] = Reply("x", wait_s=30)
        site.pages["/"] = front({"/2026/11/21/slow.html": "A page that takes its time to come"})
        asked = 0  # a worker that was held up for longer than its lease asks twice
        for died in range(4):
            if died:
                worker = door.begin(*crawl, env=env)
            wait(lambda asked=asked: len(site.hits_of("/2026/11/21/slow.html")) > asked)  # type: ignore[misc]
            worker.kill()
            worker.communicate()
            asked = len(site.hits_of("/2026/11/21/slow.html"))
            time.sleep(2.5)
        door.type(*crawl, "-a", "until=idle", env=env)
        assert [message["type"] for message in posted][2:] == ["quarantine.begun"]


@pytest.fixture
def foreign(tmp_path: Path) -> Door:
    """Another project, with the add-on and articlebot's commands."""
    files = {
        "scrapy.cfg": "[settings]\ndefault = theirs.settings\n",
        "theirs/__init__.py": "",
        "theirs/settings.py": (
            "SPIDER_MODULES = ['theirs.spiders']\nADDONS = {'articlebot.Addon': 500}\n"
            "ARTICLEBOT_ADDON_PARTS = ['summary']\nCOMMANDS_MODULE = 'articlebot.commands'\n"
        ),
        "theirs/spiders/__init__.py": "",
        "theirs/spiders/own.py": (
            "import scrapy\nclass Own(scrapy.Spider):\n    name = 'own'\n    async def start(self):\n"
            "        yield scrapy.Request(self.start_url)\n    def parse(self, response):\n"
            "        for n in range(30):\n            yield {'n': n}\n"
        ),
    }
    folder = tmp_path / "theirs"
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Door(tmp_path, cwd=folder)


def test_the_last_line_of_a_foreign_project_counts_its_items(foreign: Door) -> None:
    with SmallSite({"/": "<html>x</html>"}) as site:
        done = foreign.type(
            "crawl", "own", "-a", f"start_url={site.url}/", *quiet(foreign), env={"PYTHONPATH": f"{ROOT}:{foreign.cwd}"}
        )
    assert done.returncode == 0, done.stderr
    assert "1 pages, 30 items, 0 errors" in done.stderr.splitlines()[-1]
