"""The console's web application, served on a socket of this machine."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from importlib.resources import files

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from articlebot import classify
from articlebot.console.access import Access, Sessions
from articlebot.console.address import address
from articlebot.console.articles import article, articles, judge, say
from articlebot.console.jobs import job, jobs
from articlebot.console.overview import overview
from articlebot.console.sites import site, sites
from articlebot.console.sources import Sources
from articlebot.console.verdicts import Verdicts
from articlebot.console.view import Console, environment
from articlebot.errors import StateError, StoreUnavailable
from articlebot.jobs.book import JobBook
from articlebot.runtime import Runtime

_STATIC = {"console.css": "text/css", "console.js": "text/javascript"}
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def serve(runtime: Runtime, book: JobBook, *, port: int, announce: Callable[[str], None]) -> None:
    """Serves on a port (0: a free one) until the process is told to end; the runtime is closed then.

    Args:
        announce: is given the link.

    Raises:
        ArticlebotError: a store cannot be opened.
        OSError: the port is taken.
    """
    server, listener, link = prepare(runtime, book, port)
    with listener:
        announce(link)
        with suppress(KeyboardInterrupt):  # uvicorn has ended in good order and passes the signal on
            server.run(sockets=[listener])


def prepare(runtime: Runtime, book: JobBook, port: int) -> tuple[uvicorn.Server, socket.socket, str]:
    """The server, the socket that it is to be run on, and the link; raises as ``serve``."""
    section = runtime.config.console
    _ = runtime.clients.url, runtime.archive  # what fails is to fail before anybody sees a link
    listener = _listening(section.host, port)
    port = listener.getsockname()[1]
    sessions = Sessions(section.token.get_secret_value() if section.token else None, port)
    name = f"[{section.host}]" if ":" in section.host else section.host
    app = build(Sources(runtime, book), sessions, (*LOOPBACK, name.lower()))
    # Access logs would hold the token.
    options = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False)
    return uvicorn.Server(options), listener, f"http://{name}:{port}/?token={sessions.token}"


def _listening(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(64)
    except OSError:
        listener.close()
        raise
    return listener


def build(sources: Sources, sessions: Sessions, hosts: Sequence[str]) -> Access:
    """The application, guarded; it answers to the names ``hosts`` in the Host header, and closes the sources."""

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        warming = asyncio.ensure_future(sources.warm())
        yield
        warming.cancel()
        await sources.runtime.close()

    app = Starlette(
        routes=[
            Route("/", overview),
            Route("/jobs", jobs),
            Route("/jobs/{name}", job),
            Route("/sites", sites),
            Route("/sites/{name}", site),
            Route("/articles", articles),
            Route("/articles/{key}", article),
            Route("/articles/{key}/verdict", say, methods=["POST"]),
            Route("/judge", judge),
            Route("/url", address),
            Route("/static/{name}", static),
            Route("/favicon.ico", no_icon),
        ],
        exception_handlers={StoreUnavailable: _away, StateError: _away, HTTPException: _http},
        lifespan=lifespan,
    )
    model = sources.runtime.config.classify.model
    folder, now = sources.data_dir.resolve() / "console", sources.runtime.now
    verdicts = Verdicts(folder, lambda: classify.load(model).labels, now)
    app.state.console = Console(sources, sessions, environment(), verdicts)
    return Access(app, sessions, hosts)


async def static(request: Request) -> Response:
    """The style sheet or the script."""
    name = request.path_params["name"]
    if name not in _STATIC:
        raise HTTPException(404)
    text = files("articlebot.console").joinpath("static", name).read_bytes()
    return Response(text, media_type=_STATIC[name], headers={"Cache-Control": "private, max-age=300"})


async def no_icon(_request: Request) -> Response:
    """Nothing; browsers ask for it whatever the page says."""
    return Response(status_code=204)


def _away(request: Request, error: Exception) -> Response:
    return Console.of(request).page(
        request, "message.html", 503, message="A store cannot be read for now.", detail=str(error)
    )


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if request.url.path.startswith("/static/"):
        return PlainTextResponse(error.detail, error.status_code)
    message = {404: "There is no such page.", 405: "This page takes no such request."}.get(error.status_code)
    return Console.of(request).page(request, "message.html", error.status_code, message=message or error.detail)
