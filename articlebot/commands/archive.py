"""``scrapy archive``: old articles removed, and articles anew from their stored pages."""

from __future__ import annotations

import argparse

from articlebot.actions import base
from articlebot.actions.base import Action
from articlebot.actions.filters import add_engine, add_filters, how_many


class Command(base.Command):
    """Remove what is old from the archive; extract articles again from stored pages.

    Both show what they would do; with --apply they do it.
    retention: removes articles unchanged for --days and versions beyond the newest --versions of each article;
    absent, as ARTICLEBOT_ARCHIVE_KEEP_DAYS and ARTICLEBOT_ARCHIVE_KEEP_VERSIONS say, which keep everything unless
    set. What waits in the outbox stays. An article that was removed is not archived again, unless its page changes
    and states a later date. For cron.
    reextract: extracts the newest version of each article again from its raw page, where that is kept
    (ARTICLEBOT_ARCHIVE_RAW=all), without fetching, with the wrappers as they are now, and shows what comes out
    otherwise than what is archived. With --apply it becomes a new version and goes to the sinks. Articles of several
    pages are left out: only their first page is kept. With --warc the pages are those of WARC files, of any crawler,
    and a line for each goes to --out or standard output. A run that was killed continues where it was.
    """

    actions = {"retention": Action("", "retention"), "reextract": Action("", "reextract")}
    usage = "retention | reextract   [options]"

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--apply", action="store_true", help="do it, not only show it")
        parser.add_argument("--days", type=float, metavar="N", help="retention: keep what changed in the last N days")
        parser.add_argument(
            "--versions", type=how_many, metavar="N", help="retention: keep the newest N of each article"
        )
        parser.add_argument("--jobs", metavar="FILE", help="reextract: job files, by commas: selectors and time zones")
        parser.add_argument("--limit", type=how_many, default=20, metavar="N", help="reextract: show the first N (20)")
        add_filters(parser, "since", "site", "job", only="reextract")
        parser.add_argument("--warc", nargs="+", metavar="FILE", help="reextract: read the HTML pages of these files")
        parser.add_argument("--out", metavar="FILE", help="reextract --warc: a JSON object a line for each page")
        add_engine(parser, "reextract")
