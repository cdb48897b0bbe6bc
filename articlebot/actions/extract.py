"""scrapy extract: articles out of addresses, files or a labelled corpus."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import scrapy
from scrapy.exceptions import UsageError
from scrapy.http import Response

from articlebot.actions import base
from articlebot.actions.output import to_json
from articlebot.diagnosis.advice import advised
from articlebot.extraction import Extracted, extract
from articlebot.extraction.cascade import warm_up
from articlebot.extraction.shells import needs_scripts
from articlebot.extraction.wrapper import Wrapper, choose, learn
from articlebot.page import Page
from articlebot.runtime import clock
from articlebot.spiders.failures import fault_of
from articlebot.urls import site as site_of

_SHOWN = ("title", "published", "authors", "source", "language", "kind", "keywords", "images", "next_pages", "refused")
# The project's own scheduler, pipelines and extensions follow jobs; one page needs none of them.
_ONE_PAGE_SETTINGS = {
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    "DUPEFILTER_CLASS": "scrapy.dupefilters.RFPDupeFilter",
    "ITEM_PIPELINES": {},
    "EXTENSIONS": {},
    "SPIDER_MIDDLEWARES": {},
    "DOWNLOADER_MIDDLEWARES": {},
    "STATS_CLASS": "scrapy.statscollectors.MemoryStatsCollector",
}


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Extracts what was named."""
    if opts.pages:
        if args or not opts.out:
            raise UsageError("--pages needs --out FILE and takes no further arguments")
        print(json.dumps(predict(_rows(opts.pages), Path(opts.out), _rows(opts.learn_from), cpu=opts.cpu)))
        return
    if not args:
        raise UsageError("expected addresses or files, or --pages FILE --out FILE")
    if opts.out or opts.learn_from:
        raise UsageError("--out and --learn-from belong to --pages")
    pages = [_page(command, argument, opts.url) for argument in args]
    _fetch(command, [page for page in pages if isinstance(page, _Wanted)])
    found = [extract(page.page if isinstance(page, _Wanted) else page, explain=opts.explain) for page in pages]
    if opts.json:
        print(to_json([dataclasses.asdict(article) for article in found]))
    else:
        for argument, page, article in zip(args, pages, found, strict=True):
            if not (isinstance(page, _Wanted) and page.error):  # that was said
                _print_article(argument, article, explain=opts.explain)
    if all(article.refused for article in found):
        command.exitcode = 1


def _page(command: base.Command, argument: str, url: str | None) -> Page | _Wanted:
    if argument.startswith(("http://", "https://")):
        return _Wanted(argument)
    path = Path(argument)
    if not path.is_file():
        raise UsageError(f"{argument}: neither an http(s) address nor a file")
    return Page.parse(path.read_bytes(), url or "", fetched_at=path.stat().st_mtime)


def _fetch(command: base.Command, wanted: list[_Wanted]) -> None:
    if not wanted:
        return
    command.crawl(_Fetch, wanted=wanted)
    for item in wanted:
        if item.error:
            print(f"{item.url}: {item.error}", file=sys.stderr)
        elif needs_scripts(item.page):
            print(advised("needs_javascript", {"url": item.url})[0], file=sys.stderr)


class _Wanted:
    """An address to fetch, and what came of it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.error = "not fetched"
        self.page = Page.parse(b"", url)


class _Fetch(scrapy.Spider):
    """Fetches addresses once each, under the project's politeness settings."""

    name = "extract"
    custom_settings = _ONE_PAGE_SETTINGS

    def __init__(self, wanted: list[_Wanted], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.wanted = wanted

    async def start(self) -> Any:
        for number, item in enumerate(self.wanted):
            yield scrapy.Request(
                item.url,
                dont_filter=True,
                errback=self.failed,
                cb_kwargs={"number": number},
                meta={"handle_httpstatus_all": True},
            )

    def parse(self, response: Response, number: int) -> None:
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        item = self.wanted[number]
        if response.status >= 400:
            item.error = f"HTTP status {response.status}"
            return
        item.error = ""
        item.page = Page.parse(response.body, response.url, content_type, clock.now())

    def failed(self, failure: Any) -> None:
        item = self.wanted[failure.request.cb_kwargs["number"]]
        item.error = advised(fault_of(failure).reason, {"url": item.url})[0]


def _rows(path: str | None) -> list[dict[str, Any]]:
    """The rows of a JSON Lines file, with ``html_path`` made absolute."""
    if path is None:
        return []
    file = Path(path)
    if not file.is_file():
        raise UsageError(f"{path}: no such file")
    rows = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            row["html_path"] = file.parent / row["html_path"]
        except (ValueError, KeyError, TypeError):
            raise UsageError(f"{path}:{number}: expected a JSON object with html_path") from None
        rows.append(row)
    return rows


def predict(
    rows: list[dict[str, Any]], out: Path, others: list[dict[str, Any]], *, cpu: bool = False
) -> dict[str, Any]:
    """Writes a prediction for each row; returns what the command prints.

    Args:
        others: rows to learn wrappers from; only ``site``, ``url`` and ``html_path`` are read.
        cpu: add the mean CPU time per page in ms, parsing included, reading the file, learning and loading apart.
    """
    wrappers = dict(_learned(others))
    warm_up()
    spent = 0.0
    wrapped = 0
    with out.open("w", encoding="utf-8") as stream:
        for count, row in enumerate(rows, 1):
            body = row["html_path"].read_bytes()
            started = time.process_time()
            page = Page.parse(body, row.get("url") or "")
            known = wrappers.get(_site(row))
            wrapper = choose(known, page) if known and page.tree is not None else None
            article = extract(page, wrapper=wrapper)
            spent += time.process_time() - started
            wrapped += wrapper is not None
            stream.write(json.dumps(_prediction(row, article), ensure_ascii=False) + "\n")
            if count % 100 == 0:
                print(f"{count} of {len(rows)} pages", file=sys.stderr)
    summary: dict[str, Any] = {"pages": len(rows), "sites_learned": len(wrappers), "pages_with_wrapper": wrapped}
    if cpu:
        summary["cpu_ms_per_page"] = round(1000 * spent / max(1, len(rows)), 2)
    return summary


def _prediction(row: dict[str, Any], article: Extracted) -> dict[str, Any]:
    return {
        "id": row.get("id"),
        "title": article.title,
        "body": article.body,
        "date": article.published,
        "author": "; ".join(article.authors),
        "kind": article.kind,
    }


def _learned(rows: list[dict[str, Any]]) -> Iterator[tuple[str, list[Wrapper]]]:
    by_site: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_site.setdefault(_site(row), []).append(row)
    for count, (site, group) in enumerate(by_site.items(), 1):
        pages = (Page.parse(row["html_path"].read_bytes(), row.get("url") or "") for row in group)
        wrappers = learn(pages, site=site)
        print(f"{count} of {len(by_site)} sites: {site}, {len(group)} pages, {len(wrappers)} wrappers", file=sys.stderr)
        if wrappers:
            yield site, wrappers


def _site(row: dict[str, Any]) -> str:
    return str(row.get("site") or (site_of(row["url"]) if row.get("url") else ""))


def _print_article(name: str, article: Extracted, *, explain: bool) -> None:
    print(f"# {name}")
    for field in _SHOWN:
        value = getattr(article, field)
        if value:
            shown = ", ".join(str(getattr(item, "url", item)) for item in value) if isinstance(value, tuple) else value
            rule = (
                f"   [{article.origin.get(field, '')} {article.confidence.get(field, '')}]"
                if explain and field in article.origin
                else ""
            )
            print(f"{field}: {shown}{rule}")
    if explain:
        rule, sure = article.origin.get("body", ""), article.confidence.get("body", "")
        print(f"body: {len(article.body)} characters   [{rule} {sure}]")
    print(f"\n{article.body}\n")
    if explain and article.cut:
        print("cut:")
        for rule, text in article.cut:
            print(f"  {rule}: {text[:120]}")
