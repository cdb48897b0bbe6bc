"""When a job is quiet."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
import redis.asyncio

from articlebot.alerts.quiet import is_quiet, silent_jobs
from articlebot.alerts.store import RedisAlerts, Standing
from articlebot.archive import Archive, open_archive
from articlebot.config import Config
from articlebot.jobs import Job
from articlebot.jobs.book import JobBook
from articlebot.runtime.watch import Watch
from tests.archive.conftest import make_article

if TYPE_CHECKING:
    from articlebot.runtime import Runtime

DAY, NOW = 86_400.0, 1_700_000_000.0


def times(number: int, gap: float, last: float) -> list[float]:
    return [last - n * gap for n in range(number)]


@pytest.mark.parametrize(
    ("known", "quiet"),
    [
        (times(30, DAY / 2, NOW - 1.1 * DAY), True),
        (times(30, DAY / 2, NOW - 0.9 * DAY), False),  # less than a day
        (times(30, DAY, NOW - 1.9 * DAY), False),  # less than twice the longest gap
        (times(20, DAY, NOW - 9 * DAY), False),  # too few to tell
        (times(30, 60.0, NOW - 9 * DAY), False),  # a first crawl: known for half an hour
        ([], False),
    ],
)
def test_quiet(known, quiet):
    found = is_quiet(known, NOW)
    assert (found is not None) == quiet
    if found:
        assert found.longest_s == pytest.approx(DAY / 2, abs=1.0)


def test_the_archive_is_asked_job_by_job(tmp_path: Path):
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}", Config().archive) as archive:
        for job, last in (("silent", NOW - 2 * DAY), ("well", NOW - 60.0)):
            for n, at in enumerate(reversed(times(30, DAY / 2, last))):
                archive.publish([make_article(f"{job}{n}", f"Text {n} of {job}.", job=job)], at)
        found = silent_jobs(archive.engine, NOW)
    assert list(found) == ["silent"]
    assert found["silent"].silent_s == pytest.approx(2 * DAY, abs=1.0)


async def test_a_silence_ends_with_an_article_alone(tmp_path: Path, redis_url):
    """However long it lasts: what is looked at ends 56 days ago."""
    path = f"sqlite:///{tmp_path / 'a.db'}"
    async with redis.asyncio.Redis.from_url(redis_url) as client:
        with open_archive(path, Config().archive) as archive:
            await _silent_for_months(archive, RedisAlerts(client, "{articlebot}"))


async def _silent_for_months(archive: Archive, store: RedisAlerts) -> None:
    runtime = SimpleNamespace(config=Config(), alerts=store, archive=archive)
    watch = Watch(cast("Runtime", runtime), lambda: JobBook((Job(name="silent", site="http://silent.example/"),)))
    for n, at in enumerate(reversed(times(30, DAY / 2, NOW))):
        archive.publish([make_article(f"silent{n}", f"Text {n}.", job="silent")], at)
    stood = []
    for day in (1, 2, 30, 50, 90):
        await store._redis.delete("{articlebot}:alerts:looked:quiet")
        found = await watch._quiet(NOW + day * DAY)
        stood.append([(one.holds, one.data["silent_h"]) for one in found])
        for one in found:
            if due := await store.note(one, NOW + day * DAY):
                await store.sent(due)
    archive.publish([make_article("late", "A late text.", job="silent")], NOW + 91 * DAY)
    await store._redis.delete("{articlebot}:alerts:looked:quiet")
    after = await watch._quiet(NOW + 91.1 * DAY)
    assert stood == [[], *([(True, 24.0 * day)] for day in (2, 30, 50, 90))]
    assert after == [Standing("quiet", "silent", False)]
