"""``scrapy status``: one screen about everything that runs, and an exit code for a monitor."""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from math import inf
from typing import Any

from redis.exceptions import RedisError
from scrapy.exceptions import UsageError
from sqlalchemy import func, select

from articlebot.actions import base
from articlebot.actions.short import MOST_TOLD, alike, falls_short, refusal, silence
from articlebot.alerts.freshness import objectives
from articlebot.alerts.messages import text_of
from articlebot.alerts.store import Alert
from articlebot.archive import schema
from articlebot.archive.engine import reading
from articlebot.diagnosis import told
from articlebot.errors import ArticlebotError
from articlebot.frontier.inspect import counts_by_spider, eviction, silent, slots
from articlebot.frontier.inspect import workers as workers_of
from articlebot.frontier.leases import Counts
from articlebot.jobs.files import WRONG_FILES
from articlebot.publishing import letters
from articlebot.runtime import Runtime
from articlebot.runtime.archive_wait import WAITS
from articlebot.runtime.runs import errors_in, summary_line
from articlebot.times import iso

# A page may be due for so long before somebody should look.
LATE_S = 3600.0
_LOW_DISK = 1 << 30
_MOST_WALLS = 5
_MOST_PAUSED = 20
_MOST_SILENT = 20
_MOST_SLOTS = 500  # the longest queues first
_NOTHING = "nothing was crawled here so far: scrapy crawl --url URL"
_QUEUE = {"passed": "slots passed over, whose jobs are paused or not known"}
# Alerts of which no other look of this command knows.
_ONLY_TOLD = ("drift", "quiet", "breaker")
# Of a job that nobody visited for so long, nothing is said any more: it was taken out of the job files, or renamed.
_FORGOTTEN_S = 7 * 86400.0


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Prints the state."""
    if not 0 < opts.late < inf:
        raise UsageError("expected --late above 0", print_help=False)
    state = command.ask(lambda runtime: state_of(runtime, opts.late))
    command.show(state, lambda: _text(state), opts)
    command.exitcode = int(bool(state["warnings"]))


async def state_of(runtime: Runtime, late: float) -> dict[str, Any]:
    """How the crawl is; ``late``: seconds from which a page is overdue."""
    warnings: list[str] = []
    state: dict[str, Any] = {"at": runtime.now(), "warnings": warnings}
    try:
        state |= await _crawl(runtime, late, warnings)
        known = await runtime.alerts.all()
        state["freshness"] = _freshness(known, warnings)
        state["alerts"] = _alerts(known, warnings)
        backfills = await runtime.backfills.all()
        state["backfills"] = [{**asdict(one), "left_s": one.left_s(runtime.now())} for one in backfills]
        state["findings"] = await _findings(runtime, state["paused"], warnings)
        running = await runtime.runs.running(runtime.now())
        state["signals"] = _signals([run.stats for run in running])
        warnings += [
            f"worker {run.worker} keeps the old jobs of files that are wrong: {wrong}"
            for run in running
            if (wrong := run.stats.get(WRONG_FILES))
        ]
        warnings += [f"worker {run.worker} waits: {said}" for run in running if (said := run.stats.get(WAITS))]
        failures, told_of = await runtime.looks.failures(), {one["job"] for one in state["findings"]}
        followed = state["pages"]["by_job"].keys() - told_of - {*state["paused"]}
        warnings += [f"job {job}: {said}" for job, said in sorted(failures.items()) if job in followed]
        state["short"] = await falls_short(runtime, followed - failures.keys())
    except (ArticlebotError, RedisError, OSError) as error:
        warnings.append(base.said_of(error) or f"Redis: {error}")
    try:
        state |= await asyncio.to_thread(_archive, runtime, warnings)
        with suppress(RedisError):  # told above
            if said := await runtime.known_archive.look():
                warnings.append(said)
    except ArticlebotError as error:
        warnings.append(str(error))
    state["last_run"] = _last_run(runtime, warnings)
    folder = runtime.config.general.data_dir
    # A mistyped ARTICLEBOT_DATA_DIR is well too, and holds nothing.
    state["empty"] = not (state["last_run"] or state.get("workers") or state.get("pages", {}).get("known"))
    state["disk_free_bytes"] = free = shutil.disk_usage(folder if folder.exists() else ".").free
    if free < _LOW_DISK:
        warnings.append(f"{free / 1e6:,.0f} MB of disk are left")
    warnings[:] = dict.fromkeys(warnings)  # several parts may fail of one cause
    return state


async def _crawl(runtime: Runtime, late: float, warnings: list[str]) -> dict[str, Any]:
    frontier = runtime.frontier
    await frontier.open()
    now = runtime.now()
    by_spider = await counts_by_spider(frontier)
    counts = Counts.total(by_spider.values())
    redis: Any = frontier.redis
    heard = [one for name in by_spider for one in await workers_of(frontier.of(name))]
    memory = await redis.info("memory")
    pages, next_due = await runtime.pages.counts(now), await runtime.pages.next_due_at()
    workers = [{"worker": one.name, "heard_s": round(one.heard_s, 1)} for one in heard]
    alive = sum(one.heard_s <= runtime.config.frontier.lease_s for one in heard)
    overdue = max(0.0, now - next_due) if next_due is not None else 0.0
    if said := eviction(memory):
        warnings.append(said)
    if counts.leased and not alive:
        warnings.append(f"{counts.leased:,} leases, and no worker lives")
    if counts.quarantined:
        warnings.append(f"{counts.quarantined:,} requests in quarantine: scrapy frontier quarantine")
    if overdue > late:
        warnings.append(f"pages are due for {overdue:,.0f} s: nobody fetches them")
    return {
        "redis_bytes": int(memory["used_memory"]),
        "frontier": {"queued": counts.queued, "leased": counts.leased, "quarantined": counts.quarantined,
                     "slots": counts.slots, "passed": counts.passed},
        "paused": sorted(await runtime.pauses.all()),
        "silent_hosts": [asdict(one) for one in await silent(frontier)],
        "refusing": [asdict(one) for one in await slots(frontier, _MOST_SLOTS) if one.back_off and one.queued],
        "workers": workers,
        "workers_alive": alive,
        "pages": {"known": pages.pages, "due": pages.due, "overdue_s": round(overdue, 1), "by_job": pages.by_job},
        "walls": [
            {"site": one.site, "walls": one.total, "kinds": one.kinds, "last_at": one.last_at}
            for one in await runtime.walls.table()
        ],
    }  # fmt: skip


def _alerts(known: list[Alert], warnings: list[str]) -> list[dict[str, Any]]:
    opened = [one for one in known if one.open]
    warnings += [text_of(one) for one in opened if one.kind in _ONLY_TOLD]
    return [{"kind": one.kind, "about": one.about, "since": one.since, "text": text_of(one)} for one in opened]


def _freshness(known: list[Alert], warnings: list[str]) -> list[dict[str, Any]]:
    found = objectives(known)
    warnings += [text_of(one) for one in known if one.kind == "freshness" and one.open]
    return [asdict(one) for one in found]


async def _findings(runtime: Runtime, paused: Collection[str], warnings: list[str]) -> list[dict[str, Any]]:
    # Nobody need look at a job that somebody has paused.
    found = [
        one for one in await runtime.diagnosis.pasts.findings(runtime.now() - _FORGOTTEN_S) if one.job not in paused
    ]
    warnings += [f"sites: {line}" for line in told([one for one in found if one.severity == "fault"])]
    return [asdict(one) for one in found]


def _archive(runtime: Runtime, warnings: list[str]) -> dict[str, Any]:
    engine, now = runtime.archive.engine, runtime.now()
    with reading(engine) as connection:
        newest = connection.execute(select(func.max(schema.articles.c.archived_at))).scalar()
    sinks = letters.summary(engine, list(runtime.config.publishing.sinks), now)
    for row in sinks:
        if row["dead"]:
            warnings.append(f"sink {row['sink']}: {row['dead']:,} dead letters: scrapy outbox show")
        if row["failures"]:
            warnings.append(f"sink {row['sink']} fails: {row['error']}")
    return {"archive": {**runtime.archive.counts(), "newest_at": newest}, "sinks": sinks}


# Signals of changes: came for known pages, made a visit sooner, and what visits found of them.
_SIGNALS = ("heard", "moved", "right", "wrong")


def _last_run(runtime: Runtime, warnings: list[str]) -> dict[str, Any] | None:
    try:
        kept = json.loads(runtime.last_run.read_text(encoding="utf-8"))
        stats = kept["stats"]
        errors = errors_in(stats)
        told = {
            "spider": kept["spider"], "reason": kept["reason"], "ended_at": kept["ended_at"], "errors": errors,
            "summary": summary_line(stats), "saved": _saved(stats),
            "signals": _signals([stats]),
        }  # fmt: skip
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        warnings.append(f"{runtime.last_run.name} cannot be read: {error}")
        return None
    if errors:
        warnings.append(f"the last run logged {errors:,} errors")
    return told


def _signals(runs: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    return {name: sum(stats.get(f"articlebot/recrawl/signals/{name}", 0) for stats in runs) for name in _SIGNALS}


def _saved(stats: dict[str, Any]) -> dict[str, float]:
    """Downloads stopped at their headers, which told of no change, and what they would have cost."""
    stopped = (stats.get(f"articlebot/recrawl/stopped{part}", 0) for part in ("", "_bytes", "_ms"))
    downloads, size, milliseconds = stopped
    return {"downloads": downloads, "bytes": size, "seconds": round(milliseconds / 1000, 1)}


def _text(state: dict[str, Any]) -> str:
    lines = []
    if "frontier" in state:
        pages, jobs = state["pages"], state["pages"]["by_job"]
        lines += [
            "queue    " + _queue(state["frontier"]),
            f"workers  {state['workers_alive']:,} alive of {len(state['workers']):,}",
            f"pages    {pages['known']:,} known of {len(jobs):,} jobs, {pages['due']:,} due"
            + (f", the longest for {pages['overdue_s']:,.0f} s" if pages["due"] else ""),
            f"redis    {state['redis_bytes'] / 1e6:,.1f} MB",
        ]
    if paused := state.get("paused"):
        lines.append(f"paused   {len(paused):,} jobs by command: {', '.join(paused[:_MOST_PAUSED])}")
    for one in state.get("freshness", ()):
        told = "no article measured" if one["p95_s"] is None else f"95% within {one['p95_s']:,.0f} s"
        lines.append(f"fresh    {one['job']}: {told} of {one['objective_s']:,.0f} s, {one['articles']:,} articles")
    for one in state.get("backfills", ()):
        left = "its end is not known yet" if one["left_s"] is None else f"about {one['left_s'] / 60:,.0f} min left"
        lines.append(
            f"backfill {one['job']} ({one['wanted']}): {one['done']:,} of {one['admitted']:,} pages that "
            f"{one['lists']:,} lists named, {left if one['done'] < one['admitted'] else 'all that is known is done'}"
        )
    if "archive" in state:
        counts = {name: value for name, value in state["archive"].items() if name != "newest_at"}
        newest = state["archive"]["newest_at"]
        # A crawl archives on while the rest is looked up, and its machine has a clock of its own.
        said = "" if newest is None else f", the newest {max(0.0, state['at'] - newest):,.0f} s ago"
        lines.append("archive  " + ", ".join(f"{value:,} {name}" for name, value in counts.items()) + said)
        lines += [
            f"sink     {row['sink']}: {row['delivered']:,} delivered, {row['pending']:,} pending, {row['dead']:,} dead"
            for row in state["sinks"]
        ]
    if last := state["last_run"]:
        ended = f"{last['spider']} ended {iso(last['ended_at'])}"
        lines.append(f"last run {ended} ({last['reason']}): {last['summary']}")
    if hosts := state.get("silent_hosts"):
        lines.append(f"silent   {len(hosts):,} hosts do not answer:")
        lines += [f"         {silence(one, state['at'])}" for one in hosts[:_MOST_SILENT]]
    lines += [f"refuses  {refusal(slot, state['at'])}" for slot in state.get("refusing", ())[:_MOST_SILENT]]
    if walls := state.get("walls"):
        most = ", ".join(f"{one['site']} {one['walls']:,} ({', '.join(one['kinds'])})" for one in walls[:_MOST_WALLS])
        lines.append(f"walls    {len(walls):,} sites, the most: {most}")
    if alerts := state.get("alerts"):
        kinds = Counter(one["kind"].replace("_", " ") for one in alerts)
        lines.append("alerts   " + ", ".join(f"{number:,} {kind}" for kind, number in sorted(kinds.items())))
    short = alike(state.get("short", {}))
    lines += [f"short    {line}" for line in short[:MOST_TOLD]]
    if len(short) > MOST_TOLD:
        lines.append(f"short    and {len(short) - MOST_TOLD} more: --json")
    lines.append(f"disk     {state['disk_free_bytes'] / 1e9:,.1f} GB free")
    if state["warnings"]:
        lines += ["", *(f"WARNING  {warning}" for warning in state["warnings"])]
    else:
        well = "healthy, but some sites may have more than was found" if short else "healthy"
        lines.append(_NOTHING if state["empty"] else well)
    return "\n".join(lines)


def _queue(counts: Mapping[str, int]) -> str:
    shown = {name: value for name, value in counts.items() if value or name != "passed"}
    return ", ".join(f"{value:,} {_QUEUE.get(name, name)}" for name, value in shown.items())
