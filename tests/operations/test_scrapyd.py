"""The project on a real scrapyd: built, deployed, scheduled, cancelled, with every data file read from the egg.

The environment that scrapyd runs in has what articlebot needs, but not articlebot: what is imported is the egg.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from articlebot_lab.newsroom.process import Newsroom

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 300.0

pytestmark = [
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in ("scrapyd", "scrapyd_client")),
        reason="scrapyd and scrapyd-client are not installed: pip install '.[scrapyd]'",
    ),
    pytest.mark.xdist_group("scrapyd"),
]

# Reads each kind of data file through the code that needs it.
READ_ALL = """
import importlib, pkgutil, sys, tempfile
import articlebot
assert ".egg/" in articlebot.__file__, articlebot.__file__
for module in pkgutil.walk_packages(articlebot.__path__, "articlebot."):
    if ".console" not in module.name:
        importlib.import_module(module.name)

import first_schema  # of the tests, beside the egg
from articlebot.archive import migrate
from articlebot.archive.engine import open_engine, writing
with tempfile.TemporaryDirectory() as folder:
    engine = open_engine(f"sqlite:///{folder}/old.db")
    with writing(engine) as connection:
        first_schema.create(connection)
    migrate.prepare(engine)
    engine.dispose()

from articlebot import classify
from articlebot.extraction.cascade import extract
from articlebot.page import Page
assert len(classify.load(None).labels) > 3
classify.keywords("a small text about the harbour", "en", 2)
page = Page.parse(b"<html><body><p>" + b"Ships came into the harbour. " * 60, "http://a.test/1.html")
assert "harbour" in extract(page).body
from articlebot.text import normalise
from articlebot.text.simhash import fingerprint
assert fingerprint(normalise("Ships came into the harbour"))
try:
    import jinja2
except ImportError:
    pass
else:
    loader = jinja2.PackageLoader("articlebot.console")
    names = loader.list_templates()
    assert names
    assert all(loader.get_source(jinja2.Environment(), name)[0] for name in names)
print("all read")
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project: building leaves folders behind."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(ROOT / "articlebot", folder / "articlebot", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("setup.py", "scrapy.cfg", "README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter with this one's packages, but without articlebot."""
    folder = tmp_path_factory.mktemp("scrapyd") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (target,) = folder.glob("lib/python*/site-packages")
    # Neither articlebot nor the laboratory: entry points of an installed one name commands to look for.
    for path in (path for folder in sys.path if folder.endswith("site-packages") for path in Path(folder).iterdir()):
        if not path.name.startswith(("articlebot", "__editable__")) and not (target / path.name).exists():
            (target / path.name).symlink_to(path)
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def server(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scrapyd]:
    with Newsroom(seconds=120, sites=2, grace=3600) as room:
        running = Scrapyd(python, tmp_path_factory.mktemp("server"), room)
        try:
            running.wait_until_up()
            yield running
        finally:
            running.stop()


class Scrapyd:
    """A scrapyd on loopback whose jobs ask the newsroom."""

    def __init__(self, python: Path, folder: Path, room: Newsroom) -> None:
        self._kept = socket.socket()
        self._kept.bind(("127.0.0.1", 0))
        self._kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # it may listen there; nobody else gets it
        port = self._kept.getsockname()[1]
        self.url, self.folder = f"http://127.0.0.1:{port}/", folder
        self.jobs, self.data, self.unpacked = folder / "jobs.toml", folder / "data", folder / "unpacked"
        self.jobs.write_bytes(room.get("http://newsroom.test/jobs.toml")[2])
        (folder / "scrapyd.conf").write_text(f"[scrapyd]\nhttp_port = {port}\npoll_interval = 0.2\nmax_proc = 1\n")
        self.environment = {
            **clean_environment(),
            "http_proxy": room.proxy,
            "no_proxy": "127.0.0.1",
            "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01",
            "ARTICLEBOT_DELAYS_MEAN_S": "0.03",
            "PYTHON_EGG_CACHE": str(self.unpacked),
        }
        self._log = (folder / "scrapyd.log").open("wb")
        self._process = subprocess.Popen(
            [str(python), "-m", "scrapyd"], cwd=folder, env=self.environment, stdout=self._log, stderr=self._log
        )

    def ask(self, name: str, **values: Any) -> dict[str, Any]:
        """The answer of one of its services; values are posted."""
        data = urllib.parse.urlencode(values, doseq=True).encode() if values else None
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(self.url + name, data, PATIENCE_S) as answer:
            found: dict[str, Any] = json.load(answer)
        assert found["status"] == "ok", found
        return found

    def state(self, job: str) -> str:
        listed = self.ask("listjobs.json?project=articlebot")
        return next((s for s in ("pending", "running", "finished") for one in listed[s] if one["id"] == job), "unknown")

    def job_log(self, job: str) -> str:
        path = self.folder / "logs" / "articlebot" / "article" / f"{job}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def wait_until_up(self) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                self.ask("daemonstatus.json")
            except (urllib.error.URLError, ConnectionError):
                assert self._process.poll() is None, self.said()
                time.sleep(0.1)
            else:
                return
        raise AssertionError(self.said())

    def said(self) -> str:
        return (self.folder / "scrapyd.log").read_text(errors="replace")[-3000:]

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(300)
        self._log.close()
        self._kept.close()


def clean_environment() -> dict[str, str]:
    """Without what this run's own tools left there."""
    dropped = ("ARTICLEBOT_", "SCRAPY_", "COV_", "COVERAGE_", "PYTHONPATH", "REDIS_URL")
    return {name: value for name, value in os.environ.items() if not name.startswith(dropped)}


def build(project: Path, python: Path) -> Path:
    egg = project / "articlebot.egg"
    if not egg.exists():
        command = [str(python), "-m", "scrapyd_client.deploy", "--build-egg", str(egg)]
        made = subprocess.run(
            command, cwd=project, env=clean_environment(), capture_output=True, text=True, check=False
        )
        assert made.returncode == 0, made.stderr
    return egg


def test_the_egg_has_every_data_file(project: Path, python: Path) -> None:
    with zipfile.ZipFile(build(project, python)) as egg:
        inside = set(egg.namelist())
    data = {
        path.relative_to(project).as_posix()
        for path in (project / "articlebot").rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    assert data <= inside, sorted(data - inside)


def test_data_files_are_read_from_the_egg(project: Path, python: Path, tmp_path: Path) -> None:
    environment = {
        **clean_environment(),
        "PYTHONPATH": f"{build(project, python)}:{tmp_path}",
        "PYTHON_EGG_CACHE": str(tmp_path / "cache"),
    }  # fmt: skip
    shutil.copy(ROOT / "tests" / "archive" / "first_schema.py", tmp_path)
    ran = subprocess.run(
        [str(python), "-c", READ_ALL], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.stdout.endswith("all read\n"), ran.stderr[-3000:]
    assert not (tmp_path / "cache").exists()


def test_deployed_scheduled_and_cancelled(project: Path, python: Path, server: Scrapyd) -> None:
    (project / "scrapy.cfg").write_text(
        (project / "scrapy.cfg").read_text().replace("http://localhost:6800/", server.url)
    )
    command = [str(python), "-m", "scrapyd_client.deploy", "--egg", str(build(project, python))]
    deployed = subprocess.run(command, cwd=project, env=server.environment, capture_output=True, text=True, check=False)
    assert deployed.returncode == 0, deployed.stdout + deployed.stderr + server.said()
    assert "article" in server.ask("listspiders.json?project=articlebot")["spiders"]

    job = server.ask(
        "schedule.json", project="articlebot", spider="article", jobs=server.jobs, until="forever",
        setting=f"ARTICLEBOT_DATA_DIR={server.data}",
    )["jobid"]  # fmt: skip
    published = server.data / "published" / "articles.jsonl"
    wait_for(lambda: published.exists() and published.stat().st_size > 0, server, job)
    assert server.ask("cancel.json", project="articlebot", job=job)["prevstate"] == "running"
    wait_for(lambda: server.state(job) == "finished", server, job)

    log = server.job_log(job)
    assert "Closing spider (shutdown)" in log, log[-3000:]
    assert "Traceback" not in log, log
    last = json.loads((server.data / "last-run.json").read_text())
    assert last["reason"] == "shutdown"
    assert last["stats"]["articlebot/publish/new"] > 0
    assert not (server.data / "redis" / "redis.sock").exists(), "the private Redis server was left running"
    assert not server.unpacked.exists()


def wait_for(condition: Any, server: Scrapyd, job: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, server.job_log(job)[-3000:] + server.said()
        time.sleep(0.1)
