"""The keyword taxonomy: classes told by lists of words, for a start without training data."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from articlebot.classify.prediction import Prediction, Text
from articlebot.errors import ConfigError
from articlebot.files import shipped
from articlebot.text import fold, fold_each, segment_folded

_WEIGHTS = {"!": 2.0, "?": 0.5}
_TITLE_WEIGHT = 3  # a word of the title says as much as three of the body
_MAX_CHARS = 20_000
# Where the best class of a whole article has a quarter to a third of the evidence, over half are right.
_MIN_SHARE = 0.25
_MIN_EVIDENCE = 2.0  # one unmistakable word or two ordinary ones
_SHIPPED = "articlebot/classify/taxonomy.toml"


class KeywordTaxonomy:
    """A classifier that counts the words of each class's list, by their weights.

    The best class needs ``min_share`` of the whole evidence.
    """

    def __init__(self, title: str, keywords: Mapping[str, Mapping[str, float]], min_share: float) -> None:
        self.title, self._labels, self._min_share = title, tuple(keywords), min_share
        self._index = _index(keywords)
        self._beginnings = {keyword[:n] for keyword in self._index for n in range(1, len(keyword))}

    @property
    def name(self) -> str:
        return f"keyword taxonomy ({self.title}), untrained"

    @property
    def labels(self) -> tuple[str, ...]:
        return self._labels

    def predict(self, texts: Sequence[Text]) -> list[Prediction]:
        return [self._predict(title, body) for title, body in texts]

    def _predict(self, title: str, body: str) -> Prediction:
        counts = Counter(self._matches(body[:_MAX_CHARS]))
        for keyword in self._matches(title[:_MAX_CHARS]):
            counts[keyword] += _TITLE_WEIGHT
        evidence: dict[str, float] = {}
        for keyword, count in counts.items():
            entries = self._index[keyword]
            for label, weight in entries:
                evidence[label] = evidence.get(label, 0.0) + weight * math.log1p(count) / math.log(2) / len(entries)
        return self._decide(evidence)

    def _decide(self, evidence: Mapping[str, float]) -> Prediction:
        if not evidence:
            return Prediction(None)
        total = sum(evidence.values())
        # Little evidence cannot be certain, however one-sided it is.
        scores = {label: value / (total + 1.0) for label, value in sorted(evidence.items(), key=lambda e: -e[1])}
        best = next(iter(scores))
        sure = evidence[best] >= _MIN_EVIDENCE and scores[best] >= self._min_share
        return Prediction(best if sure else None, scores, (best,) if sure else (), scores[best])

    def _matches(self, text: str) -> Iterable[str]:
        """The keywords in a text, the longest at each place."""
        tokens = segment_folded(fold(text))
        i = 0
        while i < len(tokens):
            phrase, n = tokens[i], i + 1
            found, end = self._find(phrase), n
            # Few words begin a keyword: a longer phrase is looked up only while it still can be one.
            while phrase in self._beginnings and n < len(tokens):
                phrase += _space(tokens[n - 1], tokens[n]) + tokens[n]
                n += 1
                if longer := self._find(phrase):
                    found, end = longer, n
            if found:
                yield found
            i = end

    def _find(self, phrase: str) -> str | None:
        if phrase in self._index:
            return phrase
        if phrase.endswith("s"):
            return next((form for form in _singulars(phrase) if form in self._index), None)
        return None


def load_taxonomy(path: Path | None = None, *, min_share: float | None = None) -> KeywordTaxonomy:
    """The shipped taxonomy, or the user's from a TOML file of the same form.

    A file lists ``[[category]]`` tables with ``id`` and ``words_en``, ``words_zh`` or ``words``: words separated by
    commas, ``!`` after a word that counts double, ``?`` after one that counts half. An ``id`` may be a path such as
    ``news/sport``.

    Raises:
        ConfigError: the file cannot be read or is not of this form; names the file and the category.
    """
    shown = str(path or _SHIPPED)
    try:
        table = tomllib.loads(path.read_text("utf-8") if path else shipped("articlebot.classify", "taxonomy.toml"))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{shown}: {error}") from None
    categories = table.get("category")
    if not isinstance(categories, list) or not categories:
        raise ConfigError(f"{shown}: no [[category]] table")
    keywords: dict[str, dict[str, float]] = {}
    for number, category in enumerate(categories, 1):
        label = _label(category, f"{shown}: category {number}", keywords)
        keywords[label] = _word_list(category, f"{shown}: category {number} ({label})")
    return KeywordTaxonomy(str(table.get("title", shown)), keywords, _MIN_SHARE if min_share is None else min_share)


def _label(category: Any, where: str, known: Mapping[str, Any]) -> str:
    label = category.get("id") if isinstance(category, dict) else None
    if not isinstance(label, str) or not label.strip():
        raise ConfigError(f"{where}: id: expected a name")
    if label in known:
        raise ConfigError(f"{where}: id: {label!r} is there twice")
    return label


def _word_list(category: Mapping[str, Any], where: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for key in ("words", "words_en", "words_zh"):
        listed = category.get(key, "")
        if not isinstance(listed, str):
            raise ConfigError(f"{where}: {key}: expected words separated by commas")
        entries = [entry for part in listed.split(",") if (entry := part.strip())]
        for entry, folded in zip(entries, fold_each(entries), strict=True):
            weight = _WEIGHTS.get(entry[-1], 1.0)
            phrase = _join(segment_folded(folded))
            if phrase:
                weights[phrase] = max(weight, weights.get(phrase, 0.0))
    if not weights:
        raise ConfigError(f"{where}: no words")
    return weights


def _index(keywords: Mapping[str, Mapping[str, float]]) -> dict[str, list[tuple[str, float]]]:
    index: dict[str, list[tuple[str, float]]] = {}
    for label, weights in keywords.items():
        for keyword, weight in weights.items():
            index.setdefault(keyword, []).append((label, weight))
    return index


def _join(tokens: Sequence[str]) -> str:
    """Chinese words side by side, others with a space between: how a phrase is looked up."""
    return "".join(tokens[:1]) + "".join(_space(left, right) + right for left, right in pairwise(tokens))


def _space(left: str, right: str) -> str:
    return " " if left.isascii() and right.isascii() else ""


def _singulars(phrase: str) -> Iterable[str]:
    if phrase.endswith("ies"):
        yield phrase[:-3] + "y"
    if phrase.endswith("es"):
        yield phrase[:-2]
    if phrase.endswith("s") and not phrase.endswith("ss"):
        yield phrase[:-1]
