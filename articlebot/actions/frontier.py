"""``scrapy frontier``: look at the shared queue and act on it."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.output import table, to_json
from articlebot.errors import ConfigError
from articlebot.frontier.forget import purge
from articlebot.frontier.inspect import slots, workers
from articlebot.frontier.leases import Counts
from articlebot.frontier.quarantine import quarantined, requeue
from articlebot.frontier.sharded import AnyFrontier
from articlebot.runtime import Runtime
from articlebot.runtime.followed import followed_last
from articlebot.times import iso
from articlebot.urls import subdomain, typed_url
from articlebot.visiting.start_urls import StartUrls, push

_VISIT = "visited for job {job} at once by a crawl that runs, else at the start of the next"
# Jobs that are few enough to be named.
_FEW = 10


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Shows, requeues or purges."""
    if command.action == "requeue" and bool(args) == opts.all:
        raise UsageError("requeue: name requests, or give --all", print_help=False)
    if command.action == "purge" and not opts.yes:
        raise UsageError("purge removes the queue for every worker; repeat with --yes", print_help=False)
    try:
        command.ask(lambda runtime: _act(command, args, opts, runtime))
    except ValueError as error:  # an id that is none
        raise ConfigError(str(error)) from None


async def _act(command: base.Command, names: list[str], opts: argparse.Namespace, runtime: Runtime) -> None:
    if command.action == "purge":
        purged = runtime.frontier.of(opts.spider or runtime.frontier.spider)
        gone = await purge(purged, seen=opts.all)
        if opts.all:
            await runtime.known_archive.forget()
        command.show({"spider": purged.spider, "removed": gone}, f"{gone} keys removed", opts)
        return
    if command.action == "visit":
        assert command.settings is not None
        key = StartUrls.key_of(command.settings, opts.spider or runtime.frontier.spider)
        rows = await visit(runtime, key, [typed_url(name) for name in names])
        command.show(rows, lambda: "\n".join(f"{row['url']}: {_VISIT.format(**row)}" for row in rows), opts)
        return
    queues = await queues_of(runtime.frontier, opts.spider)
    if command.action == "show":
        await _show(queues, opts)
    elif command.action == "quarantine":
        await _quarantine(command, queues, opts)
    else:
        await _requeue(command, queues, names, opts)


async def visit(runtime: Runtime, key: str, urls: list[str]) -> list[dict[str, str]]:
    """Pushes addresses to those that a crawl visits first; a row for each.

    Raises:
        ConfigError: no job that was followed last has one of them, or it is paused; none is pushed then.
    """
    book, paused, rows = await followed_last(runtime), await runtime.pauses.all(), []
    pages = (await runtime.pages.counts(runtime.now())).by_job
    for url in urls:
        # A job that was given another name has no pages any more.
        owners = sorted(book.owners(url), key=lambda job: (job.name in paused, not pages.get(job.name)))
        if not owners:
            off = next((job.name for job in book.every.values() if not job.enabled and job.owns(url)), None)
            if off is not None:
                raise ConfigError(f"job {off} has enabled = false in its file, and nothing of it is visited")
            known = ", ".join(job.name for job in list(book)[:_FEW]) or "none"
            raise ConfigError(
                f"no job has the host {subdomain(url)} (followed last: {known}): "
                f"scrapy crawl --url {url}, or allowed_domains in a job"
            )
        if (name := owners[0].name) in paused:
            raise ConfigError(f"job {name} is paused, and nothing of it is visited: scrapy jobs resume {name}")
        rows.append({"url": url, "job": name})
    await push(runtime.clients.of_key(key), key, urls)
    return rows


async def _requeue(
    command: base.Command, queues: list[AnyFrontier], names: list[str], opts: argparse.Namespace
) -> None:
    queued = sum([await requeue(queue, None if opts.all else names) for queue in queues])
    missing = 0 if opts.all else len(set(names)) - queued
    command.exitcode = int(missing > 0)
    said = f"\n{missing} names are not in the quarantine" if missing else ""
    command.show({"queued": queued, "not_in_quarantine": missing}, f"{queued} requests queued again{said}", opts)


async def queues_of(frontier: AnyFrontier, spider: str | None = None) -> list[AnyFrontier]:
    """The queue of a spider, or those of all.

    Raises:
        ConfigError: there is none of that name.
    """
    spiders = await frontier.spiders()
    if spider is not None and spider not in spiders:
        raise ConfigError(
            f"--spider {spider}: expected one that has queued something: {', '.join(spiders) or 'none has'}"
        )
    queues = [frontier.of(name) for name in spiders if spider in (None, name)]
    for queue in queues:
        await queue.open()
    return queues


async def _show(queues: list[AnyFrontier], opts: argparse.Namespace) -> None:
    spiders = {queue.spider: asdict(await queue.counts()) for queue in queues}
    found = [(queue.spider, view) for queue in queues for view in await slots(queue, opts.slots)]
    longest = sorted(found, key=lambda pair: -pair[1].queued)[: opts.slots]
    present = [(queue.spider, worker) for queue in queues for worker in await workers(queue)]
    starts = [at for queue in queues if (at := await queue.next_ready_at()) is not None]
    told = {name: sum(counts[name] for counts in spiders.values()) for name in Counts.__dataclass_fields__}
    told |= {"next_ready_at": min(starts, default=None)}
    rows = [{"spider": spider, **asdict(view)} for spider, view in longest]
    at_work = [{"spider": spider, **asdict(worker)} for spider, worker in present]
    if opts.json:
        print(to_json({**told, "spiders": spiders, "longest": rows, "at_work": at_work}))
        return
    now = await _server_time(queues[0]) if queues else 0.0
    passed, next_ready_at = told.pop("passed"), told.pop("next_ready_at")
    print("\n".join(f"{name}: {value}" for name, value in told.items()))
    if passed:
        print(f"slots left to a worker that can run their requests: {passed}")
    if next_ready_at is not None:
        print(f"next start: {_when(next_ready_at, now)}")
    if len(spiders) > 1:
        _print([{"spider": name, **counts} for name, counts in spiders.items()])
    _print([{**row, "heard_s": round(row["heard_s"], 1)} for row in at_work])
    _print([_slot(row, now) for row in rows if row["queued"] or row["running"]])


def _slot(row: dict[str, Any], now: float) -> dict[str, Any]:
    starts = "running" if row["running"] else _when(row["free_at"], now)
    return {
        "spider": row["spider"], "slot": row["slot"], "name": row["name"], "queued": row["queued"], "starts": starts,
        "back_off_s": row["back_off"] or None, "gap_s": round(row["gap"], 1) or None,
    }  # fmt: skip


def _print(rows: list[dict[str, Any]]) -> None:
    if rows:
        print("\n" + table(rows, list(rows[0])))


async def _server_time(frontier: AnyFrontier) -> float:
    seconds, millionths = await frontier.redis.time()
    return float(seconds + millionths / 1e6)


def _when(at: float | None, now: float) -> str:
    return "now" if at is None or at <= now else f"in {at - now:,.0f} s"


async def _quarantine(command: base.Command, queues: list[AnyFrontier], opts: argparse.Namespace) -> None:
    found = await in_quarantine(queues)
    rows = [
        {"id": one["id"], "spider": one["spider"], "job": one["job"], "at": iso(one["at"]),
         "tries": len(one["history"]), "url": one["url"],
         "last_reason": one["history"][-1][2] if one["history"] else None, "again_at": iso(one["again_at"])}
        for one in found
    ]  # fmt: skip
    command.show(found, table(rows, list(rows[0])) if rows else "The quarantine is empty.", opts)


async def in_quarantine(queues: list[AnyFrontier]) -> list[dict[str, Any]]:
    """A row for each request in quarantine, the latest of each spider first."""
    return [{"spider": queue.spider, **asdict(one)} for queue in queues for one in await quarantined(queue)]
