"""What `scrapy run` shows without a job file: the newsroom, crawled once and compared with what it published."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from articlebot_lab.newsroom.matching import Row
from articlebot_lab.newsroom.process import Newsroom
from articlebot_lab.newsroom.score import score

# The newsroom's days last seconds, and so do the pauses between its pages.
_SPEED = {
    "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.03",
    "ARTICLEBOT_DELAYS_BACK_OFF_S": "1",
    "ARTICLEBOT_RECRAWL_DAY_S": "120",
    "ARTICLEBOT_RECRAWL_MIN_INTERVAL": "1",
    "ARTICLEBOT_RECRAWL_MAX_INTERVAL": "6",
}
_GRACE = 600.0
_GAP = 2.0


@dataclass(frozen=True)
class Demonstration:
    """A newsroom that is served, and how to crawl it."""

    room: Newsroom
    folder: Path
    announced: str
    """The line that says where the newsroom is."""
    jobs: Path
    """The job file of the crawl."""
    environment: dict[str, str]
    """Of the crawl."""

    def compare(self, rows: Sequence[Row]) -> dict[str, Any]:
        """The archive's versions against the truth, which is kept in the folder: figures of docs/how-to/newsroom.md."""
        truth, log = self.room.truth(), self.room.log()
        (self.folder / "truth.json").write_text(json.dumps(truth, ensure_ascii=False), encoding="utf-8")
        return {"sites": len(truth["sites"]), **score(truth, rows, log), "newsroom": True}

    @staticmethod
    def told(found: dict[str, Any]) -> list[str]:
        """The figures of `compare` as lines for a person."""
        return [
            "Compared with what the newsroom knows it published:",
            f"  articles found       {_share(found['published_share'])} of {found['articles_expected']:,}",
            f"  published twice      {found['published_twice']:,}",
            f"  changes caught       {_share(found['changes_caught_share'])} of {found['changes_expected']:,}"
            f" ({found['false_changes']:,} false)",
            f"  reprints grouped     {found['duplicates_found']:,} of "
            f"{found['duplicates_found'] + found['duplicates_missed']:,} ({found['false_duplicates']:,} false)",
            f"  publication to archive  p50 {_seconds(found['delay_p50_s'])}, p95 {_seconds(found['delay_p95_s'])}",
        ]


@contextmanager
def demonstration(folder: Path, seconds: float, *, sites: int, seed: int) -> Iterator[Demonstration]:
    """Serves a newsroom while the ``with`` block runs.

    Args:
        folder: emptied at the start; holds the job file and, at the end, the truth.
        seconds: length of the crawl, 10 or more; the newsroom publishes for two seconds less.
        sites, seed: of the newsroom.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    jobs, world = folder / "jobs.toml", max(5.0, seconds - _GAP)
    with Newsroom(seconds=world, sites=sites, seed=seed, grace=_GRACE) as room:
        jobs.write_text(room.job_file(), encoding="utf-8")
        yield Demonstration(
            room,
            folder,
            f"The newsroom publishes for {world:.0f} s through {room.proxy}; its job file is {jobs}",
            jobs,
            {"http_proxy": room.proxy, **_SPEED},
        )


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} s"
