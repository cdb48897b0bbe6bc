"""``scrapy search``: full text over the archive."""

from __future__ import annotations

import argparse
import sys

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.archived import archive, refuse_unknown, since
from articlebot.actions.output import printable, to_json
from articlebot.archive import Found, Results, Search
from articlebot.runtime import clock


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Prints the articles found."""
    if not 0 < opts.limit <= 1000 or opts.offset < 0:
        raise UsageError("--limit is from 1 to 1000, --offset from 0", print_help=False)
    config = command.config()
    with archive(config) as opened:
        refuse_unknown(opened, opts)
        wanted = Search(
            words=" ".join(args), site=opts.site, category=opts.category, job=opts.job, language=opts.language,
            since=since(opts.since), sort="newest" if opts.newest else "relevance", limit=opts.limit,
            offset=opts.offset, after=opts.after, freshness=config.archive.search_freshness,
            half_life_s=config.archive.search_half_life_days * 86_400,
        )  # fmt: skip
        results = opened.search(wanted, clock.now())
    _print(results, as_json=opts.json, begin=opts.offset + 1)


def _print(results: Results, *, as_json: bool, begin: int) -> None:
    if as_json:
        rows = [
            {**one.article, "score": one.score, "snippet": one.snippet.text, "marks": one.snippet.marks}
            for one in results.found
        ]
        print(to_json({"total": results.total, "more": results.more, "rest": results.rest, "articles": rows}))
        return
    bold = ("\033[1m", "\033[0m") if sys.stdout.isatty() else ("[", "]")
    for number, found in enumerate(results.found, begin):
        print(_lines(number, found, bold))
    print(_more(results) if results.more else f"{results.total:,} found")


def _more(results: Results) -> str:
    return f"more than {results.total:,} found; what is older than those: --after {results.rest}"


def _lines(number: int, found: Found, bold: tuple[str, str]) -> str:
    row = found.article
    facts = [
        (row["published_at"] or "-")[:16],
        row["site"],
        row["category"],
        row["change"] if row["version"] > 1 else None,
    ]
    return (
        f"{number:3}. {printable(row['title'])}\n     {' · '.join(fact for fact in facts if fact)}\n"
        f"     {found.snippet.marked(*bold)}\n"
        f"     {row['url']}\n"
    )
