"""``scrapy crawl``: Scrapy's own, with a lock, exit codes and one last line, as cron wants them."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib.util import find_spec
from pkgutil import iter_modules

from scrapy.commands import crawl
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings
from scrapy.spiderloader import get_spider_loader

from articlebot.actions.base import INTERRUPTED
from articlebot.actions.output import log_as_set, options_of, refuse_unknown, say_as_typed

# Which spiders there are, and what else is in their folder: to import them takes a second. A test compares.
_OWN = "articlebot.spiders"
_PARTS = {"apart", "arguments"}
SPIDERS = ("article", "focused", "metasearch", "probation", "proxy_check", "proxy_lists", "site_seeds")


def spiders(settings: BaseSettings) -> Sequence[str]:
    """The names of the project's spiders, in order; none is imported where it has no more than ours."""
    if settings.getlist("SPIDER_MODULES") == [_OWN] and (found := find_spec(_OWN)):
        there = {module.name for module in iter_modules(found.submodule_search_locations)}
        if there <= {*SPIDERS, *_PARTS}:  # a person may have added some: `scrapy genspider`
            return SPIDERS
    return sorted(get_spider_loader(settings).list())


class Command(crawl.Command):
    """Runs a spider; with an address or a job file and no spider's name, the article crawl."""

    def syntax(self) -> str:
        """What follows the command's name."""
        return "[options] <spider>, or --url URL, or --jobs FILE"

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "Follow the site of an address or the sites of job files, or run another spider"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Scrapy's, and the short forms of the article crawl's arguments."""
        super().add_options(parser)
        say_as_typed(parser)
        for name, metavar, text in (
            ("url", "URL", "follow the site of an address: article -a url=URL -a until=idle"),
            ("jobs", "FILE", "follow the sites of a job file or a folder of them: article -a jobs=FILE -a until=idle"),
            ("until", "END", "idle ends when nothing is due (the default of these short forms), forever goes on"),
            ("seconds", "N", "end after so many seconds"),
        ):
            parser.add_argument(f"--{name}", metavar=metavar, help=text)
        self._options = options_of(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Makes spider arguments of the short forms."""
        super().process_options(args, opts)
        log_as_set(self.settings)
        refuse_unknown(args, self._options)
        short = {name: value for name in ("url", "jobs", "until", "seconds") if (value := getattr(opts, name))}
        if "url" in short or "jobs" in short:
            args[:] = args or ["article"]
            if "until" not in opts.spargs:
                short.setdefault("until", "idle")
        if not args:
            raise UsageError("expected --url URL, --jobs FILE or a spider's name; see --help", print_help=False)
        if twice := short.keys() & opts.spargs.keys():
            name = min(twice)
            raise UsageError(f"--{name} and -a {name}= say the same: give one of them", print_help=False)
        opts.spargs |= short
        if len(args) == 1:  # here, before Scrapy makes a process, which logs what it is made of
            gc.disable()  # of what is imported nothing is garbage: see `collect_by_page`
            try:
                self._check(args[0], opts)
            finally:
                gc.enable()

    def _check(self, name: str, opts: argparse.Namespace) -> None:
        assert self.settings is not None
        try:
            if name not in (known := spiders(self.settings)):
                near = get_close_matches(name, known, 1)
                hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(known)}"
                raise UsageError(f"no spider {name}; {hint}", print_help=False)
            # First: what Scrapy deprecates in it asks for the source of all modules that are imported by then.
            import scrapy.core.downloader.contextfactory  # noqa: F401, PLC0415

            from articlebot.actions.crawl import check  # noqa: PLC0415 - Scrapy imports this module for every command

            if not self.settings.getbool("REMOTE_CONTROL_ENABLED"):  # it would be imported to say that it is off
                self.settings["EXTENSIONS_BASE"].pop("scrapy.extensions.remote_control.RemoteControl", None)

            check(get_spider_loader(self.settings).load(name), self.settings, opts.spargs)
        except KeyboardInterrupt:  # before Scrapy listens for it: what is imported takes a second or two
            self._interrupted()

    def _interrupted(self) -> None:
        print("articlebot: interrupted before the crawl began", file=sys.stderr)
        raise SystemExit(INTERRUPTED)

    def long_desc(self) -> str:
        """The text of ``--help``."""
        return (
            "Runs a spider of the project. article: follows the sites of a job file (-a jobs=FILE, or -a url=URL for "
            "one site, which is looked at first) -a until=idle, for cron, or until=forever; -a seconds=N bounds it. "
            "--url and --jobs are short for these; the command run starts several workers. A run that ends by itself "
            "holds a lock, so that it never runs beside itself, prints one line at its end, before it a line for each"
            " site that gave nothing or far less than usual, with why and what to do, and exits with 0 (done), 1 "
            "(finished with errors), 2 (bad use), 3 (finished, and there were such sites) or 75 (the same run is "
            "under way, or a store is away: try later)."
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Runs the spider, to its end."""
        assert self.crawler_process is not None
        if len(args) != 1:
            super().run(args, opts)
            return
        try:
            from articlebot.actions.crawl import run  # noqa: PLC0415

            run(self, args[0], opts)
        except KeyboardInterrupt:
            self._interrupted()
