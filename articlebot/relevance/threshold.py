"""The threshold of relevance, adapted by judged samples (design B)."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from articlebot import files
from articlebot.errors import StateError

VERSION = 1
_LOWEST, _HIGHEST = 0.01, 0.95
_ROUNDS_KEPT = 50
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Judgement:
    """A person's word on one page."""

    relevance: float
    relevant: bool


@dataclass(frozen=True, slots=True)
class Threshold:
    """The threshold and what its rounds of judgements found.

    Attributes:
        value: relevance in [0, 1] from which a page belongs to the topic.
        step: by how much of itself the value moves in a round.
        bound: a difference of accuracy between rounds below which it is steady.
        accuracies: of the past rounds, newest last.
    """

    value: float
    step: float = 0.1
    bound: float = 0.05
    accuracies: tuple[float, ...] = ()

    def to_json(self) -> str:
        """For the state file."""
        return json.dumps({"version": VERSION, **asdict(self)})

    @classmethod
    def from_json(cls, text: str) -> Threshold:
        """Raises StateError for anything that `to_json` did not write."""
        try:
            fields: dict[str, Any] = json.loads(text)
            if fields.pop("version") != VERSION:
                raise StateError("threshold of another version; delete it to begin again")
            kept = cls(
                value=float(fields["value"]), step=float(fields["step"]), bound=float(fields["bound"]),
                accuracies=tuple(float(value) for value in fields["accuracies"]),
            )  # fmt: skip
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StateError(f"not a threshold: {error}") from None
        if not 0 <= kept.value <= 1:
            raise StateError(f"not a threshold: {kept.value}")
        return kept


def threshold_path(data_dir: Path, topic: str) -> Path:
    """Where the threshold of a topic is kept."""
    return data_dir / "relevance" / (re.sub(r"[^\w.-]", "-", topic) + ".json")


def stored_threshold(data_dir: Path, topic: str) -> Threshold | None:
    """The threshold that judgements of a topic led to, None where there were none.

    Raises:
        StateError: the file cannot be read.
    """
    path = threshold_path(data_dir, topic)
    if not path.exists():
        return None
    try:
        return Threshold.from_json(path.read_text(encoding="utf-8"))
    except (StateError, OSError, UnicodeError) as error:
        raise StateError(f"{path}: {error}") from None


def store_threshold(data_dir: Path, topic: str, threshold: Threshold) -> Path:
    """Keeps the threshold of a topic, whole or not at all."""
    path = threshold_path(data_dir, topic)
    files.replace(path, threshold.to_json())
    return path


def sample(pages: Sequence[T], n: int, rng: random.Random) -> list[T]:
    """At most `n` of the pages, at random, for judging."""
    return rng.sample(list(pages), min(n, len(pages)))


def adapt(threshold: Threshold, judged: Sequence[Judgement]) -> Threshold:
    """The threshold after a round of judgements of pages that were taken for relevant.

    The design's rule: the accuracy is the share of the sampled pages that are relevant indeed. Does it differ from the
    last round's by less than the bound, the threshold is lowered, which widens the coverage; else it is raised, which
    sharpens the precision. The first round only measures. No judgement, no change.
    """
    if not judged:
        return threshold
    accuracy = sum(judgement.relevant for judgement in judged) / len(judged)
    value = threshold.value
    if threshold.accuracies:
        steady = abs(accuracy - threshold.accuracies[-1]) < threshold.bound
        value *= 1 - threshold.step if steady else 1 + threshold.step
    return replace(
        threshold,
        value=min(_HIGHEST, max(_LOWEST, value)),
        accuracies=(*threshold.accuracies, accuracy)[-_ROUNDS_KEPT:],
    )


def best_split(threshold: Threshold, judged: Sequence[Judgement]) -> Threshold:
    """The threshold at which the judged pages are told apart with the best F1; the better default.

    The design's rule needs no irrelevant page and moves by steps in a direction that the quality does not decide; with
    a dozen judgements of both kinds the best value is known at once. Falls back to `adapt` where all judgements agree.
    """
    relevant = sorted((j.relevance for j in judged if j.relevant), reverse=True)
    if not relevant or len(relevant) == len(judged):
        return adapt(threshold, judged)
    others = [j.relevance for j in judged if not j.relevant]

    def f1(value: float) -> float:
        hits = sum(r >= value for r in relevant)
        return 2 * hits / (hits + sum(r >= value for r in others) + len(relevant))

    best = max(relevant, key=lambda value: (f1(value), -value))
    below = max((value for value in (*others, *relevant) if value < best), default=best)
    accuracy = len(relevant) / len(judged)
    return replace(
        threshold,
        value=min(_HIGHEST, max(_LOWEST, (best + below) / 2)),
        accuracies=(*threshold.accuracies, accuracy)[-_ROUNDS_KEPT:],
    )
