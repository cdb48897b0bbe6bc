"""The numbered links of a list's pager: how far behind the page each one leads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from articlebot.page.text import line_of
from articlebot.sources.counting import counts_entries, number_of
from articlebot.sources.dated import dated
from articlebot.sources.pager_words import NUMBER

MOST_TEXT = 40
_OF_CALENDARS = re.compile(
    r"day|date|month|year|week|\A[dmy]\Z|id\Z|d[ií]a|jour|tag\Z|giorn|dag\Z|mes(?:e|ec|iac)?\Z|mois|mon[ao]t|maand|"
    r"ann?[oé]e?\Z|rok\Z|jahr|jaar",
    re.I,
)
_INDEX = re.compile(r"/(?:index(\d{0,3})\.\w{2,5})?\Z")
_AROUND_A_NUMBER, _OF_TABLES = frozenset({"li", "span", "b", "strong", "em"}), frozenset({"td", "th", "tr"})

# What leads to other pages of the page's host, with their addresses.
Targets = Sequence[tuple[Any, str]]


def place_of(url: str, own: str, label: int) -> int | None:
    """How far behind the page a numbered link of its pager leads; None where it is not what comes next.

    The address has to differ by a number, or it is a day of a calendar.
    """
    # What names a folder of the other address counts no pages: /list/12/, /list/12/list_12_2.html, /list/12?page=2.
    inside = f"{urlsplit(url).path}/".startswith(urlsplit(own).path.rstrip("/") + "/")
    number = number_of(own, loose=not inside)
    if counts_entries(url):  # in steps of as many as stand on a page
        there = number_of(url) or 0
        return there - (number or 0) if there > (number or 0) else None
    if _differs_by_number(url, label):
        return 0 if label == (number or 1) + 1 else None
    current = _current(url, own, label)
    return label - current if current is not None and label > current else None


def _current(url: str, own: str, label: int) -> int | None:
    """The own page's number where a link's address differs by its label alone, whatever the parameter's name is."""
    there, here = (urlsplit(one) for one in (url, own))
    asked, mine = (dict(parse_qsl(one.query, keep_blank_values=True)) for one in (there, here))
    if there.path != here.path or dated(url) is not None:
        return None
    for key, value in asked.items():
        rest = {name: one for name, one in asked.items() if name != key}
        same = rest == {name: one for name, one in mine.items() if name != key}
        if same and value in (str(label), str(label - 1)) and not _OF_CALENDARS.search(key):
            return int(mine[key]) + label - int(value) if mine.get(key, "").isdecimal() else 1
    return None


def among(targets: Targets, own: str) -> str | None:
    """Of numbered links to the page's own path that differ by their labels alone, the one behind the page's number.

    Portals write a parameter of their own: ?sv.12.7c88.route=/2 (SiteVision), ?tx_list_42=2.
    """
    pagers: dict[tuple[str, str], dict[int, str]] = {}
    for element, url in targets:
        label = NUMBER.match(line_of(element)[:MOST_TEXT])
        number = int(label[1]) if label else 0
        places = [*re.finditer(rf"(?<!\d){number}(?!\d)", url)] if label else []
        if places and dated(url) is None and urlsplit(url).path == urlsplit(own).path:
            before, behind = url[: places[-1].start()], url[places[-1].end() :]
            key = re.split(r"[?&]", before)[-1].partition("=")[0]
            if "?" in before and "=" in before and not _OF_CALENDARS.search(key):
                pagers.setdefault((before, behind), {})[number] = url
    for (before, behind), urls in pagers.items():
        asked = own[len(before) : len(own) - len(behind)] if own.startswith(before) and own.endswith(behind) else ""
        number = int(asked) if asked.isdecimal() else 1
        if not asked and "?" in own and 1 not in urls:
            continue
        if len(urls) > 1 and not urls.keys().isdisjoint({1, 2, number - 1}) and number + 1 in urls:
            return urls[number + 1]
    return None


def counted_back(targets: Targets, own: str) -> str | None:
    """The next index, index2.html behind index1.html, where a list calls it the previous page: it is of older posts.

    Blogs that were made in their authors' shells do; of others it leads to what is newer, which has no higher number.
    """
    here = _INDEX.search(own)
    for one, url in targets if here else ():
        there = _INDEX.search(url) if "prev" in (one.get("rel") or "").lower().split() else None
        if here and there and url[: there.start()] == own[: here.start()]:
            return url if int(there[1] or 0) == int(here[1] or 0) + 1 else None
    return None


def labelled(targets: Targets, own: str) -> str | None:
    """Of a row of links whose labels count pages and whose addresses do not, the one behind the page's own place.

    The page's own number is the one that lacks among them. Pages get other numbers where some are gone, or tokens.
    """
    rows: dict[Any, dict[int, str]] = {}
    for element, url in targets:
        label = NUMBER.match(line_of(element)[:MOST_TEXT])
        row = next((one for one in element.iterancestors() if one.tag not in _AROUND_A_NUMBER), None)
        if label and row is not None and row.tag not in _OF_TABLES and dated(url) is None and _is_beside(url, own):
            rows.setdefault(row, {}).setdefault(int(label[1]), url)
    for urls in rows.values():
        number = next((n + 1 for n in sorted(urls) if n + 1 not in urls and n + 2 in urls), 0 if 1 in urls else 1)
        if len(urls) > 1 and number and [*urls] == sorted(urls) and len({_made_of(url) for url in urls.values()}) < 3:
            return urls.get(number + 1)
    return None


def _is_beside(url: str, own: str) -> bool:
    """Whether an address is of the own page's folder, or of the page itself but for one parameter that is no day."""
    there, here = urlsplit(url), urlsplit(own)
    asked = parse_qsl(there.query)
    if any(_OF_CALENDARS.search(key) for key, _ in asked):
        return False
    return there.path == here.path if asked else there.path.rpartition("/")[0] == here.path.rpartition("/")[0]


def _made_of(url: str) -> tuple[str, ...]:
    """An address without its numbers and the values of its parameters."""
    parts = urlsplit(url)
    return (re.sub(r"\d+", "", parts.path), *(key for key, _ in parse_qsl(parts.query)))


def _differs_by_number(url: str, number: int) -> bool:
    there = number_of(url, loose=dated(url) is None)  # of a day's list, what counts its pages says so
    return there in (number, number - 1)
