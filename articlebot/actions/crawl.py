"""``scrapy crawl``: a spider's run with its lock, exit code and last line."""

from __future__ import annotations

import argparse
import asyncio
import inspect
import logging
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from scrapy import Spider, signals
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from articlebot.actions.base import DONE, FOUND_LITTLE, NO_MORE, TRY_LATER, WITH_ERRORS, code_of, exit_codes, said_of
from articlebot.actions.output import say
from articlebot.config import Config
from articlebot.diagnosis import told
from articlebot.diagnosis.coverage import MOST_TOLD
from articlebot.errors import ArticlebotError, ConfigError, StoreUnavailable
from articlebot.extensions.exhausted import ExhaustedExtension
from articlebot.extensions.folder import FolderExtension
from articlebot.extensions.summary import SummaryExtension
from articlebot.extraction.cascade import collect_by_page
from articlebot.runtime import clock
from articlebot.runtime.archive_wait import AWAY
from articlebot.runtime.diagnosis import Settled
from articlebot.runtime.run_lock import check_folder, check_redis, folder_lock, lock_name, redis_lock
from articlebot.runtime.runs import Counts, errors_in, haste_line, pending_line, summary_line
from articlebot.spiders.arguments import refuse_scheduler, refuse_unknown
from articlebot.typed import as_typed

logger = logging.getLogger(__name__)

# Scrapy's CLOSESPIDER settings that say how much is wanted; its others say that something is wrong.
_ENOUGH = frozenset({"closespider_timeout", "closespider_itemcount", "closespider_pagecount"})
# A crawl that was told to end has done its work; any other reason is one to look into.
_WELL = _ENOUGH | {"finished", "seconds", "shutdown"}
# Ends for which the next run goes on where this one stopped.
_LATER = frozenset({AWAY})
HOW = {
    TRY_LATER: "stopped early, try again later",
    NO_MORE: "stopped early",
    DONE: "done",
    WITH_ERRORS: "finished with errors",
    FOUND_LITTLE: "found too little",
}


def run(command: ScrapyCommand, name: str, opts: argparse.Namespace) -> None:
    """Runs a spider of that name, and sets the exit code."""
    assert command.settings is not None
    assert command.crawler_process is not None
    with exit_codes(command):  # interrupted while it loads; a crawl that has begun ends in order
        config = Config.from_settings(command.settings)
        spider = command.crawler_process.spider_loader.load(name)
        with _lock(spider, opts.spargs, config):
            command.exitcode = _crawl(command, name, opts)


def check(spider: type[Spider], settings: BaseSettings, arguments: dict[str, str]) -> None:
    """Looks whether a crawl can begin, before anything is started for it.

    Raises:
        UsageError: a setting, an argument or a job file is wrong.
    """
    try:
        Config.from_settings(settings)
        refuse_unknown(spider, arguments)
        refuse_scheduler(spider, settings)
        own = getattr(spider, "check_arguments", None)
        if own is not None:
            own(**arguments)
        for place in settings.getdict("FEEDS"):
            _check_output(str(place))
    except ArticlebotError as error:
        raise UsageError(as_typed(str(error)), print_help=False) from None


def _check_output(place: str) -> None:
    """Opens the file of a feed export, as Scrapy does at the first item, whose failure it logs with each.

    Raises:
        ConfigError: it cannot be written.
    """
    parts = urlsplit(place)
    if parts.scheme not in ("", "file") or "%(" in place:
        return
    path = Path(url2pathname(parts.path) if parts.scheme else place)
    is_new = not path.exists()
    if not is_new and not path.is_file() and not path.is_dir():
        return  # a pipe or terminal: who reads it would see an end
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("ab").close()
        if is_new:
            path.unlink()
    except OSError as error:
        raise ConfigError(f"{error.filename or path}: {error.strerror}") from None


def _crawl(command: ScrapyCommand, name: str, opts: argparse.Namespace) -> int:
    """The exit code of a whole crawl."""
    process: Any = command.crawler_process
    begun = time.monotonic()
    crawler = process.create_crawler(name)
    crawler.signals.connect(collect_by_page, signals.engine_started)
    result = process.crawl(crawler, **opts.spargs)
    failures: list[BaseException] = []

    def keep(failure: Failure) -> None:
        failures.append(failure.value or RuntimeError("no reason given"))

    if isinstance(result, Deferred):
        result.addErrback(keep)
    process.start()
    if isinstance(result, asyncio.Future) and result.done() and not result.cancelled():
        failures += [error for error in [result.exception()] if error is not None]
    if process.bootstrap_failed or failures:
        return _code_of(name, failures)
    stats = crawler.stats.get_stats()
    errors = errors_in(stats)
    reason = stats.get("finish_reason", "shutdown")  # none is kept of a crawl that was ended before its spider opened
    summary = crawler.get_extension(SummaryExtension)
    settled = summary.settled if summary is not None else None
    little = settled is not None and settled.bad and reason not in {*_ENOUGH, "shutdown"}
    code = WITH_ERRORS if errors or reason not in _WELL else FOUND_LITTLE if little else DONE
    watched = crawler.get_extension(ExhaustedExtension)
    wanting = watched.said if watched is not None else None
    # Where Scrapy's own start failed for it, the crawl may have found nothing to do and ended before it was told to.
    code = NO_MORE if wanting is not None else TRY_LATER if reason in _LATER and not errors else code
    # Who types one address wants to know what it came to; who follows job files gets mail of each line, and has it in
    # last-run.json.
    typed = getattr(crawler.spider, "job_files", None) is None
    seconds = time.monotonic() - begun
    found, note = settled or Settled(), settled.note if settled is not None else ""
    folder = crawler.get_extension(FolderExtension)
    if folder is not None and folder.lost is not None:
        say(f"{folder.lost} was removed or moved while the crawl ran: what it has written is lost")
    if wanting is not None:
        say(wanting)
    tell(name, code, found, reason=reason, seconds=seconds, stats=stats, note=note, covered=typed)
    return code


def tell(
    name: str, code: int, settled: Settled, *, reason: str, seconds: float, stats: Counts, note: str, covered: bool
) -> None:
    """Says on standard error what a run came to: its sites, what is wrong with them, and the last line.

    Args:
        note: of a run that found nothing, said where it came to its end.
        covered: whether to say what became of what each site names.
    """
    named = [one for one in settled.covered if one.named]
    lines = [one.said(is_whole=reason == "finished") for one in named[:MOST_TOLD]] if covered else []
    lines += told(settled.findings)
    if haste := haste_line(stats):
        lines.append(haste)
    # Of a run that was cut short nobody knows what was due.
    note = f"; {note}" if note and reason == "finished" else ""
    lines.append(f"{name} {HOW[code]} ({reason}) in {seconds:.0f} s: {summary_line(stats)}{pending_line(stats)}{note}")
    for line in lines:
        say(line)


def _code_of(name: str, failures: list[BaseException]) -> int:
    """The exit code of a crawl that did not begin, or broke; says why."""
    for failure in failures:
        known = said_of(failure)
        said = known or " ".join(f"{type(failure).__name__}: {failure}".split())
        logger.error("%s broke off: %s", name, said, exc_info=failure if known is None else None)
        say(f"{name} broke off: {said}")
    return max((code_of(failure) for failure in failures), default=WITH_ERRORS)


def _lock(spider: type[Spider], arguments: dict[str, str], config: Config) -> AbstractContextManager[None]:
    parameter = inspect.signature(spider.__init__).parameters.get("until")
    until = arguments.get("until", parameter.default if parameter is not None else "idle")
    return run_lock(spider.name, arguments, config, ends=until != "forever")


def run_lock(name: str, arguments: dict[str, str], config: Config, *, ends: bool) -> AbstractContextManager[None]:
    """The lock of a spider's run; none for a worker that runs for ever (not ``ends``), of which there may be many.

    Raises:
        ConfigError: the data folder cannot be written to.
        StoreUnavailable: Redis is away.
        UsageError: the lock is to be there, and there is none.
    """
    general, where = config.general, config.operations.lock
    check_folder(general.data_dir)
    ends = ends and where != "none"
    if general.redis_url:
        try:
            check_redis(general.redis_url, general.key_prefix)
        except StoreUnavailable:
            if ends:
                raise  # a worker that runs for ever waits
    if not ends:
        return nullcontext()
    name = lock_name(name, arguments)
    if where == "folder":
        return folder_lock(general.data_dir / "locks", name, clock.now())
    if not general.redis_url:
        raise UsageError("ARTICLEBOT_OPERATIONS_LOCK=redis needs REDIS_URL", print_help=False)
    return redis_lock(general.redis_url, f"{general.key_prefix}:lock:{name}", clock.now())
