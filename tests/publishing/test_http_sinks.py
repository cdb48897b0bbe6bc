"""Webhooks and OpenSearch against a real server on loopback that is well, overloaded, wrong, slow or away."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from articlebot.archive import Archive
from articlebot.errors import StoreUnavailable
from articlebot.publishing import letters
from articlebot.publishing.outbox import Counts, Outbox
from articlebot.publishing.sink import Event, Interrupted
from articlebot.runtime import clock
from articlebot.times import http_date
from tests.archive.conftest import MakeArticle
from tests.publishing.conftest import open_sink
from tests.publishing.server import Posted, Server


def test_webhook_posts_signed_events(server: Server, tmp_path: Path, events: list[Event]) -> None:
    sink = open_sink(tmp_path, type="webhook", url=server.url + "/hook?x=1", secret="geheim", headers={"X-Team": "7"})
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
    sink = open_sink(tmp_path, type="webhook", url=server.url)
    answers = {events[0].key: 200, events[1].key: 422, events[2].key: 503}
    server.answer = lambda posted: (answers[posted.headers["webhook-id"]], b"why")
    with pytest.raises(Interrupted) as raised:
        sink.deliver(events[:3])
    assert raised.value.taken == {events[0].key, events[1].key}
    assert [(refusal.key, refusal.reason) for refusal in raised.value.refusals] == [(events[1].key, "422")]


@pytest.mark.parametrize("status", [500, 301, 401, 404, 410])
def test_a_webhook_that_takes_nothing_refuses_nothing(
    server: Server, tmp_path: Path, events: list[Event], status: int
) -> None:
    sink = open_sink(tmp_path, type="webhook", url=server.url)
    server.answer = lambda _posted: (status, b"down")
    with pytest.raises(Interrupted, match=f"takes nothing: {status}") as raised:
        sink.deliver(events[:3])
    assert not raised.value.taken
    server.answer = lambda posted: (status if posted.headers["webhook-id"] == events[0].key else 200, b"this one")
    assert [refusal.key for refusal in sink.deliver(events[:3])] == [events[0].key]


def test_a_long_outage_of_a_webhook_makes_no_dead_letters(server: Server, tmp_path: Path, make: MakeArticle) -> None:
    sink = open_sink(tmp_path, type="webhook", url=server.url)
    server.answer = lambda _posted: (500, b"")
    with Archive(f"sqlite:///{tmp_path / 'b.db'}", route=lambda _row: ["x"]) as archive:
        archive.publish([make(f"p{n}", f"text {n}") for n in range(5)], 0)
        outbox, counts = Outbox(archive.engine), Counts()
        for hour in range(48):
            counts += outbox.deliver({"x": sink}, hour * 3600.0)
        server.answer = lambda _posted: (200, b"")
        assert outbox.deliver({"x": sink}, 50 * 3600.0).delivered == 5
    assert (counts.failed_sinks, counts.dead, counts.delivered) == (48, 0, 0)


def test_a_webhook_that_does_not_answer_in_time_is_asked_again(
    server: Server, tmp_path: Path, events: list[Event]
) -> None:
    sink = open_sink(tmp_path, type="webhook", url=server.url, timeout_s=0.2)
    asked = threading.Event()

    def silent(_posted: Posted) -> tuple[int, bytes]:
        asked.wait(10)
        return 200, b""

    server.answer = silent
    with pytest.raises(Interrupted, match="timed out"):
        sink.deliver(events[:1])
    asked.set()
    server.answer = lambda _posted: (200, b"")
    assert list(sink.deliver(events[:1])) == []
    assert {posted.headers["webhook-id"] for posted in server.posted} == {events[0].key}


def test_a_webhook_that_answers_a_byte_at_a_time_is_cut_off(tmp_path: Path, events: list[Event]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        sink = open_sink(tmp_path, type="webhook", url=f"http://127.0.0.1:{listening.getsockname()[1]}/", timeout_s=0.4)

        def drip() -> None:
            taken, _ = listening.accept()
            with taken, suppress(OSError):
                while True:
                    taken.sendall(b"H")
                    time.sleep(0.05)

        threading.Thread(target=drip, daemon=True).start()
        with pytest.raises(Interrupted, match="timed out"):
            sink.deliver(events[:1])


def test_webhook_without_a_server(tmp_path: Path, events: list[Event]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        sink = open_sink(tmp_path, type="webhook", url=f"http://127.0.0.1:{free.getsockname()[1]}/", timeout_s=1)
        with pytest.raises(StoreUnavailable):
            sink.deliver(events)


def test_a_webhook_that_goes_and_comes_gets_every_version(server: Server, tmp_path: Path, make: MakeArticle) -> None:
    sink = open_sink(tmp_path, type="webhook", url=server.url)
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
        while letters.pending(archive.engine):
            outbox.deliver({"x": sink}, now)
            now += 1000
    assert len(taken) == len(set(taken)) == 10


class Cluster:
    """What the bulk interface promises of external versions, as far as the sink relies on it."""

    def __init__(self) -> None:
        self.documents: dict[str, tuple[int, dict[str, Any]]] = {}
        self.overloaded = False
        self.room = self.most = 1 << 30

    def __call__(self, posted: Posted) -> tuple[int, bytes]:
        assert posted.path == "/es/_bulk"
        assert posted.headers["content-type"] == "application/x-ndjson"
        if len(posted.body) > self.most:
            return 413, b"too large"
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
        if self.overloaded or self.room <= 0:
            return {"status": 429, "error": {"type": "rejected"}}
        if known and known[0] > where["version"]:
            return {"status": 409, "error": {"type": "version_conflict_engine_exception"}}
        if document is None:
            return {"status": 200 if self.documents.pop(where["_id"], None) else 404}
        if document["body"] == "body" and document["change"] == "new":
            return {"status": 400, "error": {"type": "mapper_parsing_exception", "reason": "no"}}
        self.room -= 1
        self.documents[where["_id"]] = where["version"], document
        return {"status": 201}


def test_opensearch_keeps_the_newest_version(server: Server, tmp_path: Path, events: list[Event]) -> None:
    server.answer = cluster = Cluster()
    sink = open_sink(tmp_path, type="opensearch", url=server.url.replace("://", "://u:p@") + "/es/", index="news")
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


def test_opensearch_takes_a_part_of_a_batch(server: Server, tmp_path: Path, make: MakeArticle) -> None:
    """Overload hits single documents: those that were taken are not sent again, none is refused, none is lost."""
    cluster = Cluster()
    cluster.room = 4
    server.answer = cluster
    sink = open_sink(tmp_path, type="opensearch", url=server.url + "/es")
    with Archive(f"sqlite:///{tmp_path / 'b.db'}", route=lambda _row: ["x"]) as archive:
        archive.publish([make("bad", "body"), *(make(f"p{n}", f"text {n}") for n in range(9))], 0)
        outbox, passes = Outbox(archive.engine), []
        for now in range(0, 3000, 1000):
            passes.append(outbox.deliver({"x": sink}, now))
            cluster.room = 4
        assert [(c.delivered, c.dead, c.failed_sinks) for c in passes] == [(4, 1, 1), (4, 0, 1), (1, 0, 0)]
        assert not letters.pending(archive.engine)
    assert len(cluster.documents) == 9
    assert [len(posted.body.splitlines()) // 2 for posted in server.posted] == [10, 5, 1]


@pytest.mark.parametrize(
    ("status", "body"),
    [(401, b"no"), (403, b"no"), (404, b"{}"), (500, b""), (200, b"<html>"), (200, b"{}"), (200, b'{"items": []}')],
)
def test_an_index_that_is_configured_wrong_refuses_nothing(
    server: Server, tmp_path: Path, events: list[Event], status: int, body: bytes
) -> None:
    sink = open_sink(tmp_path, type="opensearch", url=server.url)
    server.answer = lambda _posted: (status, body)
    with pytest.raises(StoreUnavailable, match="the index answers"):
        sink.deliver(events[:2])


def test_a_batch_too_large_for_the_index_is_halved(server: Server, tmp_path: Path, make: MakeArticle) -> None:
    server.answer = cluster = Cluster()
    cluster.most = 3000
    sink = open_sink(tmp_path, type="opensearch", url=server.url + "/es")
    with Archive(f"sqlite:///{tmp_path / 'b.db'}") as archive:
        archive.publish([*(make(f"p{n}", f"text {n}") for n in range(6)), make("huge", "x" * 5000)], 0)
        events = [Event.of(row) for row in archive.articles()]
    [refusal] = sink.deliver(events)
    assert refusal.key == events[-1].key
    assert len(cluster.documents) == 6


def test_opensearch_may_delete_the_withdrawn(server: Server, tmp_path: Path, events: list[Event]) -> None:
    server.answer = cluster = Cluster()
    sink = open_sink(tmp_path, type="opensearch", url=server.url + "/es", withdrawn="delete")
    assert list(sink.deliver(events[3:])) == []
    assert cluster.documents == {}


@pytest.mark.parametrize(("kind", "status"), [("webhook", 429), ("webhook", 503), ("opensearch", 429)])
@pytest.mark.parametrize(("asked", "waits"), [("90", 90.0), ("1", 2.0), ("999999", 3600.0), ("soon", 2.0)])
def test_a_sink_that_asks_to_wait_is_left_alone_for_as_long(
    server: Server, tmp_path: Path, make: MakeArticle, kind: str, status: int, asked: str, waits: float
) -> None:
    sink = open_sink(tmp_path, type=kind, url=server.url)
    server.answer, server.headers = lambda _posted: (status, b""), {"Retry-After": asked}
    with Archive(f"sqlite:///{tmp_path / 'b.db'}", route=lambda _row: ["x"]) as archive:
        archive.publish([make("a")], 0)
        assert Outbox(archive.engine).deliver({"x": sink}, 0.0).failed_sinks == 1
        assert letters.summary(archive.engine, ["x"], 0.0)[0]["retry_in_s"] == waits


def test_retry_after_may_be_a_date_by_the_servers_own_clock(
    server: Server, tmp_path: Path, events: list[Event]
) -> None:
    sink = open_sink(tmp_path, type="webhook", url=server.url)

    def in_haste(_posted: Posted) -> tuple[int, bytes]:
        server.headers = {"Retry-After": http_date(clock.now() + 120)}  # at the time that the answer states
        return 429, b""

    server.answer = in_haste
    with pytest.raises(Interrupted) as raised:
        sink.deliver(events[:1])
    assert raised.value.asks_s == pytest.approx(120.0, abs=2.0)
