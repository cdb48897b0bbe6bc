"""Words of a text: Chinese by jieba's dictionary, everything else by its letters."""

from __future__ import annotations

import functools
import importlib
import logging
import re
import tempfile
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

from articlebot.errors import ConfigError
from articlebot.text.normal import fold, normalise

# jieba returns each character outside Han and ASCII as a word of its own, which is right for scripts without spaces
# (kana, Thai, Lao, Khmer, Burmese) and wrong for the letters of all others.
_NO_SPACES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_ALPHABETIC = re.compile(rf"[^\W\d_a-zA-Z{_HAN}{_NO_SPACES}]")
_RUNS = re.compile(rf"([^\W_{_HAN}{_NO_SPACES}]+)|([{_HAN}]+)|([{_NO_SPACES}])")
_NOT_LATIN = re.compile(rf"[{_HAN}{_NO_SPACES}]")
_LATIN_WORDS = re.compile(r"[^\W_]+")
_chosen = "rjieba"
_LONGEST_NAME = 40
# What follows a name in jieba's dictionaries: its frequency, its kind.
_NAME = re.compile(r"(?:[ \t]\d{1,12})?(?:[ \t]n[rstzg]{0,2})?\Z")


def segment(text: str) -> list[str]:
    """The words of a text, normalised, in order, without punctuation and white space.

    Chinese is cut by jieba's dictionary without its hidden Markov model. Case and script are kept.
    """
    return segment_folded(normalise(text))


def segment_folded(text: str) -> list[str]:
    """The words of a text that is normalised or folded already."""
    if text.isascii():
        return _LATIN_WORDS.findall(text)
    cut = _cutter()
    if _ALPHABETIC.search(text) is None:
        return list(filter(str.isalnum, cut(text, False)))
    if _NOT_LATIN.search(text) is None:
        return _LATIN_WORDS.findall(text)
    words: list[str] = []
    for other, han, single in _RUNS.findall(text):
        words.extend((other,) if other else cut(han, False) if han else (single,))
    return words


class Names:
    """Names that stay whole, such as those of people, firms and places.

    jieba's own user dictionaries belong to a tokenizer of 159 MB each; these are a set for each job.

    Args:
        names: as they are written; compared folded.
    """

    def __init__(self, names: Iterable[str]) -> None:
        kept = (fold(name) for name in names)
        self._names = frozenset(name for name in kept if 1 < len(name) <= _LONGEST_NAME)
        self._begins: dict[str, list[int]] = {}
        for name in self._names:
            lengths = self._begins.setdefault(name[:2], [])
            if len(name) not in lengths:
                lengths.append(len(name))
        for lengths in self._begins.values():
            lengths.sort(reverse=True)

    @classmethod
    def load(cls, path: Path) -> Names:
        """Those of a dictionary in jieba's form: a name a line, then perhaps its frequency and kind.

        Raises:
            ConfigError: it cannot be read, or is no UTF-8; names it.
        """
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
        return cls(_NAME.sub("", line.strip()) for line in lines if line.strip())

    def segment_folded(self, text: str) -> list[str]:
        """The words of a folded text, each name one of them."""
        words: list[str] = []
        begun = at = 0
        while at < len(text) - 1:
            end = self._end(text, at)
            if end:
                words += segment_folded(text[begun:at])
                words.append(text[at:end])
                begun = at = end
            else:
                at += 1
        return words + segment_folded(text[begun:])

    def _end(self, text: str, at: int) -> int:
        for length in self._begins.get(text[at : at + 2], ()):
            name = text[at : at + length]
            if name in self._names and not (_within(text, at) or _within(text, at + length)):
                return at + length
        return 0


def _within(text: str, at: int) -> bool:
    """Whether a place is inside of a word of letters without spaces."""
    return 0 < at < len(text) and all(one.isascii() and one.isalnum() for one in (text[at - 1], text[at]))


def choose(name: Literal["rjieba", "jieba"]) -> None:
    """Cuts Chinese by this package from now on, in this process."""
    global _chosen  # noqa: PLW0603 - one dictionary a process: it takes 159 MB
    if name != _chosen:
        _chosen = name
        _cutter.cache_clear()


@functools.cache
def _cutter() -> Callable[[str, bool], Iterable[str]]:
    """rjieba's, 14 MB/s where jieba's own takes 1.2 (no HMM); jieba's where it is chosen, or there is no rjieba.

    Both give the same words: in 2,000 of 2,000 texts.
    """
    if _chosen == "jieba":
        return _jieba()
    try:
        cut: Callable[[str, bool], list[str]] = importlib.import_module("rjieba").cut
    except ImportError:
        return _jieba()
    return cut


def _jieba() -> Callable[[str, bool], Iterable[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes and pkg_resources: jieba 0.42.1 is the last release
        jieba = importlib.import_module("jieba")
    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    # jieba unmarshals what it finds in its cache, so the folder must be nobody else's: never the shared temporary one.
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.tmp_dir = folder
        tokenizer.initialize()
    return lambda text, hmm: tokenizer.cut(text, HMM=hmm)
