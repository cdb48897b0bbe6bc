"""A Redis server that can be killed and started again, and a proxy in front of it that can be cut."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from types import TracebackType

import redis

from articlebot.runtime.redis_binary import find_server


def free_port() -> int:
    """A loopback port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A Redis server on a loopback port with an append-only file flushed each second."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def __enter__(self) -> Server:
        self._folder.mkdir(parents=True, exist_ok=True)
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Starts it and waits until it answers."""
        command = [
            find_server(), "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self._folder), "--save", "",
            "--appendonly", "yes", "--appendfsync", "everysec", "--logfile", str(self._folder / "log"),
        ]  # fmt: skip
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        with redis.Redis.from_url(self.url, retry=None) as client:
            for _ in range(500):
                with contextlib.suppress(redis.RedisError):
                    if client.ping():
                        return
                time.sleep(0.02)
        raise RuntimeError("the Redis server does not come up")

    def freeze(self, seconds: float) -> None:
        """Does nothing for a while: SIGSTOP, then SIGCONT."""
        freeze(self._process, seconds)

    def kill(self) -> None:
        """kill -9."""
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait()


def freeze(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Stops a process for a while, so that it notices nothing."""
    os.kill(process.pid, signal.SIGSTOP)
    time.sleep(seconds)
    os.kill(process.pid, signal.SIGCONT)


class Proxy:
    """Passes bytes between a port of its own and a server, in a thread; while cut it swallows them."""

    def __init__(self, target: int) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._target = target
        self._open = asyncio.Event()
        self._delay = 0.0
        self._writers: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Proxy:
        ready = threading.Event()
        self._loop.call_soon(self._open.set)
        self._loop.create_task(self._listen(ready))
        self._thread.start()
        ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def cut(self, seconds: float) -> None:
        """Lets nothing through for a while, then drops the old connections."""
        self._loop.call_soon_threadsafe(self._open.clear)
        time.sleep(seconds)
        self._loop.call_soon_threadsafe(self._restore)

    def slow(self, delay: float, seconds: float) -> None:
        """Lets everything through later, for a while."""
        self._delay = delay
        time.sleep(seconds)
        self._delay = 0.0

    def _restore(self) -> None:
        for writer in self._writers:
            writer.close()
        self._open.set()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    async def _listen(self, ready: threading.Event) -> None:
        await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        ready.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._open.wait()
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.close()
            return
        self._writers |= {writer, back}
        await asyncio.gather(self._pass_on(reader, back), self._pass_on(there, writer))
        self._writers -= {writer, back}

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(65536):
                await self._open.wait()
                await asyncio.sleep(self._delay)
                writer.write(data)
                await writer.drain()
        writer.close()
