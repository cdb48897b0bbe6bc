"""The table of the designs is true: what it names is there, and a crawl or a command reaches it."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from articlebot.config import setting_names
from articlebot.jobs import Job

ROOT = Path(__file__).resolve().parents[1]
_PAGE = ROOT / "docs" / "reference" / "designs.md"
# Of one process: it reads the whole package once.
pytestmark = pytest.mark.xdist_group("designs")
# Code that runs without anybody naming it, as the folders of Scrapy's glue.
_ENTRIES = ("spiders", "commands", "middlewares", "pipelines", "extensions")


def _rows() -> list[tuple[str, str, str, str, str]]:
    lines = [line.strip("|").split("|") for line in _PAGE.read_text(encoding="utf-8").splitlines() if line[:3] == "| `"
             or (line.startswith("| ") and not line.startswith("| element"))]  # fmt: skip
    return [tuple(cell.strip() for cell in line) for line in lines]  # type: ignore[misc]


@cache
def _mentioned() -> dict[str, frozenset[str]]:
    """The names that each module's code uses, without those that it defines at its top level only."""
    found = {}
    for path in (ROOT / "articlebot").rglob("*.py"):
        names = set[str]()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Name):
                names.add(node.id)
            elif isinstance(node, ast.Attribute):
                names.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200:
                names.update(re.findall(r"\w+", node.value))
        found[path.relative_to(ROOT / "articlebot").as_posix()] = frozenset(names)
    return found


@pytest.mark.parametrize("row", _rows(), ids=lambda row: row[0][:60])
def test_what_a_row_names_is_there_and_reached(row: tuple[str, str, str, str, str]) -> None:
    _, module, setting, shown, verdict = row
    path, _, name = module.strip("`").partition(":")
    tree = ast.parse((ROOT / "articlebot" / path).read_text(encoding="utf-8"))
    if name != "*":
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        users = [other for other, names in _mentioned().items() if name in names and not other.endswith("__init__.py")]
        assert path.split("/")[0] in (*_ENTRIES, "actions") or users, f"nobody uses {name}"
    settings = {one for _, _, one in setting_names()}
    commands = {one.stem for one in (ROOT / "articlebot" / "commands").glob("*.py")}
    for known, pattern in ((settings, r"`(ARTICLEBOT_\w+|REDIS_URL)`"), (set(Job.model_fields), r"key `(\w+)`"),
                           (commands, r"`scrapy (\w+)")):  # fmt: skip
        assert set(re.findall(pattern, setting)) <= known
    test, _, function = shown.strip("`").partition(":")
    text = (ROOT / "tests" / test).read_text(encoding="utf-8")
    assert function == "*" or re.search(rf"^(?:async )?def {function}\b", text, re.M), shown
    assert verdict


def test_each_design_has_its_rows() -> None:
    assert len(_rows()) >= 60
    assert len(re.findall(r"^## [A-E]\. ", _PAGE.read_text(encoding="utf-8"), re.M)) == 5
