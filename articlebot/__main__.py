"""``articlebot`` and ``python -m articlebot``: in any folder what ``scrapy`` is in the source tree."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable
from pathlib import Path

SETTINGS_MODULE = "SCRAPY_SETTINGS_MODULE"
_OWN = "articlebot.settings"
_LAB = ("newsroom", "simulate", "soak")
_BEGIN = """\
  articlebot crawl --url URL        follow a site from its address
  articlebot status                 how the crawl is, and what to look at
  articlebot search WORDS           find what it archived
  articlebot console --jobs jobs/   all of it in a browser
"""


def main() -> None:
    """Runs the command of the arguments; ``SCRAPY_SETTINGS_MODULE`` may name a project that builds on this one.

    Raises:
        SystemExit: with the command's exit code.
    """
    try:
        Path.cwd()
    except FileNotFoundError:
        sys.stderr.write("articlebot: the folder you are in was removed; change to another one\n")
        raise SystemExit(2) from None
    if Path(sys.argv[0]).stem == "__main__":
        sys.argv[0] = "articlebot"  # what usage and errors begin with
    try:
        gc.disable()  # of what is imported nothing is garbage: looking for some takes an eighth of the time
        if os.environ.setdefault(SETTINGS_MODULE, _OWN) == _OWN:
            _answer(sys.argv[1:])
        from scrapy.cmdline import execute  # noqa: PLC0415 - it reads the setting when it is imported

        gc.freeze()
        gc.enable()
        execute()
    except KeyboardInterrupt:  # before a command listens for it: what is imported takes half a second
        sys.stderr.write("articlebot: interrupted\n")
        raise SystemExit(130) from None  # as shells say of SIGINT


def _answer(arguments: list[str]) -> None:
    """Lists the commands where none is typed, and names the nearest where there is none of that name.

    Raises:
        SystemExit: that was all.
    """
    name = next((one for one in arguments if not one.startswith("-")), "")
    if not name:
        told = _version() if "--version" in arguments else f"{_version()}\n\n{_BEGIN}\n{_listed()}"
        sys.stdout.write(f"{told}\n")
        raise SystemExit(0)
    if name not in (known := {*_of("articlebot.commands"), *_others()}):
        from difflib import get_close_matches  # noqa: PLC0415 - for who mistypes

        near = get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else "articlebot alone lists them"
        if name in _LAB:
            hint = "it comes with articlebot-lab: pip install ./articlebot_lab in the source tree"
        sys.stderr.write(f"articlebot: error: no command {name}; {hint}\n")
        raise SystemExit(2)


def _version() -> str:
    import scrapy  # noqa: PLC0415 - a command need not wait for what it does not say

    from articlebot import __version__  # noqa: PLC0415

    return f"articlebot {__version__} (Scrapy {scrapy.__version__})"


def _listed() -> str:
    from importlib import import_module  # noqa: PLC0415
    from importlib.metadata import entry_points  # noqa: PLC0415

    from articlebot.typed import as_typed  # noqa: PLC0415

    own = {name: import_module(f"articlebot.commands.{name}").Command for name in _of("articlebot.commands")}
    own |= {one.name: one.load() for one in entry_points(group="scrapy.commands")}
    lines = [f"  {name:<10} {command().short_desc()}" for name, command in sorted(own.items())]
    others = ", ".join(sorted({*_others()} - own.keys()))
    told = ["Commands:", *lines, "", f"Scrapy's own: {others}", "", "articlebot COMMAND -h says what a command does."]
    return as_typed("\n".join(told))


def _of(package: str) -> Iterable[str]:
    """The names of the modules of a package, which are those of its commands."""
    from importlib import import_module  # noqa: PLC0415
    from pkgutil import iter_modules  # noqa: PLC0415

    return [module.name for module in iter_modules(import_module(package).__path__) if not module.ispkg]


def _others() -> Iterable[str]:
    """The names of Scrapy's commands, and of those that other packages bring."""
    from importlib.metadata import entry_points  # noqa: PLC0415

    return [*_of("scrapy.commands"), *(one.name for one in entry_points(group="scrapy.commands"))]


if __name__ == "__main__":
    main()
