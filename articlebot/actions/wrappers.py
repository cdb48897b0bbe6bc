"""scrapy wrappers: shows, pins and forgets what was learned of sites."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime

from redis.exceptions import RedisError
from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.output import say, table, to_json
from articlebot.errors import StoreUnavailable
from articlebot.extraction.wrapper.model import dump
from articlebot.extraction.wrapper.store import PageStore, WrapperStore
from articlebot.runtime import Runtime


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Does one action."""
    config = command.config()
    with closing(Runtime(config).shelf()) as shelf:
        _act(command, WrapperStore(shelf, config.wrappers.folder), PageStore(shelf), args, opts)


def tell_workers(command: base.Command, sites: Iterable[str]) -> None:
    """Has running workers go by what is known of sites now; where Redis is away, they do so after their next start."""

    async def tell(runtime: Runtime) -> None:
        for site in sites:
            await runtime.turns.tell(site)

    try:
        command.ask(tell)
    except (StoreUnavailable, RedisError) as error:
        say(f"running workers go by it after their next start: {error}")


def _act(
    command: base.Command, store: WrapperStore, pages: PageStore, args: list[str], opts: argparse.Namespace
) -> None:
    if command.action == "list":
        _list(command, store, opts)
    elif command.action == "show":
        _show(command, store, args[0], opts.version, as_json=opts.json)
    elif command.action == "history":
        _history(command, store, args[0], opts)
    elif command.action == "pin":
        _pin(store, args[0], args[1])
        tell_workers(command, args[:1])
        version = store.current(args[0])
        told = f"{args[0]} is read by version {version}, until another is pinned"
        free = f"{args[0]} is read by its newest version, {version}, and by newer ones when they are learned"
        command.show({"site": args[0], "version": version}, free if args[1] == "newest" else told, opts)
    else:
        forgotten = _forget(command, store, pages, args[0], with_pages=opts.pages)
        tell_workers(command, args[:1])
        again = "" if opts.pages else "; a running crawl learns it again from its kept pages (--pages forgets them too)"
        if opts.json or forgotten:
            text = f"what was learned of {args[0]} is forgotten{again}"
            command.show({"site": args[0], "forgotten": forgotten}, text, opts)


def _show(command: base.Command, store: WrapperStore, site: str, version: int | None, *, as_json: bool) -> None:
    rules = store.rules(site, version)
    if not rules:
        _unknown(command, site)
        if not as_json:
            return
    drift = store.drift(site)
    shown = {
        "site": site,
        "templates": [dump(one) for one in rules],
        "recent_fit": round(drift.fit, 3),
        "doubted_at": drift.doubted_at,
    }
    print(to_json(shown))


def _history(command: base.Command, store: WrapperStore, site: str, opts: argparse.Namespace) -> None:
    rows = [
        {
            "version": v.number,
            "templates": v.templates,
            "pages": v.pages,
            "confidence": v.confidence,
            "learned": None if v.learned_at is None else f"{datetime.fromtimestamp(v.learned_at, UTC):%Y-%m-%d %H:%M}",
            "pinned": "yes" if v.pinned else "",
            "in_force": "yes" if v.current else "",
        }
        for v in store.history(site)
    ]
    if not rows:
        _unknown(command, site)
        if not opts.json:
            return
    columns = ("version", "templates", "pages", "confidence", "learned", "pinned", "in_force")
    command.show(rows, lambda: table(rows, columns), opts)


def _forget(command: base.Command, store: WrapperStore, pages: PageStore, site: str, *, with_pages: bool) -> bool:
    found = store.forget(site)
    if with_pages and pages.count(site):
        pages.forget(site)
        found = True
    if not found:
        _unknown(command, site)
    return found


def _unknown(command: base.Command, site: str) -> None:
    print(f"nothing was learned of {site}", file=sys.stderr)
    command.exitcode = 1


def _list(command: base.Command, store: WrapperStore, opts: argparse.Namespace) -> None:
    rows = []
    for site in store.sites():
        rules = store.rules(site)
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
    command.show(rows, lambda: table(rows, columns), opts)


def _pin(store: WrapperStore, site: str, version: str) -> None:
    if version != "newest" and not version.isdigit():
        raise UsageError(f"expected a version's number or `newest`, not {version!r}", print_help=False)
    store.pin(site, None if version == "newest" else int(version))
