"""``scrapy run --workers``: one command, several processes, one report."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import threading
import time
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
import redis

from tests.front_door.door import Door, wait_for
from tests.front_door.site import Page, Reply, SmallSite, article, front, news


def _workers(door: Door) -> list[int]:
    """Processes of the workers that have written their counts."""
    return [int(path.stem.split("-")[-2]) for path in (door.data / "running").glob("*.json")]


def test_two_workers_share_a_site_and_one_that_is_killed_is_started_again(tmp_path: Path) -> None:
    door, pages, both = Door(tmp_path), news(40), threading.Event()

    def slowly(page: str) -> Reply:
        """What no worker has before both are there."""
        wait_for(lambda: both.is_set() or len(_workers(door)) == 2)
        both.set()
        return Reply(page, wait_s=0.15)

    slow: dict[str, Page] = {path: partial(slowly, str(page)) for path, page in pages.items() if path != "/"}
    with SmallSite({**pages, **slow}) as site:
        jobs = door.file("jobs.toml", f'[[site]]\nname = "harbour"\nlist_pages = ["{site.url}/"]\ndelay = "0.2s"\n')
        running = door.begin("run", "--jobs", str(jobs), "--workers", "2", "--json")
        wait_for(lambda: len(_workers(door)) == 2 and len(site.hits) > 8)
        killed, limited = _workers(door)
        os.kill(killed, signal.SIGKILL)
        resource.prlimit(limited, resource.RLIMIT_NOFILE, (3, 3))
        out, err = running.communicate(timeout=600)
    assert running.returncode == 0, err
    assert "was ended by SIGKILL; it is started again in 1 s" in err
    assert "had no memory or open files left; it is started again in 1 s" in err
    log = (door.data / "crawl.log").read_text()
    assert log.count("The crawl ends, its pages stay queued: too many open files: raise `ulimit -n`") == 1
    assert "Traceback" not in log
    assert "articlebot: article done (finished)" in err
    report = json.loads(out)
    assert report["errors"] == 0
    found = Counter(row["url"].removeprefix(site.url) for row in door.archived())
    assert found == Counter(path for path in pages if path != "/")
    last = json.loads((door.data / "last-run.json").read_text())
    assert len(last["workers"]) == 2
    assert not list(door.data.glob("last-run-*"))
    assert door.type("crawl", "--jobs", str(jobs), "-s", "ARTICLEBOT_OPERATIONS_REPORT=mine.json").returncode == 0
    assert json.loads((door.data / "mine.json").read_text())["reason"] == "finished"
    told = door.json("status", env={"ARTICLEBOT_OPERATIONS_REPORT": "mine.json"})
    assert told["last_run"]["spider"] == "article"
    assert "saved" in told["last_run"]


def test_a_run_finds_what_is_due_beside_a_worker_with_other_jobs_on_the_same_stores(tmp_path: Path) -> None:
    door, hour = Door(tmp_path), (time.gmtime().tm_hour + 12) % 23
    # Whose entry pages take so long to store that the worker looks for what is due meanwhile.
    closed = "".join(
        f'[[site]]\nname = "closed{n}"\nlist_pages = ["http://closed{n}.test/"]\n'
        f'timezone = "UTC"\nwindows = [{{hours = "{hour}-{hour + 1}"}}]\n'
        for n in range(3000)
    )
    often = 'recrawl_articles = false\ninterval = "1s"\nmin_interval = "1s"\nmax_interval = "1s"\n'
    with SmallSite(news(2)) as first, SmallSite(news(2)) as second:
        theirs, mine = (
            door.file(f"{name}.toml", f'[[site]]\nname = "{name}"\nlist_pages = ["{site.url}/"]\n{often}{more}')
            for name, site, more in (("theirs", first, ""), ("mine", second, closed))
        )
        worker = door.begin("crawl", "article", "-a", f"jobs={theirs}", "-s", "LOG_ENABLED=0")
        try:
            wait_for(lambda: len(first.hits_of("/")) > 1)
            for _ in range(3):
                visits, seen = len(second.hits_of("/")), len(first.hits_of("/"))
                done = door.type("crawl", "--jobs", str(mine), "-s", "LOG_ENABLED=0")
                assert (done.returncode, len(second.hits_of("/")) > visits) == (0, True), done.stderr
                wait_for(lambda seen=seen: len(first.hits_of("/")) > seen + 1)
        finally:
            worker.send_signal(signal.SIGINT)
            worker.communicate(timeout=300)
    assert worker.returncode == 0


def test_two_runs_with_jobs_of_one_host_each_do_what_is_due_of_theirs(tmp_path: Path) -> None:
    door, pages = Door(tmp_path), {path: Reply(str(page), wait_s=0.3) for path, page in news(6).items()}
    with SmallSite(
        {**pages, "/more": front({f"/more/2026/11/20/{n}.html": f"Some more of story {n}" for n in range(6)})}
    ) as site:
        site.pages |= {f"/more/2026/11/20/{n}.html": article(f"Some more of story {n}") for n in range(6)}
        jobs = [
            door.file(f"{name}.toml", f'[[site]]\nname = "{name}"\nlist_pages = ["{site.url}{path}"]\n')
            for name, path in (("first", "/"), ("second", "/more"))
        ]
        for run in [door.begin("crawl", "--jobs", str(one), "-s", "LOG_ENABLED=0") for one in jobs]:
            run.communicate(timeout=300)
            assert run.returncode == 0
    assert {row["url"].removeprefix(site.url) for row in door.archived()} == {
        path for path in site.pages if path.endswith(".html")
    }


def test_a_page_is_visited_for_its_job_though_a_worker_with_other_jobs_hears_of_it_first(tmp_path: Path) -> None:
    door = Door(tmp_path)
    with SmallSite(news(2)) as first, SmallSite(news(2)) as second:
        second.pages["/hidden/letter.html"] = article("A letter that no list names")
        often = 'interval = "1s"\nmin_interval = "1s"\nmax_interval = "1s"\n'
        theirs, mine = (
            door.file(f"{name}.toml", f'[[site]]\nname = "{name}"\nlist_pages = ["{url}/"]\n{often}')
            for name, url in (("theirs", first.url.replace("127.0.0.1", "localhost")), ("mine", second.url))
        )
        assert door.type("crawl", "--jobs", str(mine)).returncode == 0
        worker = door.begin("crawl", "article", "-a", f"jobs={theirs}", "-s", "LOG_FILE=" + str(tmp_path / "log"))
        try:
            wait_for(lambda: len(first.hits_of("/")) > 1)
            visit = door.type("frontier", "visit", f"{second.url}/hidden/letter.html")
            assert "visited for job mine at once" in visit.stdout, visit.stderr
            seen = len(first.hits_of("/"))
            wait_for(lambda: len(first.hits_of("/")) > seen + 1)
        finally:
            worker.send_signal(signal.SIGINT)
            worker.communicate(timeout=300)
        assert "Refused" not in (tmp_path / "log").read_text()
        assert door.type("crawl", "--jobs", str(mine)).returncode == 0
    assert "A letter that no list names" in {row["title"] for row in door.archived() if row["job"] == "mine"}


def test_a_long_run_takes_no_job_from_a_worker_for_ever(tmp_path: Path, redis_url: str) -> None:
    door, env = Door(tmp_path), {"REDIS_URL": redis_url, "ARTICLEBOT_FRONTIER_LEASE_S": "3"}
    often = 'interval = "1s"\nmin_interval = "1s"\nmax_interval = "1s"\nrecrawl_articles = false\n'
    with (
        SmallSite(news(1)) as first,
        SmallSite(news(1)) as second,
        SmallSite(news(1)) as third,
        SmallSite(news(8)) as slow,
    ):
        quick = (first, second, third)
        three = "".join(
            f'[[site]]\nname = "quick{number}"\nlist_pages = ["{site.url.replace("127.0.0.1", "localhost")}/"]\n{often}'
            for number, site in enumerate(quick)
        )
        theirs = door.file("theirs.toml", three)
        long = f'[[site]]\nname = "slow"\nlist_pages = ["{slow.url}/"]\ndelay = "3s"\n'
        worker = door.begin("crawl", "article", "-a", f"jobs={theirs}", "-s", "LOG_ENABLED=0", env=env)
        try:
            wait_for(lambda: len(first.hits_of("/")) > 1)
            run = door.begin("crawl", "--jobs", str(door.file("all.toml", three + long)), env=env)
            wait_for(lambda: len(slow.hits) > 3)
            seen = [len(site.hits_of("/")) for site in quick]
            wait_for(lambda: len(slow.hits) > 8)
            assert all(len(site.hits_of("/")) > some + 3 for site, some in zip(quick, seen, strict=True))
            run.communicate(timeout=300)
        finally:
            worker.send_signal(signal.SIGINT)
            worker.communicate(timeout=300)
    assert run.returncode == 0


def test_a_run_ends_beside_a_worker_that_is_never_done_with_other_jobs(tmp_path: Path) -> None:
    door, often = Door(tmp_path), {"ARTICLEBOT_RECRAWL_MIN_INTERVAL": "0.3", "ARTICLEBOT_RECRAWL_MAX_INTERVAL": "1"}
    with SmallSite(news(60)) as busy, SmallSite(news(3)) as site:
        theirs, mine = (
            door.file(f"{name}.toml", f'[[site]]\nname = "{name}"\nlist_pages = ["{url}/"]\ndelay = "0.1s"\n')
            for name, url in (("theirs", busy.url.replace("127.0.0.1", "localhost")), ("mine", site.url))
        )
        worker = door.begin("crawl", "article", "-a", f"jobs={theirs}", "-s", "LOG_ENABLED=0", env=often)
        try:
            wait_for(lambda: len(busy.hits) > 65)
            done = door.type("crawl", "--jobs", str(mine), seconds=120)
            seen = len(busy.hits)
            wait_for(lambda: len(busy.hits) > seen)
        finally:
            worker.send_signal(signal.SIGINT)
            worker.communicate(timeout=300)
    assert (done.returncode, "3 new articles" in done.stderr) == (0, True), done.stderr


def test_a_worker_s_refusal_is_said_once_and_a_terminal_that_closes_ends_all(tmp_path: Path) -> None:
    door = Door(tmp_path)
    bad = door.type("run", "--url", "http://127.0.0.1:9/", "--workers", "2", "-s", "ARTICLEBOT_PROGRESS_S=many")
    assert (bad.returncode, bad.stderr.count("ARTICLEBOT_PROGRESS_S")) == (2, 1)
    assert door.type("run", "--url", "http://127.0.0.1:9/", "--workers", "0").returncode == 2
    told = threading.Event()

    def robots() -> Reply:
        told.wait(300)
        return Reply("", 404)

    with SmallSite({**news(30), "/robots.txt": robots}) as site:
        running = door.begin("run", "--url", f"{site.url}/", "--workers", "2")
        wait_for(lambda: len(_workers(door)) == 2)
        pids = _workers(door)
        running.send_signal(signal.SIGHUP)  # as SIGTERM
        told.set()
        _, err = running.communicate(timeout=300)
    assert "Ending in order" in err
    assert running.returncode in (0, 3), err
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_workers_end_in_order_when_run_is_killed(tmp_path: Path) -> None:
    door = Door(tmp_path)
    pages: dict[str, Page] = {path: Reply(str(page), wait_s=0.5) for path, page in news(300).items()}
    with SmallSite(pages) as site:
        jobs = door.file("jobs.toml", f'[[site]]\nname = "harbour"\nlist_pages = ["{site.url}/"]\n')
        running = door.begin("run", "--jobs", str(jobs), "--workers", "2")
        wait_for(lambda: len(_workers(door)) == 2 and len(site.hits) > 8)
        pids = _workers(door)
        running.kill()
        running.communicate(timeout=300)
        wait_for(lambda: not any(map(_is_running, pids)))
        assert len(site.hits) < len(pages)
    assert (door.data / "crawl.log").read_text().count("Spider closed (shutdown)") == 2


def test_a_page_that_kills_its_workers_is_put_aside_for_a_time_and_no_other_with_it(tmp_path: Path) -> None:
    door, pages = Door(tmp_path), news(24)
    killer, *others = [path for path in pages if path != "/"]
    killed: list[int] = []

    def kill() -> Reply:
        wait_for(lambda: set(_workers(door)) - set(killed))
        killed.extend(set(_workers(door)) - set(killed))
        os.kill(killed[-1], signal.SIGKILL)
        return Reply("", 503)

    with SmallSite({**pages, killer: kill}) as site:
        jobs = door.file("jobs.toml", f'[[site]]\nname = "harbour"\nlist_pages = ["{site.url}/"]\ndelay = "0.1s"\n')
        running = door.begin("run", "--jobs", str(jobs), "--workers", "1", "--json")
        _, err = running.communicate(timeout=600)
        assert running.returncode == 0, err
        assert {row["url"].removeprefix(site.url) for row in door.archived()} == set(others)
        (kept,) = door.json("frontier", "quarantine")
        assert kept["url"] == f"{site.url}{killer}"
        assert [why for _, _, why in kept["history"]] == ["worker lost"] * 2 + ["worker lost alone"] * 2
        assert kept["again_at"] == pytest.approx(kept["at"] + 3600, abs=1)
        assert "4 workers died with it in hand" in door.type("explain", f"{site.url}{killer}").stdout
        # A request that a user queues again has its tries anew.
        assert door.type("frontier", "requeue", "--all").returncode == 0
        site.pages[killer] = pages[killer]
        assert door.type("crawl", "--jobs", str(jobs)).returncode == 0
        assert len(door.archived()) == 24
    assert len(killed) == 4


def test_workers_whose_redis_is_emptied_visit_all_anew_and_publish_nothing_twice(
    tmp_path: Path, redis_url: str
) -> None:
    door, pages = Door(tmp_path), news(24)
    last = [path for path in pages if path != "/"][-1]

    def empty() -> str:
        with redis.Redis.from_url(redis_url) as client:
            client.flushall()
        pages[last] = text
        return text

    text, pages[last] = str(pages[last]), empty
    with SmallSite(pages) as site, redis.Redis.from_url(redis_url) as client:
        client.config_set("maxmemory-policy", "allkeys-lru")
        done = door.type("run", "--url", f"{site.url}/", "--workers", "2", env={"REDIS_URL": redis_url})
        client.config_set("maxmemory-policy", "noeviction")
    assert (done.returncode, "1 site followed" in done.stdout) == (0, True), done.stderr
    log = (door.data / "crawl.log").read_text()
    assert "Redis has lost the queue and all page states" in log
    assert "maxmemory-policy allkeys-lru): set it to noeviction" in log
    assert Counter(row["url"].removeprefix(site.url) for row in door.archived()) == Counter(
        path for path in pages if path != "/"
    )
    published = (door.data / "published" / "articles.jsonl").read_text().splitlines()
    assert len(published) == len(pages) - 1


def test_what_one_worker_s_look_finds_counts_for_the_pages_that_another_is_handed(
    tmp_path: Path, redis_url: str
) -> None:
    # The zone stands on the home page alone, and each article alone leads to the one before it.
    titles = {
        f"/2026/letter-{line}-{n}.html": f"Letter {n} of bundle {line} from the lighthouse"
        for line in range(8) for n in range(3)
    }  # fmt: skip
    pages: dict[str, Page] = {}
    for path, title in titles.items():
        stem, n = path[:-6], int(path[-6])
        before = f"{stem}{n + 1}.html"
        link = (
            f'<p class="post-navigation"><a rel="prev" href="{before}">Previous: {titles[before]}</a></p>'
            if n < 2
            else ""
        )
        pages[path] = article(title, date="").replace("</article>", f"</article>{link}")
    pages["/"] = front({path: title for path, title in titles.items() if path.endswith("-0.html")})
    door, env = Door(tmp_path), {"REDIS_URL": redis_url}
    with SmallSite(pages) as site:
        jobs = door.file("jobs.toml", f'[[site]]\nname = "letters"\nsite = "{site.url}/"\n')
        workers = [
            door.begin(
                "crawl",
                "article",
                "-a",
                f"jobs={jobs}",
                "-s",
                "LOG_ENABLED=0",
                env=env | {"ARTICLEBOT_DATA_DIR": str(tmp_path / name)},
            )
            for name in ("one", "two")
        ]
        try:
            wait_for(lambda: {hit.path for hit in site.hits} >= titles.keys())
        finally:
            for worker in workers:
                worker.send_signal(signal.SIGINT)
            for worker in workers:
                worker.communicate(timeout=300)


def test_lists_that_repeat_a_site_s_feed_are_gone_through_though_the_worker_that_read_it_is_gone(
    tmp_path: Path, redis_url: str
) -> None:
    rows = [(f"/2026/report-{n}.html", f"Report {n} from the harbour town") for n in range(120)]
    pages: dict[str, Page] = {path: article(title) for path, title in rows}
    items = "".join(f"<item><title>{title}</title><link>{path}</link></item>" for path, title in rows[:96])
    feed = f"<rss version='2.0'><channel><title>News</title>{items}</channel></rss>"
    pages["/feed"] = Reply(feed, headers={"Content-Type": "application/rss+xml"})
    named = '<link rel="alternate" type="application/rss+xml" href="/feed">'
    gone_through = threading.Event()

    def turned(listed: str) -> Reply:
        """What a worker waits for that goes through the list: its look asks for no article."""
        if gone_through.is_set() or "/2026/report-0.html" not in [hit.path for hit in site.hits]:
            return Reply(listed)
        gone_through.set()
        return Reply(listed, wait_s=5.0)

    for number in range(15):
        older = f'<a rel="next" href="/page/{number + 2}">Older</a>' if number < 14 else ""
        listed = front(dict(rows[8 * number : 8 * number + 8]), head=named).replace("</body>", f"{older}</body>")
        pages[f"/page/{number + 1}" if number else "/"] = partial(turned, listed) if number else listed
    door, env = Door(tmp_path), {"REDIS_URL": redis_url}
    with SmallSite(pages) as site:
        command = ("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle", "-s", "LOG_ENABLED=0")
        first = door.begin(*command, env=env)
        assert gone_through.wait(300)
        first.kill()
        first.communicate(timeout=300)
        assert door.type(*command, env=env).returncode == 0
    assert {row["url"].removeprefix(site.url) for row in door.archived()} == {path for path, _ in rows}


def test_a_worker_knows_the_pictures_of_a_front_page_that_another_has_read(tmp_path: Path, redis_url: str) -> None:
    rows = {f"/2026/report-{n}.html": f"Report {n} from the harbour town" for n in range(4)}
    sign = '<meta property="og:image" content="/harbour-at-dawn.jpg">'
    named = '<link rel="alternate" type="application/rss+xml" href="/feed">'
    pages: dict[str, Page] = {path: article(title, head=sign) for path, title in rows.items()}
    pages["/"] = front(rows, head=sign + named)
    items = "".join(f"<item><title>{title}</title><link>{path}</link></item>" for path, title in rows.items())
    # The site is followed by its feed: its home page is read by the look alone.
    feed = f"<rss version='2.0'><channel><title>News</title>{items}</channel></rss>"
    pages["/feed"] = Reply(feed, headers={"Content-Type": "application/rss+xml"})
    door = Door(tmp_path)
    env = {"REDIS_URL": redis_url, "ARTICLEBOT_RECRAWL_MIN_INTERVAL": "0.3", "ARTICLEBOT_RECRAWL_MAX_INTERVAL": "1"}
    with SmallSite(pages) as site:
        command = ("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle", "-s", "LOG_ENABLED=0")
        assert door.type(*command, env=env).returncode == 0
        pages |= {path: article(title, paragraphs=9, head=sign) for path, title in rows.items()}
        time.sleep(1)
        assert door.type(*command, env=env).returncode == 0
    updated = [row for row in door.archived() if row["change"] == "updated"]
    assert {row["lead_image"] for row in updated} == {None}


def test_a_site_is_looked_at_by_another_worker_where_the_first_dies_before_all_it_has_read_is_queued(
    tmp_path: Path, redis_url: str
) -> None:
    titles = [
        {f"/{section}/report-{n}.html": f"Report {n} of section {section} from the harbour town" for n in range(16)}
        for section in range(24)
    ]
    pages: dict[str, Page] = {path: article(title) for rows in titles for path, title in rows.items()}
    menu = "".join(f'<a href="/{section}/">Section {section}</a> ' for section in range(24))
    pages |= {f"/{n}/": front(rows).replace("<ul>", f"<nav>{menu}</nav><ul>") for n, rows in enumerate(titles)}
    first = {path: title for rows in titles[:2] for path, title in list(rows.items())[10:14]}
    pages["/"] = front(first).replace("<ul>", f"<nav>{menu}</nav><ul>")
    workers: dict[str, subprocess.Popen[str]] = {}
    killed: list[str] = []

    def kill(page: str) -> Reply:
        """What is asked for once the look's first page has named it: the look has told what it found, and not ended."""
        if not killed and (store.get("{articlebot}:jobs:looks:harbour") or b"").startswith(b"{"):
            killed.extend(name for name in workers if "look_fetch" in (tmp_path / f"{name}.log").read_text())
            workers[killed[0]].kill()
        return Reply(page)

    pages |= {path: partial(kill, str(pages[path])) for path in first}
    door, soon = Door(tmp_path), {"articlebot.jobs.looks:_LOOKING_S": 6.0}
    with SmallSite(pages) as site, redis.Redis.from_url(redis_url) as store:
        jobs = door.file("jobs.toml", f'[[site]]\nname = "harbour"\nsite = "{site.url}/"\n')
        for name in ("one", "two"):
            env = {
                "REDIS_URL": redis_url,
                "ARTICLEBOT_DATA_DIR": str(tmp_path / name),
                "ARTICLEBOT_FRONTIER_LEASE_S": "5",
            }
            log = f"LOG_FILE={tmp_path / name}.log"
            workers[name] = door.begin("crawl", "article", "-a", f"jobs={jobs}", "-s", log, env=env, constants=soon)
        try:
            wait_for(lambda: {hit.path for hit in site.hits} >= {path for rows in titles for path in rows})
        finally:
            for worker in workers.values():
                worker.send_signal(signal.SIGINT)
            for worker in workers.values():
                worker.communicate(timeout=300)
    assert len(killed) == 1
