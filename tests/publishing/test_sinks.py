"""The sinks that are not JSON Lines, against a real server on loopback, real files, and librdkafka's own broker."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import feedparser
import pytest

from articlebot.archive import Archive
from articlebot.errors import ConfigError, StoreUnavailable
from articlebot.publishing import Event, Interrupted, Outbox, Place, Sink, Sinks, build
from articlebot.publishing.sinks.feeds import file_name
from tests.archive.conftest import MakeArticle
from tests.publishing.server import Posted, Server, serving


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


def _sink(tmp_path: Path, **spec: Any) -> Sink:
    _open.append(build({"x": spec}, Place(tmp_path, lambda: 1_700_000_000.5)))
    return _open[-1].sinks["x"]


@pytest.fixture
def events(tmp_path: Path, make: MakeArticle) -> list[Event]:
    """Two versions of one article, one of another with a hostile title."""
    with Archive(f"sqlite:///{tmp_path / 'a.db'}") as archive:
        archive.publish(
            [
                make(
                    "a", "第一版", job="j1", category="政治", authors=("王", "李"), published_at=1.6e9, keywords=("k",)
                ),
                make("b", "body", job="../../etc", title="<b>&\x0b]]></title>", url="https://e.org/?a=1&b=<2>"),
            ],
            1000,
        )
        archive.publish([make("a", "第二版", job="j1", category="政治")], 2000)
        archive.withdraw(make("b").page_key, 3000)
        return [Event.of(row) for row in archive.articles(versions=True)]


def test_webhook_posts_signed_events(server: Server, tmp_path: Path, events: list[Event]) -> None:
    sink = _sink(tmp_path, type="webhook", url=server.url + "/hook?x=1", secret="geheim", headers={"X-Team": "7"})
    assert list(sink.deliver(events[:2])) == []
    assert list(sink.deliver(events[2:3])) == []
    first = server.posted[0]
    data = json.loads(first.body)
    assert (first.path, first.headers["x-team"]) == ("/hook?x=1", "7")
    assert (data["type"], data["timestamp"], data["data"]["body"]) == ("article.new", 1_700_000_000, "第一版")
    assert first.headers["webhook-id"] == first.headers["idempotency-key"] == data["data"]["key"] == events[0].key
    signed = f"{events[0].key}.1700000000.".encode() + first.body
    expected = base64.b64encode(hmac.new(b"geheim", signed, hashlib.sha256).digest()).decode()
    assert first.headers["webhook-signature"] == f"v1,{expected}"
    assert server.connections == 1


def test_webhook_refusals_and_absence(server: Server, tmp_path: Path, events: list[Event]) -> None:
    sink = _sink(tmp_path, type="webhook", url=server.url)
    answers = {events[0].key: 200, events[1].key: 422, events[2].key: 503}
    server.answer = lambda posted: (answers[posted.headers["webhook-id"]], b"why")
    with pytest.raises(Interrupted) as raised:
        sink.deliver(events[:3])
    assert raised.value.taken == {events[0].key, events[1].key}
    assert [(refusal.key, refusal.reason) for refusal in raised.value.refusals] == [(events[1].key, "422 why")]


def test_webhook_without_a_server(tmp_path: Path, events: list[Event]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        sink = _sink(tmp_path, type="webhook", url=f"http://127.0.0.1:{free.getsockname()[1]}/", timeout_s=1)
        with pytest.raises(StoreUnavailable):
            sink.deliver(events)


def test_a_webhook_that_goes_and_comes_gets_every_version(server: Server, tmp_path: Path, make: MakeArticle) -> None:
    sink = _sink(tmp_path, type="webhook", url=server.url)
    taken: list[str] = []
    state = {"left": 3}

    def flaky(posted: Posted) -> tuple[int, bytes]:
        state["left"] -= 1
        if state["left"] == 0:
            state["left"] = 3
            return 503, b""
        taken.append(posted.headers["webhook-id"])
        return 204, b""

    server.answer = flaky
    with Archive(f"sqlite:///{tmp_path / 'b.db'}", route=lambda _row: ["x"]) as archive:
        archive.publish([make(f"p{n}", f"text {n}") for n in range(10)], 0)
        outbox, now = Outbox(archive.engine), 0.0
        while outbox.due(now):
            outbox.deliver({"x": sink}, now)
            now += 1000
    assert len(taken) == len(set(taken)) == 10


class Cluster:
    """What the bulk interface promises of external versions, as far as the sink relies on it."""

    def __init__(self) -> None:
        self.documents: dict[str, tuple[int, dict[str, Any]]] = {}
        self.overloaded = False

    def __call__(self, posted: Posted) -> tuple[int, bytes]:
        assert posted.path == "/es/_bulk"
        assert posted.headers["content-type"] == "application/x-ndjson"
        lines = [json.loads(line) for line in posted.body.decode().splitlines()]
        items = []
        while lines:
            [(action, where)] = lines.pop(0).items()
            assert where["version_type"] == "external_gte"
            document = lines.pop(0) if action == "index" else None
            items.append({action: {"_id": where["_id"], **self._do(where, document)}})
        return 200, json.dumps({"errors": True, "items": items}).encode()

    def _do(self, where: dict[str, Any], document: dict[str, Any] | None) -> dict[str, Any]:
        known = self.documents.get(where["_id"])
        if self.overloaded:
            return {"status": 429, "error": {"type": "rejected"}}
        if known and known[0] > where["version"]:
            return {"status": 409, "error": {"type": "version_conflict_engine_exception"}}
        if document is None:
            return {"status": 200 if self.documents.pop(where["_id"], None) else 404}
        if document["body"] == "body" and document["change"] == "new":
            return {"status": 400, "error": {"type": "mapper_parsing_exception", "reason": "no"}}
        self.documents[where["_id"]] = where["version"], document
        return {"status": 201}


def test_opensearch_keeps_the_newest_version(server: Server, tmp_path: Path, events: list[Event]) -> None:
    server.answer = cluster = Cluster()
    sink = _sink(tmp_path, type="opensearch", url=server.url.replace("://", "://u:p@") + "/es/", index="news")
    assert list(sink.deliver(events[1:2])) == []
    assert list(sink.deliver(events[0:1])) == []  # late: 409 is no refusal
    assert [document["body"] for _, document in cluster.documents.values()] == ["第二版"]
    [refusal] = sink.deliver(events[2:3])
    assert refusal.final
    assert "mapper_parsing" in refusal.reason
    assert server.posted[0].headers["authorization"] == "Basic " + base64.b64encode(b"u:p").decode()
    cluster.overloaded = True
    with pytest.raises(StoreUnavailable):
        sink.deliver(events[:1])


def test_opensearch_may_delete_the_withdrawn(server: Server, tmp_path: Path, events: list[Event]) -> None:
    server.answer = cluster = Cluster()
    sink = _sink(tmp_path, type="opensearch", url=server.url + "/es", withdrawn="delete")
    assert list(sink.deliver(events[3:])) == []
    assert cluster.documents == {}


def test_feeds_per_job(tmp_path: Path, events: list[Event]) -> None:
    sink = _sink(tmp_path, type="feeds", folder="feeds", per="job", base_url="https://me.example/feeds/")
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
    sink = _sink(tmp_path, type="feeds", folder="feeds", per="all", each_version=True, entries=3)
    sink.deliver(events)
    parsed = feedparser.parse((tmp_path / "feeds/all.atom").read_bytes())
    assert not parsed.bozo
    assert len(parsed.entries) == 3
    assert parsed.entries[0].title == "<b>&\ufffd]]></title>".replace("<b>", "<b>")


def test_a_withdrawn_article_leaves_the_feed_and_does_not_come_back(tmp_path: Path, events: list[Event]) -> None:
    sink = _sink(tmp_path, type="feeds", folder="feeds", per="all")
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
    sink = _sink(tmp_path, type="kafka", topic="articles", producer=producer)
    assert list(sink.deliver(events)) == []
    away = _sink(tmp_path, type="kafka", topic="articles", timeout_s=1, producer={"bootstrap.servers": "127.0.0.1:1"})
    with pytest.raises(Interrupted):
        away.deliver(events[:1])


class Mine:
    """A sink of one's own."""

    def __init__(self, colour: str) -> None:
        self.colour = colour

    def deliver(self, events: Sequence[Event]) -> Sequence[Any]:
        return ()


def test_a_sink_of_ones_own(tmp_path: Path) -> None:
    sink = _sink(tmp_path, **{"type": "class", "class": f"{__name__}.Mine", "options": {"colour": "red"}})
    assert isinstance(sink, Mine)
    assert sink.colour == "red"


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        ({"type": "pigeon"}, "pigeon"),
        ({"type": "jsonlines", "colour": 1}, "colour"),
        ({"type": "jsonlines", "max_mb": 0}, "max_mb"),
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
        _sink(tmp_path, **spec)


def test_secrets_are_not_shown(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        _sink(tmp_path, type="webhook", url="https://e.org", secret=["hunter2"])
    assert "hunter2" not in str(raised.value)
