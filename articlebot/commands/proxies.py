"""``scrapy proxies``: look at the proxies, try, add and remove some."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from redis.exceptions import RedisError
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.commands._output import table, to_json
from articlebot.errors import ArticlebotError, RefusedError
from articlebot.proxies import Proxy, RedisProxies
from articlebot.proxies.store import Record
from articlebot.runtime import Runtime

_COLUMNS = ["proxy", "state", "share", "median_s", "alters", "leaks", "checks", "checked_at", "source"]


class Command(ScrapyCommand):
    """The proxies: list, test, add, remove."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "list [--all] | test [PROXY...] | add PROXY... [--file FILE] | remove PROXY... | remove --all   [--json]"

    def short_desc(self) -> str:
        return "List, try, add and remove proxies"

    def long_desc(self) -> str:
        return (
            "list: the pool; with --all everything known, with the reason why it is not in the pool. test: tries the "
            "named proxies now (without names all that are known) as scrapy crawl proxy_check does, and prints what it "
            "found. add: makes proxies known and puts them into the pool until a check says otherwise; "
            "http://user:password@host:port or host:port. remove: forgets proxies, by what list prints as key or by "
            "address. Credentials are "
            "never printed."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--all", action="store_true", help="list: known proxies too; remove: every one")
        parser.add_argument("--file", type=Path, metavar="FILE", help="add: a file of further proxies, one a line")
        parser.add_argument("--json", action="store_true", help="print JSON instead of a table")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if not args or args[0] not in ("list", "test", "add", "remove"):
            raise UsageError("expected one of: list, test, add, remove", print_help=False)
        action, names = args[0], args[1:]
        if action == "add" and not names and not opts.file:
            raise UsageError("add: name a proxy, or give --file", print_help=False)
        if action == "remove" and bool(names) == opts.all:
            raise UsageError("remove: name proxies, or give --all", print_help=False)
        assert self.settings is not None
        try:
            if action == "test":
                self._try(names)
            asyncio.run(self._act(action, names, opts, Runtime.from_settings(self.settings)))
        except (ArticlebotError, RedisError) as error:
            print(f"articlebot: {error}", file=sys.stderr)
            self.exitcode = 2

    def _try(self, names: list[str]) -> None:
        assert self.crawler_process is not None
        self.crawler_process.crawl("proxy_check", only=",".join(names))
        self.crawler_process.start()

    async def _act(self, action: str, names: list[str], opts: argparse.Namespace, runtime: Runtime) -> None:
        try:
            live = runtime.proxies
            if action == "add":
                texts = [*names, *_lines(opts.file)]
                new = await add(live.store, texts, runtime.now(), allow_private=runtime.config.proxies.allow_private)
                print(to_json({"added": new}) if opts.json else f"{new} proxies added")
            elif action == "remove":
                known = await live.store.known()
                keys = [r.proxy.key for r in known] if opts.all else list(_keys(names, known))
                removed = await live.store.remove(keys)
                print(to_json({"removed": removed}) if opts.json else f"{removed} proxies removed")
            else:
                records, pool = await live.store.known(), {r.proxy.key for r in await live.store.pool()}
                wanted = set(_keys(names, records)) if names else None
                rows = [_row(record, pool) for record in records if wanted is None or record.proxy.key in wanted]
                rows += [_paid(proxy) for proxy in live.paid]
                if action == "list" and not opts.all:
                    rows = [row for row in rows if row["state"] in ("pool", "paid")]
                _print(rows, as_json=opts.json)
        finally:
            await runtime.close()


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
    if path is None:
        return []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RefusedError("file_unreadable", f"{path}: {type(error).__name__}") from None
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


def _print(rows: list[dict[str, Any]], *, as_json: bool) -> None:
    if as_json:
        print(to_json(rows))
        return
    shown = [{**row, "checked_at": _time(row.get("checked_at"))} for row in rows]
    print(table(shown, _COLUMNS) if rows else "No proxies; see scrapy proxies add and scrapy crawl proxy_lists.")


def _time(at: float | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")
