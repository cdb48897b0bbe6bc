"""Serves a newsroom on a port until its time is over: `scrapy newsroom`, or this module as a program."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import sys
from pathlib import Path

from articlebot import files
from articlebot.runtime import clock
from articlebot_lab.newsroom.plot import build, expected_stories
from articlebot_lab.newsroom.server import Server
from articlebot_lab.newsroom.world import World

_SECONDS_PER_STORY = 0.002


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1; 0 takes a free one (default: 0)")
    parser.add_argument("--seconds", type=float, default=120.0, help="length of the run, 5 or more (default: 120)")
    parser.add_argument("--grace", type=float, default=60.0, help="seconds served after the run (default: 60)")
    parser.add_argument("--seed", type=int, default=7, help="decides what is published and when (default: 7)")
    parser.add_argument("--sites", type=int, default=12, help="number of sites, 1 to 500 (default: 12)")
    parser.add_argument("--rate", type=float, default=1.0, help="multiplies the number of articles (default: 1)")
    parser.add_argument("--hostile", action="store_true", help="also serve hostile.newsroom.test, whose pages do harm")
    parser.add_argument("--storms", action="store_true", help="sites hang, reset, answer 429, 503, garbage for moments")
    parser.add_argument(
        "--ready-file", type=Path, help="JSON file written when requests are answered: port, pid, proxy"
    )


def run(opts: argparse.Namespace) -> int:
    """Serves a world until its time and grace are over or a signal comes; returns the exit code.

    Raises:
        ValueError: an option out of range.
    """
    if not 0 <= opts.port <= 65535 or opts.grace < 0:
        raise ValueError("port must be 0 to 65535 and grace not negative")
    size = {"seconds": opts.seconds, "sites": opts.sites, "rate": opts.rate}
    # The day begins when its stories are written: what is published early must not be old when it is first asked for.
    started_at = clock.now() + _SECONDS_PER_STORY * expected_stories(**size)
    world = build(seed=opts.seed, started_at=started_at, **size)
    try:
        return asyncio.run(_serve(world, opts))
    except OSError as error:
        print(f"newsroom: cannot listen on port {opts.port}: {error.strerror}", file=sys.stderr)
        return 1


async def _serve(world: World, opts: argparse.Namespace) -> int:
    server = Server(world, clock.now, hostile=opts.hostile, storms=opts.storms)
    port = await server.start(opts.port)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    await asyncio.sleep(max(0.0, world.started_at - clock.now()))
    proxy = f"http://127.0.0.1:{port}"
    print(
        f"newsroom: {len(world.sites)} sites for {opts.seconds:g} s through the proxy {proxy} "
        f"(http_proxy={proxy}); job file http://newsroom.test/jobs.toml, truth http://newsroom.test/truth.json",
        flush=True,
    )
    if opts.ready_file is not None:
        ready = {"port": port, "pid": os.getpid(), "proxy": proxy, "started_at": world.started_at}
        files.replace(opts.ready_file, json.dumps(ready))
    with contextlib.suppress(TimeoutError):  # the run is over
        await asyncio.wait_for(stop.wait(), max(0.0, world.ends_at + opts.grace - clock.now()))
    await server.stop()
    print(f"newsroom: closed after {server.requests} requests", flush=True)
    return 0


def main() -> int:
    """The command without Scrapy's command line: ``python -m articlebot_lab.newsroom.serve``."""
    parser = argparse.ArgumentParser(
        prog="newsroom", description="Serves a small living world of news sites on loopback."
    )
    add_options(parser)
    try:
        return run(parser.parse_args())
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    sys.exit(main())
