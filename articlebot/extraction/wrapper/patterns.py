"""Regular expressions learned from the lines that a site repeats with small changes: datelines, credits, sign-offs.

The first and last lines of each article are reduced to a shape, in which numbers and names of months and days are
open. A shape, or a beginning up to a colon, that many pages share was put there by the site's template.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from articlebot.page.text import units

MAX_PATTERNS = 30
HEAD, TAIL = 4, 5  # lines looked at from either end
_MAX_UNITS = 110.0
_SHARE = 0.3
_OPEN = re.compile(
    r"(?P<number>\d+)|(?P<name>\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|"
    r"thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?|a\.?m|p\.?m)\b|星期[一二三四五六日天]|周[一二三四五六日])",
    re.I,
)
_PREFIX = re.compile(r"([\[【(（]?[^\d:：,，。.!?？！\s][^:：,，。.!?？！\n]{1,24}?)\s*([:：])(?!//)\s*\S")


def shape_of(line: str) -> str:
    """The regular expression of a line with its numbers, months and days left open."""
    parts: list[str] = []
    end = 0
    for match in _OPEN.finditer(line):
        parts.append(re.escape(line[end : match.start()]))
        parts.append(r"\d+" if match["number"] else r"[^\W\d]+\.?")
        end = match.end()
    parts.append(re.escape(line[end:]))
    return "".join(parts).replace(r"\ ", " ")


def learn_patterns(bodies: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Patterns of lines to cut, from the lines of each page's body; those on most pages first.

    Each is to be matched at a line's start; a shape ends where the line ends.
    """
    shapes: Counter[str] = Counter()
    prefixes: Counter[str] = Counter()
    texts: defaultdict[str, set[str]] = defaultdict(set)
    for lines in bodies:
        short = [line for line in {*lines[:HEAD], *lines[-TAIL:]} if units(line) <= _MAX_UNITS]
        shapes.update({shape_of(line) for line in short if _OPEN.search(line)})
        begun = [(match[1] + match[2], line) for line in short if (match := _PREFIX.match(line))]
        prefixes.update({prefix for prefix, _ in begun})
        for prefix, line in begun:
            texts[prefix].add(line)
    floor = max(3.0, _SHARE * len(bodies))
    found = {shape + r"\s*\Z": n for shape, n in shapes.items() if n >= floor}
    for prefix, count in prefixes.items():
        # what stands behind differs: names and places; what stands there once was a sentence of the article
        if count >= floor and len(texts[prefix]) >= 2:
            found[re.escape(prefix[:-1]).replace(r"\ ", " ") + r"\s*[:：].{0,80}\Z"] = count
    return tuple(sorted(found, key=lambda p: (-found[p], p))[:MAX_PATTERNS])
