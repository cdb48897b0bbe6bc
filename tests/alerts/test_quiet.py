"""When a job is quiet."""

from __future__ import annotations

from pathlib import Path

import pytest

from articlebot.alerts.quiet import is_quiet, silent_jobs
from articlebot.archive import open_archive
from articlebot.config import Config
from tests.archive.conftest import make_article

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
