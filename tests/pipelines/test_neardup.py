from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import redis.asyncio
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from articlebot.dedup import article_text
from articlebot.items import Article
from articlebot.pipelines.neardup import NearDuplicatesPipeline
from articlebot.runtime import Runtime
from tests.crawlers import crawler_with

BODY = "市统计局昨天公布数据，上半年居民收入增长，物价平稳，工业生产增长，就业人数继续增加，出口回升。" * 3


def article(key: int, title: str = "Title", body: str = BODY, **values: object) -> Article:
    return Article(
        url=f"http://a.test/{key}", canonical_url=f"http://a.test/{key}", page_key=f"{key:016x}", job="j",
        site=f"s{key}.test", title=title, body=body, fetched_at=1_700_000_000.0, **values,
    )  # fmt: skip


@pytest.fixture
async def crawler(redis_url: str, tmp_path: Path) -> AsyncIterator[Crawler]:
    crawler = crawler_with(settings_dict={"REDIS_URL": redis_url, "ARTICLEBOT_DATA_DIR": str(tmp_path)})
    yield crawler
    await Runtime.of(crawler).close()


def stats(crawler: Crawler) -> dict[str, int]:
    assert crawler.stats is not None
    return {k: v for k, v in crawler.stats.get_stats().items() if k.startswith("articlebot/neardup/")}


async def test_a_reprint_carries_the_cluster_of_the_first(crawler: Crawler) -> None:
    pipeline = NearDuplicatesPipeline.from_crawler(crawler)
    first = await pipeline.process_item(article(1))
    second = await pipeline.process_item(article(2, "Another title", BODY + "责任编辑：王芳"))
    third = await pipeline.process_item(article(3, "Something else", "The harbour master closed both piers. " * 5))
    assert first.cluster == second.cluster != third.cluster
    assert (first.cluster_role, second.cluster_role, third.cluster_role) == ("single", "member", "single")
    assert stats(crawler) == {"articlebot/neardup/single": 2, "articlebot/neardup/member": 1}


async def test_unchanged_articles_and_other_items_pass(crawler: Crawler) -> None:
    pipeline = NearDuplicatesPipeline.from_crawler(crawler)
    item = await pipeline.process_item(article(1, change="unchanged"))
    assert item.cluster is None
    assert await pipeline.process_item({"other": 1}) == {"other": 1}
    assert stats(crawler) == {}


async def test_an_article_goes_on_while_redis_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Runtime, "is_ending", lambda runtime: True)
    crawler = crawler_with(
        settings_dict={"REDIS_URL": f"unix://{tmp_path}/nobody.sock", "ARTICLEBOT_DATA_DIR": str(tmp_path)}
    )
    pipeline = NearDuplicatesPipeline.from_crawler(crawler)
    assert (await pipeline.process_item(article(1))).cluster is None
    assert stats(crawler) == {"articlebot/neardup/unavailable": 1}
    await Runtime.of(crawler).close()


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("REPLICAOF 127.0.0.1 1", "REPLICAOF NO ONE"),
        ("CONFIG SET maxclients 1", "CONFIG SET maxclients 1000"),
    ],
)
async def test_an_article_waits_for_a_redis_that_refuses_for_now(
    crawler: Crawler, redis_url: str, monkeypatch: pytest.MonkeyPatch, begin: str, end: str
) -> None:
    monkeypatch.setattr(Runtime, "is_ending", lambda runtime: False)
    async with redis.asyncio.from_url(redis_url) as client:
        await client.execute_command(begin)
        try:
            pipeline = NearDuplicatesPipeline.from_crawler(crawler)
            coming = asyncio.ensure_future(pipeline.process_item(article(1)))
            await asyncio.sleep(0.3)
            assert not coming.done()
        finally:
            await client.execute_command(end)
    assert (await coming).cluster_role == "single"


def test_off_by_name(redis_url: str) -> None:
    crawler = crawler_with(settings_dict={"REDIS_URL": redis_url, "ARTICLEBOT_DEDUP_METHOD": "off"})
    with pytest.raises(NotConfigured, match="ARTICLEBOT_DEDUP_METHOD"):
        NearDuplicatesPipeline.from_crawler(crawler)


def test_headline_is_part_of_the_text() -> None:
    assert article_text("Title", BODY).startswith("Title\n")
