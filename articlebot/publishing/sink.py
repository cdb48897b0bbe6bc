"""What a sink is: one class with one method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from articlebot.errors import StoreUnavailable


@dataclass(frozen=True, slots=True)
class Event:
    """One version of an article on its way to a sink.

    Attributes:
        key: the idempotency key, the same at each attempt: page key, version and content hash.
        type: ``new``, ``updated``, ``corrected`` or ``withdrawn``.
        article: the row that ``scrapy export --json`` prints for this version.
    """

    key: str
    type: str
    article: Mapping[str, Any]

    @classmethod
    def of(cls, article: Mapping[str, Any]) -> Event:
        """The event of an exported row."""
        return cls(str(article["key"]), str(article["change"]), article)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A sink's word that it will not have an event: tried again, unless it is final, it becomes a dead letter."""

    key: str
    reason: str
    final: bool = False


class Interrupted(StoreUnavailable):
    """The sink went away in the middle of a batch.

    ``taken`` are the keys of the events before, delivered or among the ``refusals``; it asks to wait for ``asks_s``.
    """

    def __init__(self, message: str, taken: Sequence[str], refusals: Sequence[Refusal] = (), asks_s: float = 0) -> None:
        self.taken, self.refusals, self.asks_s = frozenset(taken), tuple(refusals), asks_s
        super().__init__(message)


class Sink(Protocol):
    """Where versions go. Called on a worker thread, one call at a time; may also have ``close()``."""

    def deliver(self, events: Sequence[Event]) -> Iterable[Refusal]:
        """Takes events, oldest first, at most one per article; all that are not refused count as delivered.

        An event comes again when a process dies between delivery and its record: a sink honours ``event.key``.

        Raises:
            StoreUnavailable, OSError: nothing can be delivered for now; everything stays in the outbox, but what an
                ``Interrupted`` names.
        """
        ...
