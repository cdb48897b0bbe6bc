"""Small files that are replaced as a whole."""

from __future__ import annotations

import os
from pathlib import Path


def replace(path: Path, content: str | bytes) -> None:
    """Writes a file in one step: a reader, or whoever comes after a crash, sees the old content or the new.

    Folders are made where missing. The content is not forced to the disk: a loss of power may bring the old file back.

    Raises:
        OSError: the folder cannot be written to.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Two processes that write the same file at once have a draft each.
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        draft.write_bytes(content.encode() if isinstance(content, str) else content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
