"""What a job names outside of its file."""

from __future__ import annotations

from pathlib import Path

import pytest

from articlebot.jobs import Job
from articlebot.runtime.job_needs import lacking


@pytest.mark.parametrize(
    ("keys", "key", "why"),
    [
        ({"sinks": ("desk",)}, "sinks", "no sink 'desk' is configured (ARTICLEBOT_PUBLISHING_SINKS); there are: lines"),
        ({"topic": "/absent.toml"}, "topic", "/absent.toml: No such file or directory"),
        ({"dictionary": "/absent.txt"}, "dictionary", "/absent.txt: No such file or directory"),
    ],
)
def test_what_is_not_there_is_named_with_its_key(keys: dict[str, str], key: str, why: str) -> None:
    job = Job.model_validate({"name": "daily", "list_pages": ["https://daily.example/"], **keys})
    assert lacking(job, {"lines": {}}) == (key, why)


def test_nothing_lacks(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("王小明\n", encoding="utf-8")
    job = Job(
        name="daily", list_pages=("https://daily.example/",), sinks=("lines",), dictionary=str(tmp_path / "names.txt")
    )
    assert lacking(job, {"lines": {}}) is None
