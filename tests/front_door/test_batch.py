"""Work over the archive: the same results on any engine, after the command was killed, and after a worker was."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from warcio.warcwriter import WARCWriter

from tests.front_door.door import ROOT, Door, wait_for
from tests.front_door.site import SmallSite, article, news

# Each takes both cores.
pytestmark = pytest.mark.xdist_group("batch")

PAGES = 400


@pytest.fixture(scope="module")
def cluster() -> Iterator[dict[str, Any]]:
    """Address and workers of a dask cluster."""
    pytest.importorskip("distributed")
    command = [sys.executable, "-m", "tests.front_door.dask_cluster"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None and started.stdin is not None
        yield json.loads(started.stdout.readline())
        started.stdin.close()


@pytest.fixture(scope="module")
def warc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("warc") / "pages.warc.gz"
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for n in range(PAGES):
            body = article(f"Report number {n} from the harbour town").encode()
            url = f"https://news.example.com/2026/11/20/report-{n}.html"
            writer.write_record(
                writer.create_warc_record(
                    url, "resource", payload=BytesIO(body), length=len(body), warc_content_type="text/html"
                )
            )
    return path


@pytest.fixture(scope="module")
def read(warc: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What one process reads of the pages, undisturbed."""
    door = Door(tmp_path_factory.mktemp("read"))
    out = door.folder / "out.jsonl"
    done = door.type("archive", "reextract", "--warc", str(warc), "--out", str(out), "--processes", "1")
    assert done.returncode == 0, done.stderr[-3000:]
    assert f"{PAGES} pages read, 0 of them refused" in done.stderr
    assert not (door.data / "batch").exists()
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["url"][-8:] for row in lines[:2]] == ["t-0.html", "t-1.html"]
    assert all(row["body"].startswith("Report number") for row in lines)
    return out.read_bytes()


def begun(door: Door, name: str, *arguments: str) -> subprocess.Popen[str]:
    """A command that has done a batch."""
    started = door.begin(*arguments)
    journal = door.data / "batch" / f"{name}.jsonl"
    wait_for(lambda: (journal.exists() and b"\n" in journal.read_bytes()) or started.poll() is not None)
    assert started.poll() is None, started.communicate()[1][-3000:]
    return started


def kill(started: subprocess.Popen[str]) -> None:
    with started:
        os.kill(started.pid, signal.SIGKILL)
        started.communicate()


def test_reading_again_is_killed_and_continues(door: Door, warc: Path, read: bytes) -> None:
    out = door.folder / "out.jsonl"
    command = ("archive", "reextract", "--warc", str(warc), "--out", str(out), "--processes", "2")
    kill(begun(door, "reextract-warc", *command))
    assert not out.exists()
    done = door.type(*command)
    assert done.returncode == 0, done.stderr[-3000:]
    assert out.read_bytes() == read
    assert not (door.data / "batch").exists()


def test_reading_again_on_a_cluster_one_of_whose_workers_is_killed(
    door: Door, warc: Path, read: bytes, cluster: dict[str, Any]
) -> None:
    out = door.folder / "out.jsonl"
    command = (
        "archive",
        "reextract",
        "--warc",
        str(warc),
        "--out",
        str(out),
        "--engine",
        f"dask://{cluster['address']}",
    )
    with begun(door, "reextract-warc", *command) as started:
        os.kill(cluster["workers"][0], signal.SIGKILL)
        _, said = started.communicate()
    assert started.returncode == 0, said[-3000:]
    assert "dashboard at http://" in said
    assert out.read_bytes() == read


def test_an_engine_that_is_away_and_bad_use(door: Door, warc: Path) -> None:
    for arguments, code, said in (
        (["--warc", str(warc), "--engine", "dask://127.0.0.1:9"], 75, "no scheduler answers at dask://127.0.0.1:9"),
        (["--warc", str(warc), "--engine", "spark"], 2, "--engine spark: expected local or dask://host:port"),
        (["--warc", str(warc), "--processes", "0"], 2, "--processes 0: expected one or more"),
        (["--warc", "absent.warc"], 2, "--warc absent.warc: no such file"),
        (["--warc", str(warc), "--apply"], 2, "--apply belongs to the archive"),
        (["--out", "x"], 2, "--out belongs to --warc"),
    ):
        done = door.type("archive", "reextract", *arguments)
        assert (done.returncode, said in done.stderr + done.stdout) == (code, True), (arguments, done.stderr)


def test_reading_the_archive_again_is_killed_and_continues(door: Door, tmp_path: Path) -> None:
    with SmallSite(news(150)) as site:
        crawl = ["crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle", "-s", "ROBOTSTXT_OBEY=False"]
        done = door.type(*crawl, env={"ARTICLEBOT_ARCHIVE_RAW": "all"})
    before = door.archived()
    assert len(before) >= 100, done.stderr[-3000:]
    job = f'[[site]]\nname = "{before[0]["job"]}"\nlist_pages = ["{site.url}/"]\n'
    jobs = door.file("jobs.toml", job + 'selectors = { body = "article p:last-child" }\n')
    other = Door(tmp_path / "other")
    shutil.copytree(door.data, other.data)
    command = ("archive", "reextract", "--apply", "--jobs", str(jobs))
    assert f"{len(before)} differ (published; " in other.type(*command).stdout
    kill(begun(door, "reextract", *command))
    assert door.type(*command).returncode == 0
    texts = [{row["url"]: (row["version"], row["body"]) for row in one.archived()} for one in (door, other)]
    assert texts[0] == texts[1]
    assert {version for version, _ in texts[0].values()} == {2}


def _texts(count: int, paragraphs: int) -> str:
    titles = (f"Report number {n % (count - 300)} from the harbour" for n in range(count))
    rows = ({"id": n, "text": article(title, paragraphs=paragraphs)} for n, title in enumerate(titles))
    return "".join(json.dumps(row) + "\n" for row in rows)


def _groups(out: str) -> list[list[int]]:
    """The clusters; their names are new in each run."""
    groups: dict[str, list[int]] = {}
    for line in out.splitlines():
        row = json.loads(line)
        groups.setdefault(row["cluster"], []).append(row["id"])
    return list(groups.values())


def test_near_duplicates_on_every_engine_and_after_a_kill(door: Door, cluster: dict[str, Any]) -> None:
    docs = door.file("docs.jsonl", _texts(3000, 6))
    command = ("neardup", "--docs", str(docs), "--json")
    alone = door.type(*command, "--processes", "1")
    assert alone.returncode == 0, alone.stderr[-3000:]
    assert len(_groups(alone.stdout)) < 3000
    assert _groups(door.type(*command, "--engine", f"dask://{cluster['address']}").stdout) == _groups(alone.stdout)
    kill(begun(door, "neardup", *command, "--processes", "2"))
    assert _groups(door.type(*command, "--processes", "2").stdout) == _groups(alone.stdout)


def test_classes_and_keywords_on_every_engine(door: Door, cluster: dict[str, Any]) -> None:
    data = door.file("texts.jsonl", _texts(2500, 1))
    written = []
    for number, engine in enumerate(
        (["--processes", "1"], ["--processes", "2"], ["--engine", f"dask://{cluster['address']}"])
    ):
        out = door.folder / f"classes-{number}.jsonl"
        done = door.type("classify", "--data", str(data), "--out", str(out), "--keywords", "5", *engine)
        assert done.returncode == 0, done.stderr[-3000:]
        written.append(out.read_text())
    assert written[0] == written[1] == written[2]
    assert len(json.loads(written[0].splitlines()[0])["keywords"]) == 5


def test_wrappers_on_every_engine(door: Door, cluster: dict[str, Any], tmp_path: Path) -> None:
    rows = []
    for site in ("one.example", "two.example", "three.example"):
        for n in range(6):
            path = door.file(f"{site}-{n}.html", article(f"Report number {n} of {site}"))
            rows.append({"site": site, "url": f"https://{site}/2026/11/20/report-{n}.html", "html_path": path.name})
    pages = door.file("pages.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    learned = []
    for engine in (["--processes", "1"], ["--processes", "2"], ["--engine", f"dask://{cluster['address']}"]):
        shutil.rmtree(door.data, ignore_errors=True)
        done = door.type("learn", "--pages", str(pages), *engine)
        assert done.returncode == 0, done.stderr[-3000:]
        files = sorted((door.data / "wrappers").rglob("v1.json"))
        found = [json.loads(path.read_text()) for path in files]
        learned.append([[{**one, "learned_at": 0} for one in version["templates"]] for version in found])
    assert len(learned[0]) == 3
    assert learned[0] == learned[1] == learned[2]
    assert door.type("learn", "--pages", str(pages)).returncode == 0
    assert not list((door.data / "wrappers").rglob("v2.json"))  # nothing new was learned
