"""Fingerprints per second on Chinese texts of 5 kB, segmentation included, against jieba with the simhash package.

    python -m benchmarks.fingerprint [--corpus FOLDER] [--texts 200] [--rounds 5]

Each round runs all variants one after the other on the same texts; a ratio is the median over the rounds, so that a
busy machine slows both sides. Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import jieba
import simhash as package

from articlebot.dedup import sketch
from articlebot.text import content_hash, fold, segment_folded, simhash

_CHARACTERS = 1_700  # 5 kB in UTF-8


def texts(corpus: Path, count: int) -> list[str]:
    """Runs of real Chinese articles, 1,700 characters each."""
    rows = (corpus / "texts" / "reprints.zh.jsonl").read_text(encoding="utf-8").splitlines()
    joined = "\n".join(json.loads(row)["text"] for row in rows)
    return [joined[i : i + _CHARACTERS] for i in range(0, len(joined) - _CHARACTERS, _CHARACTERS)][:count]


def variants() -> dict[str, Callable[[str], object]]:
    """What is timed."""
    jieba.initialize()

    def of_package(words: Sequence[str]) -> int:
        counts: dict[str, int] = {}
        for word in words:
            counts[word] = min(counts.get(word, 0) + 1, 255)
        return int(package.Simhash(counts).value)

    return {
        "fingerprint": simhash.fingerprint,
        "jieba + simhash package": lambda text: of_package(jieba.lcut(text)),
        "jieba without HMM + simhash package": lambda text: of_package(jieba.lcut(text, HMM=False)),
        "rjieba + simhash package": simhash.package_fingerprint,
        "fold and segment alone": lambda text: segment_folded(fold(text)),
        "sketch for near-duplicates": sketch.of_text,
        "content hash": content_hash,
    }


def measure(samples: Sequence[str], rounds: int) -> dict[str, object]:
    """Texts per second of each variant and its ratio to the fingerprint's."""
    timed: dict[str, list[float]] = {name: [] for name in variants()}
    functions = variants()
    for function in functions.values():
        function(samples[0])
    for _ in range(rounds):
        for name, function in functions.items():
            part = samples if "jieba" not in name else samples[: max(1, len(samples) // 4)]
            begun = time.perf_counter()
            for text in part:
                function(text)
            timed[name].append((time.perf_counter() - begun) / len(part))
    ours = timed["fingerprint"]
    return {
        "texts": len(samples),
        "bytes": round(statistics.mean(len(text.encode()) for text in samples)),
        "texts_per_s": {name: round(1 / statistics.median(seconds)) for name, seconds in timed.items()},
        "times_slower_than_fingerprint": {
            name: round(statistics.median(s / o for s, o in zip(seconds, ours, strict=True)), 2)
            for name, seconds in timed.items()
        },
    }


def main() -> None:
    """Runs the measurement and prints it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("ARTICLEBOT_CORPUS", Path(__file__).resolve().parents[2] / "shared" / "corpus")
    parser.add_argument("--corpus", type=Path, default=Path(default))
    parser.add_argument("--texts", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="taken as by all benchmarks; this one prints nothing else")
    options = parser.parse_args()
    print(json.dumps(measure(texts(options.corpus, options.texts), options.rounds), indent=2))


if __name__ == "__main__":
    main()
