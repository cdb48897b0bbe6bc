"""``python -m articlebot_lab.town [--site NAME]… [--port N] [--seed N]``: serves the town until it is interrupted."""

from __future__ import annotations

import argparse
import contextlib
import sys
import time

from articlebot_lab.town.server import OWN, Town


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="town", description=__doc__)
    parser.add_argument("--site", action="append", default=[], help="serve this site alone; can be given again")
    parser.add_argument("--port", type=int, default=0, help="port on 127.0.0.1; 0 takes a free one")
    parser.add_argument("--seed", type=int, default=7, help="decides every word")
    args = parser.parse_args()
    try:
        with Town(*args.site, seed=args.seed, port=args.port) as town, contextlib.suppress(KeyboardInterrupt):
            for site in town.sites.values():
                print(f"{site.home:40} {site.build}")
            print(f"town: {len(town.sites)} sites through http_proxy={town.proxy}; http://{OWN}/truth.json", flush=True)
            while True:
                time.sleep(3600)
    except (ValueError, OSError) as error:
        print(f"town: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
