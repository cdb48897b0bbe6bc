"""``scrapy doctor``: what a site offers and what its articles look like, without following it."""

from __future__ import annotations

from articlebot.actions import base


class Command(base.Command):
    """Look at a site and say what it offers, with three sample articles.

    Looks at a site as the first visit of a crawl does, in under 30 seconds and 40 requests, and prints what it offers:
    feeds, sitemaps, lists, addresses from which its scripts fetch lists (api), language and time zone, whether it needs
    a browser, walls, and three sample articles as they are read. Nothing is kept. Exit code 1: no article can be found
    by what it offers.
    """

    usage = "URL [--json]"
    takes = "URL"
