"""A process that has imported Scrapy and articlebot, and becomes a command when a test asks: see ``tests/forking.py``.

``python -m tests.fork_server FD`` serves the socket with that number until it is closed. For each order it forks
twice and ends the process between. So the new process is a child of the test's, as if the test had started it. A
command has a server of its own beside it, for the commands that it starts, and for the processes of its pools.
"""

from __future__ import annotations

import array
import atexit
import fcntl
import functools
import gc
import importlib
import json
import os
import pkgutil
import runpy
import signal
import socket
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

from tests import forking
from tests.forking import LENGTH

_MOST_STREAMS, _HIGH = 32, 256
_OWN_FILTER = warnings.filters[0]  # the first of Python's own
_PAGE = (
    b"<h1>A new bridge</h1>" + 9 * b"<p>The council of the harbour town has agreed on a new bridge after a debate.</p>"
)
# Scrapy imports all commands before it runs one.
PACKAGES = (
    "scrapy.commands", "articlebot_lab.commands", "articlebot.spiders", "articlebot.middlewares",
    "articlebot.pipelines", "articlebot.extensions", "articlebot.runtime", "articlebot.actions",
    "articlebot.commands", "articlebot.recrawl.policies",
)  # fmt: skip


def receive(sock: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """An order and its standard streams; None when the tests have ended."""
    start, controls, _, _ = sock.recvmsg(LENGTH.size, socket.CMSG_SPACE(_MOST_STREAMS * array.array("i").itemsize))
    if not start:
        return None
    streams = array.array("i")
    for _, _, data in controls:
        streams.frombytes(data)
    rest, body = LENGTH.unpack(start)[0], b""
    while rest:
        part = sock.recv(rest)
        body += part
        rest -= len(part)
    return json.loads(body), list(streams)


def fork(sock: socket.socket) -> bool:
    """Forks; True in the new process, False here after its id is told."""
    reading, writing = os.pipe()
    held, hold = os.pipe()
    between = os.fork()
    if between == 0:
        parent = os.getpid()
        new = os.fork()
        if new == 0:
            os.close(hold)
            os.read(held, 1)  # ends with the process between, which closes files before it hands on its children
            while os.getppid() == parent:
                time.sleep(0.001)
            return True
        os.write(writing, LENGTH.pack(new))
        os._exit(0)
    os.close(writing)
    os.close(held)
    os.waitpid(between, 0)
    os.close(hold)
    told = os.read(reading, LENGTH.size)
    os.close(reading)
    sock.sendall(told)
    return False


def become(order: dict[str, Any], streams: list[int], own: list[str]) -> None:
    """Makes this process what ``python -m`` would be: streams, session, folder, environment, path, warnings."""
    if order["session"]:
        os.setsid()
    if first := order["first"]:
        getattr(importlib.import_module(first["module"]), first["name"])(*first["arguments"])
    # As at a terminal, even where the tests run in the background; a command's own server ignores all of these.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    _place(streams, order["numbers"])
    # Anew: Python asks once whether a stream can be sought, and the one before may have been a file.
    sys.stdout = open(1, "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors, closefd=False)  # noqa: SIM115
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    time.tzset()
    tempfile.tempdir = None  # what TMPDIR said when this server was loaded
    further = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    sys.path[:] = [str(Path.cwd()), *dict.fromkeys(further), *own]
    # In place: modules that are imported already may hold these lists.
    what = ["-m", order["module"]] if order["code"] is None else ["-c", order["code"]]
    sys.orig_argv[:] = [sys.executable, *order["options"], *what, *order["arguments"]]
    sys.argv[:] = [order["module"] or "-c", *order["arguments"]]
    _warn(order["options"][1::2])


def _place(streams: list[int], numbers: list[int]) -> None:
    """Gives streams the numbers that they have where they come from, and closes all others."""
    high = [fcntl.fcntl(stream, fcntl.F_DUPFD_CLOEXEC, _HIGH) for stream in streams]
    os.closerange(3, _HIGH)
    for stream, number in zip(high, numbers, strict=True):
        os.dup2(stream, number)
    os.closerange(_HIGH, max(high) + 1)


def _warn(options: list[str]) -> None:
    """Takes ``-W`` options: what libraries filter goes before them, Python's own filters after, as at a start."""
    before = list(warnings.filters)
    sys.warnoptions += options
    warnings._processoptions(options)  # type: ignore[attr-defined]
    given = warnings.filters[: len(warnings.filters) - len(before)]
    place = before.index(_OWN_FILTER)
    warnings.filters[:] = before[:place] + given + before[place:]  # type: ignore[index]
    warnings._filters_mutated()  # type: ignore[attr-defined]


def load() -> None:
    """Imports what commands import, but no reactor, which each process chooses, and no settings."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    warnings.simplefilter("error")  # as in the tests, which find all of this imported
    strict = warnings.filters[0]
    importlib.import_module("scrapy.cmdline")
    for package in PACKAGES:
        path = importlib.import_module(package).__path__
        for module in pkgutil.iter_modules(path):
            importlib.import_module(f"{package}.{module.name}")
    default = importlib.import_module("scrapy.settings.default_settings")
    for setting in ("DOWNLOAD_HANDLERS", "DOWNLOADER_MIDDLEWARES", "EXTENSIONS", "SPIDER_MIDDLEWARES"):
        for parts in getattr(default, f"{setting}_BASE").items():
            path = next(part for part in parts if isinstance(part, str) and "." in part)
            importlib.import_module(path.rpartition(".")[0])
    for further in ("sqlalchemy.dialects.sqlite.aiosqlite", "numpy.ma", "multiprocessing.popen_spawn_posix"):
        importlib.import_module(further)
    importlib.import_module("articlebot_lab.newsroom.serve")
    del sys.modules["articlebot_lab.newsroom.serve"]  # it is run itself; what it imports is there
    # It reads the package's metadata for each connection, of which a crawl makes twenty: 2 ms.
    utils = importlib.import_module("redis.utils")
    utils.get_lib_version = functools.cache(utils.get_lib_version)  # type: ignore[attr-defined]
    # What is made once a process: models of languages, a dictionary, tables of characters and of words.
    importlib.import_module("articlebot.text.language").language("Kaupungin valtuusto päätti eilen uudesta sillasta")
    importlib.import_module("articlebot.classify").load(None)
    page = importlib.import_module("articlebot.page").Page.parse(_PAGE, "http://127.0.0.1/2026/11/20/bridge.html")
    importlib.import_module("articlebot.extraction.cascade").extract(page)
    assert "twisted.internet.reactor" not in sys.modules
    assert threading.active_count() == 1
    warnings.filters.remove(strict)  # type: ignore[attr-defined]
    warnings._filters_mutated()  # type: ignore[attr-defined]
    gc.collect()
    gc.freeze()


def main() -> dict[str, Any] | None:
    """The order that this process is to carry out; None when there are no more."""
    sock = socket.socket(fileno=int(sys.argv[1]))
    further = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    own = [folder for folder in sys.path[1:] if folder not in further]
    load()
    return serve(sock, own)


def serve(sock: socket.socket, own: list[str]) -> dict[str, Any] | None:
    """The order that this process is to carry out, forked for it; None when there are no more."""
    while received := receive(sock):
        order, streams = received
        if fork(sock):
            sock.detach()
            become(order, streams, own)
            return attend(order, own) if order["starts"] else order
        for stream in streams:
            os.close(stream)
    return None


def attend(order: dict[str, Any], own: list[str]) -> dict[str, Any] | None:
    """The order of this process, which has a server beside it now; there, the orders of its own processes."""
    ours, theirs = socket.socketpair()
    if os.fork():
        theirs.close()
        number = fcntl.fcntl(ours.fileno(), fcntl.F_DUPFD_CLOEXEC, _HIGH)
        ours.close()
        forking.install(socket.socket(fileno=number))
        return order
    ours.close()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # it ends with the command
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    os.close(null)
    if asked := serve(theirs, own):
        return asked
    os._exit(0)


def end(code: int) -> None:
    """Ends this process as Python does, but frees no modules: what the command itself made and lost is freed.

    To free them writes to all memory that is shared with the server, and copies it: 0.11 of 0.16 s of CPU of a small
    command.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    gc.collect()
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream and not stream.closed:
                stream.flush()
    except OSError:
        sys.exit(code)  # Python tries again, says what failed and has a code for it
    os._exit(code)


if __name__ == "__main__" and (order := main()):
    try:
        if order["code"] is None:
            runpy.run_module(order["module"], run_name="__main__", alter_sys=True)
        else:
            main = sys.modules["__main__"] = ModuleType("__main__")
            exec(order["code"], main.__dict__)
    except SystemExit as exited:
        if exited.code is not None and not isinstance(exited.code, int):
            raise
        end(int(exited.code or 0) & 0xFF)
    end(0)
