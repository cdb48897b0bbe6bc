"""``scrapy export``: the archive's articles as JSON Lines or a table."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.archive import Archive, Selection
from articlebot.archive.raw import write as write_warc
from articlebot.commands._archive import archive, reader_gone, since
from articlebot.commands._output import Progress
from articlebot.errors import ArticlebotError


class Command(ScrapyCommand):
    """Exports the archive."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """The command's arguments."""
        return "[options]"

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "Print the archive's articles"

    def long_desc(self) -> str:
        """The text of ``--help``."""
        return (
            "Prints the newest version of each article in the archive, or every version, in the order in which they "
            "were first archived. "
            "With --json one JSON object a line, with the fields of docs/article.schema.json; else a short table. "
            "--warc writes raw pages, as far as they are kept (ARTICLEBOT_ARCHIVE_RAW)."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declares the options."""
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="JSON Lines with everything that is kept")
        parser.add_argument("--versions", action="store_true", help="every version, not only the newest")
        parser.add_argument(
            "--warc", metavar="FILE", help="write the raw pages that are kept into this WARC file instead"
        )
        parser.add_argument("--since", metavar="WHEN", help="archived since: 2024-05-01, 2024-05-01T12:00, 36h or 7d")
        parser.add_argument("--site", help="articles of this site, such as example.com")
        parser.add_argument("--category", help="articles of this category")
        parser.add_argument("--job", help="articles of this job")
        parser.add_argument("--cluster", help="articles of this near-duplicate cluster")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Prints the selected articles."""
        if args:
            raise UsageError("export takes options only")
        selection = Selection(
            since=since(opts.since), site=opts.site, category=opts.category, job=opts.job, cluster=opts.cluster
        )
        try:
            with archive(self.settings) as opened:
                if opts.warc:
                    _write_warc(opened, selection, Path(opts.warc))
                    return
                _print(opened.articles(selection, versions=opts.versions), as_json=opts.json)
        except ArticlebotError as error:
            raise UsageError(str(error), print_help=False) from None
        except BrokenPipeError:
            reader_gone()


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
                print(f"{published:16}  {row['version']:3}  {row['site']:24}  {row['title'][:70]}")
            progress.step()
    sys.stdout.flush()
