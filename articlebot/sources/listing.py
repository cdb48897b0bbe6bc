"""What one answer lists: an HTML page, a fragment of one, the JSON of an API, or a script with its data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

from articlebot.extraction.lists import Judge, article_links, scored
from articlebot.extraction.url_words import is_side_list
from articlebot.extraction.urlshape import looks_like_article, shape
from articlebot.items import Link
from articlebot.page import Page
from articlebot.page.anchors import anchors_of
from articlebot.page.js_values import RECORDS, records
from articlebot.page.json_values import BEFORE, loaded
from articlebot.page.script_values import scripts, values_of, written
from articlebot.sources import further
from articlebot.sources.answers import counted, next_by_pages, next_of_data, next_of_state
from articlebot.sources.choices import choices
from articlebot.sources.counting import asks_behind, number_of
from articlebot.sources.data import Item, items_in_scripts, items_of, menu_of
from articlebot.sources.dated import Dated, archives, dated, days_before
from articlebot.sources.issues import issues
from articlebot.sources.templates import addressed, template_of
from articlebot.urls import canonical_or_none, same_site, subdomain

# JSON, also behind a callback's or a variable's name.
_DATA = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,20}(?:%b)?[{\[]" % BEFORE.encode())
# "<< Previous", "‹ Zurück", "« Página anterior": headlines that begin so close what they open.
_TURNS = re.compile(r"\s*+[<‹«←]++\s*+\w{3,15}(?:\s\w{3,15})?\s*+\Z")
# Letters of a text that says more than a date archive's, as "All news of Wednesday, November".
_HEADLINE = 30
# Hosts of systems that readers never see.
_BEHIND = re.compile(r"(?:cms|api|admin|backend|headless)\d?[.-]", re.I)
# Hosts that show the pages of another one to small screens.
SMALL_HOST = re.compile(r"\A(?:m|mobile|wap|amp|3g|touch|h5)\.", re.I)
# Articles of a list that another names at other addresses, at least and as a share.
_LEAST_TWINS, _MOSTLY = 5, 0.8
# Objects within each other in which an answer may have its HTML.
_LEVELS = 3
_HEAD = 4000
# What a page with data for scripts has, which most lists have not.
# An object whose names stand without quotes, as programs have it and JSON does not.
_LITERAL = re.compile(r"[{,][A-Za-z_$][\w$]{0,40}:(?=[\d\"'\[{])")
_DATA_MARKS = ("application/", "window.", "__", '"{&quot;', '"[{&quot;', "='{\"", "='[{\"")


@dataclass(frozen=True, slots=True)
class Listing:
    """What an answer lists.

    Attributes:
        url: of the answer.
        links: to articles, with the dates of those for which the data state one in ``published``.
        published: epoch seconds by address.
        page: the document, None for data.
        next_url: where the list goes on by its own word.
        archives: date archives that it links to, the newest first.
        hidden: how many of the links stand in data alone.
        template: how addresses are made of the names in data, None where nothing shows it.
        unnamed: articles in data whose addresses cannot be told.
        menu: what data without articles call sections.
    """

    url: str
    links: tuple[Link, ...]
    published: dict[str, float | None]
    page: Page | None
    next_url: str | None = None
    archives: tuple[Dated, ...] = ()
    hidden: int = 0
    template: str | None = None
    unnamed: tuple[Item, ...] = ()
    menu: tuple[Mapping[str, str], ...] = ()


def read_listing(
    page: Page, body: bytes, *, pattern: str | None = None, regions: Sequence[str] = (), judge: Judge | None = None,
    template: str | None = None, places: Collection[str] = (), home: str | None = None,
) -> Listing:  # fmt: skip
    """What a page lists; where nothing in it says how the list goes on, the answer's headers may.

    Args:
        page: of the answer.
        body: of the answer.
        pattern, regions, judge, places: as for ``extraction.lists.article_links``.
        template: how the addresses of articles are made of what data call them, where it is known.
        home: the site's home page, from which the addresses in data lead; an API may have a host of its own.
    """
    base = _base(page.url, home)
    if b"document.write" in body[:_HEAD] and b"<html" not in body[:_HEAD].lower():
        markup = written(Page.parse(body, base, "text/html").text)
        links = article_links(Page.parse(markup.encode(), base, "text/html; charset=utf-8"), pattern, judge=judge)
        return Listing(page.url, tuple(links), {}, None, counted(page.url, len(links)) if links else None)
    is_script = page.url.partition("?")[0].endswith((".js", ".mjs")) and body.lstrip()[:1] != b"<"
    if page.tree is None or is_script or _DATA.match(body):
        return _of_data(page, body, pattern, judge or looks_like_article, template, base=base)
    links = article_links(page, pattern, regions, judge=judge, places=places)
    days = tuple(archives(_own(page), page.fetched_at))
    if (own := dated(page.url)) is not None and not any(day.ends < own.ends for day in days):
        days += tuple(archives(days_before(page.url)))
    if pattern is None:  # the day before looks like an article; it is a list, and followed as one
        named = {day.url for day in days}
        links = [link for link in links if _key(link.url) not in named or _width(link.text) >= _HEADLINE]
    days = days or issues(page)  # each may be an article of its own, as a newsletter's are
    on = further.next_page(page) or further.next_group(page)
    # Where articles have their place, "Older" may stand too; it is where the list goes on, and no article.
    links = [link for link in links if not _TURNS.match(link.text) and (on is None or _key(link.url) != on)]
    seen = {_key(link.url) for link in links}
    published: dict[str, float | None] = {}
    more: list[Link] = []
    made = template
    unnamed: tuple[Item, ...] = ()
    if not regions and (any(mark in page.text for mark in _DATA_MARKS) or RECORDS.search(page.text)):
        items = _told_once(items_in_scripts(page))
        if items:
            made = template or _template(page, items)
            chosen, published = _chosen(items, page.url, pattern, judge or looks_like_article, made)
            unnamed = () if chosen or links else _unnamed(items, page.url, made)
            often = Counter(link.region for link in links if same_site(link.url, page.url))
            folders = {_folder(link.url) for link in links if often[link.region] > 1}  # a lone one is no list
            # Beside a document's own list, data may repeat menus and side boxes: what lies beside its articles counts.
            more = [one for one in chosen if one.url not in seen and (not folders or _folder(one.url) in folders)]
            # The document may show the first few of the same list.
            same = len(more) == len(chosen) or (seen and seen <= {_key(one.url) for one in chosen})
            if on is None and more and same:
                on = next_of_state(_state(page), page, more[0].region, len(chosen))
        if on is None and links and not more and further.has_pager(page):
            on = next_by_pages(_state(page), page)
    head = page.text[:20000].lower()
    whole = "<html" in head[:4000] or "<body" in head or "<head" in head[:4000]
    every = [*links, *more]
    if on is None and not whole and every:
        on = counted(page.url, len(every)) or further.behind(page, page.url)
    on = on or (_said(page) if every else None)
    return Listing(page.url, tuple(every), published, page, on, days, len(more), made, unnamed)


def _base(url: str, home: str | None) -> str:
    """What the addresses in an answer's data are below: the home page, which may have been led to the answer's host."""
    if home is None or not same_site(home, url):
        return url
    hosts = {SMALL_HOST.sub("", subdomain(one).removeprefix("www.")) for one in (url, home)}
    return url if len(hosts) == 1 else home  # from the bare name to "www.", or to the host for small screens


def _of_data(
    page: Page, body: bytes, pattern: str | None, judge: Judge, template: str | None, *, base: str
) -> Listing:  # fmt: skip
    value = loaded(body)
    for text in _fragments(value, _LEVELS):
        inner = Page.parse(text.encode(), base, "text/html")
        links = article_links(inner, pattern, judge=judge)
        if links or text in value.values():
            on = next_of_data(value, page.url, len(links)) or _said(page) or further.behind(inner, page.url)
            return Listing(page.url, tuple(links), {}, None, on)
    items = _told_once(items_of(value, base, zone=page.zone or UTC))
    if not items and (
        (number_of(page.url, loose=True) or 0) > 1 or asks_behind(page.url)
    ):  # the last page may list one
        items = [item for item in items_of(value, base, 1, zone=page.zone or UTC) if addressed(item, base, template)]
    links_, published = _chosen(items, base, pattern, judge, template, trusted=True)
    on = next_of_data(value, page.url, len(items)) or (_said(page) if items else None)
    unnamed = _unnamed(items, base, template)
    menu = () if links_ or unnamed else menu_of(value)
    return Listing(
        page.url, tuple(links_), published, None, on, hidden=len(links_), template=template, unnamed=unnamed,
        menu=menu,
    )  # fmt: skip


def _state(page: Page) -> Iterator[Any]:
    """The values in a page's scripts; behind what is JSON, of which most are, the literals of JavaScript."""
    texts = [text for text, _ in scripts(page)]
    literal = (text for text in texts if _LITERAL.search(text))
    return chain(
        (value for text in texts for value in values_of(text)), (value for text in literal for value in records(text))
    )


def _said(page: Page) -> str | None:
    """What the answer's headers call the next page."""
    on = canonical_or_none(page.resolve(page.following)) if page.following else None
    return on if on and same_site(on, page.url) else None


def _fragments(value: Any, levels: int) -> Iterator[str]:
    """What is HTML with links inside an answer: {"data": {"html": "…"}, "next": 2}."""
    for one in value.values() if isinstance(value, dict) and levels else ():
        if isinstance(one, str) and "<a " in one and "href" in one:
            yield one
        yield from _fragments(one, levels - 1)


def _told_once(items: Sequence[Item]) -> list[Item]:
    """The items without those of lists that name by other addresses what another list does.

    A program has its menu, its pages and what else they may be called by; what the last leads to may be shown by the
    program alone. The list that says when its articles were published is the one that it shows, else the first.
    """
    lists: dict[str, list[Item]] = {}
    for item in items:
        lists.setdefault(item.place, []).append(item)
    if len(lists) < 2:
        return [*items]
    at: dict[str, str] = {}
    left: set[str] = set()
    for place, members in sorted(lists.items(), key=lambda one: -sum(item.published_at is not None for item in one[1])):
        twins = sum(bool(item.url) and at.get(item.title, item.url) != item.url for item in members)
        if twins >= _LEAST_TWINS and twins >= _MOSTLY * len(members):
            left.add(place)
            continue
        for item in members:
            at.setdefault(item.title, item.url)
    return [item for item in items if item.place not in left]


def _unnamed(items: Iterable[Item], base: str, template: str | None) -> tuple[Item, ...]:
    return tuple(item for item in items if item.rich and not addressed(item, base, template))


def _chosen(
    items: Iterable[Item], base: str, pattern: str | None, judge: Judge, template: str | None, *, trusted: bool = False
) -> tuple[list[Link], dict[str, float | None]]:
    """The links of items that are articles, and when they appeared."""
    found: dict[str, tuple[Link, Item]] = {}
    for item in items:
        url = addressed(item, base, template)
        key = _key(_as_shown(url, base)) if url else ""
        if key and (key not in found or (item.rich and not found[key][1].rich)):
            found[key] = Link(url=key, text=item.title, region=item.place), item
    links = [link for link, _ in found.values()]
    headings = {link.url for link, item in found.values() if item.rich}
    kept = scored(links, urlsplit(base).hostname or "", judge, pattern, headings=headings, chosen=trusted)
    # A program that holds all of a site's pages has the further ones of its tags, too.
    kept = [one for one in kept if number_of(one.url) is None or not is_side_list(one.url)]
    kept = [one for one in kept if dated(one.url) is None or _width(one.text) >= _HEADLINE]
    own = [link for link in kept if same_site(link.url, base)]
    return own, {link.url: found[link.url][1].published_at for link in own}


def _as_shown(url: str, base: str) -> str:
    """The address at which readers have what a system behind the site calls by its own host: cms.paper.example."""
    host, shown = urlsplit(url).hostname or "", urlsplit(base)
    is_behind = _BEHIND.match(host) is not None and _BEHIND.match(shown.hostname or "") is None
    return urlsplit(url)._replace(scheme=shown.scheme, netloc=shown.netloc).geturl() if is_behind else url


def _template(page: Page, items: Sequence[Item]) -> str | None:
    if all(item.url for item in items):
        return None
    texts = [text for text, _ in scripts(page)] + [
        one.text or "" for one in page.by_tag["script"] if not one.get("src")
    ]
    return template_of(dict.fromkeys(texts), items, [anchor.url for anchor in anchors_of(page)])


def _folder(url: str) -> str:
    return shape(url).rpartition("/")[0]


def _width(text: str) -> int:
    """The letters of a text; Chinese ones count two."""
    return sum(1 + (ch >= "\u2e80") for ch in text if ch.isalpha())


def _own(page: Page) -> list[str]:
    """The addresses of the page's site that it links to, or has in a menu to choose from."""
    options = (further.target(option, page) for option in page.by_tag["option"])
    chosen = (url for url, _ in choices(page))
    urls = (*(anchor.url for anchor in anchors_of(page)), *filter(None, options), *chosen)
    return [key for url in urls if (key := _key(url)) and same_site(key, page.url)]


def _key(url: str) -> str:
    return canonical_or_none(url) or ""
