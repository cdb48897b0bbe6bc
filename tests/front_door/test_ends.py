"""Where things end: retention, visits, what is remembered, and the patience with hosts that do not answer."""

from __future__ import annotations

import signal
import socket
import time
from datetime import UTC, datetime
from itertools import count, pairwise

from tests.front_door.door import Door, wait_for
from tests.front_door.site import Page, Reply, SmallSite, article, news

_WIRE = news(1, prefix="Wire")


def _hangs() -> Reply:
    return Reply("too late", wait_s=30.0)


def test_a_host_that_never_answers_is_left_alone_until_it_does(door: Door) -> None:
    pages = news(8)
    with socket.socket() as closed, SmallSite(dict.fromkeys(pages, _hangs)) as site, SmallSite(_WIRE) as well:
        closed.bind(("127.0.0.1", 0))  # and does not listen: refused at once
        dead = f"http://127.0.0.1:{closed.getsockname()[1]}"
        site.pages["/"] = pages["/"]
        jobs = door.file(
            "jobs.toml",
            "".join(f'[[site]]\nname = "{name}"\nlist_pages = ["{url}/"]\n' for name, url in
                    [("hangs", site.url), ("refuses", dead), ("well", well.url)]),
        )  # fmt: skip
        crawl = ("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle", "-s", "DOWNLOAD_TIMEOUT=5")
        impatient = {"ARTICLEBOT_FRONTIER_IDLE_WAIT_S": "3", "ARTICLEBOT_DELAYS_BACK_OFF_S": "1"}
        done = door.type(*crawl, env=impatient)
        assert done.returncode == 3, done.stderr[-3000:]  # two sites gave nothing
        asked = [hit.path for hit in site.hits if hit.path not in ("/", "/robots.txt", "/.well-known/tdmrep.json")]
        # One second after the first has timed out; a silence above what the run waits for ends it.
        assert 2 <= len(asked) <= 4, asked
        starts = [hit.at for hit in site.hits if hit.path in asked]
        assert all(b - a >= 2**n for n, (a, b) in enumerate(pairwise(starts))), starts
        assert asked[0] != asked[1]  # the next probe is another page: one that hangs does not stand for its host
        assert f"{site.url[7:]} has not answered" in done.stderr
        assert [row["title"] for row in door.archived()] == ["Wire number 0 from the harbour town"]  # of `well`
        status = door.json("status")
        assert status["frontier"]["quarantined"] == 0
        silent = {one["fault"]: one for one in status["silent_hosts"]}
        assert silent["timeout"]["host"] == site.url[7:]
        assert silent["timeout"]["queued"] == 8
        assert silent["timeout"]["probes"] == len(asked)
        assert silent["refused_connection"]["queued"] == 1
        assert silent["refused_connection"]["next_probe_at"] > silent["refused_connection"]["since"]
        site.pages.update(pages)
        patient = {**impatient, "ARTICLEBOT_FRONTIER_IDLE_WAIT_S": "10"}
        assert door.type(*crawl, env=patient).returncode == 3  # the other is away still
        assert len(door.archived()) == 9
        assert [one["fault"] for one in door.json("status")["silent_hosts"]] == ["refused_connection"]


def _job(door: Door, site: SmallSite, more: str = "") -> tuple[str, ...]:
    text = f'[[site]]\nname = "town"\nlist_pages = ["{site.url}/"]\ninterval = 1\nmin_interval = 1\nmax_interval = 2\n'
    return ("crawl", "article", "-a", f"jobs={door.file('jobs.toml', text + more)}")


def test_what_retention_removed_stays_removed_until_its_page_is_news(door: Door) -> None:
    often = {"ARTICLEBOT_RECRAWL_MIN_INTERVAL": "0.1", "ARTICLEBOT_RECRAWL_MAX_INTERVAL": "1"}
    with SmallSite(news(6)) as site:
        paths = [path for path in site.pages if path != "/"]
        crawl = (*_job(door, site), "-a", "until=idle")
        assert door.type(*crawl, env=often).returncode == 0
        time.sleep(1.0)
        removed = door.json("archive", "retention", "--days", "0.00001", "--apply")
        assert removed["articles"] == 6
        time.sleep(1.1)  # dates of pages are read to the second
        # Another text alone is no news: only what says that it is of a later time.
        site.pages[paths[0]] = article("Corrected report from the harbour town")
        site.pages[paths[1]] = article("Later report from the harbour town", date=datetime.now(UTC).isoformat())
        before = len(site.hits)
        assert door.type(*crawl, env=often).returncode == 0
        assert {hit.path for hit in site.hits[before:]} >= set(paths)  # they were read, and not taken
        assert [row["title"] for row in door.archived()] == ["Later report from the harbour town"]
        assert door.json("status")["pages"]["known"] == 2  # the list page and that one; the others are visited no more
        told = door.json("explain", site.url + paths[0])
        assert told["removed_at"] is not None
        assert told["why"].startswith("Removed by retention")
        # Their marks expire: each is read once more, and the archive still knows what it has and what it had.
        time.sleep(2.0)  # the longest interval of the list page, which is due then however fast all this was
        before = len(site.hits)
        assert door.type(*crawl, env={"ARTICLEBOT_FRONTIER_SEEN_DAYS": "0.00001"}).returncode == 0
        asked = [hit.path for hit in site.hits[before:]]
        assert {asked.count(path) for path in paths[2:]} == {1}
        [kept] = door.archived()
        assert (kept["title"], kept["version"]) == ("Later report from the harbour town", 1)


def test_visits_end_where_nothing_changes_and_where_a_page_is_gone(door: Door) -> None:
    turns = count()
    pages = news(8)
    quiet, lively, gone, led, soft, moved, retitled, late = (path for path in pages if path != "/")
    shown, renamed = str(pages["/"]), "/2026/11/20/another-headline.html"
    pages[lively] = lambda: article(f"Live report number {next(turns)} from the harbour town")
    settings = {
        "ARTICLEBOT_RECRAWL_MIN_INTERVAL": "0.3", "ARTICLEBOT_RECRAWL_MAX_INTERVAL": "1.5",
        "ARTICLEBOT_RECRAWL_ARTICLE_DAYS": "0.0002",  # 17.28 s
    }  # fmt: skip

    def is_gone() -> Page:
        return article("A report that goes") if len(site.hits_of(gone)) < 2 else Reply("gone", 410)

    def turns_into(path: str, what: Page) -> None:
        before = pages[path]
        site.pages[path] = lambda: before if len(site.hits_of(path)) < 2 else what

    with SmallSite(pages) as site:
        site.pages[gone] = is_gone
        turns_into(led, Reply("", 302, headers={"Location": "/"}))
        turns_into(
            soft, "<html><head><title>Town news</title></head><h1>Page not found</h1><p>Try our home page.</html>"
        )
        site.pages["/archive/moved.html"] = pages[moved]
        turns_into(moved, Reply("", 301, headers={"Location": "/archive/moved.html"}))
        not_yet, then = Reply("not yet", 404), pages[late]
        site.pages[late] = lambda: not_yet if len(site.hits_of(late)) < 2 else then
        # The list shows an article under another headline and address, before its first address leads there.
        site.pages["/"] = lambda: shown.replace(retitled, renamed) if len(site.hits_of(retitled)) > 1 else shown
        site.pages[renamed] = str(pages[retitled]).replace(
            ">Report number 6 from the harbour town</", ">Another headline</"
        )
        there, was = Reply("", 301, headers={"Location": renamed}), pages[retitled]
        site.pages[retitled] = lambda: there if site.hits_of(renamed) else was

        def has_ended() -> bool:
            """Whether the one page is visited again and again, and no other was for long or will be."""
            last = max(
                (hits[-1] for path in pages if path not in ("/", lively) and (hits := site.hits_of(path))), default=0
            )
            later = [at for at in site.hits_of(lively) if at > last]
            quiet_for_long = len(site.hits_of(gone)) >= 6 and len(later) > 5 and later[-1] - last > 5.0
            # On a busy machine one that is due may wait for longer than that.
            return quiet_for_long and door.json("status")["pages"]["known"] == 2

        log = ("-s", f"LOG_FILE={door.folder / 'crawl.log'}")
        with door.begin(*_job(door, site), *log, env=settings) as crawl:
            wait_for(lambda: has_ended() or crawl.poll() is not None, 500)
            crawl.send_signal(signal.SIGINT)
            _, said = crawl.communicate(timeout=300)
        assert crawl.returncode == 0, said[-3000:]
        assert len(site.hits_of(quiet)) >= 3
        assert len(site.hits_of(gone)) == 6  # read, and answered five times with 410
        assert door.json("status")["pages"]["known"] == 2  # the list and what is lively
        assert "it is visited no more: it was quiet" in door.json("explain", site.url + quiet)["why"]
        said = door.json("explain", site.url + gone)["why"]
        assert said.startswith("Withdrawn: version 2 says so; its page is gone for good"), said
    rows = door.archived()
    assert {row["canonical_url"].removeprefix(site.url): row["withdrawn_at"] is not None for row in rows} == {
        quiet: False, lively: False, gone: True, led: True, soft: True, moved: False, retitled: False, late: False,
    }  # fmt: skip
    assert len(rows) == 8
    assert "Another headline" in {row["title"] for row in rows}
