"""JSON Lines: a file that grows, flushed to disk at each batch, put aside and compressed at a size."""

from __future__ import annotations

import fcntl
import gzip
import itertools
import json
import logging
import os
import shutil
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from glob import escape
from pathlib import Path

from articlebot.errors import StoreUnavailable
from articlebot.publishing.sink import Event, Refusal

logger = logging.getLogger(__name__)

# What may come again is the batch that was under way when a process died; this is many of them.
_REMEMBERED = 5000


class JsonLines:
    """Appends a line per version; after a crash a version that is in the file already is not written again.

    Files of ``max_bytes`` are put beside it as ``<stem>-<time>.jsonl``, compressed as ``.gz``.
    """

    def __init__(self, path: Path, *, max_bytes: int = 64 << 20, compress: bool = True) -> None:
        self._path, self._max_bytes, self._compress = path, max_bytes, compress
        self._left: tuple[int, int] | None = None  # inode and size as this process left the file
        self._recent: deque[str] = deque(maxlen=_REMEMBERED)
        self._known: set[str] = set()

    def deliver(self, events: Sequence[Event]) -> Iterable[Refusal]:
        """Appends the events that the file does not hold.

        Raises:
            OSError: the disk is full or the folder cannot be written; the file is as before.
            StoreUnavailable: another process is writing the file.
        """
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._locked():
            self._catch_up()
            fresh = [event for event in events if event.key not in self._known]
            if fresh:
                lines = (json.dumps(event.article, ensure_ascii=False, separators=(",", ":")) for event in fresh)
                self._append("".join(f"{line}\n" for line in lines).encode())
                self._remember(event.key for event in fresh)
            if fresh and self._path.stat().st_size >= self._max_bytes:
                self._put_aside(float(fresh[-1].article["archived_at"]))
        return ()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self._path.with_name(f".{self._path.name}.lock").open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StoreUnavailable(f"another process is writing {self._path}") from None
            yield

    def _append(self, data: bytes) -> None:
        created = not self._path.exists()
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            before = os.fstat(descriptor).st_size
            try:
                view = memoryview(data)
                while view:
                    view = view[os.write(descriptor, view) :]
                os.fsync(descriptor)
            except OSError:
                os.ftruncate(descriptor, before)
                raise
            state = os.fstat(descriptor)
            self._left = state.st_ino, state.st_size
        finally:
            os.close(descriptor)
        if created:
            _sync_folder(self._path.parent)

    def _catch_up(self) -> None:
        """Reads the end of the file where another process, or this one before it was killed, has written it."""
        try:
            state = self._path.stat()
        except FileNotFoundError:
            state = None
        if self._left is not None and state is not None and self._left == (state.st_ino, state.st_size):
            return
        self._finish_putting_aside()
        self._recent.clear()
        if state is not None:
            _cut_torn_line(self._path)
            _drop_holes(self._path)
            self._recent.extend(_keys(self._path))
        if len(self._recent) < _REMEMBERED and (aside := self._aside()):
            current = list(self._recent)
            self._recent = deque(_keys(aside[-1]), maxlen=_REMEMBERED)
            self._recent.extend(current)
        self._known = set(self._recent)

    def _remember(self, keys: Iterable[str]) -> None:
        self._recent.extend(keys)
        if len(self._recent) == _REMEMBERED:
            self._known = set(self._recent)
        else:
            self._known.update(self._recent)

    def _aside(self) -> list[Path]:
        stem, suffix = escape(self._path.stem), escape(self._path.suffix)
        return sorted(self._path.parent.glob(f"{stem}-????????T??????-*" + (f"{suffix}*" if suffix else "")))

    def _put_aside(self, at: float) -> None:
        stamp = datetime.fromtimestamp(at, UTC).strftime("%Y%m%dT%H%M%S")
        taken = {path.name.removesuffix(".gz") for path in self._aside()}
        names = (f"{self._path.stem}-{stamp}-{number:05d}{self._path.suffix}" for number in itertools.count(1))
        target = self._path.with_name(next(name for name in names if name not in taken))
        self._path.rename(target)
        _sync_folder(self._path.parent)
        self._left = None
        self._finish_putting_aside()

    def _finish_putting_aside(self) -> None:
        """Compresses what was put aside, also by a process that was killed before it had."""
        if not self._compress:
            return
        for plain in self._aside():
            if plain.suffix != self._path.suffix:
                continue
            packed = plain.with_name(f"{plain.name}.gz")
            if not packed.exists():
                part = self._path.with_name(f".{plain.name}.part")
                with plain.open("rb") as source, part.open("wb") as raw:
                    with gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=6, mtime=0) as target:
                        shutil.copyfileobj(source, target, 1 << 20)
                    raw.flush()
                    os.fsync(raw.fileno())
                part.rename(packed)
                _sync_folder(packed.parent)
            plain.unlink()


def _cut_torn_line(path: Path) -> None:
    """Removes a last line without its end: its process died in the middle of it, and it will come again."""
    with path.open("rb+") as file:
        end = position = file.seek(0, os.SEEK_END)
        while position > 0:
            start = max(0, position - 65536)
            file.seek(start)
            newline = file.read(position - start).rfind(b"\n")
            if newline >= 0:
                position = start + newline + 1
                break
            position = start
        if position < end:
            file.truncate(position)


def _drop_holes(path: Path) -> None:
    """Removes lines with NUL bytes, blocks that a loss of power left unwritten; what stood there will come again."""
    with path.open("rb") as file:
        if not any(b"\0" in line for line in file):
            return
    part = path.with_name(f".{path.name}.part")
    with path.open("rb") as source, part.open("wb") as target:
        target.writelines(line for line in source if b"\0" not in line)
        target.flush()
        os.fsync(target.fileno())
    part.replace(path)
    _sync_folder(path.parent)


def _keys(path: Path) -> Iterator[str]:
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            lines = deque(file, maxlen=_REMEMBERED)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        logger.warning("%s is damaged (%s): what comes again of it is written again", path, error)
        return
    for line in lines:
        try:
            yield str(json.loads(line)["key"])
        except (ValueError, KeyError, TypeError):
            continue  # a line of somebody else's


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
