"""What stands around a link: the text of the entry of a list that it is of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import Any

from articlebot.page.text import fold, units

_CONTEXT_CHARS, _CONTEXT_LEVELS, _DATETIME_CHARS = 300, 4, 40
_DAY_UNITS = 8  # a day in numbers, 26-11-28, says more than the anchor
# Units of what tells a day and nothing else ("Published on 30 November 2026"), and of a line with an author beside it.
_ONLY_DAY, _LINE = 30, 80
# Elements of an entry, and of a list, that are looked at for it. Headlines may tell another day.
_MOST_PARTS, _MOST_CHILDREN = 40, 2000
_HEADLINES = frozenset({"a", "h1", "h2", "h3", "h4", "h5", "h6"})
# Where each entry has its day beside it, so many of the gaps between them have one: a line may lack it, or be cut.
_MOSTLY = 0.8
# 2026-11-28, 2026年11月28日; 28.11.2026, 28 November 2026, 28 de noviembre de 2026, Nov 28, 2026.
_DAY = re.compile(
    r"(?<!\d)(?:19|20)\d\d\s?[-/.年년]\s?\d|"
    r"\d(?:st|nd|rd|th|er)?[-/., ]{1,2}(?:de )?(?:[^\W\d_]{3,12}\.?,? (?:de )?)?(?:19|20)\d\d(?!\d)"
)
# What a title begins with that is a day: "Last edited 2026-11-28" is another's.
_BEGINS = re.compile(r"(?:[^\W\d_]{2,12},\s)?(?:[^\W\d_]{3,10}\.?\s\d\d?,|\d)")


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
    """When an entry appeared, as its ``time`` element states it, which may show "20.11.26" or "3d"; "" of several.

    Else as a title says that comes up over "3 days ago", or as the one element shows it that tells a day and nothing
    else: its teaser may tell others.
    """
    found = {one.get("datetime") or "" for one in islice(node.iter("time"), 2)}
    if not any(found):
        titles = (fold(one.get("title") or "") for one in islice(node.iter("time", "abbr", "span"), _MOST_PARTS))
        found = {title for title in titles if _BEGINS.match(title) and _is_day(title)}
    if not any(found):
        inner = (one for one in islice(node.iter(), _MOST_PARTS) if isinstance(one.tag, str) and not len(one))
        shown = (fold(one.text or "") for one in inner if one.tag not in _HEADLINES)
        found = {text for text in shown if _is_day(text)}
    stated = str(next(iter(found)))[:_DATETIME_CHARS] if len(found) == 1 else ""
    return stated and f"{stated};"  # or the hour 20.11 follows


def tells_day(text: str) -> bool:
    """Whether a day with its year stands somewhere in a text."""
    return _DAY.search(text) is not None


def tells_own_day(element: Any, others: Mapping[Any, int]) -> bool:
    """Whether a day stands in an entry: in what holds a link and no other of the page's entries (``held``)."""
    above = islice(element.iterancestors(), _CONTEXT_LEVELS)
    *_, unit = element, *takewhile(lambda one: others.get(one) == 1, above)
    return tells_day(_read(unit, {})[1])


def _is_day(text: str) -> bool:
    """Whether a text tells a day and hardly anything else."""
    return units(text) <= _ONLY_DAY and _DAY.search(text) is not None and ";" not in text


def days_apart(elements: Sequence[Any], others: Mapping[Any, int]) -> dict[Any, str]:
    """The texts of entries, each behind its day, of those links whose entry has no element of its own that tells one.

    The day stands before them (``<dt>30.11.2026</dt><dd><a>``), behind them, as in a line below a headline, or over a
    group of entries.

    Args:
        elements: of the links of one list page, in the page's order.
        others: how many of them each ancestor holds (``held``).
    """
    lists: dict[Any, dict[Any, list[Any]]] = {}  # what each element holds that holds entries: its own, and others'
    untold: dict[Any, Any] = {}
    for element in elements:
        child = unit = element
        for above in islice(element.iterancestors(), _CONTEXT_LEVELS):
            lists.setdefault(above, {}).setdefault(child, []).append(element)
            unit = above if others.get(above) == 1 else unit
            child = above
        if not _DAY.search("".join(unit.itertext())):
            untold[element] = unit
    found: dict[Any, str] = {}
    for parent in sorted(lists, key=lambda one: -sum(1 for _ in one.iterancestors())):
        some = lists[parent]
        gaps = _gaps(parent, some) if len(some) > 1 else []
        for child, day in _by_gaps([*some], gaps, each=all(len(ones) == 1 for ones in some.values())):
            told = [one for one in some[child] if one in untold and one not in found]
            found |= {one: _with(day, untold[one]) for one in told if _is_day(day) or (day and len(some[child]) == 1)}
    return found | _by_groups(lists, {one: unit for one, unit in untold.items() if one not in found})


def _gaps(parent: Any, some: Mapping[Any, Any]) -> list[list[str]]:
    """The texts before the first entry, between each two, and behind the last; "" for one that tells no day."""
    gaps = [[parent.text or ""]]
    for child in islice(parent, _MOST_CHILDREN):
        if child in some:
            gaps.append([])
        elif isinstance(child.tag, str):
            gaps[-1].append("".join(child.itertext()))
        gaps[-1].append(child.tail or "")
    told = ([fold(text) for text in gap] for gap in gaps)
    return [[text if units(text) <= _LINE and _DAY.search(text) else "" for text in gap if text] for gap in told]


def _by_gaps(entries: Sequence[Any], gaps: Sequence[Sequence[str]], *, each: bool) -> Iterator[tuple[Any, str]]:
    """The entries of a list, or groups of them, with the day that stands before each, or else behind each entry.

    Args:
        each: whether none is a group.
    """
    between = gaps[1:-1]
    if len(gaps) != len(entries) + 1 or not any(map(any, between)):
        return
    begins, ends = any(gaps[0][-1:]), any(gaps[-1][:2])
    if begins and (not ends or entries[0].tag == "dd"):
        day = ""
        for entry, gap in zip(entries, gaps, strict=False):
            day = next(filter(None, reversed(gap)), "") if gap else day  # one day over several entries
            yield entry, day
    elif each and ends and not begins and sum(map(any, between)) >= _MOSTLY * len(between):
        yield from ((entry, next(filter(None, gap), "")) for entry, gap in zip(entries, gaps[1:], strict=True))


def _by_groups(lists: Mapping[Any, Mapping[Any, Sequence[Any]]], untold: Mapping[Any, Any]) -> dict[Any, str]:
    """The links of lists with the day that stands over each of these, where it is another one over the next.

    Args:
        untold: links whose day is not known, with their entries.
    """
    alike: dict[tuple[str, str], list[tuple[str, Any]]] = {}
    for parent in lists if untold else ():
        over = parent.getprevious()
        day = fold("".join(over.itertext())) if over is not None and isinstance(over.tag, str) else ""
        if _is_day(day):
            alike.setdefault((over.tag, over.get("class") or ""), []).append((day, parent))
    told = (some for some in alike.values() if len({day for day, _ in some}) > 1)
    held_in = ((day, one) for some in told for day, parent in some for ones in lists[parent].values() for one in ones)
    return {one: _with(day, untold[one]) for day, one in held_in if one in untold}


def _with(day: str, entry: Any) -> str:
    """What stands in an entry, behind the day that is told of it beside it."""
    return fold(f"{day} {''.join(entry.itertext())}")[:_CONTEXT_CHARS]
