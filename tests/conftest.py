"""Shared fixtures: a real Redis server per test session, and the corpus where there is one."""

from __future__ import annotations

import fcntl
import gc
import os
import signal
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from hypothesis import HealthCheck, settings

from articlebot.runtime.private_redis import PrivateRedis
from tests import forking

# Under nohup the crawls of the tests would be deaf to a terminal that closes; a handler is none of theirs.
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)
forking.install()
# Whether a machine has a Chromium must change nothing.
os.environ.setdefault("ARTICLEBOT_BROWSER_PAGES", "0")
# The first example loads dictionaries, and the machine may be busy: how long examples take says nothing. Here, since
# a test takes what holds when its module is read.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
ROOT = Path(__file__).resolve().parent.parent


# What takes a minute and more begins first: at the end it would run alone, with all other cores idle. Groups, the
# largest first, begin before all else by themselves.
# fmt: off
_LONG = (
    "tests/operations/test_replay.py", "tests/front_door/test_signals.py", "tests/front_door/test_wheels.py",
    "tests/front_door/test_follow.py", "tests/lab/soak", "tests/lab/simulation", "tests/operations/test_tutorial.py",
    "tests/front_door/test_workers.py", "tests/recrawl/test_store_stateful.py", "tests/test_expressions.py",
)
# fmt: on


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the longest tests first, and gives tests of a group their name as ``pytest-xdist`` wants it.

    Version 3.8 writes it where pytest 9.2 does not look: groups are spread, and each process makes what they share.
    """
    for item in items:
        if hasattr(item, "_id") and hasattr(item, "_nodeid"):
            item._id = type(item._id).parse(item._nodeid)
    items.sort(key=lambda item: not item.nodeid.startswith(_LONG))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Lets one process rewrite the assertions of all tests; the others wait, and read what it has written.

    What is there then stays to the end, and is no garbage: to look through it took half of the time of collections.
    """
    folder = os.open(Path(__file__).parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        fcntl.flock(folder, fcntl.LOCK_SH)
    try:
        return (yield)
    finally:
        os.close(folder)
        gc.collect()
        gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says in one line which tests this machine cannot run, and what it lacks for them."""
    files: dict[str, Counter[str]] = defaultdict(Counter)
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[-1] if isinstance(report.longrepr, tuple | list) else str(report.longrepr)
        files[reason.removeprefix("Skipped: ")][report.nodeid.split("::")[0]] += 1
    if files:
        said = (f"{reason} ({counts.total()} of {', '.join(sorted(counts))})" for reason, counts in files.items())
        terminalreporter.write_line(f"Tests skipped on this machine: {'; '.join(said)}")


@pytest.fixture(autouse=True)
def _no_command_is_left() -> Iterator[None]:
    """Ends what a test that failed has left running, or its end would be a fault of a later test."""
    before = forking.Forked.running()
    yield
    for process in forking.Forked.running() - before:
        with process:
            process.kill()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateRedis]:
    with PrivateRedis(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def redis_url(redis_server: PrivateRedis) -> str:
    """The URL of an empty database on a real server."""
    with redis.Redis.from_url(redis_server.url) as client:
        client.flushall()
    return redis_server.url


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of captured pages, traces and texts; the test is skipped where it is absent."""
    folder = Path(os.environ.get("ARTICLEBOT_CORPUS", ROOT.parent / "shared" / "corpus"))
    if not (folder / "README.md").is_file():
        pytest.skip(f"no corpus at {folder}; set ARTICLEBOT_CORPUS")
    return folder
