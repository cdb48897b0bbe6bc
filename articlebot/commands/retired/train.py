"""``scrapy train``: now ``scrapy classify train``."""

from __future__ import annotations

from articlebot.actions import base
from articlebot.commands import classify


class Command(base.Renamed):
    """Now ``scrapy classify train``."""

    now, action = classify.Command, "train"
