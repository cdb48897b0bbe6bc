"""Pages that are due when the store fails."""

from __future__ import annotations

import asyncio

import pytest

from articlebot.errors import StoreUnavailable
from articlebot.frontier import Candidate, Settlement
from articlebot.frontier.envelope import mark
from articlebot.frontier.pace import Pace
from articlebot.jobs import Job
from articlebot.jobs.book import JobBook
from articlebot.recrawl import Kind, PageRecord, PageState
from articlebot.recrawl.record import Seed
from articlebot.spiders.article import ArticleSpider
from articlebot.urls import page_key
from articlebot.visiting.seeding import add_entries, offer_entries
from articlebot_lab.leasing import settle, take


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

    rounds = spider.rounds
    with monkeypatch.context() as patch:
        patch.setattr(runtime.frontier if lost == "push" else runtime.pages, lost, fails)
        with pytest.raises(StoreUnavailable):
            await rounds.queue_due(now, now)
    assert len(await runtime.pages.peek_due(now, 500)) == 300
    assert await rounds.queue_due(now, now) == 300
    assert await runtime.pages.peek_due(now + 60, 500) == []
    assert (await runtime.frontier.counts()).queued == 300


async def test_what_no_job_has_is_left_alone_and_an_entry_page_goes_to_the_job_that_has_it(
    spider: ArticleSpider,
) -> None:
    runtime, (job,) = spider.runtime, spider.book
    now = runtime.now()
    entry, old, feed, article = (f"http://a.test/{path}" for path in ("", "old", "feed", "article"))
    await runtime.pages.add_seeds([
        Seed(page_key(entry), entry, "renamed", Kind.LIST, "list"),
        Seed(page_key(old), old, job.name, Kind.LIST, "list"),
        Seed(page_key(feed), feed, "renamed", Kind.LIST, "feed"),
        Seed(page_key(article), article, "renamed", Kind.ARTICLE),
    ], now)  # fmt: skip
    await runtime.frontier.open()
    assert await spider.rounds.queue_due(now, now) == 4
    (taken,) = await runtime.pages.peek_due(now + 1, 10)  # times are kept to 1/64 s
    assert (taken.url, taken.job) == (entry, job.name)
    assert (await runtime.pages.counts(now)).by_job == {job.name: 1, "renamed": 2}
    assert await runtime.pages.take_back(lambda name: name == "renamed") == 2


async def test_entry_pages_of_a_changed_job_are_due_at_once_whatever_they_were(spider: ArticleSpider) -> None:
    pages, (job,) = spider.runtime.pages, spider.book
    now = spider.runtime.now()
    ((url, _),) = job.entry_urls
    waits = PageState(Kind.LIST, 3, 0, now - 900, now - 600, now + 900)
    for state, form, due in ((waits, "list", now), (waits._replace(last_at=now - 3), "list", now + 900),
                             (waits._replace(kind=Kind.ARTICLE), "article", now)):  # fmt: skip
        await pages.put_many([PageRecord(page_key(url), url, job.name, state, form=form)])
        await add_entries(pages, spider.book, [job], now, at_once=True)
        (record,) = await pages.get([page_key(url)])
        assert record is not None
        assert (record.state.kind, record.form) == (Kind.LIST, "list")
        assert await pages.due_at(record.key) == pytest.approx(due, abs=0.1)


async def test_an_entry_page_is_visited_by_the_address_that_its_job_names_now(spider: ArticleSpider) -> None:
    runtime, (job,) = spider.runtime, spider.book
    now = runtime.now()
    ((url, _),) = job.entry_urls
    other = url.replace("http:", "https:")
    failed = PageState(Kind.LIST, 1, 1, now - 900, now - 600, now + 900)
    await runtime.pages.put_many([PageRecord(page_key(other), other, job.name, failed, form="list")])
    await runtime.frontier.open()
    await add_entries(runtime.pages, spider.book, [job], now, at_once=True)
    assert await spider.rounds.queue_due(now, now) == 1
    (record,) = await runtime.pages.get([page_key(url)])
    assert record is not None
    assert record.url == url


@pytest.mark.parametrize("last_s", [600, 3])
async def test_a_job_that_changed_between_two_runs_is_due_at_once_and_only_then(
    spider: ArticleSpider, last_s: float
) -> None:
    runtime, (job,) = spider.runtime, spider.book
    now = runtime.now()
    ((url, _),) = job.entry_urls
    record = PageRecord(page_key(url), url, job.name, PageState(Kind.LIST, 3, 0, now - 900, now - last_s, now + 900))
    for keys, due in (({}, now + 900), ({}, now + 900), ({"category": "x"}, now), ({"category": "x"}, now + 900)):
        await runtime.pages.put_many([record])
        spider.follow(JobBook([Job.model_validate({"name": job.name, "list_pages": [url], **keys})]))
        await asyncio.gather(*(offer_entries(runtime, spider.book, now) for _ in range(2)))
        assert await runtime.pages.due_at(record.key) == pytest.approx(due, abs=0.1), keys


async def test_children_of_a_sitemap_end_with_it_and_those_of_another_stay(spider: ArticleSpider) -> None:
    runtime, (job,) = spider.runtime, spider.book
    now = runtime.now()
    index, inner, part, other, strange = (f"http://a.test/{name}.xml" for name in ("i", "n", "p", "o", "s"))
    seeds = [Seed(page_key(url), url, job.name, Kind.LIST, "sitemap") for url in (inner, part, other, strange)]
    await runtime.stated.note_children(job.name, inner, [page_key(part)])  # as a look reads them: from below
    await runtime.stated.note_children(job.name, index, [page_key(inner), page_key(index)])
    await runtime.stated.note_children(job.name, "http://a.test/kept.xml", [page_key(other)])
    await runtime.frontier.open()
    for named, stay in ((["http://a.test/kept.xml"], {other, strange}), ([index], {inner, part, strange}), ([], set())):
        spider.follow(JobBook([Job(name=job.name, list_pages=("http://a.test/",), sitemaps=tuple(named))]))
        await runtime.pages.add_seeds(seeds, now)
        await runtime.pages.put_off({seed.key: now for seed in seeds}, now + 9_999)
        await spider.rounds.queue_due(now, now)
        known = await runtime.pages.get([seed.key for seed in seeds])
        assert {record.url for record in known if record is not None} == stay, named


async def test_a_run_waits_for_what_workers_of_other_jobs_have_passed_over(spider: ArticleSpider) -> None:
    frontier, now = spider.runtime.frontier, spider.runtime.now()
    await frontier.open()
    await frontier.links.admit([Candidate("http://a.test/1")], job="a.test")
    assert not (await take(frontier, 9, "other", left_out=[mark("job", "a.test")])).requests
    assert await frontier.idle_for(now) is None
    assert not await spider.rounds.nothing_left(now, now)
    (mine,) = (await take(frontier, 9, spider.runtime.worker, look_ahead=9, now=now + 2)).requests
    await settle(frontier, spider.runtime.worker, [Settlement("ack", mine.member)])
    assert await spider.rounds.nothing_left(now, now)


@pytest.mark.parametrize(("rest", "pace", "waits"), [(90.0, Pace(back_off=80.0), True), (90.0, Pace(), False),
    (200.0, Pace(back_off=160.0), False)])  # fmt: skip
async def test_a_run_waits_for_a_site_that_refused_for_haste(
    spider: ArticleSpider, rest: float, pace: Pace, waits: bool
) -> None:
    frontier, now = spider.runtime.frontier, spider.runtime.now()
    await frontier.open()
    await frontier.links.admit([Candidate("http://a.test/1"), Candidate("http://a.test/2")], job="a.test")
    (mine,) = (await take(frontier, 9, spider.runtime.worker, now=now + 1)).requests
    left = Settlement("release", mine.member, rest, pace.dump())
    await settle(frontier, spider.runtime.worker, [left, Settlement("ack", mine.member)])
    assert await spider.rounds.nothing_left(now, now) is not waits


async def test_a_run_does_not_end_where_what_was_in_flight_has_just_made_pages_due(
    spider: ArticleSpider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as the parts of a sitemap, whose index is done a moment after they are due."""
    spider.until, asked, pages = "idle", [], spider.runtime.pages
    child = "http://a.test/sitemap-1.xml"

    async def nothing_left(horizon: float, now: float) -> bool:
        asked.append(now)
        if len(asked) == 2:
            await pages.add_seeds([Seed(page_key(child), child, "a.test", Kind.ARTICLE)], horizon)
        return True

    monkeypatch.setattr(spider.rounds, "nothing_left", nothing_left)
    assert [request async for request in spider.start()] == []
    assert (await spider.runtime.frontier.counts()).queued == 2  # with the entry page
