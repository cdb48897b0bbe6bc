"""A process that has no memory, thread or open file left is told from pages and hosts that fail."""

from __future__ import annotations

import errno
import logging
import socket
import subprocess
import sys
from traceback import format_exc

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError
from twisted.internet.error import ConnectBindError

from articlebot.errors import exhausted
from articlebot.extensions.exhausted import ExhaustedExtension
from articlebot.extraction import cascade
from articlebot.extraction.cascade import extract
from articlebot.frontier.scripts import passes
from articlebot.page import Page


def _from(error: Exception) -> Exception:
    try:
        try:
            raise error
        except Exception as before:
            raise RedisConnectionError("Error 24 connecting") from before
    except RedisConnectionError as made:
        return made


_FILES = OSError(errno.EMFILE, "Too many open files")


@pytest.mark.parametrize(
    "error",
    [MemoryError(), RuntimeError("can't start new thread"), OSError(errno.ENOMEM, ""), _FILES, _from(_FILES),
     ConnectBindError(errno.EMFILE, "Too many open files")],
)  # fmt: skip
def test_what_is_wanting_is_told(error: Exception) -> None:
    assert "raise `ulimit" in (exhausted(error) or "")
    assert not passes(error)  # as what is away would


@pytest.mark.parametrize(
    "error", [None, OSError(errno.ENOSPC, ""), RuntimeError("thread"), socket.gaierror(-2, ""), ConnectBindError()]
)
def test_what_fails_for_other_reasons_is_not(error: Exception | None) -> None:
    assert exhausted(error) is None


def test_a_page_is_not_refused_for_want_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(cascade, "_complete", fail)
    with pytest.raises(MemoryError):
        extract(Page.parse(b"<html><body><p>Text</p></body></html>", "https://a.example/"))


_FRUGAL = """
import resource
from tests.crawlers import crawler_with
from articlebot.extensions.exhausted import ExhaustedExtension
_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (100, most))
crawler = crawler_with({})
ExhaustedExtension(crawler)
from twisted.web.client import HTTPConnectionPool
given, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
print(given == min(most, 65536), HTTPConnectionPool(None).cachedConnectionTimeout)
"""


def test_a_worker_has_as_many_open_files_as_it_may_and_keeps_no_connection_long() -> None:
    done = subprocess.run([sys.executable, "-c", _FRUGAL], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout == "True 60\n", done.stderr


def test_no_traceback_is_logged_not_even_one_in_the_message() -> None:
    watch = ExhaustedExtension.__new__(ExhaustedExtension)
    logging.Handler.__init__(watch)
    watch.said = "known"
    try:
        raise _FILES
    except OSError:
        text = f"Error while reading start items: {_FILES}.\n{format_exc()}"
        record = logging.LogRecord("scrapy", logging.ERROR, "", 0, text, None, sys.exc_info())
    watch.emit(record)
    assert record.exc_info is None
    assert record.getMessage().startswith("Error while reading start items: [Errno 24] Too many open files.: too many")
    assert "Traceback" not in record.getMessage()
