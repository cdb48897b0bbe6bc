"""Jobs: when they are due, when they publish, how often they are visited."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from starlette.requests import Request
from starlette.responses import Response

from articlebot.console.plots import Series, heat_map, lines
from articlebot.console.rounds import DAYS_BACK, Rhythm
from articlebot.console.sources import Sources
from articlebot.console.view import Console, language_of, page_number, translator
from articlebot.errors import ConfigError
from articlebot.jobs import Window
from articlebot.jobs.folder import mark
from articlebot.jobs.hours import DAYS
from articlebot.recrawl import PageRecord
from articlebot.seeds.jobblock import toml
from articlebot.urls import page_key

_MONDAY = datetime(2024, 1, 1)  # noqa: DTZ001 - windows are asked in the job's local time
PAGE_SIZE = 50


async def jobs(request: Request) -> Response:
    """Jobs with their state, fifty a page."""
    console = Console.of(request)
    sources, given = console.sources, request.query_params
    number = page_number(request)
    part = given.get("q", "").strip()[:100]
    now = sources.runtime.now()
    known = (await sources.runtime.pages.counts(now)).by_job
    rhythms = await sources.rhythms.get_within()
    every = dict.fromkeys([*sources.book.every, *sorted({*known, *(rhythms or ())})])
    names = [name for name in every if part.lower() in name.lower()]
    chosen = names[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    return console.page(
        request, "jobs.html", rows=await _rows(sources, chosen, known, rhythms, now),
        problems=await _problems(sources), health=await sources.health.get_within(),
        with_file=sources.folder is not None, number=number, more=len(names) > number * PAGE_SIZE,
        total=len(names), q=part,
    )  # fmt: skip


async def job(request: Request) -> Response:
    """One job: entry pages, heat map, interval over time."""
    console = Console.of(request)
    sources, name = console.sources, request.path_params["name"]
    now, t = sources.runtime.now(), translator(language_of(request))
    known = (await sources.runtime.pages.counts(now)).by_job
    rhythms = await sources.rhythms.get_within()
    rhythm, block = (rhythms or {}).get(name), sources.book.get(name)
    if rhythm is None and block is None and name not in known:
        return console.missing(request, "No such job.")
    learned = (await sources.learned.get()).get(name)
    [row] = await _rows(sources, [name], known, rhythms, now)
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
        mark=mark, found_keys=await _found(sources, name), problem=(await _problems(sources)).get(name),
        health=await sources.health.get_within(), block_text=await _text(sources, name),
        row=row, zone=sources.zone_of(name), entries=row["entries"], days_back=DAYS_BACK, unread=rhythms is None,
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


async def _problems(sources: Sources) -> dict[str, str]:
    """By job what a person should look at: its site told nothing, or gave nothing when it was visited last."""
    failures = await sources.runtime.looks.failures()
    found = (await sources.health.get_within() or {}).get("findings", ())
    return failures | {one["job"]: f"{one['said']}. {one['advice']}" for one in found if one["severity"] == "fault"}


async def _rows(
    sources: Sources, names: Sequence[str], pages: Mapping[str, int], rhythms: Mapping[str, Rhythm] | None, now: float
) -> list[dict[str, Any]]:
    """What is known of each job, without visits where no rounds are read yet; all entry pages are asked for at once."""
    learned, paused = await sources.learned.get(), await sources.runtime.pauses.all()
    blocks = {name: block for name in names if (block := sources.book.get(name)) is not None}
    urls = [url for block in blocks.values() for url, _ in block.entry_urls]
    records = dict(zip(urls, await sources.runtime.pages.get([page_key(url) for url in urls]), strict=True))
    rows = []
    for name in names:
        block, known, rhythm = blocks.get(name), learned.get(name), (rhythms or {}).get(name)
        stands = block is None or not block.enabled or name in paused
        closed = None if block is None or stands else block.closed_for(now)
        entries = [_entry(url, kind, records[url], closed, now) for url, kind in block.entry_urls] if block else []
        waits = [entry["interval"] for entry in entries if entry["interval"] is not None]
        stated = known.interval_of(block) if block else known.interval
        rows.append(
            {
                "name": name,
                "pages": pages.get(name, 0),
                "entries": entries,
                "paused": name in paused,
                "off": block is not None and not block.enabled,
                "opens": None if block is None else block.opens(now),
                "next_at": min((entry["next_at"] for entry in entries if entry["next_at"] is not None), default=None),
                "interval": min(waits, default=None) if stated is None else stated,
                "learned": known.interval is not None,
                "last_at": rhythm.last[-1][0] if rhythm and rhythm.last else None,
                "total": rhythm.total if rhythm else None if rhythms is None else (0, 0),
                "failed": rhythm.failed if rhythm else 0,
            }
        )
    return rows


async def _found(sources: Sources, name: str) -> str:
    """What looks have found of the job's site, as a job file would say it."""
    found = await sources.runtime.looks.get([name])
    return toml({"name": name, **found[name].keys}, found[name].why) if name in found else ""


async def _text(sources: Sources, name: str) -> str:
    """The job's block of its file; nothing where it has none."""
    try:
        return await asyncio.to_thread(sources.folder.text, name) if sources.folder is not None else ""
    except ConfigError:
        return ""


def _entry(url: str, kind: str, record: PageRecord | None, closed: float | None, now: float) -> dict[str, Any]:
    """What is known of an entry page; ``closed``: seconds until its job may visit it, None where it does not."""
    visited = record is not None and record.state.fetches > 0
    next_at = record.state.next_at if record and closed is not None else None
    return {
        "url": url,
        "kind": kind,
        "next_at": max(next_at, now + closed) if next_at is not None and closed else next_at,
        "last_at": record.state.last_at if record and visited else None,
        "interval": record.state.next_at - record.state.last_at if record and visited else None,
        "failures": record.state.failures if record else 0,
    }


def _gaps(rhythm: Rhythm, entries: int, zone: str, t: Any) -> Any:
    gaps = rhythm.gaps(entries)
    labels = [datetime.fromtimestamp(at, ZoneInfo(zone)).strftime("%m-%d %H:%M") for at, _ in gaps]
    title = t("Minutes between two visits of an entry page")
    return lines([Series(t("interval, minutes"), "a", [gap / 60 for _, gap in gaps])], labels, title)
