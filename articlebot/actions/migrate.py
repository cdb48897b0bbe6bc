"""``scrapy frontier migrate``: brings what an earlier version left in Redis to the names of this one."""

from __future__ import annotations

import argparse
from contextlib import ExitStack

from articlebot.actions import base
from articlebot.address import parse
from articlebot.connect import blocking_client, tagged
from articlebot.runtime.key_names import give_to_spider, rename_old
from articlebot.runtime.private_redis import PrivateRedis


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Renames keys in place."""
    config = command.config()
    general, lease_s = config.general, config.frontier.lease_s
    with ExitStack() as stack:
        url = general.redis_url or stack.enter_context(PrivateRedis(general.data_dir / "redis")).url
        key = tagged(general.key_prefix, "frontier")
        client = stack.enter_context(blocking_client(url, key, socket_timeout=30))
        steps = [give_to_spider(client, general.key_prefix, (opts.spider or "article"), lease_s)]
        if parse(url).kind != "cluster":  # which cannot have keys without tags
            steps.append(rename_old(client, general.key_prefix, lease_s))
            steps.append(give_to_spider(client, general.key_prefix, (opts.spider or "article"), lease_s))
        renamed, left = map(sum, zip(*steps, strict=True))
        text = f"{renamed:,} keys renamed, {left:,} exist under both names"
        base.last_line(command, "migrate", text, errors=bool(left))
