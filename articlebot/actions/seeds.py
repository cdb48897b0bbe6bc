"""``scrapy seeds``: from the address of a site to a job that follows it, and from mined candidates to jobs."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.mining import Mining, offers_of, rows_of
from articlebot.actions.output import table, to_json
from articlebot.diagnosis.advice import advised
from articlebot.errors import ConfigError, RefusedError
from articlebot.runtime import Runtime
from articlebot.seeds.candidates import Candidate, State
from articlebot.seeds.jobblock import SiteSeeds, block
from articlebot.typed import as_typed
from articlebot.urls import typed_url

_COLUMNS = ["key", "state", "priority", "sources", "looks", "fetched", "articles", "relevant", "new", "yield", "reason"]


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Does one action."""
    action, names = command.action, args
    if action == "discover":
        _discover(command, names[0], opts)
        return
    if action == "add" and not (names or opts.file):
        raise UsageError("add: name sites, or give --file", print_help=False)
    decided = _look(command, opts) if action == "mine" and not opts.dry_run else []
    _print(command, action, command.ask(lambda runtime: _act(action, names, opts, decided, runtime)), opts)


def _look(command: base.Command, opts: argparse.Namespace) -> list[tuple[Candidate, State]]:
    from articlebot.spiders.probation import ProbationSpider  # noqa: PLC0415 - the others fetch nothing

    decided: list[tuple[Candidate, State]] = []
    # What is wrong with job files and topic is said before anything is fetched.
    Mining(Runtime(command.config()), opts.into, _paths(opts.jobs), dry=True)
    command.agree()
    if not command.crawl(ProbationSpider, most=str(opts.most), decided=decided):
        raise ConfigError("the look at the candidates could not begin; see the log with -L INFO")
    return decided


async def _act(
    action: str, names: list[str], opts: argparse.Namespace, decided: list[tuple[Candidate, State]], runtime: Runtime
) -> list[dict[str, Any]]:
    mining = Mining(runtime, opts.into, _paths(opts.jobs), dry=opts.dry_run)
    if action == "add":
        addresses, results = rows_of(opts.file) if opts.file else ([], [])
        offers = offers_of([*map(typed_url, names), *addresses], results)
        new, raised = await mining.add(offers)
        how = "would be offered" if opts.dry_run else f"offered: {new} new, {raised} raised"
        print(f"{len(offers)} candidates {how}", file=sys.stderr)
        return [asdict(offer) for offer in offers]
    if action == "candidates":
        return await mining.rows((opts.state,) if opts.state else get_args(State), opts.most)
    if action == "mine":
        # Where it was away none was looked at, which is not to be taken for none left.
        await runtime.clients.of().ping()
        return await (mining.plan(opts.most) if opts.dry_run else mining.settle(decided))
    found = [await mining.known(name) for name in names]
    if action == "promote":
        return [await mining.promote(one.because(one.reason or "by hand")) for one in found]
    return [await mining.drop(one, opts.reason) for one in found]


def _print(command: base.Command, action: str, rows: list[dict[str, Any]], opts: argparse.Namespace) -> None:
    if opts.json:
        print(to_json(rows))
    elif rows and action != "add":
        print(table(rows, _COLUMNS))
        for row in rows:
            if "file" in row or "block" in row:
                print(f"\n{row.get('file') or row['block'].rstrip()}")
    elif not rows:
        print(as_typed("No candidates; see ARTICLEBOT_SEEDS_MINE and scrapy seeds add."), file=sys.stderr)
    if action == "mine" and rows:
        counts = Counter(row["state"] for row in rows)
        print(", ".join(f"{number} {state}" for state, number in sorted(counts.items())), file=sys.stderr)
    command.exitcode = int(not rows)


def _discover(command: base.Command, url: str, opts: argparse.Namespace) -> None:
    from articlebot.spiders.site_seeds import SiteSeedsSpider  # noqa: PLC0415 - the others fetch nothing

    SiteSeedsSpider.check_arguments(url)
    command.agree()
    found: list[SiteSeeds] = []
    command.crawl(SiteSeedsSpider, url=url, found=found)
    seeds = found[0] if found else SiteSeeds(url)
    problems = ", ".join(f"{name} {number}" for name, number in sorted(seeds.problems.items()))
    print(f"{seeds.fetched} pages looked at; problems: {problems or 'none'}", file=sys.stderr)
    if opts.json:
        print(to_json(_row(seeds)))
    elif seeds.entries:
        print(block(seeds), end="")
    if not seeds.entries:
        reason, detail = seeds.why
        why = f": {advised(reason, {'url': seeds.url, 'detail': detail})[0]}" if reason else ""
        hint = "; ARTICLEBOT_ALLOW_PRIVATE=1 allows it" if reason == "private_address" else ""
        print(f"No feed, sitemap or list page was found at {url}{why}{hint}", file=sys.stderr)
        command.exitcode = 1


def _paths(jobs: str | None) -> list[Path]:
    paths = [Path(part) for part in (jobs or "").split(",") if part]
    for path in paths:
        if not path.exists():
            raise RefusedError("file_missing", str(path))
    return paths


def _row(seeds: SiteSeeds) -> dict[str, Any]:
    row = asdict(seeds)
    for name in ("feeds", "sitemaps", "list_pages"):
        row[name] = [{**entry, "articles": len(entry["articles"])} for entry in row[name]]
    return row
