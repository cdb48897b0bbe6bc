"""What ``scrapy search --save`` keeps. Apart from the search, which asks the archive alone: this needs Redis' parts."""

from __future__ import annotations

import argparse
from dataclasses import replace
from getpass import getuser

from articlebot.actions import base
from articlebot.alerts.searches import SavedSearch
from articlebot.archive.index import FACETS
from articlebot.runtime import clock
from articlebot.runtime.found import save_search


def checked(words: str, opts: argparse.Namespace) -> SavedSearch:
    """The search to be saved.

    Raises:
        ConfigError: it cannot be kept so.
        RefusedError: it cannot be looked for.
    """
    facets = {name: getattr(opts, name) for name in FACETS}
    search = SavedSearch(name=opts.save, words=words, alert=opts.alert, **facets)
    search.check()
    return search


def save(command: base.Command, search: SavedSearch) -> None:
    """Keeps it, and says so."""
    kept = replace(search, who=getuser(), at=clock.now())
    command.ask(lambda runtime: save_search(runtime, kept))
    alerts = command.config().alerts
    hint = " by the log alone: ARTICLEBOT_ALERTS_URL and ARTICLEBOT_ALERTS_COMMAND are not set"
    told = f", people are told{'' if alerts.url or alerts.command else hint}" if search.alert else ""
    base.last_line(command, "search", f"saved as {search.name}{told}")
