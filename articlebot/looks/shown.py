"""Lists that a browser alone shows: what its page asks for is fetched without one from then on, where it can be."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from scrapy import Request
from scrapy.http import HtmlResponse, Response

from articlebot.extraction.shells import needs_scripts
from articlebot.looks.alike import LEAST_DATA
from articlebot.looks.script_answers import fetched
from articlebot.looks.seen import Seen
from articlebot.page import Page, page_of
from articlebot.page.anchors import anchors_of
from articlebot.page.json_values import loaded
from articlebot.seeds.jobblock import Entry
from articlebot.seeds.offers import offers
from articlebot.sources.counting import page_of as page_of_list
from articlebot.sources.posts import Posted
from articlebot.sources.templates import template_of
from articlebot.urls import asking, canonical_or_none

if TYPE_CHECKING:
    from articlebot.looks.site_look import SiteLook
    from articlebot.runtime.browser import Shown
    from articlebot.runtime.in_browser import Call
    from articlebot.sources import Listing

# Sections of a site whose home page only a browser shows; each takes it seconds.
_MOST_SECTIONS = 6
# Further pages of a list that are shown, as a first visit turns a list's.
_MOST_FURTHER = 20


async def show(look: SiteLook, answer: Response, *, further: int = 0) -> Shown | None:
    """A page as a browser shows it; None where there is none, the job wants none, or no time is left.

    Args:
        further: how often its list is to go on.
    """
    browser, fetching = look.runtime.browser, look.fetching
    if browser is None or fetching.spent or not fetching.may_show():
        return None
    shown = await browser.show(answer, fetching.meta, zone=look.found.timezone, further=further, seconds=fetching.left)
    if shown is not None:
        look.found.fetched += shown.requests
        for reason, url in shown.failed:
            fetching.problem(reason, url)
    return shown


async def behind_browser(look: SiteLook, home: Listing) -> None:
    """The lists that a home page without any asks for in a browser, and those of the sections that it leads to there.

    Each is asked for again without the browser, and kept where it answers. ``found.rendered`` names the pages of which
    none does: they are shown at each visit.
    """
    shell = home.page
    assert shell is not None
    as_it_came = HtmlResponse(
        shell.url, body=shell.text.encode("utf-8", "replace"), encoding="utf-8",
        request=Request(look.home, meta=look.fetching.meta), headers={"Content-Type": "text/html; charset=utf-8"},
    )  # fmt: skip
    page = await _lists_of(look, as_it_came, "a browser shows the home page", is_home=True)
    for url in offers(page).sections[:_MOST_SECTIONS] if page is not None else ():
        answer = await look.fetching.get(url) if url not in look.known else None
        if answer is not None and needs_scripts(page_of(answer)):
            await _lists_of(look, answer, "a browser shows it")


async def _lists_of(look: SiteLook, answer: Response, why: str, *, is_home: bool = False) -> Page | None:
    """Keeps what a page asks for in the browser, or else the page; returns it as it was shown."""
    if (shown := await show(look, answer, further=1)) is None:
        return None
    page = page_of(shown.page, look.runtime.now())
    kept = [await _keep(look, call, page) for call in shown.calls]
    listing = look.reading(shown.page)
    if not any(kept) and len((named := look.named(listing)) - look.known) >= LEAST_DATA:
        if shown.goes_on and (whole := await show(look, answer, further=_MOST_FURTHER)) is not None:
            # Only here can its further pages be had; later visits show what is new.
            shown, listing = whole, look.reading(whole.page)
            named = look.named(listing)
        before = len(look.lists)
        look.note(listing, why, is_home=is_home)
        if len(look.lists) == before:  # a wall, or a list that another repeats
            return page
        look.found.rendered.append(look.lists[-1].url)
        look.seen.append(Seen("list", shown.page, named))
        look.language.of_list(page.lang, listing.links)
    return page


async def _keep(look: SiteLook, call: Call, page: Page) -> bool:
    """Keeps what a page asked for where it lists articles, and does so without the browser too.

    Returns:
        Whether the list is followed.
    """
    if call.answer.status != 200 or (asked := _plainly(call)) is None:
        return False
    url = asked.url
    same = [one for one in (*look.found.api, *look.found.more) if page_of_list(one.url, 1) == page_of_list(url, 1)]
    if any(one.goes_on or one.url == url for one in same):
        return True
    listing = look.reading(call.answer)
    if listing.unnamed and not listing.links and look.found.article_url is None:
        hrefs = [anchor.url for anchor in anchors_of(page)]
        look.found.article_url = await asyncio.to_thread(template_of, look.scripts, listing.unnamed, hrefs)
        listing = look.reading(call.answer)
    if len(look.named(listing) - look.known) < LEAST_DATA:
        return bool(same)
    is_posted = call.method == "POST"
    plain = await fetched(look, url, page, None, asked.sent if is_posted else "", repeats=True)
    if plain is None or len(named := look.named(plain)) < LEAST_DATA:
        return False
    where = look.found.more if same else look.found.api
    where.append(Entry(url, named, "a page in the browser fetches it", bool(plain.next_url)))
    look.listings.append(plain)
    look.language.tell_by(" ".join(link.text for link in plain.links))
    if is_posted:
        look.found.post(asked.place, as_json=asked.as_json)
    return True


def _plainly(call: Call) -> Posted | None:
    """The address by which the crawl asks for the same, of one by POST with what is sent; None where it cannot."""
    url, own, as_json = call.url, "", False
    if call.method == "POST":
        said = call.body
        if "json" in call.headers.get("content-type", ""):
            value = loaded(call.body.encode())
            if not isinstance(value, dict):
                return None
            said = urlencode({key: one if isinstance(one, str) else json.dumps(one) for key, one in value.items()})
            as_json = True
        own = urlsplit(canonical_or_none(url) or "").query
        url = asking(url, said)
    elif call.method != "GET":
        return None
    address = canonical_or_none(url)
    return None if address is None else Posted(address, as_json, own)
