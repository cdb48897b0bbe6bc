"""``scrapy migrate``: now ``scrapy frontier migrate``."""

from __future__ import annotations

from articlebot.actions import base
from articlebot.commands import frontier


class Command(base.Renamed):
    """Now ``scrapy frontier migrate``."""

    now, action = frontier.Command, "migrate"
