"""Articles of several pages: which addresses continue a page.

A link to the next page is believed only when its address is the page's own but for a page number: ``rel=next`` and
"next" as often lead to the next article as to the next page of this one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

from articlebot.extraction.page_numbers import (
    EXTENSION,
    Stem,
    asked_of,
    base_stem,
    in_query,
    is_first_of_folder,
    names_any,
    names_article,
    split,
)
from articlebot.page.anchors import FORWARD, MAX_ANCHORS, target_of
from articlebot.page.page import Page
from articlebot.page.written_pagers import written_pager
from articlebot.urls import joined, without_session

MAX_PAGES = 50
_MAX_BARE = 24
_MOST_LABEL = 60  # characters of a link's text that are looked at
_MIN_TAIL = 4
_LONGEST_WORD = 12  # of what tells where a reader came from: home, related, newsletter

# What leads to the next page, of an article and of a list.
NEXT_WORDS = (
    r"next(?:\s+page)?|weiter|nächste(?:\s+seite)?|(?:page\s+)?suivante?|(?:página\s+)?siguiente|próxima(?:\s+página)?"
    r"|(?:pagina\s+)?successiva|volgende(?:\s+pagina)?|下\s*+[一1]?\s*+[页頁]|[后後]一[页頁]|次の?(?:ページ)?へ?"
    r"|다음(?:\s*페이지)?|следующая(?:\s+страница)?|próximo|seguinte|avan[cç]ar|successivo|avanti|następn[ay](?:\s+strona)?"
    r"|(?:nästa|neste|næste)(?:\s+sid[ae])?|seuraava(?:\s+sivu)?|další(?:\s+strana)?|sonraki(?:\s+sayfa)?|vorwärts"
    r"|далее|дальше|вперёд|вперед|наступна(?:\s+сторінка)?|далі|следваща|επόμενη|(?:pagina\s+)?următoare|következő|selanjutnya|berikutnya"
    r"|(?:الصفحة\s+)?التالي(?:ة)?|(?:صفحه\s+)?بعدی?|הבא|(?:trang\s+)?(?:sau|tiếp(?:\s+theo)?)|(?:หน้า)?ถัดไป|अगला"
)
_NEXT_TEXT = re.compile(
    rf"\s*+(?:{NEXT_WORDS}|continue(?:\s+(?:reading|to\s+page\s+\d{{1,2}}))?|下一?[张張幅图圖]|次の(?:写真|画像)へ?|다음\s?사진)?"
    rf"\s*+(?:[{FORWARD}]{{0,3}}|[\(（]\d+[/／]\d+[\)）])\s*+\Z",
    re.I,
)
_NUMBER_TEXT = re.compile(
    rf"\s*+[\[第(（【]?\s*+(?:(?:page|part|seite|p[aá]gina)\s*+)?(\d{{1,2}})\s*+[页頁\])）】{FORWARD}]?\s*+\Z", re.I
)
_ALL_TEXT = re.compile(
    r"single page|one page|all pages|view all|full article|auf einer seite|gesamten artikel|sur une (?:seule )?page|"
    r"una sola p[aá]gina|una p[aá]gina|uma (?:só|única) página|una (?:sola )?pagina|één pagina|en side|en sida|"
    r"显示全文|在本页阅读全文|阅读全文|单页阅读|余下全文",
    re.I,
)
# The name of an article's page, where nothing of its query is: /news/9095.
_NUMBERED = re.compile(r"\d{3}[^/]*\Z")
_ZERO = re.compile(r"[_\-/]0(?:\.\w{2,5})?\Z|[?&](?:page|p|pg|pn|pageno|pagenum|start)=0(?:&|\Z)", re.I)
_NO_NAMES = ("/", "#", "http", "javascript:", "mailto:", "tel:")
# Where an address has a host, buttons that share the page have its address behind their own.
_OTHER_HOSTS = ("http", "//")


def next_pages(page: Page, part: int = 1) -> list[str]:
    """Addresses of the pages that continue this one, in order, at most 50; empty where there are none.

    Numbers that a pager shows are all returned; where it only says "next", the one next page is. Where one of three or
    more pages leads to all of them together, that one alone.

    Args:
        part: above 1 where the page is known to continue another.
    """
    if page.tree is None or not page.url:
        return []
    if written := _written(page):
        return written
    stem, number = split(page.url)
    # /?p=9 is called by its number alone, and its second page /?p=9&page=2.
    named = number == 1 or names_any(stem)
    whole = (stem[0], base_stem(urlsplit(page.url).path), stem[2] if named else asked_of(page.url))
    tail = _tail(stem[1])
    links = chain(page.by_tag["link"][:MAX_ANCHORS], page.by_tag["a"][:MAX_ANCHORS], page.by_tag["option"][:MAX_PAGES])
    elements = [link for link in links if _may_continue(_leads_to(link), tail, whole[0])]
    near = [(url, _label(e)) for e in elements if (url := _candidate(e, page)) is not None]
    numbered = [(url, *split(url)) for url, _ in near]
    if _from_zero(page.url, near, (stem, whole)):
        numbered = [(url, other, n + 1) for url, other, n in numbered]
    # an address may end in what looks like a page number but is its id or day: believed only beside a link to page 1
    counted = not is_first_of_folder(page.url, stem) and (
        number == 1 or part > 1 or any(s == stem and n == 1 for _, s, n in numbered if named)
    )
    found: dict[int, str] = {}
    for url, other, n in numbered:
        own = counted and n > number and (other == stem or _leaves_out(other, stem))
        if own or (other == whole and n > 1):
            found.setdefault(n, url)
    if len(found) > 1 and (single := next(filter(None, (_whole(e, page) for e in elements)), None)):
        return [single]
    return [found[n] for n in sorted(found)][: MAX_PAGES - 1]


def _may_continue(href: str, tail: str, host: str) -> bool:
    """Whether an address may be the page's own with a number: asked of hundreds of links before what takes longer.

    Args:
        tail: the end of the page's path; one without is told from others by its query alone.
    """
    if href.startswith(_OTHER_HOSTS) and host not in href[: len(host) + _MAX_BARE].lower():
        return False
    # A short relative address ("?page=2", "2.html") says nothing yet.
    bare = href[:1] == "?" or (0 < len(href) < _MAX_BARE and not href.startswith(_NO_NAMES))
    return (tail or "?") in href or (tail != "" and bare)


def _written(page: Page) -> list[str]:
    """The further pages of an article whose pager a script writes, with the article's own name."""
    pager = written_pager(page)
    if pager is None or pager.here or page.url.partition("?")[0].rpartition("/")[2] != f"{pager.name}.{pager.ending}":
        return []
    numbers = range(1, min(pager.pages, MAX_PAGES))
    return [joined(page.url, f"{pager.name}_{number}.{pager.ending}") for number in numbers]


def first_page(page: Page) -> str | None:
    """The address of the first page of what this page continues; None where it continues nothing."""
    stem, number = split(page.url)
    if page.tree is None or number == 1 or not (in_query(page.url) or names_article(page.url, stem)):
        return None
    for element in page.by_tag["a"][:MAX_ANCHORS]:
        # Of the address itself nothing is known yet: "./" and "?" lead there, too.
        if _label(element) == 1 and (url := _absolute(page, element.get("href"))) is not None:
            there, first = split(url)
            if first == 1 and there == stem:
                return url
    return None


def _label(element: Any) -> int:
    """The page number that a link shows, 0 where it shows none."""
    match = _NUMBER_TEXT.match("".join(element.itertext())[:_MAX_BARE])
    return int(match[1]) if match else 0


def _leaves_out(other: Stem, own: Stem) -> bool:
    """Whether an address is a page's own without words that say where its reader came from: ``?id=5&from=x``."""
    left, kept = set(own[2]) - set(other[2]), set(other[2])
    named = any(map(_has_digit, kept)) if kept else _NUMBERED.search(own[1]) is not None
    return bool(
        other[:2] == own[:2] and left and kept < set(own[2]) and named
        and not any(map(_has_digit, left)) and all(len(value) <= _LONGEST_WORD for _, value in left)
    )  # fmt: skip


def _has_digit(pair: tuple[str, str]) -> bool:
    return any(one.isdigit() for one in pair[1])


def _from_zero(own: str, links: Sequence[tuple[str, int]], stems: Sequence[Stem]) -> bool:
    """Whether the addresses count from 0: the page's own says 0, or its second page shows as 2 and is named 1."""
    if _ZERO.search(own):
        return True
    shown = [(label, split(url)[1], url) for url, label in links if label > 1 and split(url)[0] in stems]
    return bool(shown) and all(label == number + 1 and str(number) in url for label, number, url in shown)


def _tail(path: str) -> str:
    """The end of a path that says which article is meant: its last segment, with the one above it where it is short."""
    last = path.rpartition("/")[2]
    return last if len(last) >= _MIN_TAIL else "/".join(path.rsplit("/", 2)[-2:])


def _leads_to(element: Any) -> str:
    """Where a link leads, an entry of a menu, or what a link's script opens that is none by itself."""
    href: str = element.get("href") or ""
    by_script = element.tag == "option" or (href.startswith("javascript:") and element.get("onclick"))
    return target_of(element) if by_script else href


def _candidate(element: Any, page: Page) -> str | None:
    href = _leads_to(element)
    if not href:
        return None
    if "next" in (element.get("rel") or "").lower().split():
        return _absolute(page, href)
    if element.tag == "link":
        return None
    text = "".join(element.itertext())
    if len(text) > 40:
        return None
    if not text.strip() and (image := next(element.iter("img"), None)) is not None:
        text = (image.get("alt") or "")[:_MAX_BARE]
    if not (_NUMBER_TEXT.match(text) or (text.strip() and _NEXT_TEXT.match(text))):
        names = " ".join([element.get(name) or "" for name in ("class", "title", "aria-label")])
        if "next" not in names.lower():
            return None
    return _absolute(page, href)


def _whole(element: Any, page: Page) -> str | None:
    """The address of all pages of an article together: where a link says so, the own with something behind it."""
    if element.tag != "a" or not _ALL_TEXT.search("".join(element.itertext())[:_MOST_LABEL]):
        return None
    url, own = _absolute(page, element.get("href")), page.url.partition("?")[0].rstrip("/")
    if url is None or url == page.url:
        return None
    behind = (url.removeprefix(own), url.removeprefix(EXTENSION.sub("", own)))
    return url if re.match(r"[/?&]\w", behind[0]) or re.match(r"[_-]\w", behind[1]) else None


def _absolute(page: Page, href: str | None) -> str | None:
    return without_session(page.resolve(href or "")).partition("#")[0] or None
