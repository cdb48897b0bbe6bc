"""Starts the commands of tests from a process that has imported everything already.

An import of Scrapy and articlebot takes 1.3 to 1.6 s of CPU, a small command itself 0.05 s, and the suite types 700
commands. So ``python -m scrapy …`` is forked from one process for each worker of pytest (``tests/fork_server.py``).
It remains a process of its own, child of the test's, with its streams, folder and environment, and it is waited for
and killed like any other. The same goes for what these commands start, for processes of ``multiprocessing``, and for
the workers of pytest-xdist. What changes how Python itself starts (another executable, ``-c``, a ``PYTHON…`` variable,
a folder with an articlebot of its own) is started in the plain way, and so is everything with ``TESTS_FORK=0``.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import multiprocessing.popen_spawn_posix
import os
import re
import socket
import struct
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

LENGTH = struct.Struct("!I")
ROOT = Path(__file__).resolve().parent.parent
_MODULES = re.compile(r"scrapy|articlebot|articlebot_lab\..+|benchmarks\..+|tests\..+")
# As they were at the start: tests change them.
_EXECUTABLE, _ENVIRONMENT = sys.executable, dict(os.environ)
_PR_SET_CHILD_SUBREAPER = 36
PLAIN = subprocess.Popen
_LAUNCH, _SPAWN = multiprocessing.popen_spawn_posix.Popen._launch, multiprocessing.util.spawnv_passfds
_lock = threading.Lock()
_launched = threading.local()


def _starts_alike(env: Mapping[str, str]) -> bool:
    """Whether Python would find the same as here: its variables are equal, and no folder holds other modules."""

    def own(of: Mapping[str, str]) -> dict[str, str]:
        return {name: value for name, value in of.items() if name.startswith("PYTHON") and name != "PYTHONPATH"}

    def folders(of: Mapping[str, str]) -> set[str]:
        return {folder for folder in of.get("PYTHONPATH", "").split(os.pathsep) if folder}

    return own(env) == own(_ENVIRONMENT) and folders(env) - folders(_ENVIRONMENT) <= {str(ROOT)}


class _Server:
    """The process that forks, started at the first command."""

    def __init__(self) -> None:
        self.own: socket.socket | None = None
        self._libc = ctypes.CDLL(None, use_errno=True)

    def fork(self, order: dict[str, Any], streams: list[int]) -> int:
        """The id of the new process, a child of this one."""
        with _lock:
            server = self.own or self._start()
            body = json.dumps(order).encode()
            # What loses its parent is this process's child now, for as long as it takes.
            self._libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
            try:
                socket.send_fds(server, [LENGTH.pack(len(body))], streams)
                server.sendall(body)
                answer = server.recv(LENGTH.size)
            finally:
                self._libc.prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
            assert len(answer) == LENGTH.size, "tests/fork_server.py has ended"
            pid: int = LENGTH.unpack(answer)[0]
            return pid

    def _start(self) -> socket.socket:
        self.own, theirs = socket.socketpair()
        with theirs:
            process = PLAIN(
                [_EXECUTABLE, "-m", "tests.fork_server", str(theirs.fileno())],
                cwd=ROOT, env=_ENVIRONMENT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
            )  # fmt: skip
        atexit.register(self._stop, self.own, process)
        return self.own

    @staticmethod
    def _stop(own: socket.socket, process: subprocess.Popen[bytes]) -> None:
        own.close()
        process.wait()


class Forked(PLAIN):  # type: ignore[type-arg,misc]
    """``subprocess.Popen`` that forks what it can."""

    server = _Server()
    _all: weakref.WeakSet[Forked] = weakref.WeakSet()

    def _execute_child(
        self, args: Any, executable: Any, preexec_fn: Any, close_fds: bool, pass_fds: Any, cwd: Any, env: Any,
        startupinfo: Any, creationflags: Any, shell: bool, p2cread: int, p2cwrite: int, c2pread: int, c2pwrite: int,
        errread: int, errwrite: int, *rest: Any,
    ) -> None:  # fmt: skip
        restore_signals, gid, gids, uid, umask, start_new_session, *more = rest
        folder, variables = os.fspath(cwd or Path.cwd()), dict(os.environ if env is None else env)
        odd = executable or not close_fds or pass_fds or shell or not restore_signals
        odd = odd or (gid, gids, uid, umask) != (None, None, None, -1) or any(one != -1 for one in more)
        first = _first(preexec_fn)
        order = None if odd or (preexec_fn and not first) else _order(args, folder, variables)
        if order is None:
            super()._execute_child(
                args, executable, preexec_fn, close_fds, pass_fds, cwd, env, startupinfo, creationflags, shell,
                p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite, *rest,
            )  # fmt: skip
            return
        streams = [own if theirs == -1 else theirs for own, theirs in enumerate((p2cread, c2pwrite, errwrite))]
        self.pid = self.server.fork({**order, "session": start_new_session, "first": first}, streams)
        self._child_created = True
        self._all.add(self)
        self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)

    @classmethod
    def running(cls) -> set[Forked]:
        """Those that nobody has waited for."""
        return {process for process in cls._all if process.returncode is None}


def _first(function: Any) -> dict[str, Any] | None:
    """What the new process calls before all else, as JSON; None for what cannot be said so."""
    if not isinstance(function, partial) or function.keywords or "." in function.func.__qualname__:
        return None
    return {"module": function.func.__module__, "name": function.func.__name__, "arguments": list(function.args)}


def _order(args: Any, folder: str, env: dict[str, str]) -> dict[str, Any] | None:
    """What the server is asked for; None for what has to be started in the plain way."""
    if isinstance(args, str | bytes | os.PathLike) or not all(isinstance(arg, str) for arg in args):
        return None
    command: Sequence[str] = list(args)
    options = []
    while command[1:2] == ["-W"]:
        options += command[1:3]
        command = [command[0], *command[3:]]
    # A process of pytest-xdist. Coverage has to begin before a module is read.
    worker = command[:3] == [_EXECUTABLE, "-u", "-c"] and "execnet" in sys.modules and "--cov" not in sys.argv
    if not worker and (command[:2] != [_EXECUTABLE, "-m"] or not _MODULES.fullmatch(command[2])):
        return None
    if not _starts_alike(env) or not Path(folder).is_dir():
        return None
    if Path(folder, "articlebot").exists() and Path(folder).resolve() != ROOT:
        return None
    module, code, arguments = (None, command[3], command[4:]) if worker else (command[2], None, command[3:])
    return {
        "options": options, "module": module, "code": code, "arguments": arguments, "cwd": folder, "env": env,
        "numbers": [0, 1, 2], "starts": True,
    }  # fmt: skip


def _launch(self: Any, process: Any) -> None:
    """Starts a process of ``multiprocessing``: forked, but for a ``Trial``'s, which asks how long Python takes."""
    _launched.forked = getattr(process._target, "__module__", "") != "articlebot.runtime.trial"
    try:
        _LAUNCH(self, process)
    finally:
        _launched.forked = False


def _spawn(path: Any, args: Any, passed: Any) -> int:
    at = args.index("-c") if "-c" in args else 0
    if not at or not getattr(_launched, "forked", False):
        return _SPAWN(path, args, passed)
    numbers = [0, 1, 2, *sorted(map(int, passed))]
    order = {
        "options": [], "module": None, "code": args[at + 1], "arguments": args[at + 2 :], "cwd": str(Path.cwd()),
        "env": dict(os.environ), "numbers": numbers, "session": False, "first": None, "starts": False,
    }  # fmt: skip
    return Forked.server.fork(order, numbers)


def install(server: socket.socket | None = None) -> None:
    """Makes all of this process's commands start this way, on Linux; by a server that runs already, if there is one."""
    if sys.platform == "linux" and os.environ.get("TESTS_FORK") != "0":
        Forked.server.own = server or Forked.server.own
        subprocess.Popen = Forked  # type: ignore[misc]
        multiprocessing.popen_spawn_posix.Popen._launch = _launch
        multiprocessing.util.spawnv_passfds = _spawn
