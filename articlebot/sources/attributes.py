"""What a page has in its attributes for its scripts."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, NamedTuple

from articlebot.page import Page

_VALUE = re.compile(r"[\w.:+/=-]{1,80}")
# What a controller of Stimulus has from its element: ${this.urlValue}, or this.urlValue, is data-feed-url-value there.
_OF_CONTROLLER = re.compile(
    r"(?:(?P<inside>\$\{)\s?)?\bthis\.(?P<name>[A-Za-z]{1,40}Value)\b(?(inside)\s?\})(?!\s{0,9}(?:\+\+|--|[+-]?=|\+\s?\d))"
)
_ADDRESS = re.compile(r"[\w.:+/=?&%~-]{1,300}")
_MOST_VALUES = 16  # of an attribute by which sections are told: more are of a list's entries
_READ = re.compile(
    r"(?:getAttribute|attr)\(\s{0,9}[\"'](data-[\w-]{1,40})[\"']|\.dataset\.(\w{1,40})|\.data\(\s{0,9}[\"']([\w-]{1,40})[\"']|"
    # a field of a form: $("#zone").val(), document.getElementById("zone").value
    r"\([\"'](#[\w-]{1,40})[\"']\)\.val\(\)|getElementById\([\"']([\w-]{1,40})[\"']\)\.value\b"
)
_INTO = re.compile(r"([A-Za-z_$][\w$]{0,40})\s{0,9}=\s{0,9}[^;=\n]{0,160}\Z")
_USUAL = re.compile(r"[^;\n]{0,20}\|\|\s{0,9}[\"']([\w./-]{1,80})[\"']")


class Reading(NamedTuple):
    """An attribute that a script reads, what it takes where there is none, and whether of what the reader presses."""

    attribute: str
    usual: str
    pressed: bool = False


class Attributes:
    """The ``data-…`` attributes of a page: the first and the last value of each."""

    def __init__(self, page: Page) -> None:
        self._page = page

    @cached_property
    def ends(self) -> dict[str, tuple[str, str]]:
        """By name, what the first and what the last element say that have a value."""
        found: dict[str, tuple[str, str]] = {}
        for element in self._page.elements:
            one: Any = element
            for name, value in one.items():
                if value and name.startswith("data-"):
                    found[name] = found[name][0] if name in found else value, value
        return found

    def every(self, name: str) -> tuple[str, ...]:
        """What elements have in an attribute, each once; nothing where these are too many to be sections."""
        values = dict.fromkeys(value for one in self._page.elements if (value := one.get(name)))
        return tuple(values) if len(values) <= _MOST_VALUES and all(map(_VALUE.fullmatch, values)) else ()

    @cached_property
    def _fields(self) -> dict[str, str]:
        """What the fields of forms have, by their id."""
        return {one.get("id") or "": one.get("value") or "" for one in self._page.by_tag["input"]}

    def value(self, name: str, *, last: bool = False) -> str:
        """What the first or the last element has in an attribute, "" where that is neither word nor address.

        Args:
            name: of the attribute; with "#", the id of a field whose value is meant.
        """
        value = self._fields.get(name[1:], "") if name.startswith("#") else self.ends.get(name, ("", ""))[last]
        is_address = value.startswith(("/", "http")) and _ADDRESS.fullmatch(value)
        return value if is_address or _VALUE.fullmatch(value) else ""

    def filled(self, script: str) -> str:
        """A script with what the elements have that its controllers stand for; the first element that has it says."""
        return _OF_CONTROLLER.sub(self._of_element, script) if "Value" in script else script

    def _of_element(self, match: re.Match[str]) -> str:
        ending = attribute(match["name"]).removeprefix("data")
        value = next((said for name, (said, _) in self.ends.items() if name.endswith(ending)), "")
        if not _ADDRESS.fullmatch(value):
            return match[0]
        return value if match["inside"] else f'"{value}"'


def attribute(name: str) -> str:
    """An attribute's name as the page has it: ``lastId`` of a data set is ``data-last-id``."""
    name = re.sub(r"(?<=[a-z])([A-Z])", r"-\1", name).lower()
    return name if name.startswith("data-") else f"data-{name}"


def reading_in(expression: str) -> Reading | None:
    """What an expression reads from the page; None where it reads nothing."""
    match = _READ.search(expression)
    return None if match is None else _reading(match, "")


def readings_in(script: str) -> dict[str, Reading]:
    """What a script reads from the page, by the names that it gives to it."""
    found: dict[str, Reading] = {}
    for match in _READ.finditer(script):
        before = script[max(0, match.start() - 200) : match.start()]
        if into := _INTO.search(before):
            first = found.setdefault(into[1], _reading(match, script[match.end() : match.end() + 120]))
            pressed = before.rstrip(")").endswith(("this", "arget"))
            found[into[1]] = first._replace(pressed=first.pressed or pressed)
    return found


def _reading(match: re.Match[str], behind: str) -> Reading:
    usual, field = _USUAL.match(behind), match[4] or (f"#{match[5]}" if match[5] else "")
    return Reading(field or attribute(match[1] or match[2] or match[3]), usual[1] if usual else "")
