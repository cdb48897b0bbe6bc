"""``scrapy migrate``: brings what an earlier version left in Redis to the names of this one."""

from __future__ import annotations

import argparse
from contextlib import ExitStack

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.address import parse
from articlebot.commands._exit import exit_codes, last_line
from articlebot.config import Config
from articlebot.connect import blocking_client, tagged
from articlebot.errors import ConfigError
from articlebot.runtime.key_names import give_to_spider, rename_old
from articlebot.runtime.private_redis import PrivateRedis


class Command(ScrapyCommand):
    """Renames keys in place."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def short_desc(self) -> str:
        return "Bring state of an earlier version in Redis up to this one"

    def long_desc(self) -> str:
        return (
            "Gives the keys of an earlier version the names of this one, in place; a queue of the time when all "
            "spiders had one becomes that of --spider. End all workers and back Redis up first; may be repeated. Exit "
            "code 0: done, or nothing to do; 1: some keys exist under both names, which are left as they are; 75: "
            "Redis is away, or a worker of the earlier version still works. The archive's schema is brought up by "
            "itself."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--spider", default="article", metavar="NAME", help="owner of the old queue (article)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        try:
            config = Config.from_settings(self.settings)
        except ConfigError as error:
            raise UsageError(str(error), print_help=False) from None
        general, lease_s = config.general, config.frontier.lease_s
        if args:
            raise UsageError("expected options only", print_help=False)
        with exit_codes(self), ExitStack() as stack:
            url = general.redis_url or stack.enter_context(PrivateRedis(general.data_dir / "redis")).url
            key = tagged(general.key_prefix, "frontier")
            client = stack.enter_context(blocking_client(url, key, socket_timeout=30))
            steps = [give_to_spider(client, general.key_prefix, opts.spider, lease_s)]
            if parse(url).kind != "cluster":  # which cannot have keys without tags
                steps.append(rename_old(client, general.key_prefix, lease_s))
                steps.append(give_to_spider(client, general.key_prefix, opts.spider, lease_s))
            renamed, left = map(sum, zip(*steps, strict=True))
            text = f"{renamed:,} keys renamed, {left:,} exist under both names"
            last_line(self, "migrate", text, errors=bool(left))
