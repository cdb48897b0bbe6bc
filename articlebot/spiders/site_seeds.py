"""Looks through one site for its feeds, sitemaps, list pages and hub."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request, Spider

from articlebot.errors import ConfigError, RefusedError
from articlebot.runtime import Runtime
from articlebot.seeds.jobblock import SiteSeeds
from articlebot.spiders.apart import APART
from articlebot.spiders.arguments import refuse_unknown
from articlebot.spiders.site_look import SiteLook
from articlebot.urls import canonical_url

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class SiteSeedsSpider(Spider):
    """Discovers one site.

    Args:
        url: any page of the site, best its home page.
        found: a list that gets the result.
    """

    name = "site_seeds"
    custom_settings = {**APART, "COOKIES_ENABLED": True}  # what asks for consent may hand out its cookie
    look: SiteLook

    def __init__(self, url: str = "", found: list[SiteSeeds] | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        refuse_unknown(type(self), kwargs)
        self.home, self.results = self.check_arguments(url), found

    @staticmethod
    def check_arguments(url: str = "", **_: Any) -> str:
        """The address to begin at.

        Raises:
            ConfigError: it is none.
        """
        try:
            return canonical_url(url if "://" in url else f"https://{url}")
        except RefusedError as error:
            raise ConfigError(f"expected the address of a site, such as https://news.example/ ({error})") from None

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.look = SiteLook(crawler, spider.home, Runtime.of(crawler).config.seeds.max_pages)
        if spider.results is not None:
            spider.results.append(spider.look.found)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """The whole look."""
        await self.look.run()
        for nothing in list[Request]():
            yield nothing  # Scrapy expects an asynchronous generator
