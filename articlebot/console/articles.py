"""Articles: searching, filtering, reading, comparing versions; and what a person says of them."""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any
from urllib.parse import urlencode

import nh3
from markupsafe import Markup
from redis.exceptions import RedisError
from sqlalchemy import Engine, select
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from articlebot.archive import Archive, Edit, Piece, Search, Selection, schema
from articlebot.archive.engine import reading
from articlebot.archive.record import signed
from articlebot.archive.search import CANDIDATES, DAY, Facets
from articlebot.console.access import POLICY
from articlebot.console.forms import permitted
from articlebot.console.view import Console, page_number
from articlebot.errors import RefusedError, reason

PAGE_SIZE = 20
_LAST_PAGE = 50
_FORM = ("q", "site", "category", "job", "language", "age", "sort", "after")
_KEY = re.compile(r"[0-9a-f]{16}")
_AGES = {"1h": 3600.0, "24h": 86400.0, "7d": 7 * 86400.0, "30d": 30 * 86400.0}
# No image, no style, no form: nothing that is loaded, and nothing that could pass for a part of the console.
_TAGS = frozenset(
    "p br h1 h2 h3 h4 h5 h6 ul ol li dl dt dd blockquote pre code em strong b i u s sub sup a table thead tbody tfoot "
    "tr th td caption figure figcaption hr".split()
)
_CLUSTER = 50
# Why a search cannot be made.
_REFUSED = {
    "query_empty": "it has no word to look for: beside -without and signs there must be one",
    "query_too_long": "it has more than 32 words",
}
_WITH_IMAGES = POLICY.replace("img-src 'self'", "img-src 'self' https: http:")


async def articles(request: Request) -> Response:
    """Search results, or all articles, newest first."""
    console = Console.of(request)
    sources, given = console.sources, request.query_params
    number = min(_LAST_PAGE, page_number(request))
    form = {name: given.get(name, "").strip()[:500] for name in _FORM}
    now, age = sources.runtime.now(), _AGES.get(form["age"])
    wanted = Search(
        words=form["q"], site=form["site"] or None, category=form["category"] or None, job=form["job"] or None,
        language=form["language"] or None, since=now - age if age else None,
        sort="newest" if form["sort"] == "newest" else "relevance",
        limit=PAGE_SIZE, offset=(number - 1) * PAGE_SIZE, after=form["after"] or None, count=True,
    )  # fmt: skip
    results, refused = None, ""
    try:
        results = await asyncio.to_thread(sources.runtime.archive.search, wanted, now)
    except RefusedError as error:
        refused = _REFUSED.get(error.reason, error.reason)
    read: set[str] = set()
    if results is not None:
        with suppress(RedisError):  # without the marks while Redis is away
            archived = {one.article["page_key"]: one.article["archived_at"] for one in results.found}
            read = await console.read_marks.read(request.state.who, archived)
    more = results is not None and number < _LAST_PAGE and (results.more or results.total > number * PAGE_SIZE)
    rest = results.rest if results is not None and not more else None
    answer = console.page(
        request, "articles.html", form=form, results=results, refused=refused, number=number, more=more,
        query=_query(form), older=_query({**form, "after": rest}) if rest else "",
        instead=_query({**form, "q": results.instead}) if results is not None and results.instead else "",
        feed=_query({name: form[name] for name in ("q", "site", "category", "job", "language")}),
        newest=_query({**form, "after": ""}) if form["after"] else None, ages=list(_AGES),
        facets=await sources.facets.get(), read=read, most=CANDIDATES,
        narrowing=_narrowing(form, results.facets if results else {}), images=sources.runtime.config.console.images,
    )  # fmt: skip
    if sources.runtime.config.console.images:
        answer.headers["Content-Security-Policy"] = _WITH_IMAGES
    return answer


def _narrowing(form: Mapping[str, str], found: Facets) -> dict[str, list[tuple[str, int, str, bool]]]:
    """Each facet's values, their numbers of articles, the queries that narrow to them, and whether they are chosen.

    The query of one that is chosen leads back. A day is a word of the search.
    """
    words = form["q"].split()

    def one(name: str, value: str, count: int) -> tuple[str, int, str, bool]:
        chosen = value in words if name == DAY else form[name] == value
        if name == DAY:
            to = {"q": " ".join([word for word in words if word != value] if chosen else [*words, value])}
        else:
            to = {name: "" if chosen else value}
        return value, count, _query({**form, "after": "", **to}), chosen

    shown = {name: [one(name, *pair) for pair in values] for name, values in found.items()}
    return {name: values for name, values in shown.items() if len(values) > 1 or any(chosen for *_, chosen in values)}


def _query(form: Mapping[str, str]) -> str:
    return urlencode({name: value for name, value in form.items() if value})


async def article(request: Request) -> Response:
    """One version of an article, what changed in it, and the others of its cluster."""
    console = Console.of(request)
    archive, key = console.sources.runtime.archive, _key(request)
    given = request.query_params.get("version", "")
    version = int(given[:9]) if given.isdecimal() else None
    other = request.query_params.get("against", "")
    against = int(other, 16) if _KEY.fullmatch(other) else None
    found = await asyncio.to_thread(read_version, archive, key, version, against)
    if found is None:
        return console.missing(request, "The archive has no such article or version.")
    verdicts = console.verdicts
    if version is None:
        with suppress(RedisError):
            await console.read_marks.note(request.state.who, found.row["page_key"], console.sources.runtime.now())
    return console.page(
        request, "article.html", found=found, row=found.row, labels=await asyncio.to_thread(verdicts.labels),
        said=await asyncio.to_thread(verdicts.said, found.row["page_key"]),
        noted=request.query_params.get("noted") == "1", is_side=request.query_params.get("view") == "side",
        other_view=_other_view(request),
    )  # fmt: skip


def _other_view(request: Request) -> str:
    """The query that shows a difference side by side, or in one text where it is side by side."""
    given = [(name, value) for name, value in request.query_params.multi_items() if name in ("version", "against")]
    return urlencode([*given, ("view", "one" if request.query_params.get("view") == "side" else "side")])


async def judge(request: Request) -> Response:
    """The newest articles with a relevance that nobody has judged."""
    console = Console.of(request)
    verdicts = console.verdicts
    rows = await asyncio.to_thread(verdicts.waiting, console.sources.runtime.archive.engine)
    return console.page(request, "judge.html", rows=rows, noted=request.query_params.get("noted") == "1")


async def say(request: Request) -> Response:
    """Takes a person's word on an article: its class, or whether it is relevant."""
    console = Console.of(request)
    form = await permitted(request)
    if isinstance(form, Response):
        return form
    verdicts, key = console.verdicts, _key(request)
    found = await asyncio.to_thread(read_version, console.sources.runtime.archive, key, None)
    if found is None:
        return console.missing(request, "The archive has no such article or version.")
    try:
        if "label" in form:
            await asyncio.to_thread(verdicts.correct, found.row, form["label"])
        else:
            await asyncio.to_thread(verdicts.judge, found.row, relevant=form.get("relevant", ""))
    except RefusedError as error:
        return console.page(request, "message.html", 400, message="This cannot be noted.", detail=error.detail)
    except OSError as error:
        return console.page(request, "message.html", 503, message="This cannot be noted.", detail=reason(error))
    back = "/judge" if form.get("back") == "judge" else f"/articles/{found.row['page_key']}"
    return RedirectResponse(f"{back}?noted=1", 303)


def _key(request: Request) -> int:
    text: str = request.path_params["key"]
    if not _KEY.fullmatch(text):
        raise HTTPException(404)
    return int(text, 16)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One version of an article.

    Attributes:
        row: exported row of the version.
        edit: the version against the one before, or against another article.
        against: exported row of that other article.
        versions: exported rows of all versions, oldest first.
        html: the text with its structure, made safe; only of the newest version, empty where it is not kept.
        cluster: rows of the other articles that say the same.
    """

    row: dict[str, Any]
    edit: Edit
    versions: list[dict[str, Any]]
    html: Markup
    cluster: list[dict[str, Any]]
    against: dict[str, Any] | None = None

    @property
    def paragraphs(self) -> list[list[Piece]]:
        """The pieces of the edit by paragraphs; a paragraph ends where both texts have an end of line."""
        rows: list[list[Piece]] = [[]]
        for piece in self.edit.pieces:
            first, *rest = piece.text.split("\n") if piece.op == "equal" else (piece.text,)
            rows[-1].append(Piece(piece.op, first))
            rows += [[Piece(piece.op, line)] for line in rest]
        return [row for row in rows if any(piece.text.strip() for piece in row)]


def read_version(archive: Archive, page_key: int, version: int | None, against: int | None = None) -> Reading | None:
    """A version of an article, the newest for None, compared with the one before or with the newest of another page.

    None where the archive does not have it.

    Raises:
        StoreUnavailable: the database is away.
    """
    rows = list(archive.articles(Selection(page_keys=[page_key]), versions=True))
    numbers = [row["version"] for row in rows]
    if not rows or (version is not None and version not in numbers):
        return None
    place = numbers.index(version) if version is not None else len(rows) - 1
    row = rows[place]
    other = next(archive.articles(Selection(page_keys=[against])), None) if against is not None else None
    return Reading(
        row=row,
        edit=Edit.between(other or (rows[place - 1] if place else None), row),
        against=other,
        versions=rows,
        html=_html(archive.engine, page_key) if place == len(rows) - 1 else Markup(""),
        cluster=_cluster(archive, rows[-1]),
    )


def clean(html: str) -> Markup:
    """HTML of a page with nothing in it that runs, loads or looks like something else."""
    attributes = {"a": {"href"}, "td": {"colspan", "rowspan"}, "th": {"colspan", "rowspan"}}
    safe = nh3.clean(
        html, tags=set(_TAGS), attributes=attributes, url_schemes={"http", "https"},
        link_rel="noopener noreferrer nofollow",
    )  # fmt: skip
    return Markup(safe)  # noqa: S704 - sanitised in the line before


def _html(engine: Engine, page_key: int) -> Markup:
    articles, texts = schema.articles.c, schema.texts.c
    query = (
        select(texts.html)
        .join_from(schema.articles, schema.texts, texts.id == articles.text_id)
        .where(articles.page_key == signed(page_key))
    )
    with reading(engine) as connection:
        packed = connection.execute(query).scalar()
    return clean(zlib.decompress(packed).decode()) if packed else Markup("")


def _cluster(archive: Archive, row: dict[str, Any]) -> list[dict[str, Any]]:
    if not row["cluster"] or row["cluster_role"] == "single":
        return []
    found = islice(archive.articles(Selection(cluster=row["cluster"])), _CLUSTER)
    return [one for one in found if one["page_key"] != row["page_key"]]
