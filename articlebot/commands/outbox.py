"""``scrapy outbox``: what waits to be delivered, and what was refused."""

from __future__ import annotations

import argparse
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.archive import Archive, Selection
from articlebot.commands._archive import archive, config, since
from articlebot.commands._exit import WITH_ERRORS, exit_codes
from articlebot.commands._output import Progress, table, to_json
from articlebot.publishing import Counts, Sinks, letters, open_outbox, open_sinks
from articlebot.runtime import clock

ACTIONS = ("show", "deliver", "retry", "drop", "fill")


class Command(ScrapyCommand):
    """Shows and serves the outbox."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """The command's arguments."""
        return "[options] show|deliver|retry|drop|fill"

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "Show, deliver and retry what sinks have not taken"

    def long_desc(self) -> str:
        """The text of ``--help``."""
        return (
            "show: what each sink has received, what waits, and the dead letters (versions it refused too often). "
            "deliver: delivers what is due now, without a crawl. "
            "retry: gives dead letters a new life; those whose sink has a later version by now are dropped. "
            "drop: removes dead letters. "
            "fill --sink NAME: enqueues the archive's articles for a sink that is new."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declares the options."""
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument("--sink", metavar="NAME", help="this sink only")
        parser.add_argument("--id", type=int, action="append", default=[], metavar="N", help="retry, drop: this letter")
        parser.add_argument("--stale", action="store_true", help="retry: also where a later version was delivered")
        parser.add_argument("--limit", type=int, default=20, metavar="N", help="show: at most N dead letters (20)")
        parser.add_argument("--since", metavar="WHEN", help="fill: articles archived since, such as 30d")
        parser.add_argument("--job", help="fill: articles of this job")
        parser.add_argument("--category", help="fill: articles of this category")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Does one action."""
        if len(args) != 1 or args[0] not in ACTIONS:
            raise UsageError(f"expected one of: {', '.join(ACTIONS)}")
        options = config(self.settings)
        with exit_codes(self):
            sinks = open_sinks(options.publishing, options.general.data_dir, clock.now)
            if opts.sink and opts.sink not in sinks.sinks and args[0] in ("deliver", "fill"):
                raise UsageError(f"no sink {opts.sink!r}; there are: {', '.join(sinks.sinks)}", print_help=False)
            with archive(self.settings, sinks) as opened:
                result = getattr(self, f"_{args[0]}")(opened, sinks, opts)
            if result is not None:
                told = ", ".join(f"{value:,} {name.replace('_', ' ')}" for name, value in result.items())
                print(to_json(result) if opts.json else told)
                if result.get("failed_sinks"):
                    self.exitcode = WITH_ERRORS

    def _show(self, opened: Archive, sinks: Sinks, opts: argparse.Namespace) -> None:
        rows = letters.summary(opened.engine, list(sinks.sinks), clock.now())
        rows = [row for row in rows if opts.sink in (None, row["sink"])]
        dead = letters.waiting(opened.engine, sink=opts.sink, limit=opts.limit)
        if opts.json:
            print(to_json({"sinks": rows, "dead": dead}))
            return
        print(table(rows, ("sink", "pending", "dead", "oldest_s", "delivered", "retry_in_s", "error")))
        if dead:
            print("\n" + table(dead, ("id", "sink", "attempts", "version", "url", "error")))

    def _deliver(self, opened: Archive, sinks: Sinks, opts: argparse.Namespace) -> dict[str, Any]:
        outbox = open_outbox(opened, config(self.settings).publishing)
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

    def _retry(self, opened: Archive, _sinks: Sinks, opts: argparse.Namespace) -> dict[str, Any]:
        revived, stale = letters.retry(opened.engine, clock.now(), sink=opts.sink, ids=opts.id, stale=opts.stale)
        return {"pending_again": revived, "dropped_as_stale": stale}

    def _drop(self, opened: Archive, _sinks: Sinks, opts: argparse.Namespace) -> dict[str, Any]:
        if not opts.sink and not opts.id:
            raise UsageError("drop needs --sink or --id", print_help=False)
        return {"dropped": letters.drop(opened.engine, sink=opts.sink, ids=opts.id)}

    def _fill(self, opened: Archive, sinks: Sinks, opts: argparse.Namespace) -> dict[str, Any]:
        if not opts.sink:
            raise UsageError("fill needs --sink", print_help=False)
        selection = Selection(since=since(opts.since), job=opts.job, category=opts.category)
        with Progress("looked at") as progress:
            filled = letters.fill(
                opened.engine, opts.sink, selection, clock.now(), route=sinks.routes, told=progress.step
            )
        return {"enqueued": filled}
