"""``scrapy frontier``: look at the shared queue and act on it."""

from __future__ import annotations

import argparse
import asyncio
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from redis.exceptions import RedisError
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.commands._output import table, to_json
from articlebot.errors import ArticlebotError, ConfigError
from articlebot.frontier.forget import purge
from articlebot.frontier.inspect import quarantined, requeue, slots, workers
from articlebot.frontier.leases import Counts
from articlebot.frontier.queue import Frontier
from articlebot.runtime import Runtime

_ACTIONS = ("show", "quarantine", "requeue", "purge")


class Command(ScrapyCommand):
    """The shared queues: show, quarantine, requeue, purge."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return (
            "show [--slots N] | quarantine | requeue ID... | requeue --all | purge [--all] --yes   "
            "[--spider NAME] [--json]"
        )

    def short_desc(self) -> str:
        return "Show the shared queue, requeue or purge requests"

    def long_desc(self) -> str:
        return (
            "Each spider has a queue of its own; all are meant where --spider names none, but purge is for one. show: "
            "counts, workers and the slots with the longest queues, with the time of their next start. quarantine: "
            "requests that came back too often, with their history. requeue: queues them again. purge: removes queue "
            "and leases; with --all also the known pages and the quarantine, so that a crawl begins from nothing. "
            "Running workers notice a purge by themselves."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--slots", type=int, default=20, metavar="N", help="show: number of slots to print")
        parser.add_argument(
            "--spider", metavar="NAME", help="the queue of this spider only; purge: article, if not given"
        )
        parser.add_argument("--all", action="store_true", help="requeue: every request; purge: known pages too")
        parser.add_argument("--yes", action="store_true", help="purge: really do it")
        parser.add_argument("--json", action="store_true", help="print JSON instead of tables")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if not args or args[0] not in _ACTIONS:
            raise UsageError(f"expected one of: {', '.join(_ACTIONS)}", print_help=False)
        if args[0] == "requeue" and bool(args[1:]) == opts.all:
            raise UsageError("requeue: name requests, or give --all", print_help=False)
        if args[0] == "purge" and not opts.yes:
            raise UsageError("purge removes the queue for every worker; repeat with --yes", print_help=False)
        assert self.settings is not None
        try:
            asyncio.run(self._act(args[0], args[1:], opts, Runtime.from_settings(self.settings)))
        except (ArticlebotError, RedisError, ValueError) as error:
            print(f"articlebot: {error}", file=sys.stderr)
            self.exitcode = 2

    async def _act(self, action: str, names: list[str], opts: argparse.Namespace, runtime: Runtime) -> None:
        try:
            if action == "purge":
                purged = runtime.frontier.of(opts.spider or runtime.frontier.spider)
                gone = await purge(purged, seen=opts.all)
                print(to_json({"spider": purged.spider, "removed": gone}) if opts.json else f"{gone} keys removed")
                return
            queues = await _queues(runtime.frontier, opts.spider)
            if action == "show":
                await _show(queues, opts)
            elif action == "quarantine":
                await _quarantine(queues, opts)
            else:
                await self._requeue(queues, names, opts)
        finally:
            await runtime.close()

    async def _requeue(self, queues: list[Frontier], names: list[str], opts: argparse.Namespace) -> None:
        queued = sum([await requeue(queue, None if opts.all else names) for queue in queues])
        missing = 0 if opts.all else len(set(names)) - queued
        self.exitcode = int(missing > 0)
        if opts.json:
            print(to_json({"queued": queued, "not_in_quarantine": missing}))
            return
        print(f"{queued} requests queued again")
        if missing:
            print(f"{missing} names are not in the quarantine")


async def _queues(frontier: Frontier, spider: str | None) -> list[Frontier]:
    """The queues that are meant.

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


async def _show(queues: list[Frontier], opts: argparse.Namespace) -> None:
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
        "back_off_s": row["back_off"] or None,
    }  # fmt: skip


def _print(rows: list[dict[str, Any]]) -> None:
    if rows:
        print("\n" + table(rows, list(rows[0])))


async def _server_time(frontier: Frontier) -> float:
    seconds, millionths = await frontier.redis.time()
    return float(seconds + millionths / 1e6)


def _when(at: float | None, now: float) -> str:
    return "now" if at is None or at <= now else f"in {at - now:,.0f} s"


async def _quarantine(queues: list[Frontier], opts: argparse.Namespace) -> None:
    found = [(queue.spider, one) for queue in queues for one in await quarantined(queue)]
    if opts.json:
        print(to_json([{"spider": spider, **asdict(one)} for spider, one in found]))
        return
    rows = [
        {"id": one.id, "spider": spider, "job": one.job, "at": one.at, "tries": len(one.history), "url": one.url,
         "last_reason": one.history[-1][2] if one.history else None}
        for spider, one in found
    ]  # fmt: skip
    print(table([_readable(row, "at") for row in rows], list(rows[0])) if rows else "The quarantine is empty.")


def _readable(row: dict[str, Any], field: str) -> dict[str, Any]:
    at = row[field]
    return {**row, field: None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")}
