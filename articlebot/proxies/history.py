"""Pages to try proxies on: some of those that the crawl itself fetched, of as many hosts as can be."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable
from pathlib import Path

from articlebot.frontier.crawl_log import read_log

_FILES = 5
_ROWS = 20_000
_NOT_PAGES = frozenset({"robots", "other"})


def sample(folder: Path, count: int, rng: random.Random) -> list[str]:
    """URLs of pages that were fetched well, one of a host before a second of any.

    Only the newest rows are read: pages of long ago may be gone.
    """
    files = sorted(folder.glob("crawl-*.jsonl"), key=lambda file: file.stat().st_mtime)[-_FILES:]
    newest = deque((row.url for row in read_log(files) if row.status == 200 and row.kind not in _NOT_PAGES), _ROWS)
    return spread(newest, count, rng)


def spread(urls: Iterable[str], count: int, rng: random.Random) -> list[str]:
    """Some of these URLs in random order, of as many hosts as can be."""
    by_host: dict[str, list[str]] = {}
    for url in dict.fromkeys(urls):
        by_host.setdefault(url.split("/", 3)[2], []).append(url)
    hosts = list(by_host.values())
    for group in [hosts, *hosts]:
        rng.shuffle(group)  # type: ignore[arg-type]
    turns = (group[turn] for turn in range(count) for group in hosts if turn < len(group))
    return [url for url, _ in zip(turns, range(count), strict=False)]
