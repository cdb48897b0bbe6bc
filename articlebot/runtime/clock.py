"""The one clock: everything else takes ``now`` as an argument."""

from __future__ import annotations

import time
from typing import Any


def now() -> float:
    """The wall clock in epoch seconds."""
    return time.time()  # noqa: TID251 - the one place


def keep_steady(reactor: Any) -> None:
    """Has the timers of a Twisted reactor go by a clock that nobody sets.

    Twisted's go by the wall clock: set back by an hour, it would leave all that is repeated standing for an hour; set
    forward, it would let every download time out.
    """
    if reactor.seconds is time.monotonic:
        return
    ahead = reactor.seconds() - time.monotonic()
    for call in reactor.getDelayedCalls():
        call.time, call.seconds = call.time - ahead, time.monotonic
    reactor.seconds = time.monotonic
