"""What running workers have counted: in Redis for those who look on, in a file for the command that started them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from articlebot import files
from articlebot.connect import RedisStore

Counts = dict[str, int | float | str]
# Begins the stats that say how many versions waited for each sink when the crawl ended.
PENDING = "articlebot/outbox/pending/"
UNSEEN = "articlebot/looks/waiting"
# A crawl that has written nothing for so long has died or is stopped.
STALE_S = 60.0
_OLD_S = 86_400.0
# Downloads are counted by minute for an hour; the running minute is not told.
_MINUTES = 60


@dataclass(frozen=True, slots=True)
class Run:
    """A crawl: its worker's name, when it began, when it wrote this, and Scrapy's stats then."""

    worker: str
    spider: str
    started_at: float
    at: float
    stats: Counts


def total(counts: Counts, prefix: str) -> int:
    """The sum of all counts below a prefix; what is no number there is left out."""
    return sum(int(n) for name, n in counts.items() if name.startswith(prefix) and isinstance(n, int | float))


def errors_in(counts: Mapping[str, Any]) -> int:
    """How many errors a crawl has logged."""
    return int(counts.get("log_count/ERROR", 0) + counts.get("log_count/CRITICAL", 0))


def summary_line(counts: Counts) -> str:
    """The numbers that matter most, on one line; of a crawl that publishes no articles, Scrapy's own."""
    if "articlebot/publish/new" not in counts:
        return (
            f"{counts.get('downloader/response_count', 0)} pages, {counts.get('item_scraped_count', 0)} items, "
            f"{counts.get('log_count/ERROR', 0)} errors"
        )
    disallowed = int(counts.get("articlebot/page/failed/robots", 0))
    withdrawn = counts.get("articlebot/publish/withdrawn", 0)
    return (
        f"{counts.get('downloader/response_count', 0)} pages, {counts.get('articlebot/publish/new', 0)} new articles, "
        f"{counts.get('articlebot/change/updated', 0)} changes, "
        + (f"{withdrawn} withdrawn, " if withdrawn else "")
        + f"{total(counts, 'articlebot/page/refused/')} refused, "
        + (f"{disallowed} disallowed by robots.txt, " if disallowed else "")
        + f"{total(counts, 'articlebot/page/failed/') - disallowed} failed, {counts.get('log_count/ERROR', 0)} errors"
    )


def pending_line(counts: Counts) -> str:
    """What waits beyond the crawl's end, for the end of the last line: sites for a look, deliveries by sink."""
    found = [f"{n:,} for {name.removeprefix(PENDING)}" for name, n in counts.items() if name.startswith(PENDING)]
    unseen = f"; sites that wait for their first look: {counts[UNSEEN]:,}" if counts.get(UNSEEN) else ""
    return unseen + (f"; deliveries that wait: {', '.join(sorted(found))} (scrapy outbox show)" if found else "")


def haste_line(counts: Counts) -> str:
    """How far refusals for haste slowed the crawl, on one line; "" where there were none."""
    refused = total(counts, "articlebot/frontier/too_soon/")
    if not refused:
        return ""
    gap = total(counts, "articlebot/frontier/learned_gap_ms") / 1000
    learned = f"; pages of the slowest host start {gap:.1f} s apart now" if gap else ""
    return (
        f"{refused:,} requests were refused for haste (429, 503) and put back, which slowed this run{learned}. "
        "A greater delay in the job avoids it; scrapy frontier politeness shows what was learned"
    )


def progress_line(seconds: float, counts: Counts) -> str:
    """The counts of a crawl after so many seconds."""
    refused, failed = (total(counts, f"articlebot/page/{name}/") for name in ("refused", "failed"))
    return (
        f"{seconds:6.0f} s  pages {counts.get('downloader/response_count', 0):,}"
        f"  new {counts.get('articlebot/publish/new', 0):,}  updated {counts.get('articlebot/change/updated', 0):,}"
        f"  unchanged {counts.get('articlebot/change/unchanged', 0):,}"
        f"  duplicates {counts.get('articlebot/neardup/member', 0):,}"
        f"  refused {refused:,}  failed {failed:,}"
    )


def note(data_dir: Path, run: Run) -> None:
    """Replaces the file of a run.

    Raises:
        OSError: the folder cannot be written to.
    """
    files.replace(_path(data_dir, run.worker), json.dumps(asdict(run), ensure_ascii=False))


def forget(data_dir: Path, worker: str, now: float) -> None:
    """Removes the file of a run that has ended, and those of the dead."""
    _path(data_dir, worker).unlink(missing_ok=True)
    for path in _path(data_dir, worker).parent.glob("*"):
        with suppress(OSError):
            if path.stat().st_mtime < now - _OLD_S:
                path.unlink()


def running(data_dir: Path, now: float) -> list[Run]:
    """The runs that are alive, the oldest first; what cannot be read is left out."""
    found = []
    for path in (data_dir / "running").glob("*.json"):
        with suppress(OSError, ValueError, TypeError):
            run = Run(**json.loads(path.read_text("utf-8")))
            if run.at > now - STALE_S:
                found.append(run)
    return sorted(found, key=lambda run: (run.started_at, run.worker))


def _path(data_dir: Path, worker: str) -> Path:
    return data_dir / "running" / f"{worker}.json"


class RedisRuns(RedisStore):
    """The runs of all workers, and their downloads by minute."""

    below = "runs"

    async def note(self, run: Run, minutes: Mapping[int, Counter[str]]) -> None:
        """Replaces what a run has told, and adds its downloads by minute (of the epoch) and outcome."""
        async with self._redis.pipeline(transaction=False) as pipe:
            pipe.hset(self._key, run.worker, json.dumps(asdict(run), ensure_ascii=False))
            for minute, counts in minutes.items():
                for outcome, number in counts.items():
                    pipe.hincrby(f"{self._prefix}:downloads:{minute}", outcome, number)
                pipe.expire(f"{self._prefix}:downloads:{minute}", 2 * _MINUTES * 60)
            await pipe.execute()

    async def forget(self, worker: str, now: float) -> None:
        """Removes a run that has ended, and those of the dead."""
        dead = [run.worker for run in await self._all() if run.at < now - _OLD_S]
        await self._redis.hdel(self._key, worker, *dead)

    async def running(self, now: float) -> list[Run]:
        """The runs that are alive, the oldest first."""
        alive = (run for run in await self._all() if run.at > now - STALE_S)
        return sorted(alive, key=lambda run: (run.started_at, run.worker))

    async def downloads(self, now: float) -> list[Counter[str]]:
        """Sixty counts by outcome, the minute before the running one last."""
        last = int(now // 60)
        async with self._redis.pipeline(transaction=False) as pipe:
            for minute in range(last - _MINUTES, last):
                pipe.hgetall(f"{self._prefix}:downloads:{minute}")
            return [Counter({name.decode(): int(n) for name, n in one.items()}) for one in await pipe.execute()]

    async def _all(self) -> list[Run]:
        found = []
        for kept in (await self._redis.hgetall(self._key)).values():
            with suppress(ValueError, TypeError):  # of another version
                found.append(Run(**json.loads(kept)))
        return found
