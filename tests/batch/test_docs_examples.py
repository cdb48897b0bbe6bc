"""The functions that docs/how-to/scaling.md shows for Spark and Ray, as they stand there.

The engines themselves are left out: Spark brings 400 MB and a Java machine, Ray 200 MB and servers of its own.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.front_door.site import article

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "scaling.md"
URLS = [f"https://news.example.com/{n}.html" for n in range(3)]
ROWS = {"url": URLS, "site": ["example.com"] * 3, "html": [article(f"Report number {n}") for n in range(3)]}


def example(engine: str) -> Any:
    text = PAGE.read_text(encoding="utf-8")
    (code,) = (one for one in re.findall(r"```python\n(.*?)```", text, re.S) if engine in one)
    names: dict[str, Any] = {}
    exec(compile(code, str(PAGE), "exec"), names)
    return names["read"]


def test_under_ray() -> None:
    found = example("ray.data")(ROWS)
    assert found["url"] == URLS
    assert [body[:15] for body in found["body"]] == [f"Report number {n}" for n in range(3)]


def test_under_spark() -> None:
    pandas = pytest.importorskip("pandas")
    frames = list(example("spark")([pandas.DataFrame(ROWS)] * 2))
    assert [list(frame.url) for frame in frames] == [URLS, URLS]
    assert [body[:15] for body in frames[1].body] == [f"Report number {n}" for n in range(3)]
