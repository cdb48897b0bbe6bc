"""Two real workers share jobs through one Redis; one is killed, and comes back."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from articlebot.runtime.private_redis import PrivateRedis

ROOT = Path(__file__).resolve().parents[2]
JOBS = 6


def scrapy(folder: Path, redis_url: str, *arguments: str) -> list[str]:
    return [
        sys.executable, "-m", "scrapy", *arguments, "-s", f"REDIS_URL={redis_url}",
        "-s", f"ARTICLEBOT_DATA_DIR={folder}", "-s", "ARTICLEBOT_FRONTIER_LEASE_S=6", "-s", "ARTICLEBOT_PROGRESS_S=0",
    ]  # fmt: skip


def worker(folder: Path, redis_url: str) -> subprocess.Popen[bytes]:
    folder.mkdir(exist_ok=True)
    jobs = folder / "jobs.toml"
    jobs.write_text(
        "".join(
            f'[[site]]\nname = "job{n}"\nlist_pages = "http://www{n}.site{n % 3}.invalid/"\ninterval = "1h"\n'
            for n in range(JOBS)
        )
    )
    command = scrapy(folder, redis_url, "crawl", "article", "-a", f"jobs={jobs}", "-s", f"LOG_FILE={folder}/log")
    return subprocess.Popen(command, cwd=ROOT, env=dict(os.environ))


def assigned(folder: Path, redis_url: str) -> list[dict[str, Any]]:
    command = scrapy(folder, redis_url, "jobs", "servers", "--json")
    rows: list[dict[str, Any]] = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=False).stdout)
    return rows


def wait_for(folder: Path, redis_url: str, done: Callable[[Counter[str]], bool]) -> list[dict[str, Any]]:
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        rows = assigned(folder, redis_url)
        if done(Counter(row["server"] for row in rows if row["alive"])):
            return rows
        time.sleep(0.2)
    raise AssertionError(rows)


def test_jobs_are_shared_move_when_a_worker_dies_and_come_back(tmp_path: Path) -> None:
    processes: list[subprocess.Popen[bytes]] = []
    with PrivateRedis(tmp_path / "redis") as server:
        url = server.url
        try:
            processes += [worker(tmp_path / "a", url), worker(tmp_path / "b", url)]
            rows = wait_for(tmp_path, url, lambda jobs: sorted(jobs.values()) == [JOBS // 2, JOBS // 2])
            former = {row["job"]: row["server"] for row in rows}
            assert all(row["reason"] for row in rows)
            victim = processes.pop()
            os.kill(victim.pid, signal.SIGKILL)
            victim.wait()
            rows = wait_for(tmp_path, url, lambda jobs: list(jobs.values()) == [JOBS])
            (survivor,) = {row["server"] for row in rows}
            assert sum(former[row["job"]] == survivor for row in rows) == JOBS // 2
            processes.append(worker(tmp_path / "b", url))
            rows = wait_for(tmp_path, url, lambda jobs: sorted(jobs.values()) == [JOBS // 2, JOBS // 2])
            assert {row["job"]: row["server"] for row in rows} == former
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait(300)
        assert not [row for row in assigned(tmp_path, url) if row["alive"]]  # they said that they leave
    logs = "".join((tmp_path / name / "log").read_text() for name in "ab")
    assert f"follows {JOBS // 2} of {JOBS} jobs" in logs
