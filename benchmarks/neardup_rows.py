"""How fast ``scrapy neardup`` clusters a file, by its number of rows, and how well.

    python -m benchmarks.neardup_rows [--rows 2000 10000 30000] [--keep FOLDER] [--corpus FOLDER] [--seed N]

The texts are made by seed of the sentences of ``texts/reprints`` (originals only), three Chinese ones for two English
ones, 4 to 60 sentences each; a tenth of them are titles. The corpus has some 30,000 sentences, which a file of many
texts uses again and again: so a fifth of the words of each sentence are exchanged for others, as far as no two texts
share by chance what makes a near-duplicate. Every sixth text is a reprint of one of the last 2,000: cut to 60% or
more, words exchanged, or with sentences of another one put before or after it.

Prints JSON, a row a size: rows a second from start to end of the command, CPU seconds of all its processes, precision
and recall over all pairs. ``--keep`` leaves the files there.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from articlebot.text import segment
from benchmarks.neardup import Text, score

_SENTENCE = re.compile(r"[^。！？.!?\n]+[。！？.!?\n]*")
_PIECE = re.compile(r"[\u4e00-\u9fff]+|[^\W\u4e00-\u9fff]+|[\W]+")
_REMEMBERED = 2_000
_EXCHANGED = 0.2

Sentence = list[str]


class Language:
    """The sentences of one language, cut into words and what is between them."""

    def __init__(self, folder: Path, language: str, rng: random.Random) -> None:
        rows = [
            json.loads(line) for line in (folder / f"texts/reprints.{language}.jsonl").read_text("utf-8").splitlines()
        ]
        texts = [row["text"] for row in rows if row["kind"] == "orig"]
        self._sentences = [_pieces(s) for text in texts for s in _SENTENCE.findall(text) if len(s) > 8]
        self._words = [p for sentence in rng.sample(self._sentences, 3_000) for p in sentence if p.isalnum()]
        self._chinese, self._rng = language == "zh", rng

    def sentences(self, count: int) -> list[Sentence]:
        """Sentences drawn at random, each with other words in it."""
        return [self.exchanged(sentence, _EXCHANGED) for sentence in self._rng.choices(self._sentences, k=count)]

    def exchanged(self, sentence: Sentence, share: float) -> Sentence:
        """The sentence with a share of its words exchanged."""
        found = list(sentence)
        for at in self._rng.sample(range(len(found)), round(share * len(found))):
            if found[at].isalnum():
                found[at] = self._rng.choice(self._words)
        return found

    def text(self) -> list[Sentence]:
        """A new text; every tenth is a title."""
        if self._rng.random() < 0.1:
            words = self._rng.choices(self._words, k=self._rng.randint(8, 14))
            return [[word if self._chinese else f"{word} " for word in words]]
        return self.sentences(min(60, 4 + int(self._rng.lognormvariate(2.5, 0.6))))

    def reprint(self, text: list[Sentence]) -> list[Sentence]:
        """A text as another site has it; titles as they are."""
        if len(text) == 1:
            return text
        edit = self._rng.randrange(3)
        if edit == 0:
            keep = max(1, round(len(text) * self._rng.uniform(0.6, 0.9)))
            start = self._rng.choice([0, self._rng.randint(0, len(text) - keep)])
            return text[start : start + keep]
        if edit == 1:
            return [self.exchanged(sentence, 0.06) for sentence in text]
        added = self.sentences(max(1, len(text) // 8))
        return [*added, *text] if self._rng.random() < 0.5 else [*text, *added]


def _pieces(sentence: str) -> Sentence:
    return [
        word for run in _PIECE.findall(sentence) for word in (segment(run) if "\u4e00" <= run[0] <= "\u9fff" else [run])
    ]


def made(folder: Path, count: int, seed: int) -> Iterator[Text]:
    """The texts of a file; those of one group are near-duplicates."""
    rng = random.Random(seed)
    languages = [Language(folder, name, rng) for name in ("zh", "en")]
    known: deque[tuple[Language, str, list[Sentence]]] = deque(maxlen=_REMEMBERED)
    for number in range(count):
        if known and rng.random() < 1 / 6:
            language, group, text = known[rng.randrange(len(known))]
            text = language.reprint(text)
        else:
            language, group = rng.choices(languages, (3, 2))[0], str(number)
            text = language.text()
            known.append((language, group, text))
        yield Text("".join(piece for sentence in text for piece in sentence), group)


def measure(folder: Path, kept: Path, count: int, seed: int) -> dict[str, Any]:
    """The row of a size."""
    texts = list(made(folder, count, seed))
    docs, out = kept / f"docs-{count}.jsonl", kept / f"clusters-{count}.jsonl"
    with docs.open("w", encoding="utf-8") as file:
        for number, text in enumerate(texts):
            file.write(f"{json.dumps({'id': number, 'text': text.text}, ensure_ascii=False)}\n")
    command = [sys.executable, "-m", "scrapy", "neardup", "--docs", str(docs.resolve()), "--json"]
    environment = {name: value for name, value in os.environ.items() if name != "REDIS_URL"}
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with out.open("wb") as file:
        subprocess.run(command, stdout=file, cwd=Path(__file__).resolve().parents[1], env=environment, check=True)
    seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    found = [json.loads(line)["cluster"] for line in out.read_text("utf-8").splitlines()]
    return {
        "rows": count, "megabytes": round(docs.stat().st_size / 1e6, 1), "seconds": round(seconds, 1),
        "rows_per_s": round(count / seconds),
        "cpu_s": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
        **{name: value for name, value in score(texts, found).items() if name in ("precision", "recall", "f1")},
    }  # fmt: skip


def main() -> None:
    """Runs the measurement and prints it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("ARTICLEBOT_CORPUS", Path(__file__).resolve().parents[2] / "shared" / "corpus")
    parser.add_argument("--corpus", type=Path, default=Path(default))
    parser.add_argument("--rows", type=int, nargs="+", default=[2_000, 10_000, 30_000])
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave texts and clusters in this folder")
    parser.add_argument("--seed", type=int, default=31)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as data:
        kept = options.keep or Path(data)
        kept.mkdir(parents=True, exist_ok=True)
        print(json.dumps([measure(options.corpus, kept, count, options.seed) for count in options.rows], indent=2))


if __name__ == "__main__":
    main()
