"""``scrapy reextract``: now ``scrapy archive reextract``."""

from __future__ import annotations

from articlebot.actions import base
from articlebot.commands import archive


class Command(base.Renamed):
    """Now ``scrapy archive reextract``."""

    now, action = archive.Command, "reextract"
