"""scrapy wrappers: shows, pins and forgets what was learned of sites."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.commands._output import table, to_json
from articlebot.config import Config
from articlebot.errors import ArticlebotError
from articlebot.extraction.wrapper import PageStore, WrapperStore
from articlebot.extraction.wrapper.model import dump

_ACTIONS = {"list": (0, 0), "show": (1, 1), "history": (1, 1), "pin": (2, 2), "forget": (1, 1)}


class Command(ScrapyCommand):
    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "list | show SITE | history SITE | pin SITE VERSION|newest | forget SITE"

    def short_desc(self) -> str:
        return "Show, pin or forget the wrappers learned of a site"

    def long_desc(self) -> str:
        return (
            "list: the sites with a wrapper. show: the wrapper in force, as the JSON that a file of the wrappers "
            "folder may "
            "hold to override it. history: every version with the pages it rests on. pin: hold a site at a "
            "version until "
            "`pin SITE newest`. forget: remove what was learned; with --pages also the pages kept of the site."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--version", type=int, metavar="N", help="with show: this version instead of the one in force"
        )
        parser.add_argument("--pages", action="store_true", help="with forget: the pages kept of the site, too")
        parser.add_argument("--json", action="store_true", help="print as JSON")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        action = args[0] if args else ""
        least, most = _ACTIONS.get(action, (1, 0))
        if not least <= len(args) - 1 <= most:
            raise UsageError(f"expected {self.syntax()}")
        config = Config.from_settings(self.settings)
        store = WrapperStore(config.general.data_dir, config.wrappers.folder)
        try:
            if action == "list":
                _list(store, as_json=opts.json)
            elif action == "show":
                self._show(store, args[1], opts.version, as_json=opts.json)
            elif action == "history":
                self._history(store, args[1], as_json=opts.json)
            elif action == "pin":
                _pin(store, args[1], args[2])
                if opts.json:
                    print(to_json({"site": args[1], "version": store.current(args[1])}))
            else:
                forgotten = self._forget(store, PageStore(config.general.data_dir), args[1], with_pages=opts.pages)
                if opts.json:
                    print(to_json({"site": args[1], "forgotten": forgotten}))
        except ArticlebotError as error:
            raise UsageError(str(error), print_help=False) from None

    def _show(self, store: WrapperStore, site: str, version: int | None, *, as_json: bool) -> None:
        wrappers = store.load(site, version)
        if not wrappers:
            self._unknown(site)
            if not as_json:
                return
        drift = store.drift(site)
        shown = {
            "site": site,
            "templates": [dump(w.rules) for w in wrappers],
            "recent_fit": round(drift.fit, 3),
            "doubted_at": drift.doubted_at,
        }
        print(to_json(shown))

    def _history(self, store: WrapperStore, site: str, *, as_json: bool) -> None:
        rows = [
            {
                "version": v.number,
                "templates": v.templates,
                "pages": v.pages,
                "confidence": v.confidence,
                "learned": None
                if v.learned_at is None
                else f"{datetime.fromtimestamp(v.learned_at, UTC):%Y-%m-%d %H:%M}",
                "pinned": "yes" if v.pinned else "",
                "in_force": "yes" if v.current else "",
            }
            for v in store.history(site)
        ]
        if not rows:
            self._unknown(site)
            if not as_json:
                return
        columns = ("version", "templates", "pages", "confidence", "learned", "pinned", "in_force")
        print(to_json(rows) if as_json else table(rows, columns))

    def _forget(self, store: WrapperStore, pages: PageStore, site: str, *, with_pages: bool) -> bool:
        found = store.forget(site)
        if with_pages and pages.count(site):
            pages.forget(site)
            found = True
        if not found:
            self._unknown(site)
        return found

    def _unknown(self, site: str) -> None:
        print(f"nothing was learned of {site}", file=sys.stderr)
        self.exitcode = 1


def _list(store: WrapperStore, *, as_json: bool) -> None:
    rows = []
    for site in store.sites():
        wrappers = store.load(site)
        rules = [w.rules for w in wrappers]
        rows.append(
            {
                "site": site,
                "version": store.current(site),
                "templates": len(rules),
                "pages": sum(r.pages for r in rules),
                "confidence": max((r.confidence for r in rules), default=0.0),
                "by_hand": "yes" if any(r.overrides for r in rules) else "",
                "doubted": "yes" if store.drift(site).doubted_at is not None else "",
            }
        )
    columns = ("site", "version", "templates", "pages", "confidence", "by_hand", "doubted")
    print(to_json(rows) if as_json else table(rows, columns))


def _pin(store: WrapperStore, site: str, version: str) -> None:
    if version != "newest" and not version.isdigit():
        raise UsageError(f"expected a version's number or `newest`, not {version!r}", print_help=False)
    store.pin(site, None if version == "newest" else int(version))
