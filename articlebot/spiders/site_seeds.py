"""Looks through one site for its feeds, sitemaps, list pages and hub."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Self
from zoneinfo import ZoneInfo

from scrapy.crawler import Crawler

from articlebot.extraction.cascade import extract
from articlebot.extraction.gates import gate_of
from articlebot.extraction.model import Extracted, dated
from articlebot.extraction.shells import needs_scripts
from articlebot.extraction.walls import wall_in
from articlebot.looks.site_look import SiteLook
from articlebot.page import Page
from articlebot.seeds.jobblock import SiteSeeds
from articlebot.spiders.apart import APART, ApartSpider
from articlebot.urls import typed_url

# Seconds for the samples, beyond those of the look.
_SAMPLE_S = 6.0
_IN_SCRIPTS = "needs_javascript"
# Characters of a text by which a person sees whether it is the article.
_BEGINS = 160
_SPENT = "not asked for, the time or the requests of the look are used up"


@dataclass(frozen=True, slots=True)
class Sample:
    """One article of the site, as it is read; ``refused`` where it cannot be."""

    url: str
    read: Extracted | None = None
    refused: str = ""

    def row(self) -> dict[str, Any]:
        """What there is to tell of it."""
        told: dict[str, Any] = {
            "url": self.url, "kind": None, "title": "", "published_at": None, "authors": [], "chars": 0, "language": "",
            "begins": "", "refused": self.refused,
        }  # fmt: skip
        if (read := self.read) is not None:
            told |= {
                "kind": read.kind, "title": read.title, "published_at": dated(read), "authors": list(read.authors),
                "chars": len(read.body), "language": read.language, "begins": _beginning(read.body),
            }  # fmt: skip
        return told


def _beginning(body: str) -> str:
    line = " ".join(body[: 2 * _BEGINS].split())
    return line if len(line) <= _BEGINS else line[:_BEGINS] + "…"


class SiteSeedsSpider(ApartSpider):
    """Discovers one site.

    Args:
        url: any page of the site, best its home page.
        found: a list that gets the result.
        seconds, pages: bounds of the look; None: those of the settings alone.
        samples: a list that gets so many articles, ``most``, as they are read.
    """

    name = "site_seeds"
    # A cookie that a site sets is often what lets the next page be seen.
    custom_settings = {**APART, "COOKIES_ENABLED": True}
    look: SiteLook

    def __init__(
        self, url: str = "", found: list[SiteSeeds] | None = None, *, seconds: float | None = None,
        pages: int | None = None, samples: list[Sample] | None = None, most: int = 0, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.home, self.results = self.check_arguments(url), found
        self.seconds, self.pages, self.samples, self.most = seconds, pages, samples, most

    @staticmethod
    def check_arguments(url: str = "", **_: Any) -> str:
        """The address to begin at.

        Raises:
            ConfigError: it is none.
        """
        return typed_url(url)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        pages = spider.pages or spider.runtime.config.seeds.max_pages
        spider.look = SiteLook(crawler, spider.home, pages, seconds=spider.seconds)
        if spider.results is not None:
            spider.results.append(spider.look.found)
        return spider

    async def work(self) -> None:
        """The whole look."""
        await self.look.run()
        if self.samples is not None:
            await self._sample(self.samples)
            empty = {one.refused for one in self.samples} - {_SPENT} == {_IN_SCRIPTS}
            self.look.found.needs_browser = self.look.found.needs_browser or empty
        self.look.fetching.close()

    async def _sample(self, samples: list[Sample]) -> None:
        """Reads some articles, of each kind of source the newest first; beside them those that cannot be read."""
        look, zone = self.look, self.look.found.timezone
        look.fetching.allow(self.most, _SAMPLE_S)
        groups = [sorted(entry.articles, reverse=True) for one in look.found.groups.values() for entry in one[:1]]
        urls = dict.fromkeys(url for row in zip_longest(*groups) for url in row if url)
        for url in list(urls)[: 2 * self.most]:
            if sum(not one.refused for one in samples) >= self.most:
                return
            before = Counter(look.found.problems)
            page = await look.page(url)
            if page is None:
                failed = dict(Counter(look.found.problems) - before)
                samples.append(Sample(url, refused=next(iter(failed), _SPENT)))
                if not failed:
                    return
                continue
            page.zone = ZoneInfo(zone) if zone else None
            samples.append(self._read(url, page))

    def _read(self, url: str, page: Page) -> Sample:
        """An article as it is read; one behind a wall is told as a wall."""
        read = extract(page)
        if read.refused:
            return Sample(url, refused=_IN_SCRIPTS if needs_scripts(page) else read.refused)
        wall = wall_in(page, read.kind or "other") or (gate_of(page, read.body) if read.kind != "video" else None)
        if wall is None:
            return Sample(url, read)
        self.look.found.walls[url] = wall
        return Sample(url, refused=f"wall_{wall}")
