"""How relevant a page is: the cosine of its keyword vector and the topic's, which learns from what it accepts."""

from __future__ import annotations

from collections import Counter
from functools import partial

from articlebot.relevance.topic import Topic
from articlebot.relevance.vectors import Background, cosine, terms, unit, vector
from articlebot.text import Names

_TITLE_WEIGHT = 3
# Rocchio 1971: weight of the pages accepted and refused against that of the examples.
_ACCEPTED, _REFUSED = 1.0, 0.25
_REFRESH = 20  # pages after which the vector is made anew
# Where the examples do not tell (keywords alone): cosine of a page plainly on the topic.
_LEVEL = 0.15
_THRESHOLD_OF_LEVEL = 0.6


class Judge:
    """Relevance of texts to a topic.

    The topic's vector is the mean of its examples'; pages that are surely relevant are added with a smaller weight and
    irrelevant ones taken off, so that a topic of five keywords finds its further words by itself.

    Args:
        feedback: whether it learns from the pages judged; the design does not.
        threshold: relevance in [0, 1] that judgements settled; None: the topic's, else from its examples.
        counted: a word weighs as often as it stands in a text, as in the design; else rare words weigh more.
        names: stay whole words.
    """

    def __init__(
        self, topic: Topic, *, feedback: bool = True, threshold: float | None = None, counted: bool = False,
        names: Names | None = None,
    ) -> None:  # fmt: skip
        self.background, self._names = Background(), names
        self._of = unit if counted else partial(vector, background=self.background)
        self._examples = topic.counts(names)
        self._feedback = feedback
        self._accepted: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._counted = [0, 0]
        self._fixed = topic.threshold if threshold is None else threshold
        for counts in self._examples:
            self.background.add(counts)
        self._vector: dict[str, float] = {}
        self._base: dict[str, float] = {}
        self.level = _LEVEL
        self._refresh()

    @property
    def threshold(self) -> float:
        """Relevance from which a page belongs to the topic."""
        return self._fixed if self._fixed is not None else _THRESHOLD_OF_LEVEL * self.level

    def relevance(self, title: str, body: str) -> float:
        """Cosine in [0, 1] of a page with the topic."""
        return max(0.0, cosine(self._of(self._terms(title, body)), self._vector))

    def of_text(self, text: str) -> float:
        """Cosine in [0, 1] of an anchor or a context with the topic."""
        counts = terms(text, self._names)
        return max(0.0, cosine(self._of(counts), self._vector)) if counts else 0.0

    def share(self, relevance: float) -> float:
        """Relevance as a share of what pages of the topic have, in [0, 1]."""
        return min(1.0, relevance / self.level) if self.level else 0.0

    def add_example(self, title: str, body: str) -> None:
        """One more example text of the topic, such as a page that the topic file names by its address."""
        counts = self._terms(title, body)
        if counts:
            self._examples.append(counts)
            self.background.add(counts)
            self._refresh()

    def learn(self, title: str, body: str, relevance: float) -> None:
        """Takes a page that was fetched into account."""
        counts = self._terms(title, body)
        self.background.add(counts)
        if self._feedback and counts:
            found = self._of(counts)
            # By the examples alone: a topic that learned from what it had learned would drift away.
            if cosine(found, self._base) >= self.level:
                self._accepted.update(found)
                self._counted[0] += 1
            elif relevance < 0.5 * self.threshold:
                self._refused.update(found)
                self._counted[1] += 1
        if self.background.pages % _REFRESH == 0:
            self._refresh()

    def _refresh(self) -> None:
        vectors = [self._of(counts) for counts in self._examples]
        total: Counter[str] = Counter()
        for found in vectors:
            total.update(found)
        if len(vectors) > 1:
            # Each example against the others: what a page of the topic may be expected to have.
            near = sorted(cosine(v, unit({w: total[w] - v.get(w, 0.0) for w in total})) for v in vectors)
            self.level = max(0.05, near[len(near) // 2])
        weights = {word: value / max(1, len(vectors)) for word, value in total.items()}
        self._base = unit(total)
        for counted, sums, weight in (
            (self._counted[0], self._accepted, _ACCEPTED),
            (self._counted[1], self._refused, -_REFUSED),
        ):
            # Few pages are no reason to trust them: five count half.
            trust = weight * counted / (counted + 5.0) / counted if counted else 0.0
            for word, value in sums.items() if trust else ():
                weights[word] = weights.get(word, 0.0) + trust * value
        self._vector = unit({word: value for word, value in weights.items() if value > 0})

    def _terms(self, title: str, body: str) -> Counter[str]:
        counts = terms(body, self._names)
        for word, count in terms(title, self._names).items():
            counts[word] += _TITLE_WEIGHT * count
        return counts
