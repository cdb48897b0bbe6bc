"""What the extensions, middlewares and pipelines of a crawl have in common."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Self

from articlebot.runtime.runtime import Runtime

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class Component:
    """A part of a crawl, which Scrapy makes by ``from_crawler``.

    Raises:
        Off: there is nothing for it to do; it is left out.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The component of a crawl."""
        return cls(crawler)

    @cached_property
    def _runtime(self) -> Runtime:
        return Runtime.of(self._crawler)
