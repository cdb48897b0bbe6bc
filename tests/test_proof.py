"""The page of proofs names tests that are there."""

from __future__ import annotations

import re
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]


def test_every_test_that_the_page_names_is_there() -> None:
    page = (_ROOT / "docs" / "explanation" / "proof.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py):(\w+)`", page)
    assert len(named) >= 8
    for path, name in named:
        text = (_ROOT / path).read_text(encoding="utf-8")
        assert re.search(rf"^(?:async )?def {name}\b", text, re.M), f"{path}:{name}"
