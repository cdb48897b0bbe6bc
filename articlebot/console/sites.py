"""Sites: the wrappers learned of them, whether these still fit, and the walls they showed instead of a page."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from articlebot.console.plots import Series, lines
from articlebot.console.sources import Sources
from articlebot.console.view import Console, language_of, page_number, translator
from articlebot.errors import StateError

PAGE_SIZE = 50


async def sites(request: Request) -> Response:
    """Sites with articles, a wrapper or walls, fifty a page; those that are in doubt say so."""
    console = Console.of(request)
    sources, given = console.sources, request.query_params
    number = page_number(request)
    articles, walls = dict((await sources.facets.get())["site"]), await sources.walls.get()
    begin = given.get("q", "").strip().lower()[:100]
    learned = await asyncio.to_thread(sources.wrappers.sites)
    names = [name for name in dict.fromkeys([*articles, *learned, *walls]) if begin in name]
    chosen = names[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    # Each is asked for by itself, several at once: the database may be far away.
    rows = await asyncio.gather(*(asyncio.to_thread(_row, sources, name, articles.get(name, 0)) for name in chosen))
    for row in rows:
        row["walls"] = walls.get(row["name"])
    return console.page(
        request, "sites.html", rows=rows, number=number, more=len(names) > number * PAGE_SIZE, total=len(names), q=begin
    )


async def site(request: Request) -> Response:
    """One site: the versions of its wrapper, how well its last pages fitted, and the walls it showed."""
    console = Console.of(request)
    sources, name = console.sources, request.path_params["name"]
    articles = dict((await sources.facets.get())["site"])
    row = await asyncio.to_thread(_row, sources, name, articles.get(name, 0))
    walls = (await sources.walls.get()).get(name)
    if not row["versions"] and not row["articles"] and not row["error"] and walls is None:
        return console.missing(request, "Nothing is known of this site.")
    t, drift = translator(language_of(request)), row["drift"]
    labels = [str(i - len(drift.history)) for i in range(len(drift.history))]
    series = [Series(t("fit"), "a", list(drift.history))]
    plot = lines(series, labels, t("How well the last pages fitted the wrapper")) if drift.history else None
    jobs = [job.name for job in sources.book if name in job.sites]
    return console.page(request, "site.html", name=name, row=row, plot=plot, walls=walls, jobs=jobs)


def _row(sources: Sources, name: str, articles: int) -> dict[str, Any]:
    store, error = sources.wrappers, ""
    try:
        versions = store.history(name)
    except StateError as damaged:
        versions, error = [], str(damaged)
    current = next((version for version in versions if version.current), None)
    drift = store.drift(name)
    return {
        "name": name, "articles": articles, "versions": versions, "current": current, "drift": drift, "error": error
    }  # fmt: skip
