"""The pages on which a person does something: jobs, the list of changes, the quarantine; and what failed of late."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from articlebot.console.api import quarantine as in_quarantine
from articlebot.console.forms import permitted
from articlebot.console.look import look
from articlebot.console.view import Console
from articlebot.errors import ConfigError, RefusedError
from articlebot.frontier.crawl_log import failed_since

Act = Callable[[Console, Request, dict[str, str]], Awaitable[str | Response]]
_HOUR_S, _MOST_FAILURES = 3600.0, 500
_ACTS = ("pause", "resume", "visit", "edit", "remove")


def by_form(one: Act, back: str = "") -> Callable[[Request], Awaitable[Response]]:
    """The page that does what a form asks for, and leads to where it shows; it says why where it cannot be done.

    Args:
        one: gives that address, or the page itself.
        back: where the form stands; "" where its own address shows it.
    """

    async def done(request: Request) -> Response:
        console = Console.of(request)
        form = await permitted(request)
        if isinstance(form, Response):
            return form
        try:
            shown = await one(console, request, form)
            return RedirectResponse(shown, 303) if isinstance(shown, str) else shown
        except (ConfigError, RefusedError) as error:
            return console.refusal(request, error, back or request.url.path, form.get("toml", ""))

    return done


async def to_jobs(_request: Request) -> Response:
    """Leads to the form: the switch of the language sends none."""
    return RedirectResponse("/jobs", 303)


@partial(by_form, back="/jobs")
async def propose(console: Console, request: Request, form: dict[str, str]) -> Response:
    """Looks at a site, and shows what following it would bring."""
    told = await look(form.get("site", "").strip())
    return console.page(request, "look.html", told=told, name=form.get("name", "").strip())


async def changes(request: Request) -> Response:
    """Who changed what."""
    console = Console.of(request)
    return console.page(request, "changes.html", rows=await console.acts.changes.newest(200))


async def quarantine(request: Request) -> Response:
    """Requests that failed too often."""
    console = Console.of(request)
    return console.page(request, "quarantine.html", rows=(await in_quarantine(console))[:500])


async def failures(request: Request) -> Response:
    """Downloads of the last hour that failed, in the crawl logs of this machine."""
    console = Console.of(request)
    logs, since = console.sources.data_dir / "logs", console.sources.runtime.now() - _HOUR_S
    rows = await asyncio.to_thread(failed_since, logs, since, _MOST_FAILURES)
    return console.page(request, "failures.html", rows=rows, most=_MOST_FAILURES)


@by_form
async def add(console: Console, request: Request, form: dict[str, str]) -> str:
    """Follows a site."""
    keys = {"backfill": form["backfill"]} if form.get("backfill") else {}
    site, name = form.get("site", "").strip(), form.get("name", "").strip()
    added = await console.acts.add(request.state.who, site, name or None, **keys)
    return f"/jobs/{quote(added['job'])}"


@partial(by_form, back="/jobs")
async def follow_opml(console: Console, request: Request, form: dict[str, str]) -> Response:
    """Follows the sites of a feed reader, and shows which those are."""
    told = await console.acts.follow_opml(request.state.who, form.get("opml", "").encode())
    return console.page(request, "opml.html", told=told)


@by_form
async def act(console: Console, request: Request, form: dict[str, str]) -> str:
    """Does something with one job."""
    who, name, wanted = request.state.who, request.path_params["name"], form.get("act", "")
    if wanted in ("pause", "resume"):
        await console.acts.pause(who, name, paused=wanted == "pause")
    elif wanted == "visit":
        await console.acts.visit_job(who, name)
    elif wanted == "edit":
        await console.acts.edit(who, name, form.get("toml", "").replace("\r\n", "\n"), form.get("was"))
    elif wanted == "remove":
        await console.acts.remove(who, name)
        return "/changes"
    else:
        raise ConfigError(f"expected one of {', '.join(_ACTS)}")
    return f"/jobs/{quote(name)}"


@by_form
async def undo(console: Console, request: Request, form: dict[str, str]) -> str:
    """Takes a change back."""
    await console.acts.undo(request.state.who, form.get("id", ""))
    return "/changes"


@by_form
async def requeue(console: Console, request: Request, form: dict[str, str]) -> str:
    """Queues requests again."""
    await console.acts.requeue(request.state.who, [form["id"]] if form.get("id") else None)
    return "/quarantine"
