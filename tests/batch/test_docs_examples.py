"""The functions that docs/how-to/scaling.md shows for Spark and Ray, as they stand there; what the library refuses.

Under the engines themselves they run where these are installed. The gate has neither: pyspark brings 400 MB and a Java
machine, Ray 200 MB and servers of its own.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import articlebot
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


def test_on_the_columns_of_ray_data() -> None:
    found = example("ray.data")(ROWS)
    assert found["url"] == URLS
    assert [body[:15] for body in found["body"]] == [f"Report number {n}" for n in range(3)]


def test_on_the_frames_of_spark() -> None:
    pandas = pytest.importorskip("pandas")
    frames = list(example("spark")([pandas.DataFrame(ROWS)] * 2))
    assert [list(frame.url) for frame in frames] == [URLS, URLS]
    assert [body[:15] for body in frames[1].body] == [f"Report number {n}" for n in range(3)]


@pytest.mark.filterwarnings("ignore")  # Spark's own, of the newest pandas
def test_under_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    sql = pytest.importorskip("pyspark.sql")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    here = {"spark.ui.enabled": False, "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    spark = sql.SparkSession.builder.master("local[1]").config(map=here).getOrCreate()
    try:
        rows = spark.createDataFrame(list(zip(*ROWS.values(), strict=True)), ", ".join(f"{n} string" for n in ROWS))
        found = rows.mapInPandas(example("spark"), "url string, body string").collect()
    finally:
        spark.stop()
    assert [row.url for row in found] == URLS
    assert [row.body[:15] for row in found] == [f"Report number {n}" for n in range(3)]


@pytest.mark.filterwarnings("ignore")
def test_under_ray() -> None:
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    ray.init(num_cpus=1, include_dashboard=False, runtime_env={"env_vars": {"PYTHONPATH": ":".join(sys.path)}})
    try:
        rows = [dict(zip(ROWS, one, strict=True)) for one in zip(*ROWS.values(), strict=True)]
        found = ray.data.from_items(rows).map_batches(example("ray.data")).take_all()
    finally:
        ray.shutdown()
    assert sorted((row["url"], row["body"][:15]) for row in found) == [
        (url, f"Report number {n}") for n, url in enumerate(URLS)
    ]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: articlebot.extract(None), "html: expected str or bytes, not NoneType"),  # type: ignore[arg-type]
        (lambda: articlebot.extract("<p>x</p>", None), "url: expected str, not NoneType"),  # type: ignore[arg-type]
        (lambda: articlebot.learn(["<p>x</p>"]), "expected pairs of HTML and address"),  # type: ignore[list-item]
        (lambda: articlebot.near_duplicates("one text"), "expected several, not one"),
        (lambda: articlebot.near_duplicates([1]), "texts: expected str, not int"),  # type: ignore[list-item]
    ],
)
def test_what_is_no_page_or_text_is_refused(call: Callable[[], object], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        call()


@pytest.mark.parametrize("url", ["", "http://[::1", "http://", "no address", "http://a\ud800.example/"])
def test_a_page_at_what_is_no_address_is_read_as_one_of_an_unknown_address(url: str) -> None:
    page = f"<html lang=en><body><h1>Bridge reopens</h1><p>{'The bridge opened after years. ' * 9}</p></body></html>"
    assert articlebot.extract(page, url).title == "Bridge reopens"
    assert articlebot.learn([(page, url)]) == []
