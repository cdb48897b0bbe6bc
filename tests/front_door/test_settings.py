"""Settings that change what a crawl does, each seen to act: the same site under the defaults and under others."""

from __future__ import annotations

import json
import signal
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.front_door.door import Door, wait_for
from tests.front_door.site import Page, Reply, SmallSite, article, front, news

# One worker of the test runner makes the crawls that all of these tests read.
pytestmark = pytest.mark.xdist_group("settings")

_EDITED, _REPRINT = "/2026/11/20/edited-story.html", "/2026/11/20/reprinted-story.html"
_BUSY = "/2026/11/20/busy-story.html"
# Articles are visited again while the crawl runs; without chance in the delays their mean can be seen.
_BOTH = {
    "ARTICLEBOT_RECRAWL_MIN_INTERVAL": "1", "ARTICLEBOT_RECRAWL_MAX_INTERVAL": "3", "ARTICLEBOT_DELAYS_SPREAD": "0",
    "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01",
}  # fmt: skip
_OTHER = {
    "ARTICLEBOT_DELAYS_MEAN_S": "0.4",
    "ARTICLEBOT_RECRAWL_POLICY": "uniform",
    "ARTICLEBOT_RECRAWL_SCALE": "3",
    "ARTICLEBOT_CHANGE_RULE": "simhash",
    "ARTICLEBOT_CHANGE_THRESHOLD": "64",
    "ARTICLEBOT_DEDUP_METHOD": "off",
    "ARTICLEBOT_CLASSIFY_SUMMARY_CHARS": "0",
    "ARTICLEBOT_CLASSIFY_KEYWORDS": "0",
    "ARTICLEBOT_FRONTIER_CRAWL_LOG": "0",
    "ARTICLEBOT_WRAPPERS_ENABLED": "0",
    "ARTICLEBOT_ARCHIVE_KEEP_HTML": "0",
    "ARTICLEBOT_ARCHIVE_RAW": "all",
    "ARTICLEBOT_CHANGE_FINGERPRINT": "package",
    "ARTICLEBOT_FRONTIER_SEEN": "bloom",
    "ARTICLEBOT_FRONTIER_SEEN_EXPECTED": "5000",
    "ARTICLEBOT_DELAYS_BACK_OFF_CAP_S": "1",
}
_TAXONOMY = """
version = 1
title = "A taxonomy of one's own"

[[category]]
id = "bridges"
words_en = "bridge!, council!, harbour!"

[[category]]
id = "nothing of it"
words_en = "zeppelin!"
"""


class Crawled:
    """What one crawl of the site left."""

    def __init__(self, door: Door, site: SmallSite, env: dict[str, str]) -> None:
        self.door, self.site = door, site
        self.rows = {row["url"].removeprefix(site.url): row for row in door.archived()}
        self.explained = door.json("explain", f"{site.url}/", env=env)

    def sql(self, question: str) -> Any:
        with sqlite3.connect(self.door.data / "archive.db") as archive:
            return archive.execute(question).fetchone()[0]

    def each(self, field: str) -> list[Any]:
        return [row[field] for row in self.rows.values()]

    def files(self, pattern: str) -> list[str]:
        return [path.name for path in self.door.data.glob(pattern)]


def _site() -> dict[str, Page]:
    pages = news(6)
    first = str(pages["/2026/11/20/report-number-0.html"])
    titles = {path: "x" for path in pages if path != "/"}
    titles = {path: f"Report number {n} from the harbour town" for n, path in enumerate(titles)}
    pages["/"] = front(
        {
            **titles,
            _BUSY: "A page that is had at the second time",
            _EDITED: "A story that is edited later",
            _REPRINT: "The same report, reprinted",
        }
    )
    pages[_REPRINT] = first.replace("<h1>Report number 0 from the harbour town", "<h1>The same report, reprinted")
    asked: list[str] = []

    def edited() -> str:
        asked.append("once more")
        whole = article("A story that is edited later")
        more = "<p>This paragraph was added when the council had met again on the next day to vote anew.</p>"
        return whole if len(asked) == 1 else whole.replace("</article>", more + "</article>")

    pages[_EDITED] = edited
    return pages


def _busy_once() -> Page:
    """A page that asks to come again in ten minutes, and is there when it is asked for before."""
    asked: list[str] = []

    def busy() -> str | Reply:
        asked.append("once more")
        again = Reply("busy", 429, {"Retry-After": "600"})
        return again if len(asked) == 1 else article("A page that is had at the second time")

    return busy


def _all_seen(site: SmallSite) -> bool:
    """Whether each page was asked for as often as the tests need: what is edited again after it was read anew."""
    asked = Counter(hit.path for hit in site.hits)
    often = {_EDITED: 3, _BUSY: 2, "/": 1}
    return asked.total() > 20 and all(asked[page] >= often.get(page, 1) for page in site.pages)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Crawled]]:
    with ExitStack() as stack:
        found = {}
        for name, env in (("default", {}), ("other", _OTHER)):
            door, site = Door(tmp_path_factory.mktemp(name)), stack.enter_context(SmallSite(_site()))
            if env:
                site.pages[_BUSY] = _busy_once()
            own = {"ARTICLEBOT_CLASSIFY_MODEL": str(door.file("own.toml", _TAXONOMY))} if env else {}
            arguments = ("-a", f"url={site.url}/", "-s", f"LOG_FILE={door.folder / 'crawl.log'}")
            with door.begin("crawl", "article", *arguments, env={**_BOTH, **env, **own}) as crawl:
                wait_for(lambda site=site: _all_seen(site) or crawl.poll() is not None, 500)  # type: ignore[misc]
                crawl.send_signal(signal.SIGINT)
                _, said = crawl.communicate(timeout=300)
            assert crawl.returncode == 0, said[-3000:]
            assert ("articlebot: 1 requests were refused for haste" in said) == bool(env), said[-3000:]
            found[name] = Crawled(door, site, env)
        yield found.__getitem__


def test_change_and_dedup(crawled: Callable[[str], Crawled]) -> None:
    assert crawled("default").rows[_EDITED]["version"] == 2
    assert crawled("other").rows[_EDITED]["version"] == 1
    fingerprints = "SELECT fingerprint_version FROM versions"
    assert crawled("default").sql(fingerprints) != crawled("other").sql(fingerprints)
    assert crawled("default").rows[_REPRINT]["cluster"] is not None
    assert set(crawled("other").each("cluster")) == {None}


def test_frontier(crawled: Callable[[str], Crawled]) -> None:
    # A queue keeps the layout that it was begun with: another is refused, and names what it was.
    other = crawled("other")
    for setting, value in (("ARTICLEBOT_FRONTIER_SEEN", "exact"), ("ARTICLEBOT_FRONTIER_SEEN_EXPECTED", "900000")):
        env = {**_OTHER, setting: value}
        done = other.door.type("crawl", "article", "-a", f"url={other.site.url}/", "-a", "until=idle", env=env)
        assert (done.returncode, "was laid out with seen" in done.stderr) == (2, True), done.stderr[-2000:]
        assert "Traceback" not in done.stderr


def test_delays_and_recrawl(crawled: Callable[[str], Crawled]) -> None:
    # One request may be held up on its way; all together they are quicker than their delays by a second at most.
    times = [hit.at for hit in crawled("other").site.hits if hit.path != "/robots.txt"]
    assert times[-1] - times[0] > (len(times) - 1) * 0.4 - 1.0
    # The site asked to come again in ten minutes; the cap says a second.
    assert _BUSY in crawled("other").rows
    assert _BUSY not in crawled("default").rows
    # A fifth of the policy's own prior, where nothing is known of other pages; and three times the half hour of
    # policies that have none.
    assert crawled("default").explained["interval_s"] == pytest.approx(6630.0 / 5, abs=1.0)
    assert crawled("other").explained["interval_s"] == pytest.approx(5400.0, abs=0.1)


def test_classify(crawled: Callable[[str], Crawled]) -> None:
    assert all(crawled("default").each("summary"))
    assert not any(crawled("other").each("summary"))
    assert all(crawled("default").each("keywords"))
    assert not any(crawled("other").each("keywords"))
    assert "bridges" not in crawled("default").each("category")
    assert "bridges" in crawled("other").each("category")


def test_archive_and_what_is_kept_in_the_data_folder(crawled: Callable[[str], Crawled]) -> None:
    html, raw = "SELECT count(*) FROM texts WHERE html IS NOT NULL", "SELECT count(*) FROM raw_pages"
    assert (crawled("default").sql(html) > 0, crawled("default").sql(raw)) == (True, 0)
    assert (crawled("other").sql(html), crawled("other").sql(raw) > 0) == (0, True)
    for pattern in ("logs/crawl-*.jsonl", "pages/*"):
        assert crawled("default").files(pattern)
        assert not crawled("other").files(pattern)


def test_typed(door: Door) -> None:
    """What commands show of a setting, beside the same command without it."""
    door.file("own.txt", "http://anna:s3cret@8.8.8.8:3128\n")
    assert [row["state"] for row in door.json("proxies", "list", env={
        "ARTICLEBOT_PROXIES_PAID_FILE": str(door.folder / "own.txt")})] == ["paid"]  # fmt: skip
    door.file("mine/daily.example.json", '{"body": ["//article"]}')
    env = {"ARTICLEBOT_WRAPPERS_FOLDER": str(door.folder / "mine")}
    assert door.json("wrappers", "list") == []
    assert [row["site"] for row in door.json("wrappers", "list", env=env)] == ["daily.example"]
    shown = door.type("settings", "--get", "ARTICLEBOT_CHANGE_THRESHOLD")
    assert (shown.returncode, shown.stdout.strip()) == (0, "5")


def test_a_look_at_a_site_costs_no_more_pages_than_are_set(door: Door) -> None:
    sections = {f"/section-{n}/": front({}) for n in range(12)}
    with SmallSite({**news(4), **sections}) as site:
        site.pages["/"] = str(site.pages["/"]).replace(
            "<ul>", "<nav>" + "".join(f"<a href='{path}'>Section</a>" for path in sections) + "</nav><ul>"
        )
        asked = []
        for env in ({}, {"ARTICLEBOT_SEEDS_MAX_PAGES": "5"}):
            site.hits.clear()
            door.type("seeds", "discover", f"{site.url}/", env=env)
            asked.append(len([hit for hit in site.hits if hit.path != "/robots.txt"]))
    assert asked[1] <= 5 < asked[0]


def test_how_far_a_focused_crawl_goes_through_pages_off_its_topic(door: Door) -> None:
    goal = "The striker scored a late goal and the goalkeeper saved a penalty in the cup final. "
    topic = door.file("cup.toml", f'name = "cup"\ntexts = ["{goal}"]\n')
    with SmallSite(
        {"/": front({"/market.html": "Bonds and rates"}), "/market.html": front({"/cup.html": goal})}
    ) as site:
        site.pages["/cup.html"] = article("The cup final").replace("</h1>", f"</h1><p>{goal * 20}</p>")
        found = []
        for depth in ("0", "2"):
            env = {"ARTICLEBOT_RELEVANCE_OFF_TOPIC_DEPTH": depth, "ARTICLEBOT_KEY_PREFIX": f"depth-{depth}"}
            site.hits.clear()
            door.type("crawl", "focused", "-a", f"topic={topic}", "-a", f"seeds={site.url}/", env=env)
            found.append({hit.path for hit in site.hits} - {"/robots.txt", "/.well-known/tdmrep.json"})
        # A page off the topic qualifies by a link whose words are on it.
        markets = {f"/market-{n}.html": f"Bonds and rates fell on day {n}" for n in range(30)}
        site.pages["/many"] = front({**markets, "/cup.html": goal})
        env = {
            "ARTICLEBOT_RELEVANCE_OFF_TOPIC_DEPTH": "0", "ARTICLEBOT_RELEVANCE_QUALIFIES_FROM": "1",
            "ARTICLEBOT_RELEVANCE_RULE": "design", "ARTICLEBOT_RELEVANCE_HUB": "found",
            "ARTICLEBOT_KEY_PREFIX": "qualifies",
        }  # fmt: skip
        door.type("crawl", "focused", "-a", f"topic={topic}", "-a", f"seeds={site.url}/many", "-a", "budget=3", env=env)
    stats = json.loads((door.data / "last-run.json").read_text())["stats"]
    assert (stats["articlebot/focused/qualified_by_links"], stats["response_received_count"] > 3) == (1, True)
    assert found == [{"/"}, {"/", "/market.html", "/cup.html"}]
