"""Trains the block classifier of the generic extraction and writes its data file.

    python -m benchmarks.train_blocks [--report [--peers]] [--sets atf,big9] [--out FILE]

Labels come from the corpus' gold bodies: a block belongs to the article when more than half of its tokens lie on the
longest common subsequence of page and gold. ``--report`` prints cross-validated figures and writes nothing: ``site``
splits the pages by site, so that no page is judged by a model that saw its site; ``set`` trains on all sets but the one
that is judged, which is the figure for pages of a kind never seen. Each is given for the first look, for both looks and
for the whole extraction of the body; ``--peers`` adds trafilatura's two modes on the same pages.

The second look and the weights of a reading are learned from what models said that had not seen the page.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz.distance import LCSseq
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from articlebot.extraction.generic import context, features, opinions
from articlebot.extraction.generic.body import SURE, blended, chosen, expected, hints_of, with_context
from articlebot.extraction.generic.structure import Structure, structure_of
from articlebot.page.blocks import Block
from articlebot.page.page import Page
from articlebot.page.text import squash
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
SECOND: dict[str, Any] = {**PARAMETERS, "max_iter": 60}
# Expected F1 below which a page teaches what a reading weighs: more pages than a reading is asked of.
UNSURE = 0.95
# WCXB (Murrough Foley, web-content-extraction-benchmark, CC BY 4.0): pages of 2024 to 2026 of seven kinds.
PACKED = "wcxb_dev"
# Of a page that is no article, whose gold is all posts of a forum or all teasers of a list: at the weight of an article
# such pages teach that comments are text.
OTHER_KINDS = 0.15
# Expected F1 below which a page might be refused, and the F1 from which that would be a loss.
REFUSALS = (0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6)
WELL_READ = 0.5
Array = features.Array
Rows = Callable[["Sample"], Array]


@dataclass
class Sample:
    """A page with its labels."""

    set: str
    group: str
    row: dict[str, Any]
    page: Page
    blocks: list[Block]
    structure: Structure
    base: Array
    label: np.ndarray
    weight: np.ndarray
    usable: bool
    found: dict[str, Array] = field(default_factory=dict)
    read: opinions.Choice | None = None


def samples(sets: Sequence[str] | None = None, step: int = 1) -> Iterator[Sample]:
    """Every annotated page of the corpus that has any text."""
    for name, row, body in page_rows(sets, step) if sets else chain(page_rows(None, step), page_rows([PACKED], step)):
        page = Page.parse(body, row.get("url") or "")
        if page.tree is None or not page.blocks or "body" not in row:
            continue
        judge = evaluation()
        gold = judge.toks(judge.strip_title(row["body"], row.get("title")))
        total, hit = _matches(page.blocks, gold)
        share = hit / np.maximum(total, 1)
        weight = np.minimum(total + 1, 400) / (len(gold) + 60.0) * np.maximum(0.1, np.abs(2 * share - 1))
        weight /= max(1.0, weight.sum() / 4)  # a page of many menus must not outweigh the others
        kind = row.get("page_type", "article")
        structure = structure_of(page.blocks)
        yield Sample(
            set=name if kind == "article" else f"{name}, other kinds",
            group=str(row["site"]).split("-20", maxsplit=1)[0],
            row=row,
            page=page,
            blocks=page.blocks,
            structure=structure,
            base=features.compute(page.blocks, structure, hints_of(page)),
            label=(share > 0.5).astype(int),
            weight=weight if kind == "article" else weight * OTHER_KINDS,
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


def fit(pages: Iterable[Sample], rows: Rows, parameters: dict[str, Any]) -> HistGradientBoostingClassifier:
    """A classifier of these pages' blocks; most of the easy negatives are left out and the rest weighted up."""
    used = [sample for sample in pages if sample.usable]
    x = np.vstack([rows(sample) for sample in used])
    y = np.concatenate([sample.label for sample in used])
    w = np.concatenate([sample.weight for sample in used])
    w /= w.mean()
    easy = (w < 0.3) & (y == 0)
    keep = ~easy | (np.random.default_rng(0).random(len(w)) < 0.3)
    w = np.where(easy, w / 0.3, w)
    return HistGradientBoostingClassifier(**parameters).fit(x[keep], y[keep], sample_weight=w[keep])


def first_rows(page: Sample) -> Array:
    return page.base


def second_rows(key: str) -> Rows:
    return lambda page: with_context(page.base, page.found[f"{key}: first look"], page.structure)


def judged(pages: list[Sample], splits: Sequence[tuple[Sequence[int], Sequence[int]]], key: str) -> None:
    """Sets in ``found`` the chances of each page after each step, from models that saw no page of its part."""
    looks = ((f"{key}: first look", first_rows, PARAMETERS), (f"{key}: both looks", second_rows(key), SECOND))
    for name, rows, parameters in looks:
        for train, test in splits:
            model = fit([pages[i] for i in train], rows, parameters)
            for i in test:
                chances = model.predict_proba(rows(pages[i]))[:, 1].astype(np.float32)
                first = pages[i].found.get(f"{key}: first look")
                pages[i].found[name] = chances if first is None else blended(first, chances)
    for train, test in splits:
        weights = fit_reading([pages[i] for i in train], key)
        for i in test:
            chances = pages[i].found[f"{key}: both looks"]
            if unsure(pages[i], chances):
                chances = opinions.probability(weighed(pages[i], chances) @ weights.coef_[0] + weights.intercept_[0])
            pages[i].found[f"{key}: whole"] = chances


def unsure(page: Sample, chances: Array, below: float = SURE) -> bool:
    return expected(chances, np.expm1(page.base[:, 0])) < below


def weighed(page: Sample, chances: Array) -> Array:
    """The rows of `opinions.compared`, trafilatura asked once a page."""
    lengths = np.expm1(page.base[:, 0])
    if page.read is None:
        keys = [squash(block.text) for block in page.blocks]
        page.read = opinions.reading(keys, lengths, opinions.text_of(page.page))
    return opinions.compared(chances, lengths, page.read)


def fit_reading(pages: Iterable[Sample], key: str) -> LogisticRegression:
    """What a reading weighs on the pages that are unsure without it."""
    name = f"{key}: both looks"
    used = [page for page in pages if page.usable and unsure(page, page.found[name], UNSURE)]
    x = np.vstack([weighed(page, page.found[name]) for page in used])
    w = np.concatenate([page.weight for page in used])
    return LogisticRegression(max_iter=300).fit(
        x, np.concatenate([page.label for page in used]), sample_weight=w / w.mean()
    )


def trained(pages: list[Sample], folds: int) -> dict[str, Any]:
    """The model's data, see ``articlebot.extraction.generic.body``."""
    judged(pages, by_site(pages, folds), "site")
    reading = fit_reading(pages, "site")
    names = features.NAMES
    return {
        "source": "the corpus, and WCXB by Murrough Foley (web-content-extraction-benchmark, CC BY 4.0)",
        "first": exported(fit(pages, first_rows, PARAMETERS), names),
        "second": exported(fit(pages, second_rows("site"), SECOND), [*names, *context.NAMES]),
        "reading": {
            "weights": [round(float(weight), 5) for weight in reading.coef_[0]],
            "bias": round(float(reading.intercept_[0]), 5),
        },
    }


def by_site(pages: list[Sample], folds: int) -> list[tuple[Sequence[int], Sequence[int]]]:
    splitter = GroupKFold(folds, shuffle=True, random_state=3)
    return list(splitter.split(pages, groups=[page.group for page in pages]))


def by_set(pages: list[Sample]) -> list[tuple[Sequence[int], Sequence[int]]]:
    sets = [page.set.partition(",")[0] for page in pages]
    return [
        ([i for i, other in enumerate(sets) if other != name], [i for i, other in enumerate(sets) if other == name])
        for name in sorted(set(sets))
    ]


def report(pages: list[Sample], keys: Sequence[str], *, peers: bool) -> None:
    """Prints the mean ``f1page`` by set of each step for each key, and of trafilatura's modes where asked for."""
    texts: dict[str, list[str]] = defaultdict(list)
    for page in pages:
        for name, precise in (("trafilatura", False), ("trafilatura_precision", True)) if peers else ():
            texts[name].append(opinions.text_of(page.page, fast=False, favor_precision=precise))
        for key in keys:
            for step in ("first look", "both looks", "whole"):
                found = page.found[f"{key}: {step}"]
                texts[f"{key}: {step}"].append(_text(page, chosen(found, np.expm1(page.base[:, 0]))))
    for name, written in texts.items():
        scores: dict[str, list[float]] = defaultdict(list)
        for page, text in zip(pages, written, strict=True):
            scores[page.set].append(_score(page, text))
            if page.row["lang"].startswith("zh"):
                scores["zh"].append(scores[page.set][-1])
        means = {part: round(float(np.mean(values)), 4) for part, values in sorted(scores.items())}
        print(f"{name:24}", means, flush=True)
    for key in keys:
        _report_confidence(pages, key)


def _report_confidence(pages: list[Sample], key: str) -> None:
    """Prints the mean F1 of articles by what was expected, how many met trafilatura, and whom a refusal meets."""
    articles = [page for page in pages if "," not in page.set]
    asked = np.mean([unsure(page, page.found[f"{key}: both looks"]) for page in articles])
    print(f"{key}: trafilatura asked on {asked:.3f} of articles; F1 by what was expected:")
    rows = [(expected(p.found[f"{key}: whole"], np.expm1(p.base[:, 0])), p) for p in articles]
    others = [(expected(p.found[f"{key}: whole"], np.expm1(p.base[:, 0])), p) for p in pages if "," in p.set]
    for low, high in pairwise((0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1.01)):
        read = [(p, p.found[f"{key}: whole"]) for sure, p in rows if low <= sure < high]
        inside = [_score(p, _text(p, chosen(chances, np.expm1(p.base[:, 0])))) for p, chances in read]
        print(f"  {low:.2f} {len(inside):5}", f"{np.mean(inside):.3f}" if inside else "")
    print("refused below: articles, those of F1 from .5; pages of other kinds, those of F1 from .5")
    for threshold in REFUSALS:
        print(f"  {threshold:.2f}", *_refused(rows, key, threshold), *_refused(others, key, threshold))


def _refused(rows: Sequence[tuple[float, Sample]], key: str, threshold: float) -> tuple[int, int]:
    """How many pages are refused below a threshold, and how many of them had been read well."""
    read = [(page, page.found[f"{key}: whole"]) for sure, page in rows if sure < threshold]
    scores = [_score(page, _text(page, chosen(chances, np.expm1(page.base[:, 0])))) for page, chances in read]
    return len(scores), sum(score >= WELL_READ for score in scores)


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
    parser.add_argument("--peers", action="store_true", help="with --report: trafilatura's two modes, too")
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
        report(pages, ("site", "set"), peers=arguments.peers)
    else:
        write(arguments.out, trained(pages, arguments.folds))


def write(out: Path, model: dict[str, Any]) -> None:
    with gzip.GzipFile(out, "wb", mtime=0) as stream:
        stream.write(json.dumps(model, separators=(",", ":")).encode())
    print(out, out.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
