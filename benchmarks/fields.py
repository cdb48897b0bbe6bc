"""python -m benchmarks.fields: title, day and authors of the corpus' pages, on the first page of a site or by wrappers.

    python -m benchmarks.fields [--sets atf fundus] [--sample N] [--wrappers] [--sites N] [--wrong title] [--json]

Without ``--wrappers`` nothing is known of a site before its page; with it, each site with five pages or more is cut in
two, a wrapper is learned without labels from one half and asked for the other. Figures are those of the corpus'
``evaluate.py``: share of exact titles, of right days, of equal author sets and of author sets that share a name.
``article`` is the share of pages whose kind is told as article. ``--wrong FIELD`` prints the pages where the field is
wrong, the gold's value first. ``fields_ms`` is the CPU of all fields together a page, body and page kind apart,
``parse_ms`` that of lxml's bare parse of the same pages.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from lxml import etree

from articlebot.extraction.cascade import extract, warm_up
from articlebot.extraction.fields.authors import authors_of
from articlebot.extraction.fields.dates import dates_of
from articlebot.extraction.fields.sources import source_of
from articlebot.extraction.fields.titles import title_of
from articlebot.extraction.model import Extracted
from articlebot.extraction.place import Headline, Located
from articlebot.extraction.wrapper.wrapper import Wrapper, choose, learn
from articlebot.page.metadata import canonical_of, keywords_of
from articlebot.page.page import Page
from benchmarks.corpus import evaluation, page_rows

Row = dict[str, Any]
MIN_PAGES = 5
FIELDS = {"title": "title", "date": "date", "author": "auth_eq"}
_SHOWN = ("title", "date", "date_none", "auth_eq", "auth_any")


def predictions(rows: list[tuple[Row, bytes]], *, wrappers: bool, sites: int | None) -> Iterator[tuple[Row, Extracted]]:
    """Each row with what is extracted from its page."""
    if not wrappers:
        for row, raw in rows:
            yield row, extract(Page.parse(raw, row.get("url") or ""))
        return
    by_site: defaultdict[str, list[tuple[Row, bytes]]] = defaultdict(list)
    for row, raw in rows:
        by_site[row["site"]].append((row, raw))
    for pages in [pages for pages in by_site.values() if len(pages) >= MIN_PAGES][:sites]:
        for half in (0, 1):
            learned = learn([Page.parse(raw, row.get("url") or "") for row, raw in pages[1 - half :: 2]])
            yield from ((row, _wrapped(row, raw, learned)) for row, raw in pages[half::2])


def _wrapped(row: Row, raw: bytes, learned: list[Wrapper]) -> Extracted:
    page = Page.parse(raw, row.get("url") or "")
    return extract(page, wrapper=choose(learned, page))


def wrong(row: Row, found: Extracted, field: str) -> str | None:
    """A line that says what is wrong with a field, None where it is right or not annotated."""
    scored, _ = evaluation().score([row], {row["id"]: _prediction(row, found)})
    if scored.get(FIELDS[field], 1.0):
        return None
    name = {"title": "title", "date": "published", "author": "authors"}[field]
    own, rule = getattr(found, name), found.origin.get(name)
    return f"{row['site']} {(row.get('url') or '')[:80]}\n    {row[field]!r}\n    {own!r} by {rule}"


def _prediction(row: Row, found: Extracted) -> Row:
    return {"id": row["id"], "title": found.title, "date": found.published, "author": list(found.authors)}


def cost(rows: list[tuple[Row, bytes]]) -> dict[str, float]:
    """CPU ms a page of the fields where the body is known and the text is in blocks, and of a bare parse."""
    spent = {"fields_ms": 0.0, "parse_ms": 0.0}
    for row, raw in rows:
        begun = time.process_time()
        etree.fromstring(raw, etree.HTMLParser(huge_tree=True))
        spent["parse_ms"] += time.process_time() - begun
        page = Page.parse(raw, row.get("url") or "")
        blocks = Located(page, row.get("body") or "").found
        begun = time.process_time()
        title = title_of(page, blocks)
        heading = Headline(page, title.text, blocks)
        dates_of(page, blocks, row["lang"][:2], heading)
        authors_of(page, blocks, heading)
        source_of(page, blocks)
        keywords_of(page)
        canonical_of(page)
        spent["fields_ms"] += time.process_time() - begun
    return {name: round(1000 * value / max(1, len(rows)), 2) for name, value in spent.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+")
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="every N-th page only")
    parser.add_argument("--wrappers", action="store_true")
    parser.add_argument("--sites", type=int, help="with --wrappers: the first so many sites of each set")
    parser.add_argument("--wrong", choices=sorted(FIELDS), help="print the pages where this field is wrong")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    warm_up()
    by_set: defaultdict[str, list[tuple[Row, bytes]]] = defaultdict(list)
    for name, row, raw in page_rows(arguments.sets, arguments.sample):
        by_set[name].append((row, raw))
    results = []
    for name, rows in by_set.items():
        gold: list[Row] = []
        found: dict[str, Row] = {}
        articles = 0
        for row, extracted in predictions(rows, wrappers=arguments.wrappers, sites=arguments.sites):
            gold.append(row)
            found[row["id"]] = _prediction(row, extracted)
            articles += extracted.kind == "article"
            line = wrong(row, extracted, arguments.wrong) if arguments.wrong else None
            if line:
                print(name, line)
        if not gold:
            continue
        figures, _ = evaluation().score(gold, found)
        shown = {key: round(figures[key], 4) for key in _SHOWN if key in figures}
        shown["article"] = round(articles / len(gold), 4)
        results.append({"set": name, "pages": len(gold), **shown, **({} if arguments.wrappers else cost(rows))})
        if not arguments.json:
            print(results[-1], flush=True)
    if arguments.json:
        print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
