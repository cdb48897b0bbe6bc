"""``scrapy restore``: puts back what ``scrapy backup`` wrote."""

from __future__ import annotations

import argparse
from pathlib import Path

from articlebot.actions import base
from articlebot.runtime.backup import restore
from articlebot.times import iso


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Puts it back."""
    told = command.ask(lambda runtime: restore(runtime, Path(args[0]), replace=opts.replace))
    keys = f"{told.get('keys', 0):,} keys, {told['files']:,} files"
    command.show(told, f"the crawl is as it was at {iso(told['at'])}: {keys}", opts)
