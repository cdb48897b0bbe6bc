"""``scrapy politeness``: now ``scrapy frontier politeness``."""

from __future__ import annotations

from articlebot.actions import base
from articlebot.commands import frontier


class Command(base.Renamed):
    """Now ``scrapy frontier politeness``."""

    now, action = frontier.Command, "politeness"
