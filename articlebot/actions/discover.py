"""``scrapy jobs windows`` and ``intervals``: learns time windows and base intervals from the crawl history."""

from __future__ import annotations

import argparse
from collections import defaultdict
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.output import table
from articlebot.jobs import Job
from articlebot.jobs.book import JobBook
from articlebot.jobs.history import RoundRecord
from articlebot.jobs.intervals import learn_interval
from articlebot.jobs.learned import LearnedJobs
from articlebot.jobs.windows import learn_windows
from articlebot.runtime import Runtime, clock

_DAY = 86400.0


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Learns, says what it learned, and keeps it."""
    rows = _learn(command, args, opts)
    command.show(rows, lambda: table(rows, list(rows[0]) if rows else ["job"]), opts)
    base.last_line(command, "jobs", f"{command.action} of {len(rows):,} jobs")


def _learn(command: base.Command, files: list[str], opts: argparse.Namespace) -> list[dict[str, Any]]:
    if not opts.days > 0:
        raise UsageError("--days must be above 0")
    now, by_job = clock.now(), defaultdict[str, list[RoundRecord]](list)

    async def known(runtime: Runtime) -> LearnedJobs:
        with closing(runtime.visits.history) as history:
            for record in history.rounds(now - opts.days * _DAY):
                by_job[record.job].append(record)
        return await runtime.visits.hear()

    learned = command.ask(known)
    learn = _windows if command.action == "windows" else _intervals
    rows = [learn(job, by_job[job.name], learned, now) for job in JobBook.from_argument(",".join(files), None)]
    if not opts.dry_run:
        learned.save(command.config().general.data_dir)
        command.ask(lambda runtime: runtime.visits.share(learned, now))
    return rows


def _windows(job: Job, rounds: list[RoundRecord], learned: LearnedJobs, now: float) -> dict[str, Any]:
    offset = datetime.fromtimestamp(now, job.zone).utcoffset()
    found = learn_windows(rounds, 0.0 if offset is None else offset.total_seconds())
    before = learned.get(job.name)
    learned.jobs[job.name] = replace(before, windows=found.windows, confidence=found.confidence)
    return {
        "job": job.name, "before": _shown(before.windows), "now": _shown(found.windows),
        "confidence": round(found.confidence, 3), "rounds": found.rounds, "why": found.why,
    }  # fmt: skip


def _shown(windows: tuple[Any, ...]) -> str:
    return "; ".join(f"{','.join(w.days) if len(w.days) < 7 else 'daily'} {w.hours}" for w in windows) or "always"


def _intervals(job: Job, rounds: list[RoundRecord], learned: LearnedJobs, now: float) -> dict[str, Any]:
    before = learned.get(job.name)
    since = [r for r in rounds if r.at >= before.interval_at]
    base = before.interval_of(job) or _mean_gap(since, len(job.entry_urls)) or job.begins_with()
    found = learn_interval(since, base, *job.bounds)
    if found.interval != base:
        learned.jobs[job.name] = replace(before, interval=found.interval, interval_at=now, stated=job.interval or 0.0)
    return {
        "job": job.name, "before_s": round(base, 1), "now_s": round(found.interval, 1),
        "update_share": round(found.share, 3), "rounds": found.rounds, "why": found.why,
    }  # fmt: skip


def _mean_gap(rounds: list[RoundRecord], entries: int) -> float | None:
    """Seconds between two visits of an entry page: the base of a job whose policy chose them; None of too few."""
    if len(rounds) <= entries:
        return None
    times = [record.at for record in rounds]
    return (max(times) - min(times)) * entries / (len(rounds) - entries) or None
