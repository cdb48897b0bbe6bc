"""Looking through one site: what its home page, robots.txt, feeds, sitemaps and sections offer."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from twisted.python.failure import Failure

from articlebot.errors import RefusedError
from articlebot.extraction.kinds import kind
from articlebot.extraction.lists import article_links
from articlebot.extraction.shells import needs_scripts
from articlebot.jobs.visit import CONSENT
from articlebot.page import Page, page_of
from articlebot.page.feeds import parse_feed
from articlebot.page.sitemaps import MAX_DEPTH, parse_sitemap
from articlebot.runtime import Runtime
from articlebot.seeds.jobblock import Entry, SiteSeeds, chosen
from articlebot.seeds.offers import FEED_PATHS, SITEMAP_PATHS, hubs_of_feed, offers, robots_sitemaps
from articlebot.spiders.apart import fetch, limit_slot
from articlebot.spiders.failures import fault_of
from articlebot.text import language
from articlebot.urls import canonical_url, site, subdomain

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)
_MOST_FEEDS, _MOST_SITEMAPS, _MOST_LISTS = 8, 3, 20
_SECTION_SHARE = 0.6
_LEAST_LINKS = 4
_LANGUAGE_CHARS = 4000
# Downloads in a row without any answer, after which a site is left alone.
_MOST_SILENT = 3


class SiteLook:
    """One look at a site, politely and within a budget.

    Args:
        home: where it begins, canonical.
        max_pages: pages fetched at most.
    """

    def __init__(self, crawler: Crawler, home: str, max_pages: int) -> None:
        self.crawler, self.home, self.max_pages = crawler, home, max_pages
        self.runtime = Runtime.of(crawler)
        self.found = SiteSeeds(home)
        self.asked: set[str] = set()
        self._silent = 0

    async def run(self) -> None:
        """Home page, feeds, sections, robots.txt, sitemaps, in this order while the budget lasts; fills ``found``."""
        home = await self.page(self.home)
        offered = offers(home) if home is not None else offers(Page.parse(b"", self.home))
        base = home.url if home is not None else self.home
        if home is not None:
            text = " ".join(" ".join(map(str, home.tree.itertext())).split()) if home.tree is not None else ""
            self.found.language = language(text[:_LANGUAGE_CHARS]) if text else None
            if needs_scripts(home):
                self._problem("needs_javascript")
        self.found.hubs = list(offered.hubs)
        known: set[str] = set()
        await self._feeds(offered.feeds or tuple(urljoin(base, path) for path in FEED_PATHS), known)
        await self._lists(base, home, offered.sections, known)
        await self._sitemaps(base, known)

    async def _feeds(self, urls: tuple[str, ...], known: set[str]) -> None:
        entries = []
        for url in urls[: 2 * _MOST_FEEDS]:
            answer = await self.fetch(url)
            if answer is None:
                continue
            named = [entry.url for entry in parse_feed(answer.body, answer.url)]
            own = self.own(named)
            if len(own) * 2 < len(set(named)) or not own:
                self._problem("no_feed" if not named else "feed_of_others")
                continue
            hubs = hubs_of_feed(answer.body, answer.url, _header(answer, "Link"))
            self.found.hubs += [hub for hub in hubs if hub not in self.found.hubs]
            entries.append(Entry(canonical_url(answer.url), own, ", with a hub" if hubs else ""))
        self.found.feeds = chosen(entries, known, most=_MOST_FEEDS, least_new=1)

    async def _sitemaps(self, base: str, known: set[str]) -> None:
        answer = await self.fetch(urljoin(base, "/robots.txt"))
        named = robots_sitemaps(answer.body, answer.url) if answer is not None else ()
        waiting = [(url, 0) for url in named or tuple(urljoin(base, path) for path in SITEMAP_PATHS)]
        news: list[Entry] = []
        plain: list[Entry] = []
        while waiting and self.found.fetched < self.max_pages:
            url, depth = waiting.pop(0)
            answer = await self.fetch(url)
            if answer is None:
                continue
            sitemap = parse_sitemap(answer.body, answer.url, depth=depth)
            if not (sitemap.entries or sitemap.children):
                self._problem("no_sitemap")
            if sitemap.truncated:
                self._problem("sitemap_truncated")
            if depth < MAX_DEPTH:  # the newest children first: the budget may end
                newest = sorted(sitemap.children, key=lambda child: -(child.modified_at or 0.0))
                waiting += [(child.url, depth + 1) for child in newest[:20]]
            own = self.own(entry.url for entry in sitemap.entries)
            if own:
                is_news = any(entry.title or entry.published_at for entry in sitemap.entries)
                (news if is_news else plain).append(Entry(canonical_url(answer.url), own, ", news" if is_news else ""))
        # A sitemap of everything is long and says little of what is new; it is for sites that offer nothing else.
        wanted = news or ([] if self.found.feeds or self.found.list_pages else plain)
        self.found.sitemaps = chosen(wanted, known if not news else set(), most=_MOST_SITEMAPS, least_new=1)

    async def _lists(self, base: str, home: Page | None, sections: tuple[str, ...], known: set[str]) -> None:
        entries = []
        if home is not None:
            entries += self._list(canonical_url(base), home)
        budget = int(self.max_pages * _SECTION_SHARE)
        for url in sections:
            if self.found.fetched >= budget:
                self._problem("sections_left_out")
                break
            page = await self.page(url)
            if page is not None:
                entries += self._list(canonical_url(page.url), page)
        self.found.list_pages = chosen(entries, known, most=_MOST_LISTS)
        if not self.found.list_pages and not self.found.feeds and entries:
            self.found.list_pages = entries[:1]

    def _list(self, url: str, page: Page) -> list[Entry]:
        links = self.own(link.url for link in article_links(page))
        told = kind(page).name
        if told == "wall":
            self._problem("wall")
        is_list = told in ("list", "topic") or url == self.home
        return [Entry(url, links)] if is_list and len(links) >= _LEAST_LINKS else []

    def own(self, urls: Any) -> frozenset[str]:
        """Those of these addresses that are of the site."""
        own = set()
        for url in urls:
            try:
                address = canonical_url(url)
                if site(address) == site(self.home):
                    own.add(address)
            except RefusedError:
                continue
        return frozenset(own)

    async def page(self, url: str) -> Page | None:
        """The page of an address, None where there is none."""
        answer = await self.fetch(url)
        if answer is None:
            return None
        return page_of(answer, self.runtime.now())

    async def fetch(self, url: str) -> Response | None:
        """An answer with status 200, once per address and within the budget; else None, counted."""
        config = self.runtime.config
        if url in self.asked or self.found.fetched >= self.max_pages or self._silent >= _MOST_SILENT:
            return None
        self.asked.add(url)
        self.found.fetched += 1
        logger.info("%d: %s", self.found.fetched, url)
        try:
            limit_slot(self.crawler, subdomain(url), delay=config.delays.click_interval_s)
            meta = {
                "download_slot": subdomain(url), "download_timeout": config.seeds.timeout_s, CONSENT: "given",
            }  # fmt: skip
            answer = await fetch(self.crawler, Request(url, meta=meta))
        except Exception as error:  # a page that cannot be had is counted, whatever the reason
            self._silent += not isinstance(error, IgnoreRequest)
            self._problem(fault_of(Failure(error)).reason)  # type: ignore[no-untyped-call]
            return None
        self._silent = 0
        if answer.status != 200:
            self._problem(f"http_{answer.status}")
            return None
        return answer

    def _problem(self, name: str) -> None:
        self.found.problems[name] = self.found.problems.get(name, 0) + 1


def _header(response: Response, name: str) -> str:
    value = response.headers.get(name)
    return value.decode("latin-1") if value else ""
