"""How what people are told of stands now: what the alerts are fed with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable

from articlebot.alerts.freshness import is_breached, measure
from articlebot.alerts.quiet import published_since, silent_jobs
from articlebot.alerts.store import Alert, Kind, Standing
from articlebot.frontier.inspect import silent
from articlebot.jobs.book import JobBook
from articlebot.publishing import letters
from articlebot.runtime.diagnosis import Settled
from articlebot.runtime.runtime import Runtime

# Requests in quarantine at which it is told, and told again: that it is filling matters more than each request.
_FILLING = (1, 100, 10_000)
# Probes without an answer after which a silent host is told: five minutes at the pauses as shipped (10 s, doubled), in
# which a server that was started anew is back.
_PROBES = 6
# The quiet jobs are looked for once an hour in the whole cluster: a silence worth telling lasts for a day.
_QUIET_EVERY = 1 / 24
# A quarter of a day, so that a night does not hide a day.
_WINDOW_S = 6 * 3600.0
Look = Callable[[float], Awaitable[list[Standing]]]


class Watch:
    """Looks at stores and jobs; each look may raise redis' errors, ``StoreUnavailable``, ``StateError`` or OSError.

    Args:
        runtime: of the crawl.
        book: gives the jobs that are followed now.
    """

    def __init__(self, runtime: Runtime, book: Callable[[], JobBook]) -> None:
        self._runtime, self._book = runtime, book
        self.looks: tuple[Look, ...] = (
            self._freshness, self._dead_letters, self._quarantine, self._silent_hosts, self._quiet
        )  # fmt: skip

    async def _freshness(self, now: float) -> list[Standing]:
        runtime = self._runtime
        found = []
        for job in self._book():
            if job.freshness is None or job.name in runtime.assignment.elsewhere:
                continue
            measured = await asyncio.to_thread(measure, runtime.archive.engine, job.name, now, _WINDOW_S)
            data = {"objective_s": job.freshness, "p95_s": measured.p95_s, "articles": measured.articles}
            holds = is_breached(measured, job.freshness)
            found.append(Standing("freshness", job.name, holds, data, keep=True))
        return found

    async def _dead_letters(self, now: float) -> list[Standing]:
        runtime = self._runtime
        names = list(runtime.config.publishing.sinks)
        rows = await asyncio.to_thread(letters.summary, runtime.archive.engine, names, now)
        return [
            Standing("dead_letters", row["sink"] + runtime.place, bool(row["dead"]),
                     {"dead": row["dead"], "error": row["error"]})
            for row in rows
        ]  # fmt: skip

    async def _quarantine(self, now: float) -> list[Standing]:
        requests = (await self._runtime.frontier.counts()).quarantined
        return [Standing("quarantine", str(level), requests >= level, {"requests": requests}) for level in _FILLING]

    async def _silent_hosts(self, now: float) -> list[Standing]:
        runtime = self._runtime
        hosts = {one.host: one for one in await silent(runtime.frontier) if one.probes >= _PROBES}
        told = {one.about for one in await runtime.alerts.all() if one.kind == "breaker"}
        found = [Standing("breaker", name, False) for name in sorted(told - hosts.keys())]
        return found + [
            Standing("breaker", name, True, {"fault": one.fault, "probes": one.probes, "since": one.since})
            for name, one in hosts.items()
        ]

    async def _quiet(self, now: float) -> list[Standing]:
        runtime = self._runtime
        day_s = runtime.config.recrawl.day_s
        if not await runtime.alerts.is_turn("quiet", day_s * _QUIET_EVERY):
            return []
        silent = await asyncio.to_thread(silent_jobs, runtime.archive.engine, now, day_s)
        told = {one.about: one for one in await runtime.alerts.all() if one.kind == "quiet" and one.open}
        since = {name: one.since for name, one in told.items() if name not in silent}
        again = await asyncio.to_thread(published_since, runtime.archive.engine, since)
        found = [Standing("quiet", name, False) for name in again]
        hours = {
            name: {"silent_h": round(one.silent_s / 3600, 1), "longest_h": round(one.longest_s / 3600, 1)}
            for name, one in silent.items()
        }
        # A long silence leaves too few articles in what is looked at: that is no end of it.
        for name in since.keys() - set(again):
            one = told[name]
            hours[name] = {**one.data, "silent_h": round(one.data["silent_h"] + (now - one.at) / 3600, 1)}
        followed = {job.name for job in self._book()}
        found += [Standing("quiet", name, True, data) for name, data in hours.items() if name in followed]
        return found


def of_settled(settled: Settled, known: Iterable[Alert]) -> list[Standing]:
    """How the jobs stand that were visited; nothing is said of those that are only away for the moment."""
    kinds: tuple[Kind, ...] = ("walls", "ailing")
    open_ = {(one.kind, one.about) for one in known if one.kind in kinds}
    found = []
    for one in settled.findings:
        mine: Kind = "walls" if one.reason.startswith(("wall_", "pages_wall")) else "ailing"
        if one.severity == "fault":
            found.append(Standing(mine, one.job, True, {"reason": one.reason, "text": f"{one.said}. {one.advice}"}))
            open_.discard((mine, one.job))
        else:
            open_ -= {(kind, one.job) for kind in kinds}
    return found + [Standing(kind, job, False) for kind, job in sorted(open_) if job in settled.visited]
