"""What has been done of a run over batches, so that a run that was killed continues where it was."""

from __future__ import annotations

import contextlib
import fcntl
import json
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, TypeVar

from articlebot import __version__
from articlebot.batch.engine import Engine

B = TypeVar("B")


class Journal:
    """A file with a line for each batch that is done: the batch's hash and its result, in the order of the batches.

    It goes when the run ends well. Another run of the same name that has other batches writes over it. While one run
    holds it, another works without.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = self._path.open("a+b")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            return self
        file.seek(0)
        self._file = file
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._file is None:
            return
        if kind is None:
            self._path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # others keep theirs there
                self._path.parent.rmdir()
        self._file.close()

    def run(self, engine: Engine, function: Callable[[B], Any], batches: Iterable[B]) -> Iterator[tuple[B, Any, bool]]:
        """Each batch with its result, in order, and whether an earlier run had done it.

        Raises:
            WorkersLost, StoreUnavailable: see ``Engine.run``; what is done stays done.
        """
        unread = iter(batches)
        for batch in unread:
            known = self._next(_name(function, batch))
            if known is None:
                unread = chain([batch], unread)
                break
            yield batch, known[0], True
        self._cut()
        for batch, result in engine.run(function, unread):
            # Through JSON here too: a result is the same whether it was read or made.
            line = json.dumps([_name(function, batch), result])
            yield batch, json.loads(line)[1], False
            self._add(line)

    def _next(self, name: str) -> list[Any] | None:
        if self._file is None:
            return None
        at = self._file.tell()
        line = self._file.readline()
        try:
            if line.endswith(b"\n") and (found := json.loads(line))[0] == name:
                return [found[1]]
        except (ValueError, LookupError, TypeError, RecursionError):
            pass  # the end of a file whose writer was killed
        self._file.seek(at)
        return None

    def _cut(self) -> None:
        if self._file is not None:
            self._file.truncate()

    def _add(self, line: str) -> None:
        if self._file is not None:
            self._file.write(line.encode() + b"\n")
            self._file.flush()


def _name(function: Callable[..., Any], batch: Any) -> str:
    said = f"{__version__} {function.__module__}.{function.__qualname__} {batch!r}"
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
