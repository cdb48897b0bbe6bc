"""What all parts of the API share: who asks, of which console; and what is sent and answered of the crawl."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import Depends, HTTPException, Path, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field

from articlebot.console.view import Console
from articlebot.console.who import Who
from articlebot.jobs.values import Truth


class Sent(BaseModel):
    """What is sent to the console has these fields and no others."""

    model_config = ConfigDict(extra="forbid")


class Open(BaseModel):
    """What is sent has these fields, and may have more."""

    model_config = ConfigDict(extra="allow")


def _editor(request: Request) -> Who:
    found: Who = request.state.who
    if not found.may("edit"):
        raise HTTPException(403, f"this needs a token with the role edit; {found.name} has {found.role}")
    return found


def only_known(request: Request) -> None:
    """Refuses parameters that a route does not have: with a filter that is misspelt everything would be found."""
    known = {one.alias for one in request.scope["route"].dependant.query_params}
    if unknown := request.query_params.keys() - known:
        name = min(unknown)
        said = f"no such parameter; there are: {', '.join(sorted(known)) or 'none'}"
        raise RequestValidationError([{"type": "extra_forbidden", "loc": ("query", name), "msg": said, "input": None}])


Asked = Annotated[Console, Depends(Console.of)]
Editor = Annotated[Who, Depends(_editor)]
Name = Annotated[str, Path(max_length=100)]
# Path, what answers, method, and the heading in the description.
Route = tuple[str, Callable[..., Awaitable[Any]], str, str]


# -- what is sent and answered of the crawl and its jobs


class JobRow(Open):
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


class Change(Open):
    """Who changed what; of a job file its text before and after."""

    id: str
    at: float
    who: str
    did: str
    about: str


class Done(Open):
    """What was done to a job; `id` names the change, to undo it."""

    id: str
    job: str


class Look(Sent):
    """A site to look at."""

    site: str = Field(max_length=2000, description="Address of the site.")


class NewJob(Sent):
    """A site to follow."""

    site: str = Field(max_length=2000, description="Address of the site.")
    name: str | None = Field(None, max_length=100, description="Name of the job; made of the address if absent.")
    backfill: str | None = Field(None, max_length=20, description='"30d", "1000" or "all", as in a job file.')


class Block(Sent):
    """A job's block of its job file."""

    toml: str = Field(max_length=100_000)


class Pause(Sent):
    """Whether the job is held back."""

    paused: Truth


class Visits(Sent):
    """Addresses of pages."""

    urls: list[str] = Field(min_length=1, max_length=50)


class Requeue(Sent):
    """Requests of the quarantine."""

    ids: list[str] | None = Field(None, max_length=1000, description="Names of requests; absent: all.")
