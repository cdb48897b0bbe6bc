"""Shared fixtures: a real Redis server per test session, and the corpus where there is one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from articlebot.runtime.private_redis import PrivateRedis

ROOT = Path(__file__).resolve().parent.parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Lets a failed test of real processes run once more: it shares the clock, and the machine, with all others.

    What was run twice is counted in the summary, and what fails twice fails.
    """
    for item in items:
        if isinstance(item, pytest.Function) and not {"subprocess", "Newsroom", "Site"}.isdisjoint(vars(item.module)):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateRedis]:
    with PrivateRedis(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def redis_url(redis_server: PrivateRedis) -> str:
    """The URL of an empty database on a real server."""
    with redis.Redis.from_url(redis_server.url) as client:
        client.flushall()
    return redis_server.url


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of captured pages, traces and texts; the test is skipped where it is absent."""
    folder = Path(os.environ.get("ARTICLEBOT_CORPUS", ROOT.parent / "shared" / "corpus"))
    if not (folder / "README.md").is_file():
        pytest.skip(f"no corpus at {folder}; set ARTICLEBOT_CORPUS")
    return folder
