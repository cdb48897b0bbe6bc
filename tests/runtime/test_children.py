from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from articlebot.actions.workers import _end_with
from articlebot.runtime.children import end

# Runs a pool, tells its process's number and is killed while that waits for more work.
PARENT = """
import multiprocessing, os, signal
from concurrent.futures import ProcessPoolExecutor
from articlebot.runtime.children import end_with_parent

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(1, mp_context=context, initializer=end_with_parent)
    print(pool.submit(os.getpid).result(), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_pool_does_not_outlive_a_killed_worker(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    deadline = time.monotonic() + 300
    while alive(int(done.stdout)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not alive(int(done.stdout))


def test_what_watches_a_pool_is_gone_with_it() -> None:
    """Of a dozen processes that ended right behind their pool one wrote into its closed pipe, with a traceback."""
    pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
    pool.submit(time.sleep, 300)
    assert _watching()
    end(pool)
    assert not _watching()


def test_a_worker_whose_run_is_gone_before_it_was_bound_to_it_does_not_begin() -> None:
    """It crawled on as an orphan: the kernel tells nothing of a death that was before it was asked to."""
    for parent, code in ((os.getpid(), 0), (1, 130)):
        done = subprocess.run([sys.executable, "-c", ""], preexec_fn=partial(_end_with, parent), check=False)
        assert done.returncode == code


def _watching() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if "ExecutorManager" in type(thread).__name__]


def alive(process: int) -> bool:
    """Whether a process runs; an ended one that nobody has waited for does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"
