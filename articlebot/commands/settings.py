"""``scrapy settings``: Scrapy's own, which knows the settings of articlebot as well, with the defaults in force."""

from __future__ import annotations

import argparse

from scrapy.commands import settings
from scrapy.exceptions import UsageError

from articlebot.actions.base import exit_codes
from articlebot.actions.output import say_as_typed


class Command(settings.Command):
    """Prints settings."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Scrapy's."""
        super().add_options(parser)
        say_as_typed(parser)

    def long_desc(self) -> str:
        """The text of ``--help``."""
        return (
            "Prints the value of a setting, Scrapy's or articlebot's, as it is in force here: from -s, the environment "
            "or settings.py, else the default. Passwords are not shown."
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Prints the value of one setting."""
        names = [opts.get, opts.getbool, opts.getint, opts.getfloat, opts.getlist]
        if any(name and name.startswith(("ARTICLEBOT_", "REDIS_URL")) for name in names):
            from articlebot.config import Config, refuse_unknown, setting_names  # noqa: PLC0415 - not for Scrapy's own

            assert self.settings is not None
            with exit_codes(self):
                refuse_unknown((name for name in names if name and name.startswith("ARTICLEBOT_")), ())
                config = Config.from_settings(self.settings).model_dump(mode="json")
                read = {name: config[section][field] for section, field, name in setting_names() if name in names}
                self.settings.setdict(read, priority="cmdline")
        if not any(names):
            raise UsageError("expected --get SETTING")
        try:
            super().run(args, opts)
        except ValueError as error:
            raise UsageError(f"{next(filter(None, names))}: {error}", print_help=False) from None
