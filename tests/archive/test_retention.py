"""Retention by age and count on both databases."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from articlebot.archive import Archive, Search, retention
from articlebot.publishing.outbox import Outbox
from tests.archive.conftest import MakeArticle

DAY = 86_400.0


@pytest.fixture
def archive(database_url: str) -> Iterator[Archive]:
    with Archive(database_url, route=lambda row: ["s"] if row["job"] == "sent" else []) as opened:
        yield opened


def test_old_articles_go_with_their_versions_and_texts(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a", "old words"), make("b", "shared text"), make("c", "first")], 0)
    archive.publish([make("d", "shared text"), make("c", "second")], 50 * DAY)
    expected = retention.Removed(articles=2, versions=2)
    assert retention.plan(archive.engine, 60 * DAY, days=30) == expected
    removed = retention.apply(archive.engine, 60 * DAY, days=30)
    assert (removed.articles, removed.versions, removed.texts) == (2, 2, 1)
    assert [row["url"][-1] for row in archive.articles()] == ["c", "d"]
    assert archive.counts() == {"articles": 2, "versions": 3, "texts": 3}
    assert archive.search(Search(words="old"), 60 * DAY).found == []
    assert [f.article["url"][-1] for f in archive.search(Search(words="shared"), 60 * DAY).found] == ["d"]


def test_what_was_removed_stays_removed_until_it_is_news(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a", "old words"), make("b"), make("c"), make("d", "kept")], 0)
    archive.publish([make("d", "kept on")], 50 * DAY)
    retention.apply(archive.engine, 60 * DAY, days=30)
    again = [
        make("a", "old words"),
        make("a", "old words", published_at_epoch=61 * DAY),  # the same text, dated anew
        make("b", "other words"),
        make("c", "other words", published_at_epoch=59 * DAY, modified_at=59 * DAY),
        make("d", "kept on"),
    ]
    published = archive.publish(again, 61 * DAY)
    assert [(one.removed, one.already) for one in published] == [(True, True)] * 4 + [(False, True)]
    assert [row["url"][-1] for row in archive.articles()] == ["d"]
    assert archive.search(Search(words="old"), 61 * DAY).found == []
    news = make("b", "newer words", published_at_epoch=1.0, modified_at=62 * DAY)
    old = make("b", "other words")
    first, second, third = archive.publish([old, news, old], 63 * DAY)
    assert (first.removed, first.version) == (True, 0)
    assert (second.removed, second.version, second.event) == (False, 1, "new")
    assert (third.removed, third.version) == (False, 2)
    # Removed a second time, it is known by what it was then.
    retention.apply(archive.engine, 200 * DAY, days=30)
    assert archive.publish([make("b", "other words", published_at_epoch=201 * DAY)], 202 * DAY)[0].removed


def test_what_was_removed_is_remembered_while_its_page_is_met(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a"), make("b")], 0)
    retention.apply(archive.engine, 60 * DAY, days=30, remember_days=100)
    assert archive.publish([make("a")], 120 * DAY)[0].removed
    retention.apply(archive.engine, 159 * DAY, days=30, remember_days=100)
    assert archive.publish([make("b")], 159 * DAY)[0].removed
    retention.apply(archive.engine, 230 * DAY, remember_days=100)
    assert [one.removed for one in archive.publish([make("a"), make("b")], 230 * DAY)] == [False, True]


def test_the_newest_versions_stay_and_can_be_read(archive: Archive, make: MakeArticle) -> None:
    for number in range(5):
        archive.publish([make("a", f"text {number}", title=f"T{number}"), make("b")], number)
    assert retention.plan(archive.engine, 9, versions=2).versions == 3
    removed = retention.apply(archive.engine, 9, versions=2)
    assert (removed.articles, removed.versions, removed.texts) == (0, 3, 3)
    rows = [(row["version"], row["title"], row["body"]) for row in archive.articles(versions=True)]
    assert rows == [(4, "T3", "text 3"), (5, "T4", "text 4"), (1, "About b", "One two three four five.")]
    first, second = archive.history(int(make("a").page_key, 16))
    assert (first.pieces, len(second.pieces)) == ([], 3)
    assert archive.publish([make("a", "text 9")], 10)[0].version == 6


def test_what_is_not_delivered_yet_stays(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a", "one", job="sent"), make("b")], 0)
    archive.publish([make("a", "two", job="sent")], 1)
    assert retention.apply(archive.engine, 100 * DAY, days=1, versions=1).articles == 1
    assert archive.counts()["versions"] == 2

    class Sink:
        def deliver(self, events: object) -> tuple[()]:
            return ()

    outbox = Outbox(archive.engine)
    while outbox.deliver({"s": Sink()}, 100 * DAY).delivered:
        pass
    assert retention.apply(archive.engine, 100 * DAY, versions=1).versions == 1
    assert retention.apply(archive.engine, 100 * DAY, days=1).articles == 1
    assert archive.counts() == {"articles": 0, "versions": 0, "texts": 0}


def test_without_limits_nothing_goes(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make(f"p{n}") for n in range(700)], 0)
    assert retention.apply(archive.engine, 1e12) == retention.Removed()
    assert retention.apply(archive.engine, 1e12, days=1).articles == 700
