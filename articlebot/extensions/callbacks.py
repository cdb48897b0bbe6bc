"""The HTTP side of WebSub: callbacks with a bounded body, on the crawl's own reactor."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from redis.exceptions import RedisError
from twisted.web.http import Request as PlainRequest
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Request, Site

_IDLE_S = 30

Verify = Callable[[str, dict[str, str]], Awaitable[tuple[int, str]]]
Deliver = Callable[[str, str, bytes], Awaitable[int]]


def callbacks(verify: Verify, deliver: Deliver, most: int) -> Any:
    """A site that answers ``/websub/TOKEN``; whatever else is asked gets a 404.

    Args:
        verify: takes token and question, gives status and text.
        deliver: takes token, signature and body, gives a status.
        most: bytes of a body, beyond which the connection is cut.
    """
    root: Any = Resource()  # type: ignore[no-untyped-call]
    root.putChild(b"websub", _Callbacks(verify, deliver))
    make: Any = Site
    return make(root, requestFactory=type("Bounded", (_Bounded,), {"most": most}), timeout=_IDLE_S)


class _Callbacks(Resource):
    isLeaf = True  # noqa: N815 - Twisted's name

    def __init__(self, verify: Verify, deliver: Deliver) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._verify, self._deliver = verify, deliver
        self._tasks: set[asyncio.Future[None]] = set()

    def render_GET(self, request: Any) -> Any:  # noqa: N802 - Twisted's name
        question = {
            name.decode("latin-1"): values[0].decode("utf-8", "replace") for name, values in request.args.items()
        }
        return self._later(request, self._verify(_token(request), question))

    def render_POST(self, request: Any) -> Any:  # noqa: N802 - Twisted's name
        signature = request.getHeader("X-Hub-Signature") or ""
        return self._later(request, _silent(self._deliver(_token(request), signature, request.content.read())))

    def _later(self, request: Any, answer: Awaitable[tuple[int, str]]) -> Any:
        gone: list[bool] = []
        request.notifyFinish().addErrback(lambda _: gone.append(True))

        async def finish() -> None:
            try:
                status, text = await answer
            except RedisError:
                status, text = 503, ""
            if not gone:
                request.setResponseCode(status)
                request.setHeader(b"Content-Type", b"text/plain; charset=utf-8")
                request.write(text.encode())
                request.finish()

        task = asyncio.ensure_future(finish())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return NOT_DONE_YET


class _Bounded(Request):
    most = 0
    _size = 0

    def gotLength(self, length: int | None) -> None:  # noqa: N802 - Twisted's name
        super().gotLength(length)  # type: ignore[no-untyped-call]
        if length is not None and length > self.most:
            self._cut()

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802 - Twisted's name
        self._size += len(data)
        if self._size <= self.most:
            PlainRequest.handleContentChunk(self, data)  # type: ignore[no-untyped-call]
        else:
            self._cut()

    def _cut(self) -> None:
        transport: Any = self.transport
        transport.abortConnection()


async def _silent(status: Awaitable[int]) -> tuple[int, str]:
    return await status, ""


def _token(request: Any) -> str:
    return str(urlsplit(request.uri.decode("latin-1")).path.removeprefix("/websub/"))
