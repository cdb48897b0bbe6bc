"""The pages made from the code are those the code would make."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.mark.parametrize(
    ("page", "made_by"),
    [("settings.md", "settings"), ("commands.md", "commands"), ("article.schema.json", "article_schema")],
)
def test_generated_pages_are_current(page: str, made_by: str) -> None:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    written = (DOCS / "reference" / page).read_text(encoding="utf-8")
    assert written == getattr(generate, made_by)(), "run python docs/generate.py"
    assert "` |  |" not in written, "an option that says nothing of itself"


def test_links_lead_to_pages_and_headings() -> None:
    lost = []
    for page in [*DOCS.rglob("*.md"), DOCS.parent / "README.md"]:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            path, _, anchor = target.partition("#")
            aim = page.parent / path if path else page
            if "://" not in target and not (aim.exists() and (not anchor or anchor in _anchors(aim))):
                lost.append((page.name, target))
    assert lost == []


def test_pages_named_elsewhere_are_there() -> None:
    names = set()
    for folder in ("articlebot", "articlebot_lab", "benchmarks", "deploy", "tests"):
        for source in (DOCS.parent / folder).rglob("*"):
            if source.suffix in (".py", ".lua", ".toml", ".yaml", ".service", ".sh", ".html"):
                names |= set(re.findall(r"\bdocs/[\w./-]*\w\.(?:md|json)\b", source.read_text(encoding="utf-8")))
    assert len(names) > 10
    assert [name for name in sorted(names) if not (DOCS.parent / name).is_file()] == []


@pytest.mark.parametrize("page", [p for p in sorted(DOCS.glob("*/*.md")) if p.parent.name != "decisions"], ids=str)
def test_pages_begin_with_what_their_reader_can_do(page: Path) -> None:
    assert page.parent.name in {"tutorial", "how-to", "reference", "explanation"}
    assert page.read_text(encoding="utf-8").split("\n\n")[1].startswith("After this page you can ")


def test_files_named_are_there() -> None:
    roots = [
        DOCS.parent / name for name in ("", "articlebot", "tests", "articlebot/frontier", "articlebot/frontier/lua")
    ]
    for page in DOCS.rglob("*.md"):
        named = set(re.findall(r"`((?:[\w-]+/)*[\w-]+\.(?:py|lua))`", page.read_text(encoding="utf-8")))
        assert sorted(name for name in named if not any((root / name).is_file() for root in roots)) == [], page


def test_commands_named_are_there() -> None:
    commands = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    own = set(re.findall(r"(?m)^## (\w+)$", commands))
    scrapys = {
        "crawl",
        "shell",
        "fetch",
        "view",
        "parse",
        "check",
        "runspider",
        "bench",
        "settings",
        "list",
        "startproject",
    }
    unknown = []
    for page in [*DOCS.rglob("*.md"), DOCS.parent / "README.md"]:
        if page.name == "commands.md":
            continue
        text = page.read_text(encoding="utf-8")
        named = set(re.findall(r"(?m)(?:^ *|[`$] ?|bin/)scrapy ([a-z_]+)", text))
        unknown += [(page.name, f"scrapy {name}") for name in sorted(named - own - scrapys)]
        modules = set(re.findall(r"python -m (benchmarks\.\w+|articlebot_lab\.\w+)", text))
        unknown += [(page.name, name) for name in sorted(modules) if not _is_module(name)]
    assert unknown == []


def test_settings_named_are_there() -> None:
    settings = (DOCS / "reference" / "settings.md").read_text(encoding="utf-8")
    own = set(re.findall(r"(?m)^### (ARTICLEBOT_\w+)$", settings)) | {"ARTICLEBOT_CORPUS", "ARTICLEBOT_TEST_LONG"}
    for page in [*DOCS.rglob("*.md"), DOCS.parent / "README.md"]:
        named = set(re.findall(r"ARTICLEBOT_[A-Z_]*[A-Z]\b", page.read_text(encoding="utf-8")))
        assert sorted(named - own) == [], page.name


def _is_module(name: str) -> bool:
    path = DOCS.parent / name.replace(".", "/")
    return path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()


def _anchors(page: Path) -> set[str]:
    titles = re.findall(r"(?m)^#+ (.+)$", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_threats_name_tests_that_there_are() -> None:
    text = (DOCS / "explanation" / "security.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:\w+/)*test_\w+\.py)`", text))
    assert len(named) > 15
    assert [name for name in sorted(named) if not (DOCS.parent / "tests" / name).is_file()] == []


def test_what_the_makefile_leaves_out_exists() -> None:
    makefile = (DOCS.parent / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    named = [path for _, paths in re.findall(r"(?m)^(\w+) = (tests/.*)$", makefile) for path in paths.split()]
    assert len(named) > 30
    assert [path for path in named if not (DOCS.parent / path).exists()] == []
