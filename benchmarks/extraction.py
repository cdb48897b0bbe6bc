"""Measures the extraction of first pages against other extractors, in one run.

    python -m benchmarks.extraction [--sample N] [--sets atf,big9] [--peers trafilatura,readability] [--json]

Prints, by set and extractor, ``f1page``, the benchmark's F1, exact title, day of the date and CPU ms per page (decoding
and parsing included), and the CPU against trafilatura's. The corpus pages are those on which the block classifiers were
trained; figures for unseen sites are those of ``python -m benchmarks.train_blocks --report``.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import lxml.html
import trafilatura

from articlebot.extraction.cascade import extract, warm_up
from articlebot.page import Page
from articlebot.page.decode import decode
from benchmarks.corpus import evaluation, page_rows

Prediction = dict[str, Any]
_LINE_TAGS = ("p", "div", "br", "li", "h1", "h2", "h3", "h4", "h5", "h6", "tr", "blockquote", "pre", "td", "section")
_SHOWN = ("f1page", "F1", "title", "date")


def own(body: bytes, url: str) -> Prediction:
    found = extract(Page.parse(body, url))
    return {"title": found.title, "body": found.body, "date": found.published, "author": "; ".join(found.authors)}


def _trafilatura(body: bytes, url: str, *, precise: bool) -> Prediction:
    found: Any = trafilatura.bare_extraction(
        decode(body).text, url=url or None, with_metadata=True, favor_precision=precise
    )
    return {"title": found.title, "body": found.text, "date": found.date, "author": found.author} if found else {}


def normal(body: bytes, url: str) -> Prediction:
    return _trafilatura(body, url, precise=False)


def precise(body: bytes, url: str) -> Prediction:
    return _trafilatura(body, url, precise=True)


def readability(body: bytes, url: str) -> Prediction:
    from readability import Document  # noqa: PLC0415

    document = Document(decode(body).text)
    tree: Any = lxml.html.fromstring(document.summary())
    for element in tree.iter(*_LINE_TAGS):
        element.tail = "\n" + (element.tail or "")
    return {"title": document.short_title(), "body": str(tree.text_content())}


def newspaper4k(body: bytes, url: str) -> Prediction:
    import newspaper  # noqa: PLC0415

    article = newspaper.Article(url or "http://example.com/a", fetch_images=False)
    article.download(input_html=decode(body).text)
    article.parse()
    authors = "; ".join(article.authors)
    return {"title": article.title, "body": article.text, "date": str(article.publish_date or ""), "author": authors}


def gne(body: bytes, url: str) -> Prediction:
    from gne import GeneralNewsExtractor  # noqa: PLC0415

    found = GeneralNewsExtractor().extract(decode(body).text, with_body_html=False)
    return {"title": found["title"], "body": found["content"], "date": found["publish_time"], "author": found["author"]}


EXTRACTORS: dict[str, Callable[[bytes, str], Prediction]] = {
    "articlebot": own,
    "trafilatura": normal,
    "trafilatura_precision": precise,
    "readability": readability,
    "newspaper4k": newspaper4k,
    "gne": gne,
}


def measure(names: list[str], sets: list[str] | None, sample: int | None) -> list[dict[str, Any]]:
    """Figures by set and extractor."""
    warm_up()
    pages: dict[str, list[tuple[dict[str, Any], bytes]]] = defaultdict(list)
    for name, row, body in page_rows(sets):
        pages[name].append((row, body))
    results = []
    for name, rows in pages.items():
        chosen = rows[:: max(1, len(rows) // sample)][:sample] if sample else rows
        cpu: dict[str, float] = {}
        for extractor in names:
            predictions, cpu[extractor] = _run(EXTRACTORS[extractor], chosen)
            figures, _ = evaluation().score([row for row, _ in chosen], predictions)
            shown = {key: round(figures[key], 4) for key in _SHOWN if key in figures}
            milliseconds = 1000 * cpu[extractor] / len(chosen)
            results.append(
                {"set": name, "pages": len(chosen), "extractor": extractor, **shown, "cpu_ms": round(milliseconds, 1)}
            )
            if "trafilatura" in cpu:
                results[-1]["cpu_ratio"] = round(cpu[extractor] / cpu["trafilatura"], 2)
        print(f"{name}: {len(chosen)} pages", file=sys.stderr, flush=True)
    return results


def _run(
    extractor: Callable[[bytes, str], Prediction], rows: list[tuple[dict[str, Any], bytes]]
) -> tuple[dict[str, Prediction], float]:
    predictions: dict[str, Prediction] = {}
    started = time.process_time()
    for row, body in rows:
        try:
            predictions[row["id"]] = extractor(body, row.get("url") or "")
        except Exception:  # a peer that fails on a page has no prediction for it
            predictions[row["id"]] = {}
    return predictions, time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, metavar="N", help="at most N pages of each set")
    parser.add_argument("--sets", help="comma-separated; default: all")
    parser.add_argument("--peers", default=",".join(list(EXTRACTORS)[1:]), help="comma-separated; default: all")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    names = [name for name in arguments.peers.split(",") if name]
    unknown = set(names) - set(EXTRACTORS)
    if unknown:
        parser.error(f"unknown peers {sorted(unknown)}; known: {', '.join(EXTRACTORS)}")
    # trafilatura first: the others' CPU is given against its
    names = sorted({*names, "articlebot"}, key=lambda name: (name != "trafilatura", list(EXTRACTORS).index(name)))
    results = measure(names, arguments.sets.split(",") if arguments.sets else None, arguments.sample)
    if arguments.json:
        print(json.dumps(results, indent=1))
        return
    for result in results:
        print("  ".join(f"{key}={value}" for key, value in result.items()))


if __name__ == "__main__":
    main()
