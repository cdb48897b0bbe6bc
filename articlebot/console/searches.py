"""Saved searches: what they find, their feeds, and whether people are told."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import Response

from articlebot.alerts.searches import SavedSearch
from articlebot.archive.index import FACETS
from articlebot.console.doing import by_form
from articlebot.console.view import Console
from articlebot.errors import ConfigError


async def searches(request: Request) -> Response:
    """The saved searches."""
    console = Console.of(request)
    saved = await console.sources.runtime.searches.all()
    alerts = console.sources.runtime.config.alerts
    rows = [
        {"one": one, "query": query_of(one), "feed": f"/api/v1/feed.{{}}?search={quote(one.name)}"} for one in saved
    ]
    return console.page(request, "searches.html", rows=rows, channel=bool(alerts.url or alerts.command))


def query_of(search: SavedSearch) -> str:
    """What follows /articles? to show what a search finds."""
    return urlencode({name: value for name, value in {"q": search.words, **search.facets}.items() if value})


@by_form
async def save(console: Console, request: Request, form: dict[str, str]) -> str:
    """Saves a search, or forgets one."""
    who, name = request.state.who, form.get("name", "").strip()
    if form.get("act") == "forget":
        await console.acts.forget_search(who, name)
    elif form.get("act") in ("alert", "silence"):
        await console.acts.alert(who, name, on=form["act"] == "alert")
    elif form.get("act") == "save":
        facets = {facet: form.get(facet, "").strip() or None for facet in FACETS}
        search = SavedSearch(
            name=name, words=form.get("q", "").strip()[:500], alert="alert" in form, who=who.name,
            at=console.sources.runtime.now(), **facets,
        )  # fmt: skip
        await console.acts.save_search(who, search)
    else:
        raise ConfigError("expected one of save, alert, silence, forget")
    return "/searches"
