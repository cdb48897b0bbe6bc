"""``scrapy frontier``: look at the shared queue and act on it."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from redis.exceptions import RedisError
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.commands._output import table, to_json
from articlebot.errors import ArticlebotError
from articlebot.frontier.inspect import quarantined, requeue, slots, workers
from articlebot.frontier.queue import Frontier
from articlebot.runtime import Runtime

_ACTIONS = ("show", "quarantine", "requeue", "purge")


class Command(ScrapyCommand):
    """The shared queue: show, quarantine, requeue, purge."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "show [--slots N] | quarantine | requeue ID... | requeue --all | purge [--all] --yes   [--json]"

    def short_desc(self) -> str:
        return "Show the shared queue, requeue or purge requests"

    def long_desc(self) -> str:
        return (
            "show: counts, workers and the slots with the longest queues, with the time of their next start. "
            "quarantine: requests that came back too often, with their history. requeue: queues them again. purge: "
            "removes queue and leases; with --all also the known pages and the quarantine, so that a crawl begins from "
            "nothing. Running workers notice a purge by themselves."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--slots", type=int, default=20, metavar="N", help="show: number of slots to print")
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
            print(error)
            self.exitcode = 2

    async def _act(self, action: str, names: list[str], opts: argparse.Namespace, runtime: Runtime) -> None:
        frontier = runtime.frontier
        try:
            if action == "purge":
                print(f"{await frontier.purge(seen=opts.all)} keys removed")
                return
            await frontier.open()
            if action == "show":
                await _show(frontier, opts)
            elif action == "quarantine":
                await _quarantine(frontier, opts)
            else:
                queued = await requeue(frontier, None if opts.all else names)
                print(f"{queued} requests queued again")
                if not opts.all and queued < len(set(names)):
                    print(f"{len(set(names)) - queued} names are not in the quarantine")
                    self.exitcode = 1
        finally:
            await runtime.close()


async def _show(frontier: Frontier, opts: argparse.Namespace) -> None:
    counts = asdict(await frontier.counts())
    longest = await slots(frontier, opts.slots)
    present = await workers(frontier)
    next_ready_at = await frontier.next_ready_at()
    if opts.json:
        names = [worker.name for worker in present]
        rows = [asdict(view) for view in longest]
        at_work = [asdict(worker) for worker in present]
        print(to_json({**counts, "names": names, "next_ready_at": next_ready_at, "longest": rows, "at_work": at_work}))
        return
    seconds, millionths = await frontier.redis.time()
    now = seconds + millionths / 1e6
    passed = counts.pop("passed")
    print("\n".join(f"{name}: {value}" for name, value in counts.items() if value is not None))
    if passed:
        print(f"slots left to a worker that knows the job: {passed}")
    if next_ready_at is not None:
        print(f"next start: {_when(next_ready_at, now)}")
    if present:
        heard = [{"worker": one.name, "heard_s_ago": round(one.heard_s, 1), "leased": one.leased} for one in present]
        print("\n" + table(heard, list(heard[0])))
    if rows := [
        {
            "slot": view.slot,
            "name": view.name,
            "queued": view.queued,
            "starts": "running" if view.running else _when(view.free_at, now),
            "back_off_s": view.back_off or None,
        }
        for view in longest
        if view.queued or view.running
    ]:
        print("\n" + table(rows, list(rows[0])))


def _when(at: float | None, now: float) -> str:
    return "now" if at is None or at <= now else f"in {at - now:,.0f} s"


async def _quarantine(frontier: Frontier, opts: argparse.Namespace) -> None:
    found = await quarantined(frontier)
    if opts.json:
        print(to_json([asdict(one) for one in found]))
        return
    rows = [
        {"id": one.id, "job": one.job, "at": one.at, "tries": len(one.history), "url": one.url,
         "last_reason": one.history[-1][2] if one.history else None}
        for one in found
    ]  # fmt: skip
    print(table([_readable(row, "at") for row in rows], list(rows[0])) if rows else "The quarantine is empty.")


def _readable(row: dict[str, Any], field: str) -> dict[str, Any]:
    at = row[field]
    return {**row, field: None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")}
