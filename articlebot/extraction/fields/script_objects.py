"""What the scripts of a page hold of its article: the objects that state its headline, or the number in its address."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from articlebot.page.page import Page
from articlebot.page.script_values import MAX_VALUES, referred, scripts, values_of
from articlebot.page.text import units

_TITLE_KEYS = frozenset({"headline", "headlines", "title", "newstitle", "articletitle", "subject", "heading", "name"})
# Enough of a headline to be found in a script before that is read; five Chinese characters say as much as twelve.
_BEGINNING = 12
# What an object calls its own number; beside one of its own, another's says what it belongs to, as a comment's does.
_OWN_ID, _OTHER_ID = "id", re.compile(r"(?:article|news|story|post|content|doc|page|item)_?id", re.I)
# A number in an address that is no year; of many the last ones tell the page.
_NUMBER, _MOST_NUMBERS = re.compile(r"(?<!\d)(?!(?:19|20)\d\d(?!\d))\d{4,19}(?!\d)"), 3


def objects_of_article(page: Page, named: re.Pattern[str]) -> Iterator[dict[str, Any]]:
    """The objects in a page's scripts that state its headline, in order.

    Args:
        named: is found in each script that may have what is asked for: to read one takes a millisecond.
    """
    titles = [*page.meta.get("og:title", ())[:1], page.title]
    wanted = [" ".join(title.split()) for title in titles if units(title) >= _BEGINNING]
    beginnings = {form for one in map(_beginning, wanted) for form in (one, json.dumps(one)[1:-1])}
    for text, _ in scripts(page) if wanted else ():
        if any(beginning in text for beginning in beginnings) and named.search(text):
            for value in values_of(text):
                yield from (referred(holder, value) for holder in _objects(value) if _is_of(holder, wanted))


def _beginning(title: str) -> str:
    """So much of it as has to be found; behind a short headline stands the site's name."""
    return next(title[:end] for end in range(1, len(title) + 1) if units(title[:end]) >= _BEGINNING)


def objects_by_number(page: Page, named: re.Pattern[str]) -> Iterator[dict[str, Any]]:
    """The objects in a page's scripts that are called by a number of four digits or more in its address, in order.

    Args:
        named: is found in each script that may have what is asked for.
    """
    numbers = frozenset(_NUMBER.findall(page.url)[-_MOST_NUMBERS:])
    for text, _ in scripts(page) if numbers else ():
        if any(number in text for number in numbers) and named.search(text):
            for value in values_of(text):
                yield from (referred(holder, value) for holder in _objects(value) if _number_of(holder) in numbers)


def _number_of(holder: dict[str, Any]) -> str:
    """The number by which an object is called, "" for none."""
    named = {key.lower(): str(value) for key, value in holder.items() if isinstance(value, str | int)}
    return named.get(_OWN_ID) or next((value for key, value in named.items() if _OTHER_ID.fullmatch(key)), "")


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """The objects in data, at most 200,000 values."""
    stack, left = [value], MAX_VALUES
    while stack and left:
        left -= 1
        one = stack.pop()
        if isinstance(one, dict):
            yield one
            stack.extend(value for value in one.values() if isinstance(value, dict | list))
        elif isinstance(one, list):
            stack.extend(value for value in one if isinstance(value, dict | list))


def _is_of(holder: dict[str, Any], wanted: list[str]) -> bool:
    """Whether an object states the page's headline; the document's title may have the site's name behind it."""
    for key, value in holder.items():
        if key.lower() in _TITLE_KEYS:
            stated = value.values() if isinstance(value, dict) else [value]
            said = [" ".join(one.split()) for one in stated if isinstance(one, str) and units(one) >= _BEGINNING]
            if any(title.startswith(one) for title in wanted for one in said):
                return True
    return False
