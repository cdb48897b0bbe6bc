"""What is away now and then, said so that one that comes and goes does not fill the log."""

from __future__ import annotations

import logging
from math import inf
from time import monotonic

_EACH_S = 60.0


class Outage:
    """Says when something is away and when it is back; of one that comes and goes once a minute, with how often.

    Args:
        logger: takes it as a warning; what is not said for now goes there at DEBUG.

    Attributes:
        is_on: it is away.
    """

    def __init__(self, logger: logging.Logger) -> None:
        self.is_on = False
        self._logger, self._unsaid, self._next_at = logger, 0, -inf
        self._is_said = False

    def begin(self, text: str, *args: object) -> bool:
        """It is away, as a %-style text says; whether it was not so before."""
        if self.is_on:
            return False
        self.is_on, self._is_said = True, monotonic() >= self._next_at
        if self._is_said and self._unsaid:
            text, args = f"{text} (and %d times since this was last said)", (*args, self._unsaid)
        self._logger.log(logging.WARNING if self._is_said else logging.DEBUG, text, *args)
        if self._is_said:
            self._unsaid, self._next_at = 0, monotonic() + _EACH_S
        else:
            self._unsaid += 1
        return True

    def end(self, text: str, *args: object) -> bool:
        """It is back; whether it was away."""
        was_on, self.is_on = self.is_on, False
        if was_on:
            self._logger.log(logging.INFO if self._is_said else logging.DEBUG, text, *args)
        return was_on
