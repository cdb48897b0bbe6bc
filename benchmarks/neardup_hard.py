"""Near-duplicates where it is hard: reprints as editors make them, among templates, boilerplate, quotes and digests.

    python -m benchmarks.neardup_hard [--corpus FOLDER] [--half report|tune|all] [--languages zh en]

The texts are articles of the corpus: ``texts/reprints`` (originals only) and the bodies of ``pages``, split by site.
Made of them by seed, each article for one purpose only:

``edited``       one to eight reprints (the only near-duplicates): cut to 40 to 80%, another heading, a foreign
                 paragraph, 5 to 15% of the words exchanged, a site's boilerplate around it, or two of these
``issues``       the same report six times, every number another, 2 to 15% of the words exchanged
``boilerplate``  twelve articles of one site with the same boilerplate, .4 to 4 times as long as they
``quoting``      an article with a tenth to a third of another one in it
``digest``       three whole articles on one page
``whole``        the visible text of whole captured pages, boilerplate and all; those of one site share it

Prints JSON, two rows a language, with sites known (as in a crawl) and not (as in a file of texts): precision, recall
and F1 over all pairs, and the wrong pairs by what they come from.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import lxml.html

from articlebot.config import Dedup
from articlebot.runtime.throwaway_redis import throwaway
from articlebot.text import segment
from benchmarks.neardup import Text, clusters, quoting, score

_SENTENCE = re.compile(r"[^。！？.!?\n]+[。！？.!?\n]*")
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r"[\u4e00-\u9fff]+|[^\W\d_]+")
_ISSUES, _OF_A_SITE = 6, 12
_SHARES = {"edited": 0.4, "issues": 0.1, "boilerplate": 0.25, "quoting": 0.15, "digest": 0.1}


@dataclass(frozen=True)
class Made:
    """A text, and what it was made for."""

    text: Text
    kind: str
    source: str = ""


def articles(folder: Path, language: str, half: str) -> list[str]:
    """The articles of one half; halves share no site (the reprints' originals no article)."""
    found = []
    for line in (folder / f"texts/reprints.{language}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["kind"] == "orig" and half in ("all", ("report", "tune")[row["gid"] // 2 % 2]):
            found.append(row["text"])
    found += [f"{row.get('title') or ''}\n{row.get('body') or ''}" for row in pages(folder, language, half)[1::2]]
    return [text for text in found if len(segment(text)) >= 60]


def pages(folder: Path, language: str, half: str) -> list[dict[str, Any]]:
    """The rows of the captured pages of one half; their addresses are made unique."""
    rows: dict[str, dict[str, Any]] = {}
    for file in sorted(folder.glob("pages/*/pages.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            row = json.loads(line)
            if str(row.get("lang") or "").startswith(language):
                rows.setdefault(row["url"], row | {"folder": str(file.parent)})
    sites = sorted({row["site"] for row in rows.values()})
    kept = {site for number, site in enumerate(sites) if half in ("all", ("report", "tune")[number % 2])}
    return [row for row in rows.values() if row["site"] in kept]


def visible(row: dict[str, Any]) -> str:
    """The text of a captured page, as a reader who takes everything for text would see it."""
    raw = (Path(row["folder"]) / row["html_path"]).read_bytes()
    found: Any = lxml.html.document_fromstring(raw).xpath(
        "//body//text()[not(parent::script or parent::style or parent::noscript)]"
    )
    return "\n".join(part.strip() for part in found if part.strip())[:20_000]


def made(folder: Path, language: str, half: str) -> list[Made]:
    """All texts of a language."""
    rng = random.Random(21)
    stock = articles(folder, language, half)
    rng.shuffle(stock)
    words = [word for text in rng.sample(stock, min(60, len(stock))) for word in segment(text) if word.isalpha()]
    found: list[Made] = []
    start = 0
    for kind, share in _SHARES.items():
        part = stock[start : start + round(share * len(stock))]
        start += len(part)
        found += _MAKERS[kind](part, words, rng)
    for number, row in enumerate(pages(folder, language, half)[::2]):
        if len(segment(text := visible(row))) >= 60:
            found.append(Made(Text(text, f"page {number}"), "whole", row["site"]))
    return found


def edited(part: Sequence[str], words: Sequence[str], rng: random.Random) -> list[Made]:
    found = []
    for number, text in enumerate(part):
        found.append(Made(Text(text, f"edited {number}"), "edited"))
        for _ in range(rng.choice([1, 1, 2, 3, 8])):
            version = text
            for edit in rng.sample(_EDITS, rng.choice([1, 1, 2])):
                version = edit(version, part, words, rng)
            found.append(Made(Text(version, f"edited {number}"), "edited"))
    return found


def _cut(text: str, _: Sequence[str], __: Sequence[str], rng: random.Random) -> str:
    sentences = _SENTENCE.findall(text)
    keep = max(1, round(len(sentences) * rng.uniform(0.45, 0.8)))
    start = rng.choice([0, 0, rng.randint(0, len(sentences) - keep)])
    kept = sentences[start : start + keep]
    while len("".join(kept)) < 0.4 * len(text) and start + len(kept) < len(sentences):
        kept.append(sentences[start + len(kept)])
    return "".join(kept)


def _heading(text: str, part: Sequence[str], _: Sequence[str], rng: random.Random) -> str:
    lines = text.split("\n", 1)
    return rng.choice(part)[:30] + "\n" + lines[-1]


def _paragraph(text: str, part: Sequence[str], _: Sequence[str], rng: random.Random) -> str:
    own, foreign = _SENTENCE.findall(text), rng.choice(part)
    at, added, size = rng.randrange(len(own) + 1), "", min(len(text) * rng.uniform(0.05, 0.2), len(foreign) / 4)
    for sentence in _SENTENCE.findall(foreign):
        if len(added) + len(sentence) <= size:
            added += sentence
    return "".join(own[:at]) + added + "\n" + "".join(own[at:])


def _rewritten(text: str, _: Sequence[str], words: Sequence[str], rng: random.Random) -> str:
    share = rng.uniform(0.05, 0.15)
    return exchanged(text, words, share, rng)


def _framed(text: str, part: Sequence[str], _: Sequence[str], rng: random.Random) -> str:
    frame = rng.choice(part)
    half = max(1, round(min(len(text) * 0.15, len(frame) / 4) / 2))
    return f"{frame[:half]}\n{text}\n{frame[-half:]}"


_EDITS = [_cut, _heading, _paragraph, _rewritten, _framed]


def exchanged(text: str, words: Sequence[str], share: float, rng: random.Random) -> str:
    """The text with a share of its words exchanged."""

    def run(match: re.Match[str]) -> str:
        pieces = segment(match[0]) or [match[0]]
        return "".join(rng.choice(words) if rng.random() < share else piece for piece in pieces)

    return _WORD.sub(run, text)


def issues(part: Sequence[str], words: Sequence[str], rng: random.Random) -> list[Made]:
    found = []
    reports = [text for text in part if len(_NUMBER.findall(text)) >= 8]
    for number, text in enumerate(reports):
        for issue in range(_ISSUES):
            numbers = _NUMBER.sub(lambda m: "".join(rng.choices("123456789", k=len(m[0]))), text)
            report = exchanged(numbers, words, rng.uniform(0.02, 0.15), rng)
            found.append(Made(Text(report, f"issue {number} {issue}"), "issues"))
    return found


def boilerplate(part: Sequence[str], _: Sequence[str], rng: random.Random) -> list[Made]:
    found = []
    step = _OF_A_SITE + 1
    for start in range(0, len(part) - step + 1, step):
        frame, *site = part[start : start + step]
        size = round(median(len(text) for text in site) * rng.uniform(0.4, 4))
        block = "".join(_SENTENCE.findall(frame * 40))[:size]
        middle = round(size * 0.3)
        for number, text in enumerate(site):
            page = f"{block[:middle]}\n{text}\n{block[middle:]}"
            found.append(Made(Text(page, f"site {start} {number}"), "boilerplate", f"site {start}"))
    return found


def quoted(part: Sequence[str], _: Sequence[str], rng: random.Random) -> list[Made]:
    found = []
    for number in range(0, len(part) - 1, 2):
        original, host = part[number : number + 2]
        found.append(Made(Text(original, f"quoted {number}"), "quoting"))
        group = f"quoted {number}"
        found.append(Made(Text(quoting(host, original, rng), f"quoting {number}", group), "quoting"))
    return found


def digests(part: Sequence[str], _: Sequence[str], rng: random.Random) -> list[Made]:
    found = []
    for start in range(0, len(part) - 2, 3):
        several = part[start : start + 3]
        found += [Made(Text(text, f"digested {start} {n}"), "digest") for n, text in enumerate(several)]
        found.append(Made(Text("\n".join(several), f"digest {start}"), "digest"))
    return found


_MAKERS = {"edited": edited, "issues": issues, "boilerplate": boilerplate, "quoting": quoted, "digest": digests}


def wrong_pairs(texts: Sequence[Made], found: Sequence[str]) -> dict[str, int]:
    """Pairs in one cluster that are no near-duplicates, by what the two were made for."""
    members: dict[str, list[Made]] = defaultdict(list)
    for text, cluster in zip(texts, found, strict=True):
        members[cluster].append(text)
    counts: Counter[str] = Counter()
    for several in members.values():
        for number, one in enumerate(several):
            for other in several[:number]:
                if one.text.group != other.text.group:
                    counts["-".join(sorted({one.kind, other.kind}))] += 1
    return dict(counts.most_common())


async def measure(url: str, folder: Path, language: str, half: str, sites: bool) -> dict[str, Any]:
    """The row of a language; ``sites``: whether it is known which pages are of one site."""
    texts = made(folder, language, half)
    plain = [text.text for text in texts]
    found, _ = await clusters(url, plain, Dedup(), [text.source for text in texts] if sites else ())
    kinds = dict(Counter(text.kind for text in texts))
    return {
        "language": language, "half": half, "sites_known": sites, "kinds": kinds, **score(plain, found),
        "wrong_pairs": wrong_pairs(texts, found),
    }  # fmt: skip


Measure = Callable[[str, Path, str, str, bool], Coroutine[Any, Any, dict[str, Any]]]


def main(description: str | None = __doc__, measured: Measure = measure) -> None:
    """Runs a measurement as ``measure`` for each language, sites known and not, and prints it."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = os.environ.get("ARTICLEBOT_CORPUS", Path(__file__).resolve().parents[2] / "shared" / "corpus")
    parser.add_argument("--corpus", type=Path, default=Path(default))
    parser.add_argument("--half", choices=["report", "tune", "all"], default="report")
    parser.add_argument("--languages", nargs="+", default=["zh", "en"])
    parser.add_argument("--json", action="store_true", help="taken as by all benchmarks; this one prints nothing else")
    options = parser.parse_args()
    with throwaway("neardup") as url:
        rows = [
            asyncio.run(measured(url, options.corpus, language, options.half, sites))
            for language in options.languages
            for sites in (True, False)
        ]
    print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
