"""Correcting what is read: a person points at a field on a stored page, and keeps the selector that comes of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from articlebot.actions.teaching import digest_of
from articlebot.batch.teaching import FIELDS, Field
from articlebot.console.access import POLICY
from articlebot.console.acts import NO_FILES
from articlebot.console.forms import permitted
from articlebot.console.shown import FRAME_POLICY, Shown
from articlebot.console.view import Console
from articlebot.errors import ConfigError
from articlebot.extraction.wrapper.store import StoredPage
from articlebot.jobs.folder import mark
from articlebot.jobs.model import Job

# The page has a frame, which no other page of the console may have.
_WITH_FRAME = f"{POLICY}; frame-src 'self'"
_IN_FRAME = {"Content-Security-Policy": FRAME_POLICY, "X-Frame-Options": "SAMEORIGIN"}


@dataclass(frozen=True, slots=True)
class Asked:
    """Which page of which site is pointed at, and the job that is to read it otherwise."""

    site: str
    job: str
    url: str

    @classmethod
    def of(cls, given: object) -> Asked:
        """What a query or a form names."""
        assert hasattr(given, "get")
        return cls(*(str(given.get(name) or "").strip()[:4000] for name in ("site", "job", "url")))

    @property
    def query(self) -> str:
        """The same, for an address."""
        return urlencode({"site": self.site, "job": self.job, "url": self.url})


async def teach(request: Request) -> Response:
    """The stored page, and the form that says which of its elements is which field."""
    console = Console.of(request)
    if not request.state.who.may("edit"):
        return console.page(request, "message.html", 403, message="Your token may only read.")
    asked = Asked.of(request.query_params)
    pages = await asyncio.to_thread(console.sources.teaching.pages, asked.site, asked.url or None)
    return await _form(request, asked, pages)


async def taught(request: Request) -> Response:
    """Tries what was pointed at, or keeps it."""
    console, form = Console.of(request), await permitted(request)
    if isinstance(form, Response):
        return form
    asked = Asked.of(form)
    pages = await asyncio.to_thread(console.sources.teaching.pages, asked.site, asked.url or None)
    try:
        field, number = _pointed(form)
        was = mark(await console.acts.block(asked.job))
        await console.sources.follow_files()  # what is tried is what the file says now
        job = _job(console, asked.job)
        if not pages or digest_of(pages[0]) != form.get("digest"):
            raise ConfigError("the page was fetched anew since you opened it: point at it again")
        lesson = await asyncio.to_thread(console.sources.teaching.teach, job, asked.site, pages, field, number)
        if form.get("act") != "keep":
            return await _form(request, asked, pages, lesson=lesson, number=number, was=was)
        if lesson.refused is not None or lesson.selector != form.get("selector"):
            raise ConfigError("what the pages say has changed since you tried it: try it again")
        await console.acts.teach(request.state.who, job, field, lesson.selector, form.get("was", ""))
        if field in ("author", "date"):
            await console.sources.follow_files()
            await console.acts.correct(request.state.who, _job(console, asked.job), asked.site)
    except ConfigError as error:
        return console.refusal(request, error, f"/teach?{asked.query}")
    return RedirectResponse(f"/jobs/{quote(asked.job)}", 303)


async def frame(request: Request) -> Response:
    """The stored page alone, for the frame."""
    console, asked = Console.of(request), Asked.of(request.query_params)
    if not request.state.who.may("edit"):
        return HTMLResponse("", 403)
    pages = await asyncio.to_thread(console.sources.teaching.pages, asked.site, asked.url or None)
    shown = await asyncio.to_thread(_shown, pages[0]) if pages else Shown("", ())
    answer = console.page(request, "frame.html", shown=shown)
    answer.headers.update(_IN_FRAME)
    return answer


async def _form(request: Request, asked: Asked, pages: list[StoredPage], **tried: Any) -> Response:
    """The page to point at; with ``lesson``, ``number`` and ``was`` where something was tried."""
    console = Console.of(request)
    shown = await asyncio.to_thread(_shown, pages[0]) if pages else Shown("", ())
    said = {"lesson": None, "number": None, **tried}
    answer = console.page(
        request, "teach.html", asked=asked, pages=pages, shown=shown, fields=FIELDS, **said,
        digest=digest_of(pages[0]) if pages else "", with_file=console.sources.folder is not None,
    )  # fmt: skip
    answer.headers["Content-Security-Policy"] = _WITH_FRAME
    return answer


def _shown(page: StoredPage) -> Shown:
    return Shown.of(page.parse())


def _pointed(form: dict[str, str]) -> tuple[Field, int]:
    field = next((one for one in FIELDS if one == form.get("field")), None)
    number = form.get("n", "")
    if field is None or not number.isdecimal() or len(number) > 9:
        raise ConfigError("choose a field, and the element of the page where it stands")
    return field, int(number)


def _job(console: Console, name: str) -> Job:
    job = console.sources.book.get(name)
    if job is None:
        raise ConfigError(f"no job file has a job {name!r}" if console.sources.folder else NO_FILES)
    return job
