"""``scrapy run``: the main job from start to report, on the user's sites or on the newsroom of articlebot-lab."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError

from articlebot.actions import base
from articlebot.actions.base import DONE
from articlebot.actions.crawl import run_lock, tell
from articlebot.actions.output import to_json
from articlebot.actions.workers import RAN, Workers
from articlebot.archive import Selection, open_archive
from articlebot.config import Config
from articlebot.diagnosis import Coverage, Finding, told
from articlebot.errors import ArticlebotError, ConfigError
from articlebot.jobs.book import JobBook
from articlebot.runtime import Runtime
from articlebot.runtime.diagnosis import Settled
from articlebot.runtime.runs import errors_in
from articlebot.typed import typed

# Exit code, report (None: the crawl has said why there is none), and what else to print of it.
_Ended = tuple[int, dict[str, Any] | None, list[str]]
# Length of the newsroom's crawl where none is given.
DEMONSTRATION_S = 120.0


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Crawls and reports."""
    if opts.jobs and opts.url:
        raise UsageError("expected --jobs FILE or --url URL, or neither for the newsroom", print_help=False)
    if opts.seconds is not None and not 10 <= opts.seconds <= 86400 * 366:
        raise UsageError("--seconds: expected at least 10", print_help=False)
    if opts.workers is not None and not 1 <= opts.workers <= 256:
        raise UsageError("--workers: expected 1 to 256", print_help=False)
    config = command.config()
    code, report, compared = _follow(config, opts) if opts.jobs or opts.url else _demonstrate(config, opts)
    command.exitcode = code
    if report is None:
        return  # the crawl has said why
    path = config.general.data_dir / "report.json"
    path.write_text(to_json(report) + "\n", encoding="utf-8")
    command.show(report, lambda: _text(report, compared, path), opts)


def _follow(config: Config, opts: argparse.Namespace) -> _Ended:
    jobs = len(JobBook.from_argument(opts.jobs, opts.url))  # a wrong file is named before anything starts
    arguments = {"jobs": opts.jobs} if opts.jobs else {"url": opts.url}
    code, kept = _crawl(config, arguments | {"until": "idle"}, opts, opts.seconds, {})
    return code, {"sites": jobs, **_report(config, kept)} if kept is not None else None, []


def _demonstrate(config: Config, opts: argparse.Namespace) -> _Ended:
    """The newsroom in a folder of its own, begun afresh: its world is another one each time.

    Raises:
        ConfigError: the package that has the newsroom is not installed.
    """
    try:
        from articlebot_lab.demonstration import demonstration  # noqa: PLC0415 - production has no laboratory
    except ModuleNotFoundError as error:
        if error.name != "articlebot_lab":
            raise
        raise ConfigError(
            "name your sites with --jobs FILE or --url URL; the newsroom is in the package articlebot-lab "
            "(in the source tree: pip install ./articlebot_lab)"
        ) from None
    folder = config.general.data_dir / "newsroom"
    seconds = opts.seconds or DEMONSTRATION_S
    with demonstration(folder, seconds, sites=opts.sites, seed=opts.seed) as shown:
        print(shown.announced, file=sys.stderr)
        own = config.model_copy(update={"general": config.general.model_copy(update={"data_dir": folder})})
        code, kept = _crawl(own, {"jobs": str(shown.jobs)}, opts, seconds, shown.environment)
        if kept is None:
            return code, None, []
        report = _report(own, kept)
        with open_archive(Runtime(own).database_url, own.archive) as archive:
            found = shown.compare(list(archive.articles(Selection(), versions=True)))
    return code, {**report, **found}, shown.told(found)


def _settings(opts: argparse.Namespace) -> list[str]:
    """The settings of the command line, for the crawl; where its data and log are is decided here."""
    given = [pair for pair in opts.set if pair.partition("=")[0] not in ("ARTICLEBOT_DATA_DIR", "LOG_FILE")]
    return [argument for pair in given for argument in ("-s", pair)]


def _crawl(
    config: Config, given: dict[str, str], opts: argparse.Namespace, seconds: float | None, environment: dict[str, str]
) -> tuple[int, dict[str, Any] | None]:
    """The exit code of the crawl, whose workers are processes of their own, and what they leave; says its last line.

    Raises:
        ArticlebotError: it could not be started or ended with an error; names its log.
    """
    folder, arguments = config.general.data_dir, [part for pair in given.items() for part in ("-a", "=".join(pair))]
    workers = Workers(
        [*arguments, *_settings(opts)], folder, environment, number=opts.workers or len(os.sched_getaffinity(0)),
        seconds=seconds, progress_s=config.general.progress_s, report=config.operations.report,
    )  # fmt: skip
    with run_lock("article", given, config, ends="until" in given):
        code, kept = workers.run()
    if code not in RAN or (code == DONE and kept is None):
        return code, None  # the second was ended before it was under way
    if kept is None:
        raise ArticlebotError(f"the crawl did not end well; see {folder / 'crawl.log'}")
    settled = Settled(
        findings=tuple(Finding(**one) for one in kept["findings"]),
        covered=tuple(Coverage(**one) for one in kept["coverage"]),
    )
    tell(
        "article", code, settled, reason=kept["reason"], seconds=kept["ended_at"] - kept["started_at"],
        stats=kept["stats"], note=kept["note"], covered="url" in given,
    )  # fmt: skip
    return code, kept


def _report(config: Config, run: dict[str, Any]) -> dict[str, Any]:
    counts = run["stats"]
    with open_archive(Runtime(config).database_url, config.archive) as archive:
        kept = archive.counts()
    return {
        "seconds": round(run["ended_at"] - run["started_at"], 1),
        "pages_fetched": counts.get("downloader/response_count", 0),
        "articles_published": counts.get("articlebot/publish/new", 0),
        "changes_seen": counts.get("articlebot/change/updated", 0),
        "unchanged": counts.get("articlebot/change/unchanged", 0) + counts.get("articlebot/recrawl/not_modified", 0),
        "duplicates_grouped": counts.get("articlebot/neardup/member", 0),
        "refused": _below(counts, "articlebot/page/refused/"),
        "failed": _below(counts, "articlebot/page/failed/"),
        "errors": errors_in(counts),
        "archive": kept,
        "findings": run["findings"],
        "note": run["note"],
        "results": str(config.general.data_dir),
    }


def _below(counts: dict[str, Any], prefix: str) -> dict[str, int]:
    return {name.removeprefix(prefix): value for name, value in sorted(counts.items()) if name.startswith(prefix)}


def _text(report: dict[str, Any], compared: list[str], path: Path) -> str:
    folder, sites = report["results"], report["sites"]
    followed = f"{sites:,} site{'' if sites == 1 else 's'} followed for {report['seconds']:.0f} s"
    lines = [
        "",
        f"{followed}: {report['pages_fetched']:,} pages fetched",
        f"  articles published   {report['articles_published']:,}",
        f"  changes seen         {report['changes_seen']:,}",
        f"  duplicates grouped   {report['duplicates_grouped']:,}",
        f"  refused              {_counted(report['refused'])}",
        f"  failed               {_counted(report['failed'])}",
        f"  errors               {report['errors']:,}",
    ]
    if report["note"]:
        lines.append(f"  {report['note']}")
    if report["findings"]:
        lines += ["What is wrong:", *(f"  {line}" for line in told([Finding(**one) for one in report["findings"]]))]
    lines += compared
    prefix = f"ARTICLEBOT_DATA_DIR={folder} " if folder != "data" else ""
    lines += [
        f"Results in {folder}: archive.db (SQLite), JSON Lines, crawl.log; this report as {path}",
        "Look at them:",
        f"  {prefix}{_program()} export | less        # or --json",
        f"  {prefix}{_program()} search QUERY",
    ]
    return "\n".join(lines)


def _program() -> str:
    """What to type for this program: its name where the PATH leads to it, else its path from here."""
    name = typed()[0] or "scrapy"
    beside, found = Path(sys.executable).with_name(name), shutil.which(name)
    if not beside.exists() or (found is not None and Path(found) == beside):
        return name
    return os.path.relpath(beside)


def _counted(reasons: dict[str, int]) -> str:
    text = ", ".join(f"{name} {value:,}" for name, value in reasons.items())
    return f"{sum(reasons.values()):,}" + (f" ({text})" if text else "")
