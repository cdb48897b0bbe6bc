"""A newsroom in a process of its own, started and stopped by a ``with`` block."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

_START_TIMEOUT = 600.0  # thousands of stories take a while to write, on a machine that is busy minutes
_STOP_TIMEOUT = 10.0


class Newsroom:
    """Serves a world while its ``with`` block runs.

    Args:
        seconds: length of the run, 5 or more.
        grace: seconds served after the run.
        seed, sites, rate, port: as for ``scrapy newsroom``.
        hostile: also serve ``hostile.newsroom.test``.
        storms: as for ``scrapy newsroom``.
    """

    def __init__(
        self,
        *,
        seconds: float = 60.0,
        grace: float = 120.0,
        seed: int = 7,
        sites: int = 12,
        rate: float = 1.0,
        port: int = 0,
        hostile: bool = False,
        storms: bool = False,
    ) -> None:
        self._options = [
            f"--seconds={seconds}", f"--grace={grace}", f"--seed={seed}", f"--sites={sites}", f"--rate={rate}",
            f"--port={port}", *(["--hostile"] if hostile else []), *(["--storms"] if storms else []),
        ]  # fmt: skip
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0
        self.started_at = 0.0

    @property
    def proxy(self) -> str:
        """The address to give to a crawler as ``http_proxy``."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Newsroom:
        with tempfile.TemporaryDirectory(prefix="newsroom-") as folder:
            ready = Path(folder) / "ready.json"
            command = [sys.executable, "-m", "articlebot_lab.newsroom.serve", *self._options, f"--ready-file={ready}"]
            # -m finds this very package from any working directory.
            root = str(Path(__file__).resolve().parents[2])
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join([root, os.environ.get("PYTHONPATH", "")])}
            self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)  # noqa: S603 - own module
            announced = self._wait_for(ready)
        self.port, self.started_at = announced["port"], announced["started_at"]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Ends the process; does nothing when it has ended."""
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def get(self, url: str, headers: dict[str, str] | None = None) -> tuple[int, dict[str, str], bytes]:
        """Status, headers (lower-case names) and raw body of an address, asked through the proxy."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", url, headers={"Host": urlsplit(url).netloc, **(headers or {})})
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def truth(self, *, everything: bool = False) -> dict[str, Any]:
        """All that has happened so far; ``everything`` adds what is still to come."""
        known: dict[str, Any] = self._json("/truth.json?all=1" if everything else "/truth.json")
        return known

    def status(self) -> dict[str, Any]:
        """Where the run stands."""
        status: dict[str, Any] = self._json("/status.json")
        return status

    def log(self) -> list[dict[str, Any]]:
        """The requests so far, the oldest dropped past 100,000."""
        entries: list[dict[str, Any]] = self._json("/log.json")
        return entries

    def job_file(self) -> str:
        """A job file (TOML) for all sites."""
        return self.get("http://newsroom.test/jobs.toml")[2].decode()

    def _json(self, path: str) -> Any:
        return json.loads(self.get(f"http://newsroom.test{path}")[2])

    def _wait_for(self, ready: Path) -> dict[str, Any]:
        assert self._process is not None
        deadline = time.monotonic() + _START_TIMEOUT
        while time.monotonic() < deadline:
            if ready.exists():
                announced: dict[str, Any] = json.loads(ready.read_text(encoding="utf-8"))
                return announced
            if self._process.poll() is not None:
                raise RuntimeError(f"the newsroom ended with exit code {self._process.returncode} before it was ready")
            time.sleep(0.02)
        self.stop()
        raise TimeoutError(f"the newsroom was not ready within {_START_TIMEOUT:g} s")
