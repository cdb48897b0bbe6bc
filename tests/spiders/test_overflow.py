"""A list page that holds fewer articles than have appeared since the last visit."""

from __future__ import annotations

import json

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from articlebot.frontier.forget import purge
from articlebot.frontier.leases import Settlement
from articlebot.jobs.follow import has_overflowed
from articlebot.jobs.visit import META_KEY, Visit
from articlebot.runtime import Runtime
from articlebot.spiders.article import ArticleSpider
from articlebot.urls import page_key

FRONT, SECOND = "http://a.test/", "http://a.test/page/2"


@pytest.mark.parametrize(("found", "new", "overflowed"), [(26, 20, True), (26, 12, False), (4, 4, False), (8, 5, True)])
def test_most_of_the_links_are_new(found: int, new: int, overflowed: bool) -> None:
    assert has_overflowed(found, new) is overflowed


async def queued_pages(spider: ArticleSpider) -> list[tuple[str, int]]:
    """The list pages in the queue, with their number; the queue is emptied."""
    frontier = spider.runtime.frontier
    taken = []
    while more := (await frontier.take(1, "w", look_ahead=1e6)).requests:
        taken += more
        await frontier.settle("w", [Settlement("ack", more[0].member)])
    fields = [json.loads(one.record) for one in taken]
    await purge(frontier, seen=False)  # the delays too
    return [(one["u"], one["m"]["articlebot"]["part"]) for one in fields if one["m"]["articlebot"]["kind"] == "list"]


async def look(spider: ArticleSpider, url: str, numbers: range, part: int = 1) -> None:
    """What the spider does with a list page of these articles that names a next one."""
    items = "".join(f'<li><a href="/news/{n}.html">The council approves budget number {n}</a></li>' for n in numbers)
    body = f'<ul class="news">{items}</ul><a href="/page/1">1</a><a href="/page/{part + 1}">Next</a>'
    (job,) = spider.book
    visit = Visit(job=job.name, kind="list", key=page_key(url), part=part)
    request = Request(url, meta={META_KEY: visit.meta()})
    page = f"<html><body>{body}</body></html>"
    await spider.parse_list(HtmlResponse(url, body=page, encoding="utf-8", request=request))


async def test_the_next_page_is_looked_at_and_not_followed(spider: ArticleSpider) -> None:
    await look(spider, FRONT, range(100, 120))  # the first visit finds everything new: that is no overflow
    assert await queued_pages(spider) == []
    await look(spider, FRONT, range(110, 125))
    assert await queued_pages(spider) == []
    await look(spider, FRONT, range(140, 160))
    assert await queued_pages(spider) == [(SECOND, 2)]
    await look(spider, SECOND, range(122, 140), part=2)
    assert await queued_pages(spider) == [("http://a.test/page/3", 3)]
    front, second = await Runtime.of(spider.crawler).pages.get([page_key(FRONT), page_key(SECOND)])
    assert front is not None and front.state.fetches == 3
    assert second is None  # its articles are known now; it has no visits of its own
