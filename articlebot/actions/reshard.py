"""``scrapy frontier reshard N``: moves a crawl that nobody works on to another number of shards."""

from __future__ import annotations

import argparse
import asyncio
from contextlib import AsyncExitStack, ExitStack
from typing import Any

from scrapy.exceptions import UsageError

from articlebot import shards
from articlebot.actions import base
from articlebot.actions.output import Progress
from articlebot.config import Config
from articlebot.connect import tagged
from articlebot.dedup import moving as near_duplicates
from articlebot.errors import StateError, UnderWay
from articlebot.frontier import moving
from articlebot.frontier.build import frontier_of
from articlebot.frontier.inspect import workers
from articlebot.frontier.scripts import outages
from articlebot.frontier.sharded import AnyFrontier
from articlebot.recrawl.store import RedisPageStates
from articlebot.runtime.clients import refuse_old_names
from articlebot.runtime.private_redis import PrivateRedis
from articlebot.together import Together

_MOST = 256
_PATIENCE_S = 60.0


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Moves queue, seen marks, page states and near-duplicates."""
    if not args[0].isdigit() or not 1 <= int(args[0]) <= _MOST:
        raise UsageError(f"reshard: a number from 1 to {_MOST}, not {args[0]}", print_help=False)
    config, wanted = command.config(), int(args[0])
    general = config.general
    with ExitStack() as stack:
        url = general.redis_url or stack.enter_context(PrivateRedis(general.data_dir / "redis")).url
        refuse_old_names(url, general.key_prefix)
        with outages():
            moved = asyncio.run(reshard(config, url, wanted))
    said = "{requests:,} requests and {pages:,} pages moved from {before} to {after} shards".format(**moved)
    command.show(moved, f"{said}; set ARTICLEBOT_FRONTIER_SHARDS={wanted}", opts)


async def reshard(config: Config, url: str, wanted: int) -> dict[str, int]:
    """Moves all, or goes on where an earlier move was killed; returns what was moved, and between which numbers.

    Raises:
        StateError: another move has to end first, or the seen set cannot be moved. UnderWay: a worker is at work.
        redis.RedisError: Redis cannot be reached.
    """
    prefix = config.general.key_prefix
    shared = tagged(prefix, "frontier")
    async with AsyncExitStack() as stack:
        together = Together(url, patience_s=_PATIENCE_S)
        stack.push_async_callback(together.close)
        home, key = together.of(shared), shards.key_of(shared)
        stored: Any = await home.get(key)
        before, after = shards.read(stored)
        if after not in (None, wanted):
            raise StateError(shards.unfinished(before, after))
        told = {"before": before, "after": wanted, "requests": 0, "pages": 0, "placements": 0}
        lying = [await near_duplicates.lies_in(together, prefix, method) for method in near_duplicates.METHODS]
        if before == wanted and after is None and set(lying) <= {None, wanted}:
            return told
        old, new = (frontier_of(_with(config, number), url) for number in (before, wanted))
        for frontier in (old, new):
            stack.push_async_callback(frontier.close)
        for name in await old.spiders():
            await moving.check(old.of(name))
        await home.set(key, shards.moving(before, wanted))
        try:
            await _refuse_at_work(old, config.frontier.lease_s)
        except UnderWay:
            await (home.delete(key) if stored is None else home.set(key, stored))
            raise
        with Progress("pieces moved") as progress:
            if before != wanted:
                for name in await old.spiders():
                    told["requests"] += await moving.move_queue(old.of(name), new.of(name), progress.step)
                await moving.end(old)
                states, moved = (RedisPageStates.on(together, prefix, number) for number in (before, wanted))
                told["pages"] = await states.move_to(moved, progress.step)
            for method in near_duplicates.METHODS:
                told["placements"] += await near_duplicates.move(together, prefix, method, wanted, progress.step)
        await home.set(key, str(wanted))
        return told


def _with(config: Config, number: int) -> Config:
    return config.model_copy(update={"frontier": config.frontier.model_copy(update={"shards": number})})


async def _refuse_at_work(frontier: AnyFrontier, lease_s: float) -> None:
    for name in await frontier.spiders():
        for one in await workers(frontier.of(name)):
            if one.heard_s <= lease_s and one.name != moving.NAME:
                raise UnderWay(f"worker {one.name} is at work: end all workers first, then wait {lease_s:.0f} s")
