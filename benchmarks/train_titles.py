"""Trains the classifier that chooses an article's headline and writes its data file.

    python -m benchmarks.train_titles [--report {site,set}] [--out articlebot/extraction/fields/titles.json.gz]

A candidate is right when it equals the gold title but for case, punctuation and white space (the corpus' measure).
``--report site`` prints exact titles by set from five folds split by site, ``--report set`` those of each set by a
classifier that saw none of its pages; both write nothing. The body is the gold's, so that only titles are measured.
Each page is learned from as it is and, with less weight, without its statements: many pages state little or nothing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from articlebot.extraction.fields.title_candidates import Candidate, candidates, site_names, stated
from articlebot.extraction.fields.title_features import FEATURES, rows
from articlebot.extraction.fields.titles import choose
from articlebot.extraction.generic.trees import Array
from articlebot.extraction.place import Located
from articlebot.page.page import Page
from benchmarks.corpus import evaluation, page_rows
from benchmarks.train_blocks import exported

OUT = Path(__file__).resolve().parent.parent / "articlebot/extraction/fields/titles.json.gz"
FOLDS = 5
STRIPPED = 0.15  # weight of a page without its statements, against 1 of the page as it is
PARAMETERS: dict[str, Any] = {
    "max_iter": 160,
    "learning_rate": 0.05,
    "max_leaf_nodes": 12,
    "max_depth": 5,
    "max_bins": 63,
    "min_samples_leaf": 8,
    "l2_regularization": 5.0,
    "max_features": 0.4,
    "early_stopping": False,
    "random_state": 0,
}


class Sample(NamedTuple):
    """A page's candidates and which of them are right; ``weight`` below 1: the page without what it states."""

    set: str
    site: str
    found: list[Candidate]
    rows: Array
    right: np.ndarray
    weight: float


def samples(sets: Sequence[str] | None = None) -> list[Sample]:
    """Every page of the corpus with a gold title and any candidate."""
    same = evaluation().nt
    kept = []
    for name, row, raw in page_rows(sets):
        page = Page.parse(raw, row.get("url") or "")
        if page.tree is None or not row.get("title"):
            continue
        body = Located(page, row.get("body") or "").found
        said = stated(page)
        document = [one for one in said if one.rule == "title"]
        for shown in {len(part): part for part in ([], document, said)}.values():
            found = candidates(page, body, shown)
            table = rows(page, body, shown, site_names(page), found)
            right = np.array([same(one.text) == same(row["title"]) for one in found], dtype=bool)
            features = np.array(table, dtype=np.float32).reshape(len(found), len(FEATURES))
            site = str(row["site"]).split("-20", maxsplit=1)[0]
            kept.append(Sample(name, site, found, features, right, 1.0 if shown is said else STRIPPED))
    return kept


def fit(pages: Sequence[Sample]) -> HistGradientBoostingClassifier:
    """A classifier of these pages' candidates; small sets count more a page than large ones."""
    used = [page for page in pages if page.right.any()]
    sizes = Counter(page.set for page in used if page.weight == 1.0)
    weight = [np.full(len(page.right), page.weight * sizes[page.set] ** -0.5) for page in used]
    w = np.concatenate(weight)
    x, y = np.vstack([page.rows for page in used]), np.concatenate([page.right for page in used])
    return HistGradientBoostingClassifier(**PARAMETERS).fit(x, y.astype(int), sample_weight=w / w.mean())


def report(pages: Sequence[Sample], by: str) -> dict[str, float]:
    """Exact titles by set, each page judged by a classifier that saw no page of its site or set."""
    right: dict[str, list[bool]] = defaultdict(list)
    folds: dict[Any, list[Sample]] = defaultdict(list)
    for page in pages:
        folds[page.set if by == "set" else zlib.crc32(page.site.encode()) % FOLDS].append(page)
    for fold, held in folds.items():
        model = fit([page for other, kept in folds.items() if other != fold for page in kept])
        for page in held:
            if page.weight < 1.0:
                continue
            ok = False
            if page.found:
                chances = model.predict_proba(page.rows)[:, 1].astype(np.float32)
                ok = bool(page.right[choose(page.found, page.rows, chances)])
            right[page.set].append(ok)
    return {name: round(float(np.mean(values)), 4) for name, values in sorted(right.items())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", choices=("site", "set"), help="print held-out figures instead of writing the model")
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    pages = samples()
    print(f"{len(pages)} pages, {sum(len(page.found) for page in pages)} candidates", file=sys.stderr, flush=True)
    if arguments.report:
        print(json.dumps(report(pages, arguments.report)))
        return
    with gzip.GzipFile(arguments.out, "wb", mtime=0) as stream:
        stream.write(json.dumps(exported(fit(pages), FEATURES), separators=(",", ":")).encode())
    print(arguments.out, arguments.out.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
