"""A process that has no memory, thread or open file left: what fails then is no fault of what it was at."""

from __future__ import annotations

import errno

_NO_MEMORY = "out of memory: raise `ulimit -v` (threads: `ulimit -u`), or give the machine more"
_NO_MORE = {
    errno.ENOMEM: _NO_MEMORY,
    errno.EMFILE: "too many open files: raise `ulimit -n`",
    errno.ENFILE: "too many open files on this machine",
}


def exhausted(error: BaseException | None) -> str | None:
    """What to change, where an error or what it came from is for want of these; None for any other."""
    if error is None:
        return None
    if isinstance(error, MemoryError) or str(error) == "can't start new thread":
        return _NO_MEMORY
    number = getattr(error, "osError", None) or getattr(error, "errno", None)  # the first is Twisted's
    return _NO_MORE.get(number) if number in _NO_MORE else exhausted(error.__cause__ or error.__context__)
