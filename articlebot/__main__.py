"""``articlebot`` and ``python -m articlebot``: in any folder what ``scrapy`` is in the source tree."""

from __future__ import annotations

import os

SETTINGS_MODULE = "SCRAPY_SETTINGS_MODULE"


def main() -> None:
    """Runs the command of the arguments; ``SCRAPY_SETTINGS_MODULE`` may name a project that builds on this one.

    Raises:
        SystemExit: with the command's exit code.
    """
    os.environ.setdefault(SETTINGS_MODULE, "articlebot.settings")
    from scrapy.cmdline import execute  # noqa: PLC0415 - it reads the setting when it is imported

    execute()


if __name__ == "__main__":
    main()
