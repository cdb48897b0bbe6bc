"""Requests that a worker cannot run and leaves to others, by a text of their records (``envelope.mark``)."""

from __future__ import annotations

# Texts that are told in one round trip.
_CHUNK = 500


class LeftOut:
    """What Redis was not told of yet."""

    def __init__(self) -> None:
        self._untold: dict[str, None] = {}
        # A new worker may know the jobs of what others passed over a moment ago.
        self._anew = True

    def add(self, mark: str) -> None:
        """Requests with this text are left out from now on."""
        self._untold[mark] = None

    def clear(self) -> None:
        """Nothing is left out any more."""
        self._untold.clear()
        self._anew = True

    def news(self) -> tuple[bool, list[str]]:
        """Whether Redis has to forget what it was told, and the texts that it is to be told then."""
        return self._anew, list(self._untold)[:_CHUNK]

    def told(self, marks: list[str], *, anew: bool) -> None:
        """Redis knows these news."""
        if self._anew and not anew:
            return  # what can be run has changed meanwhile: that is told next
        self._anew = False
        for mark in marks:
            self._untold.pop(mark, None)
