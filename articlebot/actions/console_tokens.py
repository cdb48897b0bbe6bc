"""``scrapy console tokens``: who may open the console and its API, beside the user who started it."""

from __future__ import annotations

import argparse
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.output import say, table
from articlebot.console.who import RedisTokens
from articlebot.errors import ConfigError
from articlebot.runtime import Runtime
from articlebot.times import iso


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Lists, makes or revokes tokens."""
    act, name = (*args, "", "")[:2]
    if act not in ("", "add", "revoke") or bool(act) != bool(name):
        raise UsageError("tokens: expected nothing, add NAME or revoke NAME", print_help=False)
    if act == "add":
        row = command.ask(lambda runtime: _add(runtime, name, opts.role or "read"))
        command.show(row, row["token"], opts)
        say(f"it is not shown again; {name} may {row['role']}")
    elif act == "revoke":
        if not command.ask(lambda runtime: _tokens(runtime).revoke(name)):
            raise ConfigError(f"{name} has no token; `scrapy console tokens` lists them")
        command.show({"name": name, "revoked": True}, f"the token of {name} is revoked", opts)
    else:
        rows = command.ask(_rows)
        told = [{**row, "at": iso(row["at"])} for row in rows]
        command.show(rows, lambda: table(told, ["name", "role", "at"]) if told else "There is no named token.", opts)


async def _add(runtime: Runtime, name: str, role: Any) -> dict[str, Any]:
    return {"name": name, "role": role, "token": await _tokens(runtime).add(name, role, runtime.now())}


async def _rows(runtime: Runtime) -> list[dict[str, Any]]:
    return [{"name": name, "role": kept["role"], "at": kept["at"]}
            for name, kept in (await _tokens(runtime).all()).items()]  # fmt: skip


def _tokens(runtime: Runtime) -> RedisTokens:
    return RedisTokens(runtime.clients.of(), runtime.config.general.key_prefix)
