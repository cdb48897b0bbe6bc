"""articlebot without a crawl: the functions that ``import articlebot`` offers, for scripts and notebooks."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from articlebot.batch.clusters import clusters
from articlebot.config import Dedup
from articlebot.dedup import sketches_of
from articlebot.extraction.cascade import extract as extract_page
from articlebot.extraction.model import Extracted
from articlebot.extraction.wrapper.wrapper import Wrapper, choose
from articlebot.extraction.wrapper.wrapper import learn as learn_pages
from articlebot.page import Page
from articlebot.urls import or_unknown
from articlebot.urls import site as site_of

T = TypeVar("T")
Html = str | bytes
_UTF8 = "text/html; charset=utf-8"
_BATCH = 500


def extract(html: Html, url: str = "", *, wrappers: Sequence[Wrapper] = ()) -> Extracted:
    """The article on a page; ``refused`` says why there is none. Never raises for what a page holds.

    Args:
        html: text, or bytes as they came, whose charset is found.
        url: the page's address: it resolves links and tells dates; "", or what is none, where nobody knows it.
        wrappers: of ``learn``, of the page's site; the one that fits is used, and where none does, the rules for any
            page.

    Raises:
        TypeError: an argument is something else.
    """
    page = _page(html, url)
    return extract_page(page, wrapper=choose(list(wrappers or ()), page))


def learn(pages: Iterable[tuple[Html, str]]) -> list[Wrapper]:
    """What the pages of one site teach: a wrapper for each of its layouts, the most frequent first.

    Args:
        pages: HTML and address of article pages, five or more for a wrapper that can be relied on.

    Returns:
        Wrappers; each has ``to_json`` and ``Wrapper.from_json``. Empty where the pages have too little in common.
    """
    read = [_page(*_pair(one)) for one in pages]
    return learn_pages(read, site=next((site_of(page.url) for page in read if page.url), ""))


def near_duplicates(texts: Iterable[str], params: Dedup | None = None) -> list[list[int]]:
    """The texts that tell the same in nearly the same words, as a crawl groups reprints.

    Args:
        texts: in the order of their publication: a reprint joins what came before it.
        params: the settings of group ``dedup``.

    Returns:
        Positions in ``texts``, a list for each group of two or more, in the order of their first.

    Raises:
        TypeError: a text is none.
        StoreUnavailable: there is no redis-server or valkey-server to start; it runs for the length of the call.
    """
    if isinstance(texts, str | bytes):
        raise TypeError("texts: expected several, not one")
    read, params = list(texts), params or Dedup()
    for text in read:
        _refuse_other("texts", text, str)
    parts = (read[start : start + _BATCH] for start in range(0, len(read), _BATCH))
    steps = ([(sketch, "") for sketch in sketches_of(part, params)] for part in parts)
    groups: dict[str, list[int]] = {}
    for position, cluster in enumerate(_result(clusters(steps, params, 0.0))):
        groups.setdefault(cluster, []).append(position)
    return [group for group in groups.values() if len(group) > 1]


def _result(asked: Coroutine[Any, Any, T]) -> T:
    """What a coroutine returns; beside the loop that runs already, as one does in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(asked)
    with ThreadPoolExecutor(1) as beside:
        return beside.submit(asyncio.run, asked).result()


def _pair(given: object) -> tuple[Any, Any]:
    if isinstance(given, str | bytes) or not isinstance(given, Sequence) or len(given) != 2:
        raise TypeError("pages: expected pairs of HTML and address")
    return given[0], given[1]


def _refuse_other(name: str, given: object, *kinds: type) -> None:
    if not isinstance(given, kinds):
        raise TypeError(f"{name}: expected {' or '.join(one.__name__ for one in kinds)}, not {type(given).__name__}")


def _page(html: Html, url: str) -> Page:
    _refuse_other("html", html, str, bytes)
    _refuse_other("url", url, str)
    url = or_unknown(url)
    if isinstance(html, str):
        return Page.parse(html.encode("utf-8", "replace"), url, _UTF8)
    return Page.parse(html, url)
