"""Several workers of one crawl on this machine: started, watched, started again where they die, joined in a report."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from articlebot import files
from articlebot.actions.base import BAD_USE, DONE, FOUND_LITTLE, INTERRUPTED, NO_MORE, TRY_LATER, WITH_ERRORS
from articlebot.errors import ArticlebotError
from articlebot.runtime import clock, runs
from articlebot.runtime.runs import PENDING, UNSEEN, progress_line

RAN = (DONE, WITH_ERRORS, FOUND_LITTLE)
# Exit codes of a worker that was told to end before it could do so in order.
_TOLD = (INTERRUPTED, -signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP)
# The exit code of several is that of the one that says most.
_WEIGHT = (DONE, FOUND_LITTLE, TRY_LATER, WITH_ERRORS, NO_MORE, BAD_USE)
_LOOK_S = 0.2
# Counts that each worker takes of the whole crawl.
_OF_ALL = (PENDING, UNSEEN)
# A worker that died by a signal, or had no memory left, is started again after 1, 2, 4 … s; one that dies so often
# dies of its work.
_MOST_STARTS = 6
_PR_SET_PDEATHSIG = 1
_PRCTL = getattr(ctypes.CDLL(None), "prctl", None)
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(slots=True)
class _Worker:
    """A process, and what is to be known to start it again."""

    number: int
    report: Path
    said: Path
    process: subprocess.Popen[bytes] | None = None
    starts: int = 0
    start_at: float = 0.0
    code: int | None = None
    reports: list[dict[str, Any]] = field(default_factory=list)
    counts: Mapping[str, Any] = field(default_factory=dict)
    earlier: list[Mapping[str, Any]] = field(default_factory=list)


class Workers:
    """Processes of ``scrapy crawl article`` with the same arguments, on one queue.

    Args:
        arguments: of the crawl, without ``seconds``.
        folder: the data folder; ``crawl.log`` in it is the log of all.
        environment: variables beside this process' own.
        number: of workers.
        seconds: the crawl's length, None: to its end.
        progress_s: seconds between two lines of progress, 0: none.
        report: file of the data folder for what all have counted.
    """

    def __init__(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], *, number: int,
        seconds: float | None, progress_s: float, report: str,
    ) -> None:  # fmt: skip
        self._arguments, self._folder, self._report = list(arguments), folder, folder / report
        self._environment = {
            **os.environ, "PYTHONUNBUFFERED": "1", **environment, "ARTICLEBOT_DATA_DIR": str(folder.resolve()),
            "ARTICLEBOT_OPERATIONS_LOCK": "none", "ARTICLEBOT_PROGRESS_S": "0",
        }  # fmt: skip
        self._begun = time.monotonic()
        self._ends_at = None if seconds is None else self._begun + seconds
        self._progress_s, self._told_at = progress_s, self._begun
        self._ending = False
        self._signals: list[signal.Signals] = []
        self._workers = [
            _Worker(n, folder / f"last-run-{n}.json", folder / f"worker-{n}.txt") for n in range(1, number + 1)
        ]

    def run(self) -> tuple[int, dict[str, Any] | None]:
        """Runs them to their end and says what they said; their exit code, and their joined report if there is one.

        The report is written as that of one worker is.

        Ctrl-C, SIGTERM or a terminal that is closed asks all to end in order; once more, to end at once.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        place = files.identity_of(self._folder)
        self._report.unlink(missing_ok=True)
        (self._folder / "crawl.log").open("ab").close()  # what cannot be written is said once
        # `nohup` has SIGHUP ignored.
        numbers = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        before = [(number, signal.signal(number, self._told)) for number in numbers]
        try:
            while any(worker.code is None for worker in self._workers):
                try:
                    while self._signals:
                        self._end(self._signals.pop(0))
                    self._look()
                    time.sleep(_LOOK_S)
                except FileNotFoundError:
                    if files.identity_of(self._folder) == place:
                        raise  # else the folder was moved, which is said below
                    self._end(signal.SIGINT)
        finally:
            for number, handler in before:
                signal.signal(number, handler)
            for worker in self._workers:
                if worker.process is not None and worker.process.poll() is None:
                    worker.process.terminate()
        if files.identity_of(self._folder) != place:
            raise ArticlebotError(f"{self._folder} was removed or moved while the crawl ran: what it wrote is lost")
        self._tell_failures()
        reports = [report for worker in self._workers for report in worker.reports]
        kept = joined(reports) if reports else None
        if kept is not None:
            files.replace(self._report, json.dumps(kept, ensure_ascii=False, indent=1))
        for worker in self._workers:
            for path in (worker.report, worker.said):
                path.unlink(missing_ok=True)
        return max((worker.code or DONE for worker in self._workers), key=_WEIGHT.index), kept

    def _look(self) -> None:
        """Starts who is to run, notices who has ended, and prints progress."""
        now = time.monotonic()  # a clock that is set back would keep a dead worker down
        for worker in self._workers:
            if worker.code is None and worker.process is None and now >= worker.start_at:
                self._start(worker, now)
            elif worker.process is not None and (code := worker.process.poll()) is not None:
                worker.process = None
                self._ended(worker, code, now)
        if self._progress_s and now - self._told_at >= self._progress_s:
            self._told_at = now
            noted = {_pid(run.worker): run.stats for run in runs.running(self._folder, clock.now())}
            for worker in self._workers:
                if worker.process is not None:
                    worker.counts = noted.get(worker.process.pid, worker.counts)
            counted = summed(counts for worker in self._workers for counts in (*worker.earlier, worker.counts))
            print(progress_line(now - self._begun, counted), file=sys.stderr, flush=True)

    def _start(self, worker: _Worker, now: float) -> None:
        worker.report.unlink(missing_ok=True)
        settings = {"LOG_FILE": self._folder / "crawl.log", "ARTICLEBOT_OPERATIONS_REPORT": worker.report.name}
        own = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        if self._ends_at is not None:
            own += ["-a", f"seconds={max(1.0, self._ends_at - now):.0f}"]
        worker.starts += 1
        with worker.said.open("wb") as said:
            worker.process = subprocess.Popen(  # noqa: S603 - own command
                [sys.executable, "-m", "scrapy", "crawl", "article", *self._arguments, *own],
                env=self._environment, stderr=said, start_new_session=True, preexec_fn=partial(_end_with, os.getpid()),  # noqa: PLW1509
            )  # fmt: skip

    def _ended(self, worker: _Worker, code: int, now: float) -> None:
        told = worker.report.exists()
        if told:
            worker.reports.append(json.loads(worker.report.read_text(encoding="utf-8")))
            worker.counts = worker.reports[-1]["stats"]
        # Libraries, and what loads them, end a process that has no memory by themselves.
        said = worker.said.read_bytes()
        silent = code == WITH_ERRORS and not told and b"articlebot: " not in said and b"Traceback" not in said
        if code in _WEIGHT and code != NO_MORE and not silent:
            worker.code = code
            if code == BAD_USE:  # the others would say the same
                self._end(signal.SIGINT)
        elif self._ending and code in _TOLD:  # while it loaded: of that Python says where it was
            worker.code = DONE
            worker.said.write_bytes(b"")
        elif self._ending or worker.starts >= _MOST_STARTS:
            worker.code = NO_MORE if code == NO_MORE else WITH_ERRORS
        else:
            worker.earlier.append(worker.counts)
            worker.counts = {}
            pause = 2.0 ** (worker.starts - 1)
            worker.start_at = now + pause
            why = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
            why = "had no memory or open files left" if code == NO_MORE else why
            print(f"worker {worker.number} {why}; it is started again in {pause:.0f} s", file=sys.stderr)

    def _told(self, number: int, _frame: object) -> None:
        # Nothing is raised: a worker that is just being started would be known to nobody.
        self._signals.append(signal.Signals(number))

    def _end(self, number: signal.Signals) -> None:
        """Asks all to end in order, and starts none again."""
        if not self._ending:
            print("Ending in order; once more to end at once", file=sys.stderr)
        self._ending = True
        for worker in self._workers:
            if worker.process is not None:
                worker.process.send_signal(number)
                worker.process.send_signal(signal.SIGCONT)
            elif worker.code is None:
                worker.code = DONE if worker.reports else WITH_ERRORS

    def _tell_failures(self) -> None:
        """What workers said that did not come to a report, each line once."""
        lines: dict[str, None] = {}
        for worker in self._workers:
            if worker.code not in RAN or not worker.reports:
                lines |= dict.fromkeys(worker.said.read_text(encoding="utf-8", errors="replace").splitlines())
        for line in lines:
            print(line, file=sys.stderr)


def _end_with(parent: int) -> None:
    """Has the kernel end this process when its parent is gone, however that died (prctl(2); Linux has it).

    It is called between fork and exec: what the parent does with signals would take one in vain, and one that the
    kernel sends before it was asked to does not come.
    """
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    if _PRCTL is not None:
        _PRCTL(_PR_SET_PDEATHSIG, int(signal.SIGTERM))
    if os.getppid() != parent:
        os._exit(INTERRUPTED)


def _pid(worker: str) -> int:
    """The process of a worker's name."""
    return int(worker.split("-")[-2])


def summed(counts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The sum of the numbers of several workers, by name; of a text the last."""
    found: dict[str, Any] = {}
    for one in counts:
        for name, value in one.items():
            known = found.get(name)
            found[name] = known + value if isinstance(value, int | float) and isinstance(known, int | float) else value
    return found


def joined(reports: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The reports of several workers of one crawl as that of one."""
    last = max(reports, key=lambda report: report["ended_at"])
    findings = {(one["job"], one["reason"]): one for report in reports for one in report["findings"]}
    covered: dict[str, dict[str, Any]] = {}
    for one in (one for report in reports for one in report["coverage"]):
        known = covered.get(one["job"])
        if known is None:
            covered[one["job"]] = dict(one)
            continue
        for name in ("named", "pages"):
            known[name] = dict((Counter(known[name]) + Counter(one[name])).most_common())
        known["advice"] = known["advice"] or one["advice"]
    reasons = [report["reason"] for report in reports if report["reason"] != "finished"]
    # What waited is no sum: each worker counted the same outbox, and the same sites.
    total = summed(report["stats"] for report in reports)
    stats = {name: n for name, n in total.items() if not name.startswith(_OF_ALL) or name in last["stats"]}
    stats |= {name: n for name, n in last["stats"].items() if name.startswith(_OF_ALL)}
    return {
        **last,
        "reason": reasons[0] if reasons else "finished",
        "workers": [report["worker"] for report in reports],
        "started_at": min(report["started_at"] for report in reports),
        "stats": stats,
        "findings": list(findings.values()),
        "coverage": list(covered.values()),
        # By their letters: none of one that found or missed something, then "nothing new", then "nothing was due".
        "note": min(report["note"] for report in reports),
    }
