"""The articles that an article's page names: the one before and the one after, and what it recommends."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from itertools import islice
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from articlebot.extraction.lists import article_links
from articlebot.extraction.urlshape import general_shape, of_any_number
from articlebot.items import Link
from articlebot.page import Page
from articlebot.page.anchors import BACKWARD, FORWARD, MAX_ANCHORS
from articlebot.page.text import fold
from articlebot.urls import canonical_or_none, same_site

_MOST, _MOST_RELATED = 4, 10
_MOST_TEXT, _MOST_LABEL = 300, 40
_ARROWS = BACKWARD + FORWARD
_WORDS = (
    r"prev(?:ious)?|next|older|newer|earlier|later|précédente?|suivante?|(?:vor|nach)herige[rs]?|nächste[rs]?|ältere[rs]?|"
    r"neuere[rs]?|anterior|siguiente|seguinte|próxim[ao]|precedente|successiv[ao]|vorige|volgende|предыдущ\w{2,3}|следующ\w{2,3}"
)
_HAN = r"[上下前后後][一1]?[篇条條则則]|[前次]の(?:記事|ニュース)|(?:이전|다음)\s?(?:글|기사)"
# What a link begins or ends with, what stands before it, and what it or its place is called.
_SAYS = re.compile(
    rf"\W{{0,5}}(?:\b(?:{_WORDS})\b|{_HAN})|\s{{0,3}}[{_ARROWS}]|.{{1,{_MOST_TEXT}}}[{_ARROWS}]\s{{0,3}}\Z", re.I | re.S
)
_LABEL = re.compile(rf"(?:\b(?:{_WORDS})\b.{{0,12}}|(?:{_HAN}).{{0,4}}|[{_ARROWS}])\W{{0,5}}\Z", re.I | re.S)
_NAMED = re.compile(r"(?:\A|[\s_-])(?:prev(?:ious)?|next|older|newer|shangyi\w{0,5}|xiayi\w{0,5})(?:\Z|[\s_-])", re.I)


def neighbours(page: Page, further: Collection[str] = ()) -> list[Link]:
    """The links to them, four at most; their addresses are like the page's own.

    Args:
        further: addresses of the article's own further pages.
    """
    found, is_alike = dict[str, Link](), _alike(page.url)
    for element in [*page.by_tag["link"][:MAX_ANCHORS], *page.by_tag["a"][:MAX_ANCHORS]]:
        one: Any = element
        href = (one.get("href") or "").strip()
        if not href or href.startswith(("#", "javascript:")) or not _says(one):
            continue
        url = canonical_or_none(page.resolve(href))
        if url is None or url in further or url == page.url:
            continue
        if same_site(url, page.url) and is_alike(url):
            found.setdefault(url, Link(url=url, text=fold("".join(one.itertext()))[:_MOST_TEXT]))
    return list(found.values())[:_MOST]


def related(page: Page, further: Collection[str] = ()) -> list[Link]:
    """The articles that an article's page recommends, ten at most; for ``further`` see ``neighbours``."""
    is_alike = _alike(page.url)
    links = (link for link in article_links(page) if link.url not in further and is_alike(link.url))
    return [*islice((link for link in links if same_site(link.url, page.url)), _MOST_RELATED)]


def _alike(own: str) -> Callable[[str], bool]:
    """Whether an address is made like a page's; where their paths differ, one may have parameters, of a session say."""
    parts, shape = urlsplit(own), _shape(own)
    path, bare = parts.path.lower(), _shape(urlunsplit(parts._replace(query="")))

    def is_alike(url: str) -> bool:
        one = urlsplit(url)
        if one.path.lower() == path:
            return _shape(url) == shape
        return _shape(urlunsplit(one._replace(query=""))) == bare

    return is_alike


def _shape(url: str) -> str:
    return of_any_number(general_shape(url))


def _says(element: Any) -> bool:
    """Whether an element leads to what comes before or after, by its own word, its name or the text before it."""
    if {"prev", "previous", "next"} & set((element.get("rel") or "").lower().split()):
        return True
    if element.tag == "link":
        return False
    text = fold("".join(element.itertext())[: 2 * _MOST_TEXT])
    above = element.getparent()
    names = [element.get(name) or "" for name in ("class", "id", "title", "aria-label")]
    names += [above.get(name) or "" for name in ("class", "id")] if above is not None else []
    return bool(_SAYS.match(text) or _LABEL.search(_before(element)) or any(map(_NAMED.search, names)))


def _before(element: Any) -> str:
    """The text right before an element, within the one that holds it."""
    other = element.getprevious()
    if other is not None:
        return (other.tail or "").strip()[-_MOST_LABEL:] or "".join(other.itertext())[-_MOST_LABEL:].strip()
    above = element.getparent()
    return "" if above is None else (above.text or "")[-_MOST_LABEL:].strip()
