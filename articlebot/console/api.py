"""The console's HTTP API, ``/api/v1``: what its pages show and do, as JSON for programs."""

from __future__ import annotations

import asyncio
import json
from bisect import bisect_right
from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import Body, Depends, FastAPI, Header, HTTPException, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.security import HTTPBearer
from redis.exceptions import RedisError
from starlette.middleware.gzip import GZipMiddleware

from articlebot import __version__
from articlebot.actions.explain import explained
from articlebot.actions.frontier import in_quarantine, queues_of
from articlebot.actions.status import LATE_S, state_of
from articlebot.console import api_articles
from articlebot.console.access import methods_of
from articlebot.console.api_base import (
    Asked,
    Block,
    Change,
    Done,
    Editor,
    JobRow,
    Look,
    Name,
    NewJob,
    Pause,
    Requeue,
    Route,
    Site,
    Visits,
    only_known,
)
from articlebot.console.look import look
from articlebot.console.opml import write_opml
from articlebot.console.view import Console
from articlebot.errors import ArticlebotError, ChangedError, StateError, StoreUnavailable, UnknownError
from articlebot.jobs import Job
from articlebot.jobs.folder import mark
from articlebot.typed import as_typed
from articlebot.urls import typed_url

_MOST_JOBS = 1000  # of a page


def build_api() -> FastAPI:
    """The application; its ``state.console`` is to be set."""
    api = FastAPI(
        title="articlebot", version=__version__, docs_url=None, redoc_url=None, openapi_url="/openapi.json",
        description="Articles with their versions, jobs and the state of a crawl. Send `Authorization: Bearer TOKEN`; "
        + as_typed("`scrapy console tokens add NAME --role read|edit|admin` makes one."),
        dependencies=[Depends(HTTPBearer(auto_error=False)), Depends(only_known)],
        responses={code: {"description": said} for code, said in _SAID.items()},
    )  # fmt: skip
    api.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)  # half the time of 9, a tenth larger
    for path, answer, method, tag in (*api_articles.ROUTES, *_ROUTES):
        name = answer.__name__
        told: dict[str, Any] = {}
        if kinds := _MEDIA.get(name):
            content = {kind: {"schema": {"type": "object" if kind.endswith("+json") else "string"}} for kind in kinds}
            told = {"response_class": Response, "responses": {200: {"content": content}}}
        api.add_api_route(path, answer, methods=[method], tags=[tag], operation_id=name, **told)
    for error in (ArticlebotError, RedisError):
        api.add_exception_handler(error, _refused)
    api.add_exception_handler(405, _not_so)
    api.add_exception_handler(RequestValidationError, _wrong)
    return api


_SAID = {400: "It cannot be done; `detail` says why.", 401: "No token.", 403: "The token's role is not enough.",
         404: "There is no such thing.", 412: "It is another by now.", 429: "Too many requests by this token.",
         503: "A store is away."}  # fmt: skip
_STATUS: dict[type[Exception], int] = {UnknownError: 404, ChangedError: 412}


# What is answered otherwise than as JSON.
_MEDIA = {
    "export": ("application/x-ndjson", "text/csv"), "opml": ("text/x-opml",),
    "feed": ("application/atom+xml", "application/rss+xml", "application/feed+json"),
}  # fmt: skip


async def _refused(_request: Request, error: Exception) -> Response:
    away = isinstance(error, StoreUnavailable | StateError | RedisError)
    status = 503 if away else _STATUS.get(type(error), 400)
    return JSONResponse({"detail": as_typed(str(error))}, status)


async def _not_so(request: Request, _error: Exception) -> Response:
    return JSONResponse({"detail": "Method Not Allowed"}, 405, methods_of(request))


async def _wrong(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    # What was sent is not sent back: it may be no text, or no number.
    said = [{key: one[key] for key in ("type", "loc", "msg")} for one in error.errors()]
    return Response(json.dumps({"detail": said}), 422, media_type="application/json")


# -- the crawl


async def status(console: Asked) -> dict[str, Any]:
    """How the crawl is, as `scrapy status --json` says it; `warnings` is empty where all is well."""
    return await state_of(console.sources.runtime, LATE_S)


async def sites(console: Asked) -> list[Site]:
    """The sites with the most articles."""
    found = (await console.sources.facets.get())["site"]
    return [Site(site=name, articles=count) for name, count in found]


async def explain_url(console: Asked, url: Annotated[str, Query(max_length=4000)]) -> dict[str, Any]:
    """What is known of an address and why it stands where it stands, as `scrapy explain --json`."""
    book = console.sources.book
    return await explained(typed_url(url), console.sources.runtime, book if book.every else None)


async def jobs(
    console: Asked, request: Request, response: Response,
    limit: Annotated[int, Query(ge=1, le=_MOST_JOBS)] = 100,
    cursor: Annotated[str, Query(max_length=100, description="Name of the last job of the page before.")] = "",
) -> list[JobRow]:  # fmt: skip
    """Jobs by name; where there are more, the header `Link` has the address of the next page (`rel="next"`)."""
    every = console.sources.book.every
    names = sorted(every)
    first = bisect_right(names, cursor)
    shown = names[first : first + limit]
    response.headers["X-Total-Count"] = str(len(names))
    if first + limit < len(names):
        following = request.url.include_query_params(limit=limit, cursor=shown[-1])
        response.headers["Link"] = f'<{following.path}?{following.query}>; rel="next"'
    return await _jobs(console, [every[name] for name in shown])


async def job(console: Asked, name: Name) -> JobRow:
    """One job."""
    known = console.sources.book.get(name)
    if known is None:
        raise HTTPException(404, f"there is no job {name!r}")
    [row] = await _jobs(console, [known])
    return row


async def job_file(console: Asked, name: Name, response: Response) -> Block:
    """A job's block of its file; its ETag is for `If-Match` of a change."""
    folder = console.sources.folder
    if folder is None:
        raise HTTPException(404, "no job files are known: start the console with --jobs FOLDER")
    text = await asyncio.to_thread(folder.text, name)
    response.headers["ETag"] = f'"{mark(text)}"'
    return Block(toml=text)


async def add_job(console: Asked, who: Editor, new: NewJob) -> Done:
    """Follows a site by its address: a job of the job folder. Workers take it within seconds, and look at the site."""
    keys = {"backfill": new.backfill} if new.backfill else {}
    return Done.model_validate(await console.acts.add(who, new.site, new.name, **keys))


async def look_at(_who: Editor, wanted: Look) -> dict[str, Any]:
    """What a site offers, with three sample articles, as `scrapy doctor --json`; takes up to half a minute."""
    return await look(wanted.site)


async def edit_job(
    console: Asked, who: Editor, name: Name, block: Block,
    if_match: Annotated[str | None, Header(description="ETag of the block that this one was made of.")] = None,
) -> Done:  # fmt: skip
    """Gives a job another block, with the checks of a job file; with `If-Match` only where it is still that one."""
    was = None if if_match in (None, "*") else if_match.strip(' "')
    return Done.model_validate(await console.acts.edit(who, name, block.toml, was))


async def pause_job(console: Asked, who: Editor, name: Name, wanted: Pause) -> dict[str, Any]:
    """Holds a job back, or follows it again."""
    return await console.acts.pause(who, name, paused=wanted.paused)


async def remove_job(console: Asked, who: Editor, name: Name) -> Done:
    """Takes a job out of its file; its articles stay."""
    return Done.model_validate(await console.acts.remove(who, name))


async def visit_job(console: Asked, who: Editor, name: Name) -> list[dict[str, str]]:
    """Has the entry pages of a job visited at once."""
    return await console.acts.visit_job(who, name)


async def visit(console: Asked, who: Editor, wanted: Visits) -> list[dict[str, str]]:
    """Has pages visited at once, known or not, for the job that has their host."""
    return await console.acts.visit(who, wanted.urls)


async def quarantine(console: Asked) -> list[dict[str, Any]]:
    """Requests that failed too often, or with which workers died."""
    return await in_quarantine(await queues_of(console.sources.runtime.frontier))


async def requeue(console: Asked, who: Editor, wanted: Annotated[Requeue, Body()]) -> dict[str, int]:
    """Queues requests of the quarantine again."""
    return {"queued": await console.acts.requeue(who, wanted.ids)}


async def changes(console: Asked, limit: Annotated[int, Query(ge=1, le=1000)] = 100) -> list[Change]:
    """Who changed what, the newest first."""
    return [Change.model_validate(row) for row in await console.acts.changes.newest(limit)]


async def undo_change(
    console: Asked, who: Editor, identity: Annotated[str, Path(pattern=r"^\d{1,20}-\d{1,20}$")]
) -> Done:
    """Takes a change of a job file back, where the file was not changed since."""
    return Done.model_validate(await console.acts.undo(who, identity))


async def opml(console: Asked) -> Response:
    """The followed sites as OPML 2.0, with the feeds that they have."""
    return Response(write_opml(console.sources.book), media_type="text/x-opml")


async def import_opml(console: Asked, who: Editor, request: Request) -> dict[str, Any]:
    """Follows the sites of an OPML document, such as a feed reader exports; sites that are followed already stay."""
    return await console.acts.follow_opml(who, await request.body())


_ROUTES: tuple[Route, ...] = (
    ("/status", status, "GET", "crawl"),
    ("/sites", sites, "GET", "crawl"),
    ("/explain", explain_url, "GET", "crawl"),
    ("/jobs", jobs, "GET", "jobs"),
    ("/jobs", add_job, "POST", "jobs"),
    ("/look", look_at, "POST", "jobs"),
    ("/jobs/{name}", job, "GET", "jobs"),
    ("/jobs/{name}", pause_job, "PATCH", "jobs"),
    ("/jobs/{name}", remove_job, "DELETE", "jobs"),
    ("/jobs/{name}/file", job_file, "GET", "jobs"),
    ("/jobs/{name}/file", edit_job, "PUT", "jobs"),
    ("/jobs/{name}/visit", visit_job, "POST", "jobs"),
    ("/visit", visit, "POST", "crawl"),
    ("/quarantine", quarantine, "GET", "crawl"),
    ("/quarantine/requeue", requeue, "POST", "crawl"),
    ("/changes", changes, "GET", "changes"),
    ("/changes/{identity}/undo", undo_change, "POST", "changes"),
    ("/opml", opml, "GET", "jobs"),
    ("/opml", import_opml, "POST", "jobs"),
)


async def _jobs(console: Console, jobs: Iterable[Job]) -> list[JobRow]:
    runtime = console.sources.runtime
    pages = (await runtime.pages.counts(runtime.now())).by_job
    paused, failures = await runtime.pauses.all(), await runtime.looks.failures()
    return [
        JobRow.model_validate({
            "name": one.name, "enabled": one.enabled, "paused": one.name in paused, "site": one.site,
            "pages": pages.get(one.name, 0), "entry_pages": [url for url, _ in one.entry_urls],
            "problem": failures.get(one.name),
        })
        for one in jobs
    ]  # fmt: skip
