"""Redundancy saved, design D's own result: ``python -m benchmarks.redundancy`` prints what told nothing new.

Three sites on loopback, each followed twice for as long, without stopping downloads and with it: one answers 200 with
an honest length and date, one with a date that never changes, one with 304. Every two seconds a page is edited.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

_PAGES, _EDIT_S, _PARAGRAPHS = 8, 2.0, 90
_WORDS = (
    "the council of the harbour town has agreed on a new bridge after a debate that lasted until the evening".split()
)
_SETTINGS = {
    "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": "0.01", "ARTICLEBOT_DELAYS_MEAN_S": "0.02", "ARTICLEBOT_ALLOW_PRIVATE": "1",
    "ARTICLEBOT_PROGRESS_S": "0", "ARTICLEBOT_RECRAWL_MIN_INTERVAL": "0.5", "ARTICLEBOT_RECRAWL_MAX_INTERVAL": "2",
    "ARTICLEBOT_RECRAWL_POLICY": "uniform",
}  # fmt: skip


@dataclass
class Served:
    """What a site has sent."""

    fetches: int = 0
    needed: int = 0
    sent: dict[str, int] = field(default_factory=dict)


class Pages:
    """The site's pages: which edition each has, since when."""

    def __init__(self) -> None:
        self.begun = time.time()

    def edition(self, number: int) -> tuple[int, float]:
        """Edition of a page now, and since when it is there (epoch seconds); one page in turn is edited."""
        turn = int((time.time() - self.begun) / _EDIT_S)
        edits = max(0, (turn - number + _PAGES) // _PAGES)
        at = self.begun + _EDIT_S * (number + (edits - 1) * _PAGES) if edits else self.begun
        return edits, at

    def text(self, number: int, edition: int) -> bytes:
        """The page, of the same length in each edition."""
        body = "".join(
            f"<p>Edition {edition:04} of report {number}: "
            f"{' '.join(_WORDS[(n * 7 + k * (number + 3)) % len(_WORDS)] for k in range(45))}.</p>"
            for n in range(_PARAGRAPHS)
        )
        return f"<html lang=en><head><title>Report {number} of the town</title></head><body><article>\
<h1>Report {number} of the town</h1>{body}</article></body></html>".encode()


def serve(kind: str) -> tuple[ThreadingHTTPServer, Served]:
    """A running site: ``silent`` (an honest date, never a 304), ``lying`` (one date for ever), ``honest`` (304)."""
    pages, served = Pages(), Served()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.path == "/":
                rows = "".join(
                    f"<li><h2><a href='/2026/11/20/report-number-{n}.html'>Report {n} of the town</a></h2></li>"
                    for n in range(_PAGES)
                )
                return self._send(f"<html lang=en><body><ul>{rows}</ul></body></html>".encode(), {})
            if not self.path.startswith("/2026/"):
                return self._send(b"", {}, 404)
            number = int(self.path.rpartition("-")[2].partition(".")[0])
            edition, at = pages.edition(number)
            body = pages.text(number, edition)
            served.fetches += 1
            if served.sent.get(self.path) != edition:
                served.sent[self.path] = edition
                served.needed += len(body)
            # An hour ago: a date of the same second would be no date of a change.
            stated = formatdate((pages.begun if kind == "lying" else at) - 3600, usegmt=True)
            if kind == "honest" and self.headers["If-Modified-Since"] == stated:
                return self._send(b"", {"Last-Modified": stated}, 304)
            return self._send(body, {"Last-Modified": stated})

        def _send(self, body: bytes, headers: dict[str, str], status: int = 200) -> None:
            self.send_response(status)
            for name, value in {"Content-Type": "text/html; charset=utf-8", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, served


def follow(kind: str, *, stop: bool, seconds: float) -> dict[str, Any]:
    """What following a site cost."""
    server, served = serve(kind)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        job = Path(folder) / "jobs.toml"
        job.write_text(
            f'[[site]]\nname = "town"\nlist_pages = ["http://127.0.0.1:{server.server_address[1]}/"]\n'
            "interval = 2\nmin_interval = 1\nmax_interval = 4\n"
        )
        environment = {
            **os.environ,
            **_SETTINGS,
            "ARTICLEBOT_DATA_DIR": folder,
            "ARTICLEBOT_RECRAWL_STOP": str(int(stop)),
        }
        command = [sys.executable, "-m", "scrapy", "crawl", "article", "-a", f"jobs={job}", "-a", f"seconds={seconds}"]
        subprocess.run(command, env=environment, check=True, capture_output=True)
        stats = json.loads((Path(folder) / "last-run.json").read_text())["stats"]
    server.shutdown()
    server.server_close()
    got = stats["downloader/response_bytes"]
    return {
        "site": kind, "stop": stop, "fetches": served.fetches, "kB": round(got / 1000),
        "needed kB": served.needed // 1000,
        "redundant": round(max(0.0, 1 - served.needed / got), 3), "stopped": stats.get("articlebot/recrawl/stopped", 0),
        "saved kB": stats.get("articlebot/recrawl/stopped_bytes", 0) // 1000,
        "saved s": stats.get("articlebot/recrawl/stopped_ms", 0) / 1000,
        "edits archived": stats.get("articlebot/change/updated", 0),
    }  # fmt: skip


def main() -> None:
    """Prints a row for each site, without and with stopping."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    rows = [
        follow(kind, stop=stop, seconds=options.seconds)
        for kind in ("silent", "lying", "honest")
        for stop in (False, True)
    ]
    print("  ".join(f"{name:>14}" for name in rows[0]))
    for row in rows:
        print("  ".join(f"{value!s:>14}" for value in row.values()))


if __name__ == "__main__":
    main()
