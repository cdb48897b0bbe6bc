"""How long sorting a list of proxies takes, and whether every one is sorted as it is.

``python -m benchmarks.proxies [--proxies 200] [--good 0.3] [--sites 12]`` starts sites and proxies of all kinds on
loopback in a process of their own, gathers them with ``scrapy crawl proxy_lists``, tries them with ``scrapy crawl
proxy_check`` and prints JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.hurried import scrapy_with
from tests.proxies.farm import QUICK_TRIALS

ROOT = Path(__file__).resolve().parents[1]
# What is not good, by kind and share, with the state that a check has to find.
BAD = {
    "dead": (0.64, "unreachable"), "hanging": (0.11, "fails"), "altering": (0.07, "alters"),
    "leaking": (0.07, "leaks"), "asking": (0.07, "fails"), "slow": (0.04, "slow"),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--proxies", type=int, default=200, help="proxies in the list")
    parser.add_argument("--good", type=float, default=0.3, help="share of them that are good")
    parser.add_argument("--sites", type=int, default=12, help="sites of the history that they are tried on")
    args = parser.parse_args()
    good = round(args.proxies * args.good)
    counts = {kind: round((args.proxies - good) * share) for kind, (share, _) in BAD.items()}
    counts["dead"] += args.proxies - good - sum(counts.values())
    command = [
        sys.executable, "-m", "tests.proxies.farm",
        json.dumps({"site": args.sites, "good": good - 1, "paying": 1, **counts}),
    ]  # fmt: skip
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as farm,
    ):
        assert farm.stdout is not None
        try:
            print(json.dumps(measure(Path(folder), json.loads(farm.stdout.readline())), indent=2))
        finally:
            farm.kill()


def measure(folder: Path, addresses: dict[str, list[str]]) -> dict[str, Any]:
    """The figures of one check of these proxies."""
    sites = addresses.pop("site")
    wanted = {f"http://{place}": BAD[kind][1] for kind, places in addresses.items() if kind in BAD for place in places}
    listed = [place for kind, places in addresses.items() if kind != "paying" for place in places]
    listed += [f"anna:s3cret@{place}" for place in addresses["paying"]]
    (folder / "list.txt").write_text("\n".join(["# a list", "garbage", *listed]), encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    environment |= {
        "ARTICLEBOT_DATA_DIR": str(folder), "ARTICLEBOT_ALLOW_PRIVATE": "1", "ARTICLEBOT_PROXIES_ALLOW_PRIVATE": "1",
        "ARTICLEBOT_PROXIES_JUDGE_URL": f"http://{sites[0]}/headers",
    }  # fmt: skip

    def scrapy(*arguments: str) -> subprocess.CompletedProcess[str]:
        line = [*scrapy_with(QUICK_TRIALS), *arguments]
        return subprocess.run(line, cwd=ROOT, env=environment, check=True, capture_output=True, text=True)

    scrapy("crawl", "proxy_lists", "-a", f"lists={folder / 'list.txt'}")
    urls = ",".join(f"http://{site}/page/{number}.html" for site in sites for number in range(3))
    begun = time.monotonic()
    checked = scrapy("crawl", "proxy_check", "-a", f"urls={urls}")
    seconds = time.monotonic() - begun
    rows = json.loads(scrapy("proxies", "list", "--all", "--json").stdout)
    wrong = [(wanted.get(row["key"], "pool"), row["state"]) for row in rows]
    return {
        "proxies": len(rows),
        "good": sum(row["state"] == "pool" for row in rows),
        "states": dict(sorted(Counter(row["state"] for row in rows).items())),
        "sorted_wrongly": {f"{a} as {b}": n for (a, b), n in sorted(Counter(wrong).items()) if a != b},
        "errors": checked.stderr.count(" ERROR "),
        "seconds": round(seconds, 1),
    }


if __name__ == "__main__":
    main()
