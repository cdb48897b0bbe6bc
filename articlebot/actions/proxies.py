"""``scrapy proxies``: look at the proxies, try, add and remove some."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.output import table
from articlebot.errors import RefusedError
from articlebot.files import lines_of
from articlebot.proxies import Proxy, RedisProxies
from articlebot.proxies.store import Record
from articlebot.runtime import Runtime
from articlebot.times import iso

_COLUMNS = ["proxy", "state", "share", "median_s", "alters", "leaks", "checks", "checked_at", "source"]


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Does one action."""
    action, names = command.action, args
    if action == "add" and not names and not opts.file:
        raise UsageError("add: name a proxy, or give --file", print_help=False)
    if action == "remove" and bool(names) == opts.all:
        raise UsageError("remove: name proxies, or give --all", print_help=False)
    if action == "test":
        command.crawl("proxy_check", only=",".join(names))
    command.ask(lambda runtime: _act(command, action, names, opts, runtime))


async def _act(
    command: base.Command, action: str, names: list[str], opts: argparse.Namespace, runtime: Runtime
) -> None:
    live = runtime.proxies
    if action == "add":
        texts = [*names, *_lines(opts.file)]
        new = await add(live.store, texts, runtime.now(), allow_private=runtime.config.proxies.allow_private)
        command.show({"added": new}, f"{new} proxies added", opts)
    elif action == "remove":
        known = await live.store.known()
        keys = [r.proxy.key for r in known] if opts.all else list(_keys(names, known))
        removed = await live.store.remove(keys)
        command.show({"removed": removed}, f"{removed} proxies removed", opts)
    else:
        records, pool = await live.store.known(), {r.proxy.key for r in await live.store.pool()}
        wanted = set(_keys(names, records)) if names else None
        rows = [_row(record, pool) for record in records if wanted is None or record.proxy.key in wanted]
        rows += [_paid(proxy) for proxy in live.paid]
        if action == "list" and not opts.all:
            rows = [row for row in rows if row["state"] in ("pool", "paid")]
        none = "No proxies; see scrapy proxies add and scrapy crawl proxy_lists."
        shown = [{**row, "checked_at": iso(row.get("checked_at"))} for row in rows]
        command.show(rows, lambda: table(shown, _COLUMNS) if rows else none, opts)


async def add(store: RedisProxies, texts: Iterable[str], now: float, *, allow_private: bool) -> int:
    """Makes proxies known and puts them into the pool; returns how many were new.

    Raises:
        RefusedError: one is none; nothing was added.
    """
    proxies = [Proxy.parse(text, allow_private=allow_private) for text in texts]
    new = await store.add(proxies, "added", now)
    named = {proxy.key for proxy in proxies}
    await store.put_in_pool(record for record in await store.known() if record.proxy.key in named)
    return new


def _lines(path: Path | None) -> list[str]:
    lines = [] if path is None else lines_of(path)
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


def _keys(names: list[str], known: list[Record]) -> Iterable[str]:
    """The names in the store of proxies that a user named by key or address."""
    for name in names:
        matches = [r.proxy.key for r in known if name in (r.proxy.key, r.proxy.masked, r.proxy.url)]
        if not matches:
            try:
                parsed = Proxy.parse(name, allow_private=True)
            except RefusedError:
                parsed = None
            matches = [r.proxy.key for r in known if parsed is not None and r.proxy.key == parsed.key]
        if not matches:
            raise RefusedError("proxy_unknown", "one of the named proxies is not known; see scrapy proxies list --all")
        yield from matches


def _row(record: Record, pool: set[str]) -> dict[str, Any]:
    state = "pool" if record.proxy.key in pool else record.reason or "known"
    return {**record.shown(), "state": state, "checks": len(record.history)}


def _paid(proxy: Proxy) -> dict[str, Any]:
    return {"proxy": proxy.masked, "key": proxy.key, "state": "paid", "source": "configuration"}
