"""A small site on loopback whose pages a test writes, and whose log it reads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_WORDS = (
    "the council of the harbour town has agreed on a new bridge after a debate that lasted until the evening and "
    "several members said that the costs remain uncertain while the work should begin in the spring"
).split()


@dataclass
class Reply:
    """What the site answers: a body of text or bytes, a status, headers, and seconds before it says anything."""

    body: str | bytes = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait_s: float = 0.0


Page = str | Reply | Callable[[], "str | Reply"]


@dataclass(frozen=True)
class Hit:
    """A request that came: when (monotonic), its path with query, and its headers."""

    at: float
    path: str
    headers: dict[str, str]


class SmallSite:
    """Serves ``pages`` (path to text, reply or function) until the block ends; what is not there is a 404.

    What is sent by POST stands behind the path: ``POST /list page=1``. What a script is answered, who asks for no page,
    stands behind ``AJAX``: ``AJAX /list?page=1``.
    """

    def __init__(self, pages: dict[str, Page] | None = None) -> None:
        self.pages: dict[str, Page] = {} if pages is None else pages
        self.hits: list[Hit] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                self._answer(f"POST {self.path} {body}")

            def do_GET(self) -> None:
                script = f"AJAX {self.path}"
                asks = "X-Requested-With" in self.headers or "text/html" not in self.headers.get("Accept", "")
                self._answer(script if asks and script in site.pages else self.path)

            def _answer(self, asked: str) -> None:
                site.hits.append(Hit(time.monotonic(), asked, dict(self.headers)))
                page = site.pages.get(asked, Reply("not here", 404))
                made = page() if callable(page) else page
                reply = made if isinstance(made, Reply) else Reply(made)
                time.sleep(reply.wait_s)
                body = reply.body.encode() if isinstance(reply.body, str) else reply.body
                headers = {"Content-Type": "text/html; charset=utf-8", **reply.headers}
                self.send_response(reply.status)
                for name, value in headers.items():
                    self.send_header(name, value)
                chunked = "Transfer-Encoding" in headers
                if not chunked and "Content-Length" not in headers:
                    self.send_header("Content-Length", str(len(body)))
                with suppress(ConnectionError):  # who asked has seen enough
                    self.end_headers()
                    self.wfile.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if chunked else body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> SmallSite:
        threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def hits_of(self, path: str) -> list[float]:
        """When a path was asked for."""
        return [hit.at for hit in self.hits if hit.path == path]


def article(title: str, *, paragraphs: int = 6, head: str = "", date: str = "2026-11-20T09:30:00+00:00") -> str:
    """A page with one article; each title has a text of its own."""
    seed = sum(map(ord, title))
    text = "".join(
        f"<p>{title}: {' '.join(_WORDS[(seed * (n + 3) + k * (n + 7)) % len(_WORDS)] for k in range(45))}.</p>"
        for n in range(paragraphs)
    )
    stated = f'<meta property="article:published_time" content="{date}">' if date else ""
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title>{stated}{head}</head><body>"
        f"<nav><a href='/'>Home</a></nav><article><h1>{title}</h1>{text}</article></body></html>"
    )


def front(titles: dict[str, str], *, head: str = "") -> str:
    """A list page with a link for each path."""
    rows = "".join(
        f"<li><h2><a href='{path}'>{title}</a></h2><p>{title}, in short.</p></li>" for path, title in titles.items()
    )
    return f"<!doctype html><html lang=en><head><title>News</title>{head}</head><body><ul>{rows}</ul></body></html>"


def news(count: int, *, prefix: str = "Report") -> dict[str, Page]:
    """The pages of a site with so many articles, all on its front page."""
    titles = {
        f"/2026/11/20/{prefix.lower()}-number-{n}.html": f"{prefix} number {n} from the harbour town"
        for n in range(count)
    }
    return {"/": front(titles), **{path: article(title) for path, title in titles.items()}}
