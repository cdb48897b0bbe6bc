"""The shipped keyword taxonomy: how often it names the class that people gave.

    python -m benchmarks.taxonomy [--corpus FOLDER] [--taxonomy FILE] [--more FOLDER] [--json]

``whole``     whole articles of the corpus (``texts/reprints``, originals), labelled by hand in ``sections.toml``
``titles``    10,000 Chinese news titles, by the sections of their publisher
``sections``  annotated pages whose address names a section of their site; ``--more`` adds an unpacked set

For each set and language: the share that got its class (``accuracy``; no class is a wrong one), the share that got any
(``coverage``), and for each class how many of its texts were right and what the others became. ``--taxonomy`` measures
another file, such as an earlier one.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from articlebot import classify
from articlebot.classify.prediction import Text

ROOT = Path(__file__).resolve().parent.parent
_ARTS, _LIFE = "arts, culture, entertainment and media", "lifestyle and leisure"
_MONEY, _STATE, _SCIENCE = "economy, business and finance", "politics and government", "science and technology"
_TITLES = {
    "sports": "sport", "entertainment": _ARTS, "politics": _STATE, "stocks": _MONEY, "finance": _MONEY,
    "realty": _MONEY, "science": _SCIENCE, "education": "education", "game": _LIFE, "society": "society",
}  # fmt: skip
_SECTIONS = {
    "sport": "sport sports football soccer nfl nba baseball basketball tennis golf hockey cricket rugby",
    _ARTS: "entertainment movies music film tv arts culture books celebrity showbiz television tvshowbiz",
    _STATE: "politics election elections government",
    _MONEY: "business economy markets investing finance money companies",
    _SCIENCE: "science technology tech computing gadgets mobile internet sci-tech",
    _LIFE: "lifestyle style food food-drink travel living fashion dating recipes gaming games",
    "health": "health wellness", "education": "education", "weather": "weather", "religion": "religion",
    "environment": "environment",
}  # fmt: skip
_SECTION = {word: label for label, words in _SECTIONS.items() for word in words.split()}
_LEAST_BODY = 400
_LONGEST_TITLE = 60

Row = tuple[str, Text]


def whole(folder: Path, language: str) -> list[Row]:
    """Whole articles with their classes."""
    lines = (folder / f"texts/reprints.{language}.jsonl").read_text("utf-8").splitlines()
    texts = {row["gid"]: row["text"] for row in map(json.loads, lines) if row["kind"] == "orig"}
    labels = tomllib.loads((ROOT / "benchmarks/sections.toml").read_text("utf-8"))[language]
    return [(label, _parts(texts[int(number)])) for label, numbers in labels.items() for number in numbers.split()]


def _parts(text: str) -> Text:
    title, _, body = text.partition("\n")
    return (title, body) if len(title) < _LONGEST_TITLE and body else ("", text)


def titles(folder: Path) -> list[Row]:
    """News titles with their classes."""
    lines = (folder / "texts/thucnews_title.dev.jsonl").read_text("utf-8").splitlines()
    return [(_TITLES[row["label"]], (row["text"], "")) for row in map(json.loads, lines)]


def sections(files: Iterable[Path]) -> list[Row]:
    """Annotated pages whose addresses name one section."""
    found: dict[str, Row] = {}
    for file in files:
        for row in map(json.loads, file.read_text("utf-8").splitlines()):
            parts = urlsplit(row["url"])
            words = [*re.split("/", parts.path.lower())[1:-1], (parts.hostname or "").partition(".")[0]]
            labels = {_SECTION[word] for word in words if word in _SECTION}
            told = len(row.get("body") or "") > _LEAST_BODY and row.get("page_type", "article") == "article"
            if told and len(labels) == 1 and str(row.get("lang") or "en")[:2] in ("en", "zh"):
                found.setdefault(row["url"], (labels.pop(), (row.get("title") or "", row["body"])))
    return list(found.values())


def measure(classifier: classify.Classifier, rows: Sequence[Row]) -> dict[str, Any]:
    """The figures of a set."""
    given = [prediction.category for prediction in classifier.predict([text for _, text in rows])]
    classes: dict[str, Counter[str]] = defaultdict(Counter)
    for (label, _), category in zip(rows, given, strict=True):
        classes[label]["right" if category == label else str(category)] += 1
    return {
        "texts": len(rows),
        "accuracy": round(sum(counts["right"] for counts in classes.values()) / len(rows), 3),
        "coverage": round(sum(category is not None for category in given) / len(rows), 3),
        "classes": {label: dict(counts.most_common(4)) for label, counts in classes.items()},
    }


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    corpus = Path(os.environ.get("ARTICLEBOT_CORPUS", ROOT.parent / "shared/corpus"))
    parser.add_argument("--corpus", type=Path, default=corpus)
    parser.add_argument("--taxonomy", type=Path, help="another taxonomy than the shipped one")
    parser.add_argument("--more", type=Path, help="an unpacked set of pages")
    parser.add_argument("--json", action="store_true", help="taken as by all benchmarks; this one prints nothing else")
    options = parser.parse_args()
    files = [
        *sorted(options.corpus.glob("pages/*/pages.jsonl")),
        *([options.more / "pages.jsonl"] if options.more else []),
    ]
    sets = {f"whole {language}": whole(options.corpus, language) for language in ("zh", "en")}
    sets |= {"titles zh": titles(options.corpus), "sections": sections(files)}
    classifier = classify.load(options.taxonomy)
    print(json.dumps({name: measure(classifier, rows) for name, rows in sets.items()}, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
