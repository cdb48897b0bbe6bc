"""What a tag, a class and a style say of an element before anybody reads its text: the one list for all readers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from lxml.html import defs

# Elements within a line of text.
INLINE: Final = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rb rp rt ruby s samp small "
    "span strike strong sub sup time tt u var wbr nobr".split()
)
# Elements whose text nobody reads on the page, or that are no text.
SKIPPED: Final = frozenset(
    "script style noscript template svg iframe object embed select textarea button canvas head title audio video map "
    "link meta input option datalist math frame applet base param source track dialog".split()
)
# Of these, those that may hold images: libxml2 puts what follows a picture's source into it.
PICTURED: Final = frozenset({"noscript", "source"})
# Inline elements that say something of their text.
MARKS: Final = frozenset("b strong i em code sub sup kbd samp mark q del ins s".split())
HEADINGS: Final = frozenset("h1 h2 h3 h4 h5 h6".split())
# A tag in a text of data: an element of HTML or one with a prefix, a comment. "Shares of <AMO>" has none.
MARKUP: Final = re.compile(
    rf"</?(?:{'|'.join(sorted(defs.tags))}|main|picture|template|[a-z]\w{{0,20}}[:-][\w:-]{{1,40}})(?=[\s/>])[^<>]{{0,2000}}>|<![^<>]{{0,2000}}>",
    re.I,
)

_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])"
)
_NO_DISPLAY = re.compile(r"display\s*:\s*none", re.I)
# Classes of what is no text: Discuz' words against copying, and MediaWiki's "[edit]" at each heading.
_NO_TEXT = frozenset({"jammer", "mw-editsection"})
_UNSEEN_CHARS = 60
_DIGITS = re.compile(r"\d+")
_STATE_CLASS = re.compile(
    r"^(?:first|last|odd|even|active|current|open|show|hidden|lazy|lazyload\w*|js|no-js|col|row|\w{1,2})$|[#.@:\[\]!/\s]"
)
_ODD = re.compile(r"[\d#.@/\s]")


def is_hidden(element: Any) -> bool:
    """Whether an element says of itself that it is not shown."""
    style = element.get("style")
    return (style is not None and _HIDDEN_STYLE.search(style.lower()) is not None) or element.get("hidden") is not None


def is_unseen(element: Any) -> bool:
    """Whether an element within a line is not shown, or no text: a few words. Longer ones are shown at a click."""
    style = element.get("style")
    away = style is not None and _NO_DISPLAY.search(style) is not None
    return (away or element.get("class") in _NO_TEXT) and len("".join(element.itertext())) <= _UNSEEN_CHARS


def names_of(element: Any) -> str:
    """What an element is called, its classes and its id, in small letters."""
    return f"{element.get('class') or ''} {element.get('id') or ''}".lower()


def step(element: Any) -> str:
    """An element's name in a path: its tag with those of its id and classes that are not made for one page."""
    return f"{element.tag}{''.join(_stable(element.get('id'), element.get('class')))}"


def stable_names(element: Any) -> list[str]:
    """``#id`` and ``.class`` names of an element; digits become 0, names of states and of single pages are left out."""
    return [*_stable(element.get("id"), element.get("class"))]


def all_stable_names(elements: Iterable[Any]) -> set[str]:
    """The `stable_names` of all of these elements."""
    marked = {(element.get("id"), element.get("class")) for element in elements}
    return {name for identity, classes in marked for name in _stable(identity, classes)}


@lru_cache(maxsize=16384)
def _stable(identity: str | None, classes: str | None) -> tuple[str, ...]:
    names: list[str] = []
    if identity and len(identity) < 60 and not _ODD.search(identity):
        names.append("#" + identity)
    if classes and len(classes) < 400:
        kept = {_DIGITS.sub("0", c) for c in classes.split()[:12] if not _STATE_CLASS.search(c)}
        names.extend("." + c for c in sorted(kept)[:4])
    return tuple(names)
