"""Issues, months, years and letters by what links to them say, where addresses do not: ``第22期``, ``Issue 41``, A."""

from __future__ import annotations

import re
from collections import defaultdict
from urllib.parse import unquote

from articlebot.extraction.fields.date_words import MONTHS, unaccented
from articlebot.extraction.urlshape import shape
from articlebot.page import Page
from articlebot.page.anchors import anchors_of
from articlebot.sources.dated import SEASONS, Dated, by_number
from articlebot.urls import canonical_or_none, same_site

# Links of one sort that say so from which on a page leads to issues: one may be the newest's cover, two its neighbours.
_LEAST, _MOST_TEXT = 3, 40
# The same of letters by which a list is cut: fewer are grades and sizes, A, B and C.
_LEAST_LETTERS = 5
_SAID = re.compile(
    r"(?:(?:(?:19|20)\d\d\s?[年년]\s?)?第?제?\s?\d{1,4}\s?[期号號호]|"
    r"(?:(?:19|20)\d\d|(?:令和|平成|民[國国])\s?(?:元|\d{1,3}))\s?[年년]\s?\d{1,2}\s?[月월][刊号號호]?|"
    r"总第?\s?\d{1,4}\s?期|(?:vol(?:ume|\.)?\s?\d{1,3}[\s,./-]{0,3})?(?:issue|no\.?|nr\.?|number|heft|ausgabe|num[eé]ro|"
    r"n[uú]mero|n[º°]|edi[cç][aã]o|edici[oó]n|№|выпуск|номер|numer|[cč][ií]slo)\s?(?:no\.?|nr\.?)?\s?#?\s?\d{1,4}"
    r"(?:\s?[/-]\s?(?:20)?\d\d)?|(?P<name>[^\W\d_]{3,12})\.?\s(?:19|20)\d\d|(?P<year>(?:19|20)\d\d)\s?[年년]?)"
    r"(?:\s?[（(][^（）()]{1,30}[)）])?",
    re.I,
)


def issues(page: Page) -> tuple[Dated, ...]:
    """The issues, months or years that a page leads to, the newest first; none where fewer than three links say so."""
    alike: defaultdict[str, dict[str, Dated]] = defaultdict(dict)
    lettered: defaultdict[str, dict[str, Dated]] = defaultdict(dict)
    for anchor in anchors_of(page):
        letter = anchor.text.strip()
        is_letter = len(letter) == 1 and letter.isalpha()
        url = canonical_or_none(anchor.url) if is_letter or _is_said(anchor.text, anchor.url) else None
        if url and url != canonical_or_none(page.url) and same_site(url, page.url):
            group = lettered[_without(url, letter)] if is_letter else alike[shape(url)]
            group[url] = by_number(url)
    found = [one for group in alike.values() if len(group) >= _LEAST for one in group.values()]
    found += [one for group in lettered.values() if len(group) >= _LEAST_LETTERS for one in group.values()]
    return tuple(sorted(found, key=lambda one: one.order, reverse=True))


def _without(url: str, letter: str) -> str:
    """An address without the letter that it asks for, by which those of one list are alike."""
    return re.sub(
        rf"(?<![^\W_]){re.escape(letter)}(?![^\W_])", "*", unquote(url.split("/", 3)[-1]), count=1, flags=re.I
    )


def _is_said(text: str, url: str) -> bool:
    match = _SAID.fullmatch(text.strip()) if len(text) <= _MOST_TEXT else None
    return (
        match is not None
        and (not match["name"] or unaccented(match["name"]).lower() in MONTHS.keys() | SEASONS.keys())
        and (match["year"] or "") in url  # /archive/2019.html may be the article of that number as well
    )
