"""What is typed wrong is said in one line that names it, and nothing is done: no traceback, no other meaning."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.front_door.door import ROOT, Door
from tests.front_door.site import SmallSite, news

HUGE = "9" * 30


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of who has crawled a site: nothing of what is typed here changes it."""
    folder = tmp_path_factory.mktemp("crawled")
    with SmallSite(news(8)) as site:
        done = Door(folder).type("crawl", "--url", f"{site.url}/")
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (f"history --edits --limit {HUGE}", f"--limit: expected a number from 1 to 1,000,000,000, not {HUGE}"),
        ("history --edits --limit 0", "--limit: expected a number from 1 to"),
        (f"outbox show --limit {HUGE}", "--limit: expected a number from 1 to"),
        (f"archive retention --versions {HUGE}", "--versions: expected a number from 1 to"),
        ("archive retention --days nan", "--days: expected a number above 0"),
        (f"seeds candidates --most {HUGE}", "--most: expected a number from 1 to"),
        ("history words", "words: expected an http or https address, such as https://news.example/"),
        ("outbox retry --sink jsonlins", "no sink 'jsonlins'; there are: jsonlines"),
        ("crawl --urll https://a.example/", "no option --urll; did you mean --url?"),
        ("crawl --url https://a.example/ --workers 2", "no option --workers; see --help"),
        ("crawl --url https://a.example/,https://b.example/", "https://b.example/: expected one address"),
        ("outbox drop --sink jsonlins", "no sink 'jsonlins'; there are: jsonlines"),
        ("search council --save=", "'' is no name for a search"),
        ("wrappers show 127.0.0.1 --version 99", "error: 127.0.0.1: no version 99 of its wrapper"),
        ("seeds add --file nothing.txt", "error: nothing.txt: No such file or directory"),
        ("proxies add --file nothing.txt", "error: nothing.txt: No such file or directory"),
        ("export --format csv --out none/out.csv", "error: none/out.csv: No such file or directory"),
        ("status -s REDIS_URL=http://a/", "error: REDIS_URL: expected redis://host:6379/0"),
    ],
)
def test_it_is_named(crawled: Path, tmp_path: Path, typed: str, said: str) -> None:
    shutil.copytree(crawled / "data", tmp_path / "data")
    done = Door(tmp_path).type(*typed.split())
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr[-2000:]
    assert said in done.stderr


@pytest.mark.parametrize(
    "sinks",
    [
        '{"desk": {"type": "webhook", "url": "https://desk.example/", "secret": "whsec_hidden"},}',
        '{"bus": {"type": "kafka", "topic": "news", "producer": {"sasl.password": "hidden"}},}',
    ],
)
def test_no_secret_of_a_mistyped_sink_is_printed(door: Door, sinks: str) -> None:
    done = door.type("outbox", "show", env={"ARTICLEBOT_PUBLISHING_SINKS": sinks})
    assert done.returncode == 2
    assert "ARTICLEBOT_PUBLISHING_SINKS: expected JSON: " in done.stderr
    assert "hidden" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('name = "the town"', "name: expected letters, digits, - . _ (got 'the town')"),
        ('name = "a"\nlanguage = "english"', 'language: expected a code of ISO 639-1, such as "en" or "zh"'),
    ],
)
def test_what_a_job_file_wants_is_said_in_words(door: Door, line: str, said: str) -> None:
    path = door.file("jobs.toml", f'[[site]]\n{line}\nlist_pages = ["https://a.example/"]\n')
    done = door.type("jobs", "check", str(path))
    assert (done.returncode, said in done.stdout + done.stderr) == (1, True), done.stdout + done.stderr


def test_a_draft_that_cannot_be_made_is_not_what_is_named(crawled: Path, tmp_path: Path) -> None:
    door = Door(crawled)
    warc = tmp_path / "pages.warc"
    warc.write_bytes(b"")
    done = door.type("archive", "reextract", "--warc", str(warc), "--out", str(tmp_path / "none" / "rows.jsonl"))
    assert done.returncode == 2
    assert f"error: {tmp_path}/none/rows.jsonl: No such file or directory" in done.stderr


def test_who_types_python_m_is_told_by_the_program_s_name(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    typed = [sys.executable, "-m", "articlebot", "jobs", "chekc"]
    done = subprocess.run(
        typed, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("articlebot: error: expected one of: check, ")
