"""What a script begins with, and whether it counts that up before it asks by it, or behind."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

# Characters around an address in which its function begins and ends.
_BEFORE, _BEHIND = 800, 1500
# page++, ++this.page, page += 1, page = page + 1, offset += 20
_COUNTED = re.compile(
    r"\+\+\s?(?:[\w$]{1,20}\.){0,3}(?P<up>[A-Za-z_$][\w$]{0,40})|(?<![\w$])(?P<name>[A-Za-z_$][\w$]{0,40})"
    r"(?:\+\+|\s{0,4}\+=|\s{0,4}=\s{0,4}(?:[\w$]{1,20}\.){0,3}(?P=name)\s{0,4}\+\s{0,4}\d)"
)
_NOTHING = re.compile(
    r"(?:(?<![\w$.])|(?<=(?:this|self)\.))([A-Za-z_$][\w$]*+)\s{0,9}[:=]\s{0,9}"
    r"(?:0|-1|\"\"|''|``|null|undefined|void 0)(?=\s{0,9}[;,)}\n])"
)
_CALL_OF_NONE = re.compile(
    r"(?<![\w.$])(?<!function )([A-Za-z_$][\w$]{0,40})\(\s{0,9}(?:0|\"\"|''|``|null)?\s{0,9}\)(?!\s{0,9}\{)"
)
_OF_LOOP = re.compile(r"\)\s{0,4}[{\w$]")
_BRACE = re.compile(r"[{}]")
# What opens a block rather than an object.
_OPENS_FUNCTION = re.compile(r"(?:\bfunction\b[^(){}]{0,40}\([^()]{0,80}\)|=>)\s{0,20}\{\Z")
_OPENS_BLOCK = re.compile(r"(?:\)|=>|\belse|\btry|\bdo|\A)\s{0,20}\Z")


def counted_in(script: str) -> frozenset[str]:
    """The names that a script counts up, but for those of loops: ``for (…; i++)``."""
    counted = (one for one in _COUNTED.finditer(script) if not _OF_LOOP.match(script, one.end()))
    return frozenset(one["up"] or one["name"] for one in counted)


def begun_in(script: str, taken: Mapping[str, str]) -> frozenset[str]:
    """The names under which a script begins with nothing: ``let last = ""``, and what it asks for by ``load()``.

    Args:
        taken: the first parameters of functions, by their names.
    """
    called = {match[1] for match in _CALL_OF_NONE.finditer(script)}
    handed = {name for function, name in taken.items() if function in called}
    return frozenset(handed.union(match[1] for match in _NOTHING.finditer(script)))


def counts_behind(script: str, start: int, end: int, names: Collection[str]) -> bool:
    """Whether the block around an address counts up behind it what the address is asked for by, and not before.

    Args:
        start, end: of the address in the script.
        names: of what it is asked for by.
    """
    begin = _begin(script, start)
    finish = _finish(script, begin, end)
    counted = [one for one in _COUNTED.finditer(script, begin, finish) if (one["up"] or one["name"]) in names]
    return bool(counted) and all(_is_behind(script, one, begin, start, end) for one in counted)


def _is_behind(script: str, counted: re.Match[str], begin: int, start: int, end: int) -> bool:
    """Whether a name is counted up behind an address: its text comes later, or it stands in a function within."""
    # ?page=${page++} asks by what it was, and ?page=${++page} by what it becomes.
    if counted.start() >= (end if counted["up"] else start):
        return True
    inner = _begin(script, counted.start())
    return inner > begin and _OPENS_FUNCTION.search(script, max(0, inner - 120), inner) is not None


def _begin(script: str, at: int) -> int:
    """Where the block begins in which a place of a script stands."""
    depth, least = 0, max(0, at - _BEFORE)
    for brace in reversed([*_BRACE.finditer(script, least, at)]):
        depth += 1 if brace[0] == "}" else -1
        if depth < 0 and _OPENS_BLOCK.search(script, max(0, brace.start() - 30), brace.start()):
            return brace.end()
        depth = max(depth, 0)
    return least


def _finish(script: str, begin: int, at: int) -> int:
    """Where a block ends that has begun before a place."""
    depth, most = 0, min(len(script), at + _BEHIND)
    for brace in _BRACE.finditer(script, begin, most):
        depth += 1 if brace[0] == "{" else -1
        if depth < 0 and brace.start() >= at:
            return brace.start()
        depth = max(depth, 0)
    return most
