"""The errors articlebot raises on purpose.

::

    ArticlebotError
    ├── ConfigError          a setting or a job file is wrong; stops the start
    │   ├── JobFileError     names file, line, key and what was expected
    │   ├── ChangedError     what is to be changed is another by now
    │   └── UnknownError     what is named is not there: a job, a change, a saved search
    ├── StateError           stored state cannot be read (another version, damaged)
    │   └── MissingMethod    a stored request names a method that the spider does not have
    ├── StoreUnavailable     Redis or the database cannot be reached for now; try again
    ├── UnderWay             the same run holds its lock; try again later
    ├── WorkersLost          processes keep dying over a batch of work
    └── RefusedError         a page, link or document is not taken; carries the stat's name

A bad page is data and never raises out of a feature package; ``RefusedError`` is caught by the component
that counts it.
"""

from __future__ import annotations

import errno

from scrapy.exceptions import NotConfigured

# What the text of Scrapy's IgnoreRequest begins with where the request is queued again, unlike one that has failed.
PUT_OFF = "put off"
# And where nothing may be fetched until the host's robots.txt can be had.
ROBOTS_UNREACHABLE = "robots.txt cannot be had"


# What downloads end with, by the names of errors: Scrapy had Twisted's own before 2.15 and has its own ones since.
_FAULTS = {
    "timeout": ("DownloadTimeoutError", "TimeoutError", "TCPTimedOutError", "UserTimeoutError"),
    "dns": ("CannotResolveHostError", "DNSLookupError"),
    "refused_connection": ("DownloadConnectionRefusedError", "ConnectionRefusedError", "ConnectError", "NoRouteError"),
    "cut_off": ("ResponseDataLossError", "ResponseFailed", "ConnectionLost", "ConnectionDone", "PartialDownloadError"),
    "garbled_http": ("ParseError", "BadHeaders"),
}
FAULT_OF = {error: fault for fault, errors in _FAULTS.items() for error in errors}
_NO_MEMORY = "out of memory: raise `ulimit -v` (threads: `ulimit -u`), or give the machine more"
_NO_MORE = {
    errno.ENOMEM: _NO_MEMORY,
    errno.EMFILE: "too many open files: raise `ulimit -n` (of a service: LimitNOFILE)",
    errno.ENFILE: "too many open files on this machine",
}


class ArticlebotError(Exception):
    """Base of every error that articlebot raises on purpose."""


class ConfigError(ArticlebotError):
    """A setting is missing, out of range or of the wrong type."""


class ChangedError(ConfigError):
    """What somebody would change was changed since they read it."""


class UnknownError(ConfigError):
    """What somebody names is not there."""


class JobFileError(ConfigError):
    """A job file is wrong.

    Args:
        path: the file.
        line: 1-based line of the key, None where the file as a whole is meant.
        key: dotted key, such as ``site[2].delay``.
        expected: what would have been right.
    """

    def __init__(self, path: str, line: int | None, key: str | None, expected: str) -> None:
        self.path, self.line, self.key, self.expected = path, line, key, expected
        where = path if line is None else f"{path}:{line}"
        super().__init__(f"{where}: {key}: {expected}" if key else f"{where}: {expected}")


class StateError(ArticlebotError):
    """Stored state is damaged or was written by a version that cannot be read."""


class MissingMethod(StateError):
    """A stored request names a method that this worker's spider does not have; another worker's may.

    Args:
        field: ``c`` for the callback, ``e`` for the errback.
        method: its name.
        spider: the spider's name.
    """

    def __init__(self, field: str, method: str, spider: str) -> None:
        self.field, self.method = field, method
        super().__init__(f"the spider {spider!r} has no method {method!r}")


class StoreUnavailable(ArticlebotError):
    """Redis or the database cannot be reached for now; the caller may try again."""


class UnderWay(ArticlebotError):
    """The same run is under way in another process."""


class WorkersLost(ArticlebotError):
    """Processes keep dying over a batch of work, such as for want of memory."""


class RefusedError(ArticlebotError):
    """A page, link or document is refused.

    Args:
        reason: a short lower-case word list joined by ``_``, used as the stat's last part.
        detail: for the log line.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason, self.detail = reason, detail
        super().__init__(f"{reason}: {detail}" if detail else reason)


class Off(NotConfigured):
    """A component that is not switched on: Scrapy leaves it out without the warning it gives for a text of its own.

    Args:
        reason: names the setting that would switch it on.
    """

    def __init__(self, reason: str) -> None:
        super().__init__()
        self.args = ()  # what Scrapy looks at; BaseException has filled it
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


def reason(error: OSError) -> str:
    """What the system says of a file; "File exists" is what it says where a folder is to be made and a file is."""
    return "a file is there, and no folder" if isinstance(error, FileExistsError) else str(error.strerror)


def exhausted(error: BaseException | None) -> str | None:
    """What to change, where an error or its cause is for want of memory, threads or open files; None for any other.

    What fails then is no fault of what it was at.
    """
    if error is None:
        return None
    if isinstance(error, MemoryError) or str(error) == "can't start new thread":
        return _NO_MEMORY
    number = getattr(error, "osError", None) or getattr(error, "errno", None)  # the first is Twisted's
    return _NO_MORE.get(number) if number in _NO_MORE else exhausted(error.__cause__ or error.__context__)
