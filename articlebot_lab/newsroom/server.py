"""The newsroom's HTTP server: a forward proxy for its own hosts, and its own pages at ``newsroom.test``."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from articlebot_lab.newsroom import hostile, storms, truth
from articlebot_lab.newsroom.answers import Answer, Request, Sites, reason, text_answer
from articlebot_lab.newsroom.sites import DOMAIN
from articlebot_lab.newsroom.world import World, rng_for

logger = logging.getLogger(__name__)
_MAX_HEAD = 65536
_MAX_BODY = 1 << 20
_LOGGED = 100_000
_OWN = frozenset({DOMAIN, "127.0.0.1", "localhost"})


@dataclass(frozen=True, slots=True, eq=False)
class _Serving:
    reader: asyncio.StreamReader
    target: str
    at: float

    @property
    def gone(self) -> bool:
        """Whether the client has closed or cut the connection."""
        return self.reader.at_eof() or self.reader.exception() is not None


class Server:
    """Serves a world on a loopback port.

    Args:
        world: what is served.
        clock: the time in epoch seconds.
        hostile: also serve ``hostile.newsroom.test``.
        storms: sites hang, cut connections, answer 429, 503 or garbage for moments.
    """

    def __init__(
        self, world: World, clock: Callable[[], float], *, hostile: bool = False, storms: bool = False
    ) -> None:
        self.world = world
        self._hostile = hostile
        self._storms = storms
        self.requests = self.overlaps = 0
        self._busy: defaultdict[str, list[_Serving]] = defaultdict(list)
        self._overlapping: deque[str] = deque(maxlen=20)
        self._clock = clock
        self._sites = Sites(world, rng_for(world.seed, "requests"))
        self._log: deque[tuple[float, str, str, int]] = deque(maxlen=_LOGGED)
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    async def start(self, port: int = 0) -> int:
        """Listens on 127.0.0.1; returns the port.

        Raises:
            OSError: the port is taken.
        """
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", port, limit=_MAX_HEAD)
        return int(self._server.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Stops listening and drops what is open."""
        if self._server is not None:
            self._server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            while await self._serve_one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # the client went away or sent no HTTP: nobody to tell
        except asyncio.CancelledError:
            pass  # stop() was called
        finally:
            self._open.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        try:
            request, keep_alive = _parse(head)
            await _skip_body(reader, request)
        except ValueError as error:
            await _send(writer, text_answer(400, f"{error}\n"), False, False)
            return False
        if self._hostile and hostile.is_hostile(request.host) and request.method in ("GET", "HEAD"):
            with self._alone(request, reader):
                await self._harm(writer, request)
            return False
        with self._alone(request, reader):
            answer = await self._answer(request, writer)
            if answer is None:
                return False
            if answer.delay:
                await asyncio.sleep(answer.delay)
            await _send(writer, answer, keep_alive, request.method == "HEAD")
        return keep_alive

    @contextlib.contextmanager
    def _alone(self, request: Request, reader: asyncio.StreamReader) -> Iterator[None]:
        # A client that is gone is not in the way: whoever killed it took its request along.
        now, others = self._clock(), self._busy[request.host]
        before = next((other for other in others if not other.gone), None)
        if before is not None and request.host not in _OWN:
            self.overlaps += 1
            self._overlapping.append(f"{request.target} {now - before.at:.2f} s after {before.target}")
        serving = _Serving(reader, request.target, now)
        others.append(serving)
        try:
            yield
        finally:
            others.remove(serving)

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> Answer | None:
        now = self._clock()
        mood = storms.mood(self.world, request.host, now) if self._storms and request.host not in _OWN else None
        if mood is None:
            return self.answer(request)
        self.requests += 1
        answer = await storms.suffer(writer, mood)
        self._log.append((round(now, 3), request.host, request.target, 0 if answer is None else answer.status))
        return answer

    async def _harm(self, writer: asyncio.StreamWriter, request: Request) -> None:
        path = urlsplit(request.target).path
        self.requests += 1
        # Logged before the answer, and without its status: some answers have no end.
        self._log.append((round(self._clock(), 3), request.host, request.target, 0))
        await hostile.serve(writer, path, self._clock())

    def answer(self, request: Request) -> Answer:
        """The answer to a request at the present time, which is logged."""
        now = self._clock()
        if request.method == "CONNECT":
            answer = text_answer(501, "The newsroom has no TLS; use http:// addresses.\n")
        elif request.method not in ("GET", "HEAD", "POST"):
            answer = text_answer(405, "GET and HEAD only.\n")
        elif request.host in _OWN:
            return self._own(request, now)
        else:
            answer = self._sites.answer(request, now)
        self.requests += 1
        self._log.append((round(now, 3), request.host, request.target, answer.status))
        return answer

    def _own(self, request: Request, now: float) -> Answer:
        parts = urlsplit(request.target)
        everything = parse_qs(parts.query).get("all") == ["1"]
        if parts.path == "/truth.json":
            known = truth.truth(self.world, now, everything=everything)
            return _json(known | ({"hostile": hostile.truth(now)} if self._hostile else {}))
        if parts.path == "/jobs.toml":
            text = truth.job_file(self.world) + (f"\n{hostile.job()}" if self._hostile else "")
            return Answer(200, text.encode(), (("Content-Type", "application/toml; charset=utf-8"),))
        if parts.path == "/status.json":
            return _json(self._status(now))
        if parts.path == "/log.json":
            fields = ("at", "host", "path", "status")
            return _json([dict(zip(fields, entry, strict=True)) for entry in self._log])
        if parts.path == "/":
            return Answer(200, self._index().encode(), (("Content-Type", "text/html; charset=utf-8"),))
        return text_answer(404, "Here are /truth.json, /jobs.toml, /status.json and /log.json.\n")

    def _status(self, now: float) -> dict[str, object]:
        shown = [story for story in self.world.stories if story.visible_at <= now]
        return {
            "now": now,
            "elapsed": now - self.world.started_at,
            "seconds": self.world.seconds,
            "over": now >= self.world.ends_at,
            "sites": len(self.world.sites),
            "published": len(shown),
            "to_come": len(self.world.stories) - len(shown),
            "edits": sum(1 for story in shown for version in story.versions[1:] if version.at <= now),
            "deleted": sum(story.gone_at(now) for story in shown),
            "requests": self.requests,
            "overlaps": self.overlaps,
            "overlapping": list(self._overlapping),
        }

    def _index(self) -> str:
        hosts = "".join(
            f"<li><a href='http://{host}/'>{host}</a> {site.name}</li>"
            for site in self.world.sites
            for host in site.hosts
        )
        own = "".join(
            f"<li><a href='/{name}'>{name}</a></li>" for name in ("truth.json", "jobs.toml", "status.json", "log.json")
        )
        head = "<!DOCTYPE html><meta charset='utf-8'><title>newsroom</title><h1>newsroom</h1>"
        return f"{head}<ul>{own}</ul><ul>{hosts}</ul>"


def _json(value: object) -> Answer:
    return Answer(200, json.dumps(value, ensure_ascii=False).encode(), (("Content-Type", "application/json"),))


def _parse(head: bytes) -> tuple[Request, bool]:
    first, *rest = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise ValueError("expected a line such as: GET http://host/path HTTP/1.1")
    method, target, version = words
    headers: dict[str, str] = {}
    for line in rest:
        name, colon, value = line.partition(":")
        if colon:
            headers[name.strip().lower()] = value.strip()
    host = headers.get("host", "")
    if "://" in target:
        parts = urlsplit(target)
        host, target = parts.netloc, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection = headers.get("connection", headers.get("proxy-connection", "")).lower()
    keep_alive = "close" not in connection if version == "HTTP/1.1" else "keep-alive" in connection
    return Request(method, host.rpartition("@")[2].partition(":")[0].lower(), target, headers), keep_alive


async def _skip_body(reader: asyncio.StreamReader, request: Request) -> None:
    length = int(request.headers.get("content-length", "0"))
    if "transfer-encoding" in request.headers or not 0 <= length <= _MAX_BODY:
        raise ValueError("no request bodies here")
    await reader.readexactly(length)


async def _send(writer: asyncio.StreamWriter, answer: Answer, keep_alive: bool, head_only: bool) -> None:
    lines = [f"HTTP/1.1 {answer.status} {reason(answer.status)}", "Server: newsroom"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    bodiless = answer.status == 304
    if answer.chunked:
        lines.append("Transfer-Encoding: chunked")
    elif not bodiless:
        lines.append(f"Content-Length: {len(answer.body)}")
    lines.append(f"Connection: {'keep-alive' if keep_alive else 'close'}")
    writer.write("\r\n".join([*lines, "", ""]).encode("latin-1"))
    if not (head_only or bodiless):
        if answer.chunked:
            size = 4096
            for at in range(0, len(answer.body), size):
                part = answer.body[at : at + size]
                writer.write(b"%x\r\n%s\r\n" % (len(part), part))
            writer.write(b"0\r\n\r\n")
        else:
            writer.write(answer.body)
    await writer.drain()
