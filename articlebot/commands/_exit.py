"""Exit codes, the same for every command that cron may run, and the one line on standard error that ends it.

0: done. 1: finished with errors. 2: bad use, or something only a person can mend. 3: finished, and a site gave nothing
or far less than usual. 75: try later.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from redis.exceptions import RedisError
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.errors import ArticlebotError, ConfigError, StateError, StoreUnavailable, UnderWay

DONE = 0
WITH_ERRORS = 1
BAD_USE = 2
FOUND_LITTLE = 3
TRY_LATER = 75  # EX_TEMPFAIL of sysexits.h


def code_of(error: BaseException) -> int:
    """The exit code for what ended a command."""
    if isinstance(error, StoreUnavailable | UnderWay | RedisError):
        return TRY_LATER
    return BAD_USE if isinstance(error, ConfigError | StateError) else WITH_ERRORS


@contextmanager
def exit_codes(command: ScrapyCommand) -> Iterator[None]:
    """Gives the command its exit code where the block ends in one of our own errors or Redis', and says it in a line.

    Raises:
        UsageError: bad use; Scrapy prints it and exits with 2.
    """
    try:
        yield
    except (ArticlebotError, RedisError) as error:
        said = " ".join(str(error).split())
        command.exitcode = code_of(error)
        if command.exitcode == BAD_USE:
            raise UsageError(said, print_help=False) from None
        print(f"articlebot: {said}", file=sys.stderr)


def last_line(command: ScrapyCommand, name: str, text: str, *, errors: bool = False) -> None:
    """Says on one line what a command did, and sets its exit code."""
    command.exitcode = WITH_ERRORS if errors else DONE
    print(f"articlebot: {name} {'finished with errors' if errors else 'done'}: {text}", file=sys.stderr)
