"""The first thing a user does: follow a site and look at what came."""

from __future__ import annotations

import gzip
import itertools
import json
import subprocess
import sys

from tests.front_door.door import ROOT, Door
from tests.front_door.site import Page, Reply, SmallSite, article, front, news


def test_a_site_is_followed_and_its_articles_are_exported(door: Door) -> None:
    assert "nothing was crawled here so far" in door.type("status").stdout
    empty = door.type("export", "--json")
    assert (empty.stdout, empty.stderr.strip()) == ("", "no article is chosen")
    assert "the archive has no article so far" in door.type("search", "harbour").stderr
    assert "no edit is chosen" in door.type("history", "--edits").stderr
    with SmallSite(news(6)) as site:
        crawl = ["crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle"]
        done = door.type(*crawl)
        assert done.returncode == 0, done.stderr[-3000:]
        assert "Nothing led on to older articles" in done.stderr.rsplit("new addresses named", 1)[1]
        titles = {row["title"] for row in door.archived()}
        assert titles == {f"Report number {n} from the harbour town" for n in range(6)}

        # A page that nothing links, and one that is known: both are visited now, by the next run.
        site.pages["/hidden/harbour-report.html"] = article("A hidden report from the harbour town")
        known, hidden = (
            f"{site.url}{path}" for path in ("/2026/11/20/report-number-2.html", "/hidden/harbour-report.html")
        )
        told = door.json("explain", f"{site.url}/2026/11/20/about.html")
        assert (told["jobs"][0]["job"], "no page that it visits" in told["why"]) == ("127.0.0.1", True), told["why"]
        assert "found no way back to older articles" in told["why"]
        state = door.type("status").stdout.splitlines()
        assert state[-1] == "healthy, but some sites may have more than was found", state
        assert any("Nothing led on to older articles" in line for line in state if line.startswith("short"))
        refused = door.type("frontier", "visit", hidden, "http://other.example/1")
        assert (refused.returncode, "no job has the host other.example" in refused.stderr) == (2, True), refused.stderr
        late = "/2026/11/21/late.html"
        site.pages[late] = article("A late report from the harbour town")
        site.pages["/"] = front({late: "A late report from the harbour town"})
        rows = door.json("frontier", "visit", known, hidden, f"{site.url}/")
        assert rows == [{"url": url, "job": "127.0.0.1"} for url in (known, hidden, f"{site.url}/")]
        # A sink that is away costs nothing, and the last line says what waits for it.
        hook = json.dumps({"desk": {"type": "webhook", "url": "http://127.0.0.1:9/", "timeout_s": 1}})
        again = door.type(*crawl, env={"ARTICLEBOT_PUBLISHING_SINKS": hook})
        assert again.returncode == 0, again.stderr[-3000:]
        assert "0 errors; deliveries that wait: 2 for desk (scrapy outbox show)" in again.stderr.splitlines()[-1]
        # The page that was read before is none of the new ones; the one that nothing named is.
        assert "1 new addresses named (lists 1); with those that waited 2 of 2 visited are articles" in again.stderr
        assert [len(site.hits_of(url.removeprefix(site.url))) for url in (known, hidden)] == [2, 1]
    assert len(door.archived()) == 8


SCRIPT = """
from scrapy.crawler import CrawlerProcess
from scrapy.utils.project import get_project_settings

settings = get_project_settings()
settings["FEEDS"] = {"out.jsonl": {"format": "jsonlines", "overwrite": True}}
process = CrawlerProcess(settings)
process.crawl("article", url=URL, until="idle")
process.start()
print("RAN")
"""


def test_a_script_runs_one_crawl_as_scrapys_documentation_shows(door: Door) -> None:
    """Wrappers are learned beside the crawl, by a process that must not run the script again."""
    door.file("scrapy.cfg", "[settings]\ndefault = articlebot.settings\n")
    with SmallSite(news(20)) as site:
        script = door.file("run.py", f'URL = "{site.url}/"\n{SCRIPT}')
        done = subprocess.run(
            [sys.executable, str(script)], cwd=door.folder, check=False, capture_output=True, text=True, timeout=300,
            env=door.environment(PYTHONPATH=str(ROOT)),
        )  # fmt: skip
    assert (done.returncode, done.stdout.count("RAN")) == (0, 1), done.stderr[-3000:]
    assert done.stderr.count("Spider opened") == 1
    assert len((door.folder / "out.jsonl").read_text().splitlines()) == 20


def test_what_the_message_says_helps_at_once(door: Door) -> None:
    with SmallSite(news(2)) as site:
        crawl = ["crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle"]
        done = door.type(*crawl, env={"ARTICLEBOT_ALLOW_PRIVATE": "0"})
        assert (done.returncode, "ARTICLEBOT_ALLOW_PRIVATE=1" in done.stderr) == (3, True), done.stderr[-3000:]
        done = door.type(*crawl)
        assert done.returncode == 0, done.stderr[-3000:]
        again = door.type(*crawl)
    assert (again.returncode, "nothing was due, the next visit is in " in again.stderr) == (0, True)
    assert len(door.archived()) == 2


def test_sites_of_one_server_are_asked_one_after_the_other_where_that_is_set(door: Door) -> None:
    with SmallSite(news(5, prefix="East")) as east, SmallSite(news(5, prefix="West")) as west:
        sites = [f'[[site]]\nname = "{name}"\nlist_pages = ["{at.url}/"]\n' for name, at in (("e", east), ("w", west))]
        jobs = door.file("jobs.toml", "".join(sites))
        # The shortest delay counts from the answer on, however late a request was, and so it is what the sites see.
        hosts = {"ARTICLEBOT_DELAYS_PER": "address", "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.5"}
        done = door.type("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle", env=hosts)
    assert done.returncode == 0, done.stderr[-3000:]
    assert len(door.archived()) == 10
    times = sorted(hit.at for site in (east, west) for hit in site.hits)
    assert min(after - before for before, after in itertools.pairwise(times)) >= 0.5


def test_pages_that_are_packed_otherwise_than_their_headers_say_are_read(door: Door) -> None:
    packed = {"GZIP": True, "gzip, identity": True, "gz": True, "gzip": False, "br": False, "utf-8": False}
    titles = {f"/2026/11/20/story-{n}": f"Story {n} of the harbour town" for n in range(len(packed))}
    pages: dict[str, Page] = {"/": front(titles)}
    for (path, title), (name, is_packed) in zip(titles.items(), packed.items(), strict=True):
        body = article(title).encode()
        pages[path] = Reply(gzip.compress(body) if is_packed else body, headers={"Content-Encoding": name})
    with SmallSite(pages) as site:
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
    assert done.returncode == 0, done.stderr[-2000:]
    read = {row["url"].removeprefix(site.url): row for row in door.archived()}
    assert {path: read[path]["title"] for path in titles if path in read} == titles
    assert all(len(row["body"]) > 1000 for row in read.values())


def test_headers_are_taken_as_browsers_take_them(door: Door) -> None:
    titles = {f"/2026/11/20/story-{n}.html": f"Story {n} of the harbour town" for n in range(4)}
    odd, nowhere, slashes, refreshed = titles
    pages: dict[str, Page] = {"/": front(titles)}
    pages[odd] = Reply(article(titles[odd]), headers={"X-Odd ": "1", "(X)": "2"})
    pages[nowhere] = Reply(article(titles[nowhere]), headers={"Content-Length": "", "Connection": "close"})
    pages[slashes] = Reply(status=302, headers={"Location": "\\moved\\story-2.html"})
    pages[refreshed] = Reply(headers={"Refresh": "0; url=/moved/story-3.html"})
    pages |= {f"/moved/story-{n}.html": article(f"Story {n} of the harbour town") for n in (2, 3)}
    with SmallSite(pages) as site:
        done = door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
    assert done.returncode == 0, done.stderr[-2000:]
    assert sorted(row["title"] for row in door.archived()) == sorted(titles.values())
