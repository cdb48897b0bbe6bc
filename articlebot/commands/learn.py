"""scrapy learn: learns the wrappers of sites from their pages, offline."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.commands._exit import exit_codes, last_line
from articlebot.commands._output import table, to_json
from articlebot.config import Config
from articlebot.extraction.wrapper import PageStore, WrapperStore, learn
from articlebot.page.page import Page
from articlebot.runtime import clock

_COLUMNS = ("site", "pages", "version", "template", "rests_on", "confidence", "body", "title", "seconds")


class Command(ScrapyCommand):
    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "SITE... [--pages FILE.jsonl] [options]"

    def short_desc(self) -> str:
        return "Learn the wrappers of sites from their own pages"

    def long_desc(self) -> str:
        return (
            "Learns how the articles of each SITE are to be extracted, without labels, and keeps it as a new "
            "version. The "
            "pages are those that a crawl has kept of the site; with --pages they are the rows of a JSON Lines "
            "file, of "
            "which site, url and html_path (relative to the file) are read; without SITE all sites of the file "
            "are learned."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--pages", metavar="FILE", help="learn from these pages instead of those kept by crawls")
        parser.add_argument("--dry-run", action="store_true", help="show what would be learned and keep nothing")
        parser.add_argument("--json", action="store_true", help="print the result as JSON")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        with exit_codes(self):
            self._run(args, opts)

    def _run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        config = Config.from_settings(self.settings)
        if not args and not opts.pages:
            raise UsageError("expected a SITE, or --pages FILE")
        stored = PageStore(config.general.data_dir, config.wrappers.keep_pages)
        store = WrapperStore(config.general.data_dir, config.wrappers.folder)
        try:
            by_site = _rows(Path(opts.pages)) if opts.pages else dict.fromkeys(args)
            unknown = [site for site in args if site not in by_site]
            if unknown:
                raise UsageError(f"no pages of {', '.join(unknown)} in {opts.pages}", print_help=False)
            rows = []
            for number, site in enumerate(args or list(by_site), 1):
                print(f"{number}/{len(args or by_site)} {site}", file=sys.stderr)
                pages = _parsed(by_site[site]) if opts.pages else (p.parse() for p in stored.pages(site))
                rows.extend(_learn(site, pages, store, keep=not opts.dry_run))
        except OSError as error:
            raise UsageError(str(error), print_help=False) from None
        print(to_json(rows) if opts.json else table(rows, _COLUMNS))
        learned = {row["site"] for row in rows if row["template"] is not None}
        text = f"wrappers of {len(learned):,} of {len(args or by_site):,} sites"
        last_line(self, "learn", text, errors=bool(rows) and not learned)


def _learn(site: str, pages: Iterable[Page], store: WrapperStore, *, keep: bool) -> list[dict[str, Any]]:
    read = list(pages)
    begun = time.perf_counter()
    wrappers = learn(read, site=site, now=clock.now())
    seconds = round(time.perf_counter() - begun, 2)
    version = store.save(site, wrappers) if wrappers and keep else None
    common = {"site": site, "pages": len(read), "version": version, "seconds": seconds}
    if not wrappers:
        return [{**common, "template": None}]
    return [
        {
            **common,
            "template": w.rules.template,
            "rests_on": w.rules.pages,
            "confidence": w.rules.confidence,
            "body": ", ".join(w.rules.body),
            "title": w.rules.title,
        }
        for w in wrappers
    ]


def _rows(file: Path) -> dict[str, list[tuple[Path, str]] | None]:
    """(file, url) of the pages of each site.

    Raises:
        UsageError: a row that is no JSON object or lacks a key; names the line.
    """
    by_site: defaultdict[str, list[tuple[Path, str]]] = defaultdict(list)
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            by_site[str(row["site"])].append((file.parent / row["html_path"], str(row.get("url") or "")))
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{file}:{number}: expected site, url and html_path ({error})", print_help=False) from None
    return dict(by_site)


def _parsed(rows: list[tuple[Path, str]] | None) -> Iterator[Page]:
    for path, url in rows or ():
        yield Page.parse(path.read_bytes(), url)
