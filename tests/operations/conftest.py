"""A small crawl that several tests look at, never change."""

from __future__ import annotations

from pathlib import Path

import pytest

from articlebot_lab.newsroom.process import Newsroom
from tests.operations.running import Crawled, crawl


@pytest.fixture(scope="session")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    """The folder of a crawl of one site that has ended."""
    folder = tmp_path_factory.mktemp("crawled")
    with Newsroom(seconds=5, sites=1, grace=3600) as room:
        jobs = folder / "jobs.toml"
        jobs.write_bytes(room.get("http://newsroom.test/jobs.toml")[2])
        code, said = crawl(folder, "article", "-a", f"jobs={jobs}", "-a", "until=idle", proxy=room.proxy,
                           ARTICLEBOT_OPERATIONS_JSON_LOGS="1")  # fmt: skip
    return Crawled(Path(folder), jobs, code, said, (folder / "crawl.log").read_text())
