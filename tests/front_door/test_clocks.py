"""Machines of one crawl whose clocks differ."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

from tests.front_door.door import Door
from tests.front_door.server import redis_server
from tests.front_door.site import SmallSite, article, front, news
from tests.runtime.fleet import wait_for

_AHEAD = """
import time

real = time.time
time.time = lambda: real() + 2 * 86400
"""


def test_a_worker_whose_clock_is_two_days_ahead_puts_nothing_off_for_the_others(tmp_path: Path) -> None:
    ahead, well = Door(tmp_path / "ahead"), Door(tmp_path / "well")
    wrong = {"PYTHONPATH": str(ahead.file("clock/sitecustomize.py", _AHEAD).parent)}
    pages, later = news(6), "/2026/11/20/a-later-report.html"
    with SmallSite(pages) as site, redis_server(tmp_path) as store:
        text = (
            f'[[site]]\nname = "town"\nlist_pages = ["{site.url}/"]\ninterval = 1\nmin_interval = 1\nmax_interval = 2\n'
        )
        crawl = ("crawl", "article", "-a", f"jobs={well.file('jobs.toml', text)}", "-a", "until=idle")
        shared = {
            "REDIS_URL": f"unix://{tmp_path}/own.sock", "ARTICLEBOT_DATABASE_URL": f"sqlite:///{tmp_path}/archive.db",
        }  # fmt: skip
        done = ahead.type(*crawl, env={**shared, **wrong})
        assert done.returncode == 0, done.stderr[-3000:]
        said = "This machine's clock is 172800 s ahead of Redis', by which the crawl goes: let both follow NTP"
        assert done.stderr.count(said) == 1
        site.pages[later] = article("A later report from the harbour town")
        site.pages["/"] = front({**dict.fromkeys(pages, "x"), later: "A later report from the harbour town"})
        before = len(site.hits)
        done = well.type(*crawl, env=shared)
        assert done.returncode == 0, done.stderr[-3000:]
        assert "This machine's clock" not in done.stderr
        # The articles are not due again by anybody's clock.
        assert [hit.path for hit in site.hits[before:] if hit.path.startswith("/2026")] == [later]
        rows = [json.loads(row) for row in well.type("export", "--json", env=shared).stdout.splitlines()]
        assert len(rows) == 7
        seconds, microseconds = store.time()
        assert max(row["fetched_at"] for row in rows) <= seconds + microseconds / 1e6


_SET_BACK = """
import os, time

real = time.time
time.time = lambda: real() - (86400 if os.path.exists("{mark}") else 0)
"""


def test_a_worker_goes_on_when_the_clock_of_its_machine_is_set_back_by_a_day(tmp_path: Path) -> None:
    door, mark = Door(tmp_path / "door"), tmp_path / "mark"
    wrong = {"PYTHONPATH": str(door.file("clock/sitecustomize.py", _SET_BACK.format(mark=mark)).parent)}
    with SmallSite(news(2)) as site, redis_server(tmp_path) as store:
        text = f'[[site]]\nname = "town"\nlist_pages = ["{site.url}/"]\nmin_interval = 1\nmax_interval = 2\n'
        arguments = ("-a", f"jobs={door.file('jobs.toml', text)}", "-a", "until=forever")
        env = {"REDIS_URL": f"unix://{tmp_path}/own.sock", **wrong}
        with door.begin("crawl", "article", *arguments, env=env) as worker:

            def tends() -> None:
                """Each five seconds a worker notes Redis' time, beside all else that it repeats."""
                so_far = store.get("{articlebot}:clock")
                wait_for(lambda: store.get("{articlebot}:clock") != so_far or worker.poll() is not None, 100)

            tends()
            mark.touch()
            for _ in range(2):
                tends()
            worker.send_signal(signal.SIGINT)
            assert worker.wait(100) == 0
            worker.communicate()


def test_what_was_planned_while_the_clock_was_a_year_ahead_is_visited_when_it_is_right_again(tmp_path: Path) -> None:
    door, later = Door(tmp_path / "door"), "/2026/11/20/a-later-report.html"
    pages = news(3)
    with SmallSite(pages) as site, redis_server(tmp_path) as store:
        text = (
            f'[[site]]\nname = "town"\nlist_pages = ["{site.url}/"]\ninterval = 1\nmin_interval = 1\nmax_interval = 2\n'
        )
        crawl = ("crawl", "article", "-a", f"jobs={door.file('jobs.toml', text)}", "-a", "until=idle")
        env = {"REDIS_URL": f"unix://{tmp_path}/own.sock"}
        assert door.type(*crawl, env=env).returncode == 0
        # As that crawl would have left them by a clock that is 400 days ahead.
        ahead = 400 * 86400
        for key in store.scan_iter("*", _type="zset"):
            store.zadd(key, {name: at + ahead for name, at in store.zrange(key, 0, -1, withscores=True) if at < 1e15})
        store.zadd("{articlebot}:jobs:servers", {"gone": store.time()[0] + ahead})
        store.incrby("{articlebot}:clock", ahead)
        site.pages[later] = article("A later report from the harbour town")
        site.pages["/"] = front({**dict.fromkeys(pages, "x"), later: "A later report from the harbour town"})
        # How long the clock was wrong nobody knows: what was due by then is due that much later.
        for _ in range(2):
            done = door.type(*crawl, env=env)
            assert done.returncode == 0, done.stderr[-3000:]
            time.sleep(2.5)
        assert later in [hit.path for hit in site.hits]
        # A server that has gone is known as gone soon, not in a year.
        ranks = [
            at for key in store.scan_iter("*", _type="zset") for _, at in store.zrange(key, 0, -1, withscores=True)
        ]
        assert max(at for at in ranks if at < 1e15) < store.time()[0] + ahead / 2
