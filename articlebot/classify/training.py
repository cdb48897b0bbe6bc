"""Training of the linear model, its held-out report, and its update from corrections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from articlebot.classify import features
from articlebot.classify.features import FeatureCounts, Floats, Ids, Rows
from articlebot.classify.labelled import Labelled
from articlebot.classify.linear import Calibration, LinearModel, lead, score
from articlebot.classify.report import evaluate

Progress = Callable[[str], None]

_HELD_OUT = 0.1
_HELD_OUT_AT_MOST = 5_000
# Tuned on splits of 45,000 training titles alone; docs/decisions/0010-classes.md has what did not pay.
# Squared hinge one against the rest, AdaGrad: on news titles better than a logistic loss (.907 against .902) and than
# scikit-learn's LinearSVC on the same kind of features (.905).
_RATE = 0.1
_DECAY = 3e-4
# Runs in other orders differ in texts that they are unsure of: their mean is right more often and knows better when.
_RUNS = 2
_BATCH = 128
_RARITY_POWER = 0.2
_EPOCHS = 5
_BYTES = 17_000_000  # of weights: the file stays below 20 MB
_AGGRESSIVENESS = 1.0  # C of Crammer et al. 2006
_UPDATE_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Trained:
    """A model with the report on the texts that were kept out of it at first."""

    model: LinearModel
    report: dict[str, Any]


def train(examples: Sequence[Labelled], *, seed: int = 0, progress: Progress = lambda _: None) -> Trained:
    """A model of the examples, at least two classes.

    A tenth of the examples (at most 5,000) is kept out of a first model, which gives the report and the calibration;
    the model returned is then trained on all. The seed is of the split and of the order.
    """
    labels = tuple(sorted({label for example in examples for label in example.labels}))
    several = any(len(example.labels) != 1 for example in examples)
    progress(f"reading the features of {len(examples):,} texts")
    counts = features.count([example.text for example in examples])
    targets = target_matrix(examples, labels)
    rng = np.random.default_rng(seed)
    kept_out = _split(targets, rng)
    inside = np.setdiff1d(np.arange(len(examples)), kept_out)
    progress(f"training on {len(inside):,} texts, {len(kept_out):,} kept out")
    none = np.zeros(0, np.int64), np.zeros(0, np.float32), np.zeros((0, len(labels)), np.float32)
    blank = LinearModel(labels, several, *none, np.zeros(len(labels), np.float32))
    first = _fit(blank, counts.take(inside), targets[inside], rng, progress)
    tested = counts.take(kept_out)
    scores = score(features.weigh(tested, first.lookup, first.rarity), first.weights) + first.bias
    calibrated = replace(first, calibration=_calibrate(scores, targets[kept_out]))
    report = evaluate(calibrated, scores, targets[kept_out])
    progress(f"training on all {len(examples):,} texts")
    whole = _fit(blank, counts, targets, rng, progress)
    facts = {"held_out": {key: report[key] for key in ("texts", "accuracy", "accuracy_at_90_coverage")}}
    return Trained(replace(whole, calibration=calibrated.calibration, facts=facts), report)


def update(model: LinearModel, corrections: Sequence[Labelled]) -> LinearModel:
    """The model moved by as little as makes it agree with the corrections (passive-aggressive, Crammer et al. 2006).

    New classes and new features are added. What the corrections do not touch stays as it was; no training text is
    needed.
    """
    labels = model.labels + tuple(
        dict.fromkeys(label for row in corrections for label in row.labels if label not in model.labels)
    )
    several = model.several or any(len(row.labels) != 1 for row in corrections)
    counts = features.count([row.text for row in corrections])
    grown = _grow(model, labels, counts)
    rows = features.weigh(counts, grown.lookup, grown.rarity)
    targets = target_matrix(corrections, labels)
    weights, bias = grown.weights.copy(), grown.bias.copy()
    for _ in range(_UPDATE_ROUNDS):
        for i in range(len(rows)):
            part = slice(int(rows.starts[i]), int(rows.starts[i + 1]))
            ids, values = rows.ids[part], rows.values[part]
            sign = 2.0 * targets[i] - 1.0
            loss = np.maximum(0.0, 1.0 - sign * (values @ weights[ids] + bias))
            step = sign * loss / (float(values @ values) + 1.0 / (2.0 * _AGGRESSIVENESS))
            weights[ids] += values[:, None] * step.astype(np.float32)
    return replace(grown, weights=weights, bias=bias, several=several, trained_on=model.trained_on + len(corrections))


def target_matrix(examples: Sequence[Labelled], labels: Sequence[str]) -> Floats:
    """1 where the example of the row has the class of the column."""
    column = {label: index for index, label in enumerate(labels)}
    targets = np.zeros((len(examples), len(labels)), np.float32)
    for row, example in enumerate(examples):
        for label in example.labels:
            targets[row, column[label]] = 1.0
    return targets


def _split(targets: Floats, rng: np.random.Generator) -> Ids:
    """Rows kept out: as many of each class as its share, none of classes with fewer than three rows."""
    share = min(_HELD_OUT, _HELD_OUT_AT_MOST / max(1, len(targets)))
    kept_out: list[int] = []
    group = targets.argmax(axis=1)
    for label in range(targets.shape[1]):
        members = rng.permutation(np.flatnonzero(group == label))
        if len(members) >= 3:
            kept_out.extend(members[: max(1, round(share * len(members)))].tolist())
    return np.sort(np.array(kept_out, dtype=np.int64))


def _fit(
    blank: LinearModel, counts: FeatureCounts, targets: Floats, rng: np.random.Generator, progress: Progress
) -> LinearModel:
    frequency = np.bincount(counts.ids, minlength=features.SPACE)
    vocabulary = np.flatnonzero(frequency)
    room = _BYTES // (len(blank.labels) + 5)
    if len(vocabulary) > room:
        vocabulary = np.sort(vocabulary[np.argsort(-frequency[vocabulary], kind="stable")[:room]])
    rarity = _rarity(frequency[vocabulary], len(counts))
    model = replace(blank, vocabulary=vocabulary, rarity=rarity, trained_on=len(counts))
    rows = features.weigh(counts, model.lookup, rarity)
    runs = [_descend(rows, targets, len(vocabulary), rng, progress) for _ in range(_RUNS)]
    weights, bias = (np.asarray(sum(parts) / _RUNS, np.float32) for parts in zip(*runs, strict=True))
    return replace(model, weights=weights, bias=bias)


def _rarity(frequency: NDArray[Any], texts: int) -> Floats:
    """Inverse document frequency, damped: .911 at this power on titles kept out of training, .907 undamped."""
    return np.asarray((np.log((1 + texts) / (1 + frequency)) + 1) ** _RARITY_POWER, dtype=np.float32)


def _descend(
    rows: Rows, targets: Floats, size: int, rng: np.random.Generator, progress: Progress
) -> tuple[Floats, Floats]:
    shape = size, targets.shape[1]
    state = _State(np.zeros(shape, np.float32), np.full(shape, 1e-3, np.float32), np.zeros(shape[1], np.float32))
    # Small collections need more rounds to take as many steps.
    epochs = int(np.clip(20_000 // max(1, len(rows)), _EPOCHS, 20))
    batch = int(np.clip(len(rows) // 40, 4, _BATCH))
    for epoch in range(epochs):
        order = rng.permutation(len(rows))
        shuffled, signs = rows.take(order), (2.0 * targets - 1.0)[order]
        rate = _RATE * (1 - epoch / epochs)
        for start in range(0, len(rows), batch):
            part = slice(start, min(start + batch, len(rows)))
            state.step(shuffled.part(part), signs[part], rate)
        progress(f"round {epoch + 1} of {epochs}")
    return state.weights, state.bias


@dataclass(frozen=True, slots=True)
class _State:
    """What the descent changes in place."""

    weights: Floats
    squares: Floats
    bias: Floats

    def step(self, batch: Rows, signs: Floats, rate: float) -> None:
        # The weights of the batch's features lie far apart: they are fetched once, for the scores as for the change.
        order = np.argsort(batch.ids, kind="stable")
        ids = batch.ids[order]
        new = np.diff(ids, prepend=-1) != 0
        first = np.flatnonzero(new)
        touched = ids[first]
        weights = self.weights[touched]
        place = np.empty(len(order), np.int64)
        place[order] = np.cumsum(new) - 1
        scores = score(replace(batch, ids=place), weights) + self.bias
        slope = -2.0 * signs * np.maximum(0.0, 1.0 - signs * scores)
        self.bias[:] -= rate * 0.01 * slope.mean(axis=0)
        if not len(order):
            return
        owner = np.repeat(np.arange(len(batch)), np.diff(batch.starts))[order]
        gradient = np.add.reduceat(slope[owner] * batch.values[order][:, None], first, axis=0)
        gradient += _DECAY * len(batch) * weights
        squares = self.squares[touched] + gradient * gradient
        self.squares[touched] = squares
        self.weights[touched] = weights - rate * gradient / np.sqrt(squares)


def _calibrate(scores: Floats, targets: Floats) -> Calibration:
    if not len(scores):
        return Calibration()
    right = targets[np.arange(len(scores)), scores.argmax(axis=1)]
    return Calibration(margin=_logistic_fit(lead(scores), right), label=_logistic_fit(scores.ravel(), targets.ravel()))


def _logistic_fit(values: Floats, right: Floats) -> tuple[float, float]:
    """Slope and intercept of the logistic curve (Platt 1999, with his smoothed targets), by Newton's method."""
    yes, no = float(right.sum()), float(len(right) - right.sum())
    target = np.where(right > 0, (yes + 1) / (yes + 2), 1 / (no + 2))
    design = np.stack([values, np.ones_like(values)], axis=1).astype(np.float64)
    curve = np.array([2.0, 0.0])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-np.clip(design @ curve, -30, 30)))
        slope = design.T @ (chance - target) + 1e-3 * curve
        bend = (design * (chance * (1 - chance))[:, None]).T @ design + 1e-3 * np.eye(2)
        step = np.linalg.solve(bend, slope)
        curve -= np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-6:
            break
    # A curve that falls would call the surest texts wrong: too few examples to say.
    return (float(curve[0]), float(curve[1])) if curve[0] > 0.05 else (2.0, 0.0)


def _grow(model: LinearModel, labels: tuple[str, ...], counts: FeatureCounts) -> LinearModel:
    fresh = np.setdiff1d(np.unique(counts.ids), model.vocabulary)
    vocabulary = np.concatenate([model.vocabulary, fresh])
    order: NDArray[np.intp] = np.argsort(vocabulary)
    more = len(labels) - len(model.labels)
    weights = np.pad(model.weights, ((0, len(fresh)), (0, more)))
    unseen = _rarity(np.ones(len(fresh)), model.trained_on)
    return replace(
        model, labels=labels, vocabulary=vocabulary[order], rarity=np.concatenate([model.rarity, unseen])[order],
        weights=weights[order], bias=np.concatenate([model.bias, np.full(more, -1.0, np.float32)]),
    )  # fmt: skip
