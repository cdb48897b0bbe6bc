"""Where in its list an address asks to begin: with a page of a number, with an entry, behind a cursor."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote, unquote

from articlebot.extraction.page_numbers import PAGE_KEYS
from articlebot.page import Page

# The keys by which lists are asked for what begins at an entry, as PAGE_KEYS are for a page.
START_KEYS = frozenset("offset start skip from begin startindex start_index b_start feedoffset feedfrom".split())
# Those by which what comes behind an entry is asked for.
CURSOR_KEYS = frozenset(
    "before before_id beforeid before_time after after_id afterid cursor last lastid last_id last_time lasttime "
    "last_ts last_date max_id maxid max_time maxtime max_behot_time min_id minid end_time endtime end_id next_id "
    "next next_token nextid next_cursor begin_msgid until older older_than olderthan page_token pagetoken start_after "
    "starting_after".split()
)
SIZE_KEYS = frozenset("size limit per_page perpage hitsperpage pagesize page_size count rows num ps feedsize".split())
_CURSOR_QUERY = re.compile(
    rf"[?&](?:{'|'.join(sorted(CURSOR_KEYS))}|\w{{0,13}}cursor\w{{0,12}})=(?P<value>[^&#]{{1,100}})", re.I
)
# What scripts begin with, where nothing was shown yet: let cursor = "", lastId = 0.
_CURSOR_BEGINS = re.compile(
    rf"[?&](?P<key>{'|'.join(sorted(CURSOR_KEYS))}|\w{{0,13}}cursor\w{{0,12}})=(?P<value>0|-1|null|undefined|)(?=&|#|\Z)",
    re.I,
)
# The same at the end of the path: /river/town/53868, /more/after/5f3a9c01.
_CURSOR_PATH = re.compile(r"/(?P<value>\d{4,20}|(?=[A-Za-z_=-]{0,60}\d)[\w=-]{8,60})/?(?=\?|\Z)")
_OR_SIZES = frozenset({"pagenum", "page_num"})
_LEVELS = 4  # of an answer's data
# Systems put a plug-in's name around the key, Zope a type behind it: ?tx_news_pi1[currentPage]=2, ?b_start:int=20.
_QUERY_NUMBER = re.compile(
    r"[?&;](?:[^=&]{1,80}(?:\[|%5B))?(?P<key>[A-Za-z_.]{1,20})(?:\]|%5D|(?::|%3A)int)?=(?P<number>\d{1,6})(?=&|\Z)",
    re.I,
)
# The same in a parameter that is JSON.
_JSON_NUMBER = re.compile(
    r"(?:%22|\")(?P<key>[A-Za-z_]{1,20})(?:%22|\")(?:%3A|:)(?:%20|\+)?(?P<number>\d{1,6})(?!\d)", re.I
)
_PATH_NUMBER = re.compile(
    r"[/_-](?:page|p|pg|pagina|seite|pag|list|index|more|load|part|trang|sida?e?|strana|sayfa|stranica)[/_-]?(?P<number>\d{1,4})(?:\.\w{2,5}|/_payload\.json)?/?(?=\?|\Z)",
    re.I,
)
# The view parameters of eZ Publish: /press/2026/(offset)/10.
_VIEW_NUMBER = re.compile(r"/\((?P<key>offset|page)\)/(?P<number>\d{1,6})/?\Z", re.I)
_LOOSE_NUMBER = re.compile(r"[/_-](?P<number>\d{1,3})_?(?:\.\w{2,5})?/?(?=\?|\Z)")
_IDENTITY, _TIMED = re.compile(r"\A_?id\Z", re.I), re.compile(r"time|date|(?:\A|_)ts\Z", re.I)
# Objects of one level of an answer that are looked into.
_MOST_INSIDE = 1000


def number_of(url: str, *, loose: bool = False) -> int | None:
    """The number of the page that an address asks for; None where it asks for none.

    Args:
        loose: a number at the end of the path is one too, as in the addresses of an API.
    """
    match = _numbered(url, loose)
    return None if match is None else int(match["number"])


def page_of(url: str, number: int) -> str:
    """The address with another number; unchanged where it has none."""
    match = _numbered(url, loose=True)
    same = match is None or int(match["number"]) == number  # /2026-08 stays as it is
    return url if match is None or same else f"{url[: match.start('number')]}{number}{url[match.end('number') :]}"


def counts_entries(url: str) -> bool:
    """Whether its number counts entries rather than pages."""
    match = _numbered(url, loose=False)
    return match is not None and (match.groupdict().get("key") or "").lower() in START_KEYS


def page_behind(second: str, entries: int, each: int) -> str:
    """The address of the page behind so many entries of a list; that of the second page where it is not counted.

    Args:
        second: address of the list's second page.
        each: entries of a page.
    """
    number, pages = number_of(second), -(-entries // max(1, each))
    if number is None:
        return second
    return page_of(second, number * pages if counts_entries(second) else number + pages - 1)


def size_of(url: str) -> int | None:
    """How many entries an address asks for at once; None where it does not say."""
    return next((int(one["number"]) for one in _asked(url, SIZE_KEYS)), None)


def _asked(url: str, keys: frozenset[str]) -> list[re.Match[str]]:
    """The numbers that an address asks for by one of these keys."""
    found = (*_QUERY_NUMBER.finditer(url), *_JSON_NUMBER.finditer(url))
    return [one for one in found if one["key"].lower() in keys]


def _numbered(url: str, loose: bool) -> re.Match[str] | None:
    asked = _asked(url, PAGE_KEYS | START_KEYS)
    # Beside another number, pagenum is as often how many stand on a page: ?pager=2&pagenum=20.
    if asked:
        return next((one for one in asked if one["key"].lower() not in _OR_SIZES), asked[0])
    path = url.partition("?")[0]
    return _VIEW_NUMBER.search(path) or _PATH_NUMBER.search(path) or (_LOOSE_NUMBER.search(path) if loose else None)


def asks_behind(url: str) -> bool:
    """Whether an address asks for what comes behind an entry."""
    return _CURSOR_QUERY.search(url) is not None


def begins(url: str) -> bool:
    """Whether an address asks for what comes behind no entry yet: a list's first page."""
    return bool(beginning(url))


def beginning(url: str) -> str:
    """The key by which an address asks for what comes behind no entry yet, "" where it does not."""
    match = _CURSOR_BEGINS.search(url)
    return "" if match is None else match["key"]


def begun_behind(url: str, last: str) -> str | None:
    """An address that asks for what comes behind no entry yet, with that of an entry; None for any other."""
    match = _CURSOR_BEGINS.search(url)
    return None if match is None else _with_cursor(url, match, last)


def cursor_after(page: Page, url: str) -> str | None:
    """The address with the cursor of a fragment's last entry, where it asks for what comes behind one; else None.

    The entry has it in an attribute (``data-id``); which, its likeness to the cursor that was asked for tells.
    """
    match = _CURSOR_QUERY.search(url) or _CURSOR_PATH.search(url)
    if match is None:
        return None
    asked = unquote(match["value"])
    for element in reversed(page.elements):
        one: Any = element
        for value in [v for name, v in one.items() if name.startswith("data-")]:
            if _is_alike(value, asked):
                return _with_cursor(url, match, value)
    return None


def cursor_behind(value: Any, url: str) -> str | None:
    """The address with what the last entry of an answer's data has of the cursor's sort; else None.

    An answer may name no cursor of its own: the script sends on the time or the number of the entry that it shows last.
    """
    match = _CURSOR_BEGINS.search(url) or _CURSOR_QUERY.search(url)
    entries = longest(value) if match else []
    if match is None or not entries:
        return None
    if "key" in match.groupdict():
        last = last_of(entries, match["key"])
        return _with_cursor(url, match, last) if last else None
    name, asked = match[0][1:].partition("=")[0].lower(), unquote(match["value"])
    said = [(key.lower(), str(one)) for key, one in entries[-1].items() if isinstance(one, str | int)]
    said = [(key, one) for key, one in said if _is_alike(one, asked)]
    # last_time is the entry's "time", "display_time" or "created_time".
    said.sort(key=lambda pair: not any(word in name.split("_") for word in pair[0].split("_")))
    return _with_cursor(url, match, said[0][1]) if said else None


def longest(value: Any) -> list[dict[str, Any]]:
    """The longest list of objects in an answer, at most four levels deep."""
    level, found = [value], list[dict[str, Any]]()
    for _ in range(_LEVELS):
        lists = [one for one in level if isinstance(one, list) and one and all(isinstance(e, dict) for e in one)]
        found = max([found, *lists], key=len)
        level = [inner for one in level if isinstance(one, dict) for inner in one.values()][:_MOST_INSIDE]
    return found


def last_of(entries: list[dict[str, Any]], name: str) -> str:
    """What the last of the entries has by which a script of that name asks on: its time or its number; "" for none."""
    named = _TIMED if _TIMED.search(name) else _IDENTITY
    said = {str(key): one for key, one in entries[-1].items() if type(one) in (str, int) and one != ""}
    return next((str(one) for key, one in said.items() if named.search(key)), "")


def _is_alike(value: str, asked: str) -> bool:
    same = value.isdecimal() == asked.isdecimal() and abs(len(value) - len(asked)) <= 1
    return same and re.fullmatch(r"[\w.:+/=-]{1,80}", value) is not None


def _with_cursor(url: str, match: re.Match[str], value: str) -> str | None:
    on = url[: match.start("value")] + quote(value, safe="") + url[match.end("value") :]
    return on if value != match["value"] else None
