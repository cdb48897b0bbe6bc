"""Running the project's commands as cron and people do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.hurried import scrapy_with

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Crawled:
    folder: Path
    jobs: Path
    code: int
    said: list[str]
    log: str


def crawl_environment(folder: Path, proxy: str, **environment: str) -> dict[str, str]:
    """For a quick crawl of the newsroom."""
    return {
        **os.environ, "http_proxy": proxy, "ARTICLEBOT_DATA_DIR": str(folder), "ARTICLEBOT_PROGRESS_S": "0",
        "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01", "ARTICLEBOT_DELAYS_MEAN_S": "0.03", **environment,
    }  # fmt: skip


def crawl(
    folder: Path, *arguments: str, proxy: str = "", constants: Mapping[str, Any] | None = None, **environment: str
) -> tuple[int, list[str]]:
    """Exit code and what a crawl prints to standard error while its log goes to a file."""
    variables = crawl_environment(folder, proxy, **environment)
    command = [*scrapy_with(constants), "crawl", *arguments, "-s", f"LOG_FILE={folder / 'crawl.log'}"]
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=500, check=False)
    assert done.stdout == ""
    return done.returncode, done.stderr.splitlines()


def scrapy(folder: Path, *arguments: str, **environment: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a command on a data folder."""
    variables = {**os.environ, "ARTICLEBOT_DATA_DIR": str(folder), **environment}
    command = [sys.executable, "-m", "scrapy", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=500, check=False)
    return done.returncode, done.stdout, done.stderr


def scrapy_json(folder: Path, *arguments: str, **environment: str) -> tuple[int, Any]:
    """Exit code and what a command printed as JSON."""
    code, out, err = scrapy(folder, *arguments, "--json", **environment)
    assert out, err
    return code, json.loads(out)
