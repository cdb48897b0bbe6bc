"""``python -m articlebot_lab.model``: explores the protocols, or holds simulated runs against them; 1 for a fault."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

from articlebot_lab.model import Outbox, Protocol, Result, check, outbox, protocol
from articlebot_lab.model.trace import follow
from articlebot_lab.simulation import Servers, plan_of

_STEPS = 200


def main(argv: list[str] | None = None) -> int:
    """The exit code: 0 for no fault, 1 for one, 2 for a wrong argument."""
    parser = _arguments()
    args = parser.parse_args(argv)
    if unknown := set(args.fault) - {*protocol.FAULTS, *outbox.FAULTS}:
        parser.error(f"--fault {unknown.pop()!r}: one of {', '.join((*protocol.FAULTS, *outbox.FAULTS))}")
    return _follow(args) if args.trace is not None else _check(args)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="model", description=__doc__)
    parser.add_argument("--workers", type=_positive, default=3, help="of the frontier and of the outbox (default: 3)")
    parser.add_argument("--hosts", type=_positive, default=3, help="with a page each, or versions (default: 3)")
    parser.add_argument("--crashes", type=int, default=2, help="at most (default: 2)")
    parser.add_argument("--fault", action="append", default=[], metavar="NAME", help="what is done wrong; repeatable")
    parser.add_argument("--trace", type=int, metavar="SEED", help="hold the simulation's run of this seed to the model")
    parser.add_argument("--schedules", type=_positive, default=1, help="so many runs, from that seed on (default: 1)")
    parser.add_argument("--script", action="append", default=[], metavar="NAME=FILE", help="as of the simulation")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return number


def _check(args: argparse.Namespace) -> int:
    results = {
        "frontier": check(Protocol(args.workers, args.hosts, args.crashes, faults=args.fault)),
        "outbox": check(Outbox(args.workers, args.hosts, args.crashes, faults=args.fault)),
    }
    if args.json:
        print(json.dumps({name: asdict(result) for name, result in results.items()}))
    else:
        for name, result in results.items():
            _tell(name, result)
    return int(any(result.wrong for result in results.values()))


def _tell(name: str, result: Result) -> None:
    if result.wrong:
        print(*result.trace, sep="\n")
    print(
        f"{name}: {result.states} states, {result.steps} steps, at most {result.depth} deep: "
        f"{result.wrong or 'nothing wrong'}; {result.seconds} s"
    )


def _follow(args: argparse.Namespace) -> int:
    changed = {name: Path(path).read_text("utf-8") for name, _, path in (pair.partition("=") for pair in args.script)}
    began, steps = time.monotonic(), 0
    with Servers(changed) as servers:
        for seed in range(args.trace, args.trace + args.schedules):
            outcome = follow(plan_of(seed, _STEPS), servers)
            steps += outcome.steps
            if outcome.wrong:
                found = {"seed": seed, "step": outcome.step, "wrong": outcome.wrong, "last": outcome.trace[-1]}
                print(json.dumps(found) if args.json else "\n".join([f"seed {seed}: {found['last']}", *outcome.wrong]))
                return 1
    figures = {"schedules": args.schedules, "steps": steps, "seconds": round(time.monotonic() - began, 1), "wrong": []}
    print(
        json.dumps(figures)
        if args.json
        else f"{args.schedules} runs, {steps} steps: all are the model's; {figures['seconds']} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
