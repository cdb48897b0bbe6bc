"""What a script hands to the functions that ask for its lists: ``getList({page: n, size: 20})``."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from articlebot.extraction.page_numbers import PAGE_KEYS
from articlebot.sources.counters import counts_behind
from articlebot.sources.counting import CURSOR_KEYS, SIZE_KEYS, START_KEYS
from articlebot.sources.names import OF_SECTION

# request({url: "/list", method: "get", params: e}), get("/list", e): what is asked for stands where that function is
# called.
HANDED = re.compile(
    r"\s{0,9},(?:[^{}()]{0,80}?(?:\{\s{0,9})?(?:params|data|query)[\"']?\s{0,9}(?::\s{0,9}[\w$.]{1,40})?\s{0,9}\}|\s{0,9}[\w$]{1,40}\s{0,9}\))"
)
_SENDS = re.compile(rf"[\"'`]/[\w./-]{{1,100}}[\"'`]{HANDED.pattern}")
COUNTS = re.compile(rf"(?<=[{{,\s\"'])(?:{'|'.join(sorted(PAGE_KEYS))})[\"']?\s{{0,4}}[:,}}]", re.I)
_BEGINS, _BEHIND, _SIZES = (
    re.compile(rf"(?<=[{{,\s\"'])(?:{'|'.join(sorted(keys))})[\"']?\s{{0,4}}[:,}}]", re.I)
    for keys in (START_KEYS, CURSOR_KEYS, SIZE_KEYS)
)
# A key that no other object has: last_id, maxTime, cursor.
_SAYS_BEHIND = re.compile(r"\w{1,12}(?:_?id|_?time|_?ts|_?date)\b|\w{0,12}cursor", re.I)
_WORD = re.compile(r"[A-Za-z_$][\w$]{0,40}")
_IS_HANDED = re.compile(
    r"(?:\((?:[\"'`][\w./-]{1,80}[\"'`],)?|(?:params?|query|form|data|req)\w{0,20}\s{0,4}[:=])\s{0,20}\Z", re.I
)
_AROUND, _MOST = 300, 1000  # characters around what counts, and how often that is looked at


@lru_cache(maxsize=4)
def paged(script: str) -> str:
    """The pairs of the first object with the number of a page that a script hands to a function, "" without one.

    Where none has such, with where a list begins, or behind which entry, beside how many are wanted or its section.
    """
    for counts in (COUNTS, _BEGINS, _BEHIND):
        for match in islice(counts.finditer(script), _MOST):
            start, end = max(0, match.start() - _AROUND), match.start() + _AROUND
            before, brace, pairs = script[start : match.start()].rpartition("{")
            behind, closing, _ = script[match.start() : end].partition("}")
            whole = brace and closing and "}" not in pairs and "{" not in behind and _IS_HANDED.search(before)
            # Where something begins is a word of any program; beside how much is wanted it is a list's.
            told = f"{{{pairs}{behind}}}"
            beside = _SIZES.search(told) or (counts is _BEHIND and OF_SECTION.search(told))
            if whole and (counts is COUNTS or _SAYS_BEHIND.match(match[0]) or beside):
                return pairs + behind
    return ""


def hands_as_begun(script: str) -> bool:
    """Whether a script counts up behind the request what it hands to a function so."""
    at = script.find(pairs := paged(script))
    return bool(pairs) and counts_behind(script, at, at + len(pairs), {*_WORD.findall(pairs)})


def hands_on(script: str) -> bool:
    """Whether a script has a function that sends what it is handed."""
    return _SENDS.search(script) is not None
