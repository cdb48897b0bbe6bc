"""The pages of an article joined in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lxml import html as lxml_html

from articlebot.extraction.paging import MAX_PAGES
from articlebot.page.text import fold, units


def join(parts: Sequence[str]) -> str:
    """The texts of an article's pages as one: what repeats from page to page (heads, notes, pagers) is kept once.

    A part that is the same as an earlier one (a site that ignores the page number) adds nothing.
    """
    seen: set[str] = set()
    joined: list[str] = []
    for index, part in enumerate(parts[:MAX_PAGES]):
        lines = [line for line in part.split("\n") if line.strip()]
        keys = [fold(line) for line in lines]
        fresh = [key not in seen for key in keys]
        if index and not any(fresh):
            continue
        first = fresh.index(True) if True in fresh else len(fresh)
        last = len(fresh) - 1 - fresh[::-1].index(True) if True in fresh else -1
        for i, line in enumerate(lines):
            if index and not fresh[i] and (i < first or i > last or units(keys[i]) >= 20):
                continue
            joined.append(line)
        seen.update(keys)
    return "\n".join(joined)


def join_html(parts: Sequence[str]) -> str:
    """Clean HTML fragments of an article's pages as one; a top-level element that repeats is kept once."""
    seen: set[str] = set()
    kept: list[str] = []
    for index, part in enumerate(parts[:MAX_PAGES]):
        if not part.strip():
            continue
        for element in _fragments(part):
            if isinstance(element, str):
                markup, key = element, fold(element)
            else:
                markup = lxml_html.tostring(element, encoding="unicode", with_tail=True)
                key = fold(element.text_content()) or markup
            if index and key in seen:
                continue
            seen.add(key)
            kept.append(markup)
    return "".join(kept)


def _fragments(markup: str) -> list[Any]:
    try:
        return list(lxml_html.fragments_fromstring(markup))
    except (ValueError, lxml_html.etree.ParserError):
        return [markup]
