"""Answers that may take long to read are tried in a process that can be ended, before the event loop reads them."""

from __future__ import annotations

import asyncio
import multiprocessing
import resource
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from articlebot.extraction.cascade import extract
from articlebot.page import Page
from articlebot.page.feeds import parse_feed
from articlebot.page.sitemaps import parse_sitemap, unpacked
from articlebot.runtime.children import end_with_parent, without_main
from articlebot.sources import read_listing

# Of 956 pages of the corpus none has so many bytes, tags or links (702 at most). Reading takes at most .4 s of CPU
# below, or 1.5 s where all is links, each of which is judged: 60,000 of them took 20 s.
_BYTES, _TAGS, _LINKS = 3_000_000, 60_000, 3000
# Seconds of CPU: a sitemap of 50,000 addresses, the most that one may have, takes .9 where the process takes .5 to
# start. Where it takes more the machine is slower or busy, by the same factor for both: 1.6 and 2.95 at a load of 14.
_LIMIT_S, _START_S, _SLOWEST = 3, 0.5, 5.0
# Bytes of memory: 20 MB of HTML with 150,000 links take half of it.
_MOST_MEMORY = 1 << 30
# Seconds until the process is given up that neither reads nor ends.
_PATIENCE_S = 120.0


class Trial:
    """Tells which answers can be read within 3 s of CPU and 1 GB of memory; light ones, nearly all, are not tried.

    The seconds are those of a machine as it was measured on; a slower one, told by how long the process takes to start,
    has up to five times as many.

    Args:
        from_bytes, from_tags: size from which an answer is tried.
        limit_s: seconds of CPU.
    """

    def __init__(self, from_bytes: int = _BYTES, from_tags: int = _TAGS, limit_s: int = _LIMIT_S) -> None:
        self._from_bytes, self._from_tags, self._limit_s = from_bytes, from_tags, limit_s

    async def reads(self, form: str, body: bytes, url: str, content_type: str | None) -> bool:
        """Whether an answer may be read here: as a list, a feed, a sitemap, or as whatever it turns out to be."""
        return await self.passes(read_once, unpacked(body)[0] if form == "sitemap" else body, form, url, content_type)

    async def passes(self, read: Callable[..., Any], body: bytes, *args: Any) -> bool:
        """Whether an answer may be read here.

        Args:
            read: a function of a module, by which it is read; gets the body and ``args``.
        """
        if is_light(body, self._from_bytes, self._from_tags):
            return True
        here, there = multiprocessing.Pipe()
        # Spawned, not forked: this process has threads and a reactor.
        process = multiprocessing.get_context("spawn").Process(target=_read, args=(there, self._limit_s), daemon=True)
        with without_main():
            process.start()
        there.close()
        try:
            return await asyncio.to_thread(_asked, here, (read, body, args))
        finally:
            process.kill()
            here.close()


def is_light(body: bytes, from_bytes: int = _BYTES, from_tags: int = _TAGS) -> bool:
    """Whether an answer can be read without a trial."""
    if len(body) >= from_bytes or (tags := body.count(b"<")) >= from_tags:
        return False
    return tags < _LINKS or body.count(b"<a") + body.count(b"<A") < _LINKS


def read_once(body: bytes, form: str, url: str, content_type: str | None) -> None:
    """Reads an answer as its visit will, for nothing; for a ``Trial``."""
    if form == "feed":
        parse_feed(body, url)
    elif form == "sitemap":
        parse_sitemap(body, url)
    else:
        page = Page.parse(body, url, content_type)
        read_listing(page, body)
        if form != "list" and not page.refused:
            extract(page)


def most_cpu(used: float, limit_s: int) -> int:
    """Seconds of CPU at which a process that took ``used`` of them to start has had its time."""
    return int(used + limit_s * min(_SLOWEST, max(1.0, used / _START_S))) + 1


def _asked(there: Connection, task: tuple[Any, ...]) -> bool:
    try:
        there.send(task)
        return there.poll(_PATIENCE_S) and bool(there.recv())
    except (EOFError, OSError):
        return False  # it was ended, by its limit or for want of memory


def _read(there: Connection, limit_s: int) -> None:
    end_with_parent()
    read, body, args = there.recv()
    most = most_cpu(time.process_time(), limit_s)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))  # the system ends it, even inside one regular expression
    resource.setrlimit(resource.RLIMIT_DATA, (_MOST_MEMORY, _MOST_MEMORY))
    read(body, *args)
    there.send(True)
