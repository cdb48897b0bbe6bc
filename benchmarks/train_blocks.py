"""Trains the block classifier of the generic extraction and writes its data file.

    python -m benchmarks.train_blocks [--report] [--sets atf,big9] [--out articlebot/extraction/generic/blocks.json.gz]

Labels come from the corpus' gold bodies: a block belongs to the article when more than half of its tokens lie on the
longest common subsequence of page and gold. ``--report`` prints cross-validated figures and writes nothing: ``site``
splits the pages by site, so that no page is judged by a model that saw its site; ``set`` trains on all sets but the one
that is judged, which is the figure for pages of a kind never seen. Each is given for the classifier alone and for the
whole extraction of the body, with trafilatura's two modes on the same pages.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz.distance import LCSseq
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GroupKFold

from articlebot.extraction.generic import features, opinions
from articlebot.extraction.generic.body import SURE, chosen, hints_of, without_notices
from articlebot.page.blocks import Block
from articlebot.page.page import Page
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


def fit(pages: Iterable[Sample]) -> HistGradientBoostingClassifier:
    """A classifier of these pages' blocks; most of the easy negatives are left out and the rest weighted up."""
    used = [sample for sample in pages if sample.usable]
    x = np.vstack([sample.base for sample in used])
    y = np.concatenate([sample.label for sample in used])
    w = np.concatenate([sample.weight for sample in used])
    w /= w.mean()
    easy = (w < 0.3) & (y == 0)
    keep = ~easy | (np.random.default_rng(0).random(len(w)) < 0.3)
    w = np.where(easy, w / 0.3, w)
    return HistGradientBoostingClassifier(**PARAMETERS).fit(x[keep], y[keep], sample_weight=w[keep])


def judged(pages: list[Sample], splits: Iterable[tuple[Sequence[int], Sequence[int]]], key: str) -> None:
    """Sets ``found[key]`` of each page from models that saw no page of its part."""
    for train, test in splits:
        model = fit([pages[i] for i in train])
        for i in test:
            pages[i].found[key] = model.predict_proba(pages[i].base)[:, 1].astype(np.float32)


def by_site(pages: list[Sample], folds: int) -> Iterable[tuple[Sequence[int], Sequence[int]]]:
    splitter = GroupKFold(folds, shuffle=True, random_state=3)
    split: Iterable[tuple[Sequence[int], Sequence[int]]] = splitter.split(pages, groups=[page.group for page in pages])
    return split


def by_set(pages: list[Sample]) -> Iterator[tuple[list[int], list[int]]]:
    for name in sorted({page.set for page in pages}):
        yield (
            [i for i, page in enumerate(pages) if page.set != name],
            [i for i, page in enumerate(pages) if page.set == name],
        )


def report(pages: list[Sample], keys: Sequence[str]) -> None:
    """Prints the mean ``f1page`` by set of the peers, and for each key of the classifier alone and of the whole."""
    texts: dict[str, list[str]] = defaultdict(list)
    for page in pages:
        units = np.expm1(page.base[:, 0])
        fast = functools.cache(opinions.text_of)
        slow = functools.cache(functools.partial(opinions.text_of, fast=False))
        for name, precise in (("trafilatura", False), ("trafilatura_precision", True)):
            texts[name].append(slow(page.page, precise=precise))
        for key in keys:
            chances = without_notices(page.blocks, page.found[key])
            keep = chosen(chances)
            texts[f"{key}: classifier"].append(_text(page, keep))
            unsure = opinions.overlap(units, chances, keep) < SURE
            for name, hear in (("whole", fast), ("with trafilatura's fallbacks", slow)):
                body = keep
                if unsure:
                    read = opinions.heard(page.page, page.blocks, units, keep, hear)
                    body, _ = opinions.agreed(keep, chances, units, read)
                texts[f"{key}: {name}"].append(_text(page, body))
    for name, found in texts.items():
        scores: dict[str, list[float]] = defaultdict(list)
        for page, text in zip(pages, found, strict=True):
            scores[page.set].append(_score(page, text))
            scores["zh" if page.row["lang"].startswith("zh") else "not zh"].append(scores[page.set][-1])
        means = {part: round(float(np.mean(values)), 4) for part, values in sorted(scores.items())}
        sets = [value for part, value in means.items() if "zh" not in part]
        print(f"{name:34}", means, "mean of sets", round(float(np.mean(sets)), 4), flush=True)


def _text(page: Sample, keep: np.ndarray) -> str:
    return "\n".join(block.text for block, kept in zip(page.blocks, keep, strict=True) if kept)


def _score(page: Sample, text: str) -> float:
    judge, title = evaluation(), page.row.get("title")
    gold = judge.toks(judge.strip_title(page.row["body"], title))
    return float(judge.prf(gold, judge.toks(judge.strip_title(text, title)))[2])


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
    parser.add_argument(
        "--report", action="store_true", help="print cross-validated figures instead of writing a model"
    )
    parser.add_argument("--sets", help="comma-separated; default: all")
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth page of a set")
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    pages = list(samples(arguments.sets.split(",") if arguments.sets else None, arguments.every))
    print(f"{len(pages)} pages, {sum(len(sample.blocks) for sample in pages)} blocks", file=sys.stderr, flush=True)
    if arguments.report:
        judged(pages, by_site(pages, arguments.folds), "site")
        judged(pages, by_set(pages), "set")
        report(pages, ("site", "set"))
    else:
        write(arguments.out, exported(fit(pages), features.NAMES))


def write(out: Path, model: dict[str, Any]) -> None:
    with gzip.GzipFile(out, "wb", mtime=0) as stream:
        stream.write(json.dumps(model, separators=(",", ":")).encode())
    print(out, out.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
