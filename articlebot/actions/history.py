"""``scrapy history``: the versions of an article and what changed between them."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from datetime import datetime

from scrapy.exceptions import UsageError

from articlebot import urls
from articlebot.actions import base
from articlebot.actions.archived import archive, selection
from articlebot.actions.output import printable, say, to_json
from articlebot.archive import Edit, Piece, as_text, shortened
from articlebot.publishing.atom import edits_feed

_KEY = re.compile(r"[0-9a-f]{16}")


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Prints the versions."""
    if len(args) != (0 if opts.edits else 1):
        raise UsageError("expected the URL of one article, or --edits")
    if opts.atom and opts.json:
        raise UsageError("--atom and --json exclude each other", print_help=False)
    with archive(command.config()) as opened:
        edits = opts.edits
        found = opened.edits(selection(opened, opts), opts.limit) if edits else opened.history(page_key(args[0]))
    if not found and opts.edits:
        print("no edit is chosen", file=sys.stderr)
    elif not found:
        say(f"the archive has no article at {args[0]}")
        command.exitcode = base.WITH_ERRORS
    if opts.json:
        print(to_json([edit.to_dict() for edit in found]))
    else:
        _print(found, opts)


def page_key(text: str) -> int:
    """The page key of a URL, or of its 16 hex digits.

    Raises:
        ConfigError: neither.
    """
    return int(text, 16) if _KEY.fullmatch(text) else urls.page_key(urls.typed_url(text))


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
        lines += [f"  {printable(row['title'])}", f"  {row['url']}"]
    lines += [
        f"  {name}: {printable(as_text(old, name))} -> {printable(as_text(new, name))}"
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
