"""No regular expression costs more than its text is long: each is pumped with what its own repeats take."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.pumping import attacks, expressions, is_slow

# Asked of texts of a few hundred characters alone, cut off right before; named with where.
_SHORT = {"articlebot.proxies.lists._ADDRESS": "_of_lines cuts at 500"}


def _how(name: str, pattern: re.Pattern[Any], used: set[str]) -> Callable[[str], object]:
    def given(text: str) -> Any:
        return text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text

    if "fullmatch" in used and used <= {"fullmatch", "match", "pattern"}:
        return lambda text: pattern.fullmatch(given(text))
    if used and used <= {"match", "pattern"}:
        return lambda text: pattern.match(given(text))
    return lambda text: sum(1 for _ in pattern.finditer(given(text)))


def test_every_expression_of_the_package_is_linear() -> None:
    found = expressions("articlebot")
    assert len(found) > 250
    slow = {}
    for name, (pattern, used) in found.items():
        if name in _SHORT:
            continue
        run = _how(name, pattern, used)
        for attack in attacks(pattern):
            if said := is_slow(run, *attack):
                slow[name] = f"{said}: {attack}"
                break
    assert slow == {}


@pytest.mark.parametrize(
    "expression",
    [r"<[^>]+>", r"[.!?…]+[\"'”]*(?=\s+[A-Z])", r"\s*,\s*", r"(?:\d{1,2}\s*[|/]?\s*)+>", r"\d+\s*ago", r"a.*b.*\Z",
     r"(?:/[\w.]*)+!"],
)  # fmt: skip
def test_pumping_finds_what_is_not_linear(expression: str) -> None:
    """So that the test above can fail."""
    pattern = re.compile(expression)
    run = _how("", pattern, {"search"})
    assert any(is_slow(run, *attack) for attack in attacks(pattern))
