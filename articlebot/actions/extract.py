"""scrapy extract: articles out of addresses, files or a labelled corpus."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import scrapy
from scrapy.exceptions import UsageError
from scrapy.http import Response

from articlebot.actions import base
from articlebot.actions.extract_rows import predict
from articlebot.actions.output import to_json
from articlebot.diagnosis.advice import advised
from articlebot.extraction.cascade import extract
from articlebot.extraction.model import Extracted, dated
from articlebot.extraction.shells import needs_scripts
from articlebot.jobs.visit import SHOWN
from articlebot.page import Page, header
from articlebot.runtime import clock
from articlebot.runtime.failures import fault_of

_SHOWN = (
    "title", "published", "authors", "source", "language", "kind", "keywords", "lead_image", "images",
    "next_pages", "refused",
)  # fmt: skip
# The project's own scheduler, pipelines and extensions follow jobs; one page needs none of them.
_ONE_PAGE_SETTINGS = {
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    "DUPEFILTER_CLASS": "scrapy.dupefilters.RFPDupeFilter",
    "ITEM_PIPELINES": {},
    "EXTENSIONS": {},
    "SPIDER_MIDDLEWARES": {},
    "DOWNLOADER_MIDDLEWARES": {"articlebot.middlewares.shown.ShownMiddleware": 553},
    "STATS_CLASS": "scrapy.statscollectors.MemoryStatsCollector",
}


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Extracts what was named."""
    if opts.pages:
        _predict(command, args, opts)
        return
    if not args:
        raise UsageError("expected addresses or files, or --pages FILE --out FILE")
    if opts.out or opts.learn_from or opts.live or opts.cpu:
        raise UsageError("--out, --learn-from, --live and --cpu belong to --pages")
    every = [_wanted(argument, opts.url) for argument in args]
    if to_fetch := [one for one in every if one.is_address]:
        command.crawl(_Fetch, wanted=to_fetch)
    found = [extract(one.page, explain=opts.explain) for one in every]
    for one, article in zip(every, found, strict=True):
        if one.error:
            print(f"{one.name}: {one.error}", file=sys.stderr)
        elif one.is_address and article.refused and needs_scripts(one.page):
            print(advised("needs_javascript", {"url": one.name})[0], file=sys.stderr)
    if opts.json:
        print(to_json([dataclasses.asdict(article) for article in found]))
    else:
        for one, article in zip(every, found, strict=True):
            if not one.error:
                _print_article(one.name, article, explain=opts.explain)
    if all(article.refused for article in found):
        command.exitcode = 1


def _predict(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    if args or not opts.out:
        raise UsageError("--pages needs --out FILE and takes no further arguments")
    done = predict(opts.pages, Path(opts.out), opts.learn_from, live=opts.live, cpu=opts.cpu)
    print(json.dumps(done, ensure_ascii=False))
    command.exitcode = base.WITH_ERRORS if done["refused"] else base.DONE


@dataclasses.dataclass(slots=True)
class _Wanted:
    """An address or file, its page, and why an address gave none."""

    name: str
    page: Page
    is_address: bool = False
    error: str = ""


def _wanted(name: str, url: str | None) -> _Wanted:
    if name.startswith(("http://", "https://")):
        return _Wanted(name, Page.parse(b"", name), True, "not fetched")
    path = Path(name)
    if not path.is_file():
        raise UsageError(f"{name}: neither an http(s) address nor a file")
    return _Wanted(name, Page.parse(path.read_bytes(), url or "", fetched_at=path.stat().st_mtime))


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
                item.name,
                dont_filter=True,
                errback=self.failed,
                cb_kwargs={"number": number},
                meta={"handle_httpstatus_list": range(400, 600), SHOWN: True},
            )

    def parse(self, response: Response, number: int) -> None:
        item = self.wanted[number]
        if response.status >= 400:
            item.error = f"HTTP status {response.status}"
            return
        item.error = ""
        item.page = Page.parse(response.body, response.url, header(response, "Content-Type"), clock.now())

    def failed(self, failure: Any) -> None:
        item = self.wanted[failure.request.cb_kwargs["number"]]
        item.error = advised(fault_of(failure).reason, {"url": item.name})[0]


def _print_article(name: str, article: Extracted, *, explain: bool) -> None:
    print(f"# {name}")
    for field in _SHOWN:
        value = dated(article) if field == "published" else getattr(article, field)
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
