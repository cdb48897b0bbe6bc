"""Small files that are replaced as a whole, the three that every process has open, and the processes that name them."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import resources
from pathlib import Path

from articlebot.errors import ConfigError


def lines_of(path: Path) -> list[str]:
    """The lines of a file that a person has written.

    Raises:
        OSError: it cannot be read.
        ConfigError: it is no text.
    """
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: expected UTF-8: {error.reason}") from None


def open_standard_streams() -> None:
    """Opens those of stdin, stdout and stderr that a shell has closed (``>&-``), on nothing.

    Else the next file has the number of one of them, and gets what a library or Python itself prints there.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
        if getattr(sys, name) is None:
            nothing = Path(os.devnull).open("w" if number else "r", encoding="utf-8")  # noqa: SIM115 - for good
            setattr(sys, name, nothing)


def is_running(pid: int) -> bool:
    """Whether this machine has a process of that number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def identity_of(path: Path) -> tuple[int, int] | None:
    """What tells a file or folder from another one that takes its place; None where there is none."""
    try:
        found = path.stat()
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            return None
        raise
    return found.st_dev, found.st_ino


def shipped(package: str, name: str) -> str:
    """The text of a file that lies in a package, such as ``shipped("articlebot.text", "data/zones.toml")``."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def replace(path: Path, content: str | bytes, *, flush: bool = False, public: bool = False) -> None:
    """Writes a file in one step: a reader, or whoever comes after a crash, sees the old content or the new.

    Folders are made where missing. With ``public`` everybody may read the file, as a web server's user has to, and a
    folder that is made for it. Without ``flush`` the content is not forced to the disk: a loss of power may bring
    the old file back.

    Raises:
        OSError: the folder cannot be written to.
    """
    if not path.parent.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        if public:
            path.parent.chmod(0o755)
    with draft_of(path) as draft:
        with draft.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            if flush:
                file.flush()
                os.fsync(file.fileno())
        if public:
            draft.chmod(0o644)


@contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """A file beside another, to be written; it takes the other's place where the block ends well, else it is gone.

    Who may read the other may read it, too, whatever this process gives its new files.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        yield path  # a pipe or a device, such as /dev/stdout: what is written there is on its way
        return
    path = path.resolve()  # what a link leads to is written, and the link stays
    # Two processes that write the same file at once have a draft each.
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield draft
        with suppress(FileNotFoundError, PermissionError):
            former, now = path.stat(), draft.stat()
            draft.chmod(stat.S_IMODE(former.st_mode | now.st_mode))
            os.chown(draft, former.st_uid, former.st_gid)
        draft.replace(path)
    except OSError as error:
        if error.filename == str(draft):
            error.filename = str(path)  # the one that was asked for
        raise
    finally:
        draft.unlink(missing_ok=True)
