"""Publishing into real databases: versions, idempotence, edits, withdrawal, export."""

from __future__ import annotations

import datetime as dt
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import func, select

from articlebot.archive import Archive, Kept, Selection, engine, schema
from articlebot.archive.engine import cut, reading, writing
from articlebot.errors import ConfigError, StateError, StoreUnavailable
from articlebot.items import Article, Withdrawal
from tests.archive.conftest import MakeArticle
from tests.withdrawing import withdraw


@pytest.fixture
def archive(database_url: str) -> Iterator[Archive]:
    with Archive(database_url, route=lambda row: ["feed", "hook"]) as opened:
        yield opened


def _outbox(archive: Archive) -> int:
    with reading(archive.engine) as connection:
        return connection.execute(select(func.count()).select_from(schema.outbox)).scalar_one()


def test_a_version_is_published_once(archive: Archive, make: MakeArticle) -> None:
    first = archive.publish([make("a"), make("b")], 2000)
    assert [(p.version, p.event, p.already) for p in first] == [(1, "new", False)] * 2
    again = archive.publish([make("a", fetched_at=5000)], 5001)
    assert [(p.version, p.event, p.already, p.version_id) for p in again] == [(1, "new", True, first[0].version_id)]
    assert _outbox(archive) == 4
    assert archive.counts() == {"articles": 2, "versions": 2, "texts": 1}


def test_an_edit_and_its_return_are_three_versions_with_two_texts(archive: Archive, make: MakeArticle) -> None:
    for at, body in ((1, "aaa bbb ccc"), (2, "ddd eee fff"), (3, "aaa bbb ccc")):
        archive.publish([make("a", body)], at)
    rows = list(archive.articles(versions=True))
    assert [(row["version"], row["body"], row["change"], row["archived_at"]) for row in rows] == [
        (1, "aaa bbb ccc", "new", 1),
        (2, "ddd eee fff", "updated", 2),
        (3, "aaa bbb ccc", "updated", 3),
    ]
    assert archive.counts() == {"articles": 1, "versions": 3, "texts": 2}
    first, second, third = archive.hashes_of(int(rows[0]["page_key"], 16))
    assert first == third == int(rows[0]["content_hash"], 16) != second
    assert archive.hashes_of(1) == []


def test_what_was_overtaken_by_a_later_fetch_is_no_version(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a", "one", fetched_at=1000)], 1001)
    archive.publish([make("a", "two", fetched_at=1060)], 1061)
    (late,) = archive.publish([make("a", "one", fetched_at=1030)], 1065)  # its worker was stopped for half a minute
    assert (late.version, late.already) == (2, True)
    assert [row["body"] for row in archive.articles(versions=True)] == ["one", "two"]
    archive.publish([make("b", "one", fetched_at=9000)], 9001)  # by a clock that ran ahead
    (later,) = archive.publish([make("b", "two", fetched_at=5000)], 5001)
    assert (later.version, later.already) == (2, False)


def test_several_versions_of_a_page_in_one_batch(archive: Archive, make: MakeArticle) -> None:
    batch = [make("a", "one", title="First"), make("a", "one"), make("a", "two", title="Second"), make("b", "one")]
    assert [(p.version, p.already) for p in archive.publish(batch, 10)] == [
        (1, False),
        (1, True),
        (2, False),
        (1, False),
    ]
    assert [row["title"] for row in archive.articles(versions=True)] == ["First", "Second", "About b"]


@pytest.mark.parametrize(("words", "event"), [(4, "corrected"), (6, "updated")])
def test_an_edit_of_less_than_a_twentieth_of_the_words_is_a_correction(
    archive: Archive, make: MakeArticle, words: int, event: str
) -> None:
    text = [f"word{number}" for number in range(100)]
    archive.publish([make("a", " ".join(text))], 1)
    (edited,) = archive.publish([make("a", " ".join(["other"] * words + text[words:]))], 2)
    assert edited.event == event


@pytest.mark.parametrize(
    ("title", "body", "day", "kept"),
    [
        ("A title", "words of the day and others", None, "2026-11-20T09:30:00+00:00"),
        ("A title", "nothing of what it was", None, "2026-11-20T09:30:00+00:00"),
        ("A headline anew", "words of that day and more", None, "2026-11-20T09:30:00+00:00"),
        ("A title", "words of that day and more", "2026-11-20", "2026-11-20T09:30:00+00:00"),
        ("A title", "words of that day and more", "2026-11-21T08:00:00+00:00", "2026-11-21T08:00:00+00:00"),
        ("Another article", "nothing of what it was", None, None),
    ],
)
def test_an_edit_keeps_the_day_that_a_feed_told(
    archive: Archive, make: MakeArticle, title: str, body: str, day: str | None, kept: str | None
) -> None:
    told = "2026-11-20T09:30:00+00:00"
    led = {"parent_url": "http://site.test/feed", "anchor": "A link"}
    archive.publish(
        [make("a", "words of the day", title="A title", published_at=told, published_at_epoch=_epoch(told), **led)], 1
    )
    visited = make("a", body, title=title, published_at=day, published_at_epoch=_epoch(day), parent_url=None, anchor="")
    (published,) = archive.publish([visited], 2)
    (row,) = archive.articles()
    assert published.published == row["published_at"] == kept
    assert published.published_at == row["published_at_epoch"] == _epoch(kept)
    assert ({name: row[name] for name in led} == led) is (title != "Another article")


def _epoch(day: str | None) -> float | None:
    return None if day is None else dt.datetime.fromisoformat(day).replace(tzinfo=dt.UTC).timestamp()


def test_older_versions_keep_their_fields_and_repeat_nothing(archive: Archive, make: MakeArticle) -> None:
    images = ({"url": "https://news.example.com/i.jpg", "caption": "桥", "alt": ""},)
    archive.publish([make("a", "one", title="T1", category="politics", images=images, keywords=("x", "y"))], 1)
    archive.publish([make("a", "two", title="T2", category="politics", images=images, keywords=("x", "y"))], 2)
    archive.publish([make("a", "three", title="T2", category="sports", keywords=("x",))], 3)
    rows = list(archive.articles(versions=True))
    assert [(r["title"], r["category"], r["keywords"], len(r["images"])) for r in rows] == [
        ("T1", "politics", ["x", "y"], 1),
        ("T2", "politics", ["x", "y"], 1),
        ("T2", "sports", ["x"], 0),
    ]
    with reading(archive.engine) as connection:
        older = connection.execute(select(schema.versions.c.older).order_by(schema.versions.c.id)).scalars().all()
    assert older[0] == {"title": "T1"}
    assert set(older[1]) == {"category", "images", "keywords"}
    assert older[2] is None


def test_withdrawal_and_return(archive: Archive, make: MakeArticle) -> None:
    article = make("a")
    assert withdraw(archive, article, 1).already
    archive.publish([article], 2)
    withdrawn = withdraw(archive, article, 3)
    assert (withdrawn.version, withdrawn.event) == (2, "withdrawn")
    assert withdraw(archive, article, 4).already
    [row] = archive.articles()
    assert (row["change"], row["withdrawn_at"], row["body"]) == ("withdrawn", 3, article.body)
    back = archive.publish([article], 5)[0]
    assert (back.version, back.event, back.already) == (3, "updated", False)
    assert [row["withdrawn_at"] for row in archive.articles(versions=True)] == [None, 3, None]


def test_export_has_the_promised_fields(archive: Archive, make: MakeArticle) -> None:
    archive.publish(
        [
            make(
                "a",
                authors=("A B", "C"),
                published_at_epoch=1_600_000_000.0,
                published_at="2020-09-13T14:26:40+02:00",
                language="en",
            ),
            make("b", published_at_epoch=1_600_000_000.0),
            make("c"),
        ],
        5.0,
    )
    a, b, c = archive.articles()
    assert a["author"] == "A B, C"
    assert a["published_at"] == "2020-09-13T14:26:40+02:00"
    assert b["published_at"] == "2020-09-13T12:26:40+00:00"
    assert (c["published_at"], c["author"], c["published_at_epoch"]) == (None, None, None)
    assert list(a) == [field.name for field in fields(Article)]
    json.dumps(a)


def test_selection(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a", site="x.org", category="politics"), make("b", job="other")], 10)
    archive.publish([make("b", "changed altogether", job="other"), make("c", cluster="k")], 20)

    def found(versions: bool = False, **wanted: object) -> list[tuple[str, int]]:
        rows = archive.articles(Selection(**wanted), versions=versions)  # type: ignore[arg-type]
        return [(row["url"][-1], row["version"]) for row in rows]

    assert found() == [("a", 1), ("b", 2), ("c", 1)]
    assert found(site="x.org") == [("a", 1)]
    assert found(category="politics") == [("a", 1)]
    assert found(job="other", versions=True) == [("b", 1), ("b", 2)]
    assert found(since=20, versions=True) == [("b", 2), ("c", 1)]
    assert found(cluster="k") == [("c", 1)]
    assert found(page_keys=[int(make("a").page_key, 16)]) == [("a", 1)]


def test_more_articles_than_a_page_of_rows(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make(f"p{n}", f"text {n}") for n in range(450)], 1)
    assert [row["body"] for row in archive.articles()] == [f"text {n}" for n in range(450)]


def test_text_that_databases_refuse_is_kept_otherwise(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make("a", "a\x00b\ud800c", title="x\x00", keywords=("\udfff",))], 1)
    [row] = archive.articles()
    assert (row["body"], row["title"], row["keywords"]) == ("a\ufffdb\ufffdc", "x\ufffd", ["\ufffd"])


def test_an_archive_outlives_its_process(database_url: str, make: MakeArticle) -> None:
    with Archive(database_url) as archive:
        archive.publish([make("a")], 1)
    with Archive(database_url) as archive:
        assert archive.publish([make("a")], 2)[0].already
        assert [row["url"] for row in archive.articles()] == [make("a").url]


def test_withdrawals_come_with_articles_and_find_them_by_address(archive: Archive, make: MakeArticle) -> None:
    routed = make("a", url="https://news.example.com/a?from=list")
    archive.publish([routed], 1, {routed: Kept(sinks=("feed",))})
    key, other = int(make("a").page_key, 16), int(make("z").page_key, 16)
    unknown = Withdrawal(
        url="https://news.example.com/z", page_key=f"{other:016x}", job="example", at=2.0, reason="http_404"
    )
    by_url = Withdrawal(
        url="https://news.example.com/a?from=list",
        page_key="0000000000000005",
        job="example",
        at=2.5,
        reason="http_410",
    )
    results = archive.publish([unknown, make("b"), by_url, by_url], 3)
    assert [(p.version, p.event, p.already) for p in results] == [
        (0, "withdrawn", True), (1, "new", False), (2, "withdrawn", False), (2, "withdrawn", True),
    ]  # fmt: skip
    assert results[2].page_key == key
    assert [row["withdrawn_at"] for row in archive.articles()] == [2.5, None]


def test_an_article_judged_unchanged_is_no_version_unless_it_is_missing(archive: Archive, make: MakeArticle) -> None:
    assert archive.publish([make("a", "one", change="unchanged")], 1)[0].event == "new"
    assert archive.publish([make("a", "one more", change="unchanged")], 2)[0].already
    withdraw(archive, make("a"), 3)
    assert archive.publish([make("a", "one more", change="unchanged")], 4)[0].version == 3


def test_clusters_follow_the_index(archive: Archive, make: MakeArticle) -> None:
    def roles() -> list[tuple[str, str]]:
        return [(str(row["cluster"]), row["cluster_role"]) for row in archive.articles()]

    archive.publish([make("a", cluster="k1", cluster_role="single"), make("b", cluster="k2", cluster_role="single")], 1)
    archive.publish([make("c", "near", cluster="k1", cluster_role="member")], 2)
    assert roles() == [("k1", "representative"), ("k2", "single"), ("k1", "member")]
    archive.regroup({"k2": "k1"}, {})
    assert roles() == [("k1", "representative"), ("k1", "member"), ("k1", "member")]
    archive.regroup({}, {int(make("b").page_key, 16): "k3", int(make("c").page_key, 16): "k3"})
    assert roles() == [("k1", "representative"), ("k3", "representative"), ("k3", "member")]


def test_scores_may_be_of_numpy(archive: Archive, make: MakeArticle) -> None:
    score = np.float32(0.5)
    archive.publish([make("a", relevance=score, confidence=score, categories={"news": score})], 1)
    [row] = archive.articles()
    assert (row["relevance"], row["confidence"], row["categories"]) == (0.5, 0.5, {"news": 0.5})


def test_what_a_site_asks_today_is_kept_without_a_new_version(archive: Archive, make: MakeArticle) -> None:
    archive.publish([make(usage={"noarchive": "meta"}, fetched_at=1.0)], 10)
    archive.publish([make(usage={"noai": "meta"}, fetched_at=2.0)], 20)
    archive.publish([make(usage={"noindex": "meta"}, fetched_at=0.5)], 30)  # of a slower worker
    (row,) = archive.articles()
    assert (row["usage"], row["version"], row["archived_at"]) == ({"noai": "meta"}, 1, 10)
    archive.publish([make(body="Another text, in another hour.", usage={}, fetched_at=3.0)], 40)
    assert [row["usage"] for row in archive.articles(versions=True)] == [{"noai": "meta"}, {}]


def test_a_file_that_can_be_no_archive_is_named_with_the_setting(tmp_path: Path) -> None:
    looped, garbage = tmp_path / "looped.db", tmp_path / "garbage.db"
    looped.symlink_to(looped)
    garbage.write_bytes(bytes(range(1, 251)) * 400)
    with pytest.raises(ConfigError, match=r"looped.db cannot be opened: .*; ARTICLEBOT_DATABASE_URL"):
        Archive(f"sqlite:///{looped}")
    with pytest.raises(StateError, match=r"garbage.db is damaged .*ARTICLEBOT_DATABASE_URL"):
        Archive(f"sqlite:///{garbage}")


def test_what_waits_for_a_server_that_says_nothing_can_be_cut(postgresql_url: str) -> None:
    with Archive(postgresql_url) as archive, ThreadPoolExecutor(1) as pool:

        def ask() -> None:
            with reading(archive.engine) as connection:
                connection.execute(select(func.pg_sleep(600)))

        waiting = pool.submit(ask)
        while not waiting.done():
            cut()
            time.sleep(0.05)
        with pytest.raises(StoreUnavailable):
            waiting.result()
        assert archive.counts()["articles"] == 0


def test_a_process_that_ends_waits_for_no_database(
    database_url: str, make: MakeArticle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SIGTERM took 100 s where another process kept SQLite locked, or PostgreSQL stood still."""
    monkeypatch.setattr(engine, "_no_more", threading.Event())
    archive = Archive(database_url)
    with closing(Archive(database_url)) as other, ThreadPoolExecutor(1) as pool:
        with suppress(StoreUnavailable), writing(other.engine):
            waiting = pool.submit(archive.publish, [make("a")], 2000)
            time.sleep(0.1)
            cut(for_good=True)
            with pytest.raises(StoreUnavailable):
                waiting.result(timeout=25)
        if archive.engine.dialect.name == "postgresql":
            with pytest.raises(StoreUnavailable, match="this process ends"):
                archive.counts()
    archive.close()
