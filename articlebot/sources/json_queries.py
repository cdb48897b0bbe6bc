"""Lists that are asked for by JSON in a query: ``/fetch/stories?query={"offset":12,"size":12}``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from articlebot.page import Page
from articlebot.page.json_values import loaded
from articlebot.sources.counting import SIZE_KEYS, counts_entries, number_of, page_of, size_of

# What Arc XP writes into its pages, as hundreds of newspapers have them: by the name of each source of content the
# queries that the page was made of, each with its answer.
_CACHE = re.compile(r"\bFusion\.contentCache\s{0,4}=\s{0,4}(?=\{)")
_SAID = re.compile(r"\bFusion\.(contextPath|arcSite|deployment)\s{0,4}=\s{0,4}[\"']([\w./-]{1,60})[\"']")
_MOST_TEXT, _MOST_QUERIES, _LONGEST = 5_000_000, 100, 1500


def of_cache(page: Page) -> Iterator[tuple[str, int, bool]]:
    """The addresses that follow the lists which a page has in such a cache, as ``fetches`` rates them."""
    for script in page.by_tag["script"]:
        text = script.text or ""
        if (match := _CACHE.search(text)) is None or len(text) > _MOST_TEXT:
            continue
        said = dict(_SAID.findall(text))
        beside = f"&d={said['deployment']}" if "deployment" in said else ""
        beside += f"&_website={said['arcSite']}" if "arcSite" in said else ""
        for name, query in _queries(text, match.end()):
            url = f"{said.get('contextPath', '/pf')}/api/v3/content/fetch/{name}?query={quote(query, safe='')}{beside}"
            if (number := number_of(url)) is not None:
                step = size_of(url) or 0 if counts_entries(url) else 1
                yield page_of(url, number + step), 3, True


def _queries(text: str, start: int) -> Iterator[tuple[str, str]]:
    """The names of the sources in a cache that begins there, each with a query."""
    try:
        cache, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return
    left = _MOST_QUERIES
    for name, held in cache.items():
        for query in list(held)[:left] if isinstance(held, dict) and re.fullmatch(r"[\w.-]{1,80}", name) else ():
            left -= 1
            if len(query) <= _LONGEST and isinstance(asked := loaded(query.encode()), dict):
                yield name, json.dumps(asked, separators=(",", ":"), ensure_ascii=False)


def as_json(pairs: list[tuple[str, str]]) -> str:
    """The pairs of an object as a query asks for them, percent-encoded."""
    asked: dict[str, Any] = {
        key: int(value) if value.isdecimal() and (key.lower() in SIZE_KEYS or number_of(f"?{key}={value}") is not None)
        else value
        for key, value in pairs
    }  # fmt: skip
    return quote(json.dumps(asked, separators=(",", ":"), ensure_ascii=False), safe="")
