"""What a page costs from the request to the archive: real pages over loopback, everything counted.

    python -m benchmarks.pipeline --json [--sets big9 blogs daniel] [--workers 2]

The corpus' pages come through its replay proxy. ``first`` reads them without wrappers, ``warm`` with those that the
command ``learn`` has made of the same sites; neither learns meanwhile. Processor time is that of all workers, of Redis
and of PostgreSQL; what a crawl takes that finds nothing is taken off. The peer is Scrapy with trafilatura on the same
list pages, without state or archive. A further crawl under cProfile, whose own cost is in it, tells the stages' shares
of the main thread.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import psutil
import redis

from articlebot.runtime.private_redis import PrivateRedis
from articlebot.urls import site
from benchmarks import corpus
from benchmarks.batch import parse_ms, typed
from benchmarks.profiles import shares
from benchmarks.replay import get, job_file, replayed

ROOT = Path(__file__).resolve().parents[1]
_QUICK = {
    "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01", "ARTICLEBOT_DELAYS_MEAN_S": "0.02", "ARTICLEBOT_PROGRESS_S": "0",
}  # fmt: skip


@contextmanager
def database(kind: str, folder: Path) -> Iterator[tuple[str | None, psutil.Process | None]]:
    """URL of an empty database, and its server where it has one; SQLite lies in the data folder."""
    if kind == "sqlite":
        yield None, None
        return
    with import_module("tests.archive.conftest").PostgreSQL() as server:  # with pytest, which SQLite does not need
        assert server._process is not None
        yield server.url, psutil.Process(server._process.pid)


def tree_s(process: psutil.Process | None) -> float:
    """Processor seconds of a process and all that it has started."""
    if process is None:
        return 0.0
    # Those of children that have ended are among a process' own four.
    return float(sum(process.cpu_times()[:4]) + sum(sum(one.cpu_times()[:4]) for one in process.children()))


def children_s() -> float:
    """Processor seconds of all commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def crawl(sets: list[str], folder: Path, kind: str, command: list[str], settings: dict[str, str]) -> dict[str, Any]:
    """What a crawl of the sets took; without sets, one that finds nothing. The job file ends the command."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        proxy = stack.enter_context(replayed(corpus.ROOT, sets or ["blogs"]))
        sites = get(proxy, "http://replay.invalid/sites.json")
        wanted = sites if sets else {"nothing.example": {"list_page": "http://nothing.example/"}}
        (folder / "jobs.toml").write_text(job_file(wanted, 0.02), encoding="utf-8")
        server = stack.enter_context(PrivateRedis(folder / "redis"))
        client = stack.enter_context(redis.Redis.from_url(server.url))
        url, process = stack.enter_context(database(kind, folder))
        environment = {**os.environ, **_QUICK, "http_proxy": proxy, "REDIS_URL": server.url}
        environment |= {"ARTICLEBOT_DATA_DIR": str(folder / "data"), **settings}
        if url is not None:
            environment["ARTICLEBOT_DATABASE_URL"] = url
        before = children_s(), redis_s(client), tree_s(process)
        done = subprocess.run(
            [*command[:-1], f"{command[-1]}{folder / 'jobs.toml'}"],
            env=environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        after = children_s(), redis_s(client), tree_s(process)
        log = get(proxy, "http://replay.invalid/log.json")
    if done.returncode not in (0, 1, 3):
        raise SystemExit(f"{command}: {done.stderr[-2000:]}")
    pages = sum(status == 200 and path not in ("/", "/robots.txt") for _, _, path, status in log)
    return {"pages": pages, "cpu_s": [b - a for a, b in zip(before, after, strict=True)]}


def redis_s(client: redis.Redis) -> float:
    """Processor seconds of the server."""
    used: Any = client.info("cpu")
    return sum(float(used[f"used_cpu_{name}"]) for name in ("user", "sys", "user_children", "sys_children"))


def measured(sets: list[str], folder: Path, kind: str, command: list[str], settings: dict[str, str]) -> dict[str, Any]:
    """Processor time a page of a crawl, start and end taken off."""
    nothing = crawl([], folder / "nothing", kind, command, settings)["cpu_s"]
    found = crawl(sets, folder, kind, command, settings)
    took = [max(0.0, one - start) for one, start in zip(found["cpu_s"], nothing, strict=True)]
    pages = max(1, found["pages"])
    # A run takes minutes; whoever ends it early has what was found so far.
    print(f"{folder.name}: {pages} pages, processor seconds {found['cpu_s']}, {nothing} without pages", file=sys.stderr)
    parts = dict(
        zip(("workers_ms", "redis_ms", "database_ms"), (round(1000 * s / pages, 2) for s in took), strict=True)
    )
    return {
        "pages": found["pages"], "cpu_ms_per_page": round(1000 * sum(took) / pages, 2), **parts,
        "pages_per_s_a_core": round(pages / max(1e-9, sum(took)), 1), "start_cpu_s": round(sum(nothing), 1),
    }  # fmt: skip


def learn(sets: list[str], folder: Path) -> None:
    """Wrappers of the sets' sites, in the data folder of a crawl."""
    folder.mkdir(parents=True)
    with (folder / "pages.jsonl").open("w", encoding="utf-8") as known:
        for name, row, body in corpus.page_rows(sets):
            url = row["url"] or f"http://{row['site'] or name}.example/{row['id']}.html"
            (folder / f"{name}-{row['id']}.html").write_bytes(body)
            line = {"site": site(url), "url": url, "html_path": f"{name}-{row['id']}.html"}
            known.write(json.dumps(line) + "\n")
    typed(folder, "learn", "--pages", str(folder / "pages.jsonl"))


def profiled(sets: list[str], folder: Path, settings: dict[str, str]) -> dict[str, float]:
    """The stages' shares in a crawl by one worker."""
    command = [sys.executable, "-m", "scrapy", "crawl", "article", "--profile", str(folder / "profile")]
    crawl(sets, folder, "sqlite", [*command, "-a", "until=idle", "-a", "jobs="], settings)
    return shares(folder / "profile")


def main() -> None:
    """Runs the measurements and prints them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=["big9", "blogs", "daniel"], help="of the corpus (%(default)s)")
    parser.add_argument("--databases", nargs="+", default=["sqlite", "postgresql"])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    product = [sys.executable, "-m", "scrapy", "run", "--workers", str(options.workers), "--jobs", ""]
    peer = [sys.executable, "-m", "benchmarks.pipeline_peer", ""]
    off, still = {"ARTICLEBOT_WRAPPERS_ENABLED": "0"}, {"ARTICLEBOT_WRAPPERS_PROCESSES": "0"}
    figures: dict[str, Any] = {
        "parse_ms": round(parse_ms([body for _, _, body in corpus.page_rows(options.sets, 5)]), 2)
    }
    with tempfile.TemporaryDirectory(prefix="pipeline-", dir="/tmp") as name:
        folder = Path(name)
        for kind in options.databases:
            figures[kind] = {"first": measured(options.sets, folder / f"{kind}-first", kind, product, off)}
            learn(options.sets, folder / f"{kind}-warm")
            figures[kind]["warm"] = measured(options.sets, folder / f"{kind}-warm", kind, product, still)
        figures["scrapy_trafilatura"] = measured(options.sets, folder / "peer", "sqlite", peer, {})
        figures["shares_first"] = profiled(options.sets, folder / "profiled", off)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
