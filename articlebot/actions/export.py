"""``scrapy export``: the archive's articles as JSON Lines or a table."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.archived import archive, selection
from articlebot.actions.output import Progress, printable
from articlebot.archive import Archive, Selection
from articlebot.archive.raw import write as write_warc


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Prints the selected articles."""
    with archive(command.config()) as opened:
        chosen = selection(opened, opts)
        if opts.warc:
            _write_warc(opened, chosen, Path(opts.warc))
        else:
            _print(opened.articles(chosen, versions=opts.versions), as_json=opts.json)


def _write_warc(opened: Archive, selection: Selection, path: Path) -> None:
    number = 0
    try:
        with path.open("wb") as file, Progress("pages") as progress:
            for _, page in opened.with_raw_pages(selection):
                write_warc(file, page)
                progress.step()
                number += 1
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", print_help=False) from None
    print(f"{number:,} pages in {path}", file=sys.stderr)


def _print(rows: Any, *, as_json: bool) -> None:
    with Progress("rows") as progress:
        for row in rows:
            if as_json:
                print(json.dumps(row, ensure_ascii=False))
            else:
                published = (row["published_at"] or "-")[:16]
                print(f"{published:16}  {row['version']:3}  {row['site']:24}  {printable(row['title'][:70])}")
            progress.step()
