"""The search of a site's own, which lists all of it where nothing in particular is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any
from urllib.parse import urlencode, urlsplit

from articlebot.page import Page
from articlebot.page.anchors import anchors_of
from articlebot.urls import same_site

SEARCH_KEYS = re.compile(
    r"(?:\A|&)(?P<key>q|s|query|search|keywords?|wd|kw|term|sort\w*|order\w*|filter|lang|sid|"
    r"view(?==(?:grid|list|tiles?|cards?|compact|mobile|print|all)))=",
    re.I,
)
_EMPTY_SEARCH = re.compile(r"(?:\A|&)(?:q|s|query|search|keywords?|wd|kw|term)=(?:&|\Z)", re.I)
_MOST_FORMS, _MOST_FIELDS = 5, 20
_TICKED = frozenset("checkbox radio".split())
_OF_SEARCHES = frozenset("search text hidden submit image button reset select date month number".split()) | _TICKED


def searches(page: Page) -> Iterator[str]:
    """The site's own search for nothing in particular, which lists all: links to it, then its form."""
    for anchor in anchors_of(page):
        if _EMPTY_SEARCH.search(urlsplit(anchor.url).query) and same_site(anchor.url, page.url):
            yield anchor.url
    for form in page.by_tag["form"][:_MOST_FORMS]:
        fields: list[Any] = [one for one in islice(form.iter("input", "select"), _MOST_FIELDS) if one.get("name")]
        kinds = ["select" if one.tag == "select" else (one.get("type") or "text").lower() for one in fields]
        url = page.resolve(form.get("action") or page.url)
        if (form.get("method") or "get").lower() != "get" or not same_site(url, page.url):
            continue
        asked = [one.get("name") for one, kind in zip(fields, kinds, strict=True) if kind in ("search", "text")]
        if len(asked) == 1 and SEARCH_KEYS.match(f"{asked[0]}=") and set(kinds) <= _OF_SEARCHES:
            kept = [(one, kind) for one, kind in zip(fields, kinds, strict=True) if one.get("name") != asked[0]]
            pairs = [(one.get("name") or "", _unasked(one)) for one, kind in kept if kind not in _TICKED]
            yield f"{url.partition('?')[0]}?{urlencode([(str(asked[0]), ''), *pairs])}"


def _unasked(field: Any) -> str:
    """What a field of a form is sent with that nobody has touched; of a menu, its first entry, which mostly is all."""
    if field.tag != "select":
        return field.get("value") or ""
    options = list(islice(field.iter("option"), _MOST_FIELDS))
    first: Any = next((one for one in options if one.get("selected") is not None), next(iter(options), None))
    return "" if first is None else first.get("value") or ""
