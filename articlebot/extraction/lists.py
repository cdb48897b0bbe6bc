"""Which links of a list page are its news.

Links are grouped by where they stand (path of tags and classes), because a list repeats one structure for each of its
entries. A group is judged as a whole by the length of its anchor texts, by what its URLs look like and by the part of
the page it stands in; navigation has short texts, section URLs or stands in a menu.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from copy import copy
from itertools import islice, permutations
from typing import Any
from urllib.parse import urlsplit

from articlebot.extraction.listed_days import MIN_LIST, links_of
from articlebot.extraction.url_words import is_about_site, is_offer, is_side_list, serves
from articlebot.extraction.urlshape import looks_like_article, shape
from articlebot.items import Link
from articlebot.page.anchors import MORE, Anchor, anchors_of
from articlebot.page.entries import days_apart, held, tells_own_day
from articlebot.page.page import Page
from articlebot.page.script_values import markup_in
from articlebot.page.text import units
from articlebot.urls import is_front

_ACCEPTED = 0.5
_MIN_UNITS, _WORD = 4, 10  # of a link; of a menu's word or two
# How surely an address is an article's that needs no words: many of its shape were.
_LEARNED = 0.9
# What ``looks_like_article`` gives to addresses with a word of lists in them, such as /tags/snow.
_OF_LISTS = 0.1
Judge = Callable[[str], float]

_CLASSES = re.compile(r"[.#][^/]*")
# A paper's page, a report: no page of a list either.
DOCUMENT = re.compile(r"\.(?:pdf|docx?|odt|rtf)(?:\?|\Z)", re.I)
# Links of an entry: its page, its document, and the picture of either.
_MOST_IN_ENTRY = 3
_HEADLINE = 12  # units of a text that is no section's name, which may stand in its headlines
_ADVERT = re.compile(r"\b(?:sponsored|nofollow sponsored|advert\w*)\b", re.I)


def article_links(
    page: Page, pattern: str | None = None, regions: Sequence[str] = (), *, judge: Judge | None = None,
    places: Collection[str] = (),
) -> list[Link]:  # fmt: skip
    """The links of a list page that lead to its articles, in the page's order, one per address.

    Args:
        pattern: a regular expression; where given it alone decides (searched in the absolute URL).
        regions: CSS selectors or XPaths of the parts that carry the news; empty means the page as a whole.
        judge: how likely a URL is an article, such as `Shapes.judge` of the job; `looks_like_article` by default.
        places: where other lists of the site have their articles (``places_of``): the last page of a list may show one.

    Raises:
        ValueError: a pattern, selector or XPath that cannot be read.
    """
    anchors = [*anchors_of(page, regions)]
    if not regions and (markup := markup_in(page)):
        known = {anchor.url for anchor in anchors}
        anchors += [anchor for anchor in _of_markup(page, markup) if anchor.url not in known]
    if pattern is not None:
        matcher = re.compile(pattern)
        return links_of((a for a in anchors if matcher.search(a.url)), page)
    judge = judge or looks_like_article
    anchors = [copy(anchor) for anchor in anchors]  # others have the same ones, without a score
    _score(anchors, urlsplit(page.url).hostname or "", judge, chosen=bool(regions))
    own = {anchor.url for anchor in anchors}
    taken = [a for a in anchors if a.score >= _ACCEPTED or (a.path in places and _may_stand_there(a, own))]
    # Boxes of events, jobs and goods look as those of news do, and so do those of documentation.
    taken = [a for a in taken if not is_offer(a.url) or judge(a.url) >= _ACCEPTED] or taken
    taken = [a for a in taken if not is_about_site(a.url)] or taken
    return links_of(_told_once(_without_copies(taken)), page)


def _of_markup(page: Page, markup: str) -> tuple[Anchor, ...]:
    """The links of markup that a page's scripts hold and show."""
    return anchors_of(Page.parse(markup.encode(), page.base_url, "text/html; charset=utf-8"))


def places_of(page: Page, links: Sequence[Link], known: frozenset[str]) -> frozenset[str]:
    """Those known, and where a page has its list: places of four links or more, of which most lead to articles."""
    taken = {path: count for path, count in Counter(one.region for one in links).items() if count >= MIN_LIST}
    if not taken.keys() - known:
        return known
    every = Counter(anchor.path for anchor in anchors_of(page) if not anchor.menu)
    return known | {path for path, count in taken.items() if 2 * count >= every[path]}


def scored(
    links: Sequence[Link], host: str, judge: Judge, pattern: str | None = None, *, headings: Collection[str] = (),
    chosen: bool = False,
) -> list[Link]:  # fmt: skip
    """Those of some links that lead to articles, judged as those of a page: what stands in one region is a list.

    Args:
        host: of the page.
        pattern: as for ``article_links``.
        headings: addresses of links that stand out as a page's headlines do.
        chosen: the links were made to be a list.
    """
    if pattern is not None:
        return [link for link in links if re.search(pattern, link.url)]
    anchors = [
        Anchor(link.url, link.text, None, link.region, menu=False, heading=link.url in headings) for link in links
    ]
    _score(anchors, host, judge, chosen=chosen)
    return [link for link, anchor in zip(links, anchors, strict=True) if anchor.score >= _ACCEPTED]


def _score(anchors: list[Anchor], host: str, judge: Judge, *, chosen: bool) -> None:
    groups: dict[tuple[str, bool], list[Anchor]] = {}
    shapes: dict[str, int] = {}
    for anchor in anchors:
        groups.setdefault((anchor.path, _same_site(anchor.url, host)), []).append(anchor)
        shapes[shape(anchor.url)] = shapes.get(shape(anchor.url), 0) + 1
    for (_, own), members in groups.items():
        lengths = sorted(units(a.entry or a.text) for a in members)
        typical = lengths[len(lengths) // 2]
        judged = [judge(a.url) for a in members]
        mean_judged = sum(judged) / len(judged)
        for anchor, one in zip(members, judged, strict=True):
            # Tags stand where the headlines do that they belong to; their addresses say what they are.
            usual = typical if one > _OF_LISTS else units(anchor.entry or anchor.text)
            anchor.score = _one(anchor, usual, 0.7 * one + 0.3 * mean_judged, own=own, many=len(members), chosen=chosen)
            if one == 0.0:
                anchor.score = 0.0
        _with_siblings(members)
    # The classes of an entry may say of what section it is, so that a list falls into one for each.
    plain: dict[tuple[str, bool], list[Anchor]] = {}
    for (path, own), members in groups.items():
        plain.setdefault((_CLASSES.sub("", path), own), []).extend([one for one in members if one.heading])
    for members in plain.values():
        _with_siblings(members)
    if not chosen and not any(_leads_to_news(members) for (_, own), members in groups.items() if own):
        _only_list(list(groups.values()))


def _with_siblings(members: list[Anchor]) -> None:
    """Short entries of a list go with the others: the same place, an address of the same shape.

    Where nearly all are taken, an address in the same folder will do, ``/blog/uses/``: if each has its day, or if none
    has and all of them lie in that folder.
    """
    shapes = {shape(a.url) for a in members if a.score >= _ACCEPTED}
    if len(members) < MIN_LIST or sum(a.score >= _ACCEPTED for a in members) * 2 < len(members):
        return
    short = [a for a in members if 0.0 < a.score < _ACCEPTED and not a.menu]
    for anchor in short:
        anchor.score = _ACCEPTED if shape(anchor.url) in shapes else anchor.score
    folders = {_folder(a.url) for a in members if a.score >= _ACCEPTED}
    left = [a for a in short if a.score < _ACCEPTED and _folder(a.url) in folders and not _leads_elsewhere(a.url)]
    if not left or not _are_most([a.score >= _ACCEPTED for a in members]):
        return  # of a forum's links to members, fewer look like articles
    told = dict(zip(map(id, members), _tell_days(members), strict=True))
    alike = not any(told.values()) and len(folders) == 1 and not any(map(is_front, folders))
    for anchor in left if alike or _are_most([*told.values()]) else ():
        anchor.score = _ACCEPTED if alike or told[id(anchor)] else anchor.score


def _folder(url: str) -> str:
    return url.rstrip("/").rpartition("/")[0]


def _leads_to_news(members: list[Anchor]) -> bool:
    """Whether more than one link of a place looks like news: a lone one may be a programme's or a promotion's."""
    return sum(anchor.score >= _ACCEPTED for anchor in members) > 1


def _only_list(groups: list[list[Anchor]]) -> None:
    """Where no link looks like news, the one list outside of menus, if there is one, is what the page is for."""
    outside = [g for g in groups if not g[0].menu]
    # A gallery's pictures are no pages; what a page of all tags or authors leads to are lists.
    named = ([one for one in g if not _leads_elsewhere(one.url) and looks_like_article(one.url)] for g in outside)
    largest = max(named, key=len, default=[])
    if len(largest) < MIN_LIST or len(largest) * 10 < 6 * sum(map(len, outside)):
        return
    names = [urlsplit(a.url).path.rstrip("/").rpartition("/")[2] for a in largest]
    numbered = [any(c.isdigit() for c in name) for name in names]
    # A menu of files has words: /main.html, /list.html.
    files = ("." in name and units(a.text) > _WORD for a, name in zip(largest, names, strict=True))
    likely = [*map(any, zip(numbered, files, strict=True))]
    if not (_are_most(likely) or _are_most([*map(any, zip(likely, _tell_days(largest), strict=True))])):
        return
    if len(set(names)) * 2 <= len(names):
        return  # /town/list.shtml, /coast/list.shtml: sections
    # Pictures alone may be a list, whose headlines the articles have.
    pictures = all(not a.text and n and _is_picture(a.element) for a, n in zip(largest, numbered, strict=True))
    for anchor in largest:
        told = anchor.entry or (units(anchor.text) >= _MIN_UNITS and not MORE.match(anchor.text))
        if (told or pictures) and not _ADVERT.search(anchor.rel):
            anchor.score = _ACCEPTED


def _are_most(likely: Sequence[bool]) -> bool:
    return sum(likely) * 10 >= 8 * len(likely)


def _tell_days(anchors: Sequence[Anchor]) -> list[bool]:
    """Of each link whether a day stands in its entry or beside it, as it does beside no section."""
    elements = [anchor.element for anchor in anchors]
    if None in elements:
        return [False] * len(elements)
    others = held(elements)
    days = days_apart(elements, others)
    return [one in days or tells_own_day(one, others) for one in elements]


def _is_picture(element: Any) -> bool:
    return element is not None and (element.tag == "area" or next(element.iter("img"), None) is not None)


def _may_stand_there(anchor: Anchor, own: Collection[str]) -> bool:
    """Whether a link where lists have their articles may be one, though nothing else speaks for it."""
    bare, asks, _ = anchor.url.partition("?")  # "Reply" and "Share" ask an article that the page leads to
    # A lone "Read more" cannot be told to be an entry's by itself.
    is_more = MORE.match(anchor.text) and not (asks and bare in own) and not _ADVERT.search(anchor.rel)
    may_be = anchor.score > 0.0 or is_more
    return bool(may_be) and not anchor.menu and not _leads_elsewhere(anchor.url)


def _without_copies(anchors: list[Anchor]) -> list[Anchor]:
    """The links but the documents that stand in one entry with a page, which says the same: "Download PDF"."""
    if not any(DOCUMENT.search(a.url) for a in anchors):
        return anchors
    pages = {_entry_of(a.element) for a in anchors if not DOCUMENT.search(a.url)}
    return [a for a in anchors if not (DOCUMENT.search(a.url) and (_entry_of(a.element) in pages or _is_sheet(a)))]


def _told_once(anchors: list[Anchor]) -> list[Anchor]:
    """The links but those that say another's headline once more, "Read more about …", at its address with parameters.

    Of the two addresses the shorter one stays: what the other asks for beside it, as the way back, changes nothing.
    """
    alike: dict[str, list[Anchor]] = {}
    for anchor in anchors:
        alike.setdefault(anchor.url.partition("?")[0], []).append(anchor)
    again: set[int] = set()
    for some in (some for some in alike.values() if 1 < len(some) <= _MOST_IN_ENTRY):
        for one, other in permutations(some, 2):
            asked, rest = (set(urlsplit(a.url).query.split("&")) - {""} for a in (one, other))
            short, long = sorted((one.text, other.text), key=len)
            if rest < asked and short in long and units(short) >= _HEADLINE:
                first, second = (other, one) if other.heading or not one.heading else (one, other)
                first.url = other.url
                again.add(id(second))
    return [anchor for anchor in anchors if id(anchor) not in again]


def _is_sheet(anchor: Anchor) -> bool:
    """Whether a document that is only called what it is stands beside a link that its entry is of: a paper's page."""
    others = _entry_of(anchor.element).iter("a") if anchor.entry else ()
    return any(one is not anchor.element and not DOCUMENT.search(one.get("href") or "") for one in others)


def _entry_of(element: Any) -> Any:
    """The entry of a list in which an element stands: where no tag says so, what holds it beside few other links."""
    entry = next((one for one in element.iterancestors() if one.tag in ("tr", "li", "article")), None)
    if entry is not None:
        return entry
    above = element.getparent()
    few = above is not None and len(list(islice(above.iter("a"), _MOST_IN_ENTRY + 1))) <= _MOST_IN_ENTRY
    return above if few else element


def _leads_elsewhere(url: str) -> bool:
    return _leads_about(url) or (is_side_list(url) and looks_like_article(url) <= _OF_LISTS)


def _leads_about(url: str) -> bool:
    """Whether an address is the site's front page, or is called as pages are that serve."""
    return is_front(url) or serves("/" + urlsplit(url).path.rstrip("/").rpartition("/")[2])


def _one(anchor: Anchor, typical: int, url_score: float, *, own: bool, many: int, chosen: bool) -> float:
    text = anchor.entry or anchor.text
    length = units(text)
    if not text and own and url_score >= _LEARNED and not anchor.menu:
        return _ACCEPTED
    about = bool(anchor.entry) and _leads_about(anchor.url)
    if length < _MIN_UNITS or MORE.match(text) or about or _ADVERT.search(anchor.rel):
        return 0.0
    text_score = min(1.0, max(0.0, (0.6 * typical + 0.4 * length - 9.0) / 26.0))
    score = 0.42 * text_score + 0.58 * url_score
    score += 0.14 if anchor.heading else 0.0
    score += 0.05 if many >= 4 else 0.0
    score += 0.1 if chosen else 0.0
    score -= 0.3 if anchor.menu and not anchor.heading else 0.0
    score -= 0.0 if own else 0.12
    return score


def _same_site(url: str, host: str) -> bool:
    other = urlsplit(url).hostname or ""
    a, b = other.split(".")[-3:], host.split(".")[-3:]
    return other == host or (a[-2:] == b[-2:] and (len(a[-2]) > 3 if len(a) > 1 else False)) or a == b
