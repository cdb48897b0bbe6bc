"""Where things end: retention, visits, what is remembered, and the patience with hosts that do not answer."""

from __future__ import annotations

import socket
from itertools import pairwise
from typing import Any

from tests.front_door.door import Door
from tests.front_door.site import Page, Reply, SmallSite, article, front, news


_WIRE = news(1, prefix="Wire")


def _hangs() -> Reply:
    return Reply("too late", wait_s=30.0)


def _silent_hosts(door: Door) -> dict[str, dict[str, Any]]:
    return {one["fault"]: one for one in door.json("status")["silent_hosts"]}


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
        crawl = ("crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle", "-s", "DOWNLOAD_TIMEOUT=1")
        impatient = {"ARTICLEBOT_FRONTIER_IDLE_WAIT_S": "3", "ARTICLEBOT_DELAYS_BACK_OFF_S": "1"}
        done = door.type(*crawl, env=impatient)
        assert done.returncode == 0, done.stderr[-3000:]
        asked = [hit.path for hit in site.hits if hit.path not in ("/", "/robots.txt")]
        # One second after the first has timed out, then two, four; a pause above what the run waits for ends it.
        assert 2 <= len(asked) <= 4, asked
        starts = [hit.at for hit in site.hits if hit.path in asked]
        assert all(b - a >= 2**n for n, (a, b) in enumerate(pairwise(starts))), starts
        assert len(set(asked)) == len(asked)  # each probe is another page: one that hangs does not stand for its host
        assert f"{site.url[7:]} has not answered" in done.stderr
        assert [row["title"] for row in door.archived()] == ["Wire number 0 from the harbour town"]  # of `well`
        silent = _silent_hosts(door)
        assert silent["timeout"]["host"] == site.url[7:]
        assert silent["timeout"]["queued"] == 8
        assert silent["timeout"]["probes"] == len(asked)
        assert silent["refused_connection"]["queued"] == 1
        assert silent["refused_connection"]["next_probe_at"] > silent["refused_connection"]["since"]
        shown = door.json("frontier", "show")
        assert shown["quarantined"] == 0
        site.pages.update(pages)
        assert door.type(*crawl, env={**impatient, "ARTICLEBOT_FRONTIER_IDLE_WAIT_S": "10"}).returncode == 0
        assert len(door.archived()) == 9
        assert set(_silent_hosts(door)) == {"refused_connection"}
