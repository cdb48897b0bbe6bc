"""Crawls every captured page of the corpus through its replay proxy and accounts for each of them.

    python -m benchmarks.replay [--sets blogs daniel] [--json]

Each page that the proxy served must be published, refused with a reason or failed with a reason. Needs the corpus
(``ARTICLEBOT_CORPUS``); loopback only.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    """Runs the crawl and prints the account; exit code 1 when a page is not accounted for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="*", default=[], help="sets of the corpus (default: all)")
    parser.add_argument("--delay", type=float, default=0.1, help="mean delay per host in seconds (default: 0.1)")
    parser.add_argument("--seconds", type=float, default=1800, help="give up after so long (default: 1800)")
    parser.add_argument("--keep", type=Path, help="data folder to keep (default: a temporary one)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    corpus = Path(os.environ.get("ARTICLEBOT_CORPUS", ROOT.parent / "shared" / "corpus"))
    if not (corpus / "replay.py").is_file():
        print(f"no corpus at {corpus}; set ARTICLEBOT_CORPUS", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="replay-") as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        account = run(corpus, folder, options)
    print(json.dumps(account, ensure_ascii=False, indent=2) if options.json else _text(account))
    return int(account["unaccounted"] > 0 or account["exit_code"] != 0)


def run(corpus: Path, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """The account of one crawl."""
    with replayed(corpus, options.sets) as proxy:
        sites = get(proxy, "http://replay.invalid/sites.json")
        (folder / "jobs.toml").write_text(job_file(sites, options.delay), encoding="utf-8")
        begun = time.monotonic()
        exit_code = _crawl(proxy, folder, options.seconds)
        wall = time.monotonic() - begun
        log = get(proxy, "http://replay.invalid/log.json")
    return _account(sites, log, folder, wall, exit_code)


@contextmanager
def replayed(corpus: Path, sets: Sequence[str]) -> Iterator[str]:
    """The address of the proxy that serves sets of the corpus, all where none is named."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, str(corpus / "replay.py"), "--port", str(port)]
    if sets:
        command += ["--sets", *sets]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as replay:
        try:
            assert replay.stdout is not None
            replay.stdout.readline()
            yield f"http://127.0.0.1:{port}"
        finally:
            replay.terminate()


def job_file(sites: dict[str, Any], delay: float) -> str:
    """A job per host with nothing but its list page: which links are articles has to be judged."""
    blocks = [
        f'[[site]]\nname = "{host.replace(":", "-")}"\nlist_pages = ["{site["list_page"]}"]\n'
        for host, site in sites.items()
    ]
    return f'[defaults]\ninterval = "1h"\ndelay = {delay}\n\n' + "\n".join(blocks)


def _crawl(proxy: str, folder: Path, seconds: float) -> int:
    variables = {
        **os.environ,
        "http_proxy": proxy,
        "ARTICLEBOT_DATA_DIR": str(folder),
        "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.05",
    }
    command = [
        sys.executable, "-m", "scrapy", "crawl", "article", "-a", f"jobs={folder / 'jobs.toml'}", "-a", "until=idle",
        "-a", f"seconds={seconds:.0f}", "-s", f"LOG_FILE={folder / 'crawl.log'}", "-s", "LOG_LEVEL=DEBUG",
    ]  # fmt: skip
    return subprocess.run(command, env=variables, cwd=ROOT, check=False, timeout=seconds + 120).returncode


def _account(sites: dict[str, Any], log: list[Any], folder: Path, wall: float, exit_code: int) -> dict[str, Any]:
    counts = json.loads((folder / "last-run.json").read_text())["stats"]
    pages = {(host, path) for _, host, path, status in log if status == 200 and path not in ("/", "/robots.txt")}
    outcomes: Counter[str] = Counter()
    for name, value in counts.items():
        if name.startswith(("articlebot/page/refused/", "articlebot/page/failed/")):
            outcomes[name.removeprefix("articlebot/page/")] += value
    published = sum(counts.get(f"articlebot/publish/{name}", 0) for name in ("new", "updated", "corrected", "already"))
    aliases = counts.get("articlebot/page/alias", 0)
    refused = sum(value for name, value in outcomes.items() if name.startswith("refused/"))
    parts = counts.get("articlebot/page/parts/joined", 0)
    return {
        "sites": len(sites),
        "pages": sum(site["pages"] for site in sites.values()),
        "pages_served": len(pages),
        "published": published,
        "known_under_another_address": aliases,
        "joined_as_parts": parts,
        "outcomes": dict(sorted(outcomes.items())),
        "unaccounted": len(pages) - published - aliases - refused - parts,
        "errors": counts.get("log_count/ERROR", 0),
        "wall_s": round(wall, 1),
        "pages_per_s": round(len(pages) / wall, 1),
        "exit_code": exit_code,
    }


def _text(account: dict[str, Any]) -> str:
    return "\n".join(f"{name.replace('_', ' '):28} {value}" for name, value in account.items())


def get(proxy: str, url: str) -> Any:
    """What the proxy says of itself."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy}))
    with opener.open(url, timeout=30) as answer:
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main())
