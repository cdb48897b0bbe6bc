"""How the data that an API answered, or a page holds, say that their list goes on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from articlebot.extraction.page_numbers import PAGE_KEYS
from articlebot.page import Page
from articlebot.page.json_values import loaded
from articlebot.sources.counting import (
    CURSOR_KEYS,
    SIZE_KEYS,
    START_KEYS,
    beginning,
    begun_behind,
    counts_entries,
    cursor_behind,
    last_of,
    longest,
    number_of,
    page_of,
)
from articlebot.sources.dated import dated
from articlebot.sources.last_entries import last_told
from articlebot.urls import asking, canonical_or_none, joined

# What an answer calls its next page: an address, or what to ask for.
_NEXT_KEYS = "next next_url nexturl next_page_url nextpageurl next_href nexthref nextlink next_link more_url".split()
_CURSOR_KEYS = "next_cursor nextcursor endcursor end_cursor cursor nextpagetoken next_page_token after".split()
# Lists within each other around an object, and members of one that are looked at: React's elements are such lists.
_LISTS_INSIDE, _MOST_AROUND = 8, 200
_MOST_LOOKED_AT = 5000  # values of a page's data
# The file with the data of one page, beside it, as Nuxt generates it.
OF_PAGE = "/_payload.json"
_COUNTED = PAGE_KEYS | START_KEYS | SIZE_KEYS
_CURSOR_NAMES = CURSOR_KEYS | {"token", "pagetoken"}
_VARIABLE = re.compile(r"\$(\w{1,40})\s{0,4}:")  # of GraphQL
_MORE_KEYS = "hasmore has_more hasnext has_next hasnextpage has_next_page more".split()
_BEHIND = "|".join(sorted(CURSOR_KEYS - {"end_time", "endtime", "next"}))
_ASKS_BEHIND = re.compile(rf"[?&]({_BEHIND})=|[{{,]\s{{0,9}}[\"']?({_BEHIND})[\"']?\s{{0,4}}:")
_TOTAL_KEYS = "total totalcount total_count totalitems totalelements".split()
_NOW_KEYS = ("page", "current_page", "currentpage", "pageno", "page_no")
_LAST_KEYS = (
    "totalpages total_pages totalpage total_page pagecount page_count lastpage last_page pages "
    "numpages num_pages".split()
)


def next_of_data(value: Any, url: str, entries: int) -> str | None:
    """The address of the next page of what an API answered; None where it says that there is none, or nothing at all.

    Args:
        value: the answer.
        url: its address.
        entries: articles in it.
    """
    if not entries:
        return None
    told = dict(_told(value))
    for key in _NEXT_KEYS:
        if isinstance(there := told.get(key), dict):
            there = there.get("href") or there.get("url")
        if isinstance(there, str) and ("/" in there or there.startswith("?")):
            return canonical_or_none(joined(url, there))
        if isinstance(there, int) and not isinstance(there, bool) and number_of(url, loose=True) is not None:
            return canonical_or_none(page_of(url, there))
    if any(told.get(key) is False or (key in told and told[key] is None) for key in _MORE_KEYS):
        return None
    if (cursor := _cursor(told, url) or canonical_or_none(cursor_behind(value, url))) is not None:
        return cursor
    return counted(url, entries, told)


def behind_last(body: bytes, url: str, script: str) -> str | None:
    """The address of what comes behind the last entry of an answer, by what the script asks for it by; None without.

    The answer names no cursor, and its address has none yet: ``"&after=" + last``, where last is an entry's id, or it
    begins with nothing: which field of the entry is sent on, the script tells alone.
    """
    value, begun = loaded(body), beginning(url)
    key = begun or next((one[1] or one[2] for one in _ASKS_BEHIND.finditer(script)), "")
    told = dict(_told(value))
    entries = longest(value)
    if not key or not entries or any(told.get(one) is False for one in _MORE_KEYS):
        return None
    last = last_told(script, key, entries[-1]) or ("" if begun else last_of(entries, key))
    if not last:
        return None
    return canonical_or_none(begun_behind(url, last) if begun else asking(url, f"{key}={quote(last, safe='')}"))


def next_of_state(values: Iterable[Any], page: Page, place: str, entries: int) -> str | None:
    """The address of the next page that a page's own data name beside the list that stands in ``place``."""
    for value in values:
        around = _objects(value)
        for key in place.split("/")[1:-1]:
            around = [inner for one in around for inner in _objects(one.get(key))][:_MOST_AROUND]
        for beside in around:
            if (on := next_of_data(beside, page.url, entries)) is not None:
                same_host = urlsplit(on).hostname == urlsplit(page.url).hostname
                return on if same_host and on != canonical_or_none(page.url) else None
    return None


def next_by_pages(values: Iterable[Any], page: Page) -> str | None:
    """The next page by its number, where a page's own data say that it is the first of three, or the second."""
    own = number_of(page.url)
    stack = [value for value in values if isinstance(value, dict | list)]
    for _ in range(_MOST_LOOKED_AT):
        if not stack:
            break
        one = stack.pop()
        stack += [inner for inner in (one.values() if isinstance(one, dict) else one) if isinstance(inner, dict | list)]
        told = {str(key).lower(): v for key, v in one.items() if type(v) is int} if isinstance(one, dict) else {}
        now = next((told[key] for key in _NOW_KEYS if key in told), 0)
        if now == (own or 1) and any(now < told.get(key, 0) for key in _LAST_KEYS):
            return canonical_or_none(asking(page.url, f"page={now + 1}") if own is None else page_of(page.url, now + 1))
    return None


def _objects(value: Any) -> list[dict[str, Any]]:
    """The objects in a value: itself, or those of its lists within each other, which have no names in a place."""
    found, level = list[dict[str, Any]](), [value]
    for _ in range(_LISTS_INSIDE):
        found += [one for one in level if isinstance(one, dict)]
        level = [inner for one in level if isinstance(one, list) for inner in one[:_MOST_AROUND]][:_MOST_AROUND]
    return found


def counted(url: str, entries: int, told: Mapping[str, Any] | None = None) -> str | None:
    """The same address with the next number, where it has one: believed as long as it brings articles."""
    told = told or {}
    number = number_of(url, loose=dated(url) is None)
    if number is None and url.endswith(OF_PAGE):
        return None  # a file, which nothing can be asked for
    if number is None:
        last = next((told[key] for key in _LAST_KEYS if isinstance(told.get(key), int)), 0)
        said = [1 if told[key] is None else told[key] for key in _NOW_KEYS if key in told]
        now = next((one for one in said if isinstance(one, int)), last)  # the first may be 0
        return canonical_or_none(asking(url, f"page={now + 1}")) if now < last else None
    if counts_entries(url):
        total = next((told[key] for key in _TOTAL_KEYS if isinstance(told.get(key), int)), 0)
        if entries < total <= number + entries:  # what is no more than this page may count its entries
            return None
        return canonical_or_none(page_of(url, number + entries))
    last = next((told[key] for key in _LAST_KEYS if isinstance(told.get(key), int)), None)
    return None if last is not None and number >= last else canonical_or_none(page_of(url, number + 1))


def _cursor(told: Mapping[str, Any], url: str) -> str | None:
    """The address with the answer's cursor under the name that the address gives it, or the answer does."""
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    # What is asked for by a name of its own (lastId, max_id) is told by that name, or beside the word that more follow.
    more = any(told.get(key) for key in _MORE_KEYS)
    own = sorted(key for key in told if key.lower() in CURSOR_KEYS and (more or key in query))
    # Whatever its name is: what the address asks for, and the answer gives otherwise while there is more. Beside a
    # page's number it is as often the time of the answer.
    changed = (key for key in query if key.lower() not in _COUNTED and str(told.get(key, query[key])) != query[key])
    own += (key for key in changed if (more or "cursor" in key.lower()) and number_of(url) is None)
    # "next" is a cursor as well, where the address has one.
    named = _NEXT_KEYS[:1] if any(key.lower() in _CURSOR_NAMES for key in query) else ()
    for key in (*_CURSOR_KEYS, *own, *named):
        value = told.get(key)
        if isinstance(value, str | int) and not isinstance(value, bool) and value != "":
            declared = _VARIABLE.findall(query.get("query", ""))
            known = next((name for name in (*query, *declared) if name.lower() in _CURSOR_NAMES), None)
            name = key if key in own else known or ("after" if "after" in key or "end" in key else "cursor")
            if (inner := _in_variables(query, name, str(value))) is None:
                query[name] = str(value)
            else:
                query |= inner
            return canonical_or_none(parts._replace(query=urlencode(query)).geturl())
    return None


def _in_variables(query: Mapping[str, str], name: str, value: str) -> dict[str, str] | None:
    """The parameter that holds the others as JSON, as GraphQL by GET has it, with one more in it; None without one."""
    for key, held in query.items():
        if key.lower() in ("variables", "params") and isinstance(inner := loaded(held.encode()), dict):
            return {key: json.dumps({**inner, name: value}, separators=(",", ":"), ensure_ascii=False)}
    return None


def _told(value: Any) -> Iterator[tuple[str, Any]]:
    """What an answer says beside its entries: keys of the objects around the list, as they are and in lower case."""
    level, depth = [value], 0
    while level and depth < 4:
        inner = []
        for one in level:
            if isinstance(one, dict):
                plain = [(str(key), v) for key, v in one.items() if not isinstance(v, list)]
                yield from (*plain, *((key.lower(), v) for key, v in plain))
                inner += [v for v in one.values() if isinstance(v, dict)]
        level, depth = inner[:50], depth + 1
