"""What editors do to a report, by seed: the edits of ``benchmarks.neardup_versions``."""

from __future__ import annotations

import functools
import importlib.util
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from articlebot.text import segment

_SENTENCE = re.compile(r"[^。！？.!?\n]+[。！？.!?\n]*")
_CLAUSE = re.compile(r"[^，；、,;]+[，；、,;]*")
_NUMBER = re.compile(r"\d+")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_WORD = re.compile(r"[\u4e00-\u9fff]+|[^\W\d_]+")
# Of jieba's hundred million or so; a word is exchanged the likelier the commoner it is.
_RARE, _COMMON = 200, 5_000

Edit = Callable[[str, "Stock"], str]


class Stock:
    """What edits draw from: other articles, and words by their kind."""

    def __init__(self, texts: Sequence[str], rng: random.Random) -> None:
        self.texts, self.rng = texts, rng
        self._words = Counter(word for text in texts for word in segment(text) if word.isalpha())

    def exchanged(self, text: str, share: float) -> str:
        """The text with about a share of its words exchanged for others of their kind."""

        def run(match: re.Match[str]) -> str:
            return "".join(self._exchanged(word, share) for word in segment(match[0]) or [match[0]])

        return _WORD.sub(run, text)

    def _exchanged(self, word: str, share: float) -> str:
        count, kind = _dictionary().get(word, (0, "")) if _HAN.match(word) else (self._words[word.lower()] * 100, "")
        odds = share * (2 if count > _COMMON else 1 if count > _RARE else 0)
        if (kind.startswith("n") and kind != "n") or word[:1].isupper() or self.rng.random() >= odds:
            return word
        alike = _alike().get((kind, len(word), word[self.rng.randrange(len(word))])) if kind else None
        return self.rng.choice(alike or self.names)

    @functools.cached_property
    def names(self) -> list[str]:
        """The middle of the stock's words: neither the commonest nor such as stand in one text alone."""
        return sorted(word for word, count in self._words.items() if 2 < count < 200)

    def sentences(self, characters: float) -> list[str]:
        """Sentences of another article, at most so many characters."""
        other = self.rng.choice([text for text in self.texts if len(text) > 2 * characters] or self.texts)
        found, left = [], round(characters)
        for sentence in _SENTENCE.findall(other[len(other) // 4 :])[1:]:
            if left <= 0:
                break
            found.append(sentence[:left])
            left -= len(sentence)
        return found


@functools.cache
def _dictionary() -> dict[str, tuple[int, str]]:
    """Frequency and kind of jieba's words."""
    spec = importlib.util.find_spec("jieba")
    assert spec is not None
    assert spec.origin is not None
    rows = (Path(spec.origin).parent / "dict.txt").read_text(encoding="utf-8").splitlines()
    return {word: (int(count), kind) for word, count, kind in map(str.split, rows)}


@functools.cache
def _alike() -> dict[tuple[str, int, str], list[str]]:
    """Words that share kind, length and a character: as near to synonyms as a list of words goes."""
    found: dict[tuple[str, int, str], list[str]] = defaultdict(list)
    for word, (count, kind) in _dictionary().items():
        if count > _RARE:
            for character in set(word):
                found[kind, len(word), character].append(word)
    return found


def _reworded(text: str, stock: Stock) -> str:
    return stock.exchanged(text, stock.rng.uniform(0.05, 0.15))


def _turned(text: str, stock: Stock) -> str:
    """Half of the sentences with their clauses in another order."""

    def run(match: re.Match[str]) -> str:
        clauses = _CLAUSE.findall(match[0])
        if stock.rng.random() < 0.5:
            stock.rng.shuffle(clauses)
        return "".join(clauses)

    return _SENTENCE.sub(run, text)


def _moved(text: str, stock: Stock) -> str:
    sentences = _SENTENCE.findall(text)
    kept = [s for s in sentences if stock.rng.random() < stock.rng.uniform(0.5, 0.9)] or sentences[:1]
    at = stock.rng.randrange(len(kept))
    return "".join(kept[at:] + kept[:at])


def _headed(text: str, stock: Stock) -> str:
    """Another headline and another first and last sentence."""
    own = _SENTENCE.findall(text)
    head, tail = stock.sentences(len(text) * 0.12), stock.sentences(len(text) * 0.08)
    return "".join([*head, *own[2:-1], *tail]) if len(own) > 5 else "".join([*head, *own])


def _shortened(text: str, stock: Stock) -> str:
    """Every sentence without a quarter to half of its clauses."""
    share = stock.rng.uniform(0.15, 0.4)

    def run(match: re.Match[str]) -> str:
        clauses = _CLAUSE.findall(match[0])
        return "".join([c for c in clauses if stock.rng.random() >= share] or clauses[-1:])

    return _SENTENCE.sub(run, text)


def _cut(text: str, stock: Stock) -> str:
    sentences = _SENTENCE.findall(text)
    keep = max(1, round(len(sentences) * stock.rng.uniform(0.5, 0.85)))
    return "".join(sentences[at] for at in sorted(stock.rng.sample(range(len(sentences)), keep)))


def _joined(text: str, stock: Stock) -> str:
    return text + "\n" + "".join(stock.sentences(len(text) * stock.rng.uniform(0.2, 0.5)))


def _updated(text: str, stock: Stock) -> str:
    """Half of the numbers and a fifth of the sentences new."""
    found = _NUMBER.sub(
        lambda m: "".join(stock.rng.choices("123456789", k=len(m[0]))) if stock.rng.random() < 0.5 else m[0], text
    )
    return "".join(
        "".join(stock.sentences(len(s))) if stock.rng.random() < 0.2 else s for s in _SENTENCE.findall(found)
    )


EDITS: dict[str, Sequence[Edit]] = {
    "tune": (_reworded, _turned, _moved, _headed),
    "report": (_shortened, _cut, _joined, _updated),
}


def is_telling(word: str) -> bool:
    """Whether a word is a name, a number or rare."""
    if not _HAN.match(word):
        return word[:1].isupper() or word.isdigit()
    count, kind = _dictionary().get(word, (0, ""))
    return len(word) > 1 and (count <= _RARE or (kind.startswith("n") and kind != "n"))
