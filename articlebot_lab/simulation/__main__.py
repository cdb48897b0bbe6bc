"""``python -m articlebot_lab.simulation``: plays schedules and prints the shortest one that fails; exit code 1 then."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from articlebot_lab.simulation.driver import Outcome, run
from articlebot_lab.simulation.plan import Plan, plan_of
from articlebot_lab.simulation.servers import SCRIPTS, Servers
from articlebot_lab.simulation.shrink import shrink

# Steps of a schedule. With delays and leases of seconds, about ten seconds to half a minute of virtual time.
_STEPS = 200


def main(argv: list[str] | None = None) -> int:
    """The exit code: 0 for no fault, 1 for one, 2 for a wrong argument."""
    args = _arguments().parse_args(argv)
    try:
        changed = _changed(args.script)
    except ValueError as error:
        print(f"simulation: {error}", file=sys.stderr)
        return 2
    with Servers(changed) as servers:
        if any(given is not None for given in (args.keep, args.workers, args.stop)):
            return _replay(args, servers)
        return _search(args, servers)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="simulation", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the first schedule")
    parser.add_argument("--steps", type=_positive, default=_STEPS, help=f"calls of Redis in each (default: {_STEPS})")
    parser.add_argument("--shards", type=_positive, default=1, help="that the frontier is cut into (default: 1)")
    parser.add_argument("--schedules", type=_positive, default=None, help="how many (default: 1; with --seconds: any)")
    parser.add_argument("--seconds", type=float, default=None, help="begins no schedule after so many")
    parser.add_argument(
        "--keep", default=None, metavar="N,N", help="replay with these faults of the plan alone, or none"
    )
    parser.add_argument("--stop", type=_positive, default=None, help="replay so many of the steps")
    parser.add_argument("--workers", type=_positive, default=None, help="replay with so many workers")
    parser.add_argument(
        "--script", action="append", default=[], metavar="NAME=FILE",
        help="text that stands in for one of the frontier's scripts, the shared part included; repeatable",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return number


def _changed(pairs: Iterable[str]) -> Mapping[str, str]:
    texts = {}
    for pair in pairs:
        name, _, path = pair.partition("=")
        if name not in SCRIPTS or not Path(path).is_file():
            raise ValueError(f"--script {pair}: expected NAME=FILE with a file and one of {', '.join(SCRIPTS)}")
        texts[name] = Path(path).read_text("utf-8")
    return texts


def _search(args: argparse.Namespace, servers: Servers) -> int:
    began, played, steps, downloads, virtual = time.monotonic(), 0, 0, 0, 0.0
    most = args.schedules if args.schedules is not None else (1 if args.seconds is None else sys.maxsize)
    while played < most and (args.seconds is None or time.monotonic() - began < args.seconds):
        plan = plan_of(args.seed + played, args.steps, args.shards)
        outcome = run(plan, servers)
        played, steps, downloads = played + 1, steps + outcome.steps, downloads + outcome.downloads
        virtual += outcome.seconds
        if outcome.wrong:
            less = shrink(plan, lambda other: bool(run(other, servers).wrong))
            _tell(less, run(less, servers), args, played)
            return 1
    figures = {
        "schedules": played, "seeds": [args.seed, args.seed + played - 1], "steps": steps, "downloads": downloads,
        "virtual_hours": round(virtual / 3600, 1), "seconds": round(time.monotonic() - began, 1), "wrong": [],
    }  # fmt: skip
    if args.json:
        print(json.dumps(figures))
    else:
        print(
            f"{played} schedules (seeds {args.seed} to {args.seed + played - 1}), {steps} steps, {downloads} downloads "
            f"in {virtual / 3600:.1f} virtual hours: nothing wrong; {figures['seconds']} s"
        )
    return 0


def _replay(args: argparse.Namespace, servers: Servers) -> int:
    plan = plan_of(args.seed, args.steps, args.shards)
    if args.keep is not None:
        plan = plan.keeping({int(number) for number in args.keep.split(",") if number.isdigit()})
    plan = replace(plan, workers=args.workers or plan.workers, steps=args.stop or plan.steps)
    outcome = run(plan, servers)
    _tell(plan, outcome, args, 1)
    return 1 if outcome.wrong else 0


def _tell(plan: Plan, outcome: Outcome, args: argparse.Namespace, played: int) -> None:
    kept = ",".join(str(one.number) for one in plan.faults) or "none"
    again = (
        f"python -m articlebot_lab.simulation --seed {plan.seed} --steps {args.steps} --keep {kept} "
        f"--workers {plan.workers} --stop {plan.steps}" + (f" --shards {plan.shards}" if plan.shards > 1 else "")
    )  # fmt: skip
    if args.json:
        found: dict[str, Any] = {
            "schedules": played, "wrong": outcome.wrong, "step": outcome.step, "plan": asdict(plan), "replay": again,
            "digest": outcome.digest, "trace": outcome.trace,
        }  # fmt: skip
        print(json.dumps(found))
        return
    print(*outcome.trace, sep="\n")
    print(*plan.faults, sep="\n")
    print(*(outcome.wrong or ["nothing wrong"]), sep="\n")
    print(f"schedule {played}, trace {outcome.digest}; again: {again}")


if __name__ == "__main__":
    sys.exit(main())
