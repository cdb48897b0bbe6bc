"""Pagers that work by script: buttons that fetch, forms that a script sends, addresses that a script writes."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from articlebot.page import Page
from articlebot.page.written_pagers import written_pager
from articlebot.sources.counting import number_of
from articlebot.sources.fetches import asked_beside
from articlebot.sources.form_pagers import (
    ARGUMENT,
    TARGET,
    behind_piece,
    called,
    calls_of,
    posted_by,
    pressed_in,
    sent_on,
)
from articlebot.urls import asking, canonical_or_none, same_site

PLACE = re.compile(r"[/?]|\.\w{3,5}\Z")
MORE_ATTRIBUTES = (
    "data-next", "data-next-url", "data-next-page", "data-next-page-url", "data-next-href", "data-more", "data-more-url"
)  # fmt: skip
# A pager as people write it by script: "<a href='index_" + nextPage + ".html'>", with the numbers that it goes by.
_PUT = re.compile(
    r"href\s{0,3}=\s{0,3}\\{0,2}[\"']?(?P<before>[\w./?=&-]{0,80}[_/=-])\\{0,2}[\"']\s{0,4}\+\s{0,4}[A-Za-z_$][\w$]{0,30}\s{0,4}\+"
    r"\s{0,4}[\"']\\?(?P<behind>\.\w{2,5})?"
)
_NOW = re.compile(
    r"\b(?:cur(?:rent)?(?:_?page)?(?:_?(?:no|index))?|page_?(?:now|index|no)|now_?page)\s{0,4}=\s{0,4}(\d{1,4})\b", re.I
)
_OF = re.compile(r"\b(?:(?:count|total|max|all)_?pages?|pages?_?(?:count|total|num))\s{0,4}=\s{0,4}(\d{1,4})\b", re.I)
_FIRST_NAMES = frozenset({"index", "default"})
# The pagers of ASP.NET's forms press a button by script: __doPostBack('ctl00$Pager','2'), ('Grid','Page$2').
_PRESSED = re.compile(r"__doPostBack\(\s{0,4}[\"']([\w$.:-]{1,200})[\"']\s{0,4},\s{0,4}[\"']((?:Page\$)?\d{1,4})[\"']")
_WIRED = re.compile(r"\s{0,4}nextPage\(\s{0,4}[\"']([A-Za-z][\w-]{0,40})[\"']\s{0,4}\)")
# location.href = 'index_' + (current + 1) + '.html': what a link to the next page says by script.
_LED = re.compile(
    r"location(?:\.href)?\s{0,4}=\s{0,4}[\"']([\w./-]{0,60}[_/-])[\"']\s{0,4}\+\s{0,4}\(\s{0,4}([A-Za-z_$][\w$]{0,40})\s{0,4}\+\s{0,4}1\s{0,4}\)"
    r"\s{0,4}\+\s{0,4}[\"'](\.?\w{0,8})[\"']"
)
# location.href = '/news/?page=' + obj.curr: the same of any page's number, as layui's pagers and functions say it.
_MADE = re.compile(
    r"location(?:\.href)?\s{0,4}=\s{0,4}[\"']([^\"'\s<>]{1,200})[\"']\s{0,4}\+\s{0,4}[A-Za-z_$][\w$.]{0,40}\s{0,4}"
    r"(?:\+\s{0,4}[\"']([^\"'\s<>]{0,100})[\"']|[;})\n])"
)
_MOST_MADE = 20
_PLACE_OF_NUMBER = re.compile(r"[\"']((?:\\?/[\w-]{1,60}){0,6}\\?/page\\?/)%d(\\?/)?[\"']")
_FETCHING = ("hx-get", "data-hx-get", "data-url", "data-href", "ic-get-from", "up-href", *MORE_ATTRIBUTES)
# Elements that fetch a piece of the page themselves (Turbo, GitHub's include-fragment).
_FRAGMENTS = frozenset({"turbo-frame", "include-fragment"})
# A hidden field in which a page keeps for its script where the list goes on.
_KEPT = re.compile(r"(?:next|more)[_-]?(?:page[_-]?)?(?:url|href|link)\Z", re.I)
_REVEALED = re.compile("|".join((*_FETCHING, *sorted(_FRAGMENTS), "type=[\"']?hidden")))
_ENDLESS = re.compile(
    r"revealed|intersect|infinite|(?:load|btn|button|show|view|see)[_-]?more|more[_-]?(?:btn|button)|"
    r"(?:\A|[\s_-])(?:next|older|endless|scroll)(?:\Z|[\s_-])",
    re.I,
)


def by_script(page: Page, own: str | None) -> str | None:
    """The canonical address of the next page that a script would lead to or fetch; None where none does.

    Args:
        page: a list page.
        own: its canonical address.
    """
    return (
        _written(page)
        or _put_together(page)
        or _revealed(page, own)
        or _wired(page)
        or _posted_back(page)
        or called(page)
        or sent_on(page)
        or behind_piece(page)
        or posted_by(page)
        or _made(page, own)
        or _scrolled(page)
    )


def _put_together(page: Page) -> str | None:
    """The next page of a pager that a script writes link by link, where it says which page this is, and of how many."""
    if "document.write" not in page.text and "innerHTML" not in page.text:
        return None
    now, last, put = _NOW.search(page.text), _OF.search(page.text), _PUT.search(page.text)
    if now is None or last is None or put is None or int(now[1]) + 1 >= int(last[1]) + (int(now[1]) > 0):
        return None
    return canonical_or_none(page.resolve(f"{put['before']}{int(now[1]) + 1}{put['behind'] or ''}"))


def _revealed(page: Page, own: str | None) -> str | None:
    """What an element fetches that stands for the rest of a list: when it comes into view, or by its name."""
    if not _REVEALED.search(page.text):
        return None
    for element in reversed(page.elements):
        one: Any = element
        fetching = (*_FETCHING, "src") if one.tag in _FRAGMENTS else _FETCHING
        name = next((name for name in fetching if one.get(name)), None)
        if name is not None and asked_for_apart(one, one.get(name)):
            continue
        kept = one.tag == "input" and _KEPT.match(one.get("id") or one.get("name") or "")
        name = "value" if kept and one.get("value") else name
        if name is None:
            continue
        url = one.get(name)
        said = " ".join(one.get(name) or "" for name in ("hx-trigger", "data-hx-trigger", "class", "id", "role"))
        # "data-next" says it itself, but for a slide show, whose next one is a number or a name; so does a fragment.
        counts = name == "src" and (number_of(page.resolve(url)) or 0) > (number_of(page.url) or 1)
        says = counts or kept or _ENDLESS.search(said) or (name in MORE_ATTRIBUTES and PLACE.search(url))
        target = canonical_or_none(page.resolve(url)) if says else None
        if target and target != own and same_site(target, page.url):
            return target
    return None


def asked_for_apart(element: Any, url: str) -> bool:
    """Whether a script asks an element's address with what stands beside it: data-url="/more" data-page="2"."""
    return "?" not in url and number_of(url) is None and bool(asked_beside(element))


def _wired(page: Page) -> str | None:
    """The next page of Livewire's pagers, buttons that the server answers to: the address has the number as well."""
    if "wire:click" not in page.text:
        return None
    for button in (*page.by_tag["button"], *page.by_tag["a"]):
        if (match := _WIRED.match(button.get("wire:click") or "")) is None:
            continue
        bare, _, query = page.url.partition("?")
        asked = dict(parse_qsl(query, keep_blank_values=True))
        now = asked.get(match[1], "1")
        if now.isdecimal():
            return canonical_or_none(f"{bare}?{urlencode({**asked, match[1]: int(now) + 1})}")
    return None


def _posted_back(page: Page) -> str | None:
    """The next page that ASP.NET's pagers post for: the page's address with what is pressed in its query."""
    if "__doPostBack" not in page.text:
        return None
    url, pressed = pressed_in(page.url) or (page.url, {})
    now = pressed.get(ARGUMENT, "1").rpartition("$")[2]
    if not now.isdecimal():
        return None
    number = int(now)
    for element in page.by_tag["a"]:
        match = _PRESSED.search(element.get("href") or "")
        if match and match[2].rpartition("$")[2] == str(number + 1):
            asked = urlencode({TARGET: match[1], ARGUMENT: match[2]}, safe="$")
            return canonical_or_none(asking(url, asked))
    return None


def _made(page: Page, own: str | None) -> str | None:
    """The next page where a script makes addresses of numbers: one that links call it with, or a parameter for pages.

    A number in a path may as well be a section's, unless links call it.
    """
    if "location" not in page.text:
        return None
    calls, here = calls_of(page), number_of(page.url) or 1
    for match in islice(_MADE.finditer(page.text), _MOST_MADE):
        before, behind = match[1], match[2] or ""
        is_own = canonical_or_none(page.resolve(f"{before}{here}{behind}")) == own
        number = here if is_own else 1
        target = page.resolve(f"{before}{number + 1}{behind}")
        says = number + 1 in calls if calls else "?" in before
        if says and number_of(target) == number + 1 and same_site(target, page.url):
            return canonical_or_none(target)
    return None


def _scrolled(page: Page) -> str | None:
    """The next of the pages whose addresses a script puts into the reader's bar as he scrolls, as Jetpack's does."""
    match = _PLACE_OF_NUMBER.search(page.text)
    if match is None:
        return None
    first, behind = match[1].replace("\\", ""), (match[2] or "").replace("\\", "")
    path = urlsplit(page.url).path
    own = "1" if path == first.rpartition("page/")[0] else path.removeprefix(first).removesuffix(behind)
    return (
        canonical_or_none(page.resolve(f"{first}{int(own) + 1}{behind}")) if own.isdecimal() and len(own) < 6 else None
    )


def _written(page: Page) -> str | None:
    pager = written_pager(page)
    if pager is None:
        led = _LED.search(page.text)
        own = re.search(rf"(?<![\w$]){re.escape(led[2])}\s{{0,4}}=\s{{0,4}}(\d{{1,4}})", page.text) if led else None
        return canonical_or_none(page.resolve(f"{led[1]}{int(own[1]) + 1}{led[3]}")) if led and own else None
    # TRS counts from 0, and calls all pages by the first one's name; others count from 1: index.html, list_2.html.
    from_one = pager.here > 0 and (number_of(page.url, loose=True) is None or pager.name not in _FIRST_NAMES)
    if pager.here + 1 >= pager.pages + from_one:
        return None
    return canonical_or_none(page.resolve(f"{pager.name}_{pager.here + 1}.{pager.ending}"))
