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
    code = f"{element.get('onclick') or ''} {element.get('href') or ''}"[:_MAX_CODE]
    for match in _CALL.finditer(code) if "(" in code else ():
        opener = None if match[1] == "void" else openers().get(match[1])
        if opener is not None:
            return f"{opener.before}{match[2] or match[3]}{opener.after}"
    return ""
