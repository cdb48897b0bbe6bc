"""The pager that TRS WCM writes by script; many Chinese public bodies have it."""

from __future__ import annotations

import re
from typing import NamedTuple

from articlebot.page.page import Page

# In an element that may be named first: pages, this one, name, ending.
_WRITTEN = re.compile(
    r"createPageHTML\w{0,20}\(\s{0,9}(?:[\"'][\w-]{1,40}[\"']\s{0,9},\s{0,9})?(\d{1,4})\s{0,9},\s{0,9}(\d{1,4})\s{0,9},"
    r"\s{0,9}[\"']([\w-]{1,60})[\"']\s{0,9},\s{0,9}[\"'](\w{1,5})[\"']"
)


class WrittenPager(NamedTuple):
    """How many pages there are, which of them this is (TRS counts from 0), and the name and ending of the first."""

    pages: int
    here: int
    name: str
    ending: str


def written_pager(page: Page) -> WrittenPager | None:
    """The pager of a page; None where it has none."""
    match = _WRITTEN.search(page.text) if "createPageHTML" in page.text else None
    return None if match is None else WrittenPager(int(match[1]), int(match[2]), match[3], match[4])
