"""``scrapy jobs``: check job files, list jobs with their next due time, and say which server has which."""

from __future__ import annotations

import argparse
import asyncio
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.commands._output import table, to_json
from articlebot.errors import ArticlebotError, JobFileError
from articlebot.jobs import Job, load
from articlebot.runtime import Runtime
from articlebot.urls import page_key


class Command(ScrapyCommand):
    """Job files: check, list."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "check FILE... | list FILE... [--json]"

    def short_desc(self) -> str:
        return "Check job files, list jobs with when they are due"

    def long_desc(self) -> str:
        return (
            "check: reads job files (or folders of *.toml files) and names the first fault of each with file, line, "
            "key and what was expected; exit code 1 when there is one. list: the jobs with their entry pages, pages "
            "known, and when the next entry page is due."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="print JSON instead of a table")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        actions = {"check": self._check, "list": self._list}
        if len(args) < 2 or args[0] not in actions:
            raise UsageError("expected: scrapy jobs check FILE... or scrapy jobs list FILE...", print_help=False)
        try:
            self.exitcode = actions[args[0]]([Path(name) for name in args[1:]], opts)
        except ArticlebotError as error:
            print(error)
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
        columns = ["name", "entry_pages", "pages", "interval_s", "window", "enabled", "next_due"]
        print(to_json(rows) if opts.json else table(rows, columns))
        return 0


async def _rows(jobs: list[Job], runtime: Runtime) -> list[dict[str, Any]]:
    try:
        now = runtime.now()
        known = (await runtime.pages.counts(now)).by_job
        return [await _row(job, runtime, known, now) for job in jobs]
    finally:
        await runtime.close()


async def _row(job: Job, runtime: Runtime, known: dict[str, int], now: float) -> dict[str, Any]:
    records = await runtime.pages.get([page_key(url) for url, _ in job.entry_urls])
    due = [record.state.next_at if record else now for record in records]
    first = min(due)
    at = datetime.fromtimestamp(max(first, now), ZoneInfo(job.timezone)).isoformat(timespec="seconds")
    return {
        "name": job.name,
        "entry_pages": len(job.entry_urls),
        "pages": known.get(job.name, 0),
        "interval_s": job.interval,
        "window": "open" if job.opens(now) else "closed",
        "enabled": job.enabled,
        "next_due": "now" if first <= now else at,
        "next_due_at": first,
    }
