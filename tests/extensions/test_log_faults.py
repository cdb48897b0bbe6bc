"""What a log says of disks and of sites."""

from __future__ import annotations

import errno
import io
import logging

import pytest

from articlebot.extensions.log_faults import is_of_the_crawl, say_once


class _Full(io.StringIO):
    def flush(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_said_once_and_other_faults_as_before(capsys: pytest.CaptureFixture[str]) -> None:
    """Each line of the log printed two tracebacks."""
    handler = logging.StreamHandler(_Full())
    say_once(handler)
    for number in range(3):
        handler.handle(logging.makeLogRecord({"msg": "line %d", "args": (number,)}))
    assert capsys.readouterr().err == "articlebot: the log cannot be written: No space left on device\n"
    handler.handle(logging.makeLogRecord({"msg": "line %d", "args": ("x",)}))
    assert "Traceback" in capsys.readouterr().err


def test_a_site_s_certificate_is_no_error_of_the_crawl() -> None:
    """One that names no host was logged as CRITICAL, and the run ended with 1."""
    told = ("while verifying certificate\nTraceback", "Unhandled error in Deferred")
    assert [is_of_the_crawl(logging.makeLogRecord({"msg": text})) for text in told] == [False, True]
