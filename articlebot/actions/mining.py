"""What ``scrapy seeds`` does with candidates: take in, look at, promote, drop."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from articlebot.errors import RefusedError
from articlebot.files import lines_of
from articlebot.runtime import Runtime
from articlebot.seeds.candidates import Candidate, Offer, State
from articlebot.seeds.promotion import existing_jobs, job_block, write_job
from articlebot.seeds.queue import PROBATION_SIZE
from articlebot.urls import canonical_url, site

BY_HAND = 0.95
_RANK_SCALE = 10.0
_BEST_RESULT = 0.6


class Mining:
    """The candidates of one configuration.

    Args:
        into: folder for the job files of what is promoted.
        jobs: further job files and folders, whose sites are followed already.
        dry: say only what would be done.
    """

    def __init__(self, runtime: Runtime, into: Path | None, jobs: Iterable[Path], *, dry: bool) -> None:
        section, self.runtime, self.dry = runtime.config.seeds, runtime, dry
        self.into = into or section.into or runtime.config.general.data_dir / "mined"
        self.topic = section.topic
        self.jobs = existing_jobs(dict.fromkeys([self.into, *jobs]))

    async def add(self, offers: list[Offer]) -> tuple[int, int]:
        """Puts candidates into the queue; returns how many were new and how many raised."""
        if self.dry:
            return len(offers), 0
        now = self.runtime.now()
        return await self.runtime.candidates.offer(offers, now)

    async def plan(self, most: int) -> list[dict[str, Any]]:
        """What ``mine`` would look at now."""
        candidates, now = self.runtime.candidates, self.runtime.now()
        due = [one for one, _ in await candidates.due(now, most)]
        room = PROBATION_SIZE - (await candidates.counts())["probation"]
        best = await candidates.best(min(most - len(due), room)) if min(most - len(due), room) > 0 else []
        return [_row(one, "probation", None) for one in due] + [_row(one, "waiting", score) for one, score in best]

    async def settle(self, decided: Iterable[tuple[Candidate, State]]) -> list[dict[str, Any]]:
        """Writes the jobs of what is to be promoted; returns a row for each decision."""
        return [await self.promote(one) if state == "promoted" else _row(one, state, None) for one, state in decided]

    async def promote(self, candidate: Candidate) -> dict[str, Any]:
        """Makes a candidate a job; one that a job follows already is dropped."""
        try:
            name, text = job_block(candidate, self.jobs, self.topic)
        except RefusedError as error:
            if error.reason != "followed":
                raise
            return await self.drop(candidate, error.detail)
        row = {**_row(candidate, "promoted", None), "job": name}
        if self.dry:
            return {**row, "block": text}
        path = write_job(self.into, name, text)
        self.jobs += existing_jobs([path])
        # The job first: were the state written first, a crash in between would lose the site for good.
        await self.runtime.candidates.settle(candidate, "promoted", self.runtime.now())
        return {**row, "file": str(path)}

    async def drop(self, candidate: Candidate, reason: str) -> dict[str, Any]:
        """Drops a candidate."""
        candidate = candidate.because(reason)
        if not self.dry:
            await self.runtime.candidates.settle(candidate, "dropped", self.runtime.now())
        return _row(candidate, "dropped", None)

    async def known(self, key: str) -> Candidate:
        """The candidate of a key or an address.

        Raises:
            RefusedError: it is not known.
        """
        names = [key]
        try:
            url = canonical_url(key if "://" in key else f"https://{key}")
            names += [url, site(url)]
        except RefusedError:
            pass
        for name in names:
            found = await self.runtime.candidates.get(name)
            if found is not None:
                return found[0]
        raise RefusedError("candidate_unknown", f"{key} is no candidate; see scrapy seeds candidates")

    async def rows(self, states: Iterable[State], most: int) -> list[dict[str, Any]]:
        """The candidates of some states, the best or newest first."""
        rows: list[dict[str, Any]] = []
        for state in states:
            found = await self.runtime.candidates.of_state(state, most)
            rows += [_row(one, state, score if state == "waiting" else None) for one, score in found]
        return rows[:most]


def offers_of(addresses: Iterable[str], rows: Iterable[dict[str, Any]]) -> list[Offer]:
    """Addresses that a person names, and results of a meta-search, as offers; the better the rank the likelier.

    Raises:
        RefusedError: an address is none.
    """
    offers = []
    for text in addresses:
        url = canonical_url(text if "://" in text else f"https://{text}")
        offers.append(Offer(site(url), _home(url), "by hand", BY_HAND, text=text))
    for row in rows:
        url = canonical_url(str(row.get("url", "")))
        rank = row.get("rank", 1)
        weight = _BEST_RESULT / (1.0 + (rank - 1) / _RANK_SCALE) if isinstance(rank, int) and rank > 0 else 0.1
        source = f"query: {row.get('query', '')}"
        offers.append(Offer(site(url), _home(url), source, weight, text=str(row.get("title", ""))))
    return offers


def rows_of(path: Path) -> tuple[list[str], list[dict[str, Any]]]:
    """The addresses and the results of a file: JSON Lines as `scrapy crawl metasearch -O` writes, or an address a line.

    Raises:
        OSError: it cannot be read.
        ConfigError: it is no text.
        RefusedError: a line is neither.
    """
    addresses, rows = [], []
    for number, line in enumerate(lines_of(path), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line.lstrip().startswith("{"):
            addresses.append(line.strip())
            continue
        try:
            rows.append(json.loads(line))
        except ValueError:
            raise RefusedError("not_json", f"{path}:{number}") from None
    return addresses, rows


def _home(url: str) -> str:
    return "/".join(url.split("/", 3)[:3]) + "/"


def _row(candidate: Candidate, state: State, priority: float | None) -> dict[str, Any]:
    return {**candidate.shown(), "state": state, "priority": None if priority is None else round(priority, 3)}
