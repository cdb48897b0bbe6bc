"""What stands around a link: the text of the entry of a list that it is of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from articlebot.page.text import fold, units

_CONTEXT_CHARS, _CONTEXT_LEVELS, _DATETIME_CHARS = 300, 4, 40
_DAY_UNITS = 8  # a day in numbers, 26-11-28, says more than the anchor
# 2026-11-28, 2026年11月28日; 28.11.2026, 28 November 2026, Nov 28, 2026.
_DAY = re.compile(
    r"(?<!\d)(?:19|20)\d\d\s?[-/.年년]\s?\d|\d(?:st|nd|rd|th)?[-/., ]{1,2}(?:[^\W\d_]{3,12}\.?,? )?(?:19|20)\d\d(?!\d)"
)


def held(elements: Iterable[Any]) -> Counter[Any]:
    """How many of some links each element above them holds, as far up as an entry may reach."""
    return Counter(above for one in elements for above in islice(one.iterancestors(), _CONTEXT_LEVELS))


def context_of(element: Any, read: dict[Any, tuple[int, str]], others: Mapping[Any, int] | None = None) -> str:
    """Up to 300 characters around an anchor: of the nearest ancestor with more, or of itself where it tells a day.

    Args:
        read: keeps the texts of the page.
        others: how many of the page's entries each ancestor holds (``held``): where the nearest text tells no day, the
            next one that does is taken as long as it is of this entry alone.
    """
    text = _read(element, read)[1] if len(element) else ""
    if _DAY.search(text):
        return text
    own = units("".join(element.itertext()))
    nearest = ""
    for node in islice(element.iterancestors(), _CONTEXT_LEVELS):
        if node.tag in ("body", "html") or (nearest and (others or {}).get(node) != 1):
            break
        length, text = _read(node, read)
        if length >= own + _DAY_UNITS:
            if not others or _DAY.search(text):
                return text
            nearest = nearest or text
    return nearest


def _read(node: Any, read: dict[Any, tuple[int, str]]) -> tuple[int, str]:
    if node not in read:
        text = fold(" ".join((_stated(node), *map(str, node.itertext()))))
        read[node] = units(text), text[:_CONTEXT_CHARS]
    return read[node]


def _stated(node: Any) -> str:
    """When an entry appeared, as its ``time`` element states it, which may show "20.11.26" or "3d"; "" of several."""
    found = {one.get("datetime") or "" for one in islice(node.iter("time"), 2)}
    stated = str(next(iter(found)))[:_DATETIME_CHARS] if len(found) == 1 else ""
    return stated and f"{stated};"  # or the hour 20.11 follows
