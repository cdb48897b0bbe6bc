"""``scrapy label``: now ``scrapy classify label``."""

from __future__ import annotations

from articlebot.actions import base
from articlebot.commands import classify


class Command(base.Renamed):
    """Now ``scrapy classify label``."""

    now, action = classify.Command, "label"
