"""``scrapy jobs``: check job files, list, pause, resume and forget jobs, and say which server has which."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from articlebot.actions import base
from articlebot.actions.output import table
from articlebot.jobs import Job, load
from articlebot.runtime import Runtime
from articlebot.times import iso
from articlebot.urls import page_key


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Does one action."""
    if command.action == "servers":
        _servers(command, opts)
    else:
        jobs = load([Path(name) for name in args])
        rows = command.ask(lambda runtime: _rows(jobs, runtime))
        columns = ["name", "entry_pages", "pages", "interval_s", "window", "paused", "next_due"]
        command.show(rows, lambda: table(rows, columns), opts)


def _servers(command: base.Command, opts: argparse.Namespace) -> None:
    rows = command.ask(_assigned)
    shown = [{**row, "since": iso(row["since"])} for row in rows]
    none = "No job is assigned: no worker runs, or each has a Redis of its own (REDIS_URL is not set)."
    columns = ["server", "job", "site", "alive", "heard_s", "since", "reason"]
    command.show(rows, lambda: table(shown, columns) if rows else none, opts)
    command.exitcode = int(any(not row["alive"] for row in rows))


async def _assigned(runtime: Runtime) -> list[dict[str, Any]]:
    rows = [asdict(row) for row in await runtime.assignment.table(await runtime.clients.time())]
    return [{**row, "heard_s": row["heard_s"] and round(row["heard_s"], 1)} for row in rows]


async def _rows(jobs: list[Job], runtime: Runtime) -> list[dict[str, Any]]:
    now = runtime.now()
    known = (await runtime.pages.counts(now)).by_job
    paused = await runtime.pauses.all()
    looks = await runtime.looks.get(job.name for job in jobs if job.site is not None)
    jobs = [job.completed(looks[job.name].keys) if job.name in looks else job for job in jobs]
    keys = [page_key(url) for job in jobs for url, _ in job.entry_urls]
    records = iter(await runtime.pages.get(keys) if keys else ())
    dues = [[one.state.next_at if one else now for one in islice(records, len(job.entry_urls))] for job in jobs]
    return [_row(job, due, known, paused, now) for job, due in zip(jobs, dues, strict=True)]


def _row(job: Job, due: list[float], known: dict[str, int], paused: dict[str, float], now: float) -> dict[str, Any]:
    closed_s = job.closed_for(now)
    soonest = min(due, default=now)  # a site that was not looked at yet
    first = max(soonest, now + closed_s) if closed_s else soonest
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
