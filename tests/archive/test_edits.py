"""Histories and the feed of edits."""

from __future__ import annotations

import json
from collections.abc import Iterator

import feedparser
import pytest

from articlebot.archive import Archive, Selection, as_text
from articlebot.publishing.atom import edits_feed
from articlebot.runtime.explained import _archived
from tests.archive.conftest import MakeArticle
from tests.withdrawing import withdraw


@pytest.fixture
def archive(database_url: str) -> Iterator[Archive]:
    with Archive(database_url) as opened:
        yield opened


def test_history_of_a_page(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a", "The old bridge was closed.", title="Closed", category="local")], 1)
    archive.publish([make("a", "The new bridge was closed.", title="Closed <again>", category="local")], 2)
    withdraw(archive, make("a"), 3)
    first, second, third = archive.history(int(make("a").page_key, 16))
    assert (first.changed, first.pieces) == ({}, [])
    assert second.changed == {"title": ("Closed", "Closed <again>")}
    assert (second.added, second.removed) == (1, 1)
    assert [piece.text for piece in second.pieces if piece.op != "equal"] == ["old", "new"]
    assert (third.row["change"], third.pieces, third.changed) == ("withdrawn", [], {})
    assert json.loads(json.dumps(second.to_dict()))["diff"][1] == {"op": "delete", "text": "old"}
    assert archive.history(99) == []
    explained, _, _ = _archived(archive.engine, int(make("a").page_key, 16))
    assert [one["title"] for one in explained] == ["Closed", "Closed <again>", "Closed <again>"]


def test_newest_edits_of_all(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a", "one"), make("b", "one", site="x.org"), make("c", "one")], 1)
    archive.publish([make("a", "two words")], 2)
    archive.publish([make("b", "<script>alert(1)</script>", site="x.org")], 3)
    edits = archive.edits()
    assert [(edit.row["url"][-1], edit.row["version"]) for edit in edits] == [("b", 2), ("a", 2)]
    assert [edit.row["url"][-1] for edit in archive.edits(Selection(since=3))] == ["b"]
    assert [edit.row["url"][-1] for edit in archive.edits(Selection(site="example.com"))] == ["a"]
    assert len(archive.edits(limit=1)) == 1
    feed = feedparser.parse(edits_feed(edits))
    assert not feed.bozo
    assert feed.entries[0].link == "https://news.example.com/b"
    raw = edits_feed(edits).decode()
    assert "&lt;ins&gt;&amp;lt;script" in raw


def test_fields_read_like_text() -> None:
    assert as_text(["a", "b"]) == "a, b"
    assert as_text([{"url": "https://e.org/a.png", "alt": ""}], "images") == "https://e.org/a.png"
    assert as_text(1_700_000_000.0, "modified_at") == "2023-11-14T22:13:20+00:00"
    assert as_text(0.5, "relevance") == "0.5"
    assert [as_text(nothing) for nothing in (None, "", [], {}, ())] == ["–"] * 5
