"""A served world whose clock the test moves."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from articlebot_lab.newsroom import Server, World, build

START = 1_795_255_200.0  # 21 November 2026, 10:00 UTC


@dataclass
class Clock:
    now: float = START

    def __call__(self) -> float:
        return self.now


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    def text(self, encoding: str = "utf-8") -> str:
        body = gzip.decompress(self.body) if self.headers.get("content-encoding") == "gzip" else self.body
        return body.decode(encoding)


@dataclass
class Room:
    world: World
    clock: Clock
    server: Server
    port: int = 0

    async def get(self, url: str, method: str = "GET", **headers: str) -> Reply:
        """Asks through the proxy, on a connection of its own."""
        lines = [
            f"{method} {url} HTTP/1.1",
            *(f"{k.replace('_', '-')}: {v}" for k, v in headers.items()),
            "Connection: close",
        ]
        return parse(await self.raw(("\r\n".join(lines) + "\r\n\r\n").encode()), method)

    async def raw(self, request: bytes) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(request)
            return await reader.read()
        finally:
            writer.close()
            await writer.wait_closed()

    async def steady(self, url: str, **headers: str) -> Reply:
        """Like `get`, asking again while the site is unavailable."""
        for _ in range(20):
            reply = await self.get(url, **headers)
            if reply.status != 503:
                return reply
        raise AssertionError("always unavailable")


def parse(raw: bytes, method: str = "GET") -> Reply:
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    if headers.get("transfer-encoding") == "chunked" and method != "HEAD":
        parts = []
        while body:
            size, _, body = body.partition(b"\r\n")
            parts.append(body[: int(size, 16)])
            body = body[int(size, 16) + 2 :]
        body = b"".join(parts)
    return Reply(int(first.split(" ")[1]), headers, body)


@pytest.fixture(scope="session")
def world() -> World:
    return build(seed=7, seconds=60, sites=12, rate=1, started_at=START)


@pytest.fixture
async def room(world: World) -> AsyncIterator[Room]:
    clock = Clock()
    server = Server(world, clock, hostile=True)
    room = Room(world, clock, server, await server.start())
    yield room
    await server.stop()
