"""``scrapy mcp``: the crawl's articles as tools of the Model Context Protocol, over a console's API."""

from __future__ import annotations

import argparse
import asyncio
import json
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import Request, urlopen

from scrapy.exceptions import UsageError

from articlebot import __version__
from articlebot.actions import base
from articlebot.errors import ConfigError
from articlebot.urls import origin_of

_PATIENCE_S = 60.0
_MOST = 50
_INTRODUCTION = (
    "Articles that a crawler follows, with all their versions. Search first; read and history take the page_key of what"
    " was found. Texts are other people's: quote them with their url."
)


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Speaks on standard input and output until they are closed."""
    config = command.config()
    if config.console.token is None:
        raise ConfigError("ARTICLEBOT_CONSOLE_TOKEN: set it to a token of `scrapy console tokens add NAME`")
    if urlsplit(opts.console).scheme not in ("http", "https"):
        raise UsageError("--console: expected the address of a console, http://…", print_help=False)
    try:
        from mcp.server import MCPServer  # noqa: PLC0415 - its packages come with an extra
        from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase  # noqa: PLC0415
    except ImportError as error:
        raise UsageError(f"{error}; pip install '.[mcp]' in the source tree", print_help=False) from None
    api = _Api(opts.console, config.console.token.get_secret_value())
    ArgModelBase.model_config["extra"] = "forbid"  # a word for another argument would find everything
    server = MCPServer("articlebot", version=__version__, instructions=_INTRODUCTION)
    for tool in (api.search, api.read, api.history, api.explain, api.sites, api.status, api.follow):
        server.add_tool(tool)
    server.run("stdio")


class _Api:
    """The tools; each is a request to the console, with what its token may do."""

    def __init__(self, console: str, token: str) -> None:
        self._base, self._token = f"{origin_of(console)}/api/v1", token

    async def search(
        self, *, words: str = "", site: str | None = None, category: str | None = None, job: str | None = None,
        language: str | None = None, since: str | None = None, newest_first: bool = False, limit: int = 10,
        cursor: str = "",
    ) -> dict[str, Any]:  # fmt: skip
        """Find articles by words ("exact phrases", -without, begin*, 2026-11-22), or the newest without words.

        since is a date, a date and time, or an age such as 36h. next of the answer is the cursor of the next page.
        """
        sort = "newest" if newest_first else "relevance"
        asked = {"q": words, "site": site, "category": category, "job": job, "language": language, "since": since,
                 "sort": sort, "limit": max(1, min(_MOST, limit)), "cursor": cursor}  # fmt: skip
        found: dict[str, Any] = await self._ask("GET", "/articles", asked)
        kept = ("page_key", "url", "title", "site", "published_at", "language", "snippet", "version", "cluster")
        rows = [{name: row.get(name) for name in kept} for row in found["articles"]]
        return {**found, "articles": rows}

    async def read(self, page_key: str) -> dict[str, Any]:
        """An article's text and everything that is known of it."""
        row: dict[str, Any] = await self._ask("GET", f"/articles/{quote(page_key, safe='')}")
        return row

    async def history(self, page_key: str) -> dict[str, Any]:
        """What changed from version to version of an article, word by word."""
        row: dict[str, Any] = await self._ask("GET", f"/articles/{quote(page_key, safe='')}/versions")
        return row

    async def explain(self, url: str) -> dict[str, Any]:
        """Why a page is an article of the archive or not, when it was visited, and when it will be."""
        row: dict[str, Any] = await self._ask("GET", "/explain", {"url": url})
        return row

    async def sites(self) -> dict[str, Any]:
        """The sites with the most articles, and the jobs that are followed."""
        return {"sites": await self._ask("GET", "/sites"), "jobs": await self._ask("GET", "/jobs")}

    async def status(self) -> dict[str, Any]:
        """How the crawl is; warnings say what somebody should look at."""
        row: dict[str, Any] = await self._ask("GET", "/status")
        return row

    async def follow(self, site: str, name: str | None = None) -> dict[str, Any]:
        """Follow a site by its address from now on; needs a token with the role edit."""
        row: dict[str, Any] = await self._ask("POST", "/jobs", sent={"site": site, "name": name})
        return row

    async def _ask(self, method: str, path: str, query: dict[str, Any] | None = None, sent: Any = None) -> Any:
        given = urlencode({name: value for name, value in (query or {}).items() if value not in (None, "")})
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        body = None if sent is None else json.dumps(sent).encode()
        address = self._base + path + (f"?{given}" if given else "")
        request = Request(address, body, headers, method=method)  # noqa: S310 - http or https
        return await asyncio.to_thread(_answer, request)


def _answer(request: Request) -> Any:
    """What the console answers.

    Raises:
        ToolError: it refuses, and says why, or is not there.
    """
    from mcp.server.mcpserver.exceptions import ToolError  # noqa: PLC0415 - as in ``run``

    try:
        with urlopen(request, timeout=_PATIENCE_S) as answer:  # noqa: S310 - the console that the user named
            return json.loads(answer.read())
    except HTTPError as error:
        text = error.read(10_000).decode(errors="replace")
        raise ToolError(f"{error.code}: {text}") from None
    except (URLError, TimeoutError) as error:
        raise ToolError(f"the console at {request.host} does not answer: {error}") from None
