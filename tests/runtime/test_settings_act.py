"""Settings that need no crawl to be seen: the parts that a crawl is made of, put together by what a user has set."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import redis.asyncio
from scrapy.http import Request
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from articlebot.actions.mining import Mining
from articlebot.archive import Kept, open_archive
from articlebot.classify import load as load_classifier
from articlebot.config import Config, setting_names
from articlebot.dedup import NearDuplicates
from articlebot.errors import ConfigError, RefusedError
from articlebot.extensions.alerts import _channels
from articlebot.extensions.websub import WebSubExtension
from articlebot.extraction.video import ytdlp
from articlebot.items import Link
from articlebot.jobs import Job
from articlebot.jobs.book import JobBook
from articlebot.jobs.visit import META_KEY
from articlebot.middlewares.proxies import ProxiesMiddleware
from articlebot.page import Page
from articlebot.proxies import Proxy
from articlebot.proxies.store import Record
from articlebot.recrawl import PageRecord, PageState, Validators
from articlebot.recrawl.trust import Asked
from articlebot.runtime import Runtime
from articlebot.runtime.usage import Usage
from articlebot.seeds.candidates import Candidate, Entry
from articlebot.spiders.focused import FocusedSpider
from articlebot.text import segmentation
from articlebot.visiting.videos import Videos
from tests.archive.conftest import make_article

ROOT = Path(__file__).resolve().parents[2]
NOW = 1_700_000_000.0
Set = Callable[..., Runtime]


@pytest.fixture
def with_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Set:
    """A runtime of the settings given, without their prefix."""
    for name in ("ARTICLEBOT_DATA_DIR", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)

    def made(**settings: Any) -> Runtime:
        return Runtime(Config.from_settings(Settings({"ARTICLEBOT_DATA_DIR": str(tmp_path), **settings})))

    return made


def test_each_setting_is_in_a_test() -> None:
    """A setting that no test names may do nothing; a new one begins with the test that sees it act."""
    tests = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py"))
    named = set(re.findall(r"ARTICLEBOT_[A-Z0-9_]+|REDIS_URL", tests))
    assert [name for _, _, name in setting_names() if name not in named] == []


def test_what_was_retired_is_answered_with_what_took_its_place(with_settings: Set, monkeypatch: Any) -> None:
    with pytest.raises(ConfigError, match=r"ARTICLEBOT_DEDUP_JACCARD: it is a setting no longer: when two"):
        with_settings(ARTICLEBOT_DEDUP_JACCARD="0.3")
    monkeypatch.setenv("ARTICLEBOT_SEEDS_FUSION_K", "5")
    with pytest.raises(ConfigError, match=r"SEEDS_FUSION_K in the environment: .* reciprocal rank fusion is 60"):
        with_settings()
    monkeypatch.delenv("ARTICLEBOT_SEEDS_FUSION_K")
    monkeypatch.setenv("ARTICLEBOT_SINKS", "jsonl")
    with pytest.raises(ConfigError, match=r"ARTICLEBOT_SINKS in the env.* did you mean ARTICLEBOT_PUBLISHING_SINKS"):
        with_settings()


def test_video_parsers_and_the_segmenter(with_settings: Set, monkeypatch: pytest.MonkeyPatch) -> None:
    page = Page.parse(b"<video src=/a.mp4></video>", "http://tv.test/1")
    assert with_settings().videos.find(page).addresses
    with pytest.raises(RefusedError, match="no_video_parser"):
        with_settings(ARTICLEBOT_VIDEO_GENERIC="0").videos.find(page)
    monkeypatch.setattr(ytdlp, "is_available", lambda: True)
    asks = [Videos(get_crawler(), with_settings(ARTICLEBOT_VIDEO_YTDLP=value))._asks for value in ("0", "1")]
    assert asks == [False, True]
    try:
        with_settings(ARTICLEBOT_SEGMENTER="jieba")
        assert segmentation._chosen == "jieba"
    finally:
        with_settings()


async def test_what_stops_a_download_and_refuses_a_page(with_settings: Set, redis_url: str) -> None:
    stated = Validators(last_modified="Fri, 20 Nov 2026 10:00:00 GMT", length=9)
    asked = Asked(Validators(), stated)

    async def conditions(*_: Any) -> Asked:
        return asked

    for value, kept in (("1", stated), ("0", Validators())):
        runtime = with_settings(REDIS_URL=redis_url, ARTICLEBOT_RECRAWL_STOP=value)
        visits = runtime.visits
        visits.book = SimpleNamespace(conditions=conditions)  # type: ignore[assignment]
        record = PageRecord(1, "http://a.test/1", "j", PageState())
        assert (await visits.conditions(record)).unless == kept
    assert with_settings(ARTICLEBOT_EXTRACTION_REFUSE_BELOW="0.7").reader._read.keywords["refuse_below"] == 0.7


async def test_dedup_window(with_settings: Set, redis_url: str) -> None:
    client = redis.asyncio.Redis.from_url(redis_url)
    text = "The council of the harbour town agreed on a new bridge after a long debate that lasted until evening. " * 9
    for window, same in (("3600", False), ("864000", True)):
        index = NearDuplicates(client, f"test-{window}", with_settings(ARTICLEBOT_DEDUP_WINDOW=window).config.dedup)
        first = await index.place(1, text, 0, NOW)
        later = await index.place(2, text, 0, NOW + 3 * 3600)
        assert (first.cluster == later.cluster) is same
    await client.aclose()


def test_archive_raw_max_mb(with_settings: Set, tmp_path: Path) -> None:
    def kept(folder: Path, most: str) -> int:
        config = with_settings(ARTICLEBOT_ARCHIVE_RAW_MAX_MB=most, ARTICLEBOT_ARCHIVE_RAW="all").config.archive
        for day in range(3):
            with open_archive(f"sqlite:///{folder}.db", config, data_dir=folder) as archive:
                article = make_article(f"p{day}", f"text {day}")
                archive.publish([article], NOW + day * 86400, {article: Kept(raw=bytes(range(256)) * 100)})
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())

    assert kept(tmp_path / "small", "0.0001") < kept(tmp_path / "large", "100")


def test_classify_threshold(with_settings: Set) -> None:
    text = ("The striker scored a goal", "The team won the football match in the league.")
    answers = []
    for threshold in ("0", "1"):
        config = with_settings(ARTICLEBOT_CLASSIFY_THRESHOLD=threshold).config.classify
        answers.append(load_classifier(config.model, threshold=config.threshold).predict([text])[0].category)
    assert answers[0] is not None
    assert answers[1] is None


FOOTBALL = "The striker scored a late goal and the goalkeeper saved a penalty in the cup final"
FINANCE = "The central bank raised interest rates while bond investors feared inflation"


def _focused(tmp_path: Path, **settings: str) -> FocusedSpider:
    topic = tmp_path / "topic.toml"
    topic.write_text(f'name = "cup"\ntexts = ["{FOOTBALL}"]\nseeds = ["http://a.test/"]\n')
    crawler = get_crawler(FocusedSpider, {"ARTICLEBOT_DATA_DIR": str(tmp_path), **settings})
    return FocusedSpider.from_crawler(crawler, topic=str(topic))


def _ranks(tmp_path: Path, **settings: str) -> dict[str, float]:
    """What is made of links of a good page and, by a query, of a bad one."""
    focus = _focused(tmp_path, **settings).focus
    good = [
        Link(url="http://a.test/x", text="bank", context=FINANCE),
        Link(url="http://a.test/y", text=FOOTBALL, context=FOOTBALL),
    ]
    bad = [
        Link(url="http://b.test/x", text="bank", context=FINANCE),
        Link(url="http://b.test/y", text=FOOTBALL, context=FOOTBALL),
    ]
    focus.take_in(focus.look("http://a.test/", "Cup", FOOTBALL * 3, good)[1])
    focus.take_in(focus.look("http://b.test/list?q=1", "Bank", FINANCE * 3, bad)[1])
    return {link.url: round(focus.priority(link.url), 6) for link in good + bad}


def test_relevance_rules(tmp_path: Path) -> None:
    design = {"ARTICLEBOT_RELEVANCE_RULE": "design"}
    plain, by_design = _ranks(tmp_path), _ranks(tmp_path, **design)
    assert plain != by_design
    # Under m1 = 0 the hub score alone decides, under 1 the cosine alone.
    assert _ranks(tmp_path, **design, ARTICLEBOT_RELEVANCE_M1="0") != by_design
    assert _ranks(tmp_path, **design, ARTICLEBOT_RELEVANCE_M1="1") != by_design
    at_least = _ranks(tmp_path, ARTICLEBOT_RELEVANCE_AT_LEAST_SOURCE="1")
    assert at_least["http://a.test/x"] > plain["http://a.test/x"]
    equal = _ranks(tmp_path, ARTICLEBOT_RELEVANCE_EQUAL_IN_QUERY="1")
    assert plain["http://b.test/x"] < plain["http://b.test/y"]
    assert equal["http://b.test/x"] == equal["http://b.test/y"]


def test_relevance_feedback(tmp_path: Path) -> None:
    learned = []
    for feedback in ("0", "1"):
        judge = _focused(tmp_path, ARTICLEBOT_RELEVANCE_FEEDBACK=feedback).focus.judge
        before = judge.relevance("", "the referee whistled")
        for _ in range(30):
            judge.learn("Cup", f"{FOOTBALL}. The referee whistled.", 1.0)
        learned.append(judge.relevance("", "the referee whistled") - before)
    assert learned[0] == pytest.approx(0, abs=1e-12)
    assert learned[1] > 0.01


async def test_wrappers_processes(with_settings: Set) -> None:
    story = (
        "<html><body><div class=c><h1>Story {0}</h1><p>"
        + "It happened in the town of {0}. " * 30
        + "</p></div></body></html>"
    )
    for processes, begins in (("0", False), ("1", True)):
        runtime = with_settings(ARTICLEBOT_WRAPPERS_PROCESSES=processes)
        learning = runtime.learning
        for n in range(6):
            body = story.format(n).encode()
            page = Page.parse(body, f"http://a{processes}.test/{n}.html")
            learning.note(f"a{processes}.test", body, "text/html", page)
        while learning._tasks:
            await asyncio.wait(learning._tasks)
        assert bool(learning._learners) is begins
        await runtime.close()


def test_proxies_round_size_and_round_s(with_settings: Set) -> None:
    records = [Record(proxy=Proxy.parse(f"8.8.8.{n}:80", allow_private=False)) for n in range(1, 60)]

    def ways(**settings: str) -> tuple[int, int]:
        """How many proxies a job draws in a minute, and in ten of them."""
        pool = with_settings(**settings).proxies.pool
        pool.replace(records)
        drawn = [{pool.choose("job", "a.test", NOW + 60 * k, direct=False) for _ in range(300)} for k in range(10)]
        return len(drawn[0]), len(set().union(*drawn))

    assert ways() == (5, 5)
    assert ways(ARTICLEBOT_PROXIES_ROUND_SIZE="2") == (2, 2)
    first, in_all = ways(ARTICLEBOT_PROXIES_ROUND_S="60")
    assert first == 5 < in_all


def test_websub_address_and_public_url(tmp_path: Path) -> None:
    public = {
        "ARTICLEBOT_WEBSUB_PORT": "0",
        "ARTICLEBOT_WEBSUB_ADDRESS": "0.0.0.0",
        "ARTICLEBOT_DATA_DIR": str(tmp_path),
    }
    with pytest.raises(ConfigError, match="ARTICLEBOT_WEBSUB_PUBLIC_URL"):
        WebSubExtension.from_crawler(get_crawler(FocusedSpider, public))
    named = {**public, "ARTICLEBOT_WEBSUB_PUBLIC_URL": "https://crawler.example/"}
    assert WebSubExtension.from_crawler(get_crawler(FocusedSpider, named))._base == "https://crawler.example"


def test_alerts_secret(with_settings: Set) -> None:
    url = {"ARTICLEBOT_ALERTS_URL": "https://hook.example/"}
    (plain,) = _channels(with_settings(**url))
    (signed,) = _channels(with_settings(**url, ARTICLEBOT_ALERTS_SECRET="hunter2hunter2"))
    assert (plain._key is None, signed._key is None) == (True, False)
    assert "hunter2" not in repr(with_settings(**url, ARTICLEBOT_ALERTS_SECRET="hunter2hunter2").config)


async def test_recrawl_budget(with_settings: Set) -> None:
    assert with_settings().visits.book.budgets.total is None
    total = with_settings(ARTICLEBOT_RECRAWL_BUDGET="120").visits.book.budgets.total
    assert total is not None
    assert total.allowed(3600.0) == pytest.approx(120, abs=0.001)


async def test_seeds_topic(with_settings: Set, tmp_path: Path) -> None:
    """A promoted candidate's job follows the topic that candidates are judged by."""
    topic = tmp_path / "cup.toml"
    topic.write_text(f'name = "cup"\ntexts = ["{FOOTBALL}"]\n')
    entries = (Entry("feed", "http://daily.example/feed", 3),)
    candidate = Candidate(key="daily.example", url="http://daily.example/", entries=entries)
    blocks = []
    for settings in ({}, {"ARTICLEBOT_SEEDS_TOPIC": str(topic)}):
        row = await Mining(with_settings(**settings), None, [], dry=True).promote(candidate)
        blocks.append(row["block"])
    assert str(topic) not in blocks[0]
    assert str(topic) in blocks[1]


async def test_proxies_timeout_s(with_settings: Set, tmp_path: Path, redis_url: str) -> None:
    crawler = get_crawler(FocusedSpider, {
        "ARTICLEBOT_DATA_DIR": str(tmp_path), "REDIS_URL": redis_url, "ARTICLEBOT_PROXIES_PAID": "http://8.8.8.8:3128",
        "ARTICLEBOT_PROXIES_TIMEOUT_S": "7",
    })  # fmt: skip
    job = Job(name="job", list_pages=("http://a.test/",), proxies="required")
    crawler.spider = SimpleNamespace(name="focused", book=JobBook([job]))  # type: ignore[assignment]
    request = Request("http://a.test/", meta={META_KEY: {"job": "job"}, "download_timeout": 30.0})
    await ProxiesMiddleware.from_crawler(crawler).process_request(request)
    assert (request.meta["proxy"], request.meta["download_timeout"]) == ("http://8.8.8.8:3128", 7.0)
    await Runtime.of(crawler).close()


async def test_manners(with_settings: Set, redis_url: str) -> None:
    asked = {"noindex": "meta", "ai-train": "robots.txt"}
    for obeyed, refused in (("noindex", "noindex"), ("ai-train", "ai_train"), ("nofollow", None)):
        section = with_settings(ARTICLEBOT_MANNERS_OBEY=obeyed).config.manners
        assert Usage(section, "articlebot", dict, "p").refusal(asked, NOW) == refused
    client = redis.asyncio.Redis.from_url(redis_url)
    # None: the file of the host's reservations is to be fetched.
    for wanted, stored in (("1", None), ("0", b"")):
        section = with_settings(ARTICLEBOT_MANNERS_TDMREP=wanted).config.manners
        assert await Usage(section, "articlebot", lambda: client, "p").stored("http://a.test:80") == stored
    await client.aclose()
