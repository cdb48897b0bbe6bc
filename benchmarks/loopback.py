"""A web site on loopback addresses, in a process of its own: its log is the truth about what was fetched when.

Each of 127.0.0.1, 127.0.0.2, ... is a host of its own. ``Site`` starts the process and ends it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import TracebackType


@dataclass(frozen=True, slots=True)
class Plan:
    """What the site serves.

    Args:
        pages: number of pages of each host, so also the number of hosts.
        body: bytes of a page, about.
        links: links on a page; the first ones lead to new pages of a tree, the others to any.
        latency: seconds until the answer.
        seed: of the random links.
        across: share of the random links that lead to other hosts.
        robots: text of robots.txt, None for 404.
        robots_elsewhere: each host's robots.txt is a redirect to the next host's, but for the last one's.
    """

    pages: tuple[int, ...]
    body: int = 2000
    links: int = 10
    latency: float = 0.0
    seed: int = 1
    across: float = 0.0
    robots: str | None = None
    robots_elsewhere: bool = False


def host_name(number: int) -> str:
    """Address of the host with this number, from 0."""
    return f"127.0.{1 + number // 250}.{1 + number % 250}"


def make_page(plan: Plan, host: int, number: int, port: int) -> bytes:
    """The HTML of a page: a tree that reaches every page of the host from page 0, then random links."""
    rng = Random(plan.seed * 1_000_003 + host * 10_007 + number)
    targets = [(host, child) for child in (2 * number + 1, 2 * number + 2) if child < plan.pages[host]]
    while len(targets) < plan.links:
        other = rng.randrange(len(plan.pages)) if rng.random() < plan.across else host
        targets.append((other, rng.randrange(plan.pages[other])))
    anchors = "".join(
        f'<p><a href="http://{host_name(h)}:{port}/p/{n}">page {n} of host {h}</a></p>\n' for h, n in targets
    )
    text = f"Page {number} of host {host}. "
    filler = text * max(0, (plan.body - len(anchors)) // len(text))
    page = f"<html><head><title>{text}</title></head><body>{anchors}<p>{filler}</p></body></html>"
    return page.encode()


class Site:
    """The running site.

    Args:
        plan: what it serves.
        folder: for its plan and its log.
    """

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan = plan
        self.log = folder / "site.jsonl"
        (folder / "plan.json").write_text(json.dumps({k: getattr(plan, k) for k in plan.__dataclass_fields__}))
        self._command = [sys.executable, "-m", "benchmarks.loopback", str(folder)]
        self.port = 0

    def __enter__(self) -> Site:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.communicate()

    def url(self, host: int, number: int = 0) -> str:
        """Address of a page."""
        return f"http://{host_name(host)}:{self.port}/p/{number}"

    @property
    def hub(self) -> str:
        """Address of a page with a link to every page, hosts in turn."""
        return f"http://{host_name(0)}:{self.port}/all"

    def visits(self) -> list[tuple[float, float, str, str]]:
        """(start, end, host, path) of every request that was answered, by the site's monotonic clock."""
        with self.log.open() as lines:
            return [tuple(json.loads(line)) for line in lines]


def overlaps(visits: Sequence[tuple[float, float, str, str]]) -> int:
    """Number of requests that began while another one of their host was being answered."""
    count = 0
    busy_until: dict[str, float] = {}
    for start, end, host, _ in sorted(visits):
        if start < busy_until.get(host, 0.0):
            count += 1
        busy_until[host] = max(end, busy_until.get(host, 0.0))
    return count


class _Server:
    def __init__(self, plan: Plan, log: Path) -> None:
        self._plan = plan
        self._log = log.open("a", buffering=1)
        self._pages: dict[tuple[str, str], bytes] = {}
        self._asked: set[str] = set()
        self._robots_at: dict[str, str] = {}
        self._port = 0

    async def run(self) -> None:
        """Serves until killed."""
        hosts = [host_name(number) for number in range(len(self._plan.pages))]
        server = await asyncio.start_server(self._serve, hosts[0], 0, backlog=1000)
        port = self._port = server.sockets[0].getsockname()[1]
        for start in range(1, len(hosts), 500):
            await asyncio.start_server(self._serve, hosts[start : start + 500], port, backlog=200)
        for number, host in enumerate(hosts):
            for page in range(self._plan.pages[number]):
                self._pages[host, f"/p/{page}"] = make_page(self._plan, number, page, port)
            if self._plan.robots is not None:
                self._pages[host, "/robots.txt"] = self._plan.robots.encode()
            if self._plan.robots_elsewhere and number + 1 < len(hosts):
                self._robots_at[host] = f"http://{hosts[number + 1]}:{port}/robots.txt"
        everything = "".join(
            f'<a href="http://{host}:{port}/p/{page}">{page}</a>\n'
            for page in range(max(self._plan.pages))
            for number, host in enumerate(hosts)
            if page < self._plan.pages[number]
        )
        self._pages[hosts[0], "/all"] = f"<html><body>{everything}</body></html>".encode()
        print(port, flush=True)
        await asyncio.Event().wait()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        host = writer.get_extra_info("sockname")[0]
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                start = loop.time()
                path = head.split(b" ", 2)[1].decode()
                if self._plan.latency:
                    await asyncio.sleep(self._plan.latency)
                status, headers, body = self._answer(host, path)
                writer.write(b"HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s" % (status, headers, len(body), body))
                await writer.drain()
                self._log.write(json.dumps([start, loop.time(), host, path]) + "\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def _answer(self, host: str, path: str) -> tuple[bytes, bytes, bytes]:
        if path == "/robots.txt" and (target := self._robots_at.get(host)):
            return b"302 Found", b"Location: %s\r\n" % target.encode(), b""
        body = self._pages.get((host, path))
        if body is not None:
            kind = b"text/plain" if path == "/robots.txt" else b"text/html; charset=utf-8"
            return b"200 OK", b"Content-Type: %s\r\n" % kind, body
        parts = path.split("/")
        if parts[1] == "go":  # /go/<host number>/<page number>
            target = f"http://{host_name(int(parts[2]))}:{self._port}/p/{parts[3]}"
            return b"302 Found", b"Location: %s\r\n" % target.encode(), b""
        if parts[1] == "busy" and path not in self._asked:  # /busy/<seconds>/<any>: once 503, then a page
            self._asked.add(path)
            return b"503 Service Unavailable", b"Retry-After: %s\r\n" % parts[2].encode(), b"later"
        if parts[1] == "busy":
            return b"200 OK", b"Content-Type: text/html\r\n", b"<html><body>now</body></html>"
        return b"404 Not Found", b"Content-Type: text/html\r\n", b"nothing here"


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    fields = json.loads((folder / "plan.json").read_text())
    fields["pages"] = tuple(fields["pages"])
    asyncio.run(_Server(Plan(**fields), folder / "site.jsonl").run())


if __name__ == "__main__":
    _main()
