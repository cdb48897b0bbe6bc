"""``scrapy jobs check``: the first fault of each job file, what it names and is not there, and pages in common."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from articlebot.actions import base
from articlebot.errors import JobFileError
from articlebot.jobs.book import JobBook
from articlebot.jobs.files import JobFiles, Refused
from articlebot.runtime.job_needs import lacking


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Reads the files, and says what is wrong with them."""
    results: list[dict[str, Any]] = []
    sinks = command.config().publishing.sinks
    for path in map(Path, args):
        results += _checked(path, lambda job: lacking(job, sinks))
    said = [result["error"] or f"{result['file']}: {result['jobs']} jobs, no fault" for result in results]
    command.show(results, "\n".join(said), opts)
    command.exitcode = int(any(result["error"] for result in results))


def _checked(path: Path, refused: Refused) -> list[dict[str, Any]]:
    """A row for each fault of a file or of the files of a folder; one row where there is none."""
    files = JobFiles([path])
    try:
        files.not_empty()
        faults = files.faults(refused)
    except JobFileError as error:
        faults = [error]
    if faults:
        return [{"file": one.path, "line": one.line, "key": one.key, "jobs": 0, "error": str(one)} for one in faults]
    jobs = files.jobs()
    shared = [{"file": str(path), "jobs": len(jobs), "error": f"{path}: {said}"} for said in JobBook(jobs).shared]
    return shared or [{"file": str(path), "jobs": len(jobs), "error": None}]
