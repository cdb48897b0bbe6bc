"""Jobs: when they are due, when they publish, how often they are visited."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from starlette.requests import Request
from starlette.responses import Response

from articlebot.console.plots import Series, heat_map, lines
from articlebot.console.rounds import DAYS_BACK, Rhythm
from articlebot.console.sources import Sources
from articlebot.console.view import Console, language_of, translator
from articlebot.jobs import Job, Window
from articlebot.jobs.model import DAYS
from articlebot.urls import page_key

_MONDAY = datetime(2024, 1, 1)  # noqa: DTZ001 - windows are asked in the job's local time


async def jobs(request: Request) -> Response:
    """All jobs with their state."""
    console = Console.of(request)
    sources = console.sources
    now = sources.runtime.now()
    known = (await sources.runtime.pages.counts(now)).by_job
    rhythms = await sources.rhythms.get()
    names = list(dict.fromkeys([*(job.name for job in sources.book), *sorted({*known, *rhythms})]))
    rows = [await _row(sources, name, known.get(name, 0), rhythms.get(name), now) for name in names]
    return console.page(request, "jobs.html", rows=rows, with_file=len(sources.book) > 0)


async def job(request: Request) -> Response:
    """One job: entry pages, heat map, interval over time."""
    console = Console.of(request)
    sources, name = console.sources, request.path_params["name"]
    now, t = sources.runtime.now(), translator(language_of(request))
    known = (await sources.runtime.pages.counts(now)).by_job
    rhythm, block = (await sources.rhythms.get()).get(name), sources.book.get(name)
    if rhythm is None and block is None and name not in known:
        return console.missing(request, "No such job.")
    learned = sources.learned(name)
    rows = [t(day) for day in DAYS]
    windows = learned.windows or (block.windows if block else ())
    plots = {}
    if rhythm is not None:
        plots["heat"] = heat_map(
            rhythm.rates(), rows, closed_cells(windows), t("New items a visit by weekday and hour")
        )
        plots["gaps"] = _gaps(rhythm, len(block.entry_urls) if block else 1, sources.zone_of(name), t)
    return console.page(
        request, "job.html", name=name, job=block, learned=learned, rhythm=rhythm, days=rows, plots=plots,
        row=await _row(sources, name, known.get(name, 0), rhythm, now), zone=sources.zone_of(name),
        entries=await _entries(sources, block), days_back=DAYS_BACK,
    )  # fmt: skip


def closed_cells(windows: Sequence[Window]) -> list[list[bool]]:
    """Seven rows of 24 hours: whether no window is open; none are closed where there is no window."""
    return [
        [
            bool(windows) and not any(w.opens(_MONDAY + timedelta(days=day, hours=hour)) for w in windows)
            for hour in range(24)
        ]
        for day in range(7)
    ]


async def _row(sources: Sources, name: str, pages: int, rhythm: Rhythm | None, now: float) -> dict[str, Any]:
    block, learned = sources.book.get(name), sources.learned(name)
    entries = await _entries(sources, block)
    due = [entry["next_at"] for entry in entries if entry["next_at"] is not None]
    return {
        "name": name,
        "pages": pages,
        "entries": len(entries),
        "opens": None if block is None else block.opens(now),
        "next_at": min(due, default=None),
        "interval": learned.interval or (block.interval if block else None),
        "learned": learned.interval is not None,
        "last_at": rhythm.last[-1][0] if rhythm and rhythm.last else None,
        "total": rhythm.total if rhythm else (0, 0),
        "failed": rhythm.failed if rhythm else 0,
    }


async def _entries(sources: Sources, block: Job | None) -> list[dict[str, Any]]:
    if block is None:
        return []
    records = await sources.runtime.pages.get([page_key(url) for url, _ in block.entry_urls])
    return [
        {
            "url": url,
            "kind": kind,
            "next_at": record.state.next_at if record else None,
            "last_at": record.state.last_at if record and record.state.fetches else None,
            "interval": record.state.interval if record and record.state.fetches else None,
            "failures": record.state.failures if record else 0,
        }
        for (url, kind), record in zip(block.entry_urls, records, strict=True)
    ]


def _gaps(rhythm: Rhythm, entries: int, zone: str, t: Any) -> Any:
    gaps = rhythm.gaps(entries)
    labels = [datetime.fromtimestamp(at, ZoneInfo(zone)).strftime("%m-%d %H:%M") for at, _ in gaps]
    title = t("Minutes between two visits of an entry page")
    return lines([Series(t("interval, minutes"), "a", [gap / 60 for _, gap in gaps])], labels, title)
