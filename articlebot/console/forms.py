"""What a form of the console sends."""

from __future__ import annotations

from urllib.parse import parse_qsl

from starlette.requests import Request

from articlebot.jobs.folder import MOST_CHARACTERS

_MOST_FIELDS = 20


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form; none where there are more, or longer ones, than any form of the console has."""
    # Starlette's own parser for these needs another package, and nothing but such short forms is taken.
    body, most = b"", 10_000 if request.url.path.startswith("/articles") else 3 * MOST_CHARACTERS
    async for part in request.stream():
        body += part
        if len(body) > most:
            return {}
    try:
        return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        return {}
