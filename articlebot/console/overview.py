"""The first page: is the crawl healthy?"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from articlebot.actions.short import alike
from articlebot.console.figures import EVENTS
from articlebot.console.plots import Series, bars, lines
from articlebot.console.sources import Overview
from articlebot.console.view import Console, language_of, number, translator
from articlebot.runtime.runs import total
from articlebot.times import duration

# What crawls' stats are shown by.
_STATS = {
    "downloader/response_count": "Answers",
    "articlebot/publish/new": "New articles",
    "articlebot/change/updated": "Changed",
    "articlebot/change/unchanged": "Unchanged",
    "log_count/ERROR": "Errors",
}


async def overview(request: Request) -> Response:
    """The page."""
    console = Console.of(request)
    state = await console.sources.overview.get()
    health = await console.sources.health.get_within()
    found = {
        "state": state,
        "health": health,
        "short": alike((health or {}).get("short", {})),
        "last_run": _last_run(state),
        "counted": _running(state),
        **shown(state, request),
    }
    return console.page(request, "overview.html", **found)


def shown(state: Overview, request: Request) -> dict[str, Any]:
    """Figures and plots of a state, in the reader's language."""
    t = translator(language_of(request))
    archived, queue, pages = state.published, state.queue, state.pages
    last = state.minutes[-5:]
    hour = {name: sum(minute[name] for minute in state.minutes) for name in ("answered", "not_modified", "failed")}
    rate = sum(minute.total() for minute in last) / len(last)
    figures = [
        ("rate", t("Fetches a minute"), f"{rate:,.1f}", t("last 5 minutes")),
        ("p50", t("Publication to archive, p50"), duration(archived.day_p50, t), t("published in the last 24 hours")),
        ("p95", t("Publication to archive, p95"), duration(archived.day_p95, t), f"n = {archived.timed:,}"),
        ("new", t("New articles"), number(sum(archived.events["new"])), t("last 24 hours")),
        (
            "changed", t("Changed articles"),
            number(sum(archived.events["updated"]) + sum(archived.events["corrected"])), t("last 24 hours"),
        ),
        ("unchanged", t("Not modified"), number(hour["not_modified"]), t("fetches, last hour")),
        ("failed", t("Failed fetches"), number(hour["failed"]), t("last hour")),
        ("queued", t("Queued"), number(queue.queued if queue else None), t("requests")),
        ("leased", t("In flight"), number(queue.leased if queue else None), t("requests")),
        ("slots", t("Slots"), number(queue.slots if queue else None), t("hosts known")),
        ("workers", t("Workers"), number(queue.workers if queue else None), t("alive")),
        ("quarantined", t("Quarantined"), number(queue.quarantined if queue else None), t("requests")),
        ("pages", t("Pages followed"), number(pages.pages if pages else None), t("all jobs")),
        ("due", t("Pages due"), number(pages.due if pages else None), t("now")),
        ("proxies", t("Proxies"), number(state.proxies), t("in the pool")),
        (
            "walls", t("Walls"), number(sum(one.total for one in state.walls.values())),
            f"{number(len(state.walls))} {t('sites')}",
        ),
        ("waiting", t("To deliver"), number(sum(sink["pending"] for sink in state.sinks)), t("versions")),
        (
            "articles", t("Articles"), number(state.totals["articles"]),
            f"{number(state.totals['versions'])} {t('versions')}",
        ),
    ]  # fmt: skip
    keys = ("id", "name", "value", "note")
    return {
        "figures": [dict(zip(keys, one, strict=True)) for one in figures],
        "plots": {"fetches": _fetches(state, t), "published": _published(state, t), "delay": _delay(state, t)},
    }


def _fetches(state: Overview, t: Any) -> Any:
    first = int(state.at // 60) - len(state.minutes)
    labels = [_clock((first + i) * 60) for i in range(len(state.minutes))]
    layers = (("answered", "Answered", "a"), ("not_modified", "Not modified", "b"), ("failed", "Failed", "bad"))
    series = [Series(t(name), style, [minute[key] for minute in state.minutes]) for key, name, style in layers]
    return bars(series, labels, t("Fetches by minute"), t("nothing in this time"))


def _published(state: Overview, t: Any) -> Any:
    labels = [_clock(at) for at in state.published.begins]
    styles = dict(zip(EVENTS, "abcd", strict=True))
    series = [Series(t(event), styles.get(event, "d"), values) for event, values in state.published.events.items()]
    return bars(series, labels, t("Versions archived by hour"), t("nothing in this time"))


def _delay(state: Overview, t: Any) -> Any:
    def minutes(values: list[float | None]) -> list[float | None]:
        return [None if value is None else value / 60 for value in values]

    archived = state.published
    series = [Series("p50", "a", minutes(archived.delay_p50)), Series("p95", "c", minutes(archived.delay_p95))]
    title = t("Minutes from publication to archive, by hour")
    return lines(series, [_clock(at) for at in archived.begins], title, t("nothing in this time"))


def _last_run(state: Overview) -> dict[str, Any] | None:
    if state.last_run is None:
        return None
    last = state.last_run
    return {"spider": last.get("spider", ""), "ended_at": last.get("ended_at"), "shown": _counted(last["stats"])}


def _running(state: Overview) -> dict[str, int]:
    """Of all running crawls together, since they began."""
    found: Counter[str] = Counter()
    for run in state.running:
        found.update(_counted(run.stats))
    return dict(found)


def _counted(stats: dict[str, Any]) -> dict[str, int]:
    shown = {label: stats.get(name, 0) for name, label in _STATS.items()}
    for label, prefix in (("Refused", "articlebot/page/refused/"), ("Failed", "articlebot/page/failed/")):
        shown[label] = total(stats, prefix)
    return shown


def _clock(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%H:%M")
