"""Small files that are replaced as a whole."""

from __future__ import annotations

import os
from pathlib import Path


def replace(path: Path, content: str | bytes, *, flush: bool = False) -> None:
    """Writes a file in one step: a reader, or whoever comes after a crash, sees the old content or the new.

    Folders are made where missing. Without ``flush`` the content is not forced to the disk: a loss of power may bring
    the old file back.

    Raises:
        OSError: the folder cannot be written to.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two processes that write the same file at once have a draft each.
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with draft.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            if flush:
                file.flush()
                os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
