"""What every command costs before its first word: Scrapy imports the modules of all commands for each of them."""

from __future__ import annotations

import itertools
import json
import os
import shlex
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from scrapy.cmdline import ScrapyArgumentParser
from scrapy.commands import ScrapyHelpFormatter
from scrapy.settings import Settings
from scrapy.spiderloader import get_spider_loader

from articlebot.commands.crawl import SPIDERS, spiders
from articlebot.extraction.wrapper.model import FORMAT, Rules, dump
from articlebot.extraction.wrapper.shelf import FolderShelf
from articlebot.settings import SPIDER_MODULES
from tests.front_door.door import Door
from tests.hurried import scrapy_with

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {
    "jieba", "rjieba", "sqlalchemy", "numpy", "trafilatura", "redis", "tldextract", "articlebot.config",
    "articlebot.runtime", "articlebot.spiders",
}  # fmt: skip
TYPED = """
import sys
import time
from scrapy.cmdline import execute
try:
    execute(["scrapy", *sys.argv[1:]])
except SystemExit as end:
    print("ended with", end.code, file=sys.stderr)
print(*sorted(sys.modules), sep="\\n", file=sys.stderr)
"""


def _imported(*arguments: str) -> set[str]:
    """The modules that a command has imported at its end."""
    done = subprocess.run(
        [sys.executable, "-c", TYPED, *arguments], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )
    assert "Traceback" not in done.stderr, done.stderr[:3000]
    return set(done.stderr.split("\n"))


@pytest.mark.parametrize("command", [("status",), ("crawl", "--url", "http://127.0.0.1:9/")])
def test_a_log_that_cannot_be_written_is_said_on_one_line(tmp_path: Path, command: tuple[str, ...]) -> None:
    log = tmp_path / "none" / "crawl.log"
    done = Door(tmp_path).type(*command, "-s", f"LOG_FILE={log}")
    assert done.returncode == 2
    assert done.stderr.endswith(f"error: LOG_FILE: {log} cannot be written: No such file or directory\n")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [("status", "--help"), ("explain",), ("jobs",), ("jobs", "chekc"), ("-h",), ("crawl", "articel"), ("list",)],
)
def test_help_imports_nothing_that_it_does_not_need(arguments: tuple[str, ...]) -> None:
    assert HEAVY & _imported(*arguments) == set()


def test_the_spiders_are_those_that_the_crawl_command_knows() -> None:
    settings = Settings({"SPIDER_MODULES": SPIDER_MODULES})
    assert sorted(get_spider_loader(settings).list()) == list(SPIDERS)
    assert spiders(settings) is SPIDERS


def test_a_command_imports_no_more_than_it_uses(tmp_path: Path) -> None:
    # Job files are read without stores, wrappers and the segmenter.
    path = tmp_path / "jobs.toml"
    path.write_text('[[site]]\nname = "daily"\nlist_pages = "https://daily.example/"\n')
    assert {"jieba", "trafilatura", "sqlalchemy"} & _imported("jobs", "check", str(path)) == set()


@pytest.mark.parametrize("arguments", [("export",), ("search", "大桥"), ("history", "--edits"), ("outbox", "show")])
def test_what_asks_the_archive_alone_imports_nothing_of_the_queue(arguments: tuple[str, ...], tmp_path: Path) -> None:
    found = _imported(*arguments, "-s", f"ARTICLEBOT_DATA_DIR={tmp_path}")
    assert {"redis", "numpy", "articlebot.jobs", "articlebot.runtime.runtime"} & found == set()
    assert "sqlalchemy" in found


def test_what_opens_stores_imports_none_of_what_reads_pages() -> None:
    names = [
        "jobs",
        "frontier",
        "proxies",
        "console_tokens",
        "search",
        "export",
        "status",
        "history",
        "explain",
        "wrappers",
        "outbox",
    ]
    code = (
        "import sys, articlebot.settings, articlebot.runtime.runtime\n"
        "from importlib import import_module\n"
        "for name in sys.argv[1:]:\n"
        "    import_module(f'articlebot.actions.{name}')\n"
        "    print(name, *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, *names], cwd=ROOT, capture_output=True, text=True, check=True)
    by_name = {name: set(modules) for name, *modules in map(str.split, done.stdout.splitlines())}
    pages = {
        "articlebot.page",
        "articlebot.extraction.cascade",
        "articlebot.extraction.wrapper.wrapper",
        "trafilatura",
        "numpy",
        "tldextract",
        "warcio",
        "jieba",
    }
    assert {name for name, modules in by_name.items() if pages & modules} == set()
    # Those that only ask the queue need no archive, and those that deliver nothing no sinks.
    assert {name for name, modules in by_name.items() if "sqlalchemy" in modules} == set(names[4:])
    assert {name for name, modules in by_name.items() if "articlebot.publishing.specs" in modules} == {"outbox"}


def test_which_wrappers_there_are_is_told_without_what_applies_them(tmp_path: Path) -> None:
    shelf = FolderShelf(tmp_path)
    rules = {"format": FORMAT, "site": "a.test", "version": 1, "templates": [dump(Rules(site="a.test"))]}
    assert shelf.add("a.test", 1, json.dumps(rules))
    found = _imported("wrappers", "list", "-s", f"ARTICLEBOT_DATA_DIR={tmp_path}")
    assert {"articlebot.page", "articlebot.extraction.wrapper.wrapper", "numpy"} & found == set()
    assert "articlebot.extraction.wrapper.store" in found


@pytest.mark.parametrize("columns", ["60", "80", "120"])
def test_no_line_of_an_option_s_help_is_a_heading(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for module in iter_modules([str(ROOT / "articlebot" / "commands")]):
        if module.ispkg:
            continue
        command = import_module(f"articlebot.commands.{module.name}").Command()
        command.settings = Settings()
        parser = ScrapyArgumentParser(
            formatter_class=ScrapyHelpFormatter, usage=command.syntax(), conflict_handler="resolve",
        )  # fmt: skip
        command.add_options(parser)
        lines = parser.format_help().splitlines()
        under = {before for before, line in itertools.pairwise(lines) if line and not set(line) - {"=", "-"}}
        assert under == {"Usage", "Options", "Global Options"}, module.name


@pytest.mark.parametrize(
    ("redirected", "code", "said"),
    [(">&-", 0, ""), (">/dev/full", 2, "what is printed cannot be written: No space left on device")],
)
def test_output_that_goes_nowhere_is_no_traceback(tmp_path: Path, redirected: str, code: int, said: str) -> None:
    typed = f"{sys.executable} -m scrapy jobs check {tmp_path / 'jobs.toml'} {redirected}"
    (tmp_path / "jobs.toml").write_text('[[site]]\nname = "daily"\nlist_pages = "https://daily.example/"\n')
    done = subprocess.run(typed, cwd=ROOT, shell=True, capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr[-2000:]
    assert said in done.stderr


@pytest.mark.parametrize(("files", "code"), [(16, 71), (28, 1)])  # too few for a command, and for its Redis server
def test_too_few_open_files_are_said_at_once(tmp_path: Path, files: int, code: int) -> None:
    # It waited as long for its Redis server: a minute, which is an hour here.
    waits = {"articlebot.runtime.private_redis:_START_TIMEOUT": 3600.0}
    command = shlex.join([*scrapy_with(waits), "status", "-s", f"ARTICLEBOT_DATA_DIR={tmp_path}"])
    typed = f"ulimit -n {files}; {command}"
    done = subprocess.run(typed, cwd=ROOT, shell=True, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == code
    assert "ulimit -n" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_current_folder_that_is_gone_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    typed = f"cd {tmp_path}/gone && rmdir {tmp_path}/gone && {sys.executable} -m articlebot status"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(typed, shell=True, env=environment, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 2
    assert done.stderr == "articlebot: the folder you are in was removed; change to another one\n"


def test_who_interrupts_what_is_still_being_loaded_sees_one_line(tmp_path: Path) -> None:
    # As if the signal came while Scrapy was being imported.
    (tmp_path / "scrapy").mkdir()
    (tmp_path / "scrapy" / "__init__.py").write_text("raise KeyboardInterrupt\n")
    done = subprocess.run(
        [sys.executable, "-m", "articlebot", "status"], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}, timeout=300,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "articlebot: interrupted\n")


def test_a_spider_that_a_person_has_added_is_listed_and_can_be_run(tmp_path: Path) -> None:
    package = tmp_path / "articlebot"
    shutil.copytree(ROOT / "articlebot", package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "spiders" / "mine.py").write_text(
        "import scrapy\n\n\nclass Mine(scrapy.Spider):\n    name = 'mine'\n    start_urls = []\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}

    def typed(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "articlebot", *arguments, "-s", f"ARTICLEBOT_DATA_DIR={tmp_path / 'data'}"]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=300
        )

    assert "mine" in typed("list").stdout.split()
    ran = typed("crawl", "mine")
    assert (ran.returncode, "mine done" in ran.stderr) == (0, True), ran.stderr[-2000:]
