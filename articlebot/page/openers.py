"""Functions of a page's own scripts that open an address made of what they are called with, read without running any.

Old sites write ``<a href="javascript:show(512)">`` and, once, ``function show(id){window.open("/show_"+id+".htm")}``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from articlebot.page.page import Page

_MOST, _MOST_TEXT, _BODY = 20, 200_000, 400
_FUNCTION = re.compile(
    r"(?:function\s{1,9}(\w{1,40})\s{0,9}|(?<![\w$])(\w{1,40})\s{0,9}=\s{0,9}function\s{0,9})"
    r"\(([\w\s,]{1,200})\)\s{0,9}\{"
)
# A sum of texts and names, or a text with names in it: "/" + cat + "/show_" + id + ".htm", `/${cat}/show_${id}.htm`.
_TERM = r"(?:\"[^\"<>\s]{0,200}\"|'[^'<>\s]{0,200}'|\w{1,40})"
_SUM = re.compile(rf"(?<![\w$.]){_TERM}(?:\s{{0,9}}\+\s{{0,9}}{_TERM}){{1,8}}|`[^`<>\s]{{1,300}}`")
_TERMS = re.compile(r"\"([^\"]{0,200})\"|'([^']{0,200})'|(\w{1,40})")
_WITHIN = re.compile(r"\$\{\s{0,4}(\w{1,40})\s{0,4}\}")
_OPENS = re.compile(r"location|window\.open|(?<![\w.])open\(")
_CALL = re.compile(r"(?:\A|javascript:|[;\s])\s{0,9}(?:return\s{1,9})?(\w{1,40})\(([^()]{1,300})[,)]")
_ARGUMENT = re.compile(r"\s{0,9}(?:[\"']([\w./?=&%-]{1,200})[\"']|(\d{1,20}))\s{0,9}")
_MAX_CODE, _PLACE = 500, re.compile(r"[/?.]")
# What a function is called that opens what it is given, and a place given; the function itself may stand in a file.
_GOES = re.compile(
    r"open|win|popup|go(?![a-z])|goto|show|view|read|link|href|jump|redirect|url|article|detail", re.IGNORECASE
)
_GIVEN = re.compile(r"\s{0,9}[\"']((?:https?:/)?/[\w./?=&%~:;+-]{1,300})[\"']")
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
_HOLDING = (".dataset.", 'bute("data-', "bute('data-", '.attr("data-', ".attr('data-", ".data(")
_VALUE = re.compile(r"[\w./?=&%-]{1,200}")
# How far before the address the script says that it opens it: others are asked for something, "like" or "more".
_BEFORE = 40
# How the script of a menu calls what is chosen; what it puts in before that may stand in quotes of its own.
_CHOSEN = ("this.options[this.selectedIndex].value", "this[this.selectedIndex].value", "this.value")
_JOINED = re.compile(r"[\"']\s{0,9}\+\s{0,9}[\"']")


# The address that a function opens: texts, and the places of the arguments between them.
Opener = tuple[str | int, ...]


def openers_in(page: Page) -> dict[str, Opener]:
    """The functions of the page's own scripts that open an address with their arguments in it, by their names."""
    found: dict[str, Opener] = {}
    for element in page.by_tag["script"]:
        text = (element.text or "")[:_MOST_TEXT]
        for match in _FUNCTION.finditer(text) if _OPENS.search(text) else ():
            body = text[match.end() : match.end() + _BODY]
            names = [name.strip() for name in match[3].split(",")]
            opener = _opener(body[: body.find("function")] if "function" in body else body, names)
            if opener and len(found) < _MOST:
                found.setdefault(match[1] or match[2], opener)
    return found


def _opener(body: str, names: Sequence[str]) -> Opener:
    """What the first sum with one of these names in it makes; empty where it is no address, or nothing is opened."""
    made = (_made(match[0], names) for match in _SUM.finditer(body)) if _OPENS.search(body) else ()
    return next((one for one in made if any(isinstance(part, str) and _PLACE.search(part) for part in one)), ())


def _made(text: str, names: Sequence[str]) -> Opener:
    """The parts of a sum from its first known one to what stands before the next unknown; empty without an argument."""
    if text[0] == "`":
        said = _WITHIN.split(text.strip("`"))
        terms = [(part, "") if at % 2 == 0 else ("", part) for at, part in enumerate(said)]
    else:
        terms = [(match[1] or match[2] or "", match[3] or "") for match in _TERMS.finditer(text)]
    parts: list[str | int] = []
    for literal, name in terms:
        if name and name not in names:
            if any(isinstance(part, int) for part in parts):
                break
            parts.clear()  # what stands for the site
        else:
            parts.append(names.index(name) if name else literal)
    return tuple(parts) if any(isinstance(part, int) for part in parts) else ()


def opened_by(element: Any, openers: Callable[[], dict[str, Opener]]) -> str:
    """The address that a click on an element opens by one of these functions, or hands to one of a telling name.

    It is "" for none.

    Args:
        openers: gives :func:`openers_in` of the page; asked only where the click calls something.
    """
    code = code_of(element)[:_MAX_CODE]
    for match in _CALL.finditer(code) if "(" in code else ():
        opener = None if match[1] == "void" else openers().get(match[1])
        given = [_ARGUMENT.fullmatch(one) for one in match[2].split(",")] if opener else []
        values = [one and (one[1] or one[2]) for one in given]
        if opener and all(part < len(values) and values[part] for part in opener if isinstance(part, int)):
            return "".join(str(values[part]) if isinstance(part, int) else part for part in opener)
        if not opener and _GOES.search(match[1]) and (place := _GIVEN.match(match[2])):
            return place[1]
    return ""


def held_in(page: Page) -> dict[str, tuple[str, str]]:
    """The attributes of clicked elements of which the page's own scripts open an address, with what is around them."""
    found: dict[str, tuple[str, str]] = {}
    for element in page.by_tag["script"]:
        text = (element.text or "")[:_MOST_TEXT]
        if not any(mark in text for mark in _HOLDING) or not _OPENS.search(text):
            continue
        for pattern in (_HELD_JOINED, _HELD_WITHIN):
            for match in pattern.finditer(text):
                leads = _OPENS.search(text, max(0, match.start() - _BEFORE), match.start())
                if leads and _PLACE.search(match["before"]) and len(found) < _MOST:
                    name = re.sub(r"[A-Z]", lambda letter: f"-{letter[0].lower()}", match["name"])
                    found.setdefault(f"data-{name}", (match["before"], match["after"] or ""))
    return found


def held_by(element: Any, held: Mapping[str, tuple[str, str]]) -> str:
    """The address that a click on an element opens by what it holds, "" for none."""
    made = ((around, (element.get(name) or "").strip()) for name, around in held.items())
    return next((f"{before}{value}{after}" for (before, after), value in made if _VALUE.fullmatch(value)), "")


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
