"""scrapy learn: learns the wrappers of sites from their pages, offline."""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.engaged import engaged
from articlebot.actions.output import Progress, table
from articlebot.actions.wrappers import tell_workers
from articlebot.batch.pages import SiteBatch, learned
from articlebot.config import Config
from articlebot.extraction.wrapper.model import Overrides, Rules
from articlebot.extraction.wrapper.shelf import Shelf
from articlebot.extraction.wrapper.store import PageStore, StoredPage, WrapperStore
from articlebot.extraction.wrapper.wrapper import Wrapper
from articlebot.runtime import Runtime, clock

_COLUMNS = ("site", "pages", "version", "template", "rests_on", "confidence", "body", "title", "seconds")


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Learns, and keeps what was learned."""
    config = command.config()
    if not args and not opts.pages:
        raise UsageError("expected a SITE, or --pages FILE")
    with closing(Runtime(config).shelf()) as shelf:
        _learn_all(command, config, shelf, args, opts)


def _learn_all(command: base.Command, config: Config, shelf: Shelf, args: list[str], opts: argparse.Namespace) -> None:
    store, stored = WrapperStore(shelf, config.wrappers.folder), PageStore(shelf)
    by_site = _rows(Path(opts.pages)) if opts.pages else dict.fromkeys(args)
    unknown = [site for site in args if site not in by_site]
    if unknown:
        raise UsageError(f"no pages of {', '.join(unknown)} in {opts.pages}", print_help=False)
    chosen = args or list(by_site)
    batches = (SiteBatch(site, tuple(_read(by_site[site]) if opts.pages else stored.pages(site))) for site in chosen)
    rows: list[dict[str, Any]] = []
    number = 0
    name = "learn-dry-run" if opts.dry_run else "learn"
    with engaged(opts, config, name, Progress("sites", lambda: number / max(1, len(chosen)))) as run:
        for number, (batch, found) in enumerate(run(learned, batches, 1), 1):
            print(f"{number}/{len(chosen)} {batch.site}", file=sys.stderr)
            rows.extend(_kept(batch, found, store, keep=not opts.dry_run))
    command.show(rows, lambda: table(rows, _COLUMNS), opts)
    taught = {row["site"] for row in rows if row["template"] is not None}
    if taught and not opts.dry_run:
        tell_workers(command, taught)
    text = f"wrappers of {len(taught):,} of {len(chosen):,} sites"
    if empty := [row["site"] for row in rows if not row["pages"]]:
        text += f"; no page is kept of {', '.join(empty)}"
    base.last_line(command, "learn", text, errors=bool(rows) and not taught)


def _kept(batch: SiteBatch, found: dict[str, Any], store: WrapperStore, *, keep: bool) -> list[dict[str, Any]]:
    wrappers = [Wrapper.from_json(text) for text in found["wrappers"]]
    version = _version(store, batch.site, wrappers) if wrappers and keep else None
    common = {"site": batch.site, "pages": len(batch.pages), "version": version, "seconds": found["seconds"]}
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


def _version(store: WrapperStore, site: str, wrappers: list[Wrapper]) -> int:
    """The version that the wrappers are kept as; a run that was killed may have kept them already."""
    newest = max((version.number for version in store.history(site)), default=None)
    if newest is not None and _rules(store.load(site, newest)) == _rules(wrappers):
        return newest
    now = clock.now()
    return store.save(site, [Wrapper(replace(one.rules, learned_at=now)) for one in wrappers])


def _rules(wrappers: list[Wrapper]) -> list[Rules]:
    """What was learned, without who, when, and what a person has added."""
    return [replace(one.rules, site="", version=0, learned_at=None, overrides=Overrides()) for one in wrappers]


def _rows(file: Path) -> dict[str, list[tuple[Path, str]] | None]:
    """(file, url) of the pages of each site.

    Raises:
        UsageError: a row that is no JSON object or lacks a key; names the line.
    """
    by_site: defaultdict[str, list[tuple[Path, str]]] = defaultdict(list)
    for number, line in enumerate(file.read_bytes().splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            by_site[str(row["site"])].append((file.parent / row["html_path"], str(row.get("url") or "")))
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"{file}:{number}: expected JSON in UTF-8 with site, url and html_path ({error})", print_help=False
            ) from None
    return dict(by_site)


def _read(rows: list[tuple[Path, str]] | None) -> Iterator[StoredPage]:
    for path, url in rows or ():
        yield StoredPage(url, path.read_bytes(), None, None)
