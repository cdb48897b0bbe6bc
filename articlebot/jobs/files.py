"""The job files of a crawl, read at its start and followed while it runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from articlebot.errors import JobFileError
from articlebot.jobs.document import Document, Group
from articlebot.jobs.model import Job

# Size, times of the last change of text and of the entry, and number: what a file's writing changes.
Signature = tuple[int, int, int, int]
_ABSENT, _SUPPOSED = (0, 0, 0, 0), (-1, 0, 0, 0)
# A stat: what is wrong with job files now, each with its place; "" where nothing is.
WRONG_FILES = "articlebot/jobs/wrong_files"
# The key of a job that this crawl cannot do, and why; None where it can do the job.
Refused = Callable[[Job], tuple[str, str] | None]


@dataclass(slots=True)
class _File:
    """A file as it was last taken.

    Attributes:
        signature: of the text that was read last, taken or not.
        newest: what that text says, None where it is not to be read.
        taken: what the jobs were made of, None where nothing was good so far.
        groups: the groups of other files and its own that the jobs were made with.
        jobs: those that it stands for.
        fault: why ``newest`` was not taken.
    """

    signature: Signature
    newest: Document | None = None
    taken: Document | None = None
    groups: Mapping[str, Group | None] = field(default_factory=dict)
    jobs: tuple[Job, ...] = ()
    fault: JobFileError | None = None


class News(NamedTuple):
    """What a look at the files brought.

    Attributes:
        jobs: all jobs, None where they are as before.
        faults: why files keep their former jobs; each is told once for each time that its file is written.
    """

    jobs: list[Job] | None
    faults: tuple[JobFileError, ...]


class JobFiles:
    """Some job files; a folder stands for all ``*.toml`` files below it whose names begin with no dot.

    A file that is wrong keeps the jobs that it had. A file is taken once it has been the same in two looks, so that
    nothing half written is. Its methods read files and belong on a thread where a crawl runs.

    Args:
        paths: files and folders.

    Attributes:
        place: what tells them from other files.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = [str(path) for path in paths]
        self.place = ",".join(sorted(str(path.resolve()) for path in paths))
        self._folders = frozenset(str(path) for path in paths if path.is_dir())
        self._files: dict[str, _File] = {}
        self._unsettled: dict[str, Signature | None] = {}
        self._told: set[str] = set()

    def read(self) -> list[Job]:
        """The jobs of all files.

        Raises:
            JobFileError: a file is missing or wrong, or a name stands twice; the first fault found.
        """
        self.not_empty()
        for fault in self.faults():
            raise fault
        return self.jobs()

    def not_empty(self) -> None:
        """Raises JobFileError where a folder holds no file."""
        for path in self._folders:
            if not any(_toml_files(path)):
                raise JobFileError(path, None, None, "the folder holds no .toml file")

    def faults(self, refused: Refused = lambda job: None) -> list[JobFileError]:
        """Reads the files that have changed since the last call; the first fault of each that has one.

        Args:
            refused: asked of each new or changed job.
        """
        found = self.found()
        for path in self._files.keys() - found.keys():
            del self._files[path]
        for path, signature in found.items():
            if path not in self._files or self._files[path].signature != signature:
                self._read(path, signature)
        self._resolve(refused)
        return self.wrong

    def faults_with(self, path: Path, document: Document | None) -> list[JobFileError]:
        """The faults that there would be if a file said this; None: if it were not there. Call ``faults`` first."""
        file = self._files.setdefault(str(path), _File(_SUPPOSED))
        file.signature, file.newest, file.fault = _SUPPOSED, document, None  # it is read again at the next call
        self._resolve()
        return self.wrong

    @property
    def wrong(self) -> list[JobFileError]:
        """Why files keep their former jobs, as of the last look."""
        return [file.fault for file in self._files.values() if file.fault is not None]

    def look(self, refused: Refused = lambda job: None) -> News:
        """What has changed since the last look.

        Args:
            refused: asked of each new or changed job.
        """
        try:
            found = self.found()
        except OSError as error:
            # A folder that is away for now says nothing of its files.
            where = str(error.filename or self._paths[0])
            return News(None, self._say([JobFileError(where, None, None, f"cannot be read: {error.strerror}")]))
        differ: dict[str, Signature | None] = {path: None for path in self._files if path not in found}
        differ |= {
            path: now for path, now in found.items() if path not in self._files or self._files[path].signature != now
        }
        settled = [path for path, now in differ.items() if path in self._unsettled and self._unsettled[path] == now]
        self._unsettled = {path: now for path, now in differ.items() if path not in settled}
        return self._take(settled, found, refused) if settled else News(None, ())

    def _take(self, paths: Sequence[str], found: Mapping[str, Signature], refused: Refused) -> News:
        """What files bring that were written or removed."""
        before = self.jobs()
        for path in paths:
            if path in found:
                self._read(path, found[path])
                self._told = {said for said in self._told if not said.startswith(f"{path}:")}
            else:
                del self._files[path]
        self._resolve(refused)
        after = self.jobs()
        same = len(before) == len(after) and all(a is b for a, b in zip(before, after, strict=True))
        faults = self.wrong
        self._told &= set(map(str, faults))
        return News(None if same else after, self._say(faults))

    def found(self) -> dict[str, Signature]:
        """Every file with its signature; raises OSError where a folder cannot be read."""
        found: dict[str, Signature] = {}
        for path in self._paths:
            if path in self._folders:
                found.update(_toml_files(path))
                continue
            try:
                found[path] = signature_of(Path(path).stat())
            except FileNotFoundError:
                found[path] = _ABSENT
        return found

    def _read(self, path: str, signature: Signature) -> None:
        file = self._files.setdefault(path, _File(signature))
        file.signature, file.fault = signature, None
        try:
            file.newest = Document.read(Path(path))
        except JobFileError as error:
            file.newest, file.fault = None, error

    def jobs(self) -> list[Job]:
        """The jobs of all files, as they were taken last."""
        return [job for path in sorted(self._files) for job in self._files[path].jobs]

    def _say(self, faults: Sequence[JobFileError]) -> tuple[JobFileError, ...]:
        new = tuple(fault for fault in faults if str(fault) not in self._told)
        self._told.update(map(str, new))
        return new

    # -- from documents to jobs

    def _resolve(self, refused: Refused = lambda job: None) -> None:
        """Takes what is good: a file that is not keeps what it had, and the others are looked at again without it."""
        faults: dict[str, JobFileError] = {
            path: file.fault for path, file in self._files.items() if file.newest is None and file.fault is not None
        }
        while True:
            documents = {
                path: file.taken if path in faults else file.newest for path, file in sorted(self._files.items())
            }
            groups, more = self._groups(documents)
            made: dict[str, tuple[Job, ...]] = {}
            for path, document in documents.items():
                if path not in faults and path not in more and document is not None:
                    try:
                        made[path] = self._make(self._files[path], document, groups, refused)
                    except JobFileError as error:
                        more[path] = error
            if not more:
                more = self._twice(documents, made)
            if not more:
                break
            faults |= more
        for path, jobs in made.items():
            file, document = self._files[path], documents[path]
            assert document is not None
            file.taken, file.jobs, file.fault = document, jobs, None
            file.groups = {name: groups.get(name) for name in document.used}
        for path, fault in faults.items():
            self._files[path].fault = fault

    def _groups(self, documents: Mapping[str, Document | None]) -> tuple[dict[str, Group], dict[str, JobFileError]]:
        """The groups of all files, and the files whose groups others have already."""
        groups: dict[str, Group] = {}
        where: dict[str, str] = {}
        faults: dict[str, JobFileError] = {}
        for path in self._ordered(documents):
            document = documents[path]
            for name, group in document.groups.items() if document is not None else ():
                if name in where and document is not self._files[path].taken:
                    assert document is not None
                    line = document.lines.find(("group", name))
                    faults[path] = JobFileError(path, line, f"group.{name}", f"is already in {where[name]}")
                groups.setdefault(name, group)
                where.setdefault(name, path)
        return groups, faults

    def _make(self, file: _File, document: Document, groups: Mapping[str, Group], refused: Refused) -> tuple[Job, ...]:
        """The jobs of a document; those that are as before are the same objects."""
        if document is file.taken and all(groups.get(name) == group for name, group in file.groups.items()):
            return file.jobs
        former = {job.name: job for job in file.jobs}
        jobs = tuple(former[job.name] if former.get(job.name) == job else job for job in document.jobs(groups))
        for index, job in enumerate(jobs):
            if job is not former.get(job.name) and (fault := refused(job)) is not None:
                key, why = fault
                line = document.line_of(index, key)
                raise JobFileError(str(document.path), line, f"site[{index}].{key}", why)
        return jobs

    def _twice(
        self, documents: Mapping[str, Document | None], made: Mapping[str, tuple[Job, ...]]
    ) -> dict[str, JobFileError]:
        """The files with a job whose name another has; of two, the one that has changed is at fault."""
        where: dict[str, str] = {}
        faults: dict[str, JobFileError] = {}
        for path in self._ordered(documents):
            document = documents[path]
            for index, job in enumerate(made.get(path, self._files[path].jobs)):
                if job.name not in where:
                    where[job.name] = path
                elif document is not None and path in made:
                    line = document.line_of(index, "name")
                    expected = f"{job.name!r} is already used in {where[job.name]}"
                    faults.setdefault(path, JobFileError(path, line, "name", expected))
        return faults

    def _ordered(self, documents: Mapping[str, Document | None]) -> list[str]:
        """Files that are as before come first."""
        return sorted(documents, key=lambda path: (documents[path] is not self._files[path].taken, path))


def load(paths: Sequence[Path]) -> list[Job]:
    """The enabled and disabled jobs of some files, read once; raises as ``JobFiles.read``."""
    return JobFiles(paths).read()


def _toml_files(folder: str) -> Iterator[tuple[str, Signature]]:
    """The files below a folder. A look at 5,000 of them costs 25 ms of a thread: no Path is made of each."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda one: one.name):
            if entry.name.startswith("."):
                continue  # of editors, of Git, and the copies that Kubernetes keeps of a mounted folder
            if entry.is_dir(follow_symlinks=False):
                yield from _toml_files(entry.path)
            elif entry.name.endswith(".toml"):
                try:
                    found = entry.stat()
                except FileNotFoundError:
                    continue  # it was removed just now
                except OSError:
                    yield entry.path, _ABSENT  # a link to itself: the fault of this file, not of the folder
                    continue
                if S_ISREG(found.st_mode):  # to open a pipe waits for who writes there
                    yield entry.path, signature_of(found)


def signature_of(stat: os.stat_result) -> Signature:
    """What tells one writing of a file from another."""
    return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino
