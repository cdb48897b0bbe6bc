"""What a site states of itself: its sitemaps and its feeds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from articlebot.extraction.url_words import is_about_wiki
from articlebot.looks.seen import Seen
from articlebot.page import header, page_of
from articlebot.page.feeds import feeds_of_opml, parse_feed
from articlebot.page.own_host import under_own
from articlebot.page.sitemaps import MAX_DEPTH, parse_sitemap
from articlebot.seeds.jobblock import Entry
from articlebot.seeds.offers import hubs_of_feed, offers
from articlebot.sources.maps import article_entries, children
from articlebot.urls import canonical_url, site, spelled_as

if TYPE_CHECKING:
    from scrapy.http import Response

    from articlebot.looks.site_look import SiteLook

_MOST_FEEDS, _MOST_SITEMAPS, _MOST_NAMED = 8, 12, 3
# "Our feeds": one is mostly of all that the site has. After so many that add nothing the others are left.
_MOST_IDLE = 2
_FORMATS = re.compile(r"rss2?|atom|rdf|feeds?|xml|json|index|[^a-z0-9]")


class Stated:
    """The sitemaps and feeds of a look at a site, read as they are asked for.

    Attributes:
        feeds: feeds with articles of the site.
        news: sitemaps of what is new.
        maps: sitemaps of the whole site, one entry for each file that is named.
    """

    def __init__(self, look: SiteLook) -> None:
        self._look = look
        self.feeds: list[Entry] = []
        self.news: list[Entry] = []
        self.maps: list[Entry] = []

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All of them."""
        return (*self.feeds, *self.news, *self.maps)

    async def read_home(self, why: str) -> None:
        """The address that the look was given, where it is a feed or sitemap by ``SiteSeeds.why``."""
        if why == "is_feed":
            await self.read_feeds([self._look.home], declared=True, again=True)
        elif why == "is_sitemap":
            await self.read_sitemaps([self._look.home], "given", again=True)
        self._look.as_list &= not self.entries

    async def read_sitemaps(self, urls: Sequence[str], why: str = "", *, again: bool = False) -> None:
        """Sitemaps and those that they name; of guessed places the first that names articles.

        Args:
            why: what names them, "" for guessed places.
            again: though the look has asked for them.
        """
        look, named = self._look, bool(why)
        why = why or "at the usual place"
        # The file that was named, as it answered, the depth below it, and the map to fetch.
        waiting = [(url, 0, url) for url in (under_own(one, look.home) for one in urls)]
        found: dict[str, set[str]] = {}
        while waiting and look.fetching.maps < _MOST_SITEMAPS:
            top, depth, url = waiting.pop(0)
            answer = await look.fetching.get(url, guessed=not named, form="sitemap", again=again and not depth)
            if answer is None and (here := spelled_as(url, look.home)) != url:
                answer = await look.fetching.get(here, form="sitemap")
            if answer is None:
                continue
            top = top if depth else answer.url  # where it was led to, which is followed from then on
            look.fetching.maps += 1
            sitemap = parse_sitemap(answer.body, answer.url, depth=depth)
            if named and not (sitemap.entries or sitemap.children):
                look.fetching.problem("no_sitemap", answer.url)
            if sitemap.truncated:
                look.fetching.problem("sitemap_truncated", answer.url)
            if depth < MAX_DEPTH:
                waiting = [(top, depth + 1, one.url) for one in children(sitemap.children)[:20]] + waiting
            articles = article_entries(sitemap.entries, look.shapes.judge, lambda url: None)
            if own := look.own(entry.url for entry in articles):
                # News are in one file of their own, all articles in whatever the index names.
                if any(entry.title or entry.published_at for entry in sitemap.entries):
                    look.language.tell_by(" ".join(one.title for one in articles[:40]), answer.body)
                    self.news.append(Entry(canonical_url(answer.url), own, f"{why}, news"))
                else:
                    found[top] = found.get(top, set()) | own
            if own or sitemap.children:
                look.seen.append(Seen("sitemap", answer, own))
            if own and not named:
                waiting = [one for one in waiting if one[0] == top]  # the rest of what an index names
        self.maps += [Entry(canonical_url(top), frozenset(urls), why) for top, urls in found.items()]

    async def read_feeds(self, urls: Sequence[str], *, declared: bool, again: bool = False) -> None:
        """Feeds, and those that a page about them links to; of guessed places the first that names articles."""
        look, waiting, listed, idle = self._look, [*urls[: 2 * _MOST_FEEDS]], set[str](), 0
        while waiting:
            url = waiting.pop(0)
            if any(formless(one.url) == formless(url) for one in self.feeds):
                continue  # the same feed in another format: /feed/, /feed/atom/
            answer = await look.fetching.get(url, guessed=not declared, form="feed", again=again and url in urls)
            if answer is None:
                continue
            entries = parse_feed(answer.body, answer.url)
            named = {entry.url for entry in entries if not is_about_wiki(entry.url)}
            own = look.own(named)
            if not own or len(own) * 2 < len(named):
                if declared and not (named or self.feeds) and (inner := self._linked(answer)):
                    waiting = [*(one for one in inner[:_MOST_FEEDS] if one not in listed), *waiting]
                    listed.update(inner)
                elif declared or named:
                    look.fetching.problem("no_feed" if not named else "feed_of_others", answer.url)
                    if named and url == look.home:
                        look.found.why = "feed_elsewhere", ", ".join(sorted(set(map(site, named)))[:_MOST_NAMED])
                continue
            idle = idle + 1 if own <= look.known else 0
            if idle >= _MOST_IDLE and not look.thorough:
                waiting = [one for one in waiting if one not in listed]
            for address in list(own)[:20]:
                look.shapes.observe(address, "article", 0.5)
            hubs = hubs_of_feed(answer.body, answer.url, header(answer, "Link"))
            look.found.hubs += [hub for hub in hubs if hub not in look.found.hubs]
            why = ("declared" if declared else "at the usual place") + (", with a hub" if hubs else "")
            self.feeds.append(Entry(canonical_url(answer.url), own, why))
            look.seen.append(Seen("feed", answer, own))
            said = " ".join(f"{entry.title} {entry.summary}" for entry in entries[:40])
            look.language.tell_by(said, answer.body)
            if not declared:
                break

    def _linked(self, answer: Response) -> tuple[str, ...]:
        """The feeds that a page links to which is none itself, or a list of subscriptions names."""
        if answer.body.lstrip()[:5].lower() == b"<?xml":
            return tuple(feeds_of_opml(answer.body))
        return offers(page_of(answer, self._look.runtime.now())).feeds


def formless(url: str) -> str:
    """A feed's address without the words for formats."""
    return _FORMATS.sub("", url.lower())
