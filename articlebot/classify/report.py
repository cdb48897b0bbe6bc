"""How well a model does on labelled texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from articlebot.classify.features import Floats
from articlebot.classify.linear import LinearModel

_COVERAGE = 0.9


def evaluate(model: LinearModel, scores: Floats, targets: Floats) -> dict[str, Any]:
    """Figures of a model on texts whose scores and classes (1 and 0, a column per class) are given.

    ``accuracy`` counts the likeliest class of every text; ``accuracy_at_90_coverage`` that of the nine tenths the model
    is surest of; ``coverage`` and ``accuracy_answered`` say how many it answers at its threshold, and how well.
    """
    chances = model.probabilities(scores)
    best = chances.argmax(axis=1)
    sure = chances.max(axis=1) if len(chances) else np.zeros(0, np.float32)
    right = targets[np.arange(len(best)), best] > 0
    surest = np.argsort(-sure, kind="stable")[: int(np.ceil(_COVERAGE * len(best)))]
    answered = sure >= model.threshold
    return {
        "texts": len(best),
        "accuracy": _mean(right),
        "accuracy_at_90_coverage": _mean(right[surest]),
        "threshold": model.threshold,
        "coverage": _mean(answered),
        "accuracy_answered": _mean(right[answered]),
        "calibration_error": _calibration_error(sure, right),
        "classes": _classes(model, chances, targets),
        "confusion": _confusion(model.labels, targets, best),
    }


def _mean(values: Any) -> float | None:
    return round(float(np.mean(values)), 4) if len(values) else None


def _calibration_error(sure: Floats, right: Any) -> float | None:
    """Expected calibration error over ten bins: how far stated and true certainty lie apart."""
    if not len(sure):
        return None
    bins = np.minimum((sure * 10).astype(int), 9)
    gaps = [abs(float(sure[bins == b].sum() - right[bins == b].sum())) for b in range(10)]
    return round(sum(gaps) / len(sure), 4)


def _classes(model: LinearModel, chances: Floats, targets: Floats) -> list[dict[str, Any]]:
    if model.several:
        given = chances >= model.threshold
    else:
        given = np.zeros(chances.shape, bool)
        given[np.arange(len(chances)), chances.argmax(axis=1)] = True
    wanted = targets > 0
    rows = []
    for column, label in enumerate(model.labels):
        hits = int((given[:, column] & wanted[:, column]).sum())
        said, true = int(given[:, column].sum()), int(wanted[:, column].sum())
        parts = {"precision": (hits, said), "recall": (hits, true), "f1": (2 * hits, said + true)}
        shares = {key: round(some / of, 4) if of else None for key, (some, of) in parts.items()}
        rows.append({"class": label, "texts": true, **shares})
    return rows


def _confusion(labels: tuple[str, ...], targets: Floats, best: Any) -> dict[str, dict[str, int]]:
    """How often a text of the one class was taken for another, commonest first; right answers included."""
    table: dict[str, dict[str, int]] = {}
    truth = targets.argmax(axis=1) if len(targets) else best
    for column, label in enumerate(labels):
        counted = np.bincount(best[truth == column], minlength=len(labels)) if len(best) else np.zeros(len(labels), int)
        order = np.argsort(-counted, kind="stable")
        table[label] = {labels[i]: int(counted[i]) for i in order if counted[i]}
    return {label: row for label, row in table.items() if row}
