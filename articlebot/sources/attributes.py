"""What a page has in its attributes for its scripts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

from articlebot.page import Page

_VALUE = re.compile(r"[\w.:+/=-]{1,80}")
# What a controller of Stimulus has from its element: ${this.urlValue}, or this.urlValue, is data-feed-url-value there.
_OF_CONTROLLER = re.compile(
    r"(?:(?P<inside>\$\{)\s?)?\bthis\.(?P<name>[A-Za-z]{1,40}Value)\b(?(inside)\s?\})(?!\s{0,9}(?:\+\+|--|[+-]?=|\+\s?\d))"
)
_ADDRESS = re.compile(r"[\w.:+/=?&%~-]{1,300}")
MOST_VALUES = 16  # of an attribute by which sections are told: more are of a list's entries
_READ = re.compile(
    r"(?:getAttribute|attr)\(\s{0,9}[\"'](data-[\w-]{1,40})[\"']|\.dataset\.(\w{1,40})|\.data\(\s{0,9}[\"']([\w-]{1,40})[\"']|"
    # a field of a form: $("#zone").val(), document.getElementById("zone").value
    r"\([\"'](#[\w-]{1,40})[\"']\)\.val\(\)|getElementById\([\"']([\w-]{1,40})[\"']\)\.value\b"
)
# Of which element: document.querySelector(".menu li.on").getAttribute("data-id"), $("#list").data("cat").
_OF = re.compile(
    r"(?:querySelector|\$|jQuery|(?P<by_id>getElementById))\(\s?[\"'](?P<of>[\w.#\s>-]{1,80})[\"']\s?\)\.?\Z"
)
# What the reader presses: $(".tabs a").click(function () {…}), .on("click", ".tabs a", …), and each of those that are
# pressed: querySelectorAll(".tabs a").forEach(tab => …).
_PRESSED = re.compile(
    r"(?:\$|jQuery|querySelectorAll)\(\s?(?:[\"'](?P<of>[\w.#\s>-]{1,80})[\"']|document)\s?\)\s?\.(?:on|click|each|forEach)\(\s?"
    r"(?:[\"']\w{1,20}[\"'],\s?)?(?:[\"'](?P<inside>[\w.#\s>-]{1,80})[\"'],\s?)?(?:async\s)?(?:function\s?)?\(?(?P<each>[\w$]{0,40})"
)
_ABOVE = 200  # characters in which it is told what a script reads, and of what
_STEPS = re.compile(r"([.#]?)([\w-]{1,60})")
_INTO = re.compile(r"([A-Za-z_$][\w$]{0,40})\s{0,9}=\s{0,9}[^;=\n]{0,160}\Z")
# load(document.getElementById("more").dataset.last)
_HANDED = re.compile(r"(?<![\w$.])([A-Za-z_$][\w$]{0,40})\((?:document\.)?(?:[\w$]{1,40}(?:\([^()]{0,60}\))?\.?)?\Z")
_USUAL = re.compile(r"[^;\n]{0,20}\|\|\s{0,9}[\"']([\w./-]{1,80})[\"']")


class Reading(NamedTuple):
    """An attribute that a script reads.

    Attributes:
        usual: what it takes where there is none.
        pressed: of what the reader presses.
        of: a selector of names, classes and ids for the elements; "" for any that have the attribute.
    """

    attribute: str
    usual: str
    pressed: bool = False
    of: str = ""


class Attributes:
    """The ``data-…`` attributes of a page: the first and the last value of each."""

    def __init__(self, page: Page) -> None:
        self._page, self.url = page, page.url

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

    def every(self, name: str, of: str = "") -> tuple[str, ...]:
        """What elements have in an attribute, each once; nothing where these are too many to be sections."""
        values = dict.fromkeys(value for one in self._page.elements if (value := one.get(name)) and _is(one, of))
        return tuple(values) if len(values) <= MOST_VALUES and all(map(_VALUE.fullmatch, values)) else ()

    @cached_property
    def _fields(self) -> dict[str, str]:
        """What the fields of forms have, by their id."""
        return {one.get("id") or "": one.get("value") or "" for one in self._page.by_tag["input"]}

    def value(self, name: str, *, last: bool = False, of: str = "") -> str:
        """What the first or the last element has in an attribute, "" where that is neither word nor address.

        Args:
            name: of the attribute; with "#", the id of a field whose value is meant.
            of: the elements that are meant, as in ``Reading``; any other where none of these has it.
        """
        if name.startswith("#"):
            value = self._fields.get(name[1:], "")
        else:
            said = [one.get(name) or "" for one in self._page.elements if one.get(name) and _is(one, of)] if of else []
            value = said[-last] if said else self.ends.get(name, ("", ""))[last]
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
    return None if match is None else _reading(match, expression[: match.start()], "")


def readings_in(script: str, taken: Mapping[str, str]) -> dict[str, Reading]:
    """What a script reads from the page, by the names that it gives to it.

    Args:
        taken: the first parameters of functions, which may be handed it, by their names.
    """
    found: dict[str, Reading] = {}
    for match in _READ.finditer(script):
        before = script[max(0, match.start() - _ABOVE) : match.start()]
        into, handed = _INTO.search(before), _HANDED.search(before)
        name = (taken.get(handed[1]) if handed else None) or (into[1] if into else "")
        if name:
            first = found.setdefault(name, _reading(match, before, script[match.end() : match.end() + 120]))
            by = _pressed_in(before)
            found[name] = first if by is None else first._replace(pressed=True, of=by)
    return found


def reading_at(script: str, expression: str) -> Reading | None:
    """What an expression reads from the page where it first stands in a script, None where it reads nothing."""
    match = _READ.search(expression)
    if match is None or (at := script.find(expression)) < 0:
        return None
    before = script[max(0, at + match.start() - _ABOVE) : at + match.start()]
    by, found = _pressed_in(before), _reading(match, before, "")
    return found if by is None else found._replace(pressed=True, of=by)


def _pressed_in(before: str) -> str | None:
    """A selector for what the reader presses, where a script reads that; "" for any, None where it reads other things.

    Args:
        before: the script's text before it reads.
    """
    by, read = next(iter([*_PRESSED.finditer(before)][-1:]), None), before.rstrip(").")
    of = " ".join(filter(None, by.group("of", "inside"))) if by else ""
    is_each = by is not None and by["each"] and re.search(rf"(?<![\w$.]){re.escape(by['each'])}\Z", read)
    return of if is_each or read.endswith(("this", "arget")) else None


def _reading(match: re.Match[str], before: str, behind: str) -> Reading:
    usual, field, of = _USUAL.match(behind), match[4] or (f"#{match[5]}" if match[5] else ""), _OF.search(before)
    name = field or attribute(match[1] or match[2] or match[3])
    return Reading(name, usual[1] if usual else "", of=f"{'#' if of['by_id'] else ''}{of['of']}" if of else "")


def _is(element: Any, of: str) -> bool:
    """Whether a selector of names, classes and ids, one within the other, means an element."""
    *around, last = re.split(r"[\s>]+", of.strip())
    if not _has(element, last):
        return False
    above = element.iterancestors()
    return all(any(_has(one, step) for one in above) for step in reversed(around))


def _has(element: Any, step: str) -> bool:
    classes = (element.get("class") or "").split()
    return all(
        name in classes if mark == "." else name == (element.get("id") if mark else element.tag)
        for mark, name in _STEPS.findall(step)
    )
