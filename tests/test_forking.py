"""A command that is forked is as one that is started."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests import forking

ROOT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="commands are forked on Linux only")


def _told(popen: Any, folder: Path, *arguments: str, **kwargs: Any) -> dict[str, Any]:
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(ROOT)]),
        "TZ": "Asia/Shanghai",
        "OWN": "1",
    }
    command = [sys.executable, "-W", "error", "-m", "tests.showing", *arguments]
    with popen(command, cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
               text=True, **kwargs) as process:  # fmt: skip
        out, errors = process.communicate("what is typed")
    told = json.loads(out)
    assert told.pop("pid") == process.pid
    errors = re.sub(r"(?m)^(Traceback|  ).*\n", "", errors)  # where the last garbage was collected
    return {**told, "code": process.returncode, "errors": errors}


def test_it_has_what_one_that_is_started_has(tmp_path: Path) -> None:
    forked = _told(forking.Forked, tmp_path, "--a", "b c", "7", start_new_session=True)
    plain = _told(forking.PLAIN, tmp_path, "--a", "b c", "7", start_new_session=True)
    assert forked.pop("scrapy") and not plain.pop("scrapy")  # the libraries are there
    assert forked == plain
    assert plain["code"] == 7
    assert plain["typed"] == "what is typed"
    assert [word in plain["errors"] for word in ("in a thread", "at the end", "ResourceWarning")] == [True] * 3


def test_last_words_that_nobody_takes_are_told_by_its_code() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "version"], cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (done.returncode, b"BrokenPipeError" in done.stderr) == (120, True)


def test_what_it_starts_is_forked_too_and_its_own_child() -> None:
    command = [sys.executable, "-m", "tests.showing", "starting", "0"]
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True)
    own, started, of_pool = map(json.loads, done.stdout.splitlines())
    assert (started["parent"], started["scrapy"]) == (own["pid"], True)
    assert of_pool == [own["pid"], True]


def test_it_is_killed_and_waited_for_like_another() -> None:
    process = subprocess.Popen([sys.executable, "-m", "tests.showing", "wait"], stdout=subprocess.PIPE)
    assert isinstance(process, forking.Forked)
    with process:
        assert process.stdout and process.stdout.readline()
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL
    deadline = time.monotonic() + 300
    while Path(f"/proc/{process.pid}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_what_a_test_leaves_is_known() -> None:
    process = subprocess.Popen([sys.executable, "-m", "tests.showing", "wait"], stdout=subprocess.PIPE)
    assert forking.Forked.running() == {process}
    with process:
        process.kill()
    assert forking.Forked.running() == set()


@pytest.mark.parametrize("change", [{"PYTHONPATH": "/elsewhere"}, {"PYTHONHASHSEED": "3"}])
def test_what_python_reads_as_it_starts_is_not_forked(change: dict[str, str]) -> None:
    command = [sys.executable, "-m", "tests.showing", "0"]
    done = subprocess.run(
        command, env={**os.environ, **change}, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, check=True
    )
    assert json.loads(done.stdout)["scrapy"] is False
