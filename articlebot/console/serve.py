"""Serving the console: a socket on this machine, and the link that opens it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress

import uvicorn

from articlebot.console.access import Sessions
from articlebot.console.app import LOOPBACK, build
from articlebot.console.sources import Sources
from articlebot.jobs.book import JobBook
from articlebot.runtime import Runtime


def serve(runtime: Runtime, book: JobBook, *, port: int, announce: Callable[[str], None]) -> None:
    """Serves until the process is told to end; the runtime is closed then.

    Args:
        runtime: configuration and stores.
        book: the jobs; may be empty.
        port: 0 for a free one.
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
    _ = runtime.redis_url, runtime.archive  # what fails is to fail before anybody sees a link
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
