"""Writing job files: a block is added, changed or removed with the checks that a crawl makes, or nothing is."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from articlebot import files
from articlebot.errors import ChangedError, ConfigError, JobFileError, UnknownError, reason
from articlebot.jobs.document import Document, name_of, toml_of
from articlebot.jobs.files import JobFiles, Signature, signature_of
from articlebot.jobs.model import name_from

# A job's own block is some lines long; what is longer was not written by hand.
MOST_CHARACTERS = 100_000
_MARK = "\ufeff"  # at the beginning of what some editors write
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Change:
    """What was done to a file: its text before and after, None where there was none."""

    path: str
    before: str | None
    after: str | None


class JobFolder:
    """The job files of a crawl, to be changed. Its methods read and write files and belong on a thread.

    A change is checked as a crawl checks its files, with all others beside it; workers take it within seconds.

    Args:
        paths: files and folders; a new job becomes a file of the first folder.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = list(paths)
        self._lock = threading.Lock()
        self._checked = JobFiles(paths)
        # Documents as they were when they were shown last: to parse 5,000 jobs takes 0.2 s, each time.
        self._shown: dict[Path, tuple[Signature, Document]] = {}

    def text(self, name: str) -> str:
        """A job's block as its file has it.

        Raises:
            UnknownError: no file has such a job.
        """
        _, lines, first, last = self._block(name, self._as_shown)
        return _text(lines[first:last])

    def add(self, name: str, text: str) -> Change:
        """A job in a file of its own.

        Args:
            name: of the file, which is made of it.
            text: of the file.

        Raises:
            ConfigError: there is no folder for it, or such a file is there.
            JobFileError: the text is wrong, or a job of it is there already.
        """
        folder = next((path for path in self._paths if path.is_dir()), None)
        if folder is None:
            raise ConfigError("a new job needs a folder of job files: start the console with --jobs FOLDER")
        path = folder / f"{name_from(name)}.toml"
        with self._lock:
            if path.exists():
                raise ConfigError(f"there is a file {path.name} already: give the job another name")
            return self._write(path, None, text)

    def edit(self, name: str, text: str, was: str | None = None) -> Change:
        """Another text for a job's block.

        Args:
            was: ``mark`` of the text that this one was made of; None for whatever is there.

        Raises:
            UnknownError: no file has such a job.
            ChangedError: the block was changed since.
            JobFileError: the text is wrong.
        """
        with self._lock:
            path, lines, first, last = self._block(name)
            if was is not None and was != mark(_text(lines[first:last])):
                raise ChangedError(f"the block of {name} was changed since you read it: read it again")
            sites = _sites(path, text)
            if len(sites) != 1:
                raise JobFileError(str(path), first + 1, None, f"expected one [[site]] block, not {len(sites)}")
            ends = "\r\n" if lines[first].endswith("\r\n") else "\n"
            block = text.strip().replace("\r\n", "\n").replace("\n", ends) + ends
            return self._write(path, "".join(lines), "".join((*lines[:first], block, *lines[last:])))

    def remove(self, name: str) -> Change:
        """Takes a job's block out of its file; a file that says nothing else goes too.

        Raises:
            UnknownError: no file has such a job.
            JobFileError: without it another file would be wrong.
        """
        with self._lock:
            path, lines, first, last = self._block(name)
            document = Document.read(path)
            alone = len(document.sites) == 1 and not document.groups
            while last < len(lines) and not lines[last].strip():
                last += 1
            after = None if alone else "".join((*lines[:first], *lines[last:]))
            return self._write(path, "".join(lines), after)

    def undo(self, change: Change) -> Change:
        """Gives a file the text that it had before a change.

        Raises:
            ConfigError: the file was changed since, or belongs to other job files.
            JobFileError: that text would be wrong now.
        """
        path = Path(change.path)
        with self._lock:
            if not any(path == one or one in path.parents for one in self._paths):
                raise ConfigError(f"{path} is none of the job files of this console")
            now = _read(path) if path.exists() else None
            if now != change.after:
                raise ConfigError(f"{path.name} was changed since: this change cannot be undone by itself")
            return self._write(path, now, change.before)

    def _as_shown(self, path: Path) -> Document:
        now, (signature, document) = signature_of(path.stat()), self._shown.get(path, (None, None))
        if document is None or signature != now:
            document = Document.read(path)
            self._shown[path] = now, document
        return document

    def _block(self, name: str, read: Callable[[Path], Document] = Document.read) -> tuple[Path, list[str], int, int]:
        """The file of a job, its lines, and of the job's own the first, and the one behind the last."""
        try:
            paths = [Path(path) for path in self._checked.found()]
        except OSError as error:
            raise ConfigError(f"{error.filename} cannot be read: {reason(error)}") from None
        for certain in (True, False):
            for path in paths:
                try:
                    text = _read(path)
                    # The name may be that of a host, however it is typed, and seldom is written with escapes.
                    if (name.lower() in text.lower()) is not certain:
                        continue  # a page of the console is not to parse thousands of files
                    document = read(path)
                except (JobFileError, OSError, UnicodeDecodeError):
                    continue
                for index, site in enumerate(document.sites):
                    if name_of(site) == name:
                        if (own := document.lines.block(("site", index))) is None:
                            raise ConfigError(f"{path.name} has its jobs in one list: write a block [[site]] for each")
                        return path, _LINE.findall(text), own[0] - 1, own[1] - 1
        raise UnknownError(f"no job file has a job {name!r}")

    def _write(self, path: Path, before: str | None, after: str | None) -> Change:
        if after is not None and len(after) > MOST_CHARACTERS * 10:
            raise ConfigError(f"{path.name} would be longer than {MOST_CHARACTERS * 10:,} characters")
        document = None if after is None else Document.of(path, after.removeprefix(_MARK))
        try:
            wrong = {str(fault) for fault in self._checked.faults()}
            for fault in self._checked.faults_with(path, document):
                if str(fault) not in wrong:
                    raise fault
            if after is None:
                path.unlink()
            else:
                with files.draft_of(path) as draft:
                    draft.write_bytes(after.encode())
        except OSError as error:
            raise ConfigError(f"{path} cannot be written: {reason(error)}") from None
        return Change(str(path), before, after)


def mark(text: str) -> str:
    """A short text that stands for exactly this block, as an ETag."""
    return sha256(text.encode()).hexdigest()[:16]


def _sites(path: Path, text: str) -> list[dict[str, Any]]:
    """The blocks of a text that holds nothing else."""
    data = toml_of(path, text)
    sites = data.pop("site", [])
    if data or not isinstance(sites, list):
        raise JobFileError(str(path), None, next(iter(data), "site"), "expected one [[site]] block and nothing else")
    return sites


def _text(lines: Sequence[str]) -> str:
    return "".join(lines).removeprefix(_MARK).replace("\r\n", "\n").strip() + "\n"


def _read(path: Path) -> str:
    """The text of a file, with its line ends as they are."""
    return path.read_bytes().decode()
