"""``scrapy seeds``: from the address of a site to a job that follows it, and from mined candidates to jobs."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

from redis.exceptions import RedisError
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from articlebot.commands._exit import BAD_USE, TRY_LATER, code_of
from articlebot.commands._mining import Mining, offers_of, rows_of
from articlebot.commands._output import table, to_json
from articlebot.diagnosis.advice import advised
from articlebot.errors import ArticlebotError, ConfigError, RefusedError
from articlebot.runtime import Runtime
from articlebot.seeds.candidates import Candidate, State
from articlebot.seeds.jobblock import SiteSeeds, block
from articlebot.spiders.probation import ProbationSpider
from articlebot.spiders.site_seeds import SiteSeedsSpider

_ACTIONS = ("discover", "add", "mine", "candidates", "promote", "drop")
_COLUMNS = ["key", "state", "priority", "sources", "looks", "fetched", "articles", "relevant", "new", "yield", "reason"]


class Command(ScrapyCommand):
    """Seeds: discover a site; candidates from the queue to jobs."""

    requires_project = True
    default_settings = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return "discover URL | add URL... [--file FILE] | mine | candidates | promote KEY... | drop KEY...   [options]"

    def short_desc(self) -> str:
        return "Find a site's entry pages; turn mined sites into jobs"

    def long_desc(self) -> str:
        return (
            "discover: looks through a site politely (feeds that pages declare, sitemaps of robots.txt with their "
            "children, sections that list articles, WebSub hubs) and prints a block for a job file, which "
            "scrapy jobs check accepts. "
            "add: puts sites into the queue of candidates, by address or from a file: an address a line, or what "
            "scrapy crawl metasearch -O found.jsonl wrote. "
            "mine: looks at the candidates on probation that are due and at the best that wait, and promotes (writes "
            "a job file) or drops each by its yield; for cron. "
            "candidates: what is known, the best first. promote, drop: decides by hand. "
            "Exit code 1: nothing was found, or nothing to do."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument("--dry-run", action="store_true", help="say what would be done, change nothing")
        parser.add_argument("--most", type=int, default=20, metavar="N", help="candidates looked at or shown (20)")
        parser.add_argument("--state", choices=get_args(State), help="candidates: only those in this state")
        parser.add_argument("--into", type=Path, metavar="DIR", help="folder for the job files of promoted candidates")
        parser.add_argument("--jobs", metavar="FILES", help="further job files, whose sites are followed already")
        parser.add_argument("--file", type=Path, metavar="FILE", help="add: addresses, or results of a meta-search")
        parser.add_argument("--reason", default="by hand", help="drop: why")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if not args or args[0] not in _ACTIONS:
            raise UsageError(f"expected one of: {', '.join(_ACTIONS)}", print_help=False)
        action, names = args[0], args[1:]
        if opts.most < 1:
            raise UsageError("--most: expected a number above 0", print_help=False)
        if action == "discover":
            self._discover(names, opts)
            return
        _check(action, names, opts)
        assert self.settings is not None
        try:
            decided = self._look(opts) if action == "mine" and not opts.dry_run else []
            rows = asyncio.run(self._act(action, names, opts, decided))
        except (ArticlebotError, RedisError, OSError) as error:
            print(f"articlebot: {error}", file=sys.stderr)
            self.exitcode = TRY_LATER if code_of(error) == TRY_LATER else BAD_USE
            return
        self._print(action, rows, opts)

    # -- candidates

    def _look(self, opts: argparse.Namespace) -> list[tuple[Candidate, State]]:
        decided: list[tuple[Candidate, State]] = []
        assert self.settings is not None
        # What is wrong with job files and topic is said before anything is fetched.
        Mining(Runtime.from_settings(self.settings), opts.into, _paths(opts.jobs), dry=True)
        assert self.crawler_process is not None
        self.crawler_process.crawl(ProbationSpider, most=str(opts.most), decided=decided)
        self.crawler_process.start()
        if self.crawler_process.bootstrap_failed:
            raise ConfigError("the look at the candidates could not begin; see the log with -L INFO")
        return decided

    async def _act(
        self, action: str, names: list[str], opts: argparse.Namespace, decided: list[tuple[Candidate, State]]
    ) -> list[dict[str, Any]]:
        assert self.settings is not None
        runtime = Runtime.from_settings(self.settings)
        try:
            mining = Mining(runtime, opts.into, _paths(opts.jobs), dry=opts.dry_run)
            if action == "add":
                addresses, results = rows_of(opts.file) if opts.file else ([], [])
                offers = offers_of([*names, *addresses], results)
                new, raised = await mining.add(offers)
                how = "would be offered" if opts.dry_run else f"offered: {new} new, {raised} raised"
                print(f"{len(offers)} candidates {how}", file=sys.stderr)
                return [asdict(offer) for offer in offers]
            if action == "candidates":
                return await mining.rows((opts.state,) if opts.state else get_args(State), opts.most)
            if action == "mine":
                # Where it was away none was looked at, which is not to be taken for none left.
                await runtime.redis.ping()
                return await (mining.plan(opts.most) if opts.dry_run else mining.settle(decided))
            found = [await mining.known(name) for name in names]
            if action == "promote":
                return [await mining.promote(one.because(one.reason or "by hand")) for one in found]
            return [await mining.drop(one, opts.reason) for one in found]
        finally:
            await runtime.close()

    def _print(self, action: str, rows: list[dict[str, Any]], opts: argparse.Namespace) -> None:
        if opts.json:
            print(to_json(rows))
        elif rows and action != "add":
            print(table(rows, _COLUMNS))
            for row in rows:
                if "file" in row or "block" in row:
                    print(f"\n{row.get('file') or row['block'].rstrip()}")
        elif not rows:
            print("No candidates; see ARTICLEBOT_SEEDS_MINE and scrapy seeds add.", file=sys.stderr)
        if action == "mine" and rows:
            counts = Counter(row["state"] for row in rows)
            print(", ".join(f"{number} {state}" for state, number in sorted(counts.items())), file=sys.stderr)
        self.exitcode = int(not rows)

    # -- a site

    def _discover(self, names: list[str], opts: argparse.Namespace) -> None:
        if len(names) != 1:
            raise UsageError("expected: scrapy seeds discover URL", print_help=False)
        try:
            SiteSeedsSpider.check_arguments(names[0])
        except ConfigError as error:
            raise UsageError(str(error), print_help=False) from None
        found: list[SiteSeeds] = []
        assert self.crawler_process is not None
        self.crawler_process.crawl(SiteSeedsSpider, url=names[0], found=found)
        self.crawler_process.start()
        seeds = found[0] if found else SiteSeeds(names[0])
        problems = ", ".join(f"{name} {number}" for name, number in sorted(seeds.problems.items()))
        print(f"{seeds.fetched} pages looked at; problems: {problems or 'none'}", file=sys.stderr)
        if opts.json:
            print(to_json(_row(seeds)))
        elif seeds.entries:
            print(block(seeds), end="")
        if not seeds.entries:
            # What went wrong first went wrong with the address itself.
            reason = next(iter(seeds.problems), "")
            why = f": {advised(reason, {'url': seeds.url})[0]}" if reason else ""
            hint = "; ARTICLEBOT_ALLOW_PRIVATE=1 allows it" if reason == "private_address" else ""
            print(f"No feed, sitemap or list page was found at {names[0]}{why}{hint}", file=sys.stderr)
            self.exitcode = 1


def _check(action: str, names: list[str], opts: argparse.Namespace) -> None:
    if action in ("promote", "drop") and not names:
        raise UsageError(f"{action}: name candidates, as scrapy seeds candidates prints them", print_help=False)
    if action == "add" and not (names or opts.file):
        raise UsageError("add: name sites, or give --file", print_help=False)
    if action in ("mine", "candidates") and names:
        raise UsageError(f"{action}: takes no names", print_help=False)


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
