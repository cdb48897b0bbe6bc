"""What is said of each reason, and what a person may do about it: each names the setting or the key of the job."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from articlebot.files import shipped

_AGAIN = "it is asked again by itself"
# Of an article that was never read (``visiting.missed``); entry pages are asked again whatever they answer.
_GIVEN_UP, _FINAL = "it is not asked again", ("http_401", "http_402", "http_405", "http_451")
_SEEDS = "scrapy seeds discover {host} looks for feeds, sitemaps and list pages"
_WALL = 'See in a browser what it wants; identity = "browser" or proxies = true in the job may be let in'


@cache
def _tables() -> dict[str, dict[str, dict[str, Any]]]:
    """The words on each reason: of an ``entry`` page, of a ``page`` that was followed."""
    return tomllib.loads(shipped("articlebot.diagnosis", "advice.toml"))


def chinese() -> dict[str, str]:
    """What is said of reasons, and what to do, with places for values: English to Chinese."""
    rows = [words for table in _tables().values() for words in table.values()]
    every = {words[name]: words["zh"][place] for words in rows for place, name in enumerate(("said", "advice"))}
    return {text: shown for text, shown in every.items() if text != "{wall}"}


def advised(reason: str, values: Mapping[str, str]) -> tuple[str, str]:
    """What is said of an entry page, and what to do.

    Args:
        values: ``url`` and what else its words have in braces; ``again``: what becomes of the page, where that is not
            what a crawl does.
    """
    if words := _tables()["entry"].get(reason):
        said, advice = words["said"], words["advice"]
    else:
        status = reason.removeprefix("http_")
        said = f"{{url}} answers with status {status}" if status.isdecimal() else f"{{url}}: {reason.replace('_', ' ')}"
        # 401, 403, 451: the site knows who asks and refuses.
        advice = "{wall}" if reason in ("http_401", "http_403", "http_451") else "Look at it in a browser; {again}"
    host = urlsplit(values.get("url", "")).netloc.rpartition("@")[2]
    given = {"url": "", "detail": "", "host": host, "seeds": _SEEDS.format(host=host), "again": _AGAIN, **values}
    given["wall"] = f"{_WALL}; {given['again']}"
    return said.format_map(given), advice.format_map(given)


def unread(reason: str, url: str) -> tuple[str, str, str]:
    """The reason that pages could not be published for, as a kind; what is said of it, and what to do."""
    for known, words in _tables()["page"].items():
        if reason.startswith(known):
            return known, words["said"].format(url=url), words["advice"].format(url=url)
    said, advice = advised(reason, {"url": url, "again": _GIVEN_UP if reason in _FINAL else _AGAIN})
    return reason, said, advice
