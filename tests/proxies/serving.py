"""Real proxies of all kinds and a site behind them, on loopback, one thread each."""

from __future__ import annotations

import base64
import http.client
import json
import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

PAGE = (
    "<html><head><title>News</title></head><body><p>"
    + "Nothing much happened in the town today. " * 20
    + "</p></body></html>"
)
WALL = "<html><head><title>Just a moment</title></head><body><p>Please complete the captcha.</p></body></html>"


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        # A proxy is another machine: it has another address than its clients and the sites.
        self.host = "127.0.0.2" if handler.__name__ == "Proxy" else "127.0.0.1"
        super().__init__((self.host, 0), handler)
        self.seen: list[tuple[str, dict[str, str]]] = []

    @property
    def address(self) -> str:
        return f"{self.host}:{self.server_port}"


class Quiet(BaseHTTPRequestHandler):
    server: Any

    def log_message(self, *_: Any) -> None:
        return

    def answer(self, status: int, body: bytes = b"", content_type: str = "text/html", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


class Waiting:
    """How many requests wait at the slow proxies of this process, and how many did at once."""

    lock, now, most = threading.Lock(), 0, 0

    @classmethod
    def sleep(cls, seconds: float) -> None:
        if not seconds:
            return
        with cls.lock:
            cls.now += 1
            cls.most = max(cls.most, cls.now)
        time.sleep(seconds)
        with cls.lock:
            cls.now -= 1


class Site(Quiet):
    """Any page; ``/status/N`` answers with N, ``/headers`` with what was asked, robots.txt is not there.

    ``/waited`` tells how many requests waited at slow proxies at once.
    """

    def do_GET(self) -> None:
        self.server.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        path = urlsplit(self.path).path
        if path == "/robots.txt":
            self.answer(404)
        elif path.startswith("/status/"):
            self.answer(int(path.rsplit("/", 1)[1]))
        elif path == "/waited":
            self.answer(200, str(Waiting.most).encode(), "text/plain")
        elif path == "/headers":
            shown = {"headers": dict(self.headers.items()), "origin": self.client_address[0]}
            self.answer(200, json.dumps(shown).encode(), "application/json")
        else:
            self.answer(200, PAGE.encode())


def proxy_handler(
    *, delay: float = 0.0, alter: Callable[[bytes], bytes] | None = None, leak: str = "", account: str = "",
    status: int | None = None, body: bytes = b"", works: Callable[[], bool] = lambda: True,
) -> type[Quiet]:  # fmt: skip
    """A forward proxy that is slow, alters pages, tells the client's address, asks for an account, or only answers."""

    class Proxy(Quiet):
        def do_GET(self) -> None:
            self.server.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            if not self._allowed():
                return
            Waiting.sleep(delay)
            if not works():
                self.close_connection = True
                self.connection.close()
                return
            if status is not None:
                self.answer(status, body)
                return
            parts = urlsplit(self.path)
            headers = {
                n: v
                for n, v in self.headers.items()
                if n.lower() not in ("proxy-authorization", "proxy-connection", "connection")
            }
            if leak:
                headers["X-Forwarded-For"] = leak
            connection = http.client.HTTPConnection(
                parts.hostname or "", parts.port or 80, timeout=300, source_address=("127.0.0.2", 0)
            )
            try:
                connection.request("GET", parts.path + (f"?{parts.query}" if parts.query else ""), headers=headers)
                answer = connection.getresponse()
                content = answer.read()
                if alter:
                    content = alter(content)
                self.answer(answer.status, content, answer.headers.get("Content-Type", "text/html"))
            except OSError:
                self.answer(502)
            finally:
                connection.close()

        def do_CONNECT(self) -> None:
            self.server.seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            if not self._allowed():
                return
            host, _, port = self.path.rpartition(":")
            with socket.create_connection((host, int(port)), timeout=300) as behind:
                self.send_response(200)
                self.end_headers()
                back = threading.Thread(target=_pour, args=(behind, self.connection), daemon=True)
                back.start()
                _pour(self.connection, behind)
                back.join(2)
            self.close_connection = True

        def _allowed(self) -> bool:
            wanted = "Basic " + base64.b64encode(account.encode()).decode()
            if account and self.headers.get("Proxy-Authorization") != wanted:
                self.answer(407, Proxy_Authenticate='Basic realm="p"')
                return False
            return True

    return Proxy


def _pour(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


@contextmanager
def serve(*handlers: type[BaseHTTPRequestHandler]) -> Iterator[list[Any]]:
    """Servers with these handlers."""
    over = threading.Event()
    with ExitStack() as stack:
        servers = [stack.enter_context(Server(handler)) for handler in handlers]
        thread = threading.Thread(target=_accept, args=(servers, over), daemon=True)
        thread.start()
        try:
            yield servers
        finally:
            over.set()
            thread.join()


def _accept(servers: list[Server], over: threading.Event) -> None:
    """One thread takes the connections of all: a hundred that each poll would leave no time to answer."""
    with selectors.DefaultSelector() as selector:
        for server in servers:
            selector.register(server, selectors.EVENT_READ)
        while not over.is_set():
            for key, _ in selector.select(0.2):
                key.fileobj._handle_request_noblock()  # type: ignore[union-attr]


@contextmanager
def hanging(count: int = 1) -> Iterator[list[str]]:
    """Addresses that take connections and never answer."""
    with ExitStack() as stack:
        places = []
        for _ in range(count):
            listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            places.append(f"127.0.0.1:{listener.getsockname()[1]}")
        yield places


@contextmanager
def dead(count: int = 1) -> Iterator[list[str]]:
    """Addresses that refuse at once, and that nobody else gets meanwhile: bound, and not listened at."""
    with ExitStack() as stack:
        places = []
        for _ in range(count):
            bound = stack.enter_context(socket.socket())
            bound.bind(("127.0.0.1", 0))
            places.append(f"127.0.0.1:{bound.getsockname()[1]}")
        yield places
