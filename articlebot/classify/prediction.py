"""What every classifier returns, and what callers may rely on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

Text = tuple[str, str]
"""Title and body; either may be empty."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """The class of one text.

    Attributes:
        category: the class, or the nearest class above it in a tree that is certain enough; None: the classifier
            abstains.
        scores: probability in [0, 1] of the likeliest classes, highest first.
        labels: every class that reaches the threshold where a text may have several; else the category alone.
        confidence: probability in [0, 1] of the likeliest class, whether or not the classifier abstained.
    """

    category: str | None
    scores: dict[str, float] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    confidence: float = 0.0


class Classifier(Protocol):
    """Predicts classes for batches of texts."""

    @property
    def name(self) -> str:
        """What predicts, for logs and reports."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Every class that may be predicted."""

    def predict(self, texts: Sequence[Text]) -> list[Prediction]:
        """One prediction per text, in order. Any text is taken, however empty or long."""
