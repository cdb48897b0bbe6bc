"""A user at a terminal in the project's folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.hurried import scrapy_with

ROOT = Path(__file__).resolve().parents[2]
# Pauses meant for other people's sites would make a test of a page a second long.
_QUICK = {
    "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01",
    "ARTICLEBOT_DELAYS_MEAN_S": "0.03",
    "ARTICLEBOT_DELAYS_BACK_OFF_S": "0.5",
    "ARTICLEBOT_ALLOW_PRIVATE": "1",
    "ARTICLEBOT_PROGRESS_S": "0",
    "ARTICLEBOT_BROWSER_PAGES": "0",  # whether a machine has a Chromium must change nothing
}


class Door:
    """Types commands; their data lies in ``data`` of a folder of their own.

    Args:
        folder: the user's.
        cwd: where the commands are typed; the project's folder where none is given.
        program: ``scrapy``, or ``articlebot`` where no project is.
    """

    def __init__(self, folder: Path, cwd: Path = ROOT, program: str = "scrapy") -> None:
        self.folder, self.cwd, self._program = folder, cwd, program
        self.data = folder / "data"

    def environment(self, **more: str) -> dict[str, str]:
        """What the shell has set."""
        base = {name: value for name, value in os.environ.items() if not name.startswith(("ARTICLEBOT_", "REDIS_URL"))}
        return {**base, **_QUICK, "ARTICLEBOT_DATA_DIR": str(self.data), **more}

    def type(
        self, *arguments: str, seconds: float = 500, env: dict[str, str] | None = None,
        constants: Mapping[str, Any] | None = None,
    ) -> subprocess.CompletedProcess[str]:  # fmt: skip
        """The program with arguments, to its end; ``constants``: see ``tests.hurried``.

        Raises:
            AssertionError: it does not end.
        """
        try:
            return subprocess.run(
                [*self._program_with(constants), *arguments],
                cwd=self.cwd, env=self.environment(**(env or {})), capture_output=True, text=True, timeout=seconds,
                check=False, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except subprocess.TimeoutExpired as late:
            said = (late.stderr or b"").decode("utf-8", "replace")
            raise AssertionError(f"{arguments} has not ended after {seconds:.0f} s: {said[-6000:]}") from None

    def begin(
        self, *arguments: str, env: dict[str, str] | None = None, stdin: int = subprocess.DEVNULL,
        constants: Mapping[str, Any] | None = None,
    ) -> subprocess.Popen[str]:  # fmt: skip
        """The program with arguments, left running; the caller ends it."""
        return subprocess.Popen(
            [*self._program_with(constants), *arguments], cwd=self.cwd, env=self.environment(**(env or {})),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=stdin,
        )  # fmt: skip

    def _program_with(self, constants: Mapping[str, Any] | None) -> list[str]:
        return scrapy_with(constants) if constants else [sys.executable, "-m", self._program]

    def json(self, *arguments: str, **kwargs: Any) -> Any:
        """What a command with ``--json`` prints."""
        done = self.type(*arguments, "--json", **kwargs)
        try:
            return json.loads(done.stdout)
        except ValueError:
            raise AssertionError(f"not one JSON document: {done.stdout[-2000:]}\n{done.stderr[-2000:]}") from None

    def archived(self) -> list[dict[str, Any]]:
        """The articles of the archive."""
        done = self.type("export", "--json")
        assert done.returncode == 0, done.stderr[-2000:]
        return [json.loads(line) for line in done.stdout.splitlines()]

    def file(self, name: str, text: str) -> Path:
        """A file that the user has written."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path


def wait_for(happens: Callable[[], bool], seconds: float = 300) -> None:
    """Returns when it has happened.

    Raises:
        AssertionError: it does not.
    """
    deadline = time.monotonic() + seconds
    while True:
        asked = time.monotonic()
        if happens():
            return
        assert time.monotonic() < deadline, "it does not happen"
        # Whoever asks by typing commands takes no more than a third of a core.
        time.sleep(max(0.1, 2 * (time.monotonic() - asked)))
