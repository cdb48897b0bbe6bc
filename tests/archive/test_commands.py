"""The commands on the archive, run as Scrapy runs them, in this process."""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import feedparser
import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from warcio.archiveiterator import ArchiveIterator

from articlebot.actions import formats
from articlebot.archive import Archive, Kept, RawPages
from articlebot.publishing.specs import open_sinks
from tests.archive.conftest import MakeArticle

Run = Callable[..., str]
PAGE = """<html lang="en"><head><title>Bridge mended</title></head><body><article><h1>Bridge mended</h1>
<p>The council mended the old bridge over the river on Monday, after a long debate about what it would cost.</p>
<p>Most of those who live near the river were glad of it, as the way around takes half an hour on foot.</p>
<p>The next bridge to be mended is the one at the mill, which was closed in spring after the flood.</p>
</article></body></html>"""


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command with arguments and settings; returns what it printed."""
    monkeypatch.delenv("ARTICLEBOT_DATA_DIR", raising=False)

    def run(name: str, *args: str, **settings: Any) -> str:
        command = import_module(f"articlebot.commands.{name}").Command()
        values = {"ARTICLEBOT_DATA_DIR": str(tmp_path), "ARTICLEBOT_ARCHIVE_RAW": "all", **settings}
        command.settings = Settings(values)
        parser = argparse.ArgumentParser(conflict_handler="resolve")
        command.add_options(parser)
        options, rest = parser.parse_known_args(args)
        assert command.syntax()
        assert command.short_desc()
        assert command.long_desc()
        capsys.readouterr()
        command.run(rest, options)
        return capsys.readouterr().out

    return run


@pytest.fixture(autouse=True)
def filled(tmp_path: Path, make: MakeArticle) -> None:
    sinks = open_sinks({"jsonlines": {"type": "jsonlines"}}, tmp_path, lambda: 0.0)
    raw = RawPages(tmp_path / "raw", 1 << 20)
    with Archive(f"sqlite:///{tmp_path / 'archive.db'}", route=sinks.routes, raw=raw) as archive:
        old = make("a", "The old bridge.", title="Bridge", category="local")
        archive.publish([old], 1_700_000_000, {old: Kept(raw=PAGE.encode())})
        archive.publish([make("b", "北京大学招生。", title="招生\x1b[31m", site="pku.example")], 1_700_000_001)
        new = make("a", "The new bridge.", title="Bridge", category="local")
        archive.publish([new], 1_700_000_002, {new: Kept(raw=PAGE.encode())})


def test_export(run: Run, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in run("export", "--json").splitlines()]
    assert [(row["url"][-1], row["version"], row["body"]) for row in rows] == [
        ("a", 2, "The new bridge."), ("b", 1, "北京大学招生。"),
    ]  # fmt: skip
    assert len(run("export", "--json", "--versions").splitlines()) == 3
    assert len(run("export", "--json", "--site", "pku.example").splitlines()) == 1
    assert len(run("export", "--json", "--category", "local", "--versions").splitlines()) == 2
    assert run("export", "--json", "--since", "1h") == ""
    assert "Bridge" in run("export")
    with pytest.raises(UsageError, match="expected a date"):
        run("export", "--since", "some day")


@pytest.mark.parametrize(
    "command", [("export",), ("search", "bridge"), ("history", "--edits"), ("archive", "reextract")]
)
def test_a_filter_that_no_article_meets_is_refused(run: Run, command: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match=r"--site pku.exampel: .* did you mean pku.example"):
        run(*command, "--site", "pku.exampel")
    with pytest.raises(
        UsageError, match=r"--site zz: .*; it has pku.example(, [a-z.]+)*$|it has [a-z.]+, pku.example$"
    ):
        run(*command, "--site", "zz")
    assert run(*command, "--site", "pku.example") is not None


def test_export_in_the_formats_of_others(run: Run, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in run("export", "--format", "jsonl").splitlines()]
    table = list(csv.DictReader(io.StringIO(run("export", "--format", "csv"))))
    assert [(row["title"], row["body"], json.loads(row["categories"])) for row in table] == [
        (row["title"], row["body"], row["categories"]) for row in rows
    ]
    assert run("export", "--format", "markdown", "--site", "pku.example").startswith('---\ntitle: "招生')

    run("export", "--format", "markdown", "--out", str(tmp_path / "notes"))
    files = {path.name: path.read_text() for path in (tmp_path / "notes").iterdir()}
    assert len(files) == 2
    assert any("\n# Bridge\n\nThe new bridge.\n" in text for text in files.values())

    run("export", "--format", "parquet", "--out", str(tmp_path / "all.parquet"))
    read = pytest.importorskip("pyarrow.parquet").read_table(tmp_path / "all.parquet").to_pylist()
    assert [(row["key"], row["body"], row["authors"]) for row in read] == [
        (row["key"], row["body"], row["authors"]) for row in rows
    ]
    assert not list(tmp_path.glob("*.part"))
    with pytest.raises(UsageError, match="--out FILE"):
        run("export", "--format", "parquet")
    with pytest.raises(UsageError, match="give one"):
        run("export", "--format", "csv", "--json")
    with pytest.raises(UsageError, match=r"nowhere.x\.csv: No such file"):
        run("export", "--format", "csv", "--out", str(tmp_path / "nowhere" / "x.csv"))


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_export_in_a_locale_without_the_characters(
    run: Run, tmp_path: Path, make: MakeArticle, monkeypatch: pytest.MonkeyPatch, errors: str
) -> None:
    with Archive(f"sqlite:///{tmp_path / 'archive.db'}") as archive:
        archive.publish([make("e", "On the bridge.", title="招生 \N{BRIDGE AT NIGHT}")], 1.0)
    terminal = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(terminal, "ascii", errors))
    run("export", "--json")
    assert "招生 \N{BRIDGE AT NIGHT}" in {json.loads(line)["title"] for line in terminal.getvalue().splitlines()}


def test_export_of_what_a_search_finds(run: Run) -> None:
    assert [json.loads(line)["body"] for line in run("export", "--json", "--query", "bridges").splitlines()] == [
        "The new bridge."
    ]
    assert run("export", "--json", "--query", "bridge", "--site", "pku.example") == ""
    assert run("export", "--json", "--query", "大学", "--since", "1h") == ""
    with pytest.raises(UsageError, match="at least one word"):
        run("export", "--query", "，")


def test_markdown_keeps_the_words_of_a_text() -> None:
    row = dict.fromkeys(formats.COLUMNS) | {"title": "*Stars* #1", "body": "# not a heading\n1. not a list\n<b>"}
    text = formats._markdown(row)
    assert "# \\*Stars\\* #1\n\n\\# not a heading\n\n1\\. not a list\n\n\\<b\\>" in text


def test_export_as_warc(run: Run, tmp_path: Path) -> None:
    run("export", "--warc", str(tmp_path / "out.warc.gz"))
    with (tmp_path / "out.warc.gz").open("rb") as file:
        bodies = [record.content_stream().read() for record in ArchiveIterator(file)]
    assert bodies == [PAGE.encode()]
    with pytest.raises(UsageError, match="newest versions"):
        run("export", "--warc", str(tmp_path / "out.warc.gz"), "--versions")
    with pytest.raises(UsageError, match="no page is chosen"):
        run("export", "--warc", str(tmp_path / "none.warc"), "--query", "zeppelin")
    assert not (tmp_path / "none.warc").exists()
    assert run("search", "--since", "yesterday", "bridge") == run("search", "bridge", "--since", "2999-01-01")


def test_an_export_of_pages_says_how_many_it_has_not(
    run: Run, tmp_path: Path, make: MakeArticle, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Archive(f"sqlite:///{tmp_path / 'archive.db'}", raw=RawPages(tmp_path / "raw", 1 << 20)) as archive:
        asked = make("c", "Not to learn from.", usage={"noai": ""})
        archive.publish([asked], 1_700_000_003, {asked: Kept(raw=PAGE.encode())})
    said = io.StringIO()
    monkeypatch.setattr("sys.stderr", said)
    run("export", "--warc", str(tmp_path / "out.warc.gz"), "--for", "train")
    pages, missing, left_out = said.getvalue().splitlines()[-3:]
    assert pages.startswith("1 pages in")
    assert missing.startswith("1 articles have no page here: ")
    assert "withdrawals and articles in several pages have none" in missing
    assert left_out == "1 left out: 1 noai"


def test_search(run: Run) -> None:
    [row] = json.loads(run("search", "--json", "大学"))["articles"]
    assert row["url"].endswith("/b")
    assert row["marks"]
    assert "body" not in row
    text = run("search", "bridges", "--category", "local")
    assert "The new [bridge]." in text
    assert "1 found" in text
    assert "\x1b" not in run("search", "招生")
    with pytest.raises(UsageError, match="at least one word"):
        run("search", "，")
    with pytest.raises(UsageError):
        run("search")


def test_history(run: Run) -> None:
    text = run("history", "https://news.example.com/a#top")
    assert "The [-old-]{+new+} bridge." in text
    assert "version 2, updated" in text
    rows = json.loads(run("history", "--json", "https://news.example.com/a"))
    assert [row["version"] for row in rows] == [1, 2]
    assert run("history", rows[0]["page_key"]) == text
    assert "{+new+}" in run("history", "--edits")
    assert not feedparser.parse(run("history", "--edits", "--atom").encode()).bozo
    # Of an address that nothing is known of, a list of nothing and a line that says so.
    assert json.loads(run("history", "--json", "https://news.example.com/nothing")) == []
    for wrong in ("ftp://x", "a b"):
        with pytest.raises(UsageError):
            run("history", wrong)


def test_outbox(run: Run, tmp_path: Path) -> None:
    shown = json.loads(run("outbox", "show", "--json"))
    assert [(row["sink"], row["pending"]) for row in shown["sinks"]] == [("jsonlines", 3)]
    assert json.loads(run("outbox", "deliver", "--json"))["delivered"] == 3
    assert len((tmp_path / "published/articles.jsonl").read_text().splitlines()) == 3
    assert "jsonlines" in run("outbox", "show")
    more = {"ARTICLEBOT_PUBLISHING_SINKS": {"feeds": {"type": "feeds", "per": "all"}}}
    assert run("outbox", "fill", "--sink", "feeds", **more) == "2 enqueued\n"
    assert "2 delivered" in run("outbox", "deliver", **more)
    assert (tmp_path / "published/feeds/all.atom").exists()
    assert run("outbox", "retry") == "0 pending again, 0 dropped as stale\n"
    for wrong in (["fill"], ["drop"], ["fill", "--sink", "nobody"], ["burn"], []):
        with pytest.raises(UsageError):
            run("outbox", *wrong)
    with pytest.raises(UsageError, match="ARTICLEBOT_PUBLISHING_SINKS"):
        run("outbox", "show", ARTICLEBOT_PUBLISHING_SINKS={"x": {"type": "y"}})


def test_retention(run: Run) -> None:
    run("outbox", "deliver")
    assert run("archive", "retention") == "0 articles and 0 versions would be removed (--apply removes them)\n"
    assert "0 articles and 1 versions would" in run("archive", "retention", "--versions", "1")
    assert (
        json.loads(run("archive", "retention", "--json", "--apply", ARTICLEBOT_ARCHIVE_KEEP_VERSIONS=1))["versions"]
        == 1
    )
    assert json.loads(run("archive", "retention", "--json", ARTICLEBOT_ARCHIVE_KEEP_DAYS=1))["articles"] == 2
    assert json.loads(run("archive", "retention", "--json", "--apply", "--days", "1"))["articles"] == 2
    with pytest.raises(UsageError):
        run("archive", "retention", "--days", "0")


def test_reextract(run: Run) -> None:
    found = json.loads(run("archive", "reextract", "--json"))
    assert (found["different"], found["same"], found["applied"]) == (1, 0, False)
    assert found["articles"][0]["title"] == "Bridge mended"
    assert found["articles"][0]["change"].startswith(("[-", "{+"))
    assert "1 differ (published; " in run("archive", "reextract", "--apply")
    again = json.loads(run("archive", "reextract", "--json"))
    assert (again["different"], again["same"]) == (0, 1)
    [row] = [json.loads(line) for line in run("export", "--json", "--category", "local").splitlines()]
    assert row["version"] == 3
    assert "closed in spring" in row["body"]


def test_reextract_as_the_job_now_says(run: Run, tmp_path: Path, make: MakeArticle) -> None:
    """With its selectors, its time zone, and to its sinks only."""
    sinks = {"one": {"type": "jsonlines", "path": "one.jsonl"}, "two": {"type": "jsonlines", "path": "two.jsonl"}}
    page = PAGE.replace("<p>The council", '<time datetime="2024-05-01T08:00">1 May</time><p id="lead">The council')
    raw = RawPages(tmp_path / "raw", 1 << 20)
    with Archive(f"sqlite:///{tmp_path / 'archive.db'}", raw=raw) as archive:
        article = make("c", "Before.", category="c", fetched_at=1_720_000_000.0)
        archive.publish([article], 1_720_000_000, {article: Kept(sinks=("two",), raw=page.encode())})
    (tmp_path / "jobs.toml").write_text(
        '[[site]]\nname = "example"\nlist_pages = ["https://news.example.com/"]\ntimezone = "Asia/Shanghai"\n'
        'selectors = { body = "#lead" }\n'
    )
    settings = {"ARTICLEBOT_PUBLISHING_SINKS": sinks}
    run("archive", "reextract", "--apply", "--jobs", str(tmp_path / "jobs.toml"), **settings)
    [row] = [json.loads(line) for line in run("export", "--json", "--category", "c").splitlines()]
    assert row["version"] == 2
    assert row["body"].startswith("The council mended")
    assert "river were glad" not in row["body"]
    assert row["published_at"] == "2024-05-01T08:00:00+08:00"
    waiting = {row["sink"]: row["pending"] for row in json.loads(run("outbox", "show", "--json", **settings))["sinks"]}
    assert (waiting["one"], waiting["two"]) == (1, 2)  # "a", which names no sinks, goes to both
