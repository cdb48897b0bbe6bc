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
    assert (DOCS / page).read_text(encoding="utf-8") == getattr(generate, made_by)(), "run python docs/generate.py"


def test_threats_name_tests_that_there_are() -> None:
    text = (DOCS / "security.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:\w+/)*test_\w+\.py)`", text))
    assert len(named) > 15
    assert [name for name in sorted(named) if not (DOCS.parent / "tests" / name).is_file()] == []
