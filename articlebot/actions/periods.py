"""``scrapy jobs periods``: the real period of each list page beside the one that its visits found."""

from __future__ import annotations

import argparse
from collections import defaultdict
from contextlib import closing
from itertools import pairwise
from statistics import median
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.output import table
from articlebot.jobs.book import JobBook
from articlebot.jobs.history import RoundRecord
from articlebot.runtime import Runtime, clock

_DAY = 86400.0
# Of fewer items or visits a period says nothing.
_LEAST = 4


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Prints, for each list page, its real period, the one that the visits swung into, and their ratio."""
    if not opts.days > 0:
        raise UsageError("--days must be above 0")
    names = {job.name for job in JobBook.from_argument(",".join(args), None)}
    by_page: dict[int, list[RoundRecord]] = defaultdict(list)
    with closing(Runtime(command.config()).rounds()) as history:
        for record in history.rounds(clock.now() - opts.days * _DAY):
            if record.job in names and record.page and not record.failed:
                by_page[record.page].append(record)

    async def urls(runtime: Runtime) -> dict[int, str]:
        return {one.key: one.url for one in await runtime.pages.get(list(by_page)) if one is not None}

    known = command.ask(urls) if by_page else {}
    rows = [row for page, rounds in by_page.items() if (row := period_of(rounds, known.get(page, f"{page:016x}")))]
    rows.sort(key=lambda row: (row["job"], row["page"]))
    none = "no list page has had enough visits and items to tell its period"
    command.show(rows, lambda: table(rows, list(rows[0])) if rows else none, opts)
    told = f", found/real {median(row['ratio'] for row in rows):.2f} in the median" if rows else ""
    base.last_line(command, "jobs", f"periods of {len(rows):,} of {len(by_page):,} list pages{told}")


def period_of(rounds: list[RoundRecord], url: str) -> dict[str, Any] | None:
    """The real period of a list page, seconds between two items, and the median wait of the later half of its visits.

    None where too little is known.
    """
    rounds = sorted(rounds, key=lambda one: one.at)
    items, span = sum(one.new_items for one in rounds[1:]), rounds[-1].at - rounds[0].at
    if items < _LEAST or len(rounds) < 2 * _LEAST or span <= 0:
        return None
    later = rounds[len(rounds) // 2 - 1 :]
    real, found = span / items, median(after.at - before.at for before, after in pairwise(later))
    return {
        "page": url, "job": rounds[0].job, "visits": len(rounds), "items": items, "real_s": round(real, 1),
        "found_s": round(found, 1), "ratio": round(found / real, 3),
    }  # fmt: skip
