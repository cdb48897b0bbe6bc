"""Strings that make a backtracking expression slow, derived from the expression itself."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import re._constants as sre  # type: ignore[import-untyped]
import re._parser as sre_parser  # type: ignore[import-untyped]
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

# Repeats that are bounded below this count as no repeat; those above are pumped.
_LONG = 20
# Lengths of the texts; the last two tell a quadratic expression (16 times the time) from a linear one (4 times).
_CHARS = (24, 200, 2400, 9600)
_GROWTH = 9.0
# A character of the longest but one takes so much longer than one of a short text where an expression is about to be
# caught (1.6); where it does not, the longest text, three quarters of all the time, would tell nothing.
_LEVEL = 1.3
# CPU seconds a character: more is slow whatever it grows with, and of less nothing is said.
_MOST_S, _LITTLE_S = 2e-5, 2e-7


class TooSlow(Exception):
    """An expression used up its time."""


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Ends an expression that uses more CPU than this; the engine looks for signals while it matches."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def attacks(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    """(front, pumped, back): what leads to each repeat, what it repeats, what lets it fail."""
    tree = sre_parser.parse(
        pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1"),
        pattern.flags & ~re.U if isinstance(pattern.pattern, bytes) else pattern.flags,
    )
    fronts, chars = {""}, {" ", "\n", "a", "A", "1", "<", "."}
    pumped: set[str] = set()
    _walk(tree, "", fronts, chars, pumped)
    single = sorted(unit for unit in pumped if len(unit) == 1)[:5]
    units = pumped | chars | (fronts - {""}) | {one + other for one in single for other in single}
    for unit in sorted(units)[:60]:
        yield "", unit, "\x00"
    for unit in sorted(pumped):
        yield "", unit, ""
        for front in sorted(fronts - {""})[:8]:
            yield front, unit, "\x00"


def _walk(tree: Any, front: str, fronts: set[str], chars: set[str], pumped: set[str]) -> str:
    """A text that the tree matches, in which its repeats are as short as can be."""
    text = ""
    for operation, argument in tree:
        if operation in (sre.MAX_REPEAT, sre.MIN_REPEAT, getattr(sre, "POSSESSIVE_REPEAT", None)):
            least, most, inner = argument
            one = _walk(inner, front + text, fronts, chars, pumped)
            if most > _LONG:
                fronts.add(front + text)
                if one:
                    pumped.add(one)
                if len(inner) == 1:
                    pumped |= _members(inner[0])
            text += one * max(least, 1 if least else 0)
        elif operation is sre.LITERAL:
            chars.add(chr(argument))
            text += chr(argument)
        elif operation in (sre.IN, sre.NOT_LITERAL, sre.ANY):
            members = sorted(_members((operation, argument)))
            chars |= set(members[:4])
            text += members[0] if members else "a"
        elif operation is sre.BRANCH:
            branches = [_walk(branch, front + text, fronts, chars, pumped) for branch in argument[1]]
            text += max(branches, key=len)
        elif operation is sre.SUBPATTERN:
            text += _walk(argument[3], front + text, fronts, chars, pumped)
        elif operation in (sre.ASSERT, sre.ASSERT_NOT):
            inner = _walk(argument[1], front + text, fronts, chars, pumped)
            fronts.add(front + text + inner)
        elif operation is getattr(sre, "ATOMIC_GROUP", None):
            text += _walk(argument, front + text, fronts, chars, pumped)
    return text


_CANDIDATES = [
    " ",
    "\n",
    "a",
    "z",
    "A",
    "1",
    "0",
    "<",
    ">",
    "=",
    '"',
    "'",
    ".",
    ",",
    "-",
    "_",
    "/",
    ":",
    "&",
    "[",
    "(",
    "\u3000",
    "é",
    "文",
    "。",
    "\\",
    "{",
    "#",
    "@",
]


def _members(node: tuple[Any, Any]) -> set[str]:
    """Some characters that a set takes."""
    operation, argument = node
    if operation is sre.LITERAL:
        return {chr(argument)}
    found = set()
    for char in _CANDIDATES:
        if _takes(node, char):
            found.add(char)
    if operation is sre.IN:
        found |= {chr(value) for kind, value in argument if kind is sre.LITERAL and argument[0][0] is not sre.NEGATE}
        found |= {chr(value[0]) for kind, value in argument if kind is sre.RANGE and argument[0][0] is not sre.NEGATE}
    return found


def _takes(node: tuple[Any, Any], char: str) -> bool:
    operation, argument = node
    if operation is sre.ANY:
        return char != "\n"
    if operation is sre.NOT_LITERAL:
        return chr(argument) != char
    if operation is not sre.IN:
        return False
    negated = argument[0][0] is sre.NEGATE
    found = False
    for kind, value in argument:
        if kind is sre.LITERAL:
            found |= chr(value) == char
        elif kind is sre.RANGE:
            found |= value[0] <= ord(char) <= value[1]
        elif kind is sre.CATEGORY:
            name = str(value).lower()
            short = {"digit": r"\d", "space": r"\s", "word": r"\w"}[name.rpartition("_")[2]]
            found |= bool(re.match(short.upper() if "not_" in name else short, char))
    return found != negated


def is_slow(run: Callable[[str], object], front: str, unit: str, back: str) -> str:
    """How an expression's time grows too fast with a text; empty where it does not."""
    before, shorter, short_each = 0.0, "", 0.0
    for chars in _CHARS:
        text = front + unit * max(1, chars // len(unit)) + back  # of none, a call's own time would count
        took = _seconds(run, text)
        if took / len(text) > _MOST_S and _least(run, text) / len(text) > _MOST_S:
            return f"{took * 1000:.0f} ms for {len(text)} characters"
        if chars < _CHARS[-1] and took / len(text) < _LITTLE_S:
            if chars >= _CHARS[-2]:
                return ""
            continue
        # Other work slows an expression too, for a moment.
        if before and took > _GROWTH * before and _least(run, text) > _GROWTH * _least(run, shorter):
            return f"{before * 1000:.2f} ms for {_CHARS[-2]} characters, {took * 1000:.2f} ms for {_CHARS[-1]}"
        if chars == _CHARS[-2] and took / len(text) < _LEVEL * short_each:
            return ""
        if chars == _CHARS[-3]:
            short_each = min(took, _seconds(run, text)) / len(text)
        before, shorter = (took, text) if chars == _CHARS[-2] else (0.0, "")
    return ""


def _least(run: Callable[[str], object], text: str) -> float:
    return min(_seconds(run, text) for _ in range(4))


def _seconds(run: Callable[[str], object], text: str) -> float:
    begun = time.thread_time()
    try:
        with bounded(1.0):
            run(text)
    except TooSlow:
        return 1.0
    return time.thread_time() - begun


def expressions(package: str) -> dict[str, tuple[re.Pattern[Any], set[str]]]:
    """Compiled expressions of a package's modules by name, with the methods that the package calls of them."""
    root = importlib.import_module(package)
    found: dict[str, re.Pattern[Any]] = {}
    used: dict[str, set[str]] = {}
    for info in pkgutil.walk_packages(root.__path__, f"{package}."):
        module = importlib.import_module(info.name)
        source = Path(str(module.__file__)).read_text()
        for name, value in vars(module).items():
            for label, one in _patterns(name, value):
                if not any(one is known for known in found.values()):
                    found[f"{info.name}.{label}"] = one
        # Walking through all modules takes eight seconds.
        of_its_own = any(isinstance(value, re.Pattern) for value in vars(module).values())
        for node in ast.walk(ast.parse(source)) if of_its_own or "re." in source else ():
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                value = vars(module).get(node.value.id)
                if isinstance(value, re.Pattern):
                    used.setdefault(value.pattern, set()).add(node.attr)
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "re"
                and node.args
                and isinstance(node.args[0], ast.Constant)
                and node.func.attr not in ("escape", "compile")
            ):
                one = re.compile(node.args[0].value)
                found[f"{info.name}:{node.lineno}"] = one
                used.setdefault(one.pattern, set()).add(node.func.attr)
    return {name: (one, used.get(one.pattern, set())) for name, one in found.items()}


def _patterns(name: str, value: Any) -> Iterator[tuple[str, re.Pattern[Any]]]:
    if isinstance(value, re.Pattern):
        yield name, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _patterns(f"{name}[{key}]", inner)
    elif isinstance(value, (tuple, list)):
        for index, inner in enumerate(value):
            yield from _patterns(f"{name}[{index}]", inner)
