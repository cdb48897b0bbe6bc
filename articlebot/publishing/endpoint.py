"""A web address that sinks post to, over one kept connection."""

from __future__ import annotations

import base64
import http.client
import math
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from articlebot.errors import ConfigError
from articlebot.times import http_time, parse_retry_after

_MAX_ANSWER = 16 << 20


class Endpoint:
    """Posts bodies; follows no redirect and reads no proxy settings.

    Args:
        url: http or https; user and password in it become a basic Authorization header.
        timeout_s: for connecting, and for each whole answer.

    Raises:
        ConfigError: not such a URL.
    """

    def __init__(self, url: str, headers: Mapping[str, str] | None = None, timeout_s: float = 20.0) -> None:
        try:
            parts = urlsplit(url)
            self._host, self._port = parts.hostname or "", parts.port
        except ValueError as error:
            raise ConfigError(f"a sink's url: {error}") from None
        if parts.scheme not in ("http", "https") or not self._host:
            raise ConfigError("a sink's url must begin with http:// or https://")
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        self.path = parts.path or "/"
        if parts.query:
            self.path += f"?{parts.query}"
        self._headers = {"User-Agent": "articlebot", **(headers or {})}
        if parts.username is not None:
            login = f"{parts.username}:{parts.password or ''}".encode()
            self._headers["Authorization"] = "Basic " + base64.b64encode(login).decode()
        self._timeout_s, self.asks_s = timeout_s, 0.0  # and seconds for which the last answer asked to wait
        self._connection: http.client.HTTPConnection | None = None
        self._is_cut = False

    def post(self, body: bytes, headers: Mapping[str, str], path: str | None = None) -> tuple[int, bytes]:
        """Status and body of the answer.

        Raises:
            OSError: no connection, no answer in time, or not HTTP.
        """
        for attempt in (0, 1):
            kept = self._connection is not None
            try:
                return self._post(body, headers, path or self.path)
            except (http.client.HTTPException, OSError) as error:
                self.close()
                # A kept connection may have been closed meanwhile; that says nothing about the server.
                if kept and attempt == 0 and not isinstance(error, TimeoutError):
                    continue
                raise error if isinstance(error, OSError) else OSError(f"{type(error).__name__}: {error}") from error
        raise AssertionError("unreachable")

    def cut(self) -> None:
        """Lets what waits for its answer fail, and all that comes after it; for another thread."""
        self._is_cut = True
        if (connection := self._connection) is not None and connection.sock is not None:
            _cut(connection.sock)

    def close(self) -> None:
        """Closes the connection; the next post opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _post(self, body: bytes, headers: Mapping[str, str], path: str) -> tuple[int, bytes]:
        if self._is_cut:
            raise ConnectionAbortedError("the crawl ends")
        if self._connection is None:
            self._connection = self._connect()
        self._connection.request("POST", path, body, {**self._headers, **headers})
        with _within(self._timeout_s, self._connection.sock):
            answer = self._connection.getresponse()
            data = answer.read(_MAX_ANSWER)
        at = http_time(answer.getheader("Date"))  # a date is counted from the server's own
        self.asks_s = parse_retry_after(answer.getheader("Retry-After"), math.inf if at is None else at) or 0.0
        if answer.will_close or answer.length:
            self.close()
        return answer.status, data

    def _connect(self) -> http.client.HTTPConnection:
        if self._tls is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout_s)
        return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout_s, context=self._tls)


def _cut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def _within(seconds: float, connection: socket.socket) -> Iterator[None]:
    """Cuts a connection whose answer takes longer as a whole: its own timeout begins anew with each byte.

    Raises:
        TimeoutError: it was cut.
    """
    late = threading.Event()

    def cut() -> None:
        late.set()
        _cut(connection)

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (http.client.HTTPException, OSError):
        if not late.is_set():
            raise
    finally:
        timer.cancel()
    if late.is_set():
        raise TimeoutError("timed out")
