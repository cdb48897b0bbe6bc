"""``scrapy run --workers``: one command, several processes, one report."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from pathlib import Path

import pytest

from tests.front_door.door import Door, wait_for
from tests.front_door.site import Reply, SmallSite, news


def _workers(door: Door) -> list[int]:
    """Processes of the workers that have written their counts."""
    return [int(path.stem.split("-")[-2]) for path in (door.data / "running").glob("*.json")]


@pytest.mark.timeout(900)
@pytest.mark.xdist_group("crawls")
def test_two_workers_share_a_site_and_one_that_is_killed_is_started_again(tmp_path: Path) -> None:
    door, pages = Door(tmp_path), news(40)
    slow = {path: Reply(str(page), wait_s=0.15) for path, page in pages.items() if path != "/"}
    with SmallSite({**pages, **slow}) as site:
        jobs = door.file("jobs.toml", f'[[site]]\nname = "harbour"\nlist_pages = ["{site.url}/"]\ndelay = "0.2s"\n')
        running = door.begin("run", "--jobs", str(jobs), "--workers", "2", "--json")
        wait_for(lambda: len(_workers(door)) == 2 and len(site.hits) > 8)
        os.kill(_workers(door)[0], signal.SIGKILL)
        out, err = running.communicate(timeout=600)
    assert running.returncode == 0, err
    assert "was ended by SIGKILL; it is started again in 1 s" in err
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


def test_a_worker_s_refusal_is_said_once_and_sigterm_ends_all(tmp_path: Path) -> None:
    door = Door(tmp_path)
    bad = door.type("run", "--url", "http://127.0.0.1:9/", "--workers", "2", "-s", "ARTICLEBOT_PROGRESS_S=many")
    assert (bad.returncode, bad.stderr.count("ARTICLEBOT_PROGRESS_S")) == (2, 1)
    assert door.type("run", "--url", "http://127.0.0.1:9/", "--workers", "0").returncode == 2
    with SmallSite({**news(30), "/robots.txt": Reply("", 404, wait_s=20)}) as site:
        running = door.begin("run", "--url", f"{site.url}/", "--workers", "2")
        wait_for(lambda: len(_workers(door)) == 2)
        pids = _workers(door)
        running.send_signal(signal.SIGTERM)
        _, err = running.communicate(timeout=120)
    assert "Ending in order" in err
    assert running.returncode in (0, 3), err
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
