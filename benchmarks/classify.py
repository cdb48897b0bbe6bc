"""The classifier against peers, in one run: news titles, and full-length articles.

``python -m benchmarks.classify [--titles 45000] [--json]``

Titles: trained on the training file, scored on the other; the peer is LinearSVC of scikit-learn over TF-IDF of words
and of one to three characters. Full-length articles: which site an annotated article is from (the corpus has no other
labels of whole articles), half of a site's pages for training, five splits; the peer is LinearSVC over TF-IDF of words.
Last, the processor time that summary and keywords take for each of these articles.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np

from articlebot import classify
from articlebot.classify import model_file, training
from articlebot.classify.labelled import Labelled, read_labelled
from articlebot.text import fold, segment_folded

ROOT = Path(__file__).resolve().parent.parent
_PAGES_OF_A_SITE = 6


def titles(folder: Path, limit: int) -> dict[str, Any]:
    """Training and scoring on news titles."""
    rows = read_labelled(folder / "thucnews_title.train45k.jsonl")[:limit]
    tests = read_labelled(folder / "thucnews_title.dev.jsonl")
    started = time.perf_counter()
    trained = training.train(rows)
    seconds = time.perf_counter() - started
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "model"
        size = model_file.save(trained.model, path)
        model = classify.load(path)
    texts = [row.text for row in tests]
    model.predict(texts[:100])
    started = time.perf_counter()
    predictions = model.predict(texts)
    speed = len(texts) / (time.perf_counter() - started)
    right = np.array([next(iter(p.scores)) in row.labels for p, row in zip(predictions, tests, strict=True)])
    sure = np.array([p.confidence for p in predictions])
    surest = np.argsort(-sure, kind="stable")[: int(0.9 * len(sure))]
    return {
        "training_texts": len(rows), "training_s": round(seconds, 1), "model_mb": round(size / 1e6, 1),
        "accuracy": round(float(right.mean()), 4), "accuracy_at_90_coverage": round(float(right[surest].mean()), 4),
        "texts_per_s": round(speed), "svm_words_characters": round(_svm(rows, tests, characters=True), 4),
    }  # fmt: skip


def bodies(folder: Path) -> list[Labelled]:
    """The full-length articles, by site."""
    rows = []
    for path in sorted(folder.glob("*/pages.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            page = json.loads(line)
            if len(page.get("body") or "") > 400:
                rows.append(Labelled(("", page["body"]), (page["site"],)))
    return rows


def summaries(rows: list[Labelled]) -> dict[str, Any]:
    """Processor milliseconds of a summary and of keywords, as the pipeline asks for them; each text's best of three."""
    asked: dict[str, Callable[[str], object]] = {
        "summary_ms": lambda text: classify.summarise(text, None, 200),
        "keywords_ms": lambda text: classify.keywords(text, None, 8),
    }
    figures: dict[str, Any] = {"characters_p50": median(len(row.text[1]) for row in rows)}
    for name, ask in asked.items():
        times = []
        for row in rows:
            rounds = []
            for _ in range(3):
                started = time.process_time()
                ask(row.text[1])
                rounds.append(time.process_time() - started)
            times.append(1e3 * min(rounds))
        figures[f"{name}_p50"] = round(median(times), 2)
        figures[f"{name}_mean"] = round(mean(times), 2)
    return {"articles": len(rows), **figures}


def articles(rows: list[Labelled]) -> dict[str, Any]:
    """Telling the sites of full-length articles."""
    sites = Counter(row.labels[0] for row in rows)
    rows = [row for row in rows if sites[row.labels[0]] >= _PAGES_OF_A_SITE]
    own, svm = [], []
    for seed in range(5):
        halves: dict[bool, list[Labelled]] = {True: [], False: []}
        shuffled = random.Random(seed).sample(rows, len(rows))
        seen: Counter[str] = Counter()
        for row in shuffled:
            seen[row.labels[0]] += 1
            halves[seen[row.labels[0]] % 2 == 1].append(row)
        predictions = training.train(halves[True], seed=seed).model.predict([row.text for row in halves[False]])
        own.append(mean(next(iter(p.scores)) in r.labels for p, r in zip(predictions, halves[False], strict=True)))
        svm.append(_svm(halves[True], halves[False], characters=False))
    return {"articles": len(rows), "classes": len({row.labels for row in rows}), "accuracy": round(mean(own), 4),
            "svm_words": round(mean(svm), 4)}  # fmt: skip


def _svm(rows: list[Labelled], tests: list[Labelled], *, characters: bool) -> float:
    # Only the peer needs scikit-learn.
    from scipy.sparse import hstack  # noqa: PLC0415
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415
    from sklearn.svm import LinearSVC  # noqa: PLC0415

    def joined(row: Labelled) -> str:
        return f"{row.text[0]}\n{row.text[1]}"

    word_counts = {"tokenizer": segment_folded, "preprocessor": fold, "token_pattern": None}
    vectorizers = [TfidfVectorizer(**word_counts, sublinear_tf=True)]
    if characters:
        vectorizers.append(
            TfidfVectorizer(analyzer="char", preprocessor=fold, ngram_range=(1, 3), sublinear_tf=True, dtype=np.float32)
        )
    inside = hstack([vectorizer.fit_transform(map(joined, rows)) for vectorizer in vectorizers]).tocsr()
    outside = hstack([vectorizer.transform(map(joined, tests)) for vectorizer in vectorizers]).tocsr()
    svm = LinearSVC(C=1.0).fit(inside, [row.labels[0] for row in rows])
    return float(np.mean(svm.predict(outside) == np.array([row.labels[0] for row in tests])))


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description="The classifier against peers.")
    parser.add_argument("--titles", type=int, default=45_000, help="training titles (%(default)s); 0: none")
    parser.add_argument("--json", action="store_true", help="print JSON")
    corpus = Path(os.environ.get("ARTICLEBOT_CORPUS", ROOT.parent / "shared/corpus"))
    parser.add_argument("--corpus", type=Path, default=corpus)
    args = parser.parse_args()
    whole = bodies(args.corpus / "pages")
    figures: dict[str, Any] = {"articles_by_site": articles(whole), "summaries_and_keywords": summaries(whole[::4])}
    if args.titles:
        figures["titles"] = titles(args.corpus / "texts", args.titles)
    if args.json:
        print(json.dumps(figures, indent=2))
        return
    for part, values in figures.items():
        print(part + "  " + "  ".join(f"{key} {value}" for key, value in values.items()))


if __name__ == "__main__":
    main()
