"""Real crawls in a process of their own, against a newsroom in another."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from articlebot_lab.newsroom.process import Newsroom

ROOT = Path(__file__).resolve().parents[2]


def start(folder: Path, room: Newsroom, *arguments: str) -> subprocess.Popen[bytes]:
    """A crawl with its data in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "http_proxy": room.proxy,
        "ARTICLEBOT_DATA_DIR": str(folder),
        "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01",
        "ARTICLEBOT_DELAYS_MEAN_S": "0.03",
        "ARTICLEBOT_DELAYS_BACK_OFF_S": "0.5",
        "ARTICLEBOT_PROGRESS_S": "0",
    }
    log = folder / f"crawl-{len(list(folder.glob('crawl-*.log')))}.log"
    command = [sys.executable, "-m", "scrapy", "crawl", "article", *arguments, "-s", f"LOG_FILE={log}"]
    return subprocess.Popen(command, cwd=ROOT, env=environment)


def crawl(
    folder: Path, room: Newsroom, *arguments: str, seconds: float = 500, codes: tuple[int, ...] = (0,)
) -> dict[str, Any]:
    """The stats of a whole crawl; ``codes`` are the exit codes that are right.

    Raises:
        AssertionError: it failed or did not end.
    """
    with start(folder, room, *arguments) as process:
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            raise AssertionError(f"no end after {seconds} s:\n{log_of(folder)[-3000:]}") from None
    assert code in codes, log_of(folder)[-3000:]
    stats: dict[str, Any] = json.loads((folder / "last-run.json").read_text())["stats"]
    return stats


def archived(folder: Path, *, versions: bool = False) -> list[dict[str, Any]]:
    """What ``scrapy export --json`` prints of a data folder."""
    command = [sys.executable, "-m", "scrapy", "export", "--json", *(["--versions"] if versions else [])]
    environment = {**os.environ, "ARTICLEBOT_DATA_DIR": str(folder)}
    printed = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True).stdout
    return [json.loads(line) for line in printed.decode().splitlines()]


def log_of(folder: Path) -> str:
    return "".join(path.read_text(errors="replace") for path in sorted(folder.glob("crawl-*.log")))


def jobs_of(room: Newsroom, folder: Path) -> str:
    """The argument that names the newsroom's own job file."""
    path = folder / "jobs.toml"
    path.write_bytes(room.get("http://newsroom.test/jobs.toml")[2])
    return f"jobs={path}"


def truth_of(room: Newsroom) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(room.get("http://newsroom.test/truth.json")[2])
    return found
