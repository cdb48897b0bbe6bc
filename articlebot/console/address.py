"""One URL explained: what it is known as, who follows it, when it is visited, what came of it."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from articlebot.console.sources import Sources
from articlebot.console.view import Console
from articlebot.errors import ConfigError
from articlebot.frontier import slot_for
from articlebot.jobs.book import is_article
from articlebot.recrawl.visit import RETIRE_AFTER
from articlebot.runtime.explained import explain
from articlebot.urls import page_key, site, typed_url


async def address(request: Request) -> Response:
    """The form, and under it what is known of the URL that was asked for."""
    console = Console.of(request)
    asked = request.query_params.get("url", "").strip()[:4000]
    if not asked:
        return console.page(request, "address.html", asked="", refused="", found=None)
    try:
        url = typed_url(asked)
    except ConfigError as error:
        return console.page(request, "address.html", asked=asked, refused=str(error), found=None)
    return console.page(request, "address.html", asked=asked, refused="", found=await _found(console.sources, url))


async def _found(sources: Sources, url: str) -> dict[str, Any]:
    runtime, name = sources.runtime, site(url)
    known = await explain(url, runtime)
    slot, record = known.place.slot, known.record
    return {
        "url": url,
        "key": f"{page_key(url):016x}",
        "site": name,
        "host": slot_for(url).host,
        "slot": slot.slot if slot is not None else None,
        "why": known.why(runtime.now(), sources.book if sources.book.every else None),
        "known": known,
        "paused": record is not None and record.job in await runtime.pauses.all(),
        "parent": known.versions[-1]["parent_url"] if known.versions else None,
        "retire_after": RETIRE_AFTER,
        "wrapper": await asyncio.to_thread(sources.wrappers.current, name),
        "jobs": [
            {
                "name": job.name,
                "entry": any(url == entry for entry, _ in job.entry_urls),
                "takes": sources.book.takes(job, url),
                "article": is_article(job, url),
            }
            for job in sources.book.owners(url)
        ],
    }
