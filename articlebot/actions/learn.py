"""scrapy learn: learns the wrappers of sites from their pages, offline."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.output import table
from articlebot.actions.wrappers import tell_workers
from articlebot.extraction.wrapper import PageStore, WrapperStore, learn
from articlebot.page.page import Page
from articlebot.runtime import Runtime, clock

_COLUMNS = ("site", "pages", "version", "template", "rests_on", "confidence", "body", "title", "seconds")


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Learns, and keeps what was learned."""
    config = command.config()
    if not args and not opts.pages:
        raise UsageError("expected a SITE, or --pages FILE")
    with closing(Runtime(config).shelf()) as shelf:
        _learn_all(command, WrapperStore(shelf, config.wrappers.folder), PageStore(shelf), args, opts)


def _learn_all(
    command: base.Command, store: WrapperStore, stored: PageStore, args: list[str], opts: argparse.Namespace
) -> None:
    by_site = _rows(Path(opts.pages)) if opts.pages else dict.fromkeys(args)
    unknown = [site for site in args if site not in by_site]
    if unknown:
        raise UsageError(f"no pages of {', '.join(unknown)} in {opts.pages}", print_help=False)
    rows = []
    for number, site in enumerate(args or list(by_site), 1):
        print(f"{number}/{len(args or by_site)} {site}", file=sys.stderr)
        pages = _parsed(by_site[site]) if opts.pages else (p.parse() for p in stored.pages(site))
        rows.extend(_learn(site, pages, store, keep=not opts.dry_run))
    command.show(rows, lambda: table(rows, _COLUMNS), opts)
    learned = {row["site"] for row in rows if row["template"] is not None}
    if learned and not opts.dry_run:
        tell_workers(command, learned)
    text = f"wrappers of {len(learned):,} of {len(args or by_site):,} sites"
    base.last_line(command, "learn", text, errors=bool(rows) and not learned)


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
