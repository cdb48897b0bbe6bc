"""What a hole in an address that a script puts together may stand for: "/roll?page=${n}", "/list/" + section."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from articlebot.extraction.page_numbers import PAGE_KEYS
from articlebot.sources.counting import CURSOR_KEYS, SIZE_KEYS, START_KEYS
from articlebot.sources.names import Names

USUAL_SIZE, _MOST_LETTERS, _LEAST_TIME = 20, 2, 1_000_000_000
_COUNTED = re.compile(r"(?:page|pages?/|paginated|pagination|list|index|p)[_/-]\Z", re.I)
_OR_ELSE = re.compile(r"(?:\|\||\?\?)\s{0,9}[\"'`]([\w./-]{0,80})[\"'`]")
# What the page's own address says, where it is not known: route.params.section
OF_ROUTE = re.compile(r"\b(?:params|query)\.\w{1,40}\Z")
WORD = re.compile(r"[A-Za-z_$][\w$]*")


class _Hole(NamedTuple):
    """A hole where it stands.

    Attributes:
        text: of the script.
        before: the address up to it.
        key: of the parameter whose value it is, "" of none.
        name: of the variable in it, or the key where several share that one.
        first: the number with which that begins, None where nothing says it.
    """

    text: str
    before: str
    key: str
    name: str
    first: int | None

    def is_called(self, keys: frozenset[str]) -> bool:
        """Whether the parameter or the variable is called as one of these."""
        return self.key in keys or self.name.lower() in keys


def values_of(text: str, before: str, names: Names) -> tuple[Sequence[str], bool]:
    """What a hole in an address may stand for, and whether that is the number of the page, or where it begins."""
    key = re.split(r"[?&/\[]", before.rstrip("]="))[-1].lower() if before.endswith("=") else ""
    # Of a list that is asked for by its section, the tabs of the page say each.
    tabs = names.tabs(text, key)
    if len(tabs) > 1:
        return tabs, True
    usual = _OR_ELSE.search(text)
    stated_else = (usual[1],) if usual and usual[1] else ()
    if stated_else or OF_ROUTE.search(text):
        return stated_else, False
    words = WORD.findall(text.partition("||")[0])
    name = words[0 if text.endswith("]") else -1] if words else ""
    shared, begun = names.is_shared(name), names.is_begun(name)
    first = int(text) if text.isdecimal() else names.defaults.get(key) if shared else names.number(name)
    hole = _Hole(text, before, key, key if shared else name, first)
    found = _of_paging(hole, names) or _of_cursor(hole, names, begun=begun) or _of_counter(hole, names)
    return found or (_stated(hole, names) or (("",) if usual else ()), False)


def _of_paging(hole: _Hole, names: Names) -> tuple[Sequence[str], bool] | None:
    """The first entry, the entries of a page or the first page, where the hole is called so."""
    if hole.is_called(START_KEYS):
        return ("0",), True
    if hole.is_called(SIZE_KEYS):
        return (str(hole.first or names.read(hole.text, hole.name, last=False) or USUAL_SIZE),), False
    if hole.is_called(PAGE_KEYS) or "page" in hole.name.lower():
        first = hole.first
        if first is None and len(hole.name) <= _MOST_LETTERS and hole.key in PAGE_KEYS:
            first = names.number(hole.key)  # a compiler leaves one letter of a name
        return (str(1 if first is None else first),), True
    return None


def _of_cursor(hole: _Hole, names: Names, *, begun: bool) -> tuple[Sequence[str], bool] | None:
    """What is behind an entry, where the page states it or the hole is called so."""
    asks_on = hole.key in CURSOR_KEYS
    # /river/town/${last}: what is put there is told by its own name, too.
    is_cursor = asks_on or (hole.before.endswith("/") and hole.name.lower() in CURSOR_KEYS)
    read = names.read(hole.text, hole.name, last=is_cursor and not begun) or (names.cursor if asks_on else "")
    if not read and asks_on:  # what the page's data state under the name that it is sent as
        read = str(names.number(hole.key) or "")
    if not read and (hole.first or 0) >= _LEAST_TIME:  # the page states since when, whatever that is called
        read, is_cursor = str(hole.first), True
    if read:
        return (read,), is_cursor
    return (("0",) if hole.first == 0 else (), is_cursor) if asks_on else None


def _of_counter(hole: _Hole, names: Names) -> tuple[Sequence[str], bool] | None:
    """The first page, where the hole counts by what its script does with it, or by what stands before it."""
    is_counter = hole.first is not None and hole.before.endswith("/") and hole.name in names.counters
    if is_counter or (_COUNTED.search(hole.before) and not names.texts(hole.name)):
        return (str(1 if hole.first is None else hole.first),), True
    return None


def _stated(hole: _Hole, names: Names) -> Sequence[str]:
    """What page and script state under the hole's name."""
    if (stated := names.stated(hole.name)) or (stated := hole.text.strip("()")).isdecimal():
        return (stated,)
    if each := names.listed(hole.name) or names.texts(hole.name):
        return each
    is_short = len(hole.name) <= _MOST_LETTERS  # a compiler leaves one letter of a name
    if hole.first is not None:
        return (str(hole.first),)
    sections = names.sections(hole.key if is_short else hole.name)
    # The page's data may have it under what it is sent as.
    return sections or (names.texts(hole.key) if hole.key and is_short else ())
