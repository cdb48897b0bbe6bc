"""The part of the API about articles: search, versions, stories, export, feeds, and saved searches."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from dataclasses import asdict
from hashlib import blake2b
from itertools import islice
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import HTTPException, Path, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from articlebot.actions.archived import moment
from articlebot.actions.formats import TEXT
from articlebot.alerts.searches import SavedSearch
from articlebot.archive import Edit, Search, Selection
from articlebot.archive.edits import history
from articlebot.console.api_base import Asked, Editor, Name, Open, Route, Sent
from articlebot.console.view import Console
from articlebot.jobs.values import Truth
from articlebot.publishing.atom import atom, rss
from articlebot.publishing.sinks.feeds import item_of

_MOST_A_PAGE, _MOST_OF_A_FEED, _MOST_OF_A_STORY = 100, 100, 200
_NOT_A_KEY = "there is no such article: expected its page_key, 16 hexadecimal digits"
_EXPORTS = {"jsonl": "application/x-ndjson", "csv": "text/csv"}
_FORMS = {"atom": "application/atom+xml", "rss": "application/rss+xml", "json": "application/feed+json"}
Key = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$", description="The article's `page_key`.")]


class ArticleRow(Open):
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
    instead: str | None = Field(description="Where nothing was found: words like these that find something.")


class Versions(BaseModel):
    """Every version of an article against the one before, oldest first."""

    versions: list[dict[str, Any]]


class Wanted(Sent):
    """What a saved search looks for: words, or at least one of the others."""

    q: str = Field("", max_length=500, description="Words, as in `scrapy search`.")
    site: str | None = Field(None, max_length=200)
    category: str | None = Field(None, max_length=200)
    job: str | None = Field(None, max_length=200)
    language: str | None = Field(None, max_length=20)
    alert: Truth = Field(False, description="People are told of what it finds from then on.")


class Saved(Wanted):
    """A saved search."""

    name: str
    who: str
    at: float

    @classmethod
    def of(cls, search: SavedSearch) -> Saved:
        """The model of one."""
        kept = asdict(search)
        return cls(q=kept.pop("words"), **kept)


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
    offset, behind, after = _placed(cursor)
    now = console.sources.runtime.now()
    wanted = Search(
        words=q, site=site, category=category, job=job, language=language, since=since, sort=sort,
        limit=limit, offset=offset, behind=behind, after=after,
    )  # fmt: skip
    found = await asyncio.to_thread(console.sources.runtime.archive.search, wanted, now)
    rows = [
        {**one.article, "score": one.score, "snippet": one.snippet.text, "marks": list(one.snippet.marks)}
        for one in found.found
    ]
    going_on = found.end[0] and found.total > found.end[0]
    following = _cursor(*found.end, after) if going_on else _cursor(0, None, found.rest) if found.rest else None
    total = None if found.more or after else found.total
    return Found.model_validate({"articles": rows, "total": total, "next": following, "instead": found.instead})


async def article(console: Asked, key: Key, request: Request) -> Response:
    """An article in its newest version, with its text; its ETag changes with the answer."""
    rows = await _rows(console, Selection(page_keys=[int(key, 16)]))
    if not rows:
        raise HTTPException(404, _NOT_A_KEY)
    answer = JSONResponse(rows[0])
    answer.headers["ETag"] = tag = _mark(bytes(answer.body))
    return Response(status_code=304, headers={"ETag": tag}) if _has(request, tag) else answer


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
    console: Asked, *, q: Annotated[str, Query(max_length=500, description="Words, as in `scrapy search`.")] = "",
    site: str | None = None, category: str | None = None, job: str | None = None, language: str | None = None,
    since: Annotated[Moment | None, Query(description=f"Least time of archiving: {_MOMENTS}")] = None,
    format: Literal["jsonl", "csv"] = "jsonl",
) -> Response:  # fmt: skip
    """Articles with their texts, as JSON Lines or CSV of any length: the oldest first, with words the newest."""
    chosen = Selection(site=site, category=category, job=job, language=language, since=since)
    archive = console.sources.runtime.archive
    rows = archive.matching(q, chosen, console.sources.runtime.now()) if q.strip() else archive.articles(chosen)
    headers = {"Content-Disposition": f'attachment; filename="articles.{format}"'}
    return StreamingResponse(TEXT[format](rows), media_type=_EXPORTS[format], headers=headers)


async def feed(
    console: Asked, request: Request, form: Literal["atom", "rss", "json"], *,
    q: Annotated[str, Query(max_length=500)] = "", site: str | None = None, category: str | None = None,
    job: str | None = None, language: str | None = None, cluster: str | None = None,
    search: Annotated[str | None, Query(max_length=80, description="Name of a saved search.")] = None,
    limit: Annotated[int, Query(ge=1, le=_MOST_OF_A_FEED)] = 50,
    token: Annotated[str, Query(description="For a reader that cannot send a header.")] = "",
) -> Response:  # fmt: skip
    """Articles of a search, saved or not, a site, a category, a job or a story, with their texts: what is new or has
    changed last stands first.
    """
    if cluster:
        every = await _rows(console, Selection(cluster=cluster), limit=_MOST_OF_A_STORY)
        rows = sorted(every, key=lambda row: row["archived_at"], reverse=True)[:limit]
    else:
        saved = SavedSearch(name="", words=q, site=site, category=category, job=job, language=language)
        wanted = (await _saved(console, search) if search else saved).search(limit=limit)
        rows = await asyncio.to_thread(console.sources.runtime.archive.latest, wanted, console.sources.runtime.now())
    tag = _mark(" ".join([form, *(f"{row['page_key']}-{row['version']}" for row in rows)]).encode())
    if _has(request, tag):
        return Response(status_code=304, headers={"ETag": tag})
    items = [item_of(row) for row in rows]
    title = " · ".join(filter(None, ("articlebot", search, q, site, category, job, language, cluster)))
    if form == "atom":
        asked = urlencode([(name, value) for name, value in request.query_params.multi_items() if name != "token"])
        text = atom(f"urn:articlebot:search:{request.url.path}?{asked}", title, items, author="articlebot")
    elif form == "rss":
        text = rss(str(request.base_url), title, items)
    else:
        told = {"version": "https://jsonfeed.org/version/1.1", "title": title, "items": items}
        text = json.dumps(told, ensure_ascii=False).encode()
    return Response(text, media_type=_FORMS[form], headers={"ETag": tag})


async def searches(console: Asked) -> list[Saved]:
    """The saved searches; the feed of one is `/feed.atom?search=NAME`."""
    return [Saved.of(one) for one in await console.sources.runtime.searches.all()]


async def save_search(console: Asked, who: Editor, name: Name, wanted: Wanted) -> Saved:
    """Keeps a search under a name, in the place of one that has it."""
    kept = wanted.model_dump()
    saved = SavedSearch(name=name, words=kept.pop("q"), who=who.name, at=console.sources.runtime.now(), **kept)
    await console.acts.save_search(who, saved)
    return Saved.of(saved)


async def forget_search(console: Asked, who: Editor, name: Name) -> Saved:
    """Drops a saved search."""
    saved = await _saved(console, name)
    await console.acts.forget_search(who, name)
    return Saved.of(saved)


async def _saved(console: Console, name: str) -> SavedSearch:
    saved = await console.sources.runtime.searches.get(name)
    if saved is None:
        raise HTTPException(404, f"there is no saved search {name!r}")
    return saved


async def _rows(console: Console, chosen: Selection, limit: int = 1) -> list[dict[str, Any]]:
    """The articles of a selection, up to a limit."""
    return await asyncio.to_thread(lambda: list(islice(console.sources.runtime.archive.articles(chosen), limit)))


def _mark(held: bytes) -> str:
    """The ETag of what is answered. A weak one, as it is the same packed and unpacked."""
    return f'W/"{blake2b(held, digest_size=8).hexdigest()}"'


def _has(request: Request, tag: str) -> bool:
    return tag in request.headers.get("if-none-match", "")


def _cursor(offset: int, behind: int | None, after: str | None) -> str:
    return base64.urlsafe_b64encode(f"{offset}:{behind or ''}:{after or ''}".encode()).decode()


def _placed(cursor: str) -> tuple[int, int | None, str | None]:
    if not cursor:
        return 0, None, None
    try:
        offset, behind, after = base64.urlsafe_b64decode(cursor.encode()).decode().split(":")
        if not re.fullmatch(r"[0-9]{1,9}:[0-9]{0,18}", f"{offset}:{behind}"):
            raise ValueError(cursor)
        return int(offset), int(behind) if behind else None, after or None
    except ValueError:
        raise HTTPException(400, "cursor: expected `next` of the page before") from None


ROUTES: tuple[Route, ...] = (
    ("/articles", search_articles, "GET", "articles"),
    ("/articles/{key}", article, "GET", "articles"),
    ("/articles/{key}/versions", article_versions, "GET", "articles"),
    ("/stories/{cluster}", story, "GET", "articles"),
    ("/export", export, "GET", "articles"),
    ("/feed.{form}", feed, "GET", "articles"),
    ("/searches", searches, "GET", "searches"),
    ("/searches/{name}", save_search, "PUT", "searches"),
    ("/searches/{name}", forget_search, "DELETE", "searches"),
)
