from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from redis.asyncio import Redis
from scrapy.http import HtmlResponse

from articlebot.config import Manners, Wrappers
from articlebot.extraction.wrapper.model import Rules
from articlebot.extraction.wrapper.shelf import FolderShelf
from articlebot.extraction.wrapper.store import WrapperStore
from articlebot.extraction.wrapper.turns import RedisTurns
from articlebot.extraction.wrapper.wrapper import Wrapper
from articlebot.jobs import Job
from articlebot.jobs.model import Selectors
from articlebot.jobs.visit import Visit
from articlebot.manners.robots_txt import RobotsTxt
from articlebot.page import page_of
from articlebot.runtime.beside import BesideItems
from articlebot.runtime.day_orders import DayOrders
from articlebot.runtime.fetched import Fetched
from articlebot.runtime.learning import Learning
from articlebot.runtime.reader import DOCUMENT_VERSION, Reader, Refusal
from articlebot.runtime.usage import Usage
from articlebot.visiting.answer import fetched_of

URL = "http://daily.example.com/2026/storm.html"
ORDERS = DayOrders(Redis())
PARAGRAPHS = [f"Sentence number {n} says what happened in the harbour during the storm of last week." for n in range(6)]
PAGE = (
    "<html><head><title>Storm in the harbour - Daily</title></head><body><h1>Storm in the harbour</h1>"
    "<p class=when>2026-03-01 10:00</p><div id=a>" + "".join(f"<p>{p}</p>" for p in PARAGRAPHS) + "</div>"
    "<div id=b><p>Chosen by hand, this paragraph is the only one that a person wants to see here today.</p></div>"
    "</body></html>"
).encode()


def usage_with(**section: object) -> Usage:
    return Usage(Manners.model_validate(section), "articlebot", lambda: None, "")


def learning_in(folder: Path) -> Learning:
    config = Wrappers(enabled=False)
    return Learning(config, lambda: FolderShelf(folder), lambda: 1e9, lambda *_: None, RedisTurns(lambda: None))


@pytest.fixture
def beside() -> BesideItems:
    return BesideItems()


@pytest.fixture
def learning(tmp_path: Path) -> Learning:
    return learning_in(tmp_path)


@pytest.fixture
def reader(learning: Learning, beside: BesideItems) -> Reader:
    return Reader(learning, beside, usage_with(), ORDERS)


def job(**fields: object) -> Job:
    return Job.model_validate({"name": "daily", "list_pages": ["http://daily.example.com/"], **fields})


def fetched(body: bytes, kind: str = "text/html") -> Fetched:
    return Fetched(URL, body, kind, 1_772_500_000.0)


VISIT = Visit(job="daily", kind="auto", key=1, anchor="Storm")


def test_an_article_is_read_with_a_time_in_the_jobs_zone(reader: Reader) -> None:
    of_shanghai = job(timezone="Asia/Shanghai", article_pattern="/2026/")
    article, further = reader.read(replace(fetched(PAGE), zone=of_shanghai.stated_zone), of_shanghai, VISIT)
    assert article.title == "Storm in the harbour"
    assert PARAGRAPHS[0] in article.body
    assert article.published_at == "2026-03-01T10:00:00+08:00"
    assert further == []


def test_what_the_front_page_is_called_is_the_title_of_no_article(reader: Reader) -> None:
    named = job(article_pattern="/2026/")
    page = PAGE.replace(b"Storm in the harbour - Daily", b"Harbour diary(2026-03-01)").replace(
        b"<h1>", b"<h1>Harbour diary</h1><h1>"
    )
    front = replace(fetched(b"<html><head><title>Harbour diary</title></head><body><a href=/2026/storm.html>Storm</a>"),
                    url="http://daily.example.com/")  # fmt: skip
    reader.listing(front, named)
    article, _ = reader.read(fetched(page), named, VISIT)
    assert article.title == "Storm in the harbour"


@pytest.mark.parametrize("site", ["http://daily.example.com/", "http://daily.example.com/blog/"])
def test_the_picture_that_the_front_page_states_for_itself_is_no_articles(reader: Reader, site: str) -> None:
    of_site = job(article_pattern="/2026/", site=site)
    sign = b"<meta property=og:image content=http://daily.example.com/og.jpg>"
    front = b"<html><head>" + sign + b"</head><body><a href=/2026/storm.html>Storm</a>"
    page = PAGE.replace(b"<title>", sign + b"<title>")
    assert reader.read(fetched(page), of_site, VISIT)[0].lead_image == "http://daily.example.com/og.jpg"
    reader.listing(replace(fetched(front), url=site), of_site)
    assert reader.read(fetched(page), of_site, VISIT)[0].lead_image is None


@pytest.mark.parametrize(
    ("stated", "listed", "published"),
    [
        ("2026-03-01", 1_772_330_700.0, "2026-03-01T10:05:00+08:00"),
        ("2026-03-01", 1_772_294_400.0, "2026-03-01"),  # its feed states the beginning of that day
    ],
)
def test_a_time_that_a_list_states_is_told_in_the_jobs_zone(
    reader: Reader, stated: str, listed: float, published: str
) -> None:
    of_shanghai = job(timezone="Asia/Shanghai", article_pattern="/2026/")
    page = PAGE.replace(b"2026-03-01 10:00", stated.encode())
    visit = replace(VISIT, published_at=listed)
    article, _ = reader.read(replace(fetched(page), zone=of_shanghai.stated_zone), of_shanghai, visit)
    assert article.published_at == published


@pytest.mark.parametrize(
    ("around", "published"),
    [
        ("01.03.2026 Storm", "2026-03-01"),
        ("News: Storm 2026-03-01 10:05 The council has closed the bridge.", "2026-03-01T10:05:00+08:00"),
        ("01.03.2026 Storm 02.03.2026 Calm", None),
        ("Storm The council had opened the bridge on 12 May 2019 and has now closed it.", None),
        ("The council had closed the bridge on 12 May 2019.", None),  # the link's own words are not there
        ("Storm 3 days ago", None),
    ],
)
def test_a_page_without_a_date_has_the_one_beside_its_link(reader: Reader, around: str, published: str | None) -> None:
    page = PAGE.replace(b"2026-03-01 10:00", b"").replace(b"today", b"here")
    visit = replace(VISIT, anchor="Storm", context=around)
    of_shanghai = job(timezone="Asia/Shanghai", article_pattern="/storm")
    met = replace(fetched(page), url=f"{URL[:26]}storm.html", zone=of_shanghai.stated_zone)
    article, _ = reader.read(met, of_shanghai, visit)
    assert article.published_at == published


@pytest.mark.parametrize(
    ("around", "published"),
    [
        ("Storm 2026-03-01 10:05 The council has closed the bridge.", "2026-03-01T10:05:00+08:00"),
        ("2026-03-01T02:05:00Z; Storm", "2026-03-01T02:05:00+00:00"),
        ("2026-03-02T07:05:00+08:00; Storm", "2026-03-02T07:05:00+08:00"),  # an address is filed by the day in UTC
        ("1 March 2026; Storm 1 March 2026 10:05", "2026-03-01T10:05:00+08:00"),  # a day and a time, each for itself
        ("Storm 2026-03-01", "2026-03-01"),
        ("2026-03-01 00:00:00 +0000 UTC; Storm", "2026-03-01"),  # as Hugo has a day
        ("Storm 2026-03-03 10:05", "2026-03-01"),
        ("Storm Updated: 2026-03-01 10:05", "2026-03-01"),
        ("Storm 2026-03-01 10:05 Calm 2026-03-01 11:05", "2026-03-01"),
    ],
)
@pytest.mark.parametrize("listed", [None, 1_772_294_400.0])  # or a feed has the beginning of that day
def test_the_time_beside_a_link_goes_before_the_same_day_alone(
    reader: Reader, around: str, published: str, listed: float | None
) -> None:
    page = PAGE.replace(b"2026-03-01 10:00", b"").replace(b"today", b"here")
    visit = replace(VISIT, context=around, published_at=listed)
    of_shanghai = job(timezone="Asia/Shanghai", article_pattern="/storm")
    met = replace(fetched(page), url="http://daily.example.com/2026/03/01/storm.html", zone=of_shanghai.stated_zone)
    assert reader.read(met, of_shanghai, visit)[0].published_at == published


@pytest.mark.parametrize(
    ("listed", "around", "published"),
    [
        (None, "Storm 2026-03-01 10:05", "2026-03-01T10:05:00+08:00"),
        (1_772_330_700.0, "", "2026-03-01T10:05:00+08:00"),
        (1_772_294_400.0, "", "2026-03-01T00:00:00+08:00"),
        (1_772_290_800.0, "", "2026-03-01T00:00:00+08:00"),
        (1_772_400_000.0, "Storm 2026-03-02 05:20", "2026-03-01T00:00:00+08:00"),
    ],
)
def test_the_beginning_of_a_day_says_no_more_than_the_day(
    reader: Reader, listed: float | None, around: str, published: str
) -> None:
    page = PAGE.replace(b"2026-03-01 10:00", b"").replace(
        b"<title>", b"<meta property=article:published_time content=2026-03-01T00:00:00+08:00><title>"
    )
    visit, of_shanghai = replace(VISIT, context=around, published_at=listed), job(timezone="Asia/Shanghai")
    met = replace(fetched(page), zone=of_shanghai.stated_zone)
    assert reader.read(met, of_shanghai, visit)[0].published_at == published


@pytest.mark.parametrize("shown", ["2026-03-02", None])
def test_a_day_that_the_text_speaks_of_gives_way_to_the_one_beside_the_link_or_of_a_feed(
    reader: Reader, shown: str | None
) -> None:
    page = PAGE.replace(b"2026-03-01 10:00", b"").replace(b"today", b"here")
    page = page.replace(b"</body>", b"<p>It was opened on 9 May 2025.</p></body>")
    visit = replace(VISIT, anchor="Storm of 1987", context=f"Storm of 1987 {shown}" if shown else "")
    visit = visit if shown else replace(visit, published_at=1_772_416_800.0)
    of_shanghai = job(timezone="Asia/Shanghai", article_pattern="/storm")
    met = replace(fetched(page), url=f"{URL[:26]}storm.html", zone=of_shanghai.stated_zone)
    article, _ = reader.read(met, of_shanghai, visit)
    assert (article.published_at or "").startswith("2026-03-02")


@pytest.mark.parametrize(
    ("listed", "published"),
    [
        ("2026-05-11", "2026-03-01T10:00:00+08:00"),
        ("2025-05-11", "2025-05-11"),
        (
            "2025-05-11 Ferry to stop for a week · Market opens again · Choir sings at the pier",
            "2026-03-01T10:00:00+08:00",
        ),
    ],
)
def test_a_line_that_says_when_the_page_was_changed_gives_way_to_an_earlier_day_alone(
    reader: Reader, listed: str, published: str
) -> None:
    page = PAGE.replace(b"2026-03-01 10:00", b"Updated: 2026-03-01 10:00").replace(b"today", b"here")
    visit = replace(VISIT, anchor="Storm", context=f"Storm {listed}")
    of_shanghai = job(timezone="Asia/Shanghai", article_pattern="/storm")
    met = replace(fetched(page), url=f"{URL[:26]}storm.html", zone=of_shanghai.stated_zone)
    article, _ = reader.read(met, of_shanghai, visit)
    assert article.published_at == published


def test_a_jobs_selectors_win(reader: Reader) -> None:
    chosen = job(article_pattern="/2026/", selectors=Selectors(body="#b"))
    article, _ = reader.read(fetched(PAGE), chosen, VISIT)
    assert article.body.startswith("Chosen by hand")
    assert PARAGRAPHS[0] not in article.body


def test_a_page_is_read_again_as_the_extractor_of_the_visit_before_reads_it(
    tmp_path: Path, learning: Learning, reader: Reader, beside: BesideItems
) -> None:
    rules = Rules(site="example.com", body=("div#a",), names=("#a",))
    WrapperStore(FolderShelf(tmp_path)).save("example.com", [Wrapper(rules)])
    generic, _ = reader.read(fetched(PAGE), job(article_pattern="/2026/"), VISIT)
    reread = beside.of(generic).reread
    assert reread is not None
    for name in ("wrapper:example.com/v1.0", "wrapper:example.com/v2.0", "wrapper:other/v1.0", "blocks"):
        asyncio.run(learning.recall(name))
    assert reread("wrapper:example.com/v1.0") == (generic.title, "\n".join(PARAGRAPHS))
    assert reread("blocks") == reread("blocks+trafilatura") == (generic.title, generic.body)
    assert [reread(name) for name in ("wrapper:example.com/v2.0", "wrapper:other/v1.0", "hand", "")] == [None] * 4


def test_other_files_are_documents(reader: Reader, beside: BesideItems) -> None:
    article, _ = reader.read(fetched(b"%PDF-1.7 ...", "application/pdf"), job(), VISIT)
    assert article.kind == "document"
    kept = beside.of(article)
    assert (kept.raw, kept.raw_type, kept.fingerprint_version) == (b"%PDF-1.7 ...", "application/pdf", DOCUMENT_VERSION)
    assert article.content_hash
    assert article.title == "Storm"
    assert article.published_at is None


@pytest.mark.parametrize(
    "around", ["Minutes of the harbour board 28 February 2026", "2026-02-28;28.02. Minutes of the harbour board"]
)
def test_the_day_of_a_document_is_what_a_list_says_beside_its_link(reader: Reader, around: str) -> None:
    visit = replace(VISIT, context=around, anchor="Minutes of the harbour board")
    article, _ = reader.read(fetched(b"%PDF-1.7 ...", "application/pdf"), job(), visit)
    assert article.published_at == "2026-02-28"
    article, _ = reader.read(fetched(b"%PDF-1.7 ...", "application/pdf"), job(), replace(visit, published_at=0.0))
    assert article.published_at == "1970-01-01T00:00:00+00:00"


def test_data_are_no_document(reader: Reader) -> None:
    data = fetched(b'{"id": 12, "title": "Storm"}', "application/json; charset=utf-8")
    with pytest.raises(Refusal, match="data"):
        reader.read(data, job(), VISIT)


def test_a_page_of_which_the_article_cannot_be_told_is_refused_and_kept_to_learn_from(
    tmp_path: Path, beside: BesideItems
) -> None:
    learning = learning_in(tmp_path)
    noted: list[object] = []
    learning.note = lambda *page: noted.append(page[0])  # type: ignore[method-assign]
    strict = Reader(learning, beside, usage_with(), ORDERS, refuse_below=1.0)
    with pytest.raises(Refusal, match="page_unsure"):
        strict.read(fetched(PAGE), job(article_pattern="/2026/"), VISIT)
    assert noted == ["example.com"]


@pytest.mark.parametrize("body", [b"", b"   \n", b"<html><body></body></html>"])
def test_what_holds_no_text_is_refused(reader: Reader, body: bytes) -> None:
    with pytest.raises(Refusal):
        reader.read(fetched(body), job(), VISIT)


def test_news_of_one_chinese_sentence(reader: Reader) -> None:
    sentence = "据东港市气象台消息，今夜到明天多云转阴，有小雨。"
    page = f"<html lang=zh><head><title>明天有雨</title></head><body><h1>明天有雨</h1><p>{sentence}</p></body></html>"
    article, _ = reader.read(fetched(page.encode()), job(article_pattern="/2026/"), VISIT)
    assert article.body == sentence


def test_a_list_page_is_refused_with_its_links(reader: Reader) -> None:
    items = "".join(
        f'<li><a href="/2026/{n}/a-story-of-the-day-{n}.html">A headline of story {n}</a></li>' for n in range(30)
    )
    with pytest.raises(Refusal) as caught:
        reader.read(fetched(f"<html><body><ul>{items}</ul></body></html>".encode()), job(), VISIT)
    assert caught.value.reason.startswith("not_an_article")


def test_a_play_page_without_text_is_a_video_with_its_addresses(reader: Reader) -> None:
    data = '{"@type": "VideoObject", "name": "Crane", "contentUrl": "/crane.mp4", "embedUrl": "http://p.test/1"}'
    page = (
        f'<html><head><title>Crane</title><script type="application/ld+json">{data}</script></head>'
        '<body><h1>Crane</h1><video src="/crane.mp4"></video></body></html>'
    )
    article, _ = reader.read(fetched(page.encode()), job(article_pattern="/2026/"), VISIT)
    assert (article.kind, article.title, article.body) == ("video", "Crane", "")
    assert article.media == ("http://daily.example.com/crane.mp4",)


def with_usage(tmp_path: Path, beside: BesideItems, **section: object) -> Reader:
    learning = learning_in(tmp_path)
    return Reader(learning, beside, usage_with(**section), ORDERS)


def said(body: bytes = PAGE, meta: str = "", **headers: str) -> Fetched:
    given = {name.replace("_", "-"): [value] for name, value in headers.items()}
    text = body.replace(b"<head>", f"<head>{meta}".encode())
    return Fetched(URL, text, "text/html", 1_772_500_000.0, None, given)


@pytest.mark.parametrize(
    ("page", "obey", "reason"),
    [
        (said(meta="<meta name=robots content='noindex'>"), ["noindex"], "noindex"),
        (said(meta="<meta name=robots content='noindex'>"), [], None),
        (said(meta="<meta name=robots content=all><meta name=ArticleBot content=none>"), ["noindex"], "noindex"),
        (said(meta="<meta name=googlebot content='noindex'>"), ["noindex"], None),
        (said(x_robots_tag="unavailable_after: 2026-01-01"), ["noindex"], "noindex"),
        (said(x_robots_tag="unavailable_after: 2036-01-01"), ["noindex"], None),
        (said(tdm_reservation="1"), ["noindex"], None),
        (said(tdm_reservation="1"), ["tdm-reservation"], "tdm_reservation"),
        (said(content_usage="train-ai=n"), ["ai-train"], "ai_train"),
    ],
)  # fmt: skip
def test_what_a_page_asks_is_obeyed_where_the_setting_says_so(
    page: Fetched, obey: list[str], reason: str | None, tmp_path: Path, beside: BesideItems
) -> None:
    reader = with_usage(tmp_path, beside, obey=obey)
    if reason is None:
        article, _ = reader.read(page, job(article_pattern="/2026/"), VISIT)
        assert article.usage == reader.asked(page)
        return
    with pytest.raises(Refusal) as refused:
        reader.read(page, job(article_pattern="/2026/"), VISIT)
    assert refused.value.reason == reason


def test_a_document_that_asks_not_to_be_indexed_is_not_kept(tmp_path: Path, beside: BesideItems) -> None:
    document = Fetched(URL, b"%PDF-1.4 \x00", "application/pdf", 1.0, None, {"x-robots-tag": ["noindex"]})
    with pytest.raises(Refusal, match="noindex"):
        with_usage(tmp_path, beside).read(document, job(), VISIT)


def test_nofollow_takes_no_links_and_noarchive_keeps_no_bytes(tmp_path: Path, beside: BesideItems) -> None:
    rows = "".join(
        f"<li><h2><a href='/2026/1{n}.html'>The story number {n} of the harbour town</a></h2>" for n in range(6)
    )
    front = f"<html><head></head><body><ul>{rows}</ul></body></html>".encode()
    asks = said(front, "<meta name=robots content='noindex, nofollow'>")
    obeys, does_not = with_usage(tmp_path, beside), with_usage(tmp_path, beside, obey=["noarchive"])
    assert [len(reader.listing(asks, job()).links) for reader in (obeys, does_not)] == [0, 6]
    assert len(obeys.listing(said(front, "<meta name=robots content=noindex>"), job()).links) == 6
    for reader, kept in ((obeys, True), (does_not, False)):
        article, _ = reader.read(said(x_robots_tag="noarchive"), job(article_pattern="/2026/"), VISIT)
        assert (bool(beside.of(article).raw), bool(beside.of(article).html)) == (kept, kept)


def test_what_a_host_asks_holds_for_its_pages_and_the_page_comes_first(tmp_path: Path, beside: BesideItems) -> None:
    learning = learning_in(tmp_path)
    usage = usage_with()
    usage.keep("http://daily.example.com", RobotsTxt(b"User-agent: GPTBot\nDisallow: /2026/\n"))
    usage.reserve("http://daily.example.com", b'[{"location": "/", "tdm-reservation": 1}]')
    article, _ = Reader(learning, beside, usage, ORDERS).read(
        said(tdm_reservation="1"), job(article_pattern="/2026/"), VISIT
    )
    assert article.usage == {"ai-train": "robots.txt: gptbot", "tdm-reservation": "header"}


def test_a_page_that_a_middleware_asked_for_is_parsed_once(reader: Reader) -> None:
    response = HtmlResponse(URL + "#top", body=PAGE, headers={"Content-Type": "text/html"})
    assert fetched_of(response, 1.0).known is None
    page = page_of(response)
    answered = fetched_of(response, 1_772_500_000.0, ZoneInfo("Asia/Shanghai"))
    assert answered.page is page is page_of(response)
    article, _ = reader.read(answered, job(article_pattern="/2026/"), VISIT)
    assert (article.url, article.published_at) == (URL, "2026-03-01T10:00:00+08:00")
