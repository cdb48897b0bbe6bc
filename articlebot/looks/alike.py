"""What addresses of one site have in common: those of its articles, and those where its scripts fetch lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from articlebot.extraction.urlshape import general_shape

# Articles that data name at least, to be a list.
LEAST_DATA = 2
_NUMBERED = re.compile(r"\d+-.")
_WORDS = re.compile(r"[^\W\d_]+")


def alike(urls: Sequence[str]) -> str | None:
    """How addresses are made of what articles are called, where they differ in their last part alone; else None.

    That may begin with a number and go on with words: ``/blog/{id}-{slug}``.
    """
    paths = [urlsplit(url).path.rpartition("/") for url in urls if "?" not in url]
    ends = {(folder, last.partition(".")[2]) for folder, _, last in paths}
    if len(ends) != 1 or not LEAST_DATA <= len(paths) == len(urls):
        return None
    (folder, ending) = ends.pop()
    numbered = all(_NUMBERED.match(last) for _, _, last in paths)
    return f"{folder}/{{id}}{'-{slug}' if numbered else ''}{ending and '.'}{ending}"


def place_of(url: str) -> str:
    """An address without what tells sections apart."""
    return general_shape(url.partition("?")[0])


def is_alike(place: str, other: str) -> bool:
    """Whether two places differ in a word beside the page's number at most: /data/town_1.js, /data/trade_1.js."""
    (above, _, last), (folder, _, end) = place.rpartition("/"), other.rpartition("/")
    return place == other or (above == folder and "<" in last and _WORDS.sub("", last) == _WORDS.sub("", end))
