"""``scrapy judge``: adapts the relevance threshold of a topic by a person's word on a random sample of pages."""

from __future__ import annotations

import argparse

from articlebot.actions import base


class Command(base.Command):
    """Judge a sample of pages, and adapt a topic's relevance threshold.

    Shows a random sample of the articles that the topic's focused crawls archived and asks if each is relevant; or
    takes the answers from a file: rows of text (or title and body) with relevant (true or false) and, where known,
    relevance. The threshold is then raised or lowered and kept for the next focused crawl. --rule best takes the
    value that tells the judged pages apart best; --rule design lowers it where the accuracy varies less than a
    bound between rounds, else raises it.
    """

    takes = "TOPIC.toml"
    usage = "TOPIC.toml [options]"
    json = "print the figures as JSON"

    def options(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--labels", metavar="FILE", help="take pages and answers from this file of JSON lines")
        parser.add_argument("--n", type=int, default=20, help="pages to judge (%(default)s)")
        parser.add_argument("--job", help="sample this job's articles instead, whatever their relevance")
        parser.add_argument("--since", metavar="WHEN", help="only articles archived since, such as 7d")
        parser.add_argument("--rule", choices=("best", "design"), default="best", help="how it adapts (%(default)s)")
        parser.add_argument("--bound", type=float, help="design: greatest difference of accuracy that is steady (0.05)")
        parser.add_argument("--step", type=float, help="design: share by which the threshold moves (0.1)")
        parser.add_argument("--seed", type=int, help="of the sample")
