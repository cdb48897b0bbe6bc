"""``scrapy export``: the archive's articles in the formats of others."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.archived import archive, selection
from articlebot.actions.formats import write
from articlebot.actions.output import Progress
from articlebot.actions.wacz import into_wacz
from articlebot.archive import Archive, Selection
from articlebot.archive.raw import RawPage
from articlebot.archive.raw import write as write_warc
from articlebot.files import draft_of
from articlebot.manners.signals import objection
from articlebot.runtime import clock

_KEPT = "ARTICLEBOT_ARCHIVE_RAW=all keeps what comes from then on; withdrawals and articles in several pages have none"
_NO_PAGE = f"no page is chosen: no article is, or none has its page here ({_KEPT})"


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Writes the selected articles."""
    form = opts.format or ("jsonl" if opts.json else "table")
    if opts.json and form != "jsonl":
        raise UsageError(f"--json and --format {form}: give one of them", print_help=False)
    if opts.query and opts.versions:
        raise UsageError("--query finds articles in their newest version: without --versions", print_help=False)
    if opts.versions and (opts.warc or form == "wacz"):
        raise UsageError("raw pages are written of the newest versions: without --versions", print_help=False)
    if form == "wacz" and (opts.warc or opts.out in (None, "-")):
        raise UsageError("--format wacz: name a file with --out FILE, without --warc", print_help=False)
    with archive(command.config()) as opened:
        chosen, wanted = selection(opened, opts), _Wanted(opts.purpose)
        if opts.warc or form == "wacz":
            _write_pages(opened, chosen, opts, wanted)
        else:
            rows = opened.articles(chosen, versions=opts.versions)
            if opts.query:
                rows = opened.matching(opts.query, chosen, clock.now())
            write(_counted(wanted.of(rows)), form, opts.out)
        wanted.tell()


def _counted(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    number = 0
    with Progress("rows") as progress:
        for row in rows:
            yield row
            number += 1
            progress.step()
    if not number:
        print("no article is chosen", file=sys.stderr)


class _Wanted:
    """The rows that a purpose may have, and the count of those it may not.

    Args:
        purpose: one of ``signals.PURPOSES``; None lets all pass.
    """

    def __init__(self, purpose: str | None) -> None:
        self._purpose, self._left_out, self._now = purpose, Counter[str](), clock.now()

    def has(self, row: dict[str, Any]) -> bool:
        """Whether a row may be used; one that may not is counted."""
        against = self._purpose and objection(row["usage"], self._purpose, self._now)
        if against:
            self._left_out[against] += 1
        return not against

    @property
    def left_out(self) -> int:
        """How many may not be used."""
        return self._left_out.total()

    def of(self, rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The rows that may be used; to train, without images that may not."""
        for row in rows:
            if self.has(row):
                yield (
                    {**row, "images": [], "lead_image": None}
                    if self._purpose == "train" and "noimageai" in row["usage"]
                    else row
                )

    def tell(self) -> None:
        """Says on standard error what was left out, and why."""
        if self._purpose:
            reasons = ", ".join(f"{number:,} {name}" for name, number in self._left_out.most_common())
            print(f"{self.left_out:,} left out{': ' * bool(reasons)}{reasons}", file=sys.stderr)


def _write_pages(opened: Archive, chosen: Selection, opts: argparse.Namespace, wanted: _Wanted) -> None:
    """Writes the kept raw pages of what is chosen, as WARC or WACZ."""
    found = None
    if opts.query:
        found = {row["page_key"] for row in opened.matching(opts.query, chosen, clock.now())}

    def pages() -> Iterator[tuple[dict[str, Any], RawPage]]:
        with Progress("pages") as progress:
            for row, page in opened.with_raw_pages(chosen):
                if (found is None or row["page_key"] in found) and wanted.has(row):
                    yield row, page
                    progress.step()

    path = Path(opts.warc or opts.out)
    try:
        with draft_of(path) as draft:
            number = _into_warc(pages(), draft) if opts.warc else into_wacz(pages(), draft, clock.now())
            if not number:
                raise UsageError(_NO_PAGE, print_help=False)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", print_help=False) from None
    articles = len(found) if found is not None else sum(1 for _ in opened.articles(chosen))
    print(f"{number:,} pages in {path}", file=sys.stderr)
    if (missing := articles - number - wanted.left_out) > 0:
        print(f"{missing:,} articles have no page here: {_KEPT}", file=sys.stderr)


def _into_warc(pages: Iterable[tuple[dict[str, Any], RawPage]], path: Path) -> int:
    number = 0
    with path.open("wb") as file:
        for _, page in pages:
            write_warc(file, page)
            number += 1
    return number
