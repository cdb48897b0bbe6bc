"""Jobs that name a site alone, what a look completes of them, and how far a backfill has come."""

from __future__ import annotations

import pytest
from redis.asyncio import Redis

from articlebot.errors import ConfigError
from articlebot.jobs import Job
from articlebot.jobs.backfill import Bounds, RedisBackfills, is_older
from articlebot.jobs.book import JobBook
from articlebot.jobs.looks import Found, RedisLooks

SITE = "http://www.paper.test/"
FOUND = {"feeds": [f"{SITE}feed.xml"], "list_pages": [SITE], "language": "zh", "timezone": "Asia/Shanghai"}
DAY = 86400.0


def test_a_look_completes_a_job_and_what_it_states_wins() -> None:
    job = Job(name="paper", site=SITE, language="en", interval="10m")
    whole = job.completed(FOUND)
    assert (whole.feeds, whole.list_pages, whole.language) == ((f"{SITE}feed.xml",), (SITE,), "en")
    assert str(whole.zone) == "Asia/Shanghai"
    assert whole.interval == 600


def test_a_book_knows_which_sites_nobody_has_looked_at_and_keeps_what_was_found() -> None:
    book = JobBook([Job(name="paper", site=SITE), Job(name="other", list_pages=["http://other.test/"])])
    assert [job.name for job in book.unseen] == ["paper"]
    assert book.owners("http://news.paper.test/a")[0].name == "paper"
    knowing = book.knowing({"paper": FOUND})
    assert not knowing.unseen
    assert dict(knowing.get("paper").entry_urls) == {SITE: "list", f"{SITE}feed.xml": "feed"}  # type: ignore[union-attr]
    after = knowing.succeeded_by([Job(name="paper", site=SITE, delay=3)], ())
    assert after.get("paper").feeds == (f"{SITE}feed.xml",)  # type: ignore[union-attr]
    assert [job.list_pages for job in after.stated] == [()]


def test_what_an_address_is_by_its_name() -> None:
    (site,) = JobBook.from_argument(None, "paper.test")
    book = JobBook.from_argument(None, "http://paper.test/sport/")
    (part,) = book
    (page,) = JobBook.from_argument(None, "http://paper.test/list.php?id=4")
    assert (part.site, part.list_pages, book.typed) == ("http://paper.test/sport/", (), "http://paper.test/sport/")
    assert (site.site, site.list_pages) == ("https://paper.test/", ())
    assert (page.site, page.list_pages) == (None, ("http://paper.test/list.php?id=4",))
    for query in ("from=bookmark", "utm_source=x", "ref=start&via=app"):
        (site,) = JobBook.from_argument(None, f"http://paper.test/?{query}")
        assert (site.site, site.list_pages) == ("http://paper.test/", ()), query
        assert Job(name="paper", site=f"http://paper.test/?{query}").site == "http://paper.test/"
    for path in ("feed/", "rss", "index.xml", "news.rss", "feed.json", "atom.php"):
        (fed,) = JobBook.from_argument(None, f"“http://paper.test/{path}”")
        assert fed.feeds == (f"http://paper.test/{path}",)
    (mapped,) = JobBook.from_argument(None, "http://paper.test/sitemap_news.xml.gz")
    assert (mapped.sitemaps, mapped.list_pages) == (("http://paper.test/sitemap_news.xml.gz",), ())
    (part,) = JobBook.from_argument(None, "http://paper.test/feeding-the-poor/rsslist.html")
    assert part.site and not part.feeds
    (old,) = JobBook.from_argument(None, "paper.test", "30d")
    assert old.backfill == "30d"
    with pytest.raises(ConfigError, match="-a backfill=soon: expected days"):
        JobBook.from_argument(None, "paper.test", "soon")
    (pressed,) = JobBook.from_argument(None, "paper.test", consent="accept")
    assert pressed.consent == "accept"
    with pytest.raises(ConfigError, match="-a consent=yes: expected given, accept or never"):
        JobBook.from_argument(None, "paper.test", consent="yes")
    with pytest.raises(ConfigError, match="-a consent: is for -a url"):
        JobBook.from_argument("jobs.toml", None, consent="accept")


@pytest.mark.parametrize(
    ("backfill", "articles", "days"), [(None, 2000, None), ("all", None, None), ("30d", None, 30), ("1000", 1000, None)]
)
def test_bounds_of_a_backfill(backfill: str | None, articles: int | None, days: int | None) -> None:
    assert Bounds.of(backfill) == Bounds(articles, days)


def test_days_bound_what_is_older() -> None:
    now = 100 * DAY
    assert Bounds.of("30d").takes(71 * DAY, now)
    assert not Bounds.of("30d").takes(69 * DAY, now)
    assert Bounds.of("30d").takes(None, now)
    assert is_older("30d", {"a": 60 * DAY, "b": 69 * DAY, "c": 99 * DAY, "d": None}, now)
    assert not is_older("30d", {"a": 60 * DAY, "b": 99 * DAY, "c": 99 * DAY}, now)
    assert not is_older("all", {"a": 1.0}, now)


async def test_progress_is_kept_bounded_and_begun_anew_where_more_is_wanted(redis_url: str) -> None:
    async with Redis.from_url(redis_url) as client:
        kept = RedisBackfills(client)
        assert await kept.begin("a", "10", 1000.0)
        assert await kept.begin("a", "10", 2000.0)  # whoever began it has died before it was queued
        await kept.has_begun("a")
        assert not await kept.begin("a", "10", 2000.0)
        assert await kept.is_new("a", "10", 7)
        assert not await kept.is_new("a", "10", 7)
        kept.note("a", "10", admitted=8, lists=2)
        kept.note("a", "10", done=4)
        assert await kept.has_room("a", "10")
        (progress,) = await kept.all()
        assert (progress.admitted, progress.done, progress.lists) == (8, 4, 2)
        assert progress.left_s(1100.0) == pytest.approx(150.0, abs=0.1)  # six of ten are left, four took 100 s
        kept.note("a", "10", admitted=2)
        assert not await kept.has_room("a", "10")
        assert await kept.begin("a", "all", 3000.0)
        assert await kept.is_new("a", "all", 7)
        assert await kept.has_room("a", "all")


async def test_a_backfill_by_days_ends_after_ten_older_articles_in_a_row(redis_url: str) -> None:
    now = 100 * DAY
    async with Redis.from_url(redis_url) as client:
        kept = RedisBackfills(client)
        assert await kept.since("a", "30d") is None
        await kept.begin("a", "30d", now)
        assert await kept.since("a", "30d") == 70 * DAY
        for at in [69.0] * 9 + [80.0] + [69.0] * 9:
            kept.note_age("a", "30d", at * DAY, now)
            await kept.flush()
        assert await kept.has_room("a", "30d")
        kept.note_age("a", "30d", 1 * DAY, now)
        assert not await kept.has_room("a", "30d")


async def test_one_worker_looks_and_what_it_found_is_kept(redis_url: str) -> None:
    async with Redis.from_url(redis_url) as client:
        looks = RedisLooks(client)
        assert await looks.begin("paper", "one")
        assert not await looks.begin("paper", "two")
        await looks.put("paper", found := Found(SITE, 5.0, FOUND, {SITE: "the home page"}))
        await looks.end("paper")
        assert await looks.get(["paper", "other"]) == {"paper": found}
        assert await looks.begin("paper", "two")
        await looks.forget("paper")
        assert await looks.all() == {}
