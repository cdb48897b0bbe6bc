"""The last pipeline: what the visit found goes into the page's state, now that the version is safe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy.exceptions import DropItem

from articlebot.items import Article, Withdrawal
from articlebot.runtime import Runtime

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class RememberPipeline:
    """Writes ``item.visit`` to the page states; ends unchanged articles, so that no feed export repeats them."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._runtime = Runtime.of(crawler)
        self._visits = self._runtime.visits

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_item(self, item: Any) -> Any:
        """The item.

        Raises:
            DropItem: the article is unchanged.
        """
        if not isinstance(item, Article | Withdrawal) or item.visit is None:
            return item
        record, seen, validators = item.visit
        job = self._crawler.spider.book.get(item.job)  # type: ignore[union-attr]
        if isinstance(item, Article):
            outcome = "unchanged" if item.change == "unchanged" else "changed"
            seen = seen._replace(
                outcome=outcome, distance=item.distance, content_hash=item.content_hash, fingerprint=item.fingerprint
            )
        if job is not None and (job.recrawl_articles or isinstance(item, Withdrawal)):
            await self._visits.observe(record, seen, validators, job)
        elif record.state.fetches:
            # Followed until now: its first visits failed, or the job visited its articles again before.
            await self._runtime.pages.forget(record.key)
        if isinstance(item, Article) and item.change == "unchanged":
            raise DropItem(f"unchanged: {item.url}", log_level="DEBUG")
        return item
