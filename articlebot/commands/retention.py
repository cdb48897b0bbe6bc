"""``scrapy retention``: removes what the archive need not keep any longer."""

from __future__ import annotations

import argparse

from articlebot.actions import base


class Command(base.Command):
    """Remove old articles and versions from the archive.

    Removes articles unchanged for --days and versions beyond the newest --versions of each article; absent, as
    ARTICLEBOT_ARCHIVE_KEEP_DAYS and ARTICLEBOT_ARCHIVE_KEEP_VERSIONS say, which keep everything unless set. What
    waits in the outbox stays. An article that was removed is not archived again, unless its page changes and states
    a later date. Shows what would go; with --apply it goes. For cron.
    """

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--days", type=float, metavar="N", help="keep articles changed in the last N days")
        parser.add_argument("--versions", type=int, metavar="N", help="keep the newest N versions of each article")
        parser.add_argument("--apply", action="store_true", help="remove, not only count")
