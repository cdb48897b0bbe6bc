"""What an operator installs: the wheel of the crawler alone, or with that of the laboratory beside it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.front_door.door import ROOT, Door
from tests.front_door.site import SmallSite, news


@pytest.fixture
def wheels(tmp_path: Path) -> dict[str, Path]:
    """Both wheels, built from the source distribution and unpacked, by the name of their package."""
    copy, dist = tmp_path / "copy", tmp_path / "dist"
    left = shutil.ignore_patterns(".venv*", ".git", "build", "dist", "*.egg-info", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, copy, ignore=lambda at, names: {*left(at, names), *(["data"] if Path(at) == ROOT else [])})
    subprocess.run([sys.executable, "setup.py", "-q", "sdist", "-d", str(dist)], cwd=copy, check=True, timeout=600)
    with tarfile.open(next(dist.glob("*.tar.gz"))) as packed:
        packed.extractall(tmp_path / "source", filter="data")
    tree = next((tmp_path / "source").iterdir())
    for name in ("LICENSE", "Makefile", "constraints.txt", "docs/README.md", "deploy/Dockerfile", "tests/conftest.py"):
        assert (tree / name).is_file(), f"the source distribution lacks {name}"
    for source in (tree, tree / "articlebot_lab"):
        subprocess.run(
            [
                sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index",
                "--disable-pip-version-check", "-w", str(dist), str(source),
            ],
            check=True, timeout=600,
        )  # fmt: skip
    found, versions = {}, set()
    for wheel in dist.glob("*.whl"):
        name, version, *_ = wheel.name.split("-")
        versions.add(version)
        found[name] = tmp_path / "unpacked" / name
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(found[name])
    assert len(versions) == 1  # the laboratory asks for the crawler of its own version
    return found


@pytest.fixture
def operator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Door:
    """A terminal in an empty folder, on a machine that has what articlebot needs, without articlebot."""
    venv.create(tmp_path / "venv", symlinks=True)
    needed = tmp_path / "needed"
    needed.mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if not path.name.lower().startswith(("articlebot", "__editable__")):
            (needed / path.name).symlink_to(path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv" / "bin" / "python"))
    monkeypatch.setenv("PYTHONPATH", str(needed))
    folder = tmp_path / "empty"
    folder.mkdir()
    return Door(tmp_path, cwd=folder, program="articlebot")


def test_the_crawler_s_wheel_crawls_alone_and_the_laboratory_s_adds_its_commands(
    wheels: dict[str, Path], operator: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed = os.environ["PYTHONPATH"]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(wheels["articlebot"]), needed]))
    assert not list(wheels["articlebot"].glob("articlebot_lab*"))
    with SmallSite(news(3)) as site:
        done = operator.type("crawl", "--url", f"{site.url}/")
        twice = operator.type("crawl", "article", "--url", site.url, "-a", f"url={site.url}")
    assert done.returncode == 0, done.stderr[-2000:]
    assert (twice.returncode, "--url and -a url=" in twice.stderr) == (2, True)
    assert len(operator.archived()) == 3
    absent = operator.type("run")
    assert absent.returncode == 2
    assert "--jobs FILE or --url URL" in absent.stderr
    assert "pip install ./articlebot_lab" in absent.stderr
    unknown = operator.type("newsroom")
    assert (unknown.returncode, "no command newsroom" in unknown.stderr) == (2, True)
    assert "did you mean status?" in operator.type("stauts").stderr

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([*map(str, wheels.values()), needed]))
    listed = operator.type()
    assert {"newsroom", "simulate", "soak"} <= {line.split()[0] for line in listed.stdout.splitlines() if line.strip()}
    # The list is articlebot's: its own name, the first line to type, no names of earlier versions.
    assert "articlebot crawl --url URL" in listed.stdout
    assert not re.search(r"scrapy <|Now `|\bscrapy [a-z]", listed.stdout)
    shown = operator.type("run", "--seconds", "20", "--sites", "2", "--json", seconds=600)
    assert shown.returncode == 0, shown.stderr[-2000:]
    report = json.loads(shown.stdout)
    assert report["sites"] == 2
    assert report["published_share"] > 0.5
