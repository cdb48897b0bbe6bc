"""``scrapy backup``: one file of everything that the crawl knows."""

from __future__ import annotations

import argparse
from pathlib import Path

from articlebot.actions import base
from articlebot.errors import ConfigError
from articlebot.runtime.backup import back_up


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Writes the file."""
    path = Path(args[0])
    if path.exists():
        raise ConfigError(f"{path} exists already")
    told = command.ask(lambda runtime: back_up(runtime, path))
    told["bytes"] = path.stat().st_size
    left_out = [f"left out: {what}: {why}" for what, why in told["left_out"].items()]
    keys = f"{told.get('keys', 0):,} keys, {told['files']:,} files"
    command.show(told, "\n".join([f"{path}: {keys}, {told['bytes']:,} bytes", *left_out]), opts)
