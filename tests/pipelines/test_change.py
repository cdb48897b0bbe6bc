from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from scrapy.crawler import Crawler

from articlebot.dedup import article_text
from articlebot.items import Article
from articlebot.pipelines.change import ChangePipeline
from articlebot.recrawl import Kind, PageRecord, PageState
from articlebot.runtime import Runtime
from articlebot.text import content_hash, simhash
from tests.crawlers import crawler_with


def article(body: str, **values: object) -> Article:
    return Article(
        url="http://a.test/1", canonical_url="http://a.test/1", page_key=f"{1:016x}", job="j", site="a.test",
        title="Title", body=body, fetched_at=1.0, **values,
    )  # fmt: skip


@pytest.fixture
async def crawler(redis_url: str, tmp_path: Path) -> AsyncIterator[Crawler]:
    crawler = crawler_with({"REDIS_URL": redis_url, "ARTICLEBOT_DATA_DIR": str(tmp_path)})
    yield crawler
    await Runtime.of(crawler).close()


@pytest.fixture
def pipeline(crawler: Crawler) -> ChangePipeline:
    return ChangePipeline.from_crawler(crawler)


async def test_fills_what_a_first_visit_saw(crawler: Crawler, pipeline: ChangePipeline) -> None:
    item = await pipeline.process_item(article("A body of words"))
    text = article_text("Title", "A body of words")
    assert (item.content_hash, item.change) == (f"{content_hash(text):016x}", "new")
    beside = Runtime.of(crawler).beside.of(item)
    assert (beside.fingerprint, beside.fingerprint_version) == (simhash.fingerprint(text), simhash.VERSION)
    assert beside.distance is None


@pytest.mark.parametrize(("body", "change"), [("A body of words", "unchanged"), ("Another body", "updated")])
async def test_compares_with_the_visit_before(
    crawler: Crawler, pipeline: ChangePipeline, body: str, change: str
) -> None:
    text = article_text("Title", "A body of words")
    state = PageState(Kind.ARTICLE, 1)._replace(
        content_hash=content_hash(text), fingerprint=simhash.fingerprint(text)
    )  # fmt: skip
    second = article(body)
    Runtime.of(crawler).beside.note(second, record=PageRecord(1, "http://a.test/1", "j", state))
    assert (await pipeline.process_item(second)).change == change


async def test_leaves_a_document_and_other_items_alone(crawler: Crawler, pipeline: ChangePipeline) -> None:
    judged = article("x", change="updated", content_hash=f"{9:016x}")
    Runtime.of(crawler).beside.note(judged, fingerprint_version=-1)
    assert (await pipeline.process_item(judged)).content_hash == f"{9:016x}"
    other = {"url": "u"}
    assert (await pipeline.process_item(other)) is other


def revisited(crawler: Crawler, before: Article, after: Article, **more: object) -> Article:
    """``after``, with what the visit before saw beside it, which is in the archive."""
    runtime = Runtime.of(crawler)
    before.content_hash = f"{9:016x}"
    runtime.archive.publish([before], 1.0)
    text = article_text(before.title, before.body)
    state = PageState(Kind.ARTICLE, 1)._replace(content_hash=content_hash(text), fingerprint=simhash.fingerprint(text))
    runtime.beside.note(after, record=PageRecord(1, "http://a.test/1", "j", state), **more)
    return after


BODY = "The council voted on Tuesday.\nNobody objected, the minutes say."


@pytest.mark.parametrize(
    ("body", "change"),
    [
        (BODY.replace("Tuesday", "Monday"), "updated"),
        (BODY + "\nRead 1024 times", "updated"),
        (BODY.replace("\n", "\n\n "), "unchanged"),
    ],
)
async def test_an_edit_is_told_from_what_moves(
    crawler: Crawler, pipeline: ChangePipeline, body: str, change: str
) -> None:
    after = revisited(crawler, article(BODY), article(body))
    assert (await pipeline.process_item(after)).change == change


async def test_a_counter_is_no_edit_and_is_counted_as_unchanged(crawler: Crawler, pipeline: ChangePipeline) -> None:
    after = revisited(crawler, article(BODY + "\nViews: 1024"), article(BODY + "\nViews: 2048"))
    assert (await pipeline.process_item(after)).change == "unchanged"
    assert crawler.stats is not None
    assert crawler.stats.get_value("articlebot/change/unchanged") == 1
    assert crawler.stats.get_value("articlebot/change/same/boilerplate") == 1
    assert crawler.stats.get_value("articlebot/change/updated") is None


async def test_a_note_that_several_articles_gain_is_an_edit_of_each(crawler: Crawler, pipeline: ChangePipeline) -> None:
    changes = []
    for number in range(1, 5):
        key = {"page_key": f"{number:016x}", "canonical_url": f"http://a.test/{number}"}
        before, after = replace(article(BODY), **key), replace(article(BODY + "\nCorrected on 3 May"), **key)
        changes.append((await pipeline.process_item(revisited(crawler, before, after))).change)
    assert changes == ["updated"] * 4


@pytest.mark.parametrize(
    ("again", "change"),
    [(("Title", BODY), "unchanged"), (("Title", BODY.replace("Tuesday", "Monday")), "updated"), (None, "updated")],
)
async def test_what_another_extractor_reads_is_compared_with_its_own_reading(
    crawler: Crawler, pipeline: ChangePipeline, again: tuple[str, str] | None, change: str
) -> None:
    asked: list[str] = []

    def reread(extractor: str) -> tuple[str, str] | None:
        asked.append(extractor)
        return again

    other = article(BODY + "\nThe mayor was not there.", extractor="wrapper:a.test/v1.0")
    after = revisited(crawler, article(BODY, extractor="blocks"), other, reread=reread)
    assert (await pipeline.process_item(after)).change == change
    assert asked == ["blocks"]


async def test_counts_each_outcome(crawler: Crawler, pipeline: ChangePipeline) -> None:
    await pipeline.process_item(article("one"))
    assert crawler.stats is not None
    assert crawler.stats.get_value("articlebot/change/new") == 1
