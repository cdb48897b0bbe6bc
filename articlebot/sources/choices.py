"""Lists that menus lead to which are no links: to choose from in a form, and in a page's data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice, product
from typing import Any
from urllib.parse import urlencode

from articlebot.page import Page
from articlebot.page.anchors import anchors_of, target_of
from articlebot.page.forms import hidden_fields
from articlebot.page.script_values import MAX_VALUES, scripts, values_of
from articlebot.page.text import fold
from articlebot.sources.dated import dated
from articlebot.sources.form_pagers import POSTED
from articlebot.urls import canonical_or_none, same_site

# A year of days, or ten years of months by two menus.
_MOST, _MOST_FORMS, _MOST_MENUS = 400, 5, 3
_OF_MENU = re.compile(r"(?:\A|[/_.?&=-])(?:menus?|nav(?:igation|bar)?|hamburger)(?=[/_.?&=-]|\Z)", re.I)
_FILES = re.compile(r"\.(?:js|css|png|jpe?g|gif|svg|webp|json)(?:\?|\Z)", re.I)
# What components call an entry's name and its address.
_LABELS, _ADDRESSES = ("label", "title", "name", "text"), ("href", "url", "link", "path", "to")
_TYPED = frozenset("text search password email number tel url date file".split())


def choices(page: Page) -> Iterator[tuple[str, str]]:
    """Canonical addresses on the page's site, each with what it is called; of forms without anything to type in.

    Of forms that are sent by POST only those of days, months and years: others may change something.
    """
    for form in page.by_tag["form"][:_MOST_FORMS]:
        one: Any = form
        url = page.resolve(one.get("action") or page.url).partition("?")[0]
        menus = [menu for menu in islice(one.iter("select"), _MOST_MENUS + 1) if menu.get("name")]
        fields = list(islice(one.iter("input"), 2 * _MOST_MENUS))
        typed = any((field.get("type") or "text").lower() in _TYPED for field in fields)
        # Options that are addresses lead by themselves, as links do.
        leading = any(target_of(option) for menu in menus for option in menu.iter("option"))
        if typed or leading or not 0 < len(menus) <= _MOST_MENUS or not same_site(url, page.url):
            continue
        posts = (one.get("method") or "get").lower() == "post"
        # Of a page that posts itself, what its form keeps is told as it is answered (``middlewares.posts``).
        kept = [] if posts and url == page.url.partition("?")[0] else hidden_fields(fields, len(fields))
        options = [[(menu.get("name"), *_option(option)) for option in menu.iter("option")] for menu in menus]
        for chosen in islice(product(*options), _MOST):
            pairs = [*kept, *((name, value) for name, value, _ in chosen)]
            pairs = [(POSTED, f"{name}:{value}") for name, value in pairs] if posts else pairs
            target = canonical_or_none(f"{url}?{urlencode(pairs, safe=':')}")
            if target and all(value for _, value, _ in chosen) and (not posts or dated(target)):
                yield target, " ".join(text for _, _, text in chosen)


def _option(option: Any) -> tuple[str, str]:
    """What an option is sent as, and what it is called."""
    text = fold("".join(option.itertext()))
    return (option.get("value") if option.get("value") is not None else text), text


def menus(page: Page) -> Iterator[tuple[str, str]]:
    """The addresses of the same site that a page's data give a name to, with it, where its document has no links."""
    waiting = [] if anchors_of(page) else [value for text, _ in scripts(page) for value in values_of(text)]
    for _ in range(MAX_VALUES):
        if not waiting:
            return
        one = waiting.pop()
        waiting += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        if isinstance(one, dict):
            label, address = (
                next((v for k in keys if isinstance(v := one.get(k), str) and v), "") for keys in (_LABELS, _ADDRESSES)
            )
            url = page.resolve(address) if label and address else ""
            if url and same_site(url, page.url):
                yield url, fold(label)


def frames(page: Page) -> tuple[str, ...]:
    """The pages of the same site that a set of frames shows, or a page of hardly anything else."""
    return _shown(page, ((one.get("src") or "").strip() for one in (*page.by_tag["frame"], *page.by_tag["iframe"])))


def entrance(page: Page) -> tuple[str, ...]:
    """The one page of the same site that a home page leads to which shows nothing else: "Enter", 进入网站.

    A link that stands in a menu by itself is a section; scripts bring what else there is.
    """
    leads = [anchor for anchor in anchors_of(page) if same_site(anchor.url, page.url)]
    return (leads[0].url,) if len(leads) == 1 and not leads[0].menu else ()


def menus_apart(page: Page) -> tuple[str, ...]:
    """The fragments of the same site that a page's script fetches its menu from: data-src="/parts/menu"."""
    every: list[Any] = [one for one in page.elements if one.tag not in ("script", "img")]
    said = (one.get(name) or "" for one in every for name in ("data-src", "data-url", "data-href", "hx-get", "src"))
    return _shown(page, (value for value in said if _OF_MENU.search(value) and not _FILES.search(value)))


def _shown(page: Page, values: Iterable[str]) -> tuple[str, ...]:
    urls = (canonical_or_none(page.resolve(value)) for value in values if value)
    return tuple(dict.fromkeys(url for url in urls if url is not None and same_site(url, page.url)))
