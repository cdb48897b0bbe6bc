"""What addresses of one site have in common: those of its articles, and those where its scripts fetch lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from articlebot.extraction.urlshape import general_shape

# Articles that data name at least, to be a list.
LEAST_DATA = 2
# What an article is asked for by, beside the words of its title: 417-a-new-bridge, a-new-bridge-417.
_BEFORE, _BEHIND = re.compile(r"\d+-."), re.compile(r"(?=[\d-]*[^\d.-])[^.]*-\d+(?:\.|\Z)")
_WORDS = re.compile(r"[^\W\d_]+")


def alike(urls: Sequence[str]) -> list[str]:
    """How addresses are made of what articles are called, likeliest first, where they differ in their last part alone.

    That may begin or end with a number beside words: ``/blog/{id}-{slug}``, ``/blog/{slug}-{id}``.
    """
    paths = [urlsplit(url).path.rpartition("/") for url in urls if "?" not in url]
    ends = {(folder, last.partition(".")[2]) for folder, _, last in paths}
    if len(ends) != 1 or not LEAST_DATA <= len(paths) == len(urls):
        return []
    (folder, ending) = ends.pop()
    names = ["{id}"]
    if all(_BEHIND.match(last) for _, _, last in paths):
        names.insert(0, "{slug}-{id}")
    if all(_BEFORE.match(last) for _, _, last in paths):
        names.insert(0, "{id}-{slug}")
    return [f"{folder}/{name}{ending and '.'}{ending}" for name in names]


def place_of(url: str) -> str:
    """An address without what tells sections apart."""
    return general_shape(url.partition("?")[0])


def is_alike(place: str, other: str) -> bool:
    """Whether two places differ in a word beside the page's number at most: /data/town_1.js, /data/trade_1.js."""
    (above, _, last), (folder, _, end) = place.rpartition("/"), other.rpartition("/")
    return place == other or (above == folder and "<" in last and _WORDS.sub("", last) == _WORDS.sub("", end))
