"""The console's web application, served on a socket of this machine."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from importlib.resources import files

import uvicorn
from redis.exceptions import RedisError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route

from articlebot import classify
from articlebot.console.access import Access, Sessions, methods_of
from articlebot.console.acts import Acts
from articlebot.console.address import address
from articlebot.console.api import build_api
from articlebot.console.articles import article, articles, judge, say
from articlebot.console.doing import (
    act,
    add,
    changes,
    failures,
    follow_opml,
    propose,
    quarantine,
    requeue,
    to_jobs,
    undo,
)
from articlebot.console.jobs import job, jobs
from articlebot.console.overview import overview
from articlebot.console.searches import save, searches
from articlebot.console.sites import site, sites
from articlebot.console.sources import Sources
from articlebot.console.teach import frame, taught, teach
from articlebot.console.verdicts import Verdicts
from articlebot.console.view import Console, environment
from articlebot.console.who import RedisChanges, RedisReadMarks, RedisTokens, Tokens
from articlebot.errors import StateError, StoreUnavailable

_STATIC = {
    "console.css": "text/css", "frame.css": "text/css", "console.js": "text/javascript", "teach.js": "text/javascript"
}  # fmt: skip
# How often job files are looked at, as workers do.
_FOLLOW_S = 5.0
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def serve(sources: Sources, *, port: int, announce: Callable[[str], None]) -> None:
    """Serves on a port (0: a free one) until the process is told to end; the sources' runtime is closed then.

    Args:
        announce: is given the link.

    Raises:
        ArticlebotError: a store cannot be opened.
        OSError: the port is taken.
    """
    server, listener, link = prepare(sources, port)
    with listener:
        announce(link)
        with suppress(KeyboardInterrupt):  # uvicorn has ended in good order and passes the signal on
            server.run(sockets=[listener])


def prepare(sources: Sources, port: int) -> tuple[uvicorn.Server, socket.socket, str]:
    """The server, the socket that it is to be run on, and the link; raises as ``serve``."""
    runtime = sources.runtime
    section = runtime.config.console
    _ = runtime.clients.url, runtime.archive  # what fails is to fail before anybody sees a link
    listener = _listening(section.host, port)
    port = listener.getsockname()[1]
    sessions = Sessions(section.token.get_secret_value() if section.token else None, port)
    name = f"[{section.host}]" if ":" in section.host else section.host
    app = build(sources, sessions, (*LOOPBACK, name.lower()))
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
        beside = [asyncio.ensure_future(one) for one in (sources.warm(), sources.follow_files(_FOLLOW_S))]
        yield
        for task in beside:
            task.cancel()
        await sources.close()

    api = build_api()
    app = Starlette(
        routes=[
            Route("/", overview),
            Route("/jobs", jobs),
            Route("/jobs", add, methods=["POST"]),
            Route("/look", to_jobs),
            Route("/look", propose, methods=["POST"]),
            Route("/opml", to_jobs),
            Route("/opml", follow_opml, methods=["POST"]),
            Route("/jobs/{name}", job),
            Route("/jobs/{name}", act, methods=["POST"]),
            Route("/changes", changes),
            Route("/changes", undo, methods=["POST"]),
            Route("/failures", failures),
            Route("/quarantine", quarantine),
            Route("/quarantine", requeue, methods=["POST"]),
            Route("/sites", sites),
            Route("/sites/{name}", site),
            Route("/articles", articles),
            Route("/articles/{key}", article),
            Route("/articles/{key}/verdict", say, methods=["POST"]),
            Route("/teach", teach),
            Route("/teach", taught, methods=["POST"]),
            Route("/teach/page", frame),
            Route("/searches", searches),
            Route("/searches", save, methods=["POST"]),
            Route("/judge", judge),
            Route("/url", address),
            Route("/static/{name}", static),
            Route("/favicon.ico", no_icon),
            Mount("/api/v1", api),
        ],
        exception_handlers={StoreUnavailable: _away, RedisError: _away, StateError: _away, HTTPException: _http},
        lifespan=lifespan,
    )
    runtime = sources.runtime
    prefix = runtime.config.general.key_prefix
    model = runtime.config.classify.model
    folder = sources.data_dir.resolve() / "console"
    verdicts = Verdicts(folder, lambda: classify.load(model).labels, runtime.now)
    acts = Acts(sources, RedisChanges(runtime.clients.of(), prefix))
    marks = RedisReadMarks(runtime.clients.of(), prefix)
    app.state.console = api.state.console = Console(sources, sessions, environment(), verdicts, acts, marks)
    return Access(app, sessions, Tokens(RedisTokens(runtime.clients.of(), prefix), runtime.now), hosts)


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
    answer = Console.of(request).page(request, "message.html", error.status_code, message=message or error.detail)
    if error.status_code == 405:
        answer.headers.update(methods_of(request))
    return answer
