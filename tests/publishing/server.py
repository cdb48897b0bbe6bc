"""A web server on loopback for the sinks that post: it keeps requests and answers as a test says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Posted:
    path: str
    headers: dict[str, str]
    body: bytes


Answer = Callable[[Posted], tuple[int, bytes]]


@dataclass
class Server:
    url: str
    posted: list[Posted] = field(default_factory=list)
    answer: Answer = lambda _posted: (200, b"{}")
    connections: int = 0
    headers: dict[str, str] = field(default_factory=dict)


@contextmanager
def serving() -> Iterator[Server]:
    """A server on a free port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            state.connections += 1
            super().setup()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            posted = Posted(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
            state.posted.append(posted)
            status, answer = state.answer(posted)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(answer)), **state.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_args: object) -> None:
            return

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            return  # a client that has given up

    server = Quiet(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state = Server(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
