"""Serves the town on loopback: a forward proxy for its own hosts, on one port."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import threading
import time
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from articlebot_lab.town.model import Reply, Site, split_url
from articlebot_lab.town.sites import SITES

OWN = "town.test"


@dataclass(frozen=True)
class Hit:
    """A request that came: monotonic seconds, host, path with query, status of the answer."""

    at: float
    host: str
    target: str
    status: int


class Town:
    """The sites, served while the ``with`` block runs.

    Args:
        names: of the sites to serve; all where empty.
        seed: decides every word.
        now: the town's present; the last whole hour where None.
        port: 0 takes a free one.

    Raises:
        ValueError: a name that no site has.
        OSError: the port is taken; where the block begins.
    """

    def __init__(self, *names: str, seed: int = 7, now: dt.datetime | None = None, port: int = 0) -> None:
        if unknown := set(names) - set(SITES):
            raise ValueError(f"no site is called {', '.join(sorted(unknown))}; there are {', '.join(SITES)}")
        at = (now or dt.datetime.now(dt.UTC)).replace(minute=0, second=0, microsecond=0)
        self.sites: dict[str, Site] = {name: SITES[name](seed, at) for name in names or SITES}
        self.hits: list[Hit] = []
        self.port = port
        self._server: ThreadingHTTPServer | None = None

    @property
    def proxy(self) -> str:
        """The address to give to a crawler as ``http_proxy``."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Town:
        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), _handler(self))
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def site_of(self, host: str) -> Site | None:
        """The site that a host belongs to."""
        return next((site for site in self.sites.values() if site.is_mine(host)), None)

    def hits_of(self, site: Site) -> list[Hit]:
        """The requests that came to a site's hosts."""
        return [hit for hit in self.hits if site.is_mine(hit.host)]

    def answer(self, target: str, headers: dict[str, str], sent: str = "") -> Reply:
        """The answer to a request, which is logged; ``sent`` is its body."""
        url = target if "://" in target else f"http://{headers.get('host', OWN)}{target}"
        request = split_url(url, headers, sent)
        if request.host in {OWN, "127.0.0.1"}:
            return self._own(request.path)
        site = self.site_of(request.host)
        reply = Reply("no such host in the town\n", 502, type="text/plain") if site is None else site.reply(request)
        self.hits.append(Hit(time.monotonic(), request.host, request.target, reply.status))
        return reply

    def _own(self, path: str) -> Reply:
        if path == "/truth.json":
            return _json(self.truth())
        if path == "/log.json":
            return _json([asdict(hit) for hit in self.hits])
        rows = "".join(f"<li><a href='{site.home}'>{site.home}</a> {site.build}</li>" for site in self.sites.values())
        return Reply(f"<!doctype html><title>town</title><h1>town</h1><ul>{rows}</ul>")

    def truth(self) -> dict[str, Any]:
        """Everything that is known of each site's stories."""
        return {
            site.name: {
                "home": site.home,
                "build": site.build,
                "language": site.language,
                "disallowed": site.disallowed,
                "stories": [
                    {
                        "url": site.url(story), "twins": site.twins(story), "title": story.title, "body": story.body,
                        "published_at": story.at.isoformat(), "author": story.author, "section": story.section,
                        "wanted": story.wanted, "why": story.why,
                    }
                    for story in site.stories
                ],
            }
            for site in self.sites.values()
        }  # fmt: skip


def _json(value: object) -> Reply:
    return Reply(json.dumps(value, ensure_ascii=False), type="application/json")


def _handler(town: Town) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer("")

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8", "replace"))

        def _answer(self, sent: str) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            with contextlib.suppress(ConnectionError):
                self._send(town.answer(self.path, headers, sent))

        def do_HEAD(self) -> None:
            self.do_GET()

        def _send(self, reply: Reply) -> None:
            body = reply.body.encode() if isinstance(reply.body, str) else reply.body
            self.send_response(reply.status)
            for name, value in {"Content-Type": reply.type, **reply.headers}.items():
                self.send_header(name, value)
            bodiless = reply.status == 304 or self.command == "HEAD"
            if reply.status != 304:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if not bodiless:
                self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler
