"""Changes the frontier's Lua scripts one place at a time: `make mutants-lua`, or `python .ci/mutants_lua.py --most N`.

Each change is to be found by schedules of the simulation, or else by the tests of the queue. Works on a copy.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

LEAST_KILLED = 0.95
# Most faults are found by the first ten schedules.
_SCHEDULES = 60
_SECONDS = {"simulation": 180, "tests": 600}
_SCRIPTS = "articlebot/frontier/lua"
_TESTS = [
    f"tests/frontier/test_{name}.py"
    for name in ("queue", "corners", "session", "seen", "slots", "breaker", "pace", "delays")
]
_PLAY = f"""
from articlebot_lab.simulation import Servers, plan_of, run
with Servers() as servers:
    for seed in range({_SCHEDULES}):
        if (wrong := run(plan_of(seed, 200), servers).wrong):
            raise SystemExit(str(wrong[0]))
"""
_EXCHANGED = [
    (" == ", " ~= "), (" ~= ", " == "), (" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "),
    (" and ", " or "), (" or ", " and "), (" + ", " - "), (" - ", " + "), ("not ", ""), ("true", "false"),
    ("false", "true"), ("math.max", "math.min"), ("math.min", "math.max"),
]  # fmt: skip
_NUMBER = re.compile(r"(?<![\w.'\[])(\d+)(?![\w.'\]])")
# Sizes of parts and of looks: one more or less changes no rule.
_SIZES = re.compile(r"\s*local [A-Z_, ]+ = |.*'LIMIT'")
_CALL = re.compile(r"\s*redis\.call\(.*\)\s*$")
_TEXT = re.compile(r"'[^']*'")


class Mutant(NamedTuple):
    """A script with one line changed."""

    file: str
    line: int
    was: str
    now: str


def mutants(folder: Path) -> Iterator[Mutant]:
    """All changes, script by script."""
    for path in sorted(folder.glob("*.lua")):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            code = line.partition("--")[0].rstrip()
            for now in sorted(set(_changed(code))):
                yield Mutant(path.name, number, code, now)


def _changed(code: str) -> Iterator[str]:
    if _CALL.match(code):
        yield "local _ = 0"
    texts = [match.span() for match in _TEXT.finditer(code)]

    def outside(at: int) -> bool:
        return not any(begin <= at < end for begin, end in texts)

    for old, new in _EXCHANGED:
        for match in re.finditer(re.escape(old), code):
            if outside(match.start()):
                yield code[: match.start()] + new + code[match.end() :]
    for match in () if _SIZES.match(code) else _NUMBER.finditer(code):
        if outside(match.start()):
            yield f"{code[: match.start()]}{int(match[1]) + 1}{code[match.end() :]}"


def killed_by(mutant: Mutant, copy: Path) -> str | None:
    """What noticed a change; None where nothing did."""
    path = copy / _SCRIPTS / mutant.file
    whole = path.read_text("utf-8")
    lines = whole.split("\n")
    lines[mutant.line - 1] = mutant.now
    path.write_text("\n".join(lines), "utf-8")
    ways = {
        "simulation": ["-c", _PLAY], "tests": ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-n0", *_TESTS],
    }  # fmt: skip
    try:
        for name, arguments in ways.items():
            try:
                done = subprocess.run(  # noqa: S603 - this Python
                    [sys.executable, *arguments], cwd=copy, capture_output=True, timeout=_SECONDS[name], check=False,
                    env={**os.environ, "TMPDIR": str(copy / "tmp")},
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                return name
            if done.returncode:
                return name
    finally:
        path.write_text(whole, "utf-8")
        _end_servers(copy)
    return None


def _end_servers(copy: Path) -> None:
    """Ends Redis servers of this change that are left: one that runs a script without an end hears nothing else."""
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = line.read_bytes()
            if b"redis-server" in words and str(copy / "tmp").encode() in words:
                os.kill(int(line.parent.name), signal.SIGKILL)


def main() -> int:
    """Says what noticed how many changes, and names those that nothing did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=200, help="so many changes, chosen by the seed (200)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip", type=int, default=0, help="so many of them that were judged before")
    parser.add_argument("--out", type=Path, help="a line of JSON for each change, as it is judged")
    args = parser.parse_args()
    root = Path(__file__).resolve().parent.parent
    every = list(mutants(root / _SCRIPTS))
    chosen = random.Random(args.seed).sample(every, min(args.most, len(every)))[args.skip :]
    found: dict[str | None, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        (copy / "tmp").mkdir()
        for name in ("articlebot", "articlebot_lab", "tests"):
            shutil.copytree(root / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "setup.py", "scrapy.cfg"):
            shutil.copy(root / name, copy / name)
        for mutant in chosen:
            by = killed_by(mutant, copy)
            found[by] = found.get(by, 0) + 1
            if args.out:
                with args.out.open("a", encoding="utf-8") as out:
                    out.write(json.dumps({**mutant._asdict(), "killed_by": by}) + "\n")
            if by is None:
                sys.stdout.write(f"{mutant.file}:{mutant.line}\n  was {mutant.was}\n  now {mutant.now}\n")
                sys.stdout.flush()
    share = 1 - found.get(None, 0) / max(1, len(chosen))
    told = ", ".join(f"{number} by {by or 'nothing'}" for by, number in found.items())
    sys.stdout.write(f"{share:.1%} of {len(chosen)} (of {len(every)}) changes noticed: {told}\n")
    return 0 if share >= LEAST_KILLED else 1


if __name__ == "__main__":
    sys.exit(main())
