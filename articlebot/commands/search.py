"""``scrapy search``: full text over the archive."""

from __future__ import annotations

import argparse
import sys

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.archive import Found, Results, Search
from articlebot.commands._archive import archive, config, reader_gone, since
from articlebot.commands._output import to_json
from articlebot.errors import ArticlebotError
from articlebot.runtime import clock


class Command(ScrapyCommand):
    """Searches the archive."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """The command's arguments."""
        return "[options] QUERY"

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "Search the archive's articles"

    def long_desc(self) -> str:
        """The text of ``--help``."""
        return (
            'Finds articles that hold all words of QUERY, Chinese or English: words, "phrases", -without, begin*, '
            "one OR other. The best and newest come first; each is shown with the place that matches. "
            'A query with -without needs "--" before it.'
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declares the options."""
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="print JSON: total, more, rest and the articles")
        parser.add_argument("--site", help="articles of this site, such as example.com")
        parser.add_argument("--category", help="articles of this category")
        parser.add_argument("--job", help="articles of this job")
        parser.add_argument("--language", help="articles in this language, such as zh")
        parser.add_argument("--since", metavar="WHEN", help="published since: 2024-05-01, 2024-05-01T12:00, 36h or 7d")
        parser.add_argument("--newest", action="store_true", help="newest first, however well they match")
        parser.add_argument("--limit", type=int, default=20, metavar="N", help="at most N articles (20)")
        parser.add_argument("--offset", type=int, default=0, metavar="N", help="leave out the first N")
        parser.add_argument(
            "--after", metavar="PLACE", help="go on with what is older, at the place that a search gave"
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Prints the articles found."""
        if not args:
            raise UsageError("what is to be searched for?")
        if not 0 < opts.limit <= 1000 or opts.offset < 0:
            raise UsageError("--limit is from 1 to 1000, --offset from 0", print_help=False)
        options = config(self.settings).archive
        wanted = Search(
            words=" ".join(args), site=opts.site, category=opts.category, job=opts.job, language=opts.language,
            since=since(opts.since), sort="newest" if opts.newest else "relevance", limit=opts.limit,
            offset=opts.offset, after=opts.after, freshness=options.search_freshness,
            half_life_s=options.search_half_life_days * 86_400,
        )  # fmt: skip
        try:
            with archive(self.settings) as opened:
                results = opened.search(wanted, clock.now())
        except ArticlebotError as error:
            raise UsageError(str(error), print_help=False) from None
        try:
            _print(results, as_json=opts.json, begin=opts.offset + 1)
        except BrokenPipeError:
            reader_gone()


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
        f"{number:3}. {_printable(row['title'])}\n     {' · '.join(fact for fact in facts if fact)}\n"
        f"     {found.snippet.marked(*bold)}\n"
        f"     {row['url']}\n"
    )


def _printable(text: str) -> str:
    """Without what could steer a terminal: a page's title is anybody's. Snippets are normalised, which does it too."""
    return "".join(ch if ch.isprintable() else " " for ch in text)
