"""``scrapy history``: the versions of an article and what changed between them."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from datetime import datetime

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot import urls
from articlebot.archive import Edit, Piece, Selection, as_text, shortened
from articlebot.commands._archive import archive, reader_gone, since
from articlebot.commands._output import to_json
from articlebot.errors import ArticlebotError
from articlebot.publishing import edits_feed

_KEY = re.compile(r"[0-9a-f]{16}")


class Command(ScrapyCommand):
    """Shows versions and edits."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """The command's arguments."""
        return "[options] URL | --edits"

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "Show the versions of an article and their differences"

    def long_desc(self) -> str:
        """The text of ``--help``."""
        return (
            "Shows every version of the article at URL (or with a page key of 16 hex digits), what changed in its "
            "fields, and its text's difference by words. With --edits the newest edits of all articles, as text, "
            "JSON Lines or an Atom feed."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declares the options."""
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="print JSON: a list of versions")
        parser.add_argument("--full", action="store_true", help="the whole text, not only what stands near a change")
        parser.add_argument("--edits", action="store_true", help="the newest edits of all articles")
        parser.add_argument("--atom", action="store_true", help="--edits: an Atom feed")
        parser.add_argument("--since", metavar="WHEN", help="--edits: made since, such as 36h, 7d or 2024-05-01")
        parser.add_argument("--site", help="--edits: of this site")
        parser.add_argument("--category", help="--edits: of this category")
        parser.add_argument("--job", help="--edits: of this job")
        parser.add_argument("--limit", type=int, default=50, metavar="N", help="--edits: at most N (50)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Prints the versions."""
        if len(args) != (0 if opts.edits else 1):
            raise UsageError("expected the URL of one article, or --edits")
        if opts.atom and opts.json:
            raise UsageError("--atom and --json exclude each other", print_help=False)
        try:
            with archive(self.settings) as opened:
                if opts.edits:
                    selection = Selection(since=since(opts.since), site=opts.site, category=opts.category, job=opts.job)
                    found = opened.edits(selection, opts.limit)
                else:
                    found = opened.history(page_key(args[0]))
        except ArticlebotError as error:
            raise UsageError(str(error), print_help=False) from None
        if not found and not opts.edits:
            raise UsageError(f"the archive has no article at {args[0]}", print_help=False)
        try:
            if opts.json:
                print(to_json([edit.to_dict() for edit in found]))
                return
            _print(found, opts)
        except BrokenPipeError:
            reader_gone()


def page_key(text: str) -> int:
    """The page key of a URL, or of its 16 hex digits.

    Raises:
        RefusedError: neither.
    """
    return int(text, 16) if _KEY.fullmatch(text) else urls.page_key(urls.canonical_url(text))


def _print(found: Sequence[Edit], opts: argparse.Namespace) -> None:
    if opts.atom:
        sys.stdout.flush()
        sys.stdout.buffer.write(edits_feed(found) + b"\n")
        return
    for edit in found:
        print(_text(edit, full=opts.full, with_url=opts.edits))


def _text(edit: Edit, *, full: bool, with_url: bool) -> str:
    row = edit.row
    at = datetime.fromtimestamp(row["archived_at"]).astimezone().strftime("%Y-%m-%d %H:%M:%S %z")
    lines = [f"version {row['version']}, {row['change']}, {at}"]
    if edit.pieces:
        lines[0] += f", {edit.added} words added, {edit.removed} removed"
    if with_url or row["version"] == 1:
        lines += [f"  {_printable(row['title'])}", f"  {row['url']}"]
    lines += [
        f"  {name}: {_printable(as_text(old, name))} -> {_printable(as_text(new, name))}"
        for name, (old, new) in edit.changed.items()
    ]
    if edit.pieces:
        pieces = edit.pieces if full else shortened(edit.pieces)
        lines.append("  " + "".join(map(_marked, pieces)).replace("\n", "\n  "))
    return "\n".join(lines) + "\n"


def _marked(piece: Piece) -> str:
    colour = sys.stdout.isatty()
    if piece.op == "delete":
        return f"\033[9;31m{piece.text}\033[0m" if colour else f"[-{piece.text}-]"
    if piece.op == "insert":
        return f"\033[32m{piece.text}\033[0m" if colour else f"{{+{piece.text}+}}"
    return piece.text


def _printable(text: str) -> str:
    """Without what could steer a terminal."""
    return "".join(ch if ch.isprintable() else " " for ch in text)
