"""The archive's databases, and sinks that do what a test tells them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from articlebot.archive import Archive
from articlebot.publishing.sink import Event, Refusal, Sink
from articlebot.publishing.specs import Sinks, open_sinks
from tests.archive.conftest import MakeArticle, database_url, make, postgresql_server, postgresql_url
from tests.publishing.server import Server, serving
from tests.withdrawing import withdraw

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


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


_open: list[Sinks] = []


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    while _open:
        _open.pop().close()


def open_sink(tmp_path: Path, **spec: Any) -> Sink:
    _open.append(open_sinks({"x": spec}, tmp_path, lambda: 1_700_000_000.5))
    return _open[-1].sinks["x"]


@pytest.fixture
def events(tmp_path: Path, make: MakeArticle) -> list[Event]:
    """Two versions of one article, one of another with a hostile title."""
    with Archive(f"sqlite:///{tmp_path / 'a.db'}") as archive:
        archive.publish(
            [
                make(
                    "a",
                    "第一版",
                    job="j1",
                    category="政治",
                    authors=("王", "李"),
                    published_at_epoch=1.6e9,
                    keywords=("k",),
                ),
                make("b", "body", job="../../etc", title="<b>&\x0b]]></title>", url="https://e.org/?a=1&b=<2>"),
            ],
            1000,
        )
        archive.publish([make("a", "第二版", job="j1", category="政治")], 2000)
        withdraw(archive, make("b"), 3000)
        return [Event.of(row) for row in archive.articles(versions=True)]
