"""``python -m tests.showing``: what a process has, as JSON, for ``test_forking``."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path


def of_pool() -> tuple[int, bool]:
    """The parent of a process, and whether Scrapy is there."""
    return os.getppid(), "scrapy" in sys.modules


class Cycle:
    """Holds a file that nobody closes, until it is collected."""

    def __init__(self) -> None:
        self.own, self.file = self, Path(os.devnull).open("rb")  # noqa: SIM115


if __name__ == "__main__":
    told = [str(one[:3]) for one in warnings.filters]
    told = told[next((place for place, one in enumerate(told) if one.startswith("('error'")), 0) :]
    waits = sys.argv[1:] == ["wait"]
    print(json.dumps({
        "pid": os.getpid(), "parent": os.getppid(), "leads": os.getsid(0) == os.getpid(), "folder": str(Path.cwd()),
        "arguments": sys.argv, "typed_as": sys.orig_argv, "path": sys.path, "zone": time.strftime("%z"),
        "environment": dict(sorted(os.environ.items())), "typed": "" if waits else sys.stdin.read(),
        "warnings": told[:6], "options": sys.warnoptions,
        "files": sorted(path.name for path in Path("/proc/self/fd").iterdir() if int(path.name) < 256),
        "scrapy": "scrapy" in sys.modules,
        "main": sys.modules["__main__"].__spec__.name, "buffered": sys.stdout.line_buffering,
    }), flush=True)  # fmt: skip
    print("said apart", file=sys.stderr)
    if sys.argv[1:2] == ["starting"]:  # itself, and a process of a pool
        subprocess.run([sys.executable, "-m", "tests.showing", "0"], stdin=subprocess.DEVNULL, check=True)
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            print(json.dumps(pool.submit(of_pool).result()))
    if waits:
        time.sleep(600)
    Cycle()
    atexit.register(sys.stderr.write, "at the end")
    threading.Timer(0.2, sys.stderr.write, ["in a thread"]).start()
    sys.exit(int(sys.argv[-1]))
