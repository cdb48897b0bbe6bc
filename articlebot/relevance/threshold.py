"""The threshold of relevance, adapted by judged samples (design B)."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass

from articlebot import files
from articlebot.errors import StateError

_LOWEST, _HIGHEST = 0.01, 0.95
_ROUNDS_KEPT = 50
T = TypeVar("T")


@dataclass(frozen=True)
class Judgement:
    """A person's word on one page."""

    relevance: float
    relevant: bool


@dataclass(frozen=True)
class Threshold:
    """The threshold and what its rounds of judgements found.

    Attributes:
        value: relevance from which a page belongs to the topic.
        step: by how much of itself the value moves in a round.
        bound: a difference of accuracy between rounds below which it is steady.
        accuracies: of the past rounds, newest last.
    """

    value: Annotated[float, Field(ge=0, le=1)]
    step: float = 0.1
    bound: float = 0.05
    accuracies: tuple[float, ...] = ()
    version: Literal[1] = 1

    def after(self, accuracy: float, value: float) -> Threshold:
        """The threshold after a round."""
        kept = (*self.accuracies, accuracy)[-_ROUNDS_KEPT:]
        return replace(self, value=min(_HIGHEST, max(_LOWEST, value)), accuracies=kept)


_adapter = TypeAdapter(Threshold)


def read_threshold(text: str | bytes) -> Threshold:
    """The threshold in a state file's text; raises StateError for anything else."""
    try:
        return _adapter.validate_json(text)
    except ValueError as error:
        raise StateError(f"not a threshold, delete it to begin again: {error}") from None


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
        return read_threshold(path.read_bytes())
    except (StateError, OSError) as error:
        raise StateError(f"{path}: {error}") from None


def store_threshold(data_dir: Path, topic: str, threshold: Threshold) -> Path:
    """Keeps the threshold of a topic, whole or not at all."""
    path = threshold_path(data_dir, topic)
    files.replace(path, _adapter.dump_json(threshold))
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
    return threshold.after(accuracy, value)


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
    return threshold.after(len(relevant) / len(judged), (best + below) / 2)
