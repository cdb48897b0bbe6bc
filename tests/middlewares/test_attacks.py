"""Sites that mean harm, over real connections: what reaches the private server, and what the site gets to know."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from articlebot.errors import RefusedError
from articlebot.urls import canonical_url

ROOT = Path(__file__).resolve().parents[2]
ARTICLE = (
    "<html><body><h1>T</h1>" + "<p>It rained all day in the north, and more is to come.</p>" * 8 + "</body></html>"
)
Answer = Callable[[str, dict[str, str]], tuple[int, dict[str, str], str]]


@dataclass
class Site:
    address: str
    port: int
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    answer: Answer = lambda path, headers: (200, {}, ARTICLE)

    def paths(self, host: str = "") -> list[str]:
        return [path for path, headers in self.asked if headers.get("host", "").startswith(host)]


@contextmanager
def site(address: str) -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            kept.asked.append((self.path, headers))
            status, given, body = kept.answer(self.path, headers)
            self.send_response(status)
            for name, value in {"Content-Type": "text/html", "Content-Length": str(len(body)), **given}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                if given.get("X-Slow"):
                    for letter in body:  # a byte each tenth of a second: slow-loris from the other side
                        self.wfile.write(letter.encode())
                        time.sleep(0.1)
                self.wfile.write(body.encode())
            except OSError:
                pass  # the crawler had enough

        def log_message(self, *_: Any) -> None:
            return

    with ThreadingHTTPServer((address, 0), Handler) as server:
        server.daemon_threads = True
        kept = Site(address, server.server_port)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield kept
        finally:
            server.shutdown()


def crawl(folder: Path, pages: list[str], names: dict[str, list[str]], **settings: Any) -> dict[str, Any]:
    """The stats of a crawl of list pages."""
    blocks = [
        f'[[site]]\nname = "s{n}"\nlist_pages = "{page}"\nrobots = false\n'
        f"allow_private = {str('//own.' in page).lower()}\n"
        for n, page in enumerate(pages)
    ]
    (folder / "jobs.toml").write_text("\n".join(blocks))
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    environment |= {"ARTICLEBOT_DATA_DIR": str(folder), "ARTICLEBOT_PROGRESS_S": "0", "SCRAPY_PROJECT": "default"}
    quick = {
        "ARTICLEBOT_DELAYS_CLICK_INTERVAL_S": 0.01, "ARTICLEBOT_DELAYS_MEAN_S": 0.02, "LOG_FILE": str(folder / "log"),
        "RETRY_TIMES": 0, "ARTICLEBOT_DELAYS_BACK_OFF_S": 0.1,
    }  # fmt: skip
    told = {"jobs": str(folder / "jobs.toml"), "names": names, "settings": {**quick, **settings}}
    command = [sys.executable, "-m", "tests.middlewares.attack", json.dumps(told)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    stats: dict[str, Any] = json.loads(done.stdout)
    return stats


def test_a_private_server_is_never_reached(tmp_path: Path) -> None:
    """By name, by redirects to a name and to an address, by a name that answers otherwise at the connection.

    Nor is one that a job allows by the redirects of others, nor any other by those of that job.
    """
    with ExitStack() as stack:
        public, private, own = (stack.enter_context(site(f"127.0.0.{n}")) for n in (2, 1, 1))
        own.answer = lambda path, headers: (302, {"Location": f"http://inner.test:{private.port}/o"}, "")
        public.answer = lambda path, headers: (302, {"Location": {
            "/to-name": f"http://inner.test:{private.port}/n", "/to-address": f"http://127.0.0.1:{private.port}/a",
            "/to-userinfo": f"http://x@127.0.0.1:{private.port}/u", "/to-own": f"http://own.test:{own.port}/leak",
        }[path]}, "") if path.startswith("/to-") else (200, {}, ARTICLE)  # fmt: skip
        hosts = ["a.test", "b.test", "c.test", "d.test", "e.test"]
        names = {host: ["127.0.0.2"] for host in hosts} | {
            "inner.test": ["127.0.0.1"], "own.test": ["127.0.0.1"], "turns.test": ["127.0.0.2", "127.0.0.1"],
        }  # fmt: skip
        pages = [
            f"http://a.test:{public.port}/to-name", f"http://b.test:{public.port}/to-address",
            f"http://c.test:{public.port}/to-userinfo", f"http://d.test:{public.port}/",
            f"http://e.test:{public.port}/to-own", f"http://own.test:{own.port}/",
            f"http://inner.test:{private.port}/", f"http://turns.test:{private.port}/",
        ]  # fmt: skip
        stats = crawl(tmp_path, pages, names)
        assert private.asked == []
        assert own.paths() == ["/"]
        assert {"/to-name", "/to-address", "/to-userinfo", "/to-own", "/"} <= set(public.paths())
    assert stats["articlebot/page/failed/private_address"] == 6
    assert stats["articlebot/addresses/refused_at_connect"] >= 1
    assert stats["articlebot/page/failed/dns"] == 1


def test_a_slow_answer_ends_and_cookies_stay_where_they_are_from(tmp_path: Path) -> None:
    with site("127.0.0.2") as server:
        cookies = {"Set-Cookie": "id=secret; Path=/"}
        wide = {"Set-Cookie": "wide=1; Domain=co.uk; Path=/"}

        def answer(path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], str]:
            if path == "/slow":
                return 200, {"X-Slow": "1"}, "x" * 400
            if path == "/next":
                return 200, {}, ARTICLE
            given = wide if headers["host"].startswith("one.co.uk") else cookies
            if path == "/headers":
                return 200, {f"X-{number}": "x" * 50_000 for number in range(8)}, ARTICLE
            return 302, {**given, "Location": "/next"}, ""

        server.answer = answer
        hosts = ["slow.test", "a.test", "b.test", "one.co.uk", "two.co.uk"]
        pages = [f"http://{host}:{server.port}/{'slow' if host == 'slow.test' else ''}" for host in hosts]
        pages.append(f"http://headers.test:{server.port}/headers")
        names = {host: ["127.0.0.2"] for host in (*hosts, "headers.test")}
        stats = crawl(tmp_path, pages, names, DOWNLOAD_TIMEOUT=10)
    assert stats["articlebot/page/failed/timeout"] == 1
    assert stats["articlebot/page/failed/garbled_http"] == 1
    for path, headers in server.asked:
        host = headers["host"].partition(":")[0]
        if host == "a.test" and path == "/next":
            assert headers["cookie"] == "id=secret"
        assert "wide" not in headers.get("cookie", "")
        if path != "/next":
            assert "cookie" not in headers, host


@pytest.mark.parametrize(
    "url",
    [
        "http://a.test/\r\nX-Injected: 1",
        "http://a.test/x\nHost: b.test",
        "http://a.test\r\n\r\nGET /b/",
        "http://a.test/\x00",
    ],
)
def test_no_header_comes_out_of_an_address(url: str) -> None:
    try:
        canonical = canonical_url(url)
    except RefusedError:
        return
    assert not set("\r\n\x00 ") & set(canonical)


@pytest.mark.parametrize("url", ["http://user:pw@a.test/x", "http://user@a.test/x", "http://:@a.test/x"])
def test_userinfo_is_neither_kept_nor_sent(url: str) -> None:
    assert canonical_url(url) == "http://a.test/x"
