"""Functions of a page's own scripts that open an address made of what they are called with, read without running any.

Old sites write ``<a href="javascript:show(512)">`` and, once, ``function show(id){window.open("/show_"+id+".htm")}``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from articlebot.page.page import Page

_MOST, _MOST_TEXT, _BODY = 20, 200_000, 400
_FUNCTION = re.compile(
    r"(?:function\s{1,9}(\w{1,40})\s{0,9}|(?<![\w$])(\w{1,40})\s{0,9}=\s{0,9}function\s{0,9})"
    r"\(\s{0,9}(\w{1,40})\s{0,9}(?:,[^()]{0,80})?\)\s{0,9}\{"
)
_OPENS = re.compile(r"location|window\.open|(?<![\w.])open\(")
_CALL = re.compile(
    r"(?:\A|javascript:|[;\s])\s{0,9}(?:return\s{1,9})?(\w{1,40})\(\s{0,9}(?:[\"']([\w./?=&%-]{1,200})[\"']|(\d{1,20}))"
)
_MAX_CODE = 500
# The same of what the clicked element holds: window.open("/show?id=" + this.getAttribute("data-id")), and with
# $(this).data("id"), this.dataset.id or `/show?id=${this.dataset.id}`.
_HELD = (
    r"(?:\.(?:getAttribute|attr)\(\s{0,4}[\"']data-|\.data\(\s{0,4}[\"']|\.dataset\.)"
    r"(?P<name>[a-zA-Z][\w-]{0,40})[\"']?\s{0,4}\)?"
)
_HELD_JOINED = re.compile(
    rf"[\"'](?P<before>[^\"'<>\s]{{1,200}})[\"']\s{{0,9}}\+\s{{0,9}}[\w$.()]{{1,60}}?{_HELD}"
    r"(?:\s{0,9}\+\s{0,9}[\"'](?P<after>[^\"'<>\s]{0,100})[\"'])?"
)
_HELD_WITHIN = re.compile(
    rf"`(?P<before>[^`<>\s$]{{1,200}})\$\{{\s{{0,4}}[\w$.()]{{1,60}}?{_HELD}\s{{0,4}}\}}(?P<after>[^`<>\s$]{{0,100}})`"
)
_VALUE = re.compile(r"[\w./?=&%-]{1,200}")
# How far before the address the script says that it opens it: others are asked for something, "like" or "more".
_BEFORE = 40
# How the script of a menu calls what is chosen; what it puts in before that may stand in quotes of its own.
_CHOSEN = ("this.options[this.selectedIndex].value", "this[this.selectedIndex].value", "this.value")
_JOINED = re.compile(r"[\"']\s{0,9}\+\s{0,9}[\"']")


class Opener(NamedTuple):
    """What stands before and after the argument in the address that a function opens."""

    before: str
    after: str


def openers_in(page: Page) -> dict[str, Opener]:
    """The functions of the page's own scripts that open an address with their first argument in it, by their name."""
    found: dict[str, Opener] = {}
    for element in page.by_tag["script"]:
        text = (element.text or "")[:_MOST_TEXT]
        for match in _FUNCTION.finditer(text) if _OPENS.search(text) else ():
            body = text[match.end() : match.end() + _BODY]
            opener = _opener(body[: body.find("function")] if "function" in body else body, match[3])
            if opener is not None and len(found) < _MOST:
                found.setdefault(match[1] or match[2], opener)
    return found


def _opener(body: str, argument: str) -> Opener | None:
    made = re.search(
        rf"[\"']([^\"'<>\s]{{1,200}})[\"']\s{{0,9}}\+\s{{0,9}}{argument}\b(?:\s{{0,9}}\+\s{{0,9}}[\"']([^\"'<>\s]{{0,100}})[\"'])?",
        body,
    )
    if made is None or not _OPENS.search(body) or not re.search(r"[/?.]", made[1]):
        return None
    return Opener(made[1], made[2] or "")


def opened_by(element: Any, openers: Callable[[], dict[str, Opener]]) -> str:
    """The address that a click on an element opens by one of these functions, "" for none.

    Args:
        openers: gives :func:`openers_in` of the page; asked only where the click calls something.
    """
    code = code_of(element)[:_MAX_CODE]
    for match in _CALL.finditer(code) if "(" in code else ():
        opener = None if match[1] == "void" else openers().get(match[1])
        if opener is not None:
            return f"{opener.before}{match[2] or match[3]}{opener.after}"
    return ""


def held_in(page: Page) -> dict[str, Opener]:
    """The attributes of clicked elements of which the page's own scripts open an address, with how it is made."""
    found: dict[str, Opener] = {}
    for element in page.by_tag["script"]:
        text = (element.text or "")[:_MOST_TEXT]
        if ".data" not in text and "data-" not in text:
            continue
        for pattern in (_HELD_JOINED, _HELD_WITHIN):
            for match in pattern.finditer(text):
                leads = _OPENS.search(text, max(0, match.start() - _BEFORE), match.start())
                if leads and re.search(r"[/?.]", match["before"]) and len(found) < _MOST:
                    name = re.sub(r"[A-Z]", lambda letter: f"-{letter[0].lower()}", match["name"])
                    found.setdefault(f"data-{name}", Opener(match["before"], match["after"] or ""))
    return found


def held_by(element: Any, held: dict[str, Opener]) -> str:
    """The address that a click on an element opens by what it holds, "" for none."""
    made = ((opener, (element.get(name) or "").strip()) for name, opener in held.items())
    return next((f"{one.before}{value}{one.after}" for one, value in made if _VALUE.fullmatch(value)), "")


def code_of(element: Any) -> str:
    """What a click on an element runs: of a menu's entry the menu's script, with the entry's value in its place."""
    if element.tag != "option":
        return f"{element.get('onclick') or ''} {element.get('href') or ''}"
    menu = next(element.iterancestors("select"), None)
    code, value = (menu.get("onchange") or "" if menu is not None else "")[:_MAX_CODE], element.get("value") or ""
    if not value or '"' in value or "'" in value:
        return ""
    for chosen in _CHOSEN:
        code = code.replace(chosen, f"'{value}'")
    return _JOINED.sub("", code)
