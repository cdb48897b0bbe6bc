"""What a site states of its pages decides whether they are downloaded, where it has proved true."""

from __future__ import annotations

import json
import signal
import time
from itertools import count

import pytest

from tests.front_door.door import Door, wait_for
from tests.front_door.site import Page, Reply, SmallSite, article, front, news

_STATED = {"Last-Modified": "Fri, 20 Nov 2026 10:00:00 GMT"}


def test_downloads_are_stopped_where_headers_tell_of_no_change_and_sites_do_not_lie(door: Door) -> None:
    turns = count(100)

    def lie() -> Reply:
        return Reply(article(f"Report with edition {next(turns)} of the town", paragraphs=90), headers=_STATED)

    honest: dict[str, Page] = {}
    for path, page in news(4).items():
        long = article(f"Long report from {path}", paragraphs=90)
        stated = _STATED if len(honest) % 2 else {**_STATED, "Transfer-Encoding": "chunked"}  # states no length
        honest[path] = page if path == "/" else Reply(long, headers=stated)  # never a 304
    lying: dict[str, Page] = {path: page if path == "/" else lie for path, page in news(2).items()}
    # A list that gains an item every second and a half.
    coming = {f"/2026/11/21/later-{n}.html": f"Later report number {n} from the harbour town" for n in range(300)}
    begun = time.monotonic()

    def growing() -> str:
        return front(dict(list(coming.items())[: 2 + int((time.monotonic() - begun) / 1.5)][-30:]))

    live: dict[str, Page] = {"/": growing, **{path: article(title) for path, title in coming.items()}}
    with SmallSite(honest) as true, SmallSite(lying) as false, SmallSite(live) as list_site:
        elsewhere = false.url.replace("127.0.0.1", "localhost")
        every = "interval = 1\nmin_interval = 1\nmax_interval = 2\n"
        jobs = "".join(
            f'[[site]]\nname = "{name}"\nlist_pages = ["{url}/"]\n{more}\n{every}'
            for name, url, more in (
                ("honest", true.url, ""), ("lying", elsewhere, ""), ("live", list_site.url, "recrawl_articles = false"),
            )
        )  # fmt: skip
        often = {
            "ARTICLEBOT_RECRAWL_MIN_INTERVAL": "0.3", "ARTICLEBOT_RECRAWL_MAX_INTERVAL": "1",
            "ARTICLEBOT_FRONTIER_LIST_PARENTS": "1", "ARTICLEBOT_RECRAWL_POLICY": "similarity",
            "ARTICLEBOT_RECRAWL_POLL": "10000",
        }  # fmt: skip
        crawl = door.begin("crawl", "article", "-a", f"jobs={door.file('jobs.toml', jobs)}", env=often)
        wanted = [(site, path) for site, pages in ((true, honest), (false, lying)) for path in pages if path != "/"]
        try:
            wait_for(lambda: min(len(at.hits_of(path)) for at, path in [*wanted, (list_site, "/")]) >= 14)
        finally:
            crawl.send_signal(signal.SIGINT)
            said = crawl.communicate(timeout=300)[1]
        assert crawl.returncode == 0, said[-3000:]
        revisits = sum(len(true.hits_of(path)) - 1 for path in honest if path != "/")
    stats = json.loads((door.data / "last-run.json").read_text())["stats"]
    saved = door.json("status")["last_run"]["saved"]
    # The first six and then some are downloaded to see whether it is true; no lie was believed.
    assert 0.2 * revisits <= stats["articlebot/recrawl/stopped"] == saved["downloads"] < revisits
    assert saved["bytes"] >= saved["downloads"] * 20_000
    # Design D's experiment: the list's own period, and what the visits waited.
    [row] = door.json("jobs", "periods", str(door.folder / "jobs.toml"))
    assert (row["page"], row["job"]) == (f"{list_site.url}/", "live")
    assert row["real_s"] == pytest.approx(1.5, abs=0.5)
    assert row["ratio"] == pytest.approx(row["found_s"] / row["real_s"], abs=0.1)
    # Each list page is the parent of what it named.
    logged = [json.loads(line) for path in (door.data / "logs").glob("*") for line in path.read_text().splitlines()]
    assert len({row["p"] for row in logged if "p" in row}) == 3
    versions = [row["version"] for row in door.archived() if "localhost" in row["url"]]
    assert min(versions) > 3, versions


def test_a_list_that_stays_byte_for_byte_the_same_is_read_now_and_then_and_gains_its_next_item_at_once(
    door: Door,
) -> None:
    pages = news(3)
    later = "/2026/11/22/later.html"
    with SmallSite({**pages, later: article("Later report from the harbour town")}) as site:
        job = f'[[site]]\nname = "still"\nlist_pages = ["{site.url}/"]\nrecrawl_articles = false\ninterval = 1\n'
        often = {"ARTICLEBOT_RECRAWL_MIN_INTERVAL": "0.3", "ARTICLEBOT_RECRAWL_MAX_INTERVAL": "0.5"}
        crawl = door.begin("crawl", "article", "-a", f"jobs={door.file('jobs.toml', job)}", env=often)
        try:
            wait_for(lambda: len(site.hits_of("/")) >= 12)
            site.pages["/"] = front({**{path: path for path in pages if path != "/"}, later: "Later report"})
            wait_for(lambda: bool(site.hits_of(later)))
        finally:
            crawl.send_signal(signal.SIGINT)
            said = crawl.communicate(timeout=300)[1]
        assert crawl.returncode == 0, said[-3000:]
        visits = len(site.hits_of("/"))
    stats = json.loads((door.data / "last-run.json").read_text())["stats"]
    # The first, the changed one, and one in nine are read.
    assert visits // 2 <= stats["articlebot/recrawl/read_before"] <= visits - 3
    assert len(door.archived()) == 4
