"""python -m benchmarks.wrappers: learned wrappers against generic extraction, on sites with several pages.

Each site's pages are cut in two: the wrapper is learned without labels from one half and scored on the other, and the
reverse. trafilatura extracts the same pages in the same run. ``error_ratio`` is (1 - own) / (1 - the better of
trafilatura's two modes) of ``f1page``; ``cpu_ratio`` is own CPU per page, parsing included, over trafilatura's.
Needs the corpus (``ARTICLEBOT_CORPUS``) and scores with its ``evaluate.py``.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trafilatura

from articlebot.extraction.cascade import extract, warm_up
from articlebot.extraction.wrapper import choose, learn
from articlebot.page.page import Page

SETS = ("big9", "blogs", "daniel")
MIN_PAGES = 5


@dataclass(slots=True)
class Run:
    """What one set gave."""

    gold: list[dict[str, Any]] = field(default_factory=list)
    own: dict[str, dict[str, Any]] = field(default_factory=dict)
    balanced: dict[str, dict[str, Any]] = field(default_factory=dict)
    precise: dict[str, dict[str, Any]] = field(default_factory=dict)
    own_ms: list[float] = field(default_factory=list)
    wrapped_ms: list[float] = field(default_factory=list)
    balanced_ms: list[float] = field(default_factory=list)
    learn_s: list[float] = field(default_factory=list)
    wrapped: int = 0


def measure(folder: Path, name: str, *, sites: int | None, half: int | None) -> Run:
    """One set, both halves (or one), all its sites with five or more pages (or the first so many)."""
    rows = [json.loads(line) for line in (folder / "pages.jsonl").read_text(encoding="utf-8").splitlines()]
    by_site: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_site[row["site"]].append(row)
    chosen = [site for site, pages in by_site.items() if len(pages) >= MIN_PAGES][:sites]
    run = Run()
    warm_up()  # what is loaded once in a process is no page's cost
    for number, site in enumerate(chosen, 1):
        print(f"{name} {number}/{len(chosen)} {site}", file=sys.stderr)
        for part in (0, 1) if half is None else (half,):
            seen = [row for i, row in enumerate(by_site[site]) if i % 2 != part]
            asked = [row for i, row in enumerate(by_site[site]) if i % 2 == part]
            _site(folder, site, seen, asked, run)
    return run


def _site(folder: Path, site: str, seen: list[dict[str, Any]], asked: list[dict[str, Any]], run: Run) -> None:
    pages = [Page.parse((folder / row["html_path"]).read_bytes(), row.get("url") or "") for row in seen]
    begun = time.process_time()
    wrappers = learn(pages, site=site)
    run.learn_s.append((time.process_time() - begun) * 50 / max(1, len(pages)))
    for row in asked:
        body = (folder / row["html_path"]).read_bytes()
        url = row.get("url") or ""
        begun = time.process_time()
        page = Page.parse(body, url)
        wrapper = choose(wrappers, page)
        found = extract(page, wrapper=wrapper)
        run.own_ms.append((time.process_time() - begun) * 1000)
        if wrapper is not None:
            run.wrapped += 1
            run.wrapped_ms.append(run.own_ms[-1])
        run.gold.append(row)
        run.own[row["id"]] = {
            "id": row["id"], "title": found.title, "body": found.body, "date": found.published,
            "author": list(found.authors),
        }  # fmt: skip
        begun = time.process_time()
        run.balanced[row["id"]] = _peer(row["id"], body, url, precise=False)
        run.balanced_ms.append((time.process_time() - begun) * 1000)
        run.precise[row["id"]] = _peer(row["id"], body, url, precise=True)


def _peer(identity: str, body: bytes, url: str, *, precise: bool) -> dict[str, Any]:
    text = trafilatura.extract(body, url=url or None, include_comments=False, favor_precision=precise)
    return {"id": identity, "body": text or ""}


def figures(run: Run, evaluate: Any) -> dict[str, Any]:
    """The figures of one set."""
    own, _ = evaluate.score(run.gold, run.own)
    peers = {
        "trafilatura": evaluate.score(run.gold, run.balanced)[0]["f1page"],
        "trafilatura_precision": evaluate.score(run.gold, run.precise)[0]["f1page"],
    }
    best = max(peers.values())
    peer_ms = statistics.mean(run.balanced_ms)
    return {
        "pages": len(run.gold),
        "by_wrapper": round(run.wrapped / max(1, len(run.gold)), 3),
        "f1page": round(own["f1page"], 4),
        **{f"{name}_f1page": round(value, 4) for name, value in peers.items()},
        "error_ratio": round((1 - own["f1page"]) / max(1e-9, 1 - best), 3),
        "title": round(own.get("title", float("nan")), 3),
        "ms": round(statistics.mean(run.own_ms), 2),
        "wrapper_ms": round(statistics.mean(run.wrapped_ms), 2) if run.wrapped_ms else None,
        "trafilatura_ms": round(peer_ms, 2),
        "cpu_ratio": round(statistics.mean(run.wrapped_ms) / peer_ms, 3) if run.wrapped_ms else None,
        "learn_50_pages_s": round(statistics.mean(run.learn_s), 2),
        "learn_50_pages_max_s": round(max(run.learn_s), 2),
    }


def scorer(corpus: Path) -> Any:
    """The corpus' own scoring module."""
    spec = importlib.util.spec_from_file_location("corpus_evaluate", corpus / "evaluate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows_of(results: dict[str, dict[str, Any]]) -> Iterator[str]:
    """The results as a table's lines."""
    columns = list(next(iter(results.values())))
    yield "  ".join(["set".ljust(8), *columns])
    for name, values in results.items():
        yield "  ".join([name.ljust(8), *(str(values[c]).rjust(len(c)) for c in columns)])


def main(argv: list[str] | None = None) -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--sites", type=int, help="only the first so many sites of each set")
    parser.add_argument("--half", type=int, choices=(0, 1), help="report only on this half of each site's pages")
    options = parser.parse_args(argv)
    default = Path(__file__).resolve().parent.parent.parent / "shared" / "corpus"
    corpus = Path(os.environ.get("ARTICLEBOT_CORPUS", default))
    evaluate = scorer(corpus)
    results = {
        name: figures(measure(corpus / "pages" / name, name, sites=options.sites, half=options.half), evaluate)
        for name in options.sets
    }
    print(json.dumps(results, indent=2) if options.json else "\n".join(rows_of(results)))


if __name__ == "__main__":
    main()
