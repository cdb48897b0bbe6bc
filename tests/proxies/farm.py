"""Sites and proxies of many kinds as a process of their own.

``python -m tests.proxies.farm '{"site": 2, "good": 3}'`` prints their addresses by kind as JSON and serves
until it is killed. Kinds: site, and the proxies good, paying (account ``anna:s3cret``), asking (another account),
altering, leaking, slow, banned, broken; hanging ones take connections only, nobody listens at dead ones.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from tests.proxies.serving import Site, dead, hanging, proxy_handler, serve

ROOT = Path(__file__).resolve().parents[2]
# Constants of a check for these proxies. What is slow among them answers after 3.6 s, so that what is good is not slow
# on a busy machine, where it took up to a second.
QUICK_TRIALS = {
    "articlebot.spiders.proxy_check:TRIAL_S": 6.0, "articlebot.spiders.proxy_check:TRIAL_DELAY_S": 0.02,
    "articlebot.proxies.checks:MAX_MEDIAN_S": 3.0,
}  # fmt: skip
ADVERT = b'<script src="http://ads.example/x.js"></script></body>'
KINDS: dict[str, Callable[[], Any]] = {
    "site": lambda: Site,
    "good": proxy_handler,
    "paying": lambda: proxy_handler(account="anna:s3cret"),
    "asking": lambda: proxy_handler(account="x:y"),
    "altering": lambda: proxy_handler(alter=lambda body: body.replace(b"</body>", ADVERT)),
    "leaking": lambda: proxy_handler(leak="127.0.0.1"),
    "slow": lambda: proxy_handler(delay=3.6),
    "banned": lambda: proxy_handler(status=403),
    "broken": lambda: proxy_handler(works=lambda: False),
}


class Farm:
    """The process; ``addresses`` by kind."""

    def __init__(self, **counts: int) -> None:
        command = [sys.executable, "-m", "tests.proxies.farm", json.dumps(counts)]
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.addresses: dict[str, list[str]] = json.loads(self.process.stdout.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def kill(self) -> None:
        """Ends it at once, as a machine that fails does."""
        self.process.kill()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


def main() -> None:
    counts: dict[str, int] = json.loads(sys.argv[1])
    with ExitStack() as stack:
        found: dict[str, list[str]] = {}
        for kind, count in counts.items():
            if kind in ("hanging", "dead"):
                found[kind] = stack.enter_context({"hanging": hanging, "dead": dead}[kind](count))
            else:
                found[kind] = [s.address for s in stack.enter_context(serve(*[KINDS[kind]() for _ in range(count)]))]
        print(json.dumps(found), flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
