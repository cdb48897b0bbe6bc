from __future__ import annotations

import gc
import weakref
from types import SimpleNamespace
from typing import cast

import pytest
from scrapy import Spider
from scrapy.exceptions import DropItem

from articlebot.items import Withdrawal
from articlebot.pipelines.remember import RememberPipeline
from articlebot.runtime import Runtime
from tests.archive.conftest import make_article
from tests.crawlers import crawler_with


async def test_only_new_versions_go_on_to_feed_exports(redis_url: str) -> None:
    crawler = crawler_with(settings_dict={"REDIS_URL": redis_url})
    crawler.spider = cast(Spider, SimpleNamespace(name="any", book={}))
    pipeline, beside = RememberPipeline.from_crawler(crawler), Runtime.of(crawler).beside
    new, known = make_article("a"), make_article("b")
    beside.note(known, already=True)
    assert await pipeline.process_item(new) is new
    assert await pipeline.process_item({"other": 1}) == {"other": 1}
    gone = Withdrawal(url=new.url, page_key=new.page_key, job="j", at=1.0, reason="http_404")
    for ended in (known, make_article("c", change="unchanged"), gone):
        with pytest.raises(DropItem):
            await pipeline.process_item(ended)
    await Runtime.of(crawler).close()


def test_what_lies_beside_an_item_goes_with_it() -> None:
    beside = Runtime.of(crawler_with()).beside
    first, second = make_article("a"), make_article("a")
    beside.note(first, raw=b"page" * 1000)
    assert (beside.of(first).raw[:4], beside.of(second).raw) == (b"page", b"")
    ended = weakref.ref(first)
    del first
    gc.collect()
    assert ended() is None
