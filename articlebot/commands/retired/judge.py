"""``scrapy judge``: now ``scrapy classify judge``."""

from __future__ import annotations

from articlebot.actions import base
from articlebot.commands import classify


class Command(base.Renamed):
    """Now ``scrapy classify judge``."""

    now, action = classify.Command, "judge"
