"""The archive's databases, and sinks that do what a test tells them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import pytest

from articlebot.archive import Archive
from articlebot.publishing import Event, Refusal
from tests.archive.conftest import database_url, make, postgresql_server, postgresql_url

__all__ = ["Recorder", "archive", "database_url", "make", "postgresql_server", "postgresql_url"]


class Recorder:
    """A sink that keeps what it takes and refuses or fails as told."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.calls = 0
        self.before: Callable[[Sequence[Event]], Iterable[Refusal] | None] = lambda _events: None

    def deliver(self, events: Sequence[Event]) -> Iterable[Refusal]:
        self.calls += 1
        refused = list(self.before(events) or ())
        keys = {refusal.key for refusal in refused}
        self.events += [event for event in events if event.key not in keys]
        return refused

    @property
    def got(self) -> list[tuple[str, int]]:
        return [(event.article["url"].rsplit("/", 1)[1], event.article["version"]) for event in self.events]


@pytest.fixture
def archive(database_url: str) -> Iterator[Archive]:
    with Archive(database_url, route=lambda row: ["s"] if row["job"] == "example" else ["s", "t"]) as opened:
        yield opened
