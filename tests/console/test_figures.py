"""The console's questions to the archive, on each kind of database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from articlebot.archive import Archive
from articlebot.console.articles import read_version as read
from articlebot.console.figures import published, shares
from articlebot.console.verdicts import Verdicts
from tests.archive.conftest import database_url, make_article, postgresql_server, postgresql_url

__all__ = ["database_url", "postgresql_server", "postgresql_url"]
NOW = 1_750_003_000.0  # 56 minutes into an hour


@pytest.fixture
def archive(database_url: str) -> Iterator[Archive]:
    with Archive(database_url) as opened:
        before = [make_article("old", published_at_epoch=NOW - 90_000), make_article("b0", site="b.example")]
        opened.publish(before, NOW - 90_000)
        opened.publish([make_article("a", published_at_epoch=NOW - 7300)], NOW - 7200)
        opened.publish(
            [
                make_article("a", "Another text altogether.", published_at_epoch=NOW - 7300, relevance=0.5),
                make_article("b", published_at_epoch=NOW - 1000, site="b.example"),
                make_article("date", published_at_epoch=NOW - 80_000, published_at="2025-06-15"),
                make_article("late", published_at_epoch=NOW - 700_000),
                make_article("had", published_at_epoch=NOW - 5000, site="new.example"),
                make_article("next", published_at_epoch=NOW - 20, site="new.example"),
            ],
            NOW - 60,
        )
        yield opened


def test_figures_of_the_last_day(archive: Archive) -> None:
    begun: dict[str, float] = {}
    found = published(archive.engine, NOW, begun)
    assert len(found.begins) == 24
    assert (sum(found.events["new"]), found.events["new"][21], found.events["new"][23]) == (6, 1, 5)
    assert found.events["updated"][23] == 1
    # Of "a", archived 100 s after it was published, "b", 940 s, and "next", whose clock is ahead; the others have no
    # time or were there when their site was first visited.
    assert (found.timed, found.day_p50, found.day_p95) == (3, 100.0, 940.0)
    assert begun == {"example.com": 0.0, "b.example": 0.0, "new.example": NOW - 60}
    assert published(archive.engine, NOW, begun) == found
    assert found.delay_p50[21] == 100.0
    assert found.delay_p50[20] is None
    assert shares(archive.engine, "site") == [("example.com", 4), ("b.example", 2), ("new.example", 2)]
    assert shares(archive.engine, "category") == []


def test_judging_and_reading(archive: Archive, tmp_path: Path) -> None:
    verdicts = Verdicts(tmp_path / "console", lambda: ("one", "two"), lambda: NOW)
    [row] = verdicts.waiting(archive.engine)
    assert row["version"] == 2
    found = read(archive, int(row["page_key"], 16), None)
    assert found is not None
    assert [one["version"] for one in found.versions] == [1, 2]
    verdicts.judge(row | {"body": "One line\u2028and another."}, relevant="yes")
    assert verdicts.waiting(archive.engine) == []
    # Another process finds it in the file.
    assert Verdicts(tmp_path / "console", lambda: (), lambda: NOW).said(row["page_key"]) == {"relevant": True}
    assert read(archive, 1, None) is None
