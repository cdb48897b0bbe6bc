"""``scrapy jobs check``: the first fault of each job file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from articlebot.actions import base
from articlebot.actions.output import to_json
from articlebot.errors import JobFileError
from articlebot.jobs import load


def run(command: base.Command, args: list[str], opts: argparse.Namespace) -> None:
    """Reads the files, and says what is wrong with them."""
    results: list[dict[str, Any]] = []
    for path in map(Path, args):
        try:
            jobs = load([path])
            results.append({"file": str(path), "jobs": len(jobs), "error": None})
        except JobFileError as error:
            results.append({"file": error.path, "line": error.line, "key": error.key, "jobs": 0, "error": str(error)})
    if opts.json:
        print(to_json(results))
    else:
        for result in results:
            print(result["error"] or f"{result['file']}: {result['jobs']} jobs, no fault")
    command.exitcode = int(any(result["error"] for result in results))
