"""The publishing pipeline in a real crawl in a process of its own, ended in order and by kill -9."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import pytest

from articlebot.archive import Archive
from articlebot.config import Publishing
from articlebot.errors import StateError, StoreUnavailable
from articlebot.items import Withdrawal
from articlebot.pipelines.publish import PublishPipeline
from articlebot.publishing.specs import open_sinks
from articlebot.runtime.archive_wait import AWAY, DAMAGED, ArchiveWait
from articlebot.runtime.beside import BesideItems
from tests.archive.conftest import make_article

ROOT = Path(__file__).resolve().parents[2]


def _start(folder: Path, count: int, **settings: Any) -> subprocess.Popen[str]:
    values = {"ARTICLEBOT_DATA_DIR": str(folder), **settings}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ARTICLEBOT_")}
    command = [sys.executable, "-W", "error", "-m", "tests.pipelines.publishing_crawl", json.dumps(values), str(count)]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def _finish(process: subprocess.Popen[str]) -> dict[str, Any]:
    output, errors = process.communicate(timeout=500)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors, errors
    return json.loads(output.splitlines()[-1])


def _lines(folder: Path) -> list[dict[str, Any]]:
    path = folder / "published/articles.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_a_crawl_archives_and_delivers_and_a_second_one_does_nothing(tmp_path: Path) -> None:
    stats = _finish(_start(tmp_path, 230))
    assert stats["articlebot/publish/new"] == 230
    assert stats["articlebot/outbox/delivered"] == 230
    assert stats["articlebot/publish/commits"] < 100
    again = _finish(_start(tmp_path, 230))
    assert again["articlebot/publish/already"] == 230
    assert "articlebot/outbox/delivered" not in again
    lines = _lines(tmp_path)
    assert len(lines) == len({line["key"] for line in lines}) == 230
    assert sorted(line["url"] for line in lines)[0] == "https://news.example.com/p0"


def _lines_or_torn(folder: Path) -> list[bytes]:
    path = folder / "published/articles.jsonl"
    return path.read_bytes().split(b"\n") if path.exists() else []


class Stats:
    """As much of Scrapy's collector as the pipeline uses."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def inc_value(self, name: str, count: int = 1) -> None:
        self.counts[name] += count

    def set_value(self, name: str, value: int) -> None:
        self.counts[name] = value


async def _nothing(_key: int) -> int:
    return 0


class Options(Publishing):
    group_ms: ClassVar[int] = 200
    give_up_s: ClassVar[float] = 0.25


class AtOnce(Options):
    group_ms: ClassVar[int] = 0


def _pipeline(archive: Archive, stats: Stats, options: Publishing, wait: ArchiveWait | None = None) -> PublishPipeline:
    sinks = open_sinks({}, Path(), lambda: 5.0)
    return PublishPipeline(
        archive,
        sinks,
        options,
        lambda: 5.0,
        stats,
        beside=BesideItems(),
        wait=wait or ArchiveWait(lambda what: stats.inc_value(f"articlebot/{what}"), give_up_s=options.give_up_s),
        forget=_nothing,  # type: ignore[arg-type]
    )


async def test_articles_that_come_together_share_a_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("articlebot.pipelines.publish.GROUP", 8)
    stats = Stats()
    pipeline = _pipeline(Archive(f"sqlite:///{tmp_path / 'a.db'}"), stats, Options())
    await pipeline.open_spider()
    items = [make_article(f"p{n}", f"text {n}") for n in range(20)]
    assert await asyncio.gather(*map(pipeline.process_item, items)) == items
    assert {item.version for item in items} == {1}
    assert await pipeline.process_item({"not": "an article"}) == {"not": "an article"}
    gone = Withdrawal(url=items[0].url, page_key=items[0].page_key, job="example", at=6.0, reason="http_404")
    assert await pipeline.process_item(gone) is gone
    await pipeline.close_spider()
    assert stats.counts["articlebot/publish/new"] == 20
    assert stats.counts["articlebot/publish/withdrawn"] == 1
    assert stats.counts["articlebot/publish/commits"] == 4


async def test_the_crawl_ends_when_the_database_stays_away(tmp_path: Path) -> None:
    stats, archive = Stats(), Archive(f"sqlite:///{tmp_path / 'a.db'}")
    ends: list[str] = []
    told: list[str] = []
    wait = ArchiveWait(
        lambda what: stats.inc_value(f"articlebot/{what}"), give_up_s=0.25, end=ends.append, tell=told.append
    )
    with archive.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count=1")
    pipeline = _pipeline(archive, stats, AtOnce(), wait)
    with pytest.raises(StoreUnavailable):
        await pipeline.process_item(make_article("a", "x" * 500_000))
    assert (ends, wait.is_away) == ([AWAY], True)
    assert stats.counts["articlebot/publish/store_unavailable"] >= 1
    with archive.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count=1073741823")
    item = make_article("a", "x" * 500_000)
    assert (await pipeline.process_item(item)).version == 1
    assert not wait.is_away
    *why, over = told  # for those who look on
    assert why
    assert all("is full" in one for one in why)
    assert not over
    await pipeline.close_spider()


async def test_a_damaged_archive_ends_the_crawl_and_costs_no_page_a_try(tmp_path: Path) -> None:
    ends: list[str] = []
    wait = ArchiveWait(lambda what: None, give_up_s=60.0, end=ends.append, is_ending=lambda: bool(ends))

    async def publish() -> None:
        raise StateError("the archive's database is damaged: malformed")

    for _ in range(3):  # of which only the first says so
        with pytest.raises(StoreUnavailable, match="damaged"):
            await wait.call(publish, "1 articles")
    assert ends == [DAMAGED]


async def test_a_database_that_says_nothing_is_asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("articlebot.runtime.archive_wait._SILENT_S", 0.05)
    asked: list[asyncio.Future[str]] = []

    async def publish() -> str:
        asked.append(asyncio.get_running_loop().create_future())
        if len(asked) > 1:
            asked[-1].set_result("kept")
        return await asked[-1]

    def cut() -> None:
        asked[-1].set_exception(StoreUnavailable("the connection is lost"))

    assert await ArchiveWait(lambda what: None, give_up_s=60.0, cut=cut).call(publish, "1 articles") == "kept"
    assert len(asked) == 2
