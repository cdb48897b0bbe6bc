"""``scrapy retention``: now ``scrapy archive retention``."""

from __future__ import annotations

from articlebot.actions import base
from articlebot.commands import archive


class Command(base.Renamed):
    """Now ``scrapy archive retention``."""

    now, action = archive.Command, "retention"
