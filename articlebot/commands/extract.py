"""scrapy extract: articles out of addresses, files or a labelled corpus."""

from __future__ import annotations

import argparse

from articlebot.actions import base


class Command(base.Command):
    """Extract articles from addresses or files, or predict a labelled corpus.

    Prints the article of each address or HTML file; --explain adds which rule gave each field and what was cut out
    of the body. With --pages it reads rows of {id, site, url, html_path} (paths beside the file; or html instead)
    in order, writes a row of what was found in each to --out and prints one line of JSON. --learn-from first learns
    each site's wrapper from the pages of other rows; --live learns from the rows themselves as a crawl would, notices
    where a wrapper no longer fits, and learns again. A row without a page gets a row that says why (refused), and the
    exit code is 1.
    """

    takes = "[URL|FILE...]"
    usage = (
        "URL|FILE... [--json] [--explain]  |  "
        "--pages PAGES.jsonl --out PRED.jsonl [--learn-from OTHER.jsonl] [--live] [--cpu]"
    )
    json = "print every field as JSON, a list of articles"

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--explain", action="store_true", help="show which rule gave each field, and what was cut")
        parser.add_argument("--url", metavar="URL", help="the address that FILE was fetched from")
        parser.add_argument("--pages", metavar="FILE", help="rows of pages to predict")
        parser.add_argument("--out", metavar="FILE", help="where the predictions go, a JSON object a line")
        parser.add_argument(
            "--learn-from", metavar="FILE", help="rows of other pages, to learn the sites' wrappers from"
        )
        parser.add_argument(
            "--live", action="store_true", help="learn from the rows as they come, and say where a site's layout broke"
        )
        parser.add_argument(
            "--cpu", action="store_true", help="add the mean CPU milliseconds per page to the last line"
        )
