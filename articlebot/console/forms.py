"""What a form of the console sends."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from articlebot.console.view import Console
from articlebot.jobs.folder import MOST_CHARACTERS

_MOST_FIELDS = 20
# Bytes of the form of a page, where not a job's block in the file is sent; whole requests are bounded by `Access`.
_MOST = {"articles": 10_000, "opml": 5_000_000}


async def permitted(request: Request) -> dict[str, str] | Response:
    """The fields of a form of this console, from somebody who may change something; else the page that refuses it."""
    console, form = Console.of(request), await _fields(request)
    if not console.sessions.is_form(form.get("form_token", "")):
        return console.page(request, "message.html", 403, message="This form is not of this console.")
    if not request.state.who.may("edit"):
        return console.page(request, "message.html", 403, message="Your token may only read.")
    return form


async def _fields(request: Request) -> dict[str, str]:
    """The fields of a form; none where there are more, or longer ones, than any form of the console has."""
    # Starlette's own parser for these needs another package, and nothing but such forms is taken.
    body, most = b"", _MOST.get(request.url.path.split("/")[1], 3 * MOST_CHARACTERS)
    async for part in request.stream():
        body += part
        if len(body) > most:
            return {}
    try:
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        return {}
