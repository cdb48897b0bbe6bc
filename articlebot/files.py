"""Small files that are replaced as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
    """A file beside another, to be written; it takes the other's place where the block ends well, else it is gone."""
    # Two processes that write the same file at once have a draft each.
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield draft
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
