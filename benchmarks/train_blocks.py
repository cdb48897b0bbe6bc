"""Trains the block classifiers of the generic extraction and writes their data file.

    python -m benchmarks.train_blocks [--report] [--out articlebot/extraction/generic/blocks.json.gz]

Labels come from the corpus' gold bodies: a block belongs to the article when more than half of its tokens lie on the
longest common subsequence of page and gold. Two classifiers: the first look at each block, and the second with what
the first thinks of its surroundings and with trafilatura's two bodies, for pages where the first is unsure. The folds
are split by site; ``--report`` prints cross-validated figures of both (no page is judged by a model that saw its site)
and writes nothing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz.distance import LCSseq
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GroupKFold

from articlebot.extraction.generic import context, features, opinions
from articlebot.extraction.generic.blocks import Block
from articlebot.extraction.generic.body import hints_of
from articlebot.extraction.page import Page
from benchmarks.corpus import evaluation, page_rows

OUT = Path(__file__).resolve().parent.parent / "articlebot/extraction/generic/blocks.json.gz"
PARAMETERS: dict[str, Any] = {
    "max_iter": 100,
    "learning_rate": 0.12,
    "max_leaf_nodes": 20,
    "max_depth": 6,
    "max_bins": 63,
    "min_samples_leaf": 60,
    "l2_regularization": 3.0,
    "max_features": 0.3,
    "early_stopping": False,
    "random_state": 0,
}
Array = features.Array


@dataclass
class Sample:
    """A page with its labels."""

    set: str
    group: str
    row: dict[str, Any]
    page: Page
    blocks: list[Block]
    base: Array
    label: np.ndarray
    weight: np.ndarray
    usable: bool
    candidates: list[str] = field(default_factory=list)
    found: dict[str, Array] = field(default_factory=dict)


def samples(sets: Sequence[str] | None = None, step: int = 1) -> Iterator[Sample]:
    """Every annotated page of the corpus that has any text."""
    for name, row, body in page_rows(sets, step):
        page = Page.parse(body, row.get("url") or "")
        if page.tree is None or not page.blocks or "body" not in row:
            continue
        judge = evaluation()
        gold = judge.toks(judge.strip_title(row["body"], row.get("title")))
        total, hit = _matches(page.blocks, gold)
        share = hit / np.maximum(total, 1)
        weight = np.minimum(total + 1, 400) / (len(gold) + 60.0) * np.maximum(0.1, np.abs(2 * share - 1))
        weight /= max(1.0, weight.sum() / 4)  # a page of many menus must not outweigh the others
        yield Sample(
            set=name,
            group=str(row["site"]).split("-20", maxsplit=1)[0],
            row=row,
            page=page,
            blocks=page.blocks,
            base=features.compute(page.blocks, hints_of(page)),
            label=(share > 0.5).astype(int),
            weight=weight,
            usable=bool(hit.sum() >= 0.5 * len(gold)),
        )


def _matches(blocks: Sequence[Block], gold: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Tokens of each block, and how many of them lie on the longest common subsequence with the gold body."""
    numbers: dict[str, int] = {}
    target = [numbers.setdefault(token, len(numbers)) for token in gold]
    source: list[int] = []
    owner: list[int] = []
    for index, block in enumerate(blocks):
        for token in evaluation().toks(block.text):
            source.append(numbers.setdefault(token, len(numbers)))
            owner.append(index)
    total = np.bincount(np.array(owner, dtype=int), minlength=len(blocks)).astype(float)
    hit = np.zeros(len(blocks))
    for step in LCSseq.opcodes(source, target):
        if step.tag == "equal":
            np.add.at(hit, owner[step.src_start : step.src_end], 1)
    return total, hit


def fit(chosen: Iterable[Sample], rows: Callable[[Sample], Array]) -> HistGradientBoostingClassifier:
    """A classifier of these pages' blocks; most of the easy negatives are left out and the rest weighted up."""
    used = [sample for sample in chosen if sample.usable]
    x = np.vstack([rows(sample) for sample in used])
    y = np.concatenate([sample.label for sample in used])
    w = np.concatenate([sample.weight for sample in used])
    w /= w.mean()
    easy = (w < 0.3) & (y == 0)
    keep = ~easy | (np.random.default_rng(0).random(len(w)) < 0.3)
    w = np.where(easy, w / 0.3, w)
    return HistGradientBoostingClassifier(**PARAMETERS).fit(x[keep], y[keep], sample_weight=w[keep])


def out_of_fold(pages: list[Sample], rows: Callable[[Sample], Array], key: str, folds: int) -> None:
    """Sets ``found[key]`` of each page from models that saw no page of its site."""
    splitter = GroupKFold(folds, shuffle=True, random_state=1)
    for train, test in splitter.split(pages, groups=[sample.group for sample in pages]):
        model = fit([pages[i] for i in train], rows)
        for i in test:
            pages[i].found[key] = model.predict_proba(rows(pages[i]))[:, 1].astype(np.float32)


def first_rows(sample: Sample) -> Array:
    return sample.base


def second_rows(sample: Sample) -> Array:
    if not sample.candidates:
        sample.candidates = opinions.bodies(sample.page)
    rows = context.compute(sample.blocks, sample.base, sample.found["first"])
    return opinions.compute(sample.blocks, rows, sample.found["first"], sample.candidates)


def report(pages: list[Sample], key: str, threshold: float) -> None:
    """Prints mean f1page by set of the blocks above a threshold."""
    judge = evaluation()
    by_set: dict[str, list[float]] = defaultdict(list)
    for sample in pages:
        found = sample.found[key]
        keep = found > min(threshold, float(found.max()) * 0.999)
        text = "\n".join(block.text for block, kept in zip(sample.blocks, keep, strict=True) if kept)
        gold = judge.toks(judge.strip_title(sample.row["body"], sample.row.get("title")))
        score = judge.prf(gold, judge.toks(judge.strip_title(text, sample.row.get("title"))))[2]
        by_set[sample.set].append(score)
        by_set["all"].append(score)
        by_set["zh" if sample.row["lang"].startswith("zh") else "not zh"].append(score)
    print(key, threshold, {name: round(float(np.mean(values)), 4) for name, values in by_set.items()}, flush=True)


def exported(model: HistGradientBoostingClassifier, names: Sequence[str]) -> dict[str, Any]:
    """The model as plain lists, see ``articlebot.extraction.generic.trees``."""
    data: dict[str, Any] = {
        "names": list(names),
        "roots": [],
        "feature": [],
        "threshold": [],
        "left": [],
        "right": [],
        "value": [],
    }
    depth = 0
    for (tree,) in model._predictors:
        offset = len(data["feature"])
        data["roots"].append(offset)
        for index, node in enumerate(tree.nodes):
            leaf = bool(node["is_leaf"])
            data["feature"].append(0 if leaf else int(node["feature_idx"]))
            data["threshold"].append(0.0 if leaf else float(f"{node['num_threshold']:.6g}"))
            data["left"].append(offset + (index if leaf else int(node["left"])))
            data["right"].append(offset + (index if leaf else int(node["right"])))
            data["value"].append(float(f"{node['value']:.5g}") if leaf else 0.0)
            depth = max(depth, int(node["depth"]))
    return {**data, "depth": depth, "base": float(np.ravel(model._baseline_prediction)[0])}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", action="store_true", help="print cross-validated figures instead of writing models")
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    pages = list(samples())
    print(f"{len(pages)} pages, {sum(len(sample.blocks) for sample in pages)} blocks", file=sys.stderr, flush=True)
    out_of_fold(pages, first_rows, "first", arguments.folds)
    report(pages, "first", 0.4)
    if arguments.report:
        out_of_fold(pages, second_rows, "second", arguments.folds)
        for threshold in (0.35, 0.4, 0.45, 0.5):
            report(pages, "second", threshold)
        return
    named = {
        "first": (first_rows, features.NAMES),
        "second": (second_rows, [*features.NAMES, *context.NAMES, *opinions.NAMES]),
    }
    write(arguments.out, {key: exported(fit(pages, rows), names) for key, (rows, names) in named.items()})


def write(out: Path, models: dict[str, Any]) -> None:
    with gzip.GzipFile(out, "wb", mtime=0) as stream:
        stream.write(json.dumps(models, separators=(",", ":")).encode())
    print(out, out.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
