"""Searches that people keep: listed, shown as a feed, and told of once when something new or changed matches."""

from __future__ import annotations

import json
import sys
import time

import feedparser
import pytest

from tests.front_door.door import Door
from tests.front_door.site import SmallSite, article, front, news
from tests.front_door.test_console import console
from tests.front_door.test_says import AT_ONCE, job, listener, quiet

# Takes no message before a file is there.
SCRIPT = """
import os, sys
if not os.path.exists(sys.argv[1]):
    sys.exit("no mail server")
open(sys.argv[1], "a").write(os.environ["ALERT_TEXT"] + "\\n")
"""


def test_what_a_saved_search_finds_is_told_once_by_several_workers(door: Door) -> None:
    pages = news(3)
    old, changed, late = list(pages)[1], list(pages)[2], "/2026/11/21/ferry.html"
    with SmallSite(pages) as site, listener() as (hook, posted, ids):
        jobs, mail = door.file("jobs.toml", job("town", f"{site.url}/", AT_ONCE)), door.folder / "mail"
        env = {
            "ARTICLEBOT_ALERTS_URL": f"{hook}/alerts", "ARTICLEBOT_OPERATIONS_LOCK": "none",
            "ARTICLEBOT_ALERTS_COMMAND": f"{sys.executable} {door.file('tell.py', SCRIPT)} {mail}",
        }  # fmt: skip
        crawl = ("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle", *quiet(door))
        assert door.type(*crawl, env=env).returncode == 0
        for name, words in (("town", "harbour town"), ("seals", "seals OR walrus")):
            saved = door.type("search", *words.split(), "--save", name, "--alert", env=env)
            assert saved.returncode == 0, saved.stderr
            assert "people are told" in saved.stderr
        assert door.type("search", "--save", "kept", "--job", "town").returncode == 0
        assert [(one["name"], one["alert"]) for one in door.json("search", "--saved")] == [
            ("kept", False), ("seals", True), ("town", True)
        ]  # fmt: skip

        site.pages[late] = article("A late ferry reaches the harbour town")
        site.pages[changed] = str(pages[changed]).replace("</h1>", "</h1><p>Correction: the ferry was not late.</p>")
        site.pages["/"] = front({late: "A late ferry reaches the harbour town", changed: "Report", old: "Report"})
        assert door.type("frontier", "visit", f"{site.url}{changed}", env=env).returncode == 0
        time.sleep(1.2)
        workers = [door.begin(*crawl, env=env) for _ in range(2)]
        assert [worker.wait(500) for worker in workers] == [0, 0]
        for worker in workers:
            worker.communicate()
        (message,) = posted
        assert message["type"] == "search.found"
        found = {row["url"].removeprefix(site.url): row["change"] for row in message["data"]["articles"]}
        assert found == {late: "new", changed: "corrected"}, message
        assert message["data"]["search"] == "town"

        # The command did not take it; the next run tells it alone, and nobody else anything.
        mail.write_text("")
        time.sleep(1.2)
        assert door.type(*crawl, env=env).returncode == 0
        (line,) = (line for line in mail.read_text().splitlines() if "A late ferry" in line)
        assert line.startswith("saved search town: ")
        assert len(set(ids)) == len(posted)

        assert door.type("search", "--forget", "town").returncode == 0
        assert door.type("search", "--forget", "town").returncode == 2
        more = "/2026/11/21/second.html"
        site.pages[more] = article("A second ferry reaches the harbour town")
        site.pages["/"] = front({more: "A second ferry reaches the harbour town"})
        told = len(posted)
        time.sleep(1.2)
        assert door.type(*crawl, env=env).returncode == 0
        assert len(door.json("search", "second")["articles"]) == 1
        assert len(posted) == told


def test_a_newcomer_adds_sites_saves_a_search_and_reads_its_feed(door: Door) -> None:
    (door.folder / "jobs").mkdir()
    names = ("Alpha", "Beta", "Gamma")
    alpha, beta, gamma = (SmallSite(news(3, prefix=name)) for name in names)
    with alpha, beta, gamma, console(door, "edit") as api:
        for name, site in zip(names, (alpha, beta, gamma), strict=True):
            assert api("POST", "/jobs", {"site": f"{site.url}/", "name": name.lower()})[0] == 200
        assert door.type("crawl", "article", "-a", f"jobs={door.folder / 'jobs'}", "-a", "until=idle").returncode == 0
        assert api("PUT", "/searches/beta%20news", {"q": "Beta", "job": "beta"})[0] == 200
        assert api("PUT", "/searches/nothing", {})[0] == 400
        assert api("PUT", "/searches/odd", {"q": "-"})[0] == 400
        assert [one["name"] for one in api("GET", "/searches")[1]] == ["beta news"]
        read = feedparser.parse(api("GET", "/feed.atom?search=beta%20news")[1])
        assert sorted(entry.title for entry in read.entries) == [
            f"Beta number {n} from the harbour town" for n in range(3)
        ]
        assert read.feed.title == "articlebot · beta news"
        plain = feedparser.parse(api("GET", "/feed.rss?search=beta%20news")[1])
        assert (plain.version, plain.bozo, plain.feed.title) == ("rss20", False, read.feed.title)
        told = [(one.title, one.link, one.id, one.published_parsed[:5]) for one in read.entries]
        assert [(one.title, one.link, one.id, one.published_parsed[:5]) for one in plain.entries] == told
        assert all(one.content[-1].value.startswith("<p>") for one in plain.entries)
        items = api("GET", "/feed.json?search=beta%20news")[1]["items"]
        assert len(items) == 3
        assert api("GET", "/feed.json?search=unknown")[0] == 404
        assert api("DELETE", "/searches/beta%20news")[0] == 200
        assert api("DELETE", "/searches/beta%20news")[0] == 404
        did = [one["did"] for one in api("GET", "/changes")[1]]
        assert did[:2] == ["forget search", "save search"]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["ferry", "--alert"], "--save NAME"),
        (["ferry", "--save", "a/b"], "no name for a search"),
        (["ferry", "--save", "x", "--since", "2d"], "leave --since out"),
        (["ferry", "--saved"], "take no QUERY"),
        ([], "expected QUERY"),
    ],
)
def test_what_cannot_be_saved_is_refused_with_the_reason(door: Door, typed: list[str], said: str) -> None:
    done = door.type("search", *typed)
    assert done.returncode == 2
    assert said in done.stderr + done.stdout
    assert json.loads(door.type("search", "--saved", "--json").stdout) == []
