"""A crawl of a plain server on loopback, without a proxy between."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<html><body><p>Nothing new today.</p></body></html>"
        self.send_response(200 if self.path == "/" else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        return


def crawl_directly(folder: Path, host: str, *, allow: bool) -> dict[str, Any]:
    """The stats of a crawl of one list page on a server of this machine."""
    folder.mkdir(parents=True)
    with ThreadingHTTPServer(("127.0.0.1", 0), _Page) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            jobs = folder / "jobs.toml"
            jobs.write_text(
                f'[[site]]\nname = "local"\nlist_pages = "http://{host}:{server.server_port}/"\n'
                f"allow_private = {str(allow).lower()}\n"
            )
            environment = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
            environment |= {"ARTICLEBOT_DATA_DIR": str(folder), "ARTICLEBOT_PROGRESS_S": "0"}
            command = [
                sys.executable, "-m", "scrapy", "crawl", "article", "-a", f"jobs={jobs}", "-a", "until=idle",
                "-s", f"LOG_FILE={folder / 'crawl.log'}",
            ]  # fmt: skip
            done = subprocess.run(command, cwd=ROOT, env=environment, check=False, timeout=500)
            assert done.returncode == 3  # nothing is found there
        finally:
            server.shutdown()
    stats: dict[str, Any] = json.loads((folder / "last-run.json").read_text())["stats"]
    return stats
