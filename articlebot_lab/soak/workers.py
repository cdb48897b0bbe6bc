"""The workers of a soak: started, killed, started again, measured, ended in order."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

_END_S = 60.0
_TRY_LATER = 75


class Workers:
    """Some crawls that share everything; the first is never killed, so that its memory can be followed.

    Args:
        number: of workers, 2 or more.
        folder: of the data; each worker has a log of its own there.
        arguments: of ``scrapy crawl``.
        environment: on top of this process's own.
    """

    def __init__(self, number: int, folder: Path, arguments: list[str], environment: Mapping[str, str]) -> None:
        self._folder, self._arguments = folder, arguments
        self._environment = {**os.environ, **environment}
        self._processes: list[subprocess.Popen[bytes]] = []
        self.fell = 0
        for place in range(number):
            self._processes.append(self._start(place))

    def _start(self, place: int) -> subprocess.Popen[bytes]:
        log = self._folder / f"worker-{place}.log"
        command = [sys.executable, "-m", "scrapy", "crawl", *self._arguments, "-s", f"LOG_FILE={log}"]
        return subprocess.Popen(  # noqa: S603 - own command
            command, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )

    def kill_one(self, rng: random.Random) -> None:
        """kill -9 of any but the first, and another one in its place."""
        place = rng.randrange(1, len(self._processes))
        self._processes[place].kill()
        self._processes[place].wait()
        self._processes[place] = self._start(place)

    def revive(self) -> None:
        """Starts again those that ended by themselves; counts them but for those that could not begin yet."""
        for place, process in enumerate(self._processes):
            if process.poll() is not None:
                self.fell += process.returncode != _TRY_LATER
                self._processes[place] = self._start(place)

    def megabytes(self) -> float | None:
        """Resident memory of the first; None where the system does not tell."""
        try:
            pages = int(Path(f"/proc/{self._processes[0].pid}/statm").read_text().split()[1])
        except (OSError, ValueError, IndexError):
            return None
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def end(self) -> list[int]:
        """Asks all to end in order; the exit codes, -9 for one that had to be killed."""
        for process in self._processes:
            process.send_signal(signal.SIGINT)  # SIGTERM would bound it: a busy machine may need longer
        deadline = time.monotonic() + _END_S
        codes = []
        for process in self._processes:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            codes.append(process.returncode)
        self._processes.clear()
        return codes
