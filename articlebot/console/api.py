"""The console's HTTP API, ``/api/v1``: what its pages show and do, as JSON for programs."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Annotated, Any, Literal

from fastapi import Body, Depends, FastAPI, Header, HTTPException, Path, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from fastapi.security import HTTPBearer
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from redis.exceptions import RedisError

from articlebot import __version__
from articlebot.actions.archived import moment
from articlebot.actions.explain import explained
from articlebot.actions.frontier import in_quarantine, queues_of
from articlebot.actions.status import LATE_S, state_of
from articlebot.archive import Edit, Search, Selection
from articlebot.archive.edits import history
from articlebot.console.opml import read_opml, write_opml
from articlebot.console.view import Console
from articlebot.console.who import Role, Who
from articlebot.errors import ArticlebotError, ConfigError, RefusedError, StateError, StoreUnavailable
from articlebot.jobs import Job
from articlebot.jobs.folder import UnknownJob, mark
from articlebot.publishing.atom import atom
from articlebot.publishing.sinks.feeds import item_of
from articlebot.urls import typed_url

_MOST_A_PAGE, _MOST_OF_A_FEED, _MOST_OF_A_STORY = 100, 100, 200
_NOT_A_KEY = "there is no such article: expected its page_key, 16 hexadecimal digits"


class _Open(BaseModel):
    """What is sent has these fields, and may have more."""

    model_config = ConfigDict(extra="allow")


class ArticleRow(_Open):
    """An article as `scrapy export` writes it; of a search without its body, and with the place that matches."""

    url: str
    page_key: str
    site: str
    job: str
    title: str
    version: int
    archived_at: float


class Found(BaseModel):
    """A page of a search."""

    articles: list[ArticleRow]
    total: int | None = Field(description="How many match; null where that is not known.")
    next: str | None = Field(description="The `cursor` of the next page, null at the end.")


class Versions(BaseModel):
    """Every version of an article against the one before, oldest first."""

    versions: list[dict[str, Any]]


class JobRow(_Open):
    """A job: its own keys, and how it stands."""

    name: str
    enabled: bool
    paused: bool
    pages: int
    entry_pages: list[str]
    problem: str | None = Field(description="Why nothing was found at its site, and what to do.")


class Site(BaseModel):
    """A site with its articles."""

    site: str
    articles: int


class Change(_Open):
    """Who changed what; of a job file its text before and after."""

    id: str
    at: float
    who: str
    did: str
    about: str


class Done(_Open):
    """What was done to a job; `id` names the change, to undo it."""

    id: str
    job: str


class NewJob(BaseModel):
    """A site to follow."""

    model_config = ConfigDict(extra="forbid")
    site: str = Field(max_length=2000, description="Address of the site.")
    name: str | None = Field(None, max_length=100, description="Name of the job; made of the address if absent.")
    backfill: str | None = Field(None, max_length=20, description='"30d", "1000" or "all", as in a job file.')


class Block(BaseModel):
    """A job's block of its job file."""

    model_config = ConfigDict(extra="forbid")
    toml: str = Field(max_length=100_000)


class Pause(BaseModel):
    """Whether the job is held back."""

    model_config = ConfigDict(extra="forbid")
    paused: bool


class Visits(BaseModel):
    """Addresses of pages."""

    model_config = ConfigDict(extra="forbid")
    urls: list[str] = Field(min_length=1, max_length=50)


class Requeue(BaseModel):
    """Requests of the quarantine."""

    model_config = ConfigDict(extra="forbid")
    ids: list[str] | None = Field(None, max_length=1000, description="Names of requests; absent: all.")


def _needs(role: Role) -> Callable[[Request], Who]:
    def who(request: Request) -> Who:
        found: Who = request.state.who
        if not found.may(role):
            raise HTTPException(403, f"this needs a token with the role {role}; {found.name} has {found.role}")
        return found

    return who


def _console(request: Request) -> Console:
    return Console.of(request)


Asked = Annotated[Console, Depends(_console)]
Editor = Annotated[Who, Depends(_needs("edit"))]
Admin = Annotated[Who, Depends(_needs("admin"))]
Key = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$", description="The article's `page_key`.")]
Name = Annotated[str, Path(max_length=100)]


def build_api() -> FastAPI:
    """The application; its ``state.console`` is to be set."""
    api = FastAPI(
        title="articlebot", version=__version__, docs_url=None, redoc_url=None, openapi_url="/openapi.json",
        description="Articles with their versions, jobs and the state of a crawl. Send `Authorization: Bearer TOKEN`; "
        "`scrapy console tokens add NAME --role read|edit|admin` makes one.",
        dependencies=[Depends(HTTPBearer(auto_error=False))],
        responses={code: {"description": said} for code, said in _SAID.items()},
    )  # fmt: skip
    for path, answer, method, tag in _ROUTES:
        api.add_api_route(path, answer, methods=[method], tags=[tag], operation_id=answer.__name__)
    for error in (ArticlebotError, RedisError):
        api.add_exception_handler(error, _refused)
    return api


_SAID = {400: "It cannot be done; `detail` says why.", 401: "No token.", 403: "The token's role is not enough.",
         404: "There is no such thing.", 429: "Too many requests by this token.", 503: "A store is away."}  # fmt: skip


async def _refused(_request: Request, error: Exception) -> Response:
    away = isinstance(error, StoreUnavailable | StateError | RedisError)
    status = 503 if away else 404 if isinstance(error, UnknownJob) else 400
    return JSONResponse({"detail": str(error)}, status)


# -- articles


def _moment(value: Any) -> Any:
    try:
        return float(value)
    except (TypeError, ValueError):
        return moment(str(value))


_MOMENTS = "a date, a date and time, an age such as 36h or 7d, or epoch seconds."
Moment = Annotated[float, BeforeValidator(_moment), WithJsonSchema({"type": "string"})]


async def search_articles(
    console: Asked,
    *,
    q: Annotated[str, Query(max_length=500, description="Words, as in `scrapy search`.")] = "",
    site: str | None = None,
    category: str | None = None,
    job: str | None = None,
    language: str | None = None,
    since: Annotated[Moment | None, Query(description=f"Least publication time: {_MOMENTS}")] = None,
    sort: Literal["relevance", "newest"] = "relevance",
    limit: Annotated[int, Query(ge=1, le=_MOST_A_PAGE)] = 20,
    cursor: Annotated[str, Query(max_length=200, description="`next` of the page before.")] = "",
) -> Found:
    """Articles that match, best first; without words all, newest first."""
    offset, after = _placed(cursor)
    options, now = console.sources.runtime.config.archive, console.sources.runtime.now()
    wanted = Search(
        words=q, site=site, category=category, job=job, language=language, since=since, sort=sort,
        freshness=options.search_freshness, half_life_s=options.search_half_life_days * 86_400,
        limit=limit, offset=offset, after=after,
    )  # fmt: skip
    found = await asyncio.to_thread(console.sources.runtime.archive.search, wanted, now)
    rows = [
        {**one.article, "score": one.score, "snippet": one.snippet.text, "marks": list(one.snippet.marks)}
        for one in found.found
    ]
    end = offset + limit
    following = _cursor(end, after) if found.total > end else _cursor(0, found.rest) if found.rest else None
    total = None if found.more or after else found.total
    return Found.model_validate({"articles": rows, "total": total, "next": following})


async def article(console: Asked, key: Key, request: Request) -> Response:
    """An article in its newest version, with its text; an ETag names the version."""
    rows = await _rows(console, Selection(page_key=int(key, 16)))
    if not rows:
        raise HTTPException(404, _NOT_A_KEY)
    tag = f'"{key}-{rows[0]["version"]}-{rows[0]["change"]}"'
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers={"ETag": tag})
    return JSONResponse(rows[0], headers={"ETag": tag})


async def article_versions(console: Asked, key: Key) -> Versions:
    """Every version of an article: what changed in its fields, and in its text word by word."""
    edits: list[Edit] = await asyncio.to_thread(history, console.sources.runtime.archive.engine, int(key, 16))
    if not edits:
        raise HTTPException(404, _NOT_A_KEY)
    return Versions(versions=[edit.to_dict() for edit in edits])


async def story(console: Asked, cluster: Annotated[str, Path(pattern=r"^\w{1,64}$")]) -> list[ArticleRow]:
    """The articles of one cluster: what says the same."""
    rows = await _rows(console, Selection(cluster=cluster), limit=_MOST_OF_A_STORY)
    if not rows:
        raise HTTPException(404, "there is no such story: expected an article's `cluster`")
    return [ArticleRow.model_validate(row) for row in rows]


async def export(
    console: Asked, site: str | None = None, category: str | None = None, job: str | None = None,
    since: Annotated[Moment | None, Query(description=f"Least time of archiving: {_MOMENTS}")] = None,
) -> Response:  # fmt: skip
    """Articles as JSON Lines, with their texts, the oldest first; a stream of any length."""
    chosen = Selection(site=site, category=category, job=job, since=since)
    rows = console.sources.runtime.archive.articles(chosen)
    return StreamingResponse(_lines(rows), media_type="application/x-ndjson")


async def feed(
    console: Asked, request: Request, form: Literal["atom", "json"], *,
    q: Annotated[str, Query(max_length=500)] = "", site: str | None = None, category: str | None = None,
    job: str | None = None, cluster: str | None = None, limit: Annotated[int, Query(ge=1, le=_MOST_OF_A_FEED)] = 50,
) -> Response:  # fmt: skip
    """The newest articles of a search, a site, a category, a job or a story, with their texts, for a feed reader.

    A reader that cannot send a header gives its token in the address: `?token=TOKEN`.
    """
    archive, now = console.sources.runtime.archive, console.sources.runtime.now()
    if cluster:
        rows = await _rows(console, Selection(cluster=cluster), limit=limit)
    else:
        wanted = Search(words=q, site=site, category=category, job=job, sort="newest", limit=limit)
        found = await asyncio.to_thread(archive.search, wanted, now)
        keys = [int(one.article["page_key"], 16) for one in found.found]
        rows = await _rows(console, *(Selection(page_key=key) for key in keys), limit=limit)
    items = [item_of(row) for row in rows]
    title = " · ".join(filter(None, ("articlebot", q, site, category, job, cluster)))
    if form == "atom":
        identity = f"urn:articlebot:search:{request.url.path}?{request.query_params.get('q', '')}"
        return Response(atom(identity, title, items, author="articlebot"), media_type="application/atom+xml")
    told = {"version": "https://jsonfeed.org/version/1.1", "title": title, "items": items}
    return Response(json.dumps(told, ensure_ascii=False), media_type="application/feed+json")


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


async def jobs(console: Asked) -> list[JobRow]:
    """All jobs."""
    return await _jobs(console, console.sources.book.every.values())


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


async def edit_job(
    console: Asked, who: Editor, name: Name, block: Block,
    if_match: Annotated[str | None, Header(description="ETag of the block that this one was made of.")] = None,
) -> Done:  # fmt: skip
    """Gives a job another block, with the checks of a job file; with `If-Match` only where it is still that one."""
    was = if_match.strip(' "') if if_match is not None else None
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
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _MOST_OPML:
            raise HTTPException(400, f"an OPML document of more than {_MOST_OPML:,} bytes")
    every = console.sources.book.every.values()
    followed = {url for one in every for url in (one.site, *one.addresses) if url}
    added, known, refused = [], [], {}
    for name, keys in read_opml(body).items():
        if followed & {keys["site"], *keys.get("feeds", ())}:
            known.append(name)
            continue
        try:
            added.append((await console.acts.add(who, name=name, **keys))["job"])
        except (ConfigError, RefusedError) as error:
            refused[name] = str(error)
    return {"added": added, "known": known, "refused": refused}


_MOST_OPML = 5_000_000
_ROUTES: tuple[tuple[str, Callable[..., Awaitable[Any]], str, str], ...] = (
    ("/articles", search_articles, "GET", "articles"),
    ("/articles/{key}", article, "GET", "articles"),
    ("/articles/{key}/versions", article_versions, "GET", "articles"),
    ("/stories/{cluster}", story, "GET", "articles"),
    ("/export", export, "GET", "articles"),
    ("/feed.{form}", feed, "GET", "articles"),
    ("/status", status, "GET", "crawl"),
    ("/sites", sites, "GET", "crawl"),
    ("/explain", explain_url, "GET", "crawl"),
    ("/jobs", jobs, "GET", "jobs"),
    ("/jobs", add_job, "POST", "jobs"),
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


async def _rows(console: Console, *chosen: Selection, limit: int = 1) -> list[dict[str, Any]]:
    """The articles of some selections, one after the other, up to a limit."""
    rows = chain.from_iterable(map(console.sources.runtime.archive.articles, chosen))
    return await asyncio.to_thread(lambda: list(islice(rows, limit)))


def _lines(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    for row in rows:
        yield json.dumps(row, ensure_ascii=False) + "\n"


def _cursor(offset: int, after: str | None) -> str:
    return base64.urlsafe_b64encode(f"{offset}:{after or ''}".encode()).decode()


def _placed(cursor: str) -> tuple[int, str | None]:
    if not cursor:
        return 0, None
    try:
        offset, _, after = base64.urlsafe_b64decode(cursor.encode()).decode().partition(":")
        if not offset.isdecimal() or len(offset) > 9:
            raise ValueError(offset)
        return int(offset), after or None
    except ValueError:
        raise HTTPException(400, "cursor: expected `next` of the page before") from None
