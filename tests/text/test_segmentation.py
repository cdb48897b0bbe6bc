from __future__ import annotations

import functools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.text import fold, normalise, segment, segment_folded, segmentation

choose = segmentation._cutter.__wrapped__


@functools.cache
def jieba_alone() -> Any:
    """What cuts where rjieba cannot be installed."""
    with mock.patch.dict(sys.modules, {"rjieba": None}):
        return choose()


def by_jieba(text: str) -> list[str]:
    with mock.patch.object(segmentation, "_cutter", jieba_alone):
        return segment_folded(text)


def test_rjieba_cuts_as_jieba_does(corpus: Path) -> None:
    rows = [
        json.loads(line)["text"]
        for name in ("reprints.zh.jsonl", "reprints.en.jsonl", "thucnews_title.dev.jsonl")
        for line in (corpus / "texts" / name).read_text(encoding="utf-8").splitlines()[::9]
    ]
    assert len(rows) > 1_000
    for text in rows:
        for form in (normalise(text), fold(text)):
            assert segment_folded(form) == by_jieba(form)


@given(st.text(st.sampled_from("中国人民银行在上海adZ09 .,%-+#&_。·éßжиあアไทย한😀\u0301")))
def test_engines_agree_on_any_mixture(text: str) -> None:
    assert segment_folded(text) == by_jieba(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("😀😀 !!!", []),
        ("word", ["word"]),
        ("Don't panic, it's 3.14%", ["Don", "t", "panic", "it", "s", "3", "14"]),
        ("我来到北京清华大学。", ["我", "来到", "北京", "清华大学"]),
        ("Über Straße naïve", ["Über", "Straße", "naïve"]),
        ("Привет, мир", ["Привет", "мир"]),
        ("iPhone在中国 и мир", ["iPhone", "在", "中国", "и", "мир"]),
        ("snake_case", ["snake", "case"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert segment(text) == words


def test_importing_text_loads_no_segmenter() -> None:
    code = "import sys, articlebot.text; print(sorted({'jieba', 'rjieba', 'simhash', 'py3langid'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
