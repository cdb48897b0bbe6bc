"""Addresses that differ in how they are spelled alone: a last slash, ``www.``, ``/News/``, ``?id=5&cat=2``."""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Iterable

from articlebot.bounded import Bounded
from articlebot.twins.parameters import LEAST_SAME, is_idle
from articlebot.urls import site

_HEADLINE = 22  # units of a text that no section has, as ``extraction.kinds`` has it
# A last part of a path that no two articles of a site share: a number or several words.
_TELLS, _NUMBER, _DIGIT = re.compile(r"\d{3}|[^\W\d_]-\w{1,40}-\w"), re.compile(r"\d{3}"), re.compile(r"\d")
# Links of all sites that are remembered, of some 300 bytes each: those of the pages that a process has read last.
_MOST = 40_000


class Spellings:
    """Under which spelling a page was linked first, as far as this process has seen.

    The last slash, ``www.``, the scheme and the order of parameters tell no pages apart; but a link that alone is
    spelled so may lead nowhere, and takes no other's place. Letter case is judged by titles: servers give out short
    names as ``/Ab3`` and ``/aB3``.
    One headline at one path of two hosts of a site is one article, which a chain of papers has under each of its names.
    So it is below two folders that have no numbers, of editions or sections, where what follows tells articles apart.
    """

    def __init__(self) -> None:
        self._first: OrderedDict[str, tuple[str, str]] = OrderedDict()
        self._places: Bounded[str, str] = Bounded(_MOST)  # by the last part of the path and headline
        self._styles: Counter[str] = Counter()  # pages that were linked in each first
        self._same: Counter[str] = Counter()
        self._unlike: Counter[str] = Counter()

    def others(self, links: Iterable[tuple[str, str]]) -> dict[str, str]:
        """The first spelling of links that came in another one.

        Args:
            links: canonical address and text of each.
        """
        from articlebot.page.text import units  # noqa: PLC0415 - with all that reads pages; most commands read none

        found: dict[str, str] = {}
        for url, text in links:
            bare = _bare(url)
            folded = bare.lower()
            first, title = self._first.get(folded, (url, text))
            if folded not in self._first:
                self._styles[_style(url)] += 1
            self._first[folded] = first, title or text
            self._first.move_to_end(folded)
            if first != url and (
                self._is_usual(first, url) if _bare(first) == bare else self._is_same(url, title, text)
            ):
                found[url] = first
            elif first == url and units(text) >= _HEADLINE:
                named = self._places.setdefault(f"{site(url)} {_last(url)} {text}", url)
                if named != url and _is_elsewhere(named, url):
                    found[url] = named
        while len(self._first) > _MOST:
            gone, _ = self._first.popitem(last=False)[1]
            self._styles[_style(gone)] -= 1
        return found

    def stands_for(self, first: str, other: str) -> bool:
        """Whether links to another spelling were taken for links to this address, which was linked first."""
        return other != first and self._first.get(_bare(other).lower(), ("", ""))[0] == first

    def _is_usual(self, first: str, url: str) -> bool:
        return _style(first) == _style(url) or self._styles[_style(first)] >= LEAST_SAME

    def _is_same(self, url: str, title: str, text: str) -> bool:
        if title and text:
            (self._same if title == text else self._unlike)[site(url)] += 1
        return (title == text or not text or not title) and is_idle(self._same[site(url)], self._unlike[site(url)])


def _last(url: str) -> str:
    """The last part of an address; where that has an article's number, parameters say where a link stands."""
    path, mark, query = url.partition("?")
    last = path.rpartition("/")[2]
    return last if _NUMBER.search(last) else last + mark + query


def _is_elsewhere(url: str, other: str) -> bool:
    """Whether two addresses with one last part differ in their hosts alone, or in one folder without a number."""
    there, here = url.split("/", 3), other.split("/", 3)
    if there[2] != here[2]:
        return there[3] == here[3] and _style(url) != _style(other)
    folders = [one[3].partition("?")[0].split("/") for one in (there, here)]
    differ = [pair for pair in zip(*folders, strict=False) if pair[0] != pair[1]]
    same = len(folders[0]) == len(folders[1]) and len(differ) == 1 and _TELLS.search(folders[0][-1]) is not None
    return same and not any(_DIGIT.search(folder) for folder in differ[0])


def _bare(url: str) -> str:
    """An address without what tells no pages apart: scheme, ``www.``, its path's last slash, its parameters' order."""
    address, mark, query = url.partition("?")
    pairs = "&".join(sorted(query.split("&")))
    return address.partition("://")[2].removeprefix("www.").rstrip("/") + mark + pairs


def _style(url: str) -> str:
    """Scheme and host of an address, and whether its path ends in a slash."""
    address = url.partition("?")[0]
    origin, _, path = address.partition("://")[2].partition("/")
    return f"{url.partition(':')[0]}://{origin}{path[-1:] == '/'}"
