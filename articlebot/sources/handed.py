"""What a script hands to the functions that ask for its lists: ``getList({page: n, size: 20})``."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from articlebot.extraction.page_numbers import PAGE_KEYS
from articlebot.sources.counting import SIZE_KEYS, START_KEYS

# request({url: "/list", method: "get", params: e}), get("/list", e): what is asked for stands where that function is
# called.
HANDED = re.compile(
    r"\s{0,9},(?:[^{}()]{0,80}?(?:\{\s{0,9})?(?:params|data|query)[\"']?\s{0,9}(?::\s{0,9}[\w$.]{1,40})?\s{0,9}\}|\s{0,9}[\w$]{1,40}\s{0,9}\))"
)
_SENDS = re.compile(rf"[\"'`]/[\w./-]{{1,100}}[\"'`]{HANDED.pattern}")
COUNTS = re.compile(rf"(?<=[{{,\s\"'])(?:{'|'.join(sorted(PAGE_KEYS))})[\"']?\s{{0,4}}[:,}}]", re.I)
_BEGINS, _SIZES = (
    re.compile(rf"(?<=[{{,\s\"'])(?:{'|'.join(sorted(keys))})[\"']?\s{{0,4}}[:,}}]", re.I)
    for keys in (START_KEYS, SIZE_KEYS)
)
_ISHANDED = re.compile(
    r"(?:\((?:[\"'`][\w./-]{1,80}[\"'`],)?|(?:params?|query|form|data|req)\w{0,20}\s{0,4}[:=])\s{0,20}\Z", re.I
)
_AROUND, _MOST = 300, 1000  # characters around what counts, and how often that is looked at


@lru_cache(maxsize=4)
def paged(script: str) -> str:
    """The pairs of the first object with the number of a page that a script hands to a function, "" without one."""
    for counts in (COUNTS, _BEGINS):
        for match in islice(counts.finditer(script), _MOST):
            start, end = max(0, match.start() - _AROUND), match.start() + _AROUND
            before, brace, pairs = script[start : match.start()].rpartition("{")
            behind, closing, _ = script[match.start() : end].partition("}")
            whole = brace and closing and "}" not in pairs and "{" not in behind and _ISHANDED.search(before)
            # Where something begins is a word of any program; beside how much is wanted it is a list's.
            if whole and (counts is COUNTS or _SIZES.search(f"{{{pairs}{behind}}}")):
                return pairs + behind
    return ""


def hands_on(script: str) -> bool:
    """Whether a script has a function that sends what it is handed."""
    return _SENDS.search(script) is not None
