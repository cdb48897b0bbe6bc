"""The time of an article whose document shows the day alone: a front end has it in its data, beside the headline."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterator
from typing import Any

from articlebot.extraction.fields.date_reader import DateReader, Stamp
from articlebot.page.metadata import document_title
from articlebot.page.page import Page
from articlebot.page.script_values import MAX_VALUES, scripts, values_of

_DATE_KEYS = re.compile(r"(?:first_?)?publi(?:sh|cat)\w*|date_?published|p(?:ub)?_?time|pub_?date", re.I)
_TITLE_KEYS = frozenset({"headline", "title", "newstitle", "articletitle", "subject", "heading", "name"})
_DAY_CHARS = len("2024-05-01")
# A day is shown in the publisher's zone, data are often in UTC.
_DAY_S = 86_400.0
# Enough of a headline to be found in a script before that is read.
_BEGINNING = 12


def time_in_scripts(page: Page, day: Stamp, reader: DateReader) -> Stamp | None:
    """The time that a script states beside the page's headline, where it is on that day or one beside it.

    Args:
        day: what the document shows, a day without a time.
    """
    titles = [*page.meta.get("og:title", ())[:1], document_title(page.tree)]
    wanted = [" ".join(title.split()) for title in titles if len(title) >= _BEGINNING]
    beginnings = {form for title in wanted for form in (title[:_BEGINNING], json.dumps(title[:_BEGINNING])[1:-1])}
    for text, _ in scripts(page) if wanted else ():
        if any(beginning in text for beginning in beginnings):
            for holder in _objects(list(values_of(text))):
                if _is_of(holder, wanted) and (stamp := _stated(holder, day, reader)):
                    return stamp
    return None


def _objects(values: list[Any]) -> Iterator[dict[str, Any]]:
    """The objects in data, at most 200,000 values."""
    stack, left = list(reversed(values)), MAX_VALUES
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
        if key.lower() in _TITLE_KEYS and isinstance(value, str) and len(value) >= _BEGINNING:
            said = " ".join(value.split())
            if any(title.startswith(said) for title in wanted):
                return True
    return False


def _stated(holder: dict[str, Any], day: Stamp, reader: DateReader) -> Stamp | None:
    for key, value in holder.items():
        if _DATE_KEYS.fullmatch(key) and isinstance(value, str | int):
            stamp = reader.read(str(value))
            if stamp is not None and len(stamp.iso) > _DAY_CHARS and abs(stamp.epoch - day.epoch) < 2 * _DAY_S:
                return _as_shown(stamp, day, reader.local)
    return None


def _as_shown(stamp: Stamp, day: Stamp, local: dt.tzinfo) -> Stamp:
    """The time in the page's zone where that is the day that is shown, and its own is not."""
    if stamp.iso[:_DAY_CHARS] == day.iso:
        return stamp
    there = dt.datetime.fromtimestamp(stamp.epoch, local).isoformat(timespec="seconds")
    return Stamp(there, stamp.epoch) if there[:_DAY_CHARS] == day.iso else stamp
