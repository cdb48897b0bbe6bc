"""Scrapy's own commands in the project's folder: they do what Scrapy says, and leave the crawl's queue as it was."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from tests.front_door.door import Door, wait_for
from tests.front_door.site import Reply, SmallSite, news

# One worker of the test runner makes the crawls that all of these tests read.
pytestmark = pytest.mark.xdist_group("tools")

PAGES = 100
PAGE = "/2026/11/20/report-number-7.html"
TITLE = "Report number 7 from the harbour town"

FROM_A_FILE = """
import scrapy

class FileSpider(scrapy.Spider):
    name = "article"  # the name of a spider of the project, which is another one

    async def start(self):
        yield scrapy.Request(self.url, self.parse_here)

    def parse_here(self, response):
        yield {"title": response.css("h1::text").get()}
        yield response.follow("/", lambda answer: {"links": len(answer.css("li a"))})
"""


@pytest.fixture(scope="module")
def queue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Door, SmallSite]]:
    """A door behind which a hundred pages are queued, and their site; the queue is the same after all commands."""
    door = Door(tmp_path_factory.mktemp("queue"))
    with SmallSite(news(PAGES)) as site:
        arguments = ["crawl", "article", "-a", f"url={site.url}/", "-s", "ROBOTSTXT_OBEY=False"]
        with door.begin(*arguments, env={"ARTICLEBOT_DELAYS_MEAN_S": "600"}) as crawl:
            wait_for(lambda: shown(door)["queued"] >= PAGES - 1 or crawl.poll() is not None)
            crawl.send_signal(signal.SIGINT)
            _, said = crawl.communicate(timeout=300)
        assert crawl.returncode == 0, said[-3000:]
        assert shown(door)["queued"] == PAGES
        yield door, site
        assert shown(door) == {"queued": PAGES, "leased": 0, "quarantined": 0}
        assert door.archived() == []


def shown(door: Door) -> dict[str, Any]:
    found: dict[str, Any] = door.json("frontier", "show")
    return {name: found[name] for name in ("queued", "leased", "quarantined")}


def test_fetch_prints_the_page(queue: tuple[Door, SmallSite]) -> None:
    door, site = queue
    done = door.type("fetch", "--nolog", site.url + PAGE)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"<h1>{TITLE}</h1>" in done.stdout
    done = door.type("fetch", "--nolog", "--spider", "article", site.url + PAGE)
    assert f"<h1>{TITLE}</h1>" in done.stdout


@pytest.mark.parametrize("program", ["scrapy", "articlebot"])
def test_shell_evaluates_an_expression(queue: tuple[Door, SmallSite], program: str) -> None:
    door, site = queue
    door = Door(door.folder, program=program)
    done = door.type("shell", "--nolog", "-c", "response.css('h1::text').get()", site.url + PAGE)
    assert (done.returncode, done.stdout.strip()) == (0, TITLE), done.stderr
    asked = f"[fetch(scrapy.Request('{site.url}{PAGE}')), response.status][1]"
    done = door.type("shell", "--nolog", "-c", asked)
    assert (done.stdout.strip(), done.stderr) == ("200", "")
    saved = door.file("page.html", "<h1>A page of mine</h1>")
    done = door.type("shell", "--nolog", "-c", "response.css('h1::text').get()", str(saved))
    assert done.stdout.strip() == "A page of mine", done.stderr


@pytest.mark.parametrize("program", ["scrapy", "articlebot"])
def test_parse_prints_the_article_of_a_page(queue: tuple[Door, SmallSite], program: str) -> None:
    door, site = queue
    door = Door(door.folder, program=program)
    out = door.folder / f"{program}.jsonl"
    done = door.type("parse", "--spider", "article", "--nolog", "--nolinks", "-o", str(out), site.url + PAGE)
    assert (done.returncode, TITLE in done.stdout) == (0, True), done.stderr
    assert [json.loads(line)["title"] for line in out.read_text().splitlines()] == [TITLE]


@pytest.mark.parametrize("program", ["scrapy", "articlebot"])
def test_commands_are_named_as_they_were_typed(tmp_path: Path, program: str) -> None:
    door = Door(tmp_path, program=program)
    said = [door.type("status").stdout, door.type("seeds", "candidates").stderr, door.type("status", "-h").stdout]
    for text, command in zip(said, ("crawl --url", "seeds add", "status [--late"), strict=True):
        assert f"{program} {command}" in text, text


def test_view_and_check_and_list(queue: tuple[Door, SmallSite]) -> None:
    door, site = queue
    assert door.type("view", "--nolog", site.url + PAGE, env={"BROWSER": "true"}).returncode == 0
    done = door.type("check")
    assert (done.returncode, done.stderr.strip()[-2:]) == (0, "OK")
    assert "article" in door.type("list").stdout.split()


def test_a_spider_from_a_file_has_a_queue_of_its_own(queue: tuple[Door, SmallSite]) -> None:
    door, site = queue
    file, out = door.file("file_spider.py", FROM_A_FILE), door.folder / "out.jsonl"
    done = door.type("runspider", str(file), "-a", f"url={site.url}{PAGE}", "-O", str(out))
    assert done.returncode == 0, done.stderr[-3000:]
    assert [json.loads(line) for line in out.read_text().splitlines()] == [{"title": TITLE}, {"links": PAGES}]


def test_bench_crawls(queue: tuple[Door, SmallSite]) -> None:
    door, _ = queue
    done = door.type("bench", "-s", "CLOSESPIDER_TIMEOUT=1")
    assert done.returncode == 0
    assert "Crawled" in done.stderr


def test_nothing_is_left_of_a_tool_that_ends_or_is_killed(queue: tuple[Door, SmallSite]) -> None:
    door, site = queue
    folder = Path(mkdtemp(prefix="tools-", dir="/tmp"))  # short, since a socket lies below
    env = {"TMPDIR": str(folder)}
    done = door.type("shell", "--nolog", "-c", "1", site.url + PAGE, env=env)
    assert done.returncode == 0, done.stderr
    assert list(folder.iterdir()) == []
    # The site answers when the shell is dead.
    site.pages["/slow"] = lambda: Reply("slow", wait_s=20.0)
    with door.begin("shell", "--nolog", "-c", "1", f"{site.url}/slow", env=env) as shell:
        wait_for(lambda: site.hits_of("/slow") != [])
        assert list(folder.iterdir()) != []
        shell.kill()
    wait_for(lambda: list(folder.iterdir()) == [])
    folder.rmdir()


@pytest.mark.parametrize(
    "typed", [("status", "--late", "nan"), ("status", "--late", "inf"), ("outbox", "retry", "--id", "9" * 24)]
)
def test_a_number_that_is_none_is_bad_use(door: Door, typed: tuple[str, ...]) -> None:
    done = door.type(*typed)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
