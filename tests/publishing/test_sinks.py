"""Feeds, Kafka, sinks of one's own and wrong descriptions: real files, and librdkafka's own broker."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import feedparser
import pytest

from articlebot.archive import Archive
from articlebot.errors import ConfigError
from articlebot.publishing import letters
from articlebot.publishing.outbox import Outbox
from articlebot.publishing.sink import Event, Interrupted
from articlebot.publishing.sinks.feeds import file_name
from tests.archive.conftest import MakeArticle
from tests.publishing.conftest import open_sink


def test_feeds_per_job(tmp_path: Path, events: list[Event]) -> None:
    sink = open_sink(tmp_path, type="feeds", folder="feeds", per="job", base_url="https://me.example/feeds/")
    for event in [*events, *events]:
        sink.deliver([event])
    folder = tmp_path / "feeds"
    assert len(list(folder.iterdir())) == 4
    feed = json.loads((folder / "j1.json").read_text("utf-8"))
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert feed["feed_url"] == "https://me.example/feeds/j1.json"
    [item] = feed["items"]
    assert item["content_text"] == "第二版"
    assert item["tags"] == ["政治"]
    parsed = feedparser.parse((folder / "j1.atom").read_bytes())
    assert not parsed.bozo
    assert [(entry.title, entry.link, entry.updated) for entry in parsed.entries] == [
        ("About a", "https://news.example.com/a", "1970-01-01T00:33:20+00:00")
    ]
    assert all(path.parent == folder for path in folder.iterdir())


def test_feeds_of_edits_hold_each_version(tmp_path: Path, events: list[Event]) -> None:
    sink = open_sink(tmp_path, type="feeds", folder="feeds", per="all", each_version=True, entries=3)
    sink.deliver(events)
    parsed = feedparser.parse((tmp_path / "feeds/all.atom").read_bytes())
    assert not parsed.bozo
    assert len(parsed.entries) == 3
    assert parsed.entries[0].title == "<b>&\ufffd]]></title>".replace("<b>", "<b>")


def test_a_withdrawn_article_leaves_the_feed_and_does_not_come_back(tmp_path: Path, events: list[Event]) -> None:
    sink = open_sink(tmp_path, type="feeds", folder="feeds", per="all")
    sink.deliver(events[2:3])
    sink.deliver(events[3:4])
    sink.deliver(events[2:3])
    assert json.loads((tmp_path / "feeds/all.json").read_text())["items"] == []


def test_file_names_of_feeds() -> None:
    assert file_name("news") == "news"
    assert file_name("政治") == "政治"
    names = [file_name(name) for name in ("../x", "x", "..x", "a/b", "a_b", "a b", "", "." * 300, "政/治")]
    assert len(set(names)) == len(names)
    assert not any("/" in name or name.startswith(".") or len(name) > 100 for name in names)


def test_kafka_confirms_each_message(tmp_path: Path, events: list[Event]) -> None:
    pytest.importorskip("confluent_kafka")
    producer = {"bootstrap.servers": "", "test.mock.num.brokers": 1}
    sink = open_sink(tmp_path, type="kafka", topic="articles", producer=producer)
    assert list(sink.deliver(events)) == []
    away = open_sink(
        tmp_path, type="kafka", topic="articles", timeout_s=1, producer={"bootstrap.servers": "127.0.0.1:1"}
    )
    with pytest.raises(Interrupted):
        away.deliver(events[:1])


class Mine:
    """A sink of one's own."""

    def __init__(self, colour: str) -> None:
        self.colour = colour

    def deliver(self, events: Sequence[Event]) -> Sequence[Any]:
        return ()


def test_a_sink_of_ones_own(tmp_path: Path) -> None:
    sink = open_sink(tmp_path, **{"type": "class", "class": f"{__name__}.Mine", "options": {"colour": "red"}})
    assert isinstance(sink, Mine)
    assert sink.colour == "red"


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ({"type": "pigeon"}, "pigeon"),
        ({"type": "jsonlines", "colour": 1}, "colour"),
        ({"type": "jsonlines", "max_mb": 0}, "max_mb"),
        ({"type": "jsonlines", "path": "a.jsonl.gz"}, "without .gz"),
        ({"type": "webhook"}, "url"),
        ({"type": "webhook", "url": "ftp://x"}, "http://"),
        ({"type": "webhook", "url": "http://x:y"}, "url"),
        ({"type": "kafka", "topic": "t", "producer": {"no.such": 1}}, "Kafka"),
        ({"type": "class", "class": "no.such.Thing"}, "no.such.Thing"),
        ({"type": "jsonlines", "roles": ["boss"]}, "roles"),
    ],
)
def test_wrong_descriptions_are_named(tmp_path: Path, spec: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        open_sink(tmp_path, **spec)


def test_a_place_that_cannot_be_written_is_said_and_waited_for(tmp_path: Path, make: MakeArticle) -> None:
    (tmp_path / "taken").write_text("a file")
    for spec in ({"type": "jsonlines", "path": "taken/a.jsonl"}, {"type": "feeds", "folder": "taken/feeds"}):
        with Archive(f"sqlite:///{tmp_path / spec['type']}.db", route=lambda _row: ["x"]) as archive:
            archive.publish([make("a")], 0)
            sink, outbox = open_sink(tmp_path, **spec), Outbox(archive.engine)
            assert outbox.deliver({"x": sink}, 1).failed_sinks == 1
            [row] = letters.summary(archive.engine, ["x"], 2)
            assert (row["pending"], row["dead"]) == (1, 0)
            assert "taken" in row["error"]
            (tmp_path / "taken").unlink()
            assert outbox.deliver({"x": sink}, 100).delivered == 1
        shutil.rmtree(tmp_path / "taken")
        (tmp_path / "taken").write_text("a file")


def test_secrets_are_not_shown(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        open_sink(tmp_path, type="webhook", url="https://e.org", secret=["hunter2"])
    assert "hunter2" not in str(raised.value)
