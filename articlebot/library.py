"""articlebot without a crawl: the functions that ``import articlebot`` offers, for scripts and notebooks."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from articlebot import connect
from articlebot.config import Dedup
from articlebot.dedup import Arrival, Assignments, NearDuplicates, sketches_of
from articlebot.extraction import Extracted
from articlebot.extraction import extract as extract_page
from articlebot.extraction.wrapper import Wrapper, choose
from articlebot.extraction.wrapper import learn as learn_pages
from articlebot.page import Page
from articlebot.runtime.private_redis import PrivateRedis
from articlebot.urls import site as site_of

Html = str | bytes
_PREFIX = "library"
_UTF8 = "text/html; charset=utf-8"
_BATCH = 500


def extract(html: Html, url: str = "", *, wrappers: Sequence[Wrapper] = ()) -> Extracted:
    """The article on a page; ``refused`` says why there is none. Never raises for what a page holds.

    Args:
        html: text, or bytes as they came, whose charset is found.
        url: the page's address: it resolves links and tells dates; "" where nobody knows it.
        wrappers: of ``learn``, of the page's site; the one that fits is used, and where none does, the rules for any
            page.
    """
    page = _page(html, url)
    return extract_page(page, wrapper=choose(list(wrappers), page))


def learn(pages: Iterable[tuple[Html, str]]) -> list[Wrapper]:
    """What the pages of one site teach: a wrapper for each of its layouts, the most frequent first.

    Args:
        pages: HTML and address of article pages, five or more for a wrapper that can be relied on.

    Returns:
        Wrappers; each has ``to_json`` and ``Wrapper.from_json``. Empty where the pages have too little in common.
    """
    read = [_page(html, url) for html, url in pages]
    return learn_pages(read, site=site_of(read[0].url) if read else "")


def near_duplicates(texts: Iterable[str], params: Dedup | None = None) -> list[list[int]]:
    """The texts that tell the same in nearly the same words, as a crawl groups reprints.

    Args:
        texts: in the order of their publication: a reprint joins what came before it.
        params: the settings of group ``dedup``.

    Returns:
        Positions in ``texts``, a list for each group of two or more, in the order of their first.

    Raises:
        StoreUnavailable: there is no redis-server or valkey-server to start; it runs for the length of the call.
    """
    return asyncio.run(_grouped(list(texts), params or Dedup()))


async def _grouped(texts: list[str], params: Dedup) -> list[list[int]]:
    assignments = Assignments()
    with (
        tempfile.TemporaryDirectory(prefix="articlebot-") as folder,
        PrivateRedis(Path(folder), ("--appendonly", "no")) as server,
    ):
        async with connect.client(server.url, _PREFIX) as client:
            index = NearDuplicates(client, _PREFIX, params)
            for start in range(0, len(texts), _BATCH):
                sketches = sketches_of(texts[start : start + _BATCH], params)
                arrivals = [Arrival(key, sketch, 0.0, "") for key, sketch in enumerate(sketches, start + 1)]
                for arrival, placement in zip(arrivals, await index.place_many(arrivals), strict=True):
                    assignments.note(arrival.key, placement)
    groups: dict[str, list[int]] = {}
    for position in range(len(texts)):
        groups.setdefault(assignments.cluster(position + 1), []).append(position)
    return [group for group in groups.values() if len(group) > 1]


def _page(html: Html, url: str) -> Page:
    if isinstance(html, str):
        return Page.parse(html.encode("utf-8", "replace"), url, _UTF8)
    return Page.parse(html, url)
