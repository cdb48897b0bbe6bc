"""Addresses from which a page's own scripts fetch lists: in attributes of its elements, in its scripts' texts.

Scripts are not run. Their texts are looked through for what they hand to ``fetch`` and its like; of what an address is
put together from, the number of the page is known, and what the page itself states (``data-section="tech"``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from articlebot.extraction.page_numbers import PAGE_KEYS
from articlebot.extraction.urlshape import general_shape
from articlebot.page import Page
from articlebot.sources.asked_for import HOLDER, Told, of_names, of_text
from articlebot.sources.attributes import MOST_VALUES, Attributes
from articlebot.sources.counting import (
    CURSOR_KEYS,
    SIZE_KEYS,
    START_KEYS,
    asks_behind,
    begins,
    counts_entries,
    number_of,
    page_of,
    size_of,
)
from articlebot.sources.dated import dated
from articlebot.sources.json_queries import of_cache
from articlebot.sources.names import Names
from articlebot.urls import asking, canonical_or_none, same_site

_MOST_NAME, _MOST_SCRIPT = 80, 1_000_000
MOST = 30  # a month of days
# A file that has all articles, as static generators write it for their search.
_INDEX = re.compile(r"(?:index|search|posts?|articles?|stories|news|all|list|content|archives?)\w{0,12}\.json\Z", re.I)
_ATTRIBUTES = re.compile(
    r"(?:data-(?:[\w-]*-)?(?:url|href|src|api|endpoint|next|more|ajax|load|source|feed|path|page-url|fetch|template|pattern)|hx-get|"
    r"ic-get-from|up-href|data-remote|(?:data-)?infinite-?[\w-]*url)\Z"
)
_ASKED_PAIR, _MOST_ASKED = re.compile(r"[\"'](\w{1,30})[\"']\s?:\s?[\"']([^\"']{0,80})[\"']"), 2000
# What is fetched as the reader scrolls counts its pages, whether its address says so or not.
_SCROLLED = re.compile(r"infinite")
# An address that a script puts the number behind: /more?section=4&page=
_UNFILLED = re.compile(rf"[?&](?:{'|'.join(sorted(PAGE_KEYS))})=\Z", re.I)
_ROOT = re.compile(r"/_{0,2}(?:api|v\d{1,2}|rest|gateway|gw)\Z", re.I)
_LIST_WORDS = re.compile(
    r"(?:\A|[/_.?&=-])(?:api|ajax|json|lists?|feeds?|news|articles?|posts?|stories|items|more|load\w*|page|latest|"
    r"entries|contents?|roll|stream|fragments?|partials?|index|archives?)(?=[/_.?&=\d-]|\Z)",
    re.I,
)
OTHER = re.compile(
    r"(?:\A|[/_.?&=-])(?:log(?:in|out|s)?|track\w*|stats?|count(?:er)?|beacon|collect|analytics|ads?|advert\w*|comments?|"
    r"users?|auth|session|token|cart|weather|search|suggest\w*|vote|like|share|subscribe|newsletter|captcha|push|"
    r"socket|manifest|config|i18n|locale|translations?|menu|sw|favicon)(?=[/_.?&=-]|\Z)",
    re.I,
)
_FILES = re.compile(r"\.(?:js|mjs|css|png|jpe?g|gif|svg|webp|ico|woff2?|ttf|mp[34]|m3u8|map|wasm|pdf)(?:\?|\Z)", re.I)
# Of attributes beside an address: those that say how it is shown, and values that are one word.
_OF_SHOW = re.compile(
    r"url|href|src|target|contain|wrap|select|templat|toggle|text|label|load|method|trigger|swap|event|style|class|react|test|v-|\Aid\Z|max|total|pages|last"
)
_WORD_ALONE = re.compile(r"[\w-]{1,40}")


class Fetch(NamedTuple):
    """An address that may answer with a list.

    Attributes:
        url: absolute, of the list's first page where ``paged``.
        paged: it has a number of pages or entries, which ``page_of`` changes.
        rank: the greater, the likelier.
        ahead: the page's head has it fetched ahead, as generators do with all that a page may show.
        as_begun: it is asked for first as it is, whatever the page shows.
    """

    url: str
    paged: bool
    rank: int
    ahead: bool = False
    as_begun: bool = False


def fetches(page: Page, script: str | None = None, menu: Sequence[Mapping[str, str]] = ()) -> list[Fetch]:
    """The likeliest addresses, the best first, 30 at most; with a menu as many more as it has sections.

    Where an API begins lists nothing: what is asked for stands behind it.

    Args:
        page: whose elements and scripts are looked through.
        script: another script of the page, to be looked through instead.
        menu: what an answer of the site calls its sections, each by field.
    """
    found: dict[str, Fetch] = {}
    ahead = set() if script is not None else {page.resolve(url) for url in _ahead(page)}
    attributes, own = Attributes(page), own_scripts(page)
    # What Next.js streams stands in strings: \"nextCursor\":\"b2Zm\".
    beside = Names("\n".join(own)[:_MOST_SCRIPT].replace('\\"', '"'), attributes)
    texts = [script] if script is not None else own
    each = (Names(text[:_MOST_SCRIPT], attributes, menu, beside) for text in texts)
    counted: list[tuple[str, int, bool]] = []
    stated = [] if script is not None else [*_of_attributes(page, counted), *_of_units(page), *of_cache(page)]
    told = [one for names in each for find in (of_text, of_names) for one in find(names, MOST + len(menu))]
    # A script that puts such an address together itself knows better.
    put_together = {one.address.partition("?")[0] for one in told}
    whole = [one for one in stated if "?" in one[0] or one[0] not in put_together]
    whole += [one for one in counted if one[0].partition("?")[0] not in put_together]
    for told_one in (*(Told(*one) for one in whole), *told):
        one = _fetch(page, told_one, ahead)
        if one is not None and (one.url not in found or one.rank > found[one.url].rank):
            found[one.url] = one
    best = sorted(found.values(), key=lambda one: -one.rank)[: MOST + len(menu)]
    roots = {one.url for one in best if _ROOT.search(one.url)}
    return [one for one in best if one.url not in roots or not any(two.url.startswith(one.url + "/") for two in best)]


def _fetch(page: Page, told: Told, ahead: Collection[str]) -> Fetch | None:
    """What an address of a page's scripts may answer with, None where that is no list of its site."""
    url, counts = page.resolve(told.address), told.counts
    where = urlsplit(url)
    # An API elsewhere is another site's. "/posts/:id" is the pattern of an address.
    if not same_site(url, page.url) or url.partition("#")[0] == page.url or "/:" in where.path:
        return None
    is_file, numbered = _FILES.search(where.path), number_of(url) is not None
    # Lists by JSONP may be numbered scripts: $.ajax({url: "/data/town_" + page + ".js", dataType: "jsonp"}).
    if is_file and not (is_file[0] == ".js" and counts and number_of(url, loose=True) is not None):
        return None
    # What is left empty, as "&search=" is, asks for nothing, and "&count=9" for no counter.
    pairs = (pair.partition("=") for pair in where.query.split("&"))
    asked = "&".join(f"{key}={value}" for key, _, value in pairs if value and key.lower() not in SIZE_KEYS)
    place = f"{where.path}?{asked}"
    rank = told.said + 2 * bool(_LIST_WORDS.search(place) or (counts and numbered)) - 4 * bool(OTHER.search(place))
    return Fetch(url, counts or numbered, rank + counts, url in ahead, told.as_begun) if rank > 1 else None


def tries(
    page: Page, links: int, script: str | None = None, menu: Sequence[Mapping[str, str]] = ()
) -> tuple[str, ...]:  # fmt: skip
    """Addresses from which the page's scripts may fetch what follows its list, the best first; each to be tried once.

    Args:
        page: a list page that says of no link that the list goes on there.
        links: articles that its document lists: what is fetched begins behind them.
        script: one that the page takes from another address, to be looked through instead of its own.
        menu: what an answer of the site calls its sections, each by field.
    """
    found, later, whole = list[str](), list[str](), list[str]()
    for one in fetches(page, script, menu):
        if one.as_begun or (one.paged and number_of(one.url) is None and dated(one.url)):
            found.append(one.url)  # so is a month, whatever the page shows
        elif one.paged and links and not begins(one.url):
            number = number_of(one.url, loose=True)
            # Of a page that shows the first five of ten, the second ten are not what follows.
            least = (1 if (size_of(one.url) or 0) >= 2 * links else 2) - (number == 0)
            first = (number or links) if counts_entries(one.url) else max(least, number or 0)
            found.append(page_of(one.url, first))
            later += _counted_up(one.url, number, first)
        elif one.paged or not links or asks_behind(one.url):
            found.append(one.url)
            later += _counted_up(one.url, number_of(one.url, loose=True), 0) if one.paged and not links else []
        elif one.ahead or _INDEX.search(urlsplit(one.url).path):
            whole.append(one.url)
    return tuple(dict.fromkeys(filter(None, map(canonical_or_none, [*found, *later] or whole))))


def _counted_up(url: str, number: int | None, first: int) -> list[str]:
    """The page behind the first that is asked for, where a script begins with 0: it may count up before it asks."""
    return [page_of(url, first + 1)] if number == 0 and not counts_entries(url) else []


def own_scripts(page: Page) -> list[str]:
    """The texts of the scripts that stand in a page, those of components in attributes (Alpine) behind them."""
    texts = [one.text or "" for one in page.by_tag["script"] if not one.get("src")]
    inside = (one.get("x-data") for one in page.elements) if "x-data" in page.text else ()
    return [*texts, *filter(None, inside)]


def _ahead(page: Page) -> Iterator[str]:
    """What the page's head has fetched ahead."""
    for link in page.by_tag["link"]:
        if "preload" in (link.get("rel") or "").lower() and link.get("as") == "fetch" and link.get("href"):
            yield link.get("href") or ""


def _of_attributes(page: Page, counted: list[tuple[str, int, bool]]) -> Iterator[tuple[str, int, bool]]:
    """What attributes name; into ``counted`` what has its parameters in attributes of their own."""
    yield from ((url, 3, False) for url in _ahead(page))
    yield from ((url, 3, True) for url in _of_tabs(page))
    for element in page.elements:
        one: Any = element
        if one.tag == "amp-list" and one.get("src"):
            yield one.get("src"), 3, False
        for name, value in one.items():
            if ("-" in name) and value and len(value) < 500 and _ATTRIBUTES.fullmatch(name):
                if one.tag in ("img", "source", "video", "iframe", "picture") or not _is_address(value):
                    continue
                holes = (address := HOLDER.sub("1", f"{value}1" if _UNFILLED.search(value) else value)) != value
                if not holes and _SCROLLED.search(name) and number_of(page.resolve(address)) is None:
                    address, holes = asking(address, "page=1"), True
                elif not holes and "?" not in value and (beside := asked_beside(one)):
                    counted.append((f"{value}?{beside}", 3, True))
                    continue
                yield address, 3 if holes or re.search(r"next|more|load|hx-get|api|ajax", name) else 1, holes


def _of_tabs(page: Page) -> Iterator[str]:
    """The addresses of buttons that are alike: <button data-url="/archive/2025.html">2025</button>."""
    buttons: Sequence[Any] = (
        *page.by_tag["button"],
        *(one for one in page.by_tag["a"] if (one.get("href") or "#")[0] == "#"),
    )
    said = [(name, value) for one in buttons for name, value in one.items() if name.startswith("data-")]
    urls = dict.fromkeys(
        page.resolve(value) for name, value in said if _ATTRIBUTES.fullmatch(name) and _is_address(value)
    )
    alike = Counter(map(general_shape, urls))
    yield from (url for url in urls if 1 < alike[general_shape(url)] <= MOST_VALUES)


def _of_units(page: Page) -> Iterator[tuple[str, int, bool]]:
    """What the units of Hanweb's JPAAS fetch, of which many Chinese public bodies make their lists.

    A script stands where the list is to be, with its address and, in an attribute, what is asked for.
    """
    for script in page.by_tag["script"]:
        address, asked = script.get("url"), (script.get("querydata") or "")[:_MOST_ASKED]
        if address and (pairs := _ASKED_PAIR.findall(asked)):
            query = urlencode([*pairs, ("paramJson", '{"pageNo":1,"pageSize":15}')])
            yield f"{address}?{query}", 3, True


def asked_beside(element: Any) -> str:
    """What is asked for by the attributes beside an address, data-offset="8" data-limit="8"; "" where none counts."""
    pairs = [(name.removeprefix("data-"), v) for name, v in element.items() if v and len(v) <= _MOST_NAME]
    counts = PAGE_KEYS | START_KEYS | CURSOR_KEYS
    asked = [(name, v) for name, v in pairs if name in counts | SIZE_KEYS or _is_asked_too(name, v)]
    return urlencode(asked) if any(name in counts for name, _ in asked) else ""


def _is_asked_too(name: str, value: str) -> bool:
    """Whether an attribute beside the address and the page's number may be asked for, data-section="town"."""
    return _OF_SHOW.search(name) is None and _WORD_ALONE.fullmatch(value) is not None


def _is_address(value: str) -> bool:
    return re.match(r"[/?]|https?://|\./|[\w.-][\w-]*+[/?.][\w./?=&%-]*+\Z", value) is not None
