"""``scrapy archive reextract --warc``: articles out of the pages in WARC files."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.again import Again, Asked
from articlebot.actions.engaged import engaged
from articlebot.actions.extract_rows import Row, line
from articlebot.actions.output import Progress
from articlebot.archive.warc import WarcFiles
from articlebot.files import draft_of
from articlebot.jobs.book import JobBook
from articlebot.times import iso
from articlebot.urls import site as site_of


def run(command: base.Command, opts: argparse.Namespace) -> None:
    """Writes a line for each page."""
    for name in ("apply", "since", "site", "job", "jobs"):
        if getattr(opts, name):
            raise UsageError(f"--{name} belongs to the archive, not to --warc", print_help=False)
    paths = [Path(one) for one in opts.warc]
    for path in paths:
        if not path.is_file():
            raise UsageError(f"--warc {path}: no such file", print_help=False)
    with draft_of(Path(opts.out)) if opts.out else nullcontext() as draft:
        figures = _read(command, opts, paths, draft)
    text = f"{figures['pages']:,} pages read, {figures['refused']:,} of them refused"
    base.last_line(command, "reextract", text, errors=figures["damaged"] > 0)


def _read(command: base.Command, opts: argparse.Namespace, paths: list[Path], draft: Path | None) -> dict[str, int]:
    figures = {"pages": 0, "refused": 0, "damaged": 0}

    def bad(what: str) -> None:
        figures["damaged"] += 1
        print(what, file=sys.stderr)

    warc, again = WarcFiles(paths, bad), Again(command.config(), JobBook([]))
    progress = Progress("pages", warc.share)
    with (
        closing(again),
        engaged(opts, again.config, "reextract-warc", progress) as work,
        draft.open("w", encoding="utf-8") if draft else nullcontext(sys.stdout) as out,
    ):
        for rows, found in again.read(_asked(warc), work):
            for (row, page), extracted in zip(rows, found, strict=True):
                figures["pages"] += 1
                figures["refused"] += extracted.refused is not None
                head = {"url": page.url, "site": row["site"], "fetched_at": iso(page.fetched_at)}
                said: dict[str, Any] = line(Row(page.url, row["site"], page.url), extracted)
                print(json.dumps({**head, **said}, ensure_ascii=False), file=out)
    return figures


def _asked(warc: WarcFiles) -> Iterator[Asked]:
    for page in warc:
        try:
            yield {"site": site_of(page.url), "job": ""}, page
        except ValueError:  # no address
            continue
