"""python -m benchmarks.wrappers: learned wrappers against generic extraction, on sites with several pages.

Each site's pages are cut in two: the wrapper is learned without labels from one half and scored on the other, and the
reverse. In the same run the generic rules read the same pages as first pages, and trafilatura does (not with
``--no-peers``). ``error_ratio`` is (1 - own) / (1 - the better of trafilatura's two modes) of ``f1page``; ``cpu_ratio``
is own CPU per page, parsing included, over trafilatura's; ``lxml_ratio`` is that of pages with a wrapper over lxml's
parse alone, ``first_lxml_ratio`` that of the same and all other pages read as first pages. The shipped block classifier
knows these sites, which flatters the first pages and the wrappers alike. Below the table stand the sites on which what
was learned is worse than the first page. Needs the corpus (``ARTICLEBOT_CORPUS``) and scores with its ``evaluate.py``.
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

import lxml.html
import trafilatura

from articlebot.extraction.cascade import extract, warm_up
from articlebot.extraction.model import Extracted
from articlebot.extraction.wrapper.wrapper import choose, learn
from articlebot.page.page import Page

SETS = ("big9", "blogs", "daniel", "l3s")
MIN_PAGES = 5
WORSE = 0.002  # of f1page, by which no site may be worse than its first pages


@dataclass(slots=True)
class Run:
    """What one set gave."""

    gold: list[dict[str, Any]] = field(default_factory=list)
    own: dict[str, dict[str, Any]] = field(default_factory=dict)
    first: dict[str, dict[str, Any]] = field(default_factory=dict)
    balanced: dict[str, dict[str, Any]] = field(default_factory=dict)
    precise: dict[str, dict[str, Any]] = field(default_factory=dict)
    own_ms: list[float] = field(default_factory=list)
    wrapped_ms: list[float] = field(default_factory=list)
    first_ms: list[float] = field(default_factory=list)
    parse_ms: list[float] = field(default_factory=list)
    wrapped_parse_ms: list[float] = field(default_factory=list)
    balanced_ms: list[float] = field(default_factory=list)
    learn_s: list[float] = field(default_factory=list)
    wrapped: int = 0


def measure(
    folder: Path,
    name: str,
    *,
    sites: int | None,
    half: int | None,
    peers: bool = True,
) -> Run:
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
            _site(folder, site, seen, asked, run, peers=peers)
    return run


def _site(
    folder: Path, site: str, seen: list[dict[str, Any]], asked: list[dict[str, Any]], run: Run, *, peers: bool
) -> None:
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
        run.own_ms.append(_since(begun))
        begun = time.process_time()
        lxml.html.document_fromstring(body)
        run.parse_ms.append(_since(begun))
        if wrapper is not None:
            run.wrapped += 1
            run.wrapped_ms.append(run.own_ms[-1])
            run.wrapped_parse_ms.append(run.parse_ms[-1])
        run.gold.append(row)
        run.own[row["id"]] = _prediction(row, found)
        begun = time.process_time()
        run.first[row["id"]] = _prediction(row, extract(Page.parse(body, url)))
        run.first_ms.append(_since(begun))
        if not peers:
            continue
        begun = time.process_time()
        run.balanced[row["id"]] = _peer(row["id"], body, url, precise=False)
        run.balanced_ms.append(_since(begun))
        run.precise[row["id"]] = _peer(row["id"], body, url, precise=True)


def _since(begun: float) -> float:
    """CPU milliseconds since then."""
    return (time.process_time() - begun) * 1000


def _prediction(row: dict[str, Any], found: Extracted) -> dict[str, Any]:
    return {
        "id": row["id"], "title": found.title, "body": found.body, "date": found.published,
        "author": list(found.authors),
    }  # fmt: skip


def _peer(identity: str, body: bytes, url: str, *, precise: bool) -> dict[str, Any]:
    text = trafilatura.extract(body, url=url or None, include_comments=False, favor_precision=precise)
    return {"id": identity, "body": text or ""}


def figures(run: Run, evaluate: Any) -> dict[str, Any]:
    """The figures of one set."""
    own, _ = evaluate.score(run.gold, run.own)
    first, _ = evaluate.score(run.gold, run.first)
    return {
        "pages": len(run.gold),
        "by_wrapper": round(run.wrapped / max(1, len(run.gold)), 3),
        "f1page": round(own["f1page"], 4),
        "first_f1page": round(first["f1page"], 4),
        **{
            f"{prefix}{name}": round(scores.get(name, float("nan")), 3)
            for name in ("title", "date")
            for prefix, scores in (("", own), ("first_", first))
        },
        **_against_peers(run, own["f1page"], evaluate),
        "ms": round(statistics.mean(run.own_ms), 2),
        "first_ms": round(statistics.mean(run.first_ms), 2),
        "wrapper_ms": round(statistics.mean(run.wrapped_ms), 2) if run.wrapped_ms else None,
        "lxml_ratio": round(sum(run.wrapped_ms) / sum(run.wrapped_parse_ms), 2) if run.wrapped_ms else None,
        "first_lxml_ratio": round(sum(run.first_ms) / sum(run.parse_ms), 2) if run.parse_ms else None,
        "learn_50_pages_s": round(statistics.mean(run.learn_s), 2),
        "learn_50_pages_max_s": round(max(run.learn_s), 2),
    }


def _against_peers(run: Run, own: float, evaluate: Any) -> dict[str, Any]:
    if not run.balanced:
        return {}
    peers = {
        "trafilatura": evaluate.score(run.gold, run.balanced)[0]["f1page"],
        "trafilatura_precision": evaluate.score(run.gold, run.precise)[0]["f1page"],
    }
    peer_ms = statistics.mean(run.balanced_ms)
    return {
        **{f"{name}_f1page": round(value, 4) for name, value in peers.items()},
        "error_ratio": round((1 - own) / max(1e-9, 1 - max(peers.values())), 3),
        "trafilatura_ms": round(peer_ms, 2),
        "cpu_ratio": round(statistics.mean(run.wrapped_ms) / peer_ms, 3) if run.wrapped_ms else None,
    }


def worse_than_first(run: Run, evaluate: Any) -> dict[str, dict[str, Any]]:
    """The sites on which a learned wrapper lost against the first page: f1page, titles or days."""
    by_site: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in run.gold:
        by_site[row["site"]].append(row)
    worse = {}
    for site, rows in by_site.items():
        own, first = evaluate.score(rows, run.own)[0], evaluate.score(rows, run.first)[0]
        lost = {
            name: (round(first[name], 4), round(own[name], 4))
            for name, allowed in (("f1page", WORSE), ("title", 1e-9), ("date", 1e-9))
            if name in own and own[name] < first[name] - allowed
        }
        if lost:
            worse[site] = {"pages": len(rows), **lost}
    return worse


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
    parser.add_argument("--no-peers", action="store_true", help="leave trafilatura out")
    options = parser.parse_args(argv)
    default = Path(__file__).resolve().parent.parent.parent / "shared" / "corpus"
    corpus = Path(os.environ.get("ARTICLEBOT_CORPUS", default))
    evaluate = scorer(corpus)
    runs = {
        name: measure(corpus / "pages" / name, name, sites=options.sites, half=options.half, peers=not options.no_peers)
        for name in options.sets
    }
    results = {name: figures(run, evaluate) for name, run in runs.items()}
    worse = {name: worse_than_first(run, evaluate) for name, run in runs.items()}
    if options.json:
        print(json.dumps({**results, "worse_than_first": worse}, indent=2))
        return
    print("\n".join(rows_of(results)))
    for name, sites in worse.items():
        for site, lost in sites.items():
            print(f"worse than first: {name} {site} {lost}")


if __name__ == "__main__":
    main()
