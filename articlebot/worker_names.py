"""What workers are called, and by their names which of them have surely ended."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from pathlib import Path

from articlebot.files import is_running


def worker_name(chance: int) -> str:
    """A name that no other process has, and no later one: host, process number, and what tells these from others'.

    Args:
        chance: a random number of 24 bits.
    """
    return f"{socket.gethostname()}-{os.getpid()}-{_numbering()}{chance:06x}"


def ended(names: Iterable[str], own: str, *, of_one_machine: bool) -> list[str]:
    """Those of the workers that have surely ended.

    Args:
        own: the name of the one that asks.
        of_one_machine: all run on this machine; else only of those is known that count processes as the own one does.
    """
    host, numbering = own.rsplit("-", 2)[0], _numbering()

    def is_of_here(name: str) -> bool:
        return of_one_machine or (
            bool(numbering) and name.rsplit("-", 2)[0] == host and name.rsplit("-", maxsplit=1)[-1][:-6] == numbering
        )

    return [name for name in names if name != own and is_of_here(name) and not _is_alive(name)]


def _is_alive(worker: str) -> bool:
    number = worker.rsplit("-", 2)[1:2]
    return not number or not number[0].isdigit() or is_running(int(number[0]))


@cache
def _numbering() -> str:
    """8 hex digits that tell process numbers of here from those of another machine, container or start; "": unknown.

    Containers share host names and numbers. But the kernel names each of its starts, and each space of process numbers.
    The name of a space that is gone may come again; then its processes are gone too.
    """
    try:
        start = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        space = Path("/proc/self/ns/pid").readlink()
    except (OSError, UnicodeDecodeError):
        return ""
    return blake2b(f"{start} {space}".encode(), digest_size=4).hexdigest()
