"""python -m benchmarks.redesigns FOLDER: a publisher's pages through a change of layout, read as a crawl does.

FOLDER is the corpus' set ``redesigns``, unpacked by its ``unpack.py``. Each stream is read as by ``scrapy extract
--live``: 12 pages before the change and 12 after; control streams never change. A break is noticed where the wrapper
comes to be doubted within five pages of the change; a cry anywhere else is a false one. ``before`` is the mean f1page
of the last five pages before the change, ``mended`` of the last two of the stream (from the eleventh page after the
change on), each with that of first pages. A body is wrong where it is worse than the first page's by more than .2.
Publishers are split into two halves: thresholds are set on half 0.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from articlebot.actions.extract_rows import Reading, Row
from articlebot.extraction.cascade import extract, warm_up
from benchmarks.corpus import evaluation

NOTICED = 5  # pages from the change on in which it is to be noticed
_LAST_BEFORE = 12
_WRONG = 0.2
_CONTENT_TYPE = "text/html"


def streams(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Each stream's name and rows in order, real captures left out."""
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in (folder / "pages.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["kind"] != "real":
            found[row["stream"]].append(row)
    yield from found.items()


def half_of(stream: str) -> int:
    """The half that a stream's publisher belongs to."""
    return zlib.crc32(stream.rstrip(".0123456789").encode()) % 2


def read(folder: Path, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is found on each page of a stream, with its scores."""
    judge = evaluation()
    found = []
    with TemporaryDirectory() as scratch:
        reading = Reading(Path(scratch), live=True)
        for number, row in enumerate(rows, 1):
            one = Row(row["id"], row["stream"], row["url"], (folder / row["html_path"]).read_bytes(), _CONTENT_TYPE)
            cried = len(reading.breaks)
            own = reading.read(one)
            first = extract(one.parse())
            scores = [
                judge.score([row], {row["id"]: {"title": title, "body": body, "date": date}})[0]
                for title, body, date in (
                    (own["title"], own["body"], own["published"]), (first.title, first.body, first.published),
                )
            ]  # fmt: skip
            found.append(
                {
                    "seq": number, "after": bool(row["after_break"]), "extractor": own["extractor"],
                    "own": scores[0], "first": scores[1], "cried": len(reading.breaks) > cried,
                }
            )  # fmt: skip
    return found


def figures(found: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Recall and precision of breaks, and the quality before, meanwhile and after."""
    noticed, cries, right, delays = [], 0, 0, []
    before, mended, wrong, kept = [], [], [], []
    for pages in found.values():
        cries += sum(page["cried"] for page in pages)
        broken = [number for number, page in enumerate(pages) if page["after"]]
        if not broken:
            continue
        at = next((n for n, page in enumerate(pages[broken[0] :], 1) if page["cried"]), None)
        noticed.append(at is not None and at <= NOTICED)
        right += sum(page["cried"] for page in pages[broken[0] : broken[0] + NOTICED])
        delays += [at] if at is not None else []
        before.append(_mean(pages[_LAST_BEFORE - 5 : _LAST_BEFORE]))
        mended.append(_mean(pages[broken[0] + 10 :]))
        kept.append(all(page["extractor"].startswith("wrapper:") for page in pages[broken[0] + 10 :]))
    everything = [page for pages in found.values() for page in pages]
    wrong = [page["own"]["f1page"] < page["first"]["f1page"] - _WRONG for page in everything]
    return {
        "streams": len(found), "breaks": len(noticed),
        "recall": round(statistics.fmean(noticed), 3) if noticed else None,
        "precision": round(right / cries, 3) if cries else None, "cries": cries,
        "pages_to_notice": round(statistics.fmean(delays), 1) if delays else None,
        "before": _pair(before), "mended": _pair(mended),
        "learned_again": round(statistics.fmean(kept), 3) if kept else None,
        "wrong_bodies": f"{sum(wrong)} of {len(wrong)}",
        **{
            name: tuple(
                round(statistics.fmean(page[who][name] for page in everything if name in page[who]), 4)
                for who in ("own", "first")
            )
            for name in ("f1page", "title", "date")
        },
    }  # fmt: skip


def _mean(pages: Sequence[dict[str, Any]]) -> tuple[float, float]:
    own, first = (statistics.fmean(page[who]["f1page"] for page in pages) for who in ("own", "first"))
    return own, first


def _pair(means: Sequence[tuple[float, float]]) -> tuple[float, ...]:
    return tuple(round(statistics.fmean(values), 4) for values in zip(*means, strict=True)) if means else ()


def main(argv: list[str] | None = None) -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", type=int, choices=(0, 1), help="only the publishers of this half")
    parser.add_argument("--streams", nargs="+", help="only these")
    options = parser.parse_args(argv)
    warm_up()
    found: dict[str, list[dict[str, Any]]] = {}
    for name, rows in streams(options.folder):
        if (options.half in (None, half_of(name))) and (not options.streams or name in options.streams):
            found[name] = read(options.folder, rows)
            marks = ("!" if p["cried"] else "w" if p["extractor"].startswith("wrapper:") else "." for p in found[name])
            print(f"{half_of(name)} {name:28} {''.join(marks)}", file=sys.stderr, flush=True)
    for half in sorted(set(map(half_of, found))):
        print(f"half {half}", json.dumps(figures({name: p for name, p in found.items() if half_of(name) == half})))
    print("all", json.dumps(figures(found)))


if __name__ == "__main__":
    main()
