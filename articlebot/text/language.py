"""The language of a text, by its script first and by letter statistics where the script does not decide."""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable

_SAMPLE = 4_000
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_KANA = re.compile(r"[\u3041-\u30ff]+")
_HANGUL = re.compile(r"[\uac00-\ud7a3]+")
_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = frozenset(
    "the of and to in is was that for with on as are by from at have has had not be this his her they it its were "
    "which will would been their there".split()
)


def language(text: str) -> str | None:
    """ISO 639-1 code of the main language, None where there are too few letters to say.

    Chinese, Japanese and Korean are told by their characters, plain English by its function words; only the rest asks
    py3langid (0.8 s to load, once). A Chinese character weighs as three letters: it is about that much text.
    """
    sample = text if len(text) <= _SAMPLE else text[: _SAMPLE // 2] + text[len(text) // 2 :][: _SAMPLE // 2]
    scripts = () if sample.isascii() else (_HAN, _KANA, _HANGUL)
    han, kana, hangul = [sum(map(len, script.findall(sample))) for script in scripts] or (0, 0, 0)
    letters = sum(map(len, _WORD.findall(sample))) - han - kana - hangul
    if max(han, kana, hangul) == 0 and letters < 4:
        return None
    if 3 * (han + kana + hangul) >= letters:
        if hangul > han + kana:
            return "ko"
        return "ja" if kana > 0.08 * (han + kana) else "zh"
    return _by_words(sample)


def _by_words(sample: str) -> str | None:
    words = [word.lower() for word in _WORD.findall(sample)]
    function_words = [word for word in words if word in _ENGLISH]
    if len(set(function_words)) >= 3 and len(function_words) >= 0.12 * len(words):
        return "en"
    return _classifier()(sample)[0]


@functools.cache
def _classifier() -> Callable[[str], tuple[str, float]]:
    classify: Callable[[str], tuple[str, float]] = importlib.import_module("py3langid").classify
    return classify
