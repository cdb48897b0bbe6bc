"""Words of a text: Chinese by jieba's dictionary, everything else by its letters."""

from __future__ import annotations

import functools
import importlib
import logging
import os
import re
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

from articlebot.text.normal import normalise

Engine = Literal["rjieba", "jieba"]

# jieba returns each character outside Han and ASCII as a word of its own, which is right for scripts without spaces
# (kana, Thai, Lao, Khmer, Burmese) and wrong for the letters of all others.
_NO_SPACES = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_ALPHABETIC = re.compile(rf"[^\W\d_a-zA-Z{_HAN}{_NO_SPACES}]")
_RUNS = re.compile(rf"([^\W_{_HAN}{_NO_SPACES}]+)|([{_HAN}]+)|([{_NO_SPACES}])")
_NOT_LATIN = re.compile(rf"[{_HAN}{_NO_SPACES}]")
_LATIN_WORDS = re.compile(r"[^\W_]+")

_lock = threading.Lock()
_cache_folder: Path | None = None


def segment(text: str) -> list[str]:
    """The words of a text, normalised, in order, without punctuation and white space.

    Chinese is cut by jieba's dictionary without its hidden Markov model, by ``rjieba`` where that is installed and by
    ``jieba`` itself otherwise; both give the same words. Case and script are kept.
    """
    return segment_folded(normalise(text))


def segment_folded(text: str, engine: Engine | None = None) -> list[str]:
    """The words of a text that is normalised or folded already; ``engine`` forces one of the two engines."""
    if text.isascii():
        return _LATIN_WORDS.findall(text)
    cut = _cutter(engine)
    if _ALPHABETIC.search(text) is None:
        return list(filter(str.isalnum, cut(text)))
    if _NOT_LATIN.search(text) is None:
        return _LATIN_WORDS.findall(text)
    words: list[str] = []
    for other, han, single in _RUNS.findall(text):
        words.extend((other,) if other else cut(han) if han else (single,))
    return words


def use_cache_folder(folder: Path) -> None:
    """Sets where ``jieba`` keeps its parsed dictionary; without effect on ``rjieba``, which needs none."""
    global _cache_folder  # noqa: PLW0603 - the dictionary is one per process, as it is in jieba
    _cache_folder = folder


@functools.cache
def _cutter(engine: Engine | None) -> Callable[[str], Iterable[str]]:
    if engine != "jieba":
        try:
            cut = importlib.import_module("rjieba").cut
        except ImportError:
            if engine == "rjieba":
                raise
        else:
            return functools.partial(_cut_rjieba, cut)
    with _lock:
        return _load_jieba()


def _cut_rjieba(cut: Callable[[str, bool], list[str]], text: str) -> list[str]:
    return cut(text, False)


def _load_jieba() -> Callable[[str], Iterable[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes and pkg_resources: jieba 0.42.1 is the last release
        jieba = importlib.import_module("jieba")
    jieba.setLogLevel(logging.WARNING)
    tokenizer = jieba.Tokenizer()
    # jieba unmarshals its cache, so the folder must be nobody else's: never the shared temporary folder.
    tokenizer.tmp_dir = str(_private_folder())
    tokenizer.initialize()
    return functools.partial(tokenizer.cut, HMM=False)


def _private_folder() -> Path:
    if _cache_folder is not None:
        _cache_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _cache_folder
    folder = Path(tempfile.gettempdir()) / f"articlebot-{os.getuid()}-words"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid() or folder.stat().st_mode & 0o022:
        return Path(tempfile.mkdtemp(prefix="articlebot-words-"))
    return folder
