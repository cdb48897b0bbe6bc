"""The language of a text, by its script first and by letter statistics where the script does not decide."""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable, Sequence

_SAMPLE = 4_000
_MIN_DISTINCT = 3
_MIN_SHARE = 0.12
_PLAIN_SHARE = 0.25  # from which on no other language is asked for
_CLEARLY = 1.5  # times as many function words as of any other language
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_KANA = re.compile(r"[\u3041-\u30ff]+")
_HANGUL = re.compile(r"[\uac00-\ud7a3]+")
_ASIAN = re.compile(r"[\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]")
_WORD = re.compile(r"[^\W\d_]+")
# Where a text is ASCII: a fifth of that expression's time.
_LETTERS = bytes(code | 32 if chr(code).isalpha() else 32 for code in range(128)) + bytes(128)
# The commonest words of running text that few other languages have.
_FUNCTION_WORDS = {
    "en": "the of and to in is was that for with on as are by from at have has had not be this his her they it its "
    "were which will would been their there",
    "de": "der die das und den dem des ist nicht ein eine einen einem einer mit von auf für im auch sich wird werden "
    "hat bei zu zum zur sie dass nach aus wie sind oder",
    "fr": "le la les des du et est une dans pour pas au aux sur par qui que avec ce cette sont ont été il elle mais "
    "plus ses",
    "es": "el la los las del y una en para por con que se su sus al más pero como este esta fue ha han sido",
    "it": "il lo gli della dei delle del di e che un una per con non si è sono alla nel nella dal anche più come ha",
    "pt": "os as do da dos das em no na nos nas um uma para por com não que se mais ao foi são seu sua",
    "nl": "de het een van en in is op te dat die voor met zijn aan niet er ook door werd naar bij om",
}
_LANGUAGES = {language: frozenset(words.split()) for language, words in _FUNCTION_WORDS.items()}


def language(text: str) -> str | None:
    """ISO 639-1 code of the main language, None where there are too few letters to say.

    Chinese, Japanese and Korean are told by their characters, the commonest European languages by their function
    words; only the rest asks py3langid (0.8 s to load, once). A Chinese character weighs as three letters: it is about
    that much text. Beside names and code that is no language, a tenth of such characters is enough.
    """
    sample = text if len(text) <= _SAMPLE else text[: _SAMPLE // 2] + text[len(text) // 2 :][: _SAMPLE // 2]
    if sample.isascii():
        words = sample.encode().translate(_LETTERS).decode().split()
    else:
        words = [word.lower() for word in _WORD.findall(sample)]
    scripts = (_HAN, _KANA, _HANGUL) if not sample.isascii() and _ASIAN.search(sample) else ()
    han, kana, hangul = [sum(map(len, script.findall(sample))) for script in scripts] or (0, 0, 0)
    letters = sum(map(len, words)) - han - kana - hangul
    if max(han, kana, hangul) == 0 and letters < 4:
        return None
    asian = "ko" if hangul > han + kana else "ja" if kana > 0.08 * (han + kana) else "zh"
    if 3 * (han + kana + hangul) >= letters:
        return asian
    spoken = _by_words(words)
    if spoken is None and 10 * (han + kana + hangul) >= letters:
        return asian
    return spoken or _classifier()(_in_small_letters(sample))[0]


def _in_small_letters(text: str) -> str:
    """A text as the classifier knows its language: headlines in capitals are none (Nigerian Pidgin, it says)."""
    return text.lower() if 2 * sum(map(str.isupper, text)) > sum(map(str.isalpha, text)) else text


def _by_words(words: Sequence[str]) -> str | None:
    """The language whose function words the text has, None where it has too few, or as many of another language."""
    distinct = set(words)
    found = {}
    for language, known in _LANGUAGES.items():
        own = distinct & known
        found[language] = sum([word in own for word in words]) if len(own) >= _MIN_DISTINCT else 0
        if found[language] >= _PLAIN_SHARE * len(words) > 0:
            return language
    best, other = sorted(found, key=lambda language: -found[language])[:2]
    return best if found[best] >= max(_MIN_SHARE * len(words), _CLEARLY * found[other]) else None


@functools.cache
def _classifier() -> Callable[[str], tuple[str, float]]:
    classify: Callable[[str], tuple[str, float]] = importlib.import_module("py3langid").classify
    return classify
