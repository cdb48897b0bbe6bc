"""Lists that a form of menus to choose from leads to: ``<select name="month">`` in a form that is sent by GET."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import Any
from urllib.parse import urlencode

from articlebot.errors import RefusedError
from articlebot.page import Page
from articlebot.page.forms import hidden_fields
from articlebot.page.text import fold
from articlebot.urls import canonical_url, same_site

# A year of days, or ten years of months by two menus.
_MOST, _MOST_FORMS, _MOST_MENUS = 400, 5, 3
_TYPED = frozenset("text search password email number tel url date file".split())


def choices(page: Page) -> Iterator[tuple[str, str]]:
    """Canonical addresses on the page's site, each with what it is called; of forms without anything to type in."""
    for form in page.by_tag["form"][:_MOST_FORMS]:
        one: Any = form
        url = page.resolve(one.get("action") or page.url).partition("?")[0]
        menus = [menu for menu in islice(one.iter("select"), _MOST_MENUS + 1) if menu.get("name")]
        fields = list(islice(one.iter("input"), 2 * _MOST_MENUS))
        typed = any((field.get("type") or "text").lower() in _TYPED for field in fields)
        if (one.get("method") or "get").lower() != "get" or typed or not 0 < len(menus) <= _MOST_MENUS:
            continue
        if not same_site(url, page.url):
            continue
        kept = hidden_fields(fields, len(fields))
        options = [[(menu.get("name"), *_option(option)) for option in menu.iter("option")] for menu in menus]
        for chosen in islice(product(*options), _MOST):
            pairs = [*kept, *((name, value) for name, value, _ in chosen)]
            if all(value for _, value, _ in chosen):
                try:
                    yield canonical_url(f"{url}?{urlencode(pairs)}"), " ".join(text for _, _, text in chosen)
                except RefusedError:
                    continue


def _option(option: Any) -> tuple[str, str]:
    """What an option is sent as, and what it is called."""
    text = fold("".join(option.itertext()))
    return (option.get("value") if option.get("value") is not None else text), text
