"""How a list goes on: the address of its next page, where the list says it, and where that has to be tried.

A list's addresses follow no rule, so its links are believed where an article's are not: a wrong one costs a fetch.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from itertools import chain, islice
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from articlebot.extraction.lists import DOCUMENT
from articlebot.extraction.page_numbers import precedes
from articlebot.extraction.urlshape import looks_like_article
from articlebot.page import Page
from articlebot.page.anchors import target_of
from articlebot.page.forms import hidden_fields
from articlebot.page.text import fold, line_of, units
from articlebot.sources.counting import (
    START_KEYS,
    asks_behind,
    counts_entries,
    cursor_after,
    number_of,
    page_of,
)
from articlebot.sources.dated import dated, is_like
from articlebot.sources.form_pagers import MOST_FIELDS
from articlebot.sources.numbered_links import MOST_TEXT, Targets, among, counted_back, labelled, place_of
from articlebot.sources.pager_words import BACK, DAY_BEFORE, MORE, MORE_OF, NEXT, NUMBER, says_next
from articlebot.sources.pagers import MORE_ATTRIBUTES, PLACE, asked_for_apart, by_script
from articlebot.urls import canonical_or_none, is_front, spelled_as

# From which an address is an article's rather than a list's.
_ARTICLE = 0.5
# What menus are made of, and the links beside one that make it an entry of a menu: a pager may say "first" and "last".
_MENUS, _LEAST_OTHERS = frozenset({"nav", "header", "footer", "ul", "ol"}), 3
# Units of a text that says more than that there is more; boxes that lead on by an attribute, which are no buttons.
_NAME, _MOST_BOXES = 10, 20
_SAYS, _ENDING = re.compile(r"\w"), re.compile(r"\.\w{2,5}\Z")
_NAMES = re.compile(r"(?:\A|[\s_-])(?:next|older|load-?more)(?:\Z|[\s_-])", re.I)
_SORTED = re.compile(r"(?:\A|&)(?:order|sort)\w{0,12}=", re.I)
_GROUP = re.compile(
    r"<next(?:group|page)>[^<>]{0,40}<!\[CDATA\[\s{0,40}<a\s[^<>]{0,200}?href\s{0,4}=\s{0,4}[\"']([^\"'<>]{1,500})"
)


def next_page(page: Page) -> str | None:
    """The canonical address of the page that continues a list, None where no link and no button says that it does."""
    if page.tree is None or not page.url:
        return None
    canonical = canonical_or_none(page.url)
    links = _Links(page, canonical)
    if back := counted_back(links.every, links.own):
        return back
    numbered: list[tuple[int, str]] = []
    following: str | None = None
    worded: str | None = None
    for one, url, text in links.shown:
        if links.is_stated(one, url):
            return url
        if one.tag == "link" or len(text) > MOST_TEXT:
            continue
        if following is None and links.comes_behind(url, text):
            following = url if _counts_pages(links.own, links.every) else None
        label = NUMBER.match(text)
        if label or _begins_behind(url, links.own):
            place = place_of(url, page.url, int(label[1]) if label else 0)
            numbered += [] if place is None else [(place, url)]
        elif links.says_on(one, url, text):
            if is_of(url, links.own):
                return url
            worded = worded or (None if _is_menu_entry(one) or links.is_called(url) else url)
    # A link that is called so and whose address says nothing may be a section of that name.
    if numbered:
        return min(numbered)[1]
    said = among(links.every, links.own) or by_script(page, canonical) or labelled(links.every, links.own)
    told = None if following is None or _is_item(following, links.every) else following
    return said or told or worded or _more_of_it(page, links.every)


class _Links:
    """What leads from a list to other pages of its host, in the document's order.

    Attributes:
        own: the list's canonical address, or its address where it has none.
        every: elements with their addresses.
        shown: the same, with what each shows.
    """

    def __init__(self, page: Page, canonical: str | None) -> None:
        self._page, self.own = page, canonical or page.url
        self.every = list(_targets(page, canonical))
        self.shown = [(one, url, _shown(one)) for one, url in self.every]
        # An arrow that ends each entry of a list says nothing.
        silent = {(text, url) for _, url, text in self.shown if text and not _SAYS.search(text)}
        self._arrows = Counter(text for text, _ in silent)

    def is_stated(self, element: Any, url: str) -> bool:
        """Whether ``rel=next`` says it, and not of the chapter of a book, which has a name."""
        is_next = "next" in (element.get("rel") or "").lower().split()
        return is_next and (is_of(url, self.own) or not self.is_called(url))

    def comes_behind(self, url: str, text: str) -> bool:
        """Whether, whatever it is called, it is the list's own address with the next page's number.

        Behind the first that may be 1.
        """
        if dated(url) is not None:
            return False
        is_first = url.rstrip("/") == self.own.rstrip("/") + "/1" and BACK.search(text) is not None
        return precedes(self.own, url) or is_first

    def says_on(self, element: Any, url: str, text: str) -> bool:
        """Whether it says that the list goes on there, in words or by what its element is called."""
        says = _says_next(element, text if self._arrows[text] < _LEAST_OTHERS else "")
        says = says or (DAY_BEFORE.match(text) is not None and dated(url) is None)
        own = self._page.url
        says = says or (MORE.match(text) is not None and (_counts(element, url, own) or _is_behind(url, own)))
        return says and not _leads_on(url, self._page) and not _is_sorted(url, own)

    def is_called(self, url: str) -> bool:
        """Whether the page links to an address by a name of its own, as to the chapter of a book that comes next."""
        names = (text for one, other, text in self.shown if other == url and one.tag == "a")
        return any(units(text) >= _NAME and not says_next(text) and not MORE.match(text) for text in names)


def _shown(element: Any) -> str:
    """What a link shows, in one line: its text, or what stands for its picture where it has no other."""
    text = line_of(element)
    return text or next((" ".join(said.split()) for one in element.iter("img") if (said := one.get("alt"))), "")


def has_pager(page: Page) -> bool:
    """Whether a page has buttons of a pager that lead nowhere by themselves: "2" or "Next", for its script."""
    says = (" ".join(" ".join(map(str, one.itertext())).split()) for one in (*page.by_tag["button"], *page.by_tag["a"]))
    return any(len(text) <= MOST_TEXT and (NUMBER.match(text) or says_next(text)) for text in says)


def _counts_pages(own: str, targets: Targets) -> bool:
    """Whether a page's number may be that of a page: sections have numbers as well, and lead to none before theirs."""
    number = number_of(own, loose=True)
    if number is None or number <= 1 or number_of(own) is not None:
        return True
    bare = page_of(own, 0).rpartition("0")[0].rstrip("/_-")
    return any(url.startswith(bare) and (number_of(url, loose=True) or 0) < number for _, url in targets)


def _is_item(url: str, targets: Targets) -> bool:
    """Whether a numbered address is of an article of an issue: the one behind it is called otherwise than pages are."""
    behind = (line_of(one) for one, other in targets if precedes(url, other))
    return any(text and not NUMBER.match(text) and not says_next(text) for text in behind)


def _targets(page: Page, own: str | None) -> Iterator[tuple[Any, str]]:
    """What leads to other pages of the page's host, with their addresses; a link may spell it otherwise."""
    host = urlsplit(page.url).hostname
    boxes = (one for tag in ("div", "span") for one in page.by_tag[tag] if one.get("data-href") or one.get("data-url"))
    linked = (one for tag in ("link", "a", "button", "option") for one in page.by_tag[tag])
    for element in chain(linked, islice(boxes, _MOST_BOXES)):
        url = spelled_as(target(element, page) or "", page.url)
        if url and url != own and urlsplit(url).hostname == host and not DOCUMENT.search(url):
            yield element, url


def _more_of_it(page: Page, targets: Targets) -> str | None:
    """Where a link below a section's heading says that there is more of it, at an address that need not say so."""
    headings = {fold(" ".join(map(str, one.itertext()))).lower() for one in page.by_tag["h1"]}
    if not headings or is_front(page.url):
        return None
    for one, url in targets:
        more = MORE_OF.fullmatch(line_of(one)[: MOST_TEXT + 1])
        if more and fold(more["what"]).lower() in headings and looks_like_article(url) < _ARTICLE:
            return None if _is_menu_entry(one) else url
    return None


def next_group(page: Page) -> str | None:
    """Where records of XML say that the next ones are: jcms, which many Chinese public bodies have, names it so."""
    match = _GROUP.search(page.text)
    return None if match is None else canonical_or_none(page.resolve(unescape(match[1])))


def _leads_on(url: str, page: Page) -> bool:
    """Whether an address is of the next month of a calendar: the page leads to an earlier one as well."""
    own = dated(url)
    if own is None:
        return False
    others = (dated(other) for element in page.by_tag["a"] if (other := target(element, page)))
    return any(one is not None and one.ends < own.ends and is_like(one.url, url) for one in others)


def _is_sorted(url: str, own: str) -> bool:
    """Whether an address asks for the list in another order, as buttons beside it do that are called as pagers are."""
    return bool(_SORTED.search(urlsplit(url).query)) and not _SORTED.search(urlsplit(own).query)


def is_of(url: str, own: str) -> bool:
    """Whether an address by itself may continue another: it has a page's number, or the other's path."""
    there, here = urlsplit(url).path, urlsplit(own).path
    stem = _ENDING.sub("", here.rstrip("/"))
    # Pages may be counted down, as Chinese universities have them: /news.htm, /news/12.htm, /news/11.htm.
    beside = there.rpartition("/")[0] == here.rpartition("/")[0] and None not in (
        number_of(url, loose=True), number_of(own, loose=True)
    )  # fmt: skip
    return number_of(url) is not None or (stem != "" and there.startswith(stem)) or beside


def _is_menu_entry(element: Any) -> bool:
    """Whether a link stands among others that lead elsewhere, as the section "Next" does in a site's navigation."""
    around = next((one for one in element.iterancestors() if one.tag in _MENUS), None)
    others = [] if around is None else [line_of(one) for one in around.iter("a")]
    return sum(bool(text) and not NUMBER.match(text) and not says_next(text) for text in others) >= _LEAST_OTHERS


def _counts(element: Any, url: str, own: str) -> bool:
    """Whether "more" means more of the same list; pages may be counted from 0, as Drupal's are."""
    number = number_of(url) or 0
    second = number == 1 and number_of(own) is None and urlsplit(url).path == urlsplit(own).path
    is_button = element.tag == "button" or (element.get("href") or "").startswith(("#", "javascript:"))
    return is_button or number > 1 or second or counts_entries(url)


def _begins_behind(url: str, own: str) -> bool:
    """Whether an address is the page's own but for the entry with which the list begins: /list?cat=3&start=12."""
    if not counts_entries(url) or urlsplit(url).path != urlsplit(own).path:
        return False
    there, here = (sorted(parse_qsl(urlsplit(one).query, keep_blank_values=True)) for one in (url, own))
    # Plone names the number's type: b_start:int=10.
    rest = [[pair for pair in pairs if pair[0].lower().partition(":")[0] not in START_KEYS] for pairs in (there, here)]
    return rest[0] == rest[1]


def _is_behind(url: str, own: str) -> bool:
    """Whether an address asks the same page, or a home page's list, for what is behind an entry: /live?before=8980."""
    return (is_front(own) or urlsplit(url).path == urlsplit(own).path) and asks_behind(url)


def behind(page: Page, url: str) -> str | None:
    """The canonical address of what comes behind a fragment's last entry, where it was asked for by such an entry."""
    return canonical_or_none(cursor_after(page, url))


def target(element: Any, page: Page) -> str | None:
    """The canonical address that a link, a button or the option of a menu leads to, None where it leads nowhere."""
    names = ("value",) if element.tag == "option" else (*MORE_ATTRIBUTES, "data-href", "data-url", "hx-get")
    told = (
        value for name in names if (value := (element.get(name) or "").strip()) and not asked_for_apart(element, value)
    )
    stated = [target_of(element), _sent(element, page), *told]
    value = next((one for one in stated if one and not one.startswith(("#", "javascript:", "mailto:"))), "")
    if not value or (element.tag == "option" and not PLACE.search(value)):
        return None  # the options of most forms are values of their own
    url = page.resolve(value)
    return canonical_or_none(url) if url.startswith(("http://", "https://")) else None


def _sent(element: Any, page: Page) -> str:
    """What a button of a form asks for by GET: <button name="page" value="2">Older</button>; "" for any other.

    Where the button has no name, the form's hidden fields say it all; of one with anything to fill in they do not.
    """
    form = next(element.iterancestors("form"), None) if element.tag == "button" else None
    if form is None or (form.get("method") or "get").lower() != "get":
        return ""
    fields = list(islice(form.iter("input", "select", "textarea"), MOST_FIELDS))
    kept = hidden_fields(fields, MOST_FIELDS)
    named = element.get("name") and element.get("value")
    if not named and not 0 < len(kept) == len(fields):
        return ""
    pairs = urlencode([*kept, (element.get("name"), element.get("value"))] if named else kept)
    return f"{(form.get('action') or page.url).partition('?')[0]}?{pairs}"


def _says_next(element: Any, text: str) -> bool:
    if any(element.get(name) for name in MORE_ATTRIBUTES):
        return True
    called = bool(text and NEXT.match(text))
    if BACK.search(text):
        return called and _SAYS.search(text) is not None  # "« Older entries": the words say more than the arrow
    names = " ".join(element.get(name) or "" for name in ("class", "title", "aria-label", "id"))
    return called or bool(_NAMES.search(names) and not BACK.search(names))
