"""The base of every command: configuration and stores, JSON or text, errors and exit codes.

Exit codes are the same for all, as cron wants them. 0: done. 1: finished with errors, or faults found. 2: bad use, or
something only a person can mend. 3: finished, and a site gave nothing or far less than usual. 71: no memory, thread or
open file is left. 75: try later.
"""

from __future__ import annotations

import argparse
import asyncio
import errno
import gc
import inspect
import io
import os
import re
import sys
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.actions.output import ESCAPED, log_as_set, options_of, refuse_unknown, say, say_as_typed, to_json
from articlebot.errors import (
    ArticlebotError,
    ConfigError,
    RefusedError,
    StateError,
    StoreUnavailable,
    UnderWay,
    exhausted,
    reason,
)
from articlebot.typed import as_typed

if TYPE_CHECKING:
    from scrapy import Spider

    from articlebot.config import Config
    from articlebot.runtime import Runtime

T = TypeVar("T")

DONE = 0
WITH_ERRORS = 1
BAD_USE = 2
FOUND_LITTLE = 3
NO_MORE = 71  # EX_OSERR of sysexits.h
TRY_LATER = 75  # EX_TEMPFAIL of sysexits.h
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
INTERRUPTED = 130  # as shells say of SIGINT


@dataclass(frozen=True, slots=True)
class Action:
    """One of several things that a command does.

    Args:
        names: what it takes, as its usage says it: ``SITE VERSION`` is two arguments, ``NAME...`` at least one,
            ``[NAME...]`` any number.
        module: module of ``articlebot.actions`` that does it; "" is that of the command's name.
    """

    names: str = ""
    module: str = ""

    def takes_so_many(self, number: int) -> bool:
        """Whether so many arguments are right."""
        wanted = self.names.split()
        least = sum(not name.startswith("[") for name in wanted)
        return number >= least if "..." in self.names else least <= number <= len(wanted)


class Command(ScrapyCommand):
    """Base of the commands: the docstring of each is its help, ``options`` declares what may be typed, and the function
    ``run`` of the module of its name in ``articlebot.actions`` does it.
    """

    requires_project = True
    # It would import every spider; `crawl` makes one where it is needed.
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}

    usage: ClassVar[str] = "[options]"
    json: ClassVar[str] = "print JSON"
    """Help of the option ``--json``; "" where there is none."""
    takes: ClassVar[str] = ""
    """The arguments of a command that does one thing, as ``Action.names``."""
    actions: ClassVar[Mapping[str, Action]] = {}
    """What the first argument may be, where a command does several things; "" is done without one."""

    action: str = ""
    """The action that was typed."""
    known_options: Collection[str] = ()
    """What begins with ``--`` and may be typed."""

    def syntax(self) -> str:
        """What follows the name."""
        return self.usage

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return self._help().partition("\n")[0].rstrip(".").replace("``", "`")

    def long_desc(self) -> str:
        """The text of ``--help``."""
        return re.sub(r"\s+", " ", self._help().partition("\n")[2]).strip()

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declares Scrapy's options and the command's own."""
        super().add_options(parser)
        say_as_typed(parser)
        if self.json:
            parser.add_argument("--json", action="store_true", help=self.json)
        self.options(parser)
        self.known_options = options_of(parser)

    def options(self, parser: argparse.ArgumentParser) -> None:
        """Declares the command's own options."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Takes in Scrapy's options; the log goes where they say, as it does where a spider runs."""
        super().process_options(args, opts)
        log_as_set(self.settings)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Does what was asked, with one line instead of a traceback where one of our own errors ends it.

        Raises:
            UsageError: bad use; Scrapy prints it and exits with 2.
        """
        # Before anything is imported: who mistypes is answered at once.
        refuse_unknown(args, self.known_options)
        chosen = Action(self.takes)
        if self.actions:
            if args and args[0] in self.actions:
                self.action, *args = args
            elif args or "" not in self.actions:
                raise UsageError(f"expected one of: {', '.join(filter(None, self.actions))}", print_help=False)
            chosen = self.actions[self.action]
        if not chosen.takes_so_many(len(args)):
            said = chosen.names or "no argument"
            raise UsageError(f"{self.action}: expected {said}".removeprefix(": "), print_help=False)
        module = chosen.module or type(self).__module__.rpartition(".")[2]
        # A locale may lack what a page has. Of C, and of C.UTF-8 which lacks nothing, Python says "surrogateescape".
        if isinstance(out := sys.stdout, io.TextIOWrapper) and (
            out.errors == "strict" or (out.errors == "surrogateescape" and out.encoding.lower() != "utf-8")
        ):
            out.reconfigure(errors=ESCAPED)
        with exit_codes(self):
            # Of what is imported nothing is garbage: looking for some takes a tenth of the time, now and later.
            gc.disable()
            action = import_module(f"articlebot.actions.{module}")
            gc.freeze()
            gc.enable()
            action.run(self, args, opts)
            sys.stdout.flush()

    # -- for the actions

    def config(self) -> Config:
        """The configuration.

        Raises:
            ConfigError: a setting is wrong; names it.
        """
        from articlebot.config import Config  # noqa: PLC0415 - most of a second that `--help` need not wait

        assert self.settings is not None
        return Config.from_settings(self.settings)

    def ask(self, question: Callable[[Runtime], Awaitable[T]]) -> T:
        """What the stores answer; they are closed afterwards.

        Raises:
            ArticlebotError: a setting is wrong, or a store is away.
        """
        from articlebot.runtime import Runtime  # noqa: PLC0415 - it imports every package

        runtime = Runtime(self.config())

        async def asked() -> T:
            try:
                return await question(runtime)
            finally:
                await runtime.close()

        return asyncio.run(asked())

    def agree(self) -> None:
        """Compares the settings with what is stored, before anything is fetched; a store may be away.

        Raises:
            StateError: they do not fit; says what to do.
        """

        async def agreed(runtime: Runtime) -> None:
            with suppress(StoreUnavailable, ConfigError):  # no Redis, which a look can do without
                await asyncio.to_thread(lambda: runtime.clients.url)

        self.ask(agreed)

    def crawl(self, spider: str | type[Spider], **arguments: Any) -> bool:
        """Runs a spider in this process, to its end; False where it could not begin."""
        from scrapy.crawler import AsyncCrawlerProcess, CrawlerProcess  # noqa: PLC0415 - few commands crawl

        assert self.settings is not None
        on_asyncio = str(self.settings["TWISTED_REACTOR"]).endswith("AsyncioSelectorReactor")
        process = (AsyncCrawlerProcess if on_asyncio else CrawlerProcess)(self.settings)
        process.crawl(spider, **arguments)
        process.start()
        return not process.bootstrap_failed

    def show(self, value: Any, text: str | Callable[[], str], opts: argparse.Namespace) -> None:
        """Prints a value as one JSON document, or its text for people."""
        print(to_json(value) if opts.json else as_typed(text if isinstance(text, str) else text()))

    def _help(self) -> str:
        return inspect.getdoc(type(self)) or ""


@contextmanager
def exit_codes(command: ScrapyCommand) -> Iterator[None]:
    """Gives the command its exit code where the block ends in an error that a line can say, and says it.

    Raises:
        UsageError: bad use; Scrapy prints it and exits with 2.
    """
    try:
        yield
    except BrokenPipeError:  # the reader of a pipe has seen enough
        _drop_output()
    except KeyboardInterrupt:
        say("interrupted")
        command.exitcode = INTERRUPTED
    except Exception as error:
        if (said := said_of(error)) is None:
            raise
        if isinstance(error, OSError) and error.filename is None and error.errno in _FULL:
            _drop_output()
        command.exitcode = code_of(error)
        if command.exitcode == BAD_USE:
            raise UsageError(as_typed(said), print_help=False) from None
        say(said)


def _drop_output() -> None:
    """Lets what is left to print go nowhere: Python would try again at its end, and exit with a code of its own."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def last_line(command: ScrapyCommand, name: str, text: str, *, errors: bool = False) -> None:
    """Says on one line of standard error what a command did, and sets its exit code."""
    command.exitcode = WITH_ERRORS if errors else DONE
    say(f"{name} {'finished with errors' if errors else 'done'}: {text}")


def code_of(error: BaseException) -> int:
    """The exit code for what ended a command or a crawl."""
    if exhausted(error):
        return NO_MORE
    if (of_redis := _of_redis(error)) is not None:
        from articlebot.frontier.scripts import refuses  # noqa: PLC0415 - it imports Redis' client

        return BAD_USE if refuses(of_redis) else TRY_LATER
    if isinstance(error, StoreUnavailable | UnderWay):
        return TRY_LATER
    return BAD_USE if isinstance(error, ConfigError | StateError | RefusedError | OSError) else WITH_ERRORS


def said_of(error: BaseException) -> str | None:
    """The line that says an error which was raised on purpose, by Redis, or by a file that the user named."""
    if said := exhausted(error):
        return said
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {reason(error)}"
    if isinstance(error, OSError) and error.errno in _FULL:
        return f"what is printed cannot be written: {error.strerror}"
    said = str(error) if isinstance(error, ArticlebotError) else None
    if said is None and (of_redis := _of_redis(error)) is not None:
        from articlebot.frontier.scripts import said as said_of_redis  # noqa: PLC0415 - it imports Redis' client

        said = said_of_redis(of_redis)
    return " ".join(said.split()) if said is not None else None


def _of_redis(error: BaseException) -> Exception | None:
    """The error of Redis that an error is, or that made a store unavailable."""
    module = sys.modules.get("redis.exceptions")
    if module is None:  # where the package was not imported, no error is of it
        return None
    found = error.__cause__ if isinstance(error, StoreUnavailable) else error
    return found if isinstance(found, module.RedisError) else None
