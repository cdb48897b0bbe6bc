"""Values of a script that are no JSON, read without running anything: lists of records, and what a function returns.

Nuxt 2 writes a page's data so: ``window.__NUXT__=(function(a,b){return {list:[{id:a,title:"…"}]}}("7",null))``. What
stands more than once is an argument. Anything but literals, arguments and assignments to parts of arguments ends it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_CALL = re.compile(r"=\s{0,9}\(?\s{0,9}function\s{0,9}\(([\w$,\s]{0,20000}+)\)\s{0,9}\{")
_TOKEN = re.compile(
    r"""\s*+(?:("(?:[^"\\]++|\\.)*+"|'(?:[^'\\]++|\\.)*+')|(-?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?)|"""
    r"([A-Za-z_$][\w$]*+)|(.))", re.S,
)  # fmt: skip
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))", re.S)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
# Half of a surrogate pair, as JSON may escape it.
_HALF = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
_WORDS = {"true": True, "false": False, "null": None, "undefined": None, "NaN": None, "Infinity": None}
# SvelteKit has the data of a page behind that of the frames around it, which mostly is none: data:[null,{type:"data",…
RECORDS = re.compile(r"[=:(]\s{0,9}(?=\[\s{0,9}(?:null\s{0,9},\s{0,9}){0,9}\{)")
_MOST_CALLS, _MOST_DEPTH, _MOST_VALUES = 5, 60, 200_000


class _Name(NamedTuple):
    """An argument of the function, before it is known."""

    text: str


class _NoValue(ValueError):
    """The script is more than values."""


def called(text: str) -> Iterator[dict[str, Any] | list[Any]]:
    """The objects and lists that functions of a script return, where they only name values."""
    for count, match in enumerate(_CALL.finditer(text)):
        if count >= _MOST_CALLS:
            return
        names = [name.strip() for name in match[1].split(",") if name.strip()]
        try:
            value = _Reader(text, match.end()).call(names)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list) and value:
            yield value


def records(text: str) -> Iterator[list[Any]]:
    """The lists of objects that a script assigns in JavaScript's own writing."""
    reader, end = _Reader(text, 0), 0
    for match in RECORDS.finditer(text):
        if match.end() < end:
            continue
        try:
            found, end = reader.literal(match.end())
        except (ValueError, RecursionError):
            continue
        yield found


class _Reader:
    """Reads tokens from a place on; the first that is no part of a value ends it, so no text is read twice."""

    def __init__(self, text: str, at: int) -> None:
        self._text, self._at, self._left = text, at, _MOST_VALUES

    def literal(self, at: int) -> tuple[Any, int]:
        """The value that begins there, and where it ends; names of variables have no value."""
        self._at = at
        found = self._resolved(self._value(0), {}, 0)
        return found, self._at

    def call(self, names: list[str]) -> Any:
        """What the function with these parameters returns; its body begins here."""
        parts = []
        while (word := self._next()) != "return":
            parts.append(self._assignment(word))
        result = self._value(0)
        if self._peek() == ";":
            self._next()
        self._expect("}")
        if self._peek() == ")":
            self._next()
        self._expect("(")
        given = dict(zip(names, self._list(")", 0), strict=False))
        for name, key, value in parts:
            _assign(given.get(name), key, self._resolved(value, {}, 0))
        return self._resolved(result, given, 0)

    def _assignment(self, name: str) -> tuple[str, Any, Any]:
        """``a.b=value;`` or ``a[0]=value;``."""
        if self._next() == ".":
            key: Any = self._next()
        else:
            key = self._value(0)
            self._expect("]")
        self._expect("=")
        value = self._value(0)
        self._expect(";")
        return name, key, value

    def _value(self, depth: int) -> Any:
        if depth > _MOST_DEPTH:
            raise _NoValue
        part = self._next()
        if part == "{":
            return self._object(depth)
        if part == "[":
            return self._list("]", depth)
        if part[0] in "\"'":
            return unescaped(part)
        if part[0].isdigit() or (part[0] in "-." and len(part) > 1):
            return float(part) if set(part) & set(".eE") else int(part) if len(part) < 30 else None
        return self._word(part, depth)

    def _word(self, part: str, depth: int) -> Any:
        if part in _WORDS:
            return _WORDS[part]
        if part == "!":  # !0 is true
            return not self._value(depth + 1)
        if part == "void":
            self._next()
            return None
        if part in ("new", "Array"):  # new Date(0), Array(3): not looked into
            if part == "new":
                self._next()
            self._expect("(")
            given = self._list(")", depth + 1)
            return next(iter(given), None) if part == "new" else []
        if not (part[0].isalpha() or part[0] in "_$"):
            raise _NoValue
        return _Name(part)

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while (key := self._next()) != "}":
            if key == ",":
                continue
            if key in "[({:.":
                raise _NoValue
            self._expect(":")
            found[unescaped(key) if key[0] in "\"'" else key] = self._value(depth + 1)
        return found

    def _list(self, end: str, depth: int) -> list[Any]:
        found: list[Any] = []
        while (part := self._peek()) != end:
            if part == ",":
                self._next()
            else:
                found.append(self._value(depth + 1))
        self._next()
        return found

    def _resolved(self, value: Any, given: dict[str, Any], depth: int) -> Any:
        """A value with the arguments in place of their names; each time a copy, within the bound of all values."""
        self._left -= 1
        if self._left < 0 or depth > 2 * _MOST_DEPTH:
            return None
        if isinstance(value, _Name):
            return self._resolved(given.get(value.text), {}, depth + 1)
        if isinstance(value, dict):
            return {key: self._resolved(inner, given, depth + 1) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._resolved(inner, given, depth + 1) for inner in value]
        return value

    def _next(self) -> str:
        match = _TOKEN.match(self._text, self._at)
        self._left -= 1
        if match is None or self._left < -4 * _MOST_VALUES:
            raise _NoValue
        self._at = match.end()
        return match[match.lastindex or 0]

    def _peek(self) -> str:
        at = self._at
        part = self._next()
        self._at = at
        return part

    def _expect(self, part: str) -> None:
        if self._next() != part:
            raise _NoValue


def _assign(target: Any, key: Any, value: Any) -> None:
    if isinstance(target, dict):
        target[str(key)] = value
    elif isinstance(target, list) and isinstance(key, int) and len(target) == key:
        target.append(value)


def unescaped(part: str) -> str:
    """The value of a quoted text."""
    if "\\" not in part:
        return part[1:-1]
    return joined_pairs(_ESCAPE.sub(_character, part[1:-1]))


def joined_pairs(text: str) -> str:
    """A text with characters for surrogate pairs; half of one is replaced, as no encoding takes it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def encodable(text: str) -> str:
    """A text of JSON in which nothing stands for half of a surrogate pair."""
    return _HALF.sub(r"\\ufffd", text) if "\\ud" in text or "\\uD" in text else text


def _character(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code is None:
        return _ESCAPED.get(match[4], match[4])
    return chr(min(int(code, 16), 0x10FFFF))
