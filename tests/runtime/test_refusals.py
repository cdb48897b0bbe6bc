"""A Redis that refuses for good ends the crawl; one that is away for now does not."""

from __future__ import annotations

import logging

import pytest
from redis.exceptions import NoPermissionError, OutOfMemoryError, ResponseError

from articlebot.actions.base import BAD_USE, TRY_LATER, code_of
from articlebot.errors import StoreUnavailable
from articlebot.frontier.scripts import passes
from articlebot.runtime.refusals import REFUSES, Refusals

WRONG = ResponseError("@user_script:331: WRONGTYPE Operation against a key holding the wrong kind of value")


def test_a_minute_of_refusals_ends_the_crawl(caplog: pytest.LogCaptureFixture) -> None:
    now, ends = [0.0], list[str]()
    refusals = Refusals(lambda: bool(ends), ends.append, lambda: now[0])
    with caplog.at_level(logging.ERROR):
        for now[0] in (1.0, 100.0, 120.0, 145.0):
            refusals.note(WRONG)
        assert not ends
        for now[0] in (160.0, 161.0):
            refusals.note(WRONG)
    assert ends == [REFUSES]
    assert len(caplog.records) == 2


@pytest.mark.parametrize(
    ("error", "for_now"),
    [
        (WRONG, False),
        (NoPermissionError("this user has no permissions to run the 'evalsha' command"), False),
        (ResponseError("unknown command `EVALSHA`, with args beginning with: "), False),
        (OutOfMemoryError("command not allowed when used memory > 'maxmemory'."), True),
        (ResponseError("MISCONF Errors writing to the AOF file: No space left on device"), True),
        (StoreUnavailable("Redis is away"), True),
    ],
)
def test_what_passes_is_tried_later(error: Exception, for_now: bool) -> None:
    assert passes(error) is for_now
    assert code_of(error) == (TRY_LATER if for_now else BAD_USE)
