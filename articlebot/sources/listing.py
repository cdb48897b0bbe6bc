"""What one answer lists: an HTML page, a fragment of one, the JSON of an API, or a script with its data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from itertools import chain
from typing import Any, NamedTuple

from articlebot.extraction.lists import Judge, article_links
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
from articlebot.sources.listed import HEADLINE, as_links, key_of, told_once, width, without_address
from articlebot.sources.templates import addressed, template_of
from articlebot.urls import canonical_or_none, same_site, subdomain

# JSON, also behind a callback's or a variable's name.
_DATA = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,20}(?:%b)?[{\[]" % BEFORE.encode())
# "<< Previous", "‹ Zurück", "« Página anterior": headlines that begin so close what they open.
_TURNS = re.compile(r"\s*+[<‹«←]++\s*+\w{3,15}(?:\s\w{3,15})?\s*+\Z")
# Hosts that show the pages of another one to small screens.
SMALL_HOST = re.compile(r"\A(?:m|mobile|wap|amp|3g|touch|h5)\.", re.I)
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
    base, judge = _base(page.url, home), judge or looks_like_article
    if b"document.write" in body[:_HEAD] and b"<html" not in body[:_HEAD].lower():
        markup = written(Page.parse(body, base, "text/html").text)
        links = article_links(Page.parse(markup.encode(), base, "text/html; charset=utf-8"), pattern, judge=judge)
        return Listing(page.url, tuple(links), {}, None, counted(page.url, len(links)) if links else None)
    is_script = page.url.partition("?")[0].endswith((".js", ".mjs")) and body.lstrip()[:1] != b"<"
    if page.tree is None or is_script or _DATA.match(body):
        return _of_data(page, body, pattern, judge, template, base=base)
    on, days = further.next_page(page) or further.next_group(page), _days(page)
    links = article_links(page, pattern, regions, judge=judge, places=places)
    if pattern is None:  # the day before looks like an article; it is a list, and followed as one
        named = {day.url for day in days}
        links = [link for link in links if key_of(link.url) not in named or width(link.text) >= HEADLINE]
    # Where articles have their place, "Older" may stand too; it is where the list goes on, and no article.
    links = [link for link in links if not _TURNS.match(link.text) and (on is None or key_of(link.url) != on)]
    hidden = _Hidden((), {}, template=template)
    if not regions and (any(mark in page.text for mark in _DATA_MARKS) or RECORDS.search(page.text)):
        hidden = _hidden(page, links, pattern, judge, template)
        on = on or _next_in_scripts(page, links, hidden)
    every = (*links, *hidden.links)
    if on is None and every:
        on = (None if _is_whole(page) else counted(page.url, len(every)) or further.behind(page, page.url)) or _said(
            page
        )
    days = days or tuple(issues(page))  # each may be an article of its own, as a newsletter's are
    return Listing(
        page.url, every, hidden.published, page, on, days, len(hidden.links), hidden.template, hidden.unnamed
    )  # fmt: skip


class _Hidden(NamedTuple):
    """What a document's scripts list.

    Attributes:
        links: that the document does not show.
        published: epoch seconds by address.
        goes_on: how many links the list has of which the document shows the first few or none; 0 where it is another.
        template, unnamed: as of a ``Listing``.
    """

    links: Sequence[Link]
    published: dict[str, float | None]
    goes_on: int = 0
    template: str | None = None
    unnamed: tuple[Item, ...] = ()


def _hidden(page: Page, links: Sequence[Link], pattern: str | None, judge: Judge, template: str | None) -> _Hidden:
    items = told_once(items_in_scripts(page))
    if not items:
        return _Hidden((), {}, template=template)
    made = template or _template(page, items)
    chosen, published = as_links(items, page.url, pattern, judge, made)
    seen = {key_of(link.url) for link in links}
    often = Counter(link.region for link in links if same_site(link.url, page.url))
    folders = {_folder(link.url) for link in links if often[link.region] > 1}  # a lone one is no list
    # Beside a document's own list, data may repeat menus and side boxes: what lies beside its articles counts.
    more = [one for one in chosen if one.url not in seen and (not folders or _folder(one.url) in folders)]
    goes_on = len(more) == len(chosen) or (seen and seen <= {key_of(one.url) for one in chosen})
    unnamed = () if chosen or links else without_address(items, page.url, made)
    return _Hidden(more, published, len(chosen) if goes_on else 0, made, unnamed)


def _next_in_scripts(page: Page, links: Sequence[Link], hidden: _Hidden) -> str | None:
    """Where a document's list goes on by its own data, None where they do not say it."""
    if hidden.links and hidden.goes_on:
        return next_of_state(_state(page), page, hidden.links[0].region, hidden.goes_on)
    return next_by_pages(_state(page), page) if links and not hidden.links and further.has_pager(page) else None


def _days(page: Page) -> tuple[Dated, ...]:
    """The date archives that a document links to, and those before it where it is one and links to none before."""
    days, own = tuple(archives(_own(page), page.fetched_at)), dated(page.url)
    if own is not None and not any(day.ends < own.ends for day in days):
        days += tuple(archives(days_before(page.url)))
    return days


def _is_whole(page: Page) -> bool:
    """Whether an answer is a document, and no part of one that is put into another."""
    head = page.text[:20000].lower()
    return "<html" in head[:4000] or "<body" in head or "<head" in head[:4000]


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
    items = told_once(items_of(value, base, zone=page.zone or UTC))
    if not items and (
        (number_of(page.url, loose=True) or 0) > 1 or asks_behind(page.url)
    ):  # the last page may list one
        items = [item for item in items_of(value, base, 1, zone=page.zone or UTC) if addressed(item, base, template)]
    links_, published = as_links(items, base, pattern, judge, template, trusted=True)
    on = next_of_data(value, page.url, len(items)) or (_said(page) if items else None)
    unnamed = without_address(items, base, template)
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


def _template(page: Page, items: Sequence[Item]) -> str | None:
    if all(item.url for item in items):
        return None
    texts = [text for text, _ in scripts(page)] + [
        one.text or "" for one in page.by_tag["script"] if not one.get("src")
    ]
    return template_of(dict.fromkeys(texts), items, [anchor.url for anchor in anchors_of(page)])


def _folder(url: str) -> str:
    return shape(url).rpartition("/")[0]


def _own(page: Page) -> list[str]:
    """The addresses of the page's site that it links to, or has in a menu to choose from."""
    options = (further.target(option, page) for option in page.by_tag["option"])
    chosen = (url for url, _ in choices(page))
    urls = (*(anchor.url for anchor in anchors_of(page)), *filter(None, options), *chosen)
    return [key for url in urls if (key := key_of(url)) and same_site(key, page.url)]
