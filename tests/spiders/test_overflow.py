"""A list page that holds fewer articles than have appeared since the last visit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from articlebot.frontier.forget import purge
from articlebot.frontier.leases import Settlement
from articlebot.items import Article
from articlebot.jobs.follow import has_overflowed
from articlebot.jobs.visit import META_KEY, Visit
from articlebot.runtime import Runtime
from articlebot.spiders.article import ArticleSpider
from articlebot.urls import page_key
from articlebot.visiting.turning import DAYS_PATIENCE, FIRST_PAGES, PATIENCE
from articlebot_lab.leasing import settle, take
from tests.crawlers import crawler_with

FRONT, SECOND = "http://a.test/", "http://a.test/page/2"


CASES = [(26, 20, True), (26, 12, False), (8, 5, True), (4, 4, True), (4, 3, False), (1, 1, False)]


@pytest.mark.parametrize(("found", "new", "overflowed"), CASES)
def test_most_of_the_links_are_new(found: int, new: int, overflowed: bool) -> None:
    assert has_overflowed(found, new) is overflowed


async def queued_pages(spider: ArticleSpider, *kinds: str) -> list[tuple[str, int]]:
    """The list pages in the queue, or what is of these kinds, with their number; the queue is emptied."""
    frontier = spider.runtime.frontier
    taken = []
    while more := (await take(frontier, 1, "w", look_ahead=1e6)).requests:
        taken += more
        await settle(frontier, "w", [Settlement("ack", more[0].member)])
    fields = [json.loads(one.record) for one in taken]
    await purge(frontier, seen=False)  # the delays too
    visits = [(one["u"], one["m"]["articlebot"]) for one in fields]
    return [(url, visit.get("part", 1)) for url, visit in visits if visit["kind"] in (kinds or ("list",))]


async def look(spider: ArticleSpider, url: str, numbers: range, part: int = 1, further: int = 0) -> None:
    """What the spider does with a list page of these articles that names a next one."""
    items = "".join(f'<li><a href="/news/{n}.html">The council approves budget number {n}</a></li>' for n in numbers)
    body = f'<ul class="news">{items}</ul><a href="/page/1">1</a><a href="/page/{part + 1}">Next</a>'
    (job,) = spider.book
    visit = Visit(job=job.name, kind="list", key=page_key(url), part=part, further=further)
    request = Request(url, meta={META_KEY: visit.meta()})
    page = f"<html><body>{body}</body></html>"
    await spider.parse_list(HtmlResponse(url, body=page, encoding="utf-8", request=request))


async def test_the_next_page_is_looked_at_and_not_followed(spider: ArticleSpider) -> None:
    await look(spider, FRONT, range(100, 120))  # of a new list everything is new, and what is older too
    assert await queued_pages(spider) == [(SECOND, 2)]
    await look(spider, FRONT, range(110, 125))
    assert await queued_pages(spider) == []
    await look(spider, FRONT, range(140, 160))
    assert await queued_pages(spider) == [(SECOND, 2)]
    await look(spider, SECOND, range(122, 140), part=2)
    assert await queued_pages(spider) == [("http://a.test/page/3", 3)]
    front, second = await Runtime.of(spider.crawler).pages.get([page_key(FRONT), page_key(SECOND)])
    assert front is not None and front.state.fetches == 3
    assert second is None  # its articles are known now; it has no visits of its own


async def test_what_a_page_names_is_read_before_older_pages_and_after_pages_with_what_was_missed(
    spider: ArticleSpider,
) -> None:
    await look(spider, FRONT, range(100, 120))
    assert [number for _, number in await queued_pages(spider, "list", "auto")] == [*[1] * 20, 2]
    await look(spider, FRONT, range(140, 160))
    assert [number for _, number in await queued_pages(spider, "list", "auto")] == [2, *[1] * 20]


async def test_a_new_list_is_gone_through_while_it_brings_articles(spider: ArticleSpider) -> None:
    await look(spider, FRONT, range(100, 110))
    assert await queued_pages(spider) == [(SECOND, 2)]
    await look(spider, SECOND, range(110, 112), part=2, further=PATIENCE)  # two new ones are enough
    assert await queued_pages(spider) == [("http://a.test/page/3", 3)]
    await look(spider, "http://a.test/page/3", range(100, 110), part=3, further=PATIENCE)
    assert await queued_pages(spider) == [("http://a.test/page/4", 4)]  # once without any may be chance
    await look(spider, "http://a.test/page/4", range(100, 110), part=4, further=PATIENCE - 1)
    assert await queued_pages(spider) == []
    await look(spider, SECOND, range(200, 220), part=FIRST_PAGES, further=PATIENCE)
    assert await queued_pages(spider) == []  # there is an end to it, however many there are


async def test_what_only_repeats_the_home_page_is_turned_until_older_articles_come(spider: ArticleSpider) -> None:
    shown = {page_key(f"http://a.test/news/{n}.html") for n in range(100, 130)}
    await spider.runtime.looks.keep_read("a.test", shown=shown)
    await look(spider, FRONT, range(100, 130))
    assert await queued_pages(spider) == [(SECOND, 2)]
    for part in (2, 3, 4):
        await look(spider, f"http://a.test/page/{part}", range(80 + 10 * part, 90 + 10 * part), part=part, further=1)
        assert await queued_pages(spider) == [(f"http://a.test/page/{part + 1}", part + 1)]
    await look(spider, "http://a.test/page/5", range(120, 130), part=5, further=1)
    assert await queued_pages(spider) == []  # the site answers each number with the same


async def test_a_list_that_shows_its_last_page_for_ever_ends_at_its_first_copy(spider: ArticleSpider) -> None:
    await look(spider, FRONT, range(100, 110))
    for part, numbers in ((2, range(110, 120)), (3, range(120, 130))):
        await look(spider, f"http://a.test/page/{part}", numbers, part=part, further=PATIENCE)
    await queued_pages(spider)
    await look(spider, "http://a.test/page/3", range(120, 130), part=3, further=PATIENCE)
    assert await queued_pages(spider) == []  # queued before
    await look(spider, "http://a.test/page/4", range(120, 130), part=4, further=PATIENCE)
    assert await queued_pages(spider) == []


@pytest.mark.parametrize(("folder", "ahead"), [("calendar", []), ("archive", ["http://a.test/archive/2026/11/"])])
async def test_a_list_that_goes_on_leads_to_archives_but_to_no_calendar_of_events(
    spider: ArticleSpider, folder: str, ahead: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    queued: list[Request] = []

    async def queue(*requests: Request) -> None:
        queued.extend(requests)

    monkeypatch.setattr(spider.desk, "queue", queue)
    spider.desk.know({"a.test": {"list_pages": [FRONT], "archives": [FRONT]}})
    items = "".join(f'<li><a href="/news/{n}.html">The council approves budget number {n}</a></li>' for n in range(9))
    on = f'<a href="/page/2">Next</a><a href="/{folder}/2026/11/">November</a>'
    request = Request(FRONT, meta={META_KEY: Visit(job="a.test", kind="list", key=page_key(FRONT)).meta()})
    await spider.parse_list(HtmlResponse(FRONT, body=f"<ul>{items}</ul>{on}".encode(), request=request))
    assert [list(one.meta[META_KEY].get("ahead", [])) for one in queued] == [ahead]


@pytest.mark.parametrize(("rule", "changes"), [("exact", 2.0), ("simhash", 1.0)])
async def test_lists_are_judged_by_simhash_where_that_is_the_rule(
    redis_url: str, tmp_path: Path, rule: str, changes: float
) -> None:
    """One more of thirty titles moves few bits: by design A, that is no change."""
    given = {"ARTICLEBOT_CHANGE_RULE": rule, "ARTICLEBOT_RECRAWL_POLICY": "ratio", "ARTICLEBOT_CHANGE_THRESHOLD": "20"}
    crawler = crawler_with({"REDIS_URL": redis_url, "ARTICLEBOT_DATA_DIR": str(tmp_path), **given})
    spider = ArticleSpider.from_crawler(crawler, url="http://a.test/")
    spider.desk.know({"a.test": {"list_pages": ["http://a.test/"]}})
    await look(spider, FRONT, range(100, 130))
    await look(spider, FRONT, range(100, 131))
    (front,) = await spider.runtime.pages.get([page_key(FRONT)])
    assert front is not None
    assert (front.state.x, front.state.fingerprint != 0) == (changes, rule == "simhash")
    spider.runtime.visits.history.close()
    await spider.runtime.close()


async def test_days_whose_articles_sections_show_end_no_archive_but_days_that_all_show_the_same_do(
    spider: ArticleSpider,
) -> None:
    days = [f"http://a.test/2026/11/{day:02d}/" for day in (20, 19, 18)]
    keys = [page_key(f"http://a.test/news/{n}.html") for n in range(100, 112)]
    await spider.runtime.looks.keep_read("a.test", listed=keys)
    await look(spider, FRONT, range(100, 112))
    await queued_pages(spider)
    links = "".join(f'<a href="{url}">Day</a>' for url in days[1:])
    for url, numbers, goes_on in ((days[0], range(100, 106), True), (days[1], range(100, 106), False)):
        items = "".join(
            f'<li><a href="/news/{n}.html">The council approves budget number {n}</a></li>' for n in numbers
        )
        (job,) = spider.book
        visit = Visit(job=job.name, kind="list", key=page_key(url), part=2, further=1)
        request = Request(url, meta={META_KEY: visit.meta()})
        body = f"<html><body><ul class=news>{items}</ul>{links}</body></html>"
        await spider.parse_list(HtmlResponse(url, body=body, encoding="utf-8", request=request))
        assert bool(await queued_pages(spider)) is goes_on


@pytest.mark.parametrize(("numbers", "following"), [(range(100, 110), []), (range(90, 100), ["2026/11/"])])
async def test_the_oldest_archive_tells_whether_a_lists_own_pages_left_anything_out(
    spider: ArticleSpider, numbers: range, following: list[str]
) -> None:
    months = [f"http://a.test/2026/{month}/" for month in (11, 10, "09")]
    await look(spider, FRONT, range(100, 110))
    await queued_pages(spider)
    (job,) = spider.book
    for url, further, shown, ahead, queued in (
        ("http://a.test/page/9", 2, range(100, 110), months, [months[-1]]),
        (months[-1], 1, numbers, months[:-1], [f"http://a.test/{path}" for path in following]),
    ):
        visit = Visit(job=job.name, kind="list", key=page_key(url), part=9, further=further, ahead=tuple(ahead))
        items = "".join(f'<li><a href="/news/{n}.html">The council approves budget number {n}</a></li>' for n in shown)
        body = f"<html><body><ul class=news>{items}</ul></body></html>"
        request = Request(url, meta={META_KEY: visit.meta()})
        await spider.parse_list(HtmlResponse(url, body=body, encoding="utf-8", request=request))
        assert [one for one, _ in await queued_pages(spider)] == queued


async def test_where_the_oldest_archive_was_read_already_all_others_are_gone_through(
    spider: ArticleSpider, monkeypatch: pytest.MonkeyPatch
) -> None:
    months, asked = [f"http://a.test/2026/{month}/" for month in (11, 10, "09")], list[Visit]()
    await look(spider, FRONT, range(100, 110))
    (job,) = spider.book
    await spider.runtime.backfills.is_new(job.name, None, page_key(months[-1]))  # the look has turned it

    async def queue(request: Request) -> None:
        asked.append(Visit.of(request.meta))

    monkeypatch.setattr(spider.desk, "queue", queue)
    visit = Visit(job=job.name, kind="list", key=1, part=9, further=2, ahead=tuple(months))
    body = '<html><body><ul><li><a href="/news/103.html">The council approves budget number 103</a></ul></body></html>'
    request = Request("http://a.test/page/9", meta={META_KEY: visit.meta()})
    await spider.parse_list(HtmlResponse(request.url, body=body, encoding="utf-8", request=request))
    assert [(one.key, one.further) for one in asked] == [(page_key(months[0]), DAYS_PATIENCE)]


@pytest.mark.parametrize(("shown", "following"), [(2, "2026/03/"), (5, "2026/03/"), (6, "2025/")])
async def test_a_year_of_few_articles_for_its_months_leads_to_these(
    spider: ArticleSpider, shown: int, following: str
) -> None:
    await look(spider, FRONT, range(50, 60))
    await queued_pages(spider)
    (job,) = spider.book
    items = "".join(
        f'<li><a href="/news/{n}.html">The council approves budget number {n}</a></li>' for n in range(shown)
    )
    months = "".join(f"<a href=/2026/{month}/>{month}</a>" for month in ("03", "02", "01"))
    url = "http://a.test/2026/"
    visit = Visit(job=job.name, kind="list", key=page_key(url), part=2, further=1, ahead=("http://a.test/2025/",))
    request = Request(url, meta={META_KEY: visit.meta()})
    body = f"<html><body><ul class=news>{items}</ul>{months}</body></html>"
    await spider.parse_list(HtmlResponse(url, body=body, encoding="utf-8", request=request))
    assert [one for one, _ in await queued_pages(spider)] == [f"http://a.test/{following}"]


@pytest.mark.parametrize("years", [("2025", "2024", "2023"), ("202609", "202608", "202607")])
async def test_archives_that_neighbours_told_are_followed_to_the_last(
    spider: ArticleSpider, years: tuple[str, ...]
) -> None:
    (job,) = spider.book
    url, *ahead = [f"http://a.test/news/{year}/" for year in years]
    for _ in years[1:]:
        visit = Visit(job=job.name, kind="list", key=page_key(url), part=2, further=1, ahead=tuple(ahead))
        request = Request(url, meta={META_KEY: visit.meta()})
        row = f"<li><a href='{url}story-1.html'>The council approves the budget of the harbour</a></li>"
        body = f"<html><body><ul class=news>{row}</ul></body></html>"
        await spider.parse_list(HtmlResponse(url, body=body, encoding="utf-8", request=request))
        ((url, _),) = await queued_pages(spider)
        ahead.remove(url)  # the oldest first: it tells whether the list left anything out
    assert not ahead


async def test_a_calendar_of_empty_days_ends(spider: ArticleSpider) -> None:
    (job,) = spider.book
    url = "http://a.test/events?month=2026-11"
    visit, asked = Visit(job=job.name, kind="list", key=page_key(url), part=2, further=1), []
    while url and len(asked) < 100:
        asked.append(url)
        shown = url.rpartition("=")[2]
        year, month = int(shown[:4]), int(shown[5:7])
        before = f"{year}-{month - 1:02d}" if month > 1 else f"{year - 1}-12"
        links = f"<a href='/events?month={before}'>before</a>"
        links += "".join(f"<a href='/events?day={year}-{month:02d}-{n:02d}'>{n}</a>" for n in range(1, 29))
        request = Request(url, meta={META_KEY: visit.meta()})
        body = f"<html><body>{links}</body></html>"
        await spider.parse_list(HtmlResponse(url, body=body, encoding="utf-8", request=request))
        frontier = spider.runtime.frontier
        taken = (await take(frontier, 1, "w", look_ahead=1e6)).requests
        await settle(frontier, "w", [Settlement("ack", one.member) for one in taken])
        fields = [json.loads(one.record) for one in taken]
        await purge(frontier, seen=False)
        url = fields[0]["u"] if fields else ""
        visit = Visit.of(fields[0]["m"]) if fields else visit
    assert sum("month" in one for one in asked) in range(2, 6)
    assert not url


@pytest.mark.parametrize(("same", "next_one"), [(True, "27/node_1"), (False, "28/node_3")])
async def test_where_each_sheet_of_a_paper_lists_its_whole_day_the_others_are_left(
    spider: ArticleSpider, same: bool, next_one: str
) -> None:
    sheets = "".join(f"<a href=node_{sheet}.htm>Sheet {sheet}</a>" for sheet in range(1, 5))
    for sheet in (1, 2):
        numbers = range(5) if same else range(10 * sheet, 10 * sheet + 5)
        rows = "".join(
            f"<li><a href=content_{n}81.htm>The council approves budget number {n}</a></li>" for n in numbers
        )
        url = f"http://a.test/html/2026-11/28/node_{sheet}.htm"
        body = f"<html><body><ul>{rows}</ul>{sheets}<a href=../27/node_1.htm>The day before</a></body></html>"
        (job,) = spider.book
        visit = Visit(job=job.name, kind="list", key=page_key(url), part=sheet, further=4)
        request = Request(url, meta={META_KEY: visit.meta()})
        await spider.parse_list(HtmlResponse(url, body=body, encoding="utf-8", request=request))
        queued = await queued_pages(spider)
    assert queued == [(f"http://a.test/html/2026-11/{next_one}.htm", 3)]


@pytest.mark.parametrize("sites_own", ["", "2026-11-12"])
async def test_what_a_list_says_of_an_article_that_is_on_its_way_counts(spider: ArticleSpider, sites_own: str) -> None:
    """A sitemap named it, without a day; the list came back while it was fetched."""
    rows = "".join(f"<li><a href='/news/{n}.html'>Budget number {n}</a> <i>2026-11-1{n}</i></li>" for n in range(5))
    listed = Request(FRONT, meta={META_KEY: Visit(job="a.test", kind="list", key=page_key(FRONT)).meta()})
    await spider.parse_list(HtmlResponse(FRONT, body=f"<ul>{rows}</ul>".encode(), request=listed))
    url = f"{FRONT}news/3.html"
    text = "<p>The council has approved the budget, which is larger than that of the year before by a tenth.</p>" * 4
    body = f"<html lang=en><h1>Budget number 3</h1><p>{sites_own}</p>{text.replace('tenth', 'third', 1)}</html>"
    asked = Request(url, meta={META_KEY: Visit(job="a.test", kind="auto", key=page_key(url)).meta()})
    (article,) = [one async for one in spider.parse(HtmlResponse(url, body=body.encode(), request=asked))]
    assert isinstance(article, Article)
    assert article.published_at == (sites_own or "2026-11-13")
