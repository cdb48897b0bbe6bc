"""``scrapy backup``: one file of everything that the crawl knows."""

from __future__ import annotations

from articlebot.actions import base


class Command(base.Command):
    """Write everything that the crawl knows into one file.

    Its keys in Redis, the archive where that is SQLite, and of the data folder wrappers, pages, histories and what
    was learned; not the logs. The crawl may run meanwhile. An archive in PostgreSQL and a Redis Cluster are left out,
    and it says so: they have means of their own. Job files are yours. Exit code 2: the file exists, or there is no
    crawl; 75: a store is away.
    """

    usage = "FILE [--json]"
    takes = "FILE"
