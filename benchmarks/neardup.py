"""How well near-duplicates are found: precision, recall and F1 over all pairs of texts.

    python -m benchmarks.neardup [--corpus FOLDER] [--methods shingles simhash3 simhash5] [--half report|tune|all]

Reads ``texts/reprints.{zh,en}.jsonl`` (real articles with reprints made of them),
``texts/thucnews_title.dev.jsonl`` and the titles of ``pages/``. The halves share no article and no title. Added by
seed: articles that quote a tenth to a third of another one, never more than they have of their own (they belong to no
group), and titles edited in one place. Articles are placed one by one, in random order, by the code of the crawl.
Prints JSON, a row for each set and method.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis.asyncio

from articlebot.config import Dedup
from articlebot.dedup import Assignments, NearDuplicates
from articlebot.runtime.throwaway_redis import throwaway
from articlebot.text import segment, simhash

_SENTENCE = re.compile(r"[^。！？.!?\n]+[。！？.!?\n]*")
_HAN = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True)
class Text:
    """``group`` is shared by near-duplicates; ``quotes`` is the group that the text quotes from, and must not join."""

    text: str
    group: str
    quotes: str | None = None


def reprints(folder: Path, language: str, half: str) -> list[Text]:
    """Articles and reprints of one half, every fifth group turned into articles that quote another group."""
    rows = [json.loads(line) for line in (folder / f"texts/reprints.{language}.jsonl").read_text("utf-8").splitlines()]
    # The corpus numbers its groups by twos.
    kept = [row for row in rows if half == "all" or row["gid"] // 2 % 2 == (half == "tune")]
    rng = random.Random(11)
    groups = sorted({row["gid"] for row in kept})
    hosts = set(rng.sample(groups, len(groups) // 5))
    texts = [Text(row["text"], str(row["gid"])) for row in kept if row["gid"] not in hosts]
    originals = [(str(r["gid"]), r["text"]) for r in kept if r["kind"] == "orig" and r["gid"] not in hosts]
    for row in kept:
        if row["gid"] in hosts and row["kind"] == "orig":
            group, original = rng.choice(originals)
            texts.append(Text(quoting(row["text"], original, rng), f"host {row['gid']}", group))
    return texts


def quoting(host: str, original: str, rng: random.Random) -> str:
    """The host with a run of the original's sentences in it, about a tenth to a third of them."""
    sentences = _SENTENCE.findall(original)
    count = max(1, round(len(sentences) * rng.uniform(0.1, 0.33)))
    start = rng.randrange(max(1, len(sentences) - count))
    while count > 1 and len("".join(sentences[start : start + count])) > len(host):
        count -= 1
    own = _SENTENCE.findall(host)
    middle = rng.randrange(len(own) + 1)
    return "".join(own[:middle]) + "".join(sentences[start : start + count]) + "".join(own[middle:])


def titles(folder: Path, language: str, half: str) -> list[Text]:
    """Titles, and for every third an edited one."""
    if language == "zh":
        lines = (folder / "texts/thucnews_title.dev.jsonl").read_text("utf-8").splitlines()
        found = sorted({json.loads(line)["text"] for line in lines})[:: 2 if half != "all" else 1][:3_000]
    else:
        lines = [line for file in sorted(folder.glob("pages/*/pages.jsonl")) for line in file.open(encoding="utf-8")]
        rows = [json.loads(line) for line in lines]
        known = {r["title"].casefold(): r["title"] for r in rows if r.get("lang") == "en" and r.get("title")}
        found = [title for _, title in sorted(known.items()) if len(title.split()) > 3]
    if half != "all":
        found = [title for number, title in enumerate(found) if number % 2 == (half == "tune")]
    rng = random.Random(12)
    words = [word for title in rng.sample(found, min(200, len(found))) for word in pieces(title)]
    texts = [Text(title, str(number)) for number, title in enumerate(found)]
    return texts + [Text(edited(t.text, words, rng), t.group) for t in rng.sample(texts, len(texts) // 3)]


def pieces(title: str) -> list[str]:
    """A title's words."""
    return segment(title) if _HAN.search(title) else title.split()


def edited(title: str, words: Sequence[str], rng: random.Random) -> str:
    """The title with a word (a fifth of it at most) exchanged or left out, a note at an end, or other punctuation."""
    chinese = bool(_HAN.search(title))
    own = [word for word in pieces(title) if word in title and 5 * len(word) <= len(title)]
    edits: list[Callable[[], str]] = [
        lambda: rng.choice(["快讯：", "图文：", "独家-"] if chinese else ["Update: ", "Exclusive: "]) + title,
        lambda: title + rng.choice(["(组图)", "(图)", "_新闻中心"] if chinese else [" - report", " (photos)"]),
        lambda: re.sub(r"[\W_]+", " ", title),
    ]
    if len(own) > 4:
        edits += [lambda: title.replace(rng.choice(own), rng.choice(words), 1)] * 2
        edits += [lambda: title.replace(rng.choice(own), "", 1)]
    return rng.choice(edits)()


async def clusters(
    url: str, texts: Sequence[Text], params: Dedup, sources: Sequence[str] = ()
) -> tuple[list[str], float]:
    """The cluster of each text, and milliseconds a text; ``sources`` are the texts' sites where known."""
    order = list(range(len(texts)))
    random.Random(13).shuffle(order)
    assignments = Assignments()
    async with redis.asyncio.Redis.from_url(url) as client:
        await client.flushall()
        near_duplicates = NearDuplicates(client, "bench", params)
        begun = time.perf_counter()
        for number in order:
            fingerprint = simhash.fingerprint(texts[number].text) if params.method != "shingles" else 0
            source = sources[number] if sources else ""
            placement = await near_duplicates.place(number + 1, texts[number].text, fingerprint, 1_700_000_000, source)
            assignments.note(number + 1, placement)
        seconds = time.perf_counter() - begun
    return [assignments.cluster(number + 1) for number in range(len(texts))], seconds / len(texts) * 1e3


def pairs(names: Sequence[Any]) -> int:
    """Pairs with the same name."""
    return sum(count * (count - 1) // 2 for count in Counter(names).values())


def score(texts: Sequence[Text], found: Sequence[str]) -> dict[str, Any]:
    """Precision, recall, F1 over all pairs, and how many quoting texts came to what they quote."""
    right = pairs([(text.group, cluster) for text, cluster in zip(texts, found, strict=True)])
    of_group = {text.group: cluster for text, cluster in zip(texts, found, strict=True)}
    precision, recall = right / (pairs(found) or 1), right / (pairs([text.group for text in texts]) or 1)
    quoting_texts = [(text, cluster) for text, cluster in zip(texts, found, strict=True) if text.quotes]
    return {
        "texts": len(texts), "pairs": pairs([text.group for text in texts]),
        "precision": round(precision, 4), "recall": round(recall, 4),
        "f1": round(2 * precision * recall / (precision + recall or 1), 4),
        "quoting": len(quoting_texts), "quoting_matched": sum(of_group[t.quotes or ""] == c for t, c in quoting_texts),
    }  # fmt: skip


async def measure(url: str, folder: Path, methods: Sequence[str], half: str) -> list[dict[str, Any]]:
    """A row for each set and method."""
    rows = []
    for name, texts in (
        *((f"reprints {language}", reprints(folder, language, half)) for language in ("zh", "en")),
        *((f"titles {language}", titles(folder, language, half)) for language in ("zh", "en")),
    ):
        for method in methods:
            found, ms = await clusters(url, texts, Dedup.model_validate({"method": method}))
            rows.append(
                {"set": name, "half": half, "method": method, **score(texts, found), "ms_per_text": round(ms, 2)}
            )
    return rows


def main() -> None:
    """Runs the measurement and prints it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("ARTICLEBOT_CORPUS", Path(__file__).resolve().parents[2] / "shared" / "corpus")
    parser.add_argument("--corpus", type=Path, default=Path(default))
    parser.add_argument("--methods", nargs="+", default=["shingles", "simhash3", "simhash5"])
    parser.add_argument("--half", choices=["report", "tune", "all"], default="report")
    parser.add_argument("--json", action="store_true", help="taken as by all benchmarks; this one prints nothing else")
    options = parser.parse_args()
    with throwaway("neardup") as url:
        print(json.dumps(asyncio.run(measure(url, options.corpus, options.methods, options.half)), indent=2))


if __name__ == "__main__":
    main()
