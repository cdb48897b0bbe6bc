"""The run of a soak: newsroom, workers and faults, then calm, then the verdict."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from articlebot.archive import Selection, open_archive
from articlebot.config import Config
from articlebot.frontier.build import frontier_of
from articlebot.frontier.lookup import look_up
from articlebot.recrawl.store import RedisPageStates
from articlebot.runtime.clock import now
from articlebot.together import Together
from articlebot.urls import canonical_url, page_key
from articlebot_lab.newsroom.process import Newsroom
from articlebot_lab.newsroom.score import score
from articlebot_lab.soak.faults import KINDS, Kind, plan
from articlebot_lab.soak.stores import Store, database_away
from articlebot_lab.soak.verdict import LEAST_S, check, delivered_twice, missing, unseen
from articlebot_lab.soak.workers import Workers

_SAMPLE_S = 1.0
_BEGUN = 30
_LISTED = 40
# A dead worker's leases return after a lease of silence, and a third of one between two looks.
_CALM_S = 28.0
# How many such calms a busy machine may take that still finds something in each.
_DRAINS = 3
# The newsroom's days last minutes, and so does everything else.
_SPEED = {
    "ARTICLEBOT_PROGRESS_S": "0",
    "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.03",
    "ARTICLEBOT_DELAYS_BACK_OFF_S": "1",
    "ARTICLEBOT_DELAYS_BACK_OFF_CAP_S": "4",
    # A list page shows an article for half a minute: hosts and jobs of a dead worker must not stand still much longer.
    # But on a busy machine a process may get no turn for ten seconds, in which it cannot end its downloads.
    "ARTICLEBOT_FRONTIER_LEASE_S": "15",
    "ARTICLEBOT_FRONTIER_TRIES": "20",
    "ARTICLEBOT_RECRAWL_MIN_INTERVAL": "1",
}
# A longer run has more articles, which are edited later: they are looked at more seldom.
_LONGEST_S, _LONGEST_SHARE = 6.0, 0.01
_RUNNING = 1e14


@dataclass(frozen=True, slots=True)
class Soak:
    """What to run.

    Args:
        seconds: length of the newsroom's run, 20 or more; the calm after it comes on top.
        folder: for everything; must be empty.
        workers: how many crawls, 2 or more.
        sites: of the newsroom.
        rate: multiplies the newsroom's articles.
        seed: of newsroom and faults.
        kinds: of faults.
        drain_s: longest calm in which nothing of what is missing is found.
    """

    seconds: float
    folder: Path
    workers: int = 2
    sites: int = 12
    rate: float = 1.0
    seed: int = 7
    kinds: tuple[Kind, ...] = KINDS
    drain_s: float = 180.0


def soak(wanted: Soak, config: Config, store: Store, say: Callable[[str], None] = print) -> dict[str, Any]:
    """Runs it; returns the report, of which ``good`` says whether every check held.

    Args:
        wanted: what to run.
        config: the settings; the archive's database may be named there.
        store: the Redis.
        say: takes a line for each fault.
    """
    folder = wanted.folder
    folder.mkdir(parents=True, exist_ok=True)
    general = config.general.model_copy(update={"data_dir": folder, "redis_url": store.url})
    config = config.model_copy(update={"general": general})
    run = _Run(wanted, config, store, general.database_url or f"sqlite:///{(folder / 'archive.db').resolve()}", say)
    begun = time.monotonic()
    with Newsroom(
        seconds=wanted.seconds, sites=wanted.sites, rate=wanted.rate, seed=wanted.seed, hostile=True, storms=True,
        grace=_DRAINS * wanted.drain_s + 120,
    ) as room:  # fmt: skip
        codes = run.crawl(room)
        truth, log, status = room.truth(), room.log(), room.status()
    rows = run.rows()
    expected, missed = missing(truth, rows, log)
    told = score(truth, rows, log)
    fates = asyncio.run(_fates(config, store.url, missed))
    checks = check(
        expected=expected, missed=missed, lost=fates["lost"], twice=told["published_twice"],
        overlaps=status["overlaps"], delivered_again=delivered_twice(_lines(folder)),
        leases=asyncio.run(_leases(config, store.url)), codes=codes, fell=run.fell,
        # On a busy machine a short run takes long to begin and to end, and is no warmer for it.
        samples=run.samples if wanted.seconds >= LEAST_S else (),
    )  # fmt: skip
    return {
        "good": all(one.good is not False for one in checks),
        "seconds": round(time.monotonic() - begun, 1),
        "faults": dict(run.struck),
        "faults_at_s": run.struck_at_s,
        "requests": status["requests"],
        "versions": len(rows),
        "checks": [asdict(one) for one in checks],
        "missed": unseen(truth, log, missed[:_LISTED]),
        "fates": dict(fates),
        "overlapping": status["overlapping"],
        "delay_p50_s": told["delay_p50_s"],
        "delay_p95_s": told["delay_p95_s"],
        "megabytes": [round(size) for _, size in run.samples[:: max(1, len(run.samples) // 20)]],
    }


class _Run:
    """The crawl of a soak, and what was seen of it."""

    def __init__(self, wanted: Soak, config: Config, store: Store, database: str, say: Callable[[str], None]) -> None:
        self._wanted, self._config, self._store, self._database, self._say = wanted, config, store, database, say
        self.samples: list[tuple[float, float]] = []
        self.struck: Counter[str] = Counter()
        self.struck_at_s: list[tuple[float, str]] = []
        self.fell = 0
        self._struck_at = 0.0

    def crawl(self, room: Newsroom) -> list[int]:
        """Crawls through the faults, then in calm until nothing is missing; the workers' exit codes."""
        jobs = self._wanted.folder / "jobs.toml"
        jobs.write_text(room.job_file(), encoding="utf-8")
        arguments = ["article", "-a", f"jobs={jobs}", "-a", "until=forever"]
        arguments += ["-s", "DOWNLOAD_TIMEOUT=4", "-s", "RETRY_TIMES=1"]
        workers = Workers(self._wanted.workers, self._wanted.folder, arguments, self._environment(room.proxy))
        try:
            self._wait_for_beginning(room, workers)
            self._strike_in_turn(room.started_at, workers)
            self._drain(room, workers)
        finally:
            codes = workers.end()
            self.fell = workers.fell
        return codes

    def rows(self) -> list[dict[str, Any]]:
        """Every version in the archive."""
        with open_archive(self._database, self._config.archive) as archive:
            return list(archive.articles(Selection(), versions=True))

    def _environment(self, proxy: str) -> dict[str, str]:
        return {
            **_SPEED,
            "http_proxy": proxy,
            "REDIS_URL": self._store.url,
            "ARTICLEBOT_DATABASE_URL": self._database,
            "ARTICLEBOT_FRONTIER_SHARDS": str(self._config.frontier.shards),
            "ARTICLEBOT_DATA_DIR": str(self._wanted.folder.resolve()),
            "ARTICLEBOT_RECRAWL_DAY_S": str(min(86400.0, self._wanted.seconds)),
            "ARTICLEBOT_RECRAWL_MAX_INTERVAL": str(max(_LONGEST_S, _LONGEST_SHARE * self._wanted.seconds)),
        }

    def _wait_for_beginning(self, room: Newsroom, workers: Workers) -> None:
        # The first fault strikes a crawl that has begun.
        deadline = time.monotonic() + self._wanted.drain_s
        while room.status()["requests"] < _BEGUN and time.monotonic() < deadline:
            self._watch(workers, _SAMPLE_S)

    def _strike_in_turn(self, started_at: float, workers: Workers) -> None:
        begun = time.monotonic()
        rng = random.Random(f"victims/{self._wanted.seed}")
        for fault in plan(self._wanted.seconds, self._wanted.seed, self._wanted.kinds):
            self._watch(workers, begun + fault.at - time.monotonic())
            self._say(f"{time.monotonic() - begun:6.0f} s  {fault.kind}")
            self.struck_at_s.append((round(now() - started_at, 1), fault.kind))
            if fault.kind == "worker":
                workers.kill_one(rng)
            elif fault.kind == "redis":
                self._store.strike(fault.lasts)
            else:
                database_away(self._database, fault.lasts)
            self.struck[fault.kind] += 1
            self._struck_at = time.monotonic()
        self._watch(workers, begun + self._wanted.seconds - time.monotonic())

    def _watch(self, workers: Workers, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            workers.revive()
            size = workers.megabytes()
            if size is not None:
                self.samples.append((time.monotonic(), size))
            time.sleep(min(_SAMPLE_S, left))

    def _drain(self, room: Newsroom, workers: Workers) -> None:
        begun = found_at = time.monotonic()
        last, missed = _DRAINS * self._wanted.drain_s, -1
        while missed or time.monotonic() < self._struck_at + _CALM_S:
            if time.monotonic() > min(begun + last, found_at + self._wanted.drain_s):
                break
            self._watch(workers, 3.0)
            before, missed = missed, len(missing(room.truth(), self.rows(), room.log())[1])
            if missed < before:
                found_at = time.monotonic()


def _lines(folder: Path) -> list[dict[str, Any]]:
    path = folder / "published" / "articles.jsonl"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


async def _fates(config: Config, redis_url: str, missed: Sequence[str]) -> Counter[str]:
    """What became of articles that are not archived.

    ``lost`` (admitted, and gone), ``queued`` (or to be visited again after a failure), or ``not_reached``.
    """
    frontier, prefix = frontier_of(config, redis_url), config.general.key_prefix
    together = Together(redis_url)
    pages = RedisPageStates.on(together, prefix, config.frontier.shards)
    fates: Counter[str] = Counter()
    try:
        for url in map(canonical_url, missed):
            found = await look_up(frontier, url)
            (record,) = await pages.get([page_key(url)])
            waiting = found.waiting or found.quarantined or record is not None
            fates["queued" if waiting else "lost" if found.seen else "not_reached"] += 1
    finally:
        await frontier.close()
        await together.close()
    return fates


async def _leases(config: Config, redis_url: str) -> dict[str, int]:
    """What the frontier still holds for somebody: nothing, once all workers have ended."""
    frontier = frontier_of(config, redis_url)
    shards: list[tuple[Any, str]] = [(shard.redis, shard.shared) for shard in frontier.shards]
    try:
        counts = await frontier.counts()
        return {
            "leased": counts.leased,
            "workers": counts.workers,
            "hosts held": sum([await redis.hlen(f"{shared}:held") for redis, shared in shards]),
            "slots running": sum([await redis.zcount(f"{shared}:until", _RUNNING, "+inf") for redis, shared in shards]),
            "quarantined": counts.quarantined,
        }
    finally:
        await frontier.close()
