"""Extractive summaries: the sentences that say most, in their own order, within a bounded length."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from articlebot.classify.stopwords import STOP_WORDS
from articlebot.text import fold_each, segment_folded

# What follows the first 60 sentences of an article rarely makes its summary; a 10 MB page must not cost seconds.
_MAX_SENTENCES = 60
_MAX_CHARS = 20_000
# Damped as PageRank is; of 36 reprints 35 have the same summary after 5 rounds, and all after 10.
_DAMPING, _ROUNDS = 0.85, 20
# Articles tell the news first: the weight of the n-th sentence falls as 1/(1 + n * this).
_LEAD = 0.35
# A sentence whose words are this far in the summary already adds nothing.
_REPETITION = 0.6
# Sentences that people write have more words that say something; what has one is the number of a part, or a sigh.
_LEAST_WORDS = 2
_ELLIPSIS = "…"
_CUT = re.compile(r"[，、；：,;:。！？!?\s]")
# A sentence ends at its mark and the quotes and brackets that close after it.
_CLOSERS = "”’\"'」』）)】》]"
_CHINESE_END = re.compile(rf"[。！？!?…]+[{re.escape(_CLOSERS)}]*")
_WESTERN_END = re.compile(rf"(?<![.!?…])[.!?…]++[{re.escape(_CLOSERS)}]*+(?=\s++[\"'“‘(\[]*+[A-Z0-9À-ÝА-Я])")
# A point after these is no end: titles, initials, months and the like, in the languages crawled most.
_ABBREVIATION = re.compile(
    r"(?:^|[\s(“\"'])(?:[A-Z]|[A-Z]\.[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Sgt|Gen|Col|Lt|Capt|Sen|Rep|Gov|Rev|Hon|Jr|Sr|Inc|Ltd|"
    r"Corp|Co|vs|No|Nos|Vol|Fig|pp|approx|dept|est|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|e\.g|i\.e|z\.B|ca|bzw|Nr)\.$"
)
_MOST_ABBREVIATED = 10  # characters: the longest of them with its point and what stands before
# A line that goes on in lower case was only wrapped.
_WRAPPED = re.compile(r"\n(?<=[^\n.!?:…]\n)[^\S\n]*(?=[a-zà-ÿ])")
_IDEOGRAPHIC = re.compile("[\u3040-\u9fff]")
_SPACE = re.compile(r"[^\S\n]+")


def summarise(text: str, language: str | None, max_chars: int) -> str:
    """The most telling sentences of a text in their order, together at most `max_chars` characters.

    Sentences are ranked by TextRank (Mihalcea and Tarau 2004) over their common words, weighted by how early they
    stand. Where not even the best sentence fits, it is cut at a clause, ending in "…". Empty for a text without words.
    A language of None is told from the text.
    """
    chinese = is_ideographic(text) if language is None else language.startswith(("zh", "ja"))
    found = sentences(text[:_MAX_CHARS], "zh" if chinese else "en")
    # Headings, captions and bylines count only where the text is made of nothing else.
    candidates = [sentence for sentence, ended in found if ended] or [sentence for sentence, _ in found]
    candidates = list(dict.fromkeys(candidates))[:_MAX_SENTENCES]
    if not candidates:
        return ""
    spoken = map(segment_folded, fold_each(candidates))
    bags = [Counter(word for word in words if word not in STOP_WORDS) for words in spoken]
    ranking = np.argsort(-_rank(bags), kind="stable")
    joint = "" if chinese else " "
    chosen = _choose(candidates, bags, ranking, max_chars, len(joint))
    if not chosen:
        return _cut(candidates[int(ranking[0])], max_chars)
    return joint.join(candidates[index] for index in sorted(chosen))


def _rank(bags: list[Counter[str]]) -> NDArray[np.float64]:
    vectors = _vectors(bags)
    similarity = vectors @ vectors.T
    np.fill_diagonal(similarity, 0.0)
    degree = similarity.sum(axis=1)
    share = similarity / np.where(degree > 0, degree, 1.0)[:, None]
    rank = np.full(len(bags), 1.0 / len(bags))
    for _ in range(_ROUNDS):
        rank = (1 - _DAMPING) / len(bags) + _DAMPING * (rank @ share)
    # One word alone is hardly a sentence worth showing.
    worth = np.array([min(1.0, sum(bag.values()) / 4) for bag in bags])
    return np.asarray(rank * worth / (1.0 + _LEAD * np.arange(len(bags))), dtype=np.float64)


def _vectors(bags: list[Counter[str]]) -> NDArray[np.float64]:
    """A row of unit length per sentence; words in many sentences weigh less."""
    frequency = Counter(chain.from_iterable(bags))
    column = {word: index for index, word in enumerate(frequency)}
    matrix = np.zeros((len(bags), max(1, len(column))))
    for row, bag in enumerate(bags):
        matrix[row, [column[word] for word in bag]] = [1.0 + math.log(count) for count in bag.values()]
    matrix[:, : len(column)] *= np.log(1 + len(bags) / np.fromiter(frequency.values(), float))
    length = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.where(length > 0, length, 1.0))


def _choose(
    candidates: list[str], bags: list[Counter[str]], ranking: NDArray[np.intp], max_chars: int, joint: int
) -> list[int]:
    chosen: list[int] = []
    said: set[str] = set()
    room = max_chars
    for index in map(int, ranking):
        needed = len(candidates[index]) + (joint if chosen else 0)
        if needed > room:
            continue
        if chosen and bags[index].total() < _LEAST_WORDS:
            continue
        if chosen and len(said & bags[index].keys()) > _REPETITION * max(1, len(bags[index])):
            continue
        chosen.append(index)
        said |= bags[index].keys()
        room -= needed
    return chosen


def _cut(sentence: str, max_chars: int) -> str:
    if max_chars <= len(_ELLIPSIS):
        return sentence[:max_chars]
    head = sentence[: max_chars - len(_ELLIPSIS)]
    ends = [mark.start() for mark in _CUT.finditer(head)]
    end = ends[-1] if ends and ends[-1] >= max_chars // 2 else len(head)
    return head[:end].rstrip(" ，、；：,;:") + _ELLIPSIS


def sentences(text: str, language: str | None) -> list[tuple[str, bool]]:
    """The sentences of a text in order, each with whether it ends with a mark (headings and captions do not).

    Lines are paragraphs. "zh" and "ja" end sentences without a space after the mark.
    """
    chinese = is_ideographic(text) if language is None else language.startswith(("zh", "ja"))
    found: list[tuple[str, bool]] = []
    for line in (text if chinese else _WRAPPED.sub(" ", text)).split("\n"):
        if paragraph := _SPACE.sub(" ", line).strip():
            found.extend(_split(paragraph, chinese))
    return found


def is_ideographic(text: str) -> bool:
    """Whether the text is written in Chinese or Japanese characters, by its first 1,000 letters."""
    letters = "".join(filter(str.isalpha, text[:4000]))[:1000]
    return len(_IDEOGRAPHIC.findall(letters)) * 3 > len(letters)


def _split(paragraph: str, chinese: bool) -> list[tuple[str, bool]]:
    found: list[tuple[str, bool]] = []
    start = 0
    for end in (_CHINESE_END if chinese else _WESTERN_END).finditer(paragraph):
        sentence = paragraph[start : end.end()].strip()
        if not chinese and _ABBREVIATION.search(sentence[-_MOST_ABBREVIATED:]):
            continue
        if any(map(str.isalnum, sentence)):
            found.append((sentence, True))
        start = end.end()
    rest = paragraph[start:].strip()
    if any(map(str.isalnum, rest)):
        found.append((rest, bool(re.search(rf"[.。!！?？…][{re.escape(_CLOSERS)}]*$", rest))))
    return found
