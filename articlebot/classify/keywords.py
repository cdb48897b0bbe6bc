"""Keywords of a text: words and repeated phrases by TextRank, weighted by how rare a Chinese word is."""

from __future__ import annotations

import functools
import importlib.util
from collections import Counter
from dataclasses import dataclass
from itertools import compress, pairwise
from operator import not_
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from articlebot.classify.stopwords import STOP_WORDS
from articlebot.text import Names, fold, normalise, segment_folded

_MAX_CHARS = 20_000
_MAX_CANDIDATES = 300
# Mihalcea and Tarau 2004 try windows of 2 to 10 words and damp as PageRank does. Of 36 reprints 35 have the same
# keywords after 60 rounds, 34 after 10.
_WINDOW, _DAMPING, _ROUNDS = 4, 0.85, 15
# The median of jieba's table; stands for words that it does not hold and for other languages.
_COMMON_IDF = 11.74
# Words that almost always stand together are one name: "大 阪 直 美", "prime minister".
_TOGETHER = 0.6
_LONGEST = 30  # characters
_NEVER_IN_NAMES = STOP_WORDS - set("大小高新老好上中下前后外内")


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a text: as compared, as written, and whether punctuation stands before each.

    Three lists, not a list of words: a text has thousands, and making an object for each took most of the time.
    """

    folded: list[str]
    written: list[str]
    after_break: list[bool]


def keywords(text: str, language: str | None, n: int, names: Names | None = None) -> tuple[str, ...]:
    """At most `n` keywords, best first, as the text writes them; words that keep together count as one.

    TextRank (Mihalcea and Tarau 2004) over a window of four words, times the inverse document frequency that jieba's
    keyword extraction ships (for Chinese), times how early the word stands. None of them contains another. Empty for
    a text without words. The language may be None: rarity is looked up by the word itself. ``names`` stay whole.
    """
    if n < 1:
        return ()
    words = _merge(_merge(_written_words(text[:_MAX_CHARS], names)))
    telling = set(filter(_may_be_keyword, set(words.folded)))
    spoken = [term for term in words.folded if term in telling]
    if not spoken:
        return ()
    terms = [term for term, _ in Counter(spoken).most_common(_MAX_CANDIDATES)]
    order = {term: index for index, term in enumerate(terms)}
    positions = np.array([order.get(term, -1) for term in spoken])
    first = np.full(len(terms), len(spoken))
    np.minimum.at(first, positions[positions >= 0], np.flatnonzero(positions >= 0))
    rarity = np.array([_rarity(term, language) for term in terms])
    score = _text_rank(positions, len(terms)) * rarity * (1.0 + 1.0 / (1.0 + 10.0 * first / len(spoken)))
    chosen = _distinct([terms[i] for i in np.argsort(-score, kind="stable")], n)
    return _spellings(chosen, words)


def _distinct(ranked: list[str], n: int) -> list[str]:
    chosen: list[str] = []
    for term in ranked:
        if not any(term in other or other in term for other in chosen):
            chosen.append(term)
            if len(chosen) == n:
                break
    return chosen


def _spellings(terms: list[str], words: _Words) -> tuple[str, ...]:
    """The commonest spelling of each term."""
    spellings: dict[str, Counter[str]] = {term: Counter() for term in terms}
    for folded, written in zip(words.folded, words.written, strict=True):
        if folded in spellings:
            spellings[folded][written] += 1
    return tuple(found.most_common(1)[0][0] for found in spellings.values())


def _merge(words: _Words) -> _Words:
    """The words with those pairs made one that are repeated and mostly stand side by side."""
    single = Counter(words.folded)
    pairs = Counter(compress(pairwise(words.folded), map(not_, words.after_break[1:])))
    joined = {
        (left, right)
        for (left, right), count in pairs.items()
        if count >= 2 and count >= _TOGETHER * max(single[left], single[right]) and _may_join(left, right)
    }
    if not joined:
        return words
    seconds = {right for _, right in joined}
    merged = _Words([], [], [])
    for folded, written, after_break in zip(words.folded, words.written, words.after_break, strict=True):
        if folded in seconds and merged.folded and not after_break and (merged.folded[-1], folded) in joined:
            space = " " if merged.folded[-1].isascii() and folded.isascii() else ""
            merged.folded[-1] += space + folded
            merged.written[-1] += space + written
        else:
            merged.folded.append(folded)
            merged.written.append(written)
            merged.after_break.append(after_break)
    return merged


def _may_join(left: str, right: str) -> bool:
    if left in _NEVER_IN_NAMES or right in _NEVER_IN_NAMES or left.isnumeric() or right.isnumeric():
        return False
    return len(left) + len(right) <= _LONGEST


def _may_be_keyword(term: str) -> bool:
    if not (3 if term.isascii() else 2) <= len(term) <= _LONGEST or term in STOP_WORDS:
        return False
    return term.isalpha() or any(map(str.isalpha, term))


def _text_rank(positions: NDArray[np.int_], size: int) -> NDArray[np.float64]:
    pairs = [(positions[:-distance], positions[distance:]) for distance in range(1, _WINDOW + 1)]
    left, right = (np.concatenate(ends) for ends in zip(*pairs, strict=True))
    linked = (left >= 0) & (right >= 0) & (left != right)
    # Both ways: who gives, who receives. A matrix of all terms would be 300 by 300, nearly all of it empty.
    giver, receiver = np.concatenate((left[linked], right[linked])), np.concatenate((right[linked], left[linked]))
    share = 1.0 / np.bincount(giver, minlength=size)[giver]
    rank = np.ones(size)
    for _ in range(_ROUNDS):
        received = np.bincount(receiver, rank[giver] * share, size)
        rank = np.asarray((1 - _DAMPING) + _DAMPING * received, dtype=np.float64)
    return rank


def _rarity(term: str, language: str | None) -> float:
    if term.isascii() or language == "ja":
        return _COMMON_IDF
    # A merged phrase is as telling as a rare word.
    return _idf().get(term, _COMMON_IDF)


@functools.cache
def _idf() -> dict[str, float]:
    """jieba's table, read as data: importing its analysis would load its whole dictionary (0.9 s, 159 MB)."""
    spec = importlib.util.find_spec("jieba")
    assert spec is not None
    assert spec.origin is not None
    fields = (Path(spec.origin).parent / "analyse" / "idf.txt").read_text(encoding="utf-8").split()
    return dict(zip(fields[::2], map(float, fields[1::2]), strict=True))


def _written_words(text: str, names: Names | None) -> _Words:
    """The words of a text with their own spelling."""
    normal, folded = normalise(text), fold(text)
    if len(normal) != len(folded):
        normal = folded  # a few letters change their length with their case
    found, written, after_break = [], [], []
    end = 0
    for word in (segment_folded if names is None else names.segment_folded)(folded):
        start = folded.find(word, end)
        if start < 0:
            continue
        after_break.append(start > end and bool(folded[end:start].strip()))
        end = start + len(word)
        found.append(word)
        written.append(normal[start:end])
    return _Words(found, written, after_break)
