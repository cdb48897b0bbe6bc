"""Pages that are due when the store fails."""

from __future__ import annotations

import pytest

from articlebot.errors import StoreUnavailable
from articlebot.recrawl import Kind
from articlebot.recrawl.store import Seed
from articlebot.spiders.article import ArticleSpider
from articlebot.spiders.rounds import Rounds
from articlebot.urls import page_key


@pytest.mark.parametrize("lost", ["push", "put_off"])
async def test_what_could_not_be_queued_stays_due(
    spider: ArticleSpider, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    runtime, (job,) = spider.runtime, spider.book
    now = runtime.now()
    urls = [f"http://a.test/{number}" for number in range(300)]
    await runtime.pages.add_seeds([Seed(page_key(url), url, job.name, Kind.ARTICLE) for url in urls], now)
    await runtime.frontier.open()

    async def fails(*_: object) -> int:
        raise StoreUnavailable("Redis is away")

    rounds = Rounds(spider)
    with monkeypatch.context() as patch:
        patch.setattr(runtime.frontier if lost == "push" else runtime.pages, lost, fails)
        with pytest.raises(StoreUnavailable):
            await rounds.queue_due(now, now)
    assert len(await runtime.pages.peek_due(now, 500)) == 300
    assert await rounds.queue_due(now, now) == 300
    assert await runtime.pages.peek_due(now + 60, 500) == []
    assert (await runtime.frontier.counts()).queued == 300
