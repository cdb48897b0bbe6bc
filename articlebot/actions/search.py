"""``scrapy search``: full text over the archive."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.archived import archive, refuse_unknown, since
from articlebot.actions.output import printable, say, table, to_json
from articlebot.archive import Found, Results, Search
from articlebot.archive.index import FACETS
from articlebot.errors import ConfigError
from articlebot.runtime import clock
from articlebot.typed import as_text

if TYPE_CHECKING:
    from articlebot.alerts.searches import SavedSearch


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Prints the articles found, and saves the search where that is asked for."""
    _check(args, opts)
    if opts.saved:
        searches = command.ask(lambda runtime: runtime.searches.all())
        command.show([asdict(one) for one in searches], lambda: _listed(searches), opts)
    elif opts.forget:
        if not command.ask(lambda runtime: runtime.searches.forget(opts.forget)):
            raise ConfigError(f"there is no saved search {opts.forget!r}: scrapy search --saved lists them")
        base.last_line(command, "search", f"{opts.forget} is forgotten")
    else:
        _search(command, as_text(" ".join(args)), opts)


def _check(args: list[str], opts: argparse.Namespace) -> None:
    """Refuses options that say nothing together.

    Raises:
        UsageError: says which.
    """
    if not 0 < opts.limit <= 1000 or opts.offset < 0:
        raise UsageError("--limit is from 1 to 1000, --offset from 0", print_help=False)
    if args and (opts.saved or opts.forget):
        raise UsageError("--saved and --forget take no QUERY", print_help=False)
    if not (args or opts.saved or opts.forget or opts.since or any(getattr(opts, name) for name in FACETS)):
        raise UsageError(
            "expected QUERY, a filter such as --site or --since, --saved or --forget NAME", print_help=False
        )
    if opts.alert and opts.save is None:
        raise UsageError("--alert: the search needs a name: --save NAME", print_help=False)
    if opts.save and opts.since:
        raise UsageError("--save keeps words, site, category, job and language: leave --since out", print_help=False)


def _search(command: base.Command, words: str, opts: argparse.Namespace) -> None:
    if opts.save is not None:  # what cannot be kept is said before anything else
        from articlebot.actions import saving  # noqa: PLC0415 - most searches are not saved

        kept = saving.checked(words, opts)
    with archive(command.config()) as opened:
        refuse_unknown(opened, opts)
        wanted = Search(
            words=words, site=opts.site, category=opts.category, job=opts.job, language=opts.language,
            since=since(opts.since), sort="newest" if opts.newest else "relevance", limit=opts.limit,
            offset=opts.offset, after=opts.after,
        )  # fmt: skip
        results = opened.search(wanted, clock.now())
        is_empty = not results.total and opened.newest_version() == 0
    _print(results, as_json=opts.json, begin=opts.offset + 1)
    if is_empty:
        say("the archive has no article so far: scrapy crawl --url URL follows a site")
    if opts.save is not None:
        saving.save(command, kept)


def _listed(searches: list[SavedSearch]) -> str:
    if not searches:
        return "no saved searches"
    rows = [
        {"name": one.name, "words": one.words or None, "who": one.who, "alert": "yes" if one.alert else None,
         "narrowed": " ".join(f"{name}={value}" for name, value in one.facets.items()) or None}
        for one in searches
    ]  # fmt: skip
    return table(rows, ("name", "words", "narrowed", "alert", "who"))


def _print(results: Results, *, as_json: bool, begin: int) -> None:
    if as_json:
        rows = [
            {**one.article, "score": one.score, "snippet": one.snippet.text, "marks": one.snippet.marks}
            for one in results.found
        ]
        told = {name: getattr(results, name) for name in ("total", "more", "rest", "instead")}
        print(to_json({**told, "articles": rows}))
        return
    bold = ("\033[1m", "\033[0m") if sys.stdout.isatty() else ("[", "]")
    for number, found in enumerate(results.found, begin):
        print(_lines(number, found, bold))
    older = f"more than {results.total:,} found; what is older than those: --after {results.rest}"
    print(older if results.more else f"{results.total:,} found")
    if results.instead:
        print(f"did you mean: {printable(results.instead)}")


def _lines(number: int, found: Found, bold: tuple[str, str]) -> str:
    row = found.article
    facts = [
        (row["published_at"] or "-")[:16],
        printable(row["author"] or ""),
        row["site"],
        row["category"],
        row["change"] if row["version"] > 1 else None,
    ]
    return (
        f"{number:3}. {printable(row['title'])}\n     {' · '.join(fact for fact in facts if fact)}\n"
        f"     {found.snippet.marked(*bold)}\n"
        f"     {row['url']}\n"
    )
