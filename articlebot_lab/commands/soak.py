"""``scrapy soak``: the newsroom at speed through faults, and the proof that nothing was lost, doubled or leaked."""

from __future__ import annotations

import argparse
import shutil
import sys
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError


class Command(ScrapyCommand):
    """A soak."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "[--minutes N] [--json]"

    def short_desc(self) -> str:
        return "Crawl the newsroom through faults and prove that nothing is lost, doubled or leaked"

    def long_desc(self) -> str:
        return (
            "Runs several workers on a made-up world of news sites while workers and Redis are killed with kill -9, "
            "the archive's database is away for seconds (SQLite, or the PostgreSQL of ARTICLEBOT_DATABASE_URL, whose "
            "articles it takes for its own: give it an empty one), and sites hang, reset, answer 429, 503 or garbage. "
            "At the end every published article must be archived once, no host asked while it was answering, no lease "
            "left, and, of runs from three minutes on, memory flat. Everything is in the folder soak of the data "
            "folder, which is emptied at the start. "
            "Exit code 0: all held; 1: something did not; 2: bad use; 75: a store cannot be started."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        from articlebot_lab.soak.faults import KINDS  # noqa: PLC0415 - Scrapy loads every command at each start

        super().add_options(parser)
        parser.add_argument("--minutes", type=float, default=10.0, help="length, 0.4 or more (default: 10)")
        parser.add_argument("--workers", type=int, default=2, help="crawls that work together, 2 to 16 (default: 2)")
        parser.add_argument("--sites", type=int, default=12, help="sites of the newsroom, 1 to 500 (default: 12)")
        parser.add_argument("--rate", type=float, default=1.0, help="multiplies the newsroom's articles (default: 1)")
        parser.add_argument("--seed", type=int, default=7, help="of newsroom and faults (default: 7)")
        parser.add_argument(
            "--faults", nargs="*", choices=KINDS, default=list(KINDS), help="kinds of faults (default: all)"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from articlebot.actions.base import exit_codes, last_line  # noqa: PLC0415
        from articlebot.actions.output import to_json  # noqa: PLC0415
        from articlebot.config import Config  # noqa: PLC0415
        from articlebot.errors import ConfigError  # noqa: PLC0415
        from articlebot_lab.soak import PrivateStore, Soak, soak  # noqa: PLC0415

        within = 0.4 <= opts.minutes <= 1440 and 2 <= opts.workers <= 16 and 1 <= opts.sites <= 500
        if args or not within or not 0 < opts.rate <= 100:
            raise UsageError("expected no argument, and options within their ranges", print_help=False)
        assert self.settings is not None
        try:
            config = Config.from_settings(self.settings)
        except ConfigError as error:
            raise UsageError(str(error), print_help=False) from None
        folder = config.general.data_dir / "soak"
        shutil.rmtree(folder, ignore_errors=True)
        wanted = Soak(60 * opts.minutes, folder, opts.workers, opts.sites, opts.rate, opts.seed, tuple(opts.faults))
        with exit_codes(self), PrivateStore(folder / "redis") as store:
            report = soak(wanted, config, store, lambda line: print(line, file=sys.stderr))
            text = to_json(report)
            (folder / "soak.json").write_text(text + "\n", encoding="utf-8")
            print(text if opts.json else _text(report))
            faults = ", ".join(f"{number} {kind}" for kind, number in report["faults"].items()) or "none"
            told = f"{report['seconds']:.0f} s, {report['requests']:,} requests, {report['versions']:,} versions"
            last_line(self, "soak", f"{told}, faults: {faults}", errors=not report["good"])


def _text(report: dict[str, Any]) -> str:
    marks = {True: "ok  ", False: "FAIL", None: "?   "}
    lines = [f"{marks[one['good']]}  {one['name']}: {one['figure']}" for one in report["checks"]]
    return "\n".join([*lines, *(f"      missing: {_missed(one)}" for one in report["missed"])])


def _missed(one: dict[str, Any]) -> str:
    after = "never" if one["next_look_s"] is None else f"{one['next_look_s']:.1f} s later"
    return f"{one['url']} (appeared at {one['at_s']:.0f} s, entry pages seen {after}, {one['newer']} newer by then)"
