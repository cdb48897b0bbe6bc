"""Work over the archive by the commands that do it: pages read again from WARC files, near-duplicates among many texts.

    python -m benchmarks.batch --json [--pages 1000] [--texts 100000] [--processes 2]

Pages are the corpus', first without wrappers, then with those that ``scrapy learn`` makes of their sites; what a
command takes to start, measured on a file of one page, is taken off. Texts are those of ``benchmarks.neardup_rows``,
made beforehand; the clusters of the first ``--compared`` are compared with those that a crawl makes, one by one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any

import lxml.html

from articlebot.archive.raw import RawPage, write
from articlebot.batch.clusters import clusters
from articlebot.config import Dedup
from articlebot.dedup import sketches_of
from articlebot.urls import site
from benchmarks import corpus
from benchmarks.neardup_rows import made

ROOT = Path(__file__).resolve().parents[1]
# Sets of the corpus whose sites have pages enough to learn from.
_SETS = ("big9", "blogs", "daniel")


def typed(folder: Path, *arguments: str, out: Path | None = None) -> tuple[float, float]:
    """Seconds by the clock and of processor time that a command takes, its processes included, without its Redis."""
    environment = {name: value for name, value in os.environ.items() if name != "REDIS_URL"}
    environment["ARTICLEBOT_DATA_DIR"] = str(folder / "data")
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with (out or Path(os.devnull)).open("wb") as file:
        command = [sys.executable, "-m", "scrapy", *arguments]
        subprocess.run(command, stdout=file, cwd=ROOT, env=environment, check=True)
    seconds, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def parse_ms(pages: list[bytes]) -> float:
    """Processor milliseconds that lxml alone takes to parse a page: the machine's speed."""
    begun = time.process_time()
    for body in pages:
        lxml.html.fromstring(body)
    return 1000 * (time.process_time() - begun) / len(pages)


def address(row: dict[str, Any]) -> str:
    """A page's address; some sets have not kept theirs, and name the site alone."""
    return row["url"] or f"https://{row['site']}.example/{row['id']}.html"


def reading(folder: Path, number: int, processes: int) -> dict[str, Any]:
    """Pages read again from a WARC file."""
    rows = list(islice(corpus.page_rows(_SETS), number))
    with (folder / "pages.warc.gz").open("wb") as file, (folder / "pages.jsonl").open("w", encoding="utf-8") as known:
        for n, (_, row, body) in enumerate(rows):
            url = address(row)
            write(file, RawPage(url, body, "text/html", 1.8e9))
            (folder / f"{n}.html").write_bytes(body)
            known.write(json.dumps({"site": site(url), "url": url, "html_path": f"{n}.html"}) + "\n")
    with (folder / "one.warc.gz").open("wb") as file:
        write(file, RawPage(address(rows[0][1]), rows[0][2], "text/html", 1.8e9))
    command = ["archive", "reextract", "--processes", str(processes), "--warc"]
    _, start = typed(folder, *command, str(folder / "one.warc.gz"))
    figures: dict[str, Any] = {"pages": len(rows), "parse_ms": round(parse_ms([body for _, _, body in rows]), 2)}
    for name in ("first", "warm"):
        if name == "warm":
            _, learning = typed(folder, "learn", "--pages", str(folder / "pages.jsonl"))
            figures["learn_cpu_s"] = round(learning, 1)
        seconds, cpu = typed(folder, *command, str(folder / "pages.warc.gz"))
        # Each further process starts as long as the first.
        worked = max(1e-9, cpu - start * (1 if processes == 1 else 1 + processes))
        figures[name] = {
            "pages_per_s_a_core": round(len(rows) / worked, 1), "cpu_ms_per_page": round(1000 * worked / len(rows), 2),
            "seconds": round(seconds, 1), "cpu_s": round(cpu, 1),
        }  # fmt: skip
    return figures


def near_duplicates(folder: Path, number: int, processes: int, compared: int, seed: int) -> dict[str, Any]:
    """Clusters of texts, and whether they are a crawl's."""
    docs, out = folder / "docs.jsonl", folder / "clusters.jsonl"
    first = []
    with docs.open("w", encoding="utf-8") as file:
        for n, text in enumerate(made(corpus.ROOT, number, seed)):
            file.write(f"{json.dumps({'id': n, 'text': text.text}, ensure_ascii=False)}\n")
            if n < compared:
                first.append(text.text)
    seconds, cpu = typed(folder, "neardup", "--docs", str(docs), "--json", "--processes", str(processes), out=out)
    with docs.open(encoding="utf-8") as file:
        (folder / "first.jsonl").write_text("".join(islice(file, compared)), encoding="utf-8")
    typed(folder, "neardup", "--docs", str(folder / "first.jsonl"), "--json", "--processes", str(processes), out=out)
    found = [json.loads(line)["cluster"] for line in out.read_text(encoding="utf-8").splitlines()]
    crawl = asyncio.run(clusters(([(one, "")] for text in first for one in sketches_of([text], Dedup())), Dedup(), 0.0))
    return {
        "texts": number, "megabytes": round(docs.stat().st_size / 1e6, 1), "seconds": round(seconds, 1),
        "cpu_s": round(cpu, 1), "texts_per_s": round(number / seconds), "processes": processes,
        "compared": len(first), "equal_to_a_crawl": groups(found) == groups(crawl),
        "largest_process_mb": round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024),
    }  # fmt: skip


def groups(names: list[str]) -> list[int]:
    """Each text's cluster by its first text: the names are new in each run."""
    first: dict[str, int] = {}
    return [first.setdefault(name, n) for n, name in enumerate(names)]


def main() -> None:
    """Runs the measurements and prints them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1000, help="pages to read again; 0: none (%(default)s)")
    parser.add_argument("--texts", type=int, default=100_000, help="texts to cluster; 0: none (%(default)s)")
    parser.add_argument("--compared", type=int, default=5_000, help="texts clustered one by one too (%(default)s)")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="batch-") as name:
        folder = Path(name)
        if options.pages:
            figures["reading_again"] = reading(folder, options.pages, 1)
        if options.texts:
            figures["near_duplicates"] = near_duplicates(
                folder, options.texts, options.processes, options.compared, options.seed
            )
    if options.json:
        print(json.dumps(figures, indent=2))
        return
    for part, found in figures.items():
        print(part, *(f"{name.replace('_', ' '):24} {value}" for name, value in found.items()), sep="\n  ")


if __name__ == "__main__":
    main()
