"""``scrapy jobs``: check job files, list, pause, resume and forget jobs, and say which server has which."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from redis.exceptions import RedisError
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.commands._job_names import forget, pause, resume
from articlebot.commands._output import table, to_json
from articlebot.errors import ArticlebotError, JobFileError
from articlebot.jobs import Job, load
from articlebot.jobs.assignment import Assignment
from articlebot.runtime import Runtime
from articlebot.urls import page_key

_BY_NAME = {"pause": pause, "resume": resume, "forget": forget}
_ACTIONS = ("check", "list", "servers", *_BY_NAME)

# What `pause` and `resume` answer, by whether the job was paused before and is now.
_SAID = {
    (False, True): "paused", (True, True): "already paused",
    (True, False): "followed again", (False, False): "was not paused",
}  # fmt: skip


class Command(ScrapyCommand):
    """Job files: check, list; jobs by name: pause, resume, forget; servers: which server follows which job."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "check FILE... | list FILE... | pause NAME... | resume NAME... | forget NAME... | servers   [--json]"

    def short_desc(self) -> str:
        return "Check job files, list jobs with when they are due, pause and resume them, say which server has which"

    def long_desc(self) -> str:
        return (
            "check: reads job files (or folders of *.toml files) and names the first fault of each with file, line, "
            "key and what was expected; exit code 1 when there is one. list: the jobs with their entry pages, pages "
            "known, whether they are paused (by file: enabled = false, or by command) and when the next entry page is "
            "due. pause: within 10 seconds nothing of a job is fetched any more, on all workers that share its Redis, "
            "until resume; what is queued waits, and a restart changes nothing. forget: removes what is queued and "
            "known of a job that was paused 10 seconds ago or more, and ends its pause: if a job file still has it, it "
            "begins from nothing; the archive stays. A name of no job that was ever followed is refused with the "
            "nearest ones, exit code 2. servers: which of the servers that share one REDIS_URL "
            "follows which job, since when and why, and when it was last heard of; exit code 1 when one is silent."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="print JSON instead of a table")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if not args or args[0] not in _ACTIONS or (args[0] == "servers") != (len(args) == 1):
            raise UsageError(f"expected: scrapy jobs {self.syntax()}", print_help=False)
        action, rest = args[0], args[1:]
        try:
            if action in _BY_NAME:
                self.exitcode = self._by_name(action, rest, opts)
            else:
                actions = {"check": self._check, "list": self._list, "servers": self._servers}
                self.exitcode = actions[action]([Path(name) for name in rest], opts)
        except (ArticlebotError, RedisError) as error:
            print(f"articlebot: {error}", file=sys.stderr)
            self.exitcode = 2

    def _check(self, paths: list[Path], opts: argparse.Namespace) -> int:
        results: list[dict[str, Any]] = []
        for path in paths:
            try:
                jobs = load([path])
                results.append({"file": str(path), "jobs": len(jobs), "error": None})
            except JobFileError as error:
                results.append(
                    {"file": error.path, "line": error.line, "key": error.key, "jobs": 0, "error": str(error)}
                )
        if opts.json:
            print(to_json(results))
        else:
            for result in results:
                print(result["error"] or f"{result['file']}: {result['jobs']} jobs, no fault")
        return int(any(result["error"] for result in results))

    def _list(self, paths: list[Path], opts: argparse.Namespace) -> int:
        assert self.settings is not None
        rows = asyncio.run(_rows(load(paths), Runtime.from_settings(self.settings)))
        columns = ["name", "entry_pages", "pages", "interval_s", "window", "paused", "next_due"]
        print(to_json(rows) if opts.json else table(rows, columns))
        return 0

    def _by_name(self, action: str, names: list[str], opts: argparse.Namespace) -> int:
        assert self.settings is not None
        runtime = Runtime.from_settings(self.settings)
        rows = asyncio.run(_closing(_BY_NAME[action](list(dict.fromkeys(names)), runtime), runtime))
        if opts.json:
            print(to_json(rows))
        for row in [] if opts.json else rows:
            if action == "forget":
                print(f"{row['name']}: {row['requests']:,} queued requests and {row['pages']:,} pages are forgotten")
            else:
                print(f"{row['name']}: {_SAID[row['was_paused'], row['paused']]}")
        return 0

    def _servers(self, paths: list[Path], opts: argparse.Namespace) -> int:
        assert self.settings is not None
        rows = asyncio.run(_assigned(Runtime.from_settings(self.settings)))
        if opts.json:
            print(to_json(rows))
        elif rows:
            for row in rows:
                row["since"] = datetime.fromtimestamp(row["since"], UTC).isoformat(timespec="seconds")
            print(table(rows, ["server", "job", "site", "alive", "heard_s", "since", "reason"]))
        else:
            print("No job is assigned: no worker runs, or each has a Redis of its own (REDIS_URL is not set).")
        return int(any(not row["alive"] for row in rows))


async def _closing(rows: Awaitable[list[dict[str, Any]]], runtime: Runtime) -> list[dict[str, Any]]:
    try:
        return await rows
    finally:
        await runtime.close()


async def _assigned(runtime: Runtime) -> list[dict[str, Any]]:
    try:
        config = runtime.config
        assignment = Assignment(runtime.redis, config.general.key_prefix, config.frontier.lease_s)
        seconds, millionths = await runtime.redis.time()
        rows = [asdict(row) for row in await assignment.table(seconds + millionths / 1e6)]
        return [{**row, "heard_s": row["heard_s"] and round(row["heard_s"], 1)} for row in rows]
    finally:
        await runtime.close()


async def _rows(jobs: list[Job], runtime: Runtime) -> list[dict[str, Any]]:
    try:
        now = runtime.now()
        known = (await runtime.pages.counts(now)).by_job
        paused = await runtime.pauses.all()
        return [await _row(job, runtime, known, paused, now) for job in jobs]
    finally:
        await runtime.close()


async def _row(
    job: Job, runtime: Runtime, known: dict[str, int], paused: dict[str, float], now: float
) -> dict[str, Any]:
    records = await runtime.pages.get([page_key(url) for url, _ in job.entry_urls])
    due = [record.state.next_at if record else now for record in records]
    closed_s = job.closed_for(now)
    first = max(min(due), now + closed_s) if closed_s else min(due)
    at = datetime.fromtimestamp(max(first, now), job.zone).isoformat(timespec="seconds")
    by = "command" if job.name in paused else None if job.enabled else "file"
    return {
        "name": job.name,
        "entry_pages": len(job.entry_urls),
        "pages": known.get(job.name, 0),
        "interval_s": job.interval,
        "window": "open" if job.opens(now) else "closed",
        "enabled": job.enabled,
        "paused": by,
        "paused_at": paused.get(job.name),
        "next_due": None if by else "now" if first <= now else at,
        "next_due_at": None if by else first,
    }
