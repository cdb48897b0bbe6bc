"""``scrapy outbox``: what waits to be delivered, and what was refused."""

from __future__ import annotations

import argparse
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.archived import archive, selection
from articlebot.actions.output import Progress, table
from articlebot.archive import Archive
from articlebot.publishing import letters
from articlebot.publishing.outbox import Counts, open_outbox
from articlebot.publishing.specs import Sinks, open_sinks
from articlebot.runtime import clock


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Does one action."""
    config = command.config()
    sinks = open_sinks(config.publishing.sinks, config.general.data_dir, clock.now)
    if not all(0 < one < 1 << 63 for one in opts.id):
        raise UsageError("--id: expected the number of a dead letter, as show lists them", print_help=False)
    with archive(config, sinks.routes) as opened:
        # Of one that is configured no more, what it has left can be seen, tried again and dropped.
        is_past = command.action in ("show", "retry", "drop")
        rows = letters.summary(opened.engine, list(sinks.sinks), clock.now()) if is_past else []
        known = [row["sink"] for row in rows] or list(sinks.sinks)
        if opts.sink is not None and opts.sink not in known:
            raise UsageError(f"no sink {opts.sink!r}; there are: {', '.join(known)}", print_help=False)
        result = _ACTIONS[command.action](command, opened, sinks, opts)
    if result is not None:
        told = ", ".join(f"{value:,} {name.replace('_', ' ')}" for name, value in result.items())
        command.show(result, told, opts)
        if result.get("failed_sinks"):
            command.exitcode = base.WITH_ERRORS


def _show(command: base.Command, opened: Archive, sinks: Sinks, opts: argparse.Namespace) -> None:
    rows = letters.summary(opened.engine, list(sinks.sinks), clock.now())
    rows = [row for row in rows if opts.sink in (None, row["sink"])]
    dead = letters.waiting(opened.engine, sink=opts.sink, limit=opts.limit)
    tables = [table(rows, ("sink", "pending", "dead", "oldest_s", "delivered", "retry_in_s", "error"))]
    tables += [table(dead, ("id", "sink", "attempts", "version", "url", "error"))] if dead else []
    command.show({"sinks": rows, "dead": dead}, "\n\n".join(tables), opts)


def _deliver(command: base.Command, opened: Archive, sinks: Sinks, opts: argparse.Namespace) -> dict[str, Any]:
    outbox = open_outbox(opened, command.config().publishing, clock.now)
    chosen = {name: sink for name, sink in sinks.sinks.items() if opts.sink in (None, name)}
    total = Counts()
    with Progress("delivered") as progress:
        while (counts := outbox.deliver(chosen, clock.now())).delivered:
            total += counts
            progress.step(counts.delivered)
        total += counts
    sinks.close()
    names = ("delivered", "refused", "dead", "failed_sinks")
    return {name: getattr(total, name) for name in names}


def _retry(command: base.Command, opened: Archive, _sinks: Sinks, opts: argparse.Namespace) -> dict[str, Any]:
    revived, stale = letters.retry(opened.engine, clock.now(), sink=opts.sink, ids=opts.id, stale=opts.stale)
    return {"pending_again": revived, "dropped_as_stale": stale}


def _drop(command: base.Command, opened: Archive, _sinks: Sinks, opts: argparse.Namespace) -> dict[str, Any]:
    if not opts.sink and not opts.id:
        raise UsageError("drop needs --sink or --id", print_help=False)
    return {"dropped": letters.drop(opened.engine, sink=opts.sink, ids=opts.id)}


def _fill(command: base.Command, opened: Archive, sinks: Sinks, opts: argparse.Namespace) -> dict[str, Any]:
    if not opts.sink:
        raise UsageError("fill needs --sink", print_help=False)
    chosen = selection(opened, opts)
    with Progress("looked at") as progress:
        filled = letters.fill(opened.engine, opts.sink, chosen, clock.now(), route=sinks.routes, told=progress.step)
    return {"enqueued": filled}


_ACTIONS = {"show": _show, "deliver": _deliver, "retry": _retry, "drop": _drop, "fill": _fill}
