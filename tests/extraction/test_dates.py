"""Dates in the forms that pages use, and which of a page's dates is its article's."""

# ruff: noqa: E501  markup reads best unbroken

from __future__ import annotations

import datetime as dt
import json
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.extraction.cascade import extract
from articlebot.extraction.fields.date_reader import DateReader
from articlebot.extraction.fields.dates import Dates, dates_of, read_shown
from articlebot.extraction.fields.reckoning import zone_of
from articlebot.jobs import Job
from articlebot.jobs.visit import Visit
from articlebot.page import Page
from articlebot.runtime.fetched import Fetched, article_of

NOW = dt.datetime(2024, 5, 20, 12, 0, tzinfo=dt.UTC).timestamp()


@pytest.mark.parametrize(
    ("markup", "modified"),
    [
        ("<time class='updated dt-updated' itemprop=dateUpdated datetime=2024-03-20T09:30:00Z>x</time>", "2024-03-20"),
        ("<abbr class=modified title=2024-03-20T09:30:00Z>Updated: Wed 20 March 2024</abbr>", "2024-03-20"),
        ("<time class='entry-date published updated' datetime=2024-03-20T09:30:00Z>x</time>", None),
        ("</article><article><a href=/b>B</a><time class=updated datetime=2024-03-20T09:30:00Z>x</time>", None),
        ("</article><div class=related><a href=/b>B</a><time class=updated datetime=2024-03-20>x</time></div>", None),
        ("<p>Updated: 20 March 2024, 9.30am</p>", "2024-03-20"),
        ("<div><span>Published: 17 March 2024</span> <span>Last updated 2024-03-20</span> 9 views</div>", "2024-03-20"),
        ("<p>Aktualisiert: 20.03.2024, 09:30 Uhr</p>", "2024-03-20"),
        ("<p>更新时间：2024年3月20日 09:30</p>", "2024-03-20"),
        ("<p>The plan was updated on 20 March 2024.</p>", None),
        ("</article><div class=related><a href=/b>B</a><p>Updated: 20 March 2024</p></div>", None),
    ],
)  # fmt: skip
def test_the_last_change_that_a_time_element_or_a_line_tells(markup: str, modified: str | None) -> None:
    text = "".join(f"<p>{n}. The council of the harbour town agreed on a new bridge last night.</p>" for n in range(9))
    page = f"<html lang=en><body><article><h1>Bridge</h1><p>March 17, 2024</p>{text}{markup}</article></body></html>"
    found = extract(Page.parse(page.encode(), "http://daily.example/a/1", fetched_at=NOW))
    at = found.modified_at
    assert (at and dt.datetime.fromtimestamp(at, dt.UTC).date().isoformat()) == modified


@pytest.mark.parametrize(
    ("line", "published"),
    [
        ("2024-05-02 00:07:00", "2024-05-02T00:07:00"),
        ("2024-05-02 09:07:00", "2024-05-01"),  # in UTC the same day: not that of the address
        ("更新于 2024-05-02 00:07:00", "2024-05-01"),
    ],
)
def test_an_address_that_is_made_of_the_day_in_utc(line: str, published: str) -> None:
    text = "".join(f"<p>第{n}段，港口城市的议会昨晚同意建造一座新的大桥，工程将在明年春天开始。</p>" for n in range(9))
    markup = f"<html lang=zh-CN><body><article><h1>大桥</h1><div>{line}</div>{text}</article></body></html>"
    found = extract(Page.parse(markup.encode(), "http://daily.example/2024/05/01/post/", fetched_at=NOW))
    assert found.published == published


NINE_DAYS_AGO = (
    "1周，2日 前", "1 week, 2 days ago", "1 week and 2 days ago", "vor 1 Woche und 2 Tagen", "il y a 1 semaine et 2 jours",
    "hace 1 semana y 2 días", "há 1 semana e 2 dias", "1 settimana, 2 giorni fa", "1 неделя, 2 дня назад", "1주, 2일 전",
    "1週間, 2日前", "1 week, 2 dagen geleden", "för 1 vecka, 2 dagar sedan", "1 hafta, 2 gün önce", "1 tuần, 2 ngày trước",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2024-01-02T03:04:05+08:00", "2024-01-02T03:04:05+08:00"),
        ("2024-01-02T03:04:05Z", "2024-01-02T03:04:05+00:00"),
        ("2024-01-02T03:04:05.123456+0100", "2024-01-02T03:04:05+01:00"),
        ("2024-01-02 03:04", "2024-01-02T03:04:00"),
        ("2024/1/2 3:04:05", "2024-01-02T03:04:05"),
        ("2024.01.02", "2024-01-02"),
        ("20240102", "2024-01-02"),
        ("1704164645", "2024-01-02T03:04:05+00:00"),
        ("January 2, 2024", "2024-01-02"),
        ("2. JAN. 2024 KL. 3.04", "2024-01-02T03:04:00"),
        ("Published: Jan. 2, 2024 at 3:04 p.m. EST", "2024-01-02T15:04:00-05:00"),
        ("Tue, 02 Jan 2024 03:04:05 GMT", "2024-01-02T03:04:05+00:00"),
        ("Tue Jan  2 03:04:05 2024", "2024-01-02T03:04:05"),
        ("Posted Sat Sep 2 07:10:00 UTC 2023", "2023-09-02T07:10:00+00:00"),
        ("2 January 2024", "2024-01-02"),
        ("2nd January 2024, 12:30 am", "2024-01-02T00:30:00"),
        ("Updated 25/12/2023", "2023-12-25"),
        ("12/25/2023 6:05 PM", "2023-12-25T18:05:00"),
        ("02.01.2024 | 15:04 Uhr", "2024-01-02T15:04:00"),
        ("2. Januar 2024", "2024-01-02"),
        ("2 de enero de 2024", "2024-01-02"),
        ("2 janvier 2024 à 15:04", "2024-01-02T15:04:00"),
        ("2024年1月2日", "2024-01-02"),
        ("2024年1月2日 15:04", "2024-01-02T15:04:00"),
        ("2024年01月02日下午3时04分", "2024-01-02T15:04:00"),
        ("2024年1月2日 上午12:24", "2024-01-02T00:24:00"),
        ("发布时间：2024年1月2日15:04:05 来源：新华社", "2024-01-02T15:04:05"),
        ("时间：2024-01-02 15:04 北京时间", "2024-01-02T15:04:00+08:00"),
        ("2024年1月2日 15:04（北京时间）", "2024-01-02T15:04:00+08:00"),
        ("2024-01-02 15:04 (香港時間)", "2024-01-02T15:04:00+08:00"),
        ("2 января 2024, 15:04 МСК", "2024-01-02T15:04:00+03:00"),
        ("2. Januar 2024, 15:04 Uhr MEZ", "2024-01-02T15:04:00+01:00"),
        ("2. Juli 2023, 15:04 Uhr (MESZ)", "2023-07-02T15:04:00+02:00"),
        ("8:00 PM EST, Tue December 19, 2023", "2023-12-19T20:00:00-05:00"),
        ("PUBLISHED: 15:04, 2 January 2024", "2024-01-02T15:04:00"),
        # the clock of a place, summer time with it
        ("October 20, 2023, 3:04 p.m. ET", "2023-10-20T15:04:00-04:00"),
        # what stands between day and time, and the months, in the languages of Europe
        ("20/1/2024 às 15h04", "2024-01-20T15:04:00"),
        ("2 januari 2024 om 15:04", "2024-01-02T15:04:00"),
        ("2 stycznia 2024, godz. 15:04", "2024-01-02T15:04:00"),
        ("2 gennaio 2024 alle ore 15.04", "2024-01-02T15:04:00"),
        ("2. januar 2024 klokken 15.04", "2024-01-02T15:04:00"),
        ("Den 2 januari 2024 klockan 15:04", "2024-01-02T15:04:00"),
        ("2. ledna 2024 v 15:04", "2024-01-02T15:04:00"),
        ("2 ianuarie 2024, ora 15:04", "2024-01-02T15:04:00"),
        ("2. tammikuuta 2024 klo 15.04", "2024-01-02T15:04:00"),
        ("20. marraskuuta 2023 klo 15.04", "2023-11-20T15:04:00"),
        ("2 Ιανουαρίου 2024, 15:04", "2024-01-02T15:04:00"),
        ("2 січня 2024, 15:04", "2024-01-02T15:04:00"),
        ("2 янв. 2024 в 15:04", "2024-01-02T15:04:00"),
        ("2. Januar 2024, gegen 15:04 Uhr", "2024-01-02T15:04:00"),
        ("lundi 1er janvier 2024 à 15h04", "2024-01-01T15:04:00"),
        ("1.º de janeiro de 2024, 15:04", "2024-01-01T15:04:00"),
        ("1º gennaio 2024", "2024-01-01"),
        ("1ro de enero de 2024", "2024-01-01"),
        ("Seg, 02 de Out de 2023 às 15h04", "2023-10-02T15:04:00"),
        ("2 juil. 2023 à 15:04", "2023-07-02T15:04:00"),
        ("2 Eki 2023 15:04", "2023-10-02T15:04:00"),
        ("2023. szept. 2. 15:04", "2023-09-02T15:04:00"),
        ("02/Nov/2023 15:04", "2023-11-02T15:04:00"),
        ("2024. január 2. 15:04", "2024-01-02T15:04:00"),
        ("mardi 2 janvier 2024 (15:04)", "2024-01-02T15:04:00"),
        # a year in two digits, beside a time or alone; none, before a time
        ("02.01.24 | 15:04 Uhr | dpa", "2024-01-02T15:04:00"),
        ("1/26/24 3:05 PM PT", "2024-01-26T15:05:00-08:00"),
        ("Von Ann Lee Stand: 23.01.24", "2024-01-23"),
        ("Veröffentlicht am 23.01.24", "2024-01-23"),
        ("02.01.24", "2024-01-02"),
        ("Version 1.2.24 is out", None),
        ("01-02 15:04", "2024-01-02T15:04:00"),
        ("12-30 15:04", "2023-12-30T15:04:00"),
        ("5/7(火) 18:32", "2024-05-07T18:32:00"),
        ("The game ended 3-2 (1-1)", None),
        ("17 May 08:39", "2024-05-17T08:39:00"),
        # years of an era, Chinese numerals, months and hours of other languages
        ("令和6年1月2日 午後3時4分", "2024-01-02T15:04:00"),
        ("中華民國113年1月2日", "2024-01-02"),
        ("二〇二四年一月二十二日 15:04", "2024-01-22T15:04:00"),
        ("二○二三年十二月卅日", "2023-12-30"),
        ("2024年1月2日（火）15時04分", "2024-01-02T15:04:00"),
        ("입력 2024.01.02. 오후 3:04 수정 2024.01.03. 오전 9:00", "2024-01-02T15:04:00"),
        ("2 января 2024 г., 15:04", "2024-01-02T15:04:00"),
        ("2 gennaio 2024 alle 15:04", "2024-01-02T15:04:00"),
        ("2 stycznia 2024, 15:04", "2024-01-02T15:04:00"),
        # other calendars, and numerals of other scripts
        ("เผยแพร่: 2 มกราคม 2567 เวลา 15:04 น. ปรับปรุง: 3 มกราคม 2567 เวลา 09:00 น.", "2024-01-02T15:04:00"),
        ("๒ ม.ค. ๒๕๖๗ 15:04 น.", "2024-01-02T15:04:00"),
        ("02/01/2567 15:04", "2024-01-02T15:04:00"),
        ("تاریخ انتشار: ۱۲ دی ۱۴۰۲ - ۱۵:۰۴", "2024-01-02T15:04:00"),
        ("۱۴۰۲/۱۰/۱۲ ۱۵:۰۴", "2024-01-02T15:04:00"),
        ("1403-12-30", None),  # lies ahead
        ("29 اسفند 1402", "2024-03-19"),
        ("نشر: ٢ كانون الثاني ٢٠٢٤ - ١٥:٠٤ بتوقيت عمّان", "2024-01-02T15:04:00"),
        ("2 يناير 2024، 03:04 م", "2024-01-02T15:04:00"),
        ("Thứ ba, ngày 2 tháng 1 năm 2024, 15:04", "2024-01-02T15:04:00"),
        ("發布日期：113-01-02", "2024-01-02"),
        # of two dates in a line the one that is not said to be of a change
        ("Updated Jan 3, 2024 9:00 a.m. EST; first published Jan 2, 2024 3:04 p.m. EST", "2024-01-02T15:04:00-05:00"),
        ("Publié le 2 janvier 2024 à 15h04, mis à jour le 3 janvier 2024 à 09h00", "2024-01-02T15:04:00"),
        ("25/03/2024 14:05 EET", "2024-03-25T14:05:00+02:00"),
        ("Jan 2, 2024 8:30 PM ET", "2024-01-02T20:30:00-05:00"),
        ("May 2, 2024 8:30 PM ET", "2024-05-02T20:30:00-04:00"),
        ("November 24, 2023 2:27 AM Eastern Standard Time", "2023-11-24T02:27:00-05:00"),
        ("July 3, 2023 9:00 AM Eastern Daylight Time", "2023-07-03T09:00:00-04:00"),
        ("July 3, 2023 at 9:00 AM (U.S. Pacific Time)", "2023-07-03T09:00:00-07:00"),
        ("24 July 2023 10:00 Central European Summer Time", "2023-07-24T10:00:00+02:00"),
        ("24 November 2023 14:05 (Beijing Time)", "2023-11-24T14:05:00+08:00"),
        ("May 2, 2024 8:30 AM PT", "2024-05-02T08:30:00-07:00"),
        ("2 May 2024 14:05 CST (UTC+8)", "2024-05-02T14:05:00+08:00"),
        ("02.05.2024, 14:05 Uhr (GMT+1)", "2024-05-02T14:05:00+01:00"),
        ("Thursday, 2 May 2024, 14:05 (+0100)", "2024-05-02T14:05:00+01:00"),
        ("Posted Jan. 2, 2024 @ 3:04 pm", "2024-01-02T15:04:00"),
        ("2024.01.02. 15:04", "2024-01-02T15:04:00"),
        ("3 min read", None),
        ("no date", None),
        ("32 January 2024", None),
        ("2 Ocak 2024 Salı 03:04", "2024-01-02T03:04:00"),
        ("2024년 1월 2일 화요일 오후 3:04", "2024-01-02T15:04:00"),
        ("작성일 24-01-02 03:04 조회 11회", "2024-01-02T03:04:00"),
        ("By Ann Lee of the harbour desk | 02.01.24, 03:04", "2024-01-02T03:04:00"),
        ("2024-13-45", None),
        ("call 1234567890123456", None),
        ("", None),
    ],
)
def test_absolute(text: str, iso: str | None) -> None:
    stamp = DateReader(NOW).read(text)
    assert (stamp.iso if stamp else None) == iso


@pytest.mark.parametrize(
    ("text", "seconds_ago"),
    [
        ("3小时前", 3 * 3600),
        ("5分钟前", 300),
        ("2 hours ago", 7200),
        ("an hour ago", 3600),
        ("45 mins ago", 2700),
        ("半小时前", 1800),
        ("两个小时前", 7200),
        ("2h ago", 7200),
        ("45 min. ago", 2700),
        ("2 ч. назад", 7200),
        ("2 godz. temu", 7200),
        ("il y a 2 heures", 7200),
        ("vor 5 Minuten", 300),
        ("hace una hora", 3600),
        ("Ann Lee · 3h", 3 * 3600),
        ("5 hrs", 5 * 3600),
        ("刚刚", 0),
        ("just now", 0),
    ],
)
def test_relative_to_the_time_of_fetching(text: str, seconds_ago: int) -> None:
    stamp = DateReader(NOW, chinese=True).read(text)
    assert stamp is not None
    assert stamp.epoch == NOW - seconds_ago
    assert DateReader().read(text) is None


@pytest.mark.parametrize(
    ("text", "iso"),
    [("昨天 08:30", "2024-05-19T08:30:00"), ("今天08:30", "2024-05-20T08:30:00"), ("前天", "2024-05-18"),
     ("yesterday", "2024-05-19"), ("today", "2024-05-20"), ("Posted: Fri 17 May, 9.05pm", "2024-05-17T21:05:00"),
     ("Posted: Fri 17 May, 9.05pm By Ann Lee of the harbour desk", "2024-05-17T21:05:00"),
     ("Fri, May 17, 9:05 pm | By Ann Lee | Comments (3)", "2024-05-17T21:05:00"),
     ("Today: 9:30", "2024-05-20T09:30:00"), ("Вчера в 10:22", "2024-05-19T10:22:00"), ("어제 오전 10:22", "2024-05-19T10:22:00"),
     ("Сегодня, 09:05", "2024-05-20T09:05:00"), ("امروز ۰۹:۰۵", "2024-05-20T09:05:00"), ("hôm qua, 21:15", "2024-05-19T21:15:00"),
     ("3天前", "2024-05-17"), ("大前天", "2024-05-17"), ("两周前", "2024-05-06"), *((ago, "2024-05-11") for ago in NINE_DAYS_AGO),
     ("3 個月前", "2024-02-20"), ("3개월 전", "2024-02-20"), ("1 year, 2 months ago", "2023-03-22"), ("Dec 5", "2023-12-05"), ("May 18 at 10:00", "2024-05-18T10:00:00"), ("05月18日 10:00", "2024-05-18T10:00:00"), ("12月31日", "2023-12-31")],
)  # fmt: skip
def test_relative_days(text: str, iso: str) -> None:
    stamp = DateReader(NOW, chinese=True).read(text)
    assert stamp is not None
    assert stamp.iso == iso


@pytest.mark.parametrize(
    "text",
    ["Subscribe Today | Give a Gift", "From its origins to today", "Arrives today", "Today we ask", "Today's weather", "Today: 9°C", "Call today!",
     "今日热点", "昨日收盘", "今日头条", "今天的港口", "昨天的大桥", "工厂目前刚刚起步，但是订单在不断增加，" * 3,
     "The bridge that had just now been opened was closed again for the winter"],
)  # fmt: skip
def test_what_is_asked_or_told_of_today_is_no_date(text: str) -> None:
    assert DateReader(NOW, chinese=True).read(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Posted today",
        "Ann Lee · Today",
        "Today",
        "Ann Lee, today at 9am",
        "今天发布",
        "发布于今天",
        "王强 今天 上午9:00",
    ],
)
def test_a_line_that_says_today_is_one(text: str) -> None:
    stamp = DateReader(NOW, chinese=True).read(text)
    assert stamp is not None
    assert stamp.iso.startswith("2024-05-20")


def test_a_chinese_time_without_zone_is_chinese_time() -> None:
    chinese, other = DateReader(chinese=True).read("2024-01-02 08:00"), DateReader().read("2024-01-02 08:00")
    assert chinese is not None
    assert other is not None
    assert chinese.iso == other.iso == "2024-01-02T08:00:00"
    assert other.epoch - chinese.epoch == 8 * 3600


def test_the_future_is_refused() -> None:
    assert DateReader(NOW).read("2024-05-23") is None
    assert DateReader(NOW).read("2024-05-21T01:00+08:00") is not None


@given(st.datetimes(min_value=dt.datetime(1991, 1, 1), max_value=dt.datetime(2024, 5, 1)), st.integers(-12, 14))
def test_iso_round_trip(moment: dt.datetime, hours: int) -> None:
    aware = moment.replace(microsecond=0, tzinfo=dt.timezone(dt.timedelta(hours=hours)))
    stamp = DateReader(NOW).read(aware.isoformat())
    assert stamp is not None
    assert stamp.iso == aware.isoformat()
    assert stamp.epoch == aware.timestamp()


@given(st.text(max_size=300), st.floats(0, 4e9) | st.none(), st.booleans())
def test_never_raises_and_never_later_than_fetching(text: str, fetched_at: float | None, chinese: bool) -> None:
    stamp = DateReader(fetched_at, chinese=chinese).read(text)
    if stamp is not None and fetched_at is not None:
        assert stamp.epoch <= fetched_at + 36 * 3600


BODY = "<p>The council voted on Tuesday to close the bridge for repairs, which will take until the autumn.</p>"

LONG_AGO = "<p>The council had sold it on April 16, 2007 to a trader who came from the north of the country.</p>"
UPDATES = "".join(
    f"<div><time datetime=2024-05-0{day}T10:05Z>10:05</time> <b>Hall</b><p>The council has met {day} times.</p></div>"
    for day in (7, 4, 1)
)


def published(markup: str, url: str = "http://daily.test/a/1", language: str = "en") -> Dates:
    page = Page.parse(f"<html><body>{markup}</body></html>".encode(), url, fetched_at=NOW)
    body = [block for block in page.blocks if block.text.startswith("The council")]
    title = next((block.index for block in page.blocks if block.node.tag == "h1"), None)
    return dates_of(page, body, language, lambda: title)


@pytest.mark.parametrize(
    ("markup", "url", "iso"),
    [
        # a sentence that looks back, below a dateline of today
        ("<h1>T</h1><p>May 20, 2024</p><p>The council sold the old theatre of the harbour town, whose name nobody knew, 13 months ago.</p>", "", "2024-05-20"),
        # nor a number below a year
        (f"<h1>T</h1><p>2024/03/12 06:02 Ann Lee</p>{BODY}", "http://n.test/town/2024/0402.html", "2024-03-12T06:02:00"),
        # nor a short one, and no time of a teaser below the text
        (f"<h1>T</h1><p>Ann Lee <span>5 days ago</span></p>{BODY}<p>They met again yesterday.</p>{BODY}<p>Bridge 15 hours ago</p>", "", "2024-05-15"),
        (f"<h1>T</h1><p>Ann Lee <span>yesterday</span></p>{BODY}<p>Bridge closed 15 hours ago</p>", "", "2024-05-19"),
        # of the page, where nothing nearer says when
        ('<script type="application/ld+json">{"@type":"WebPage","datePublished":"2024-03-17","dateModified":"2024-05-03"}</script>'
         f"<meta property=article:modified_time content=2024-05-03><h1>T</h1>{BODY}", "", "2024-03-17"),
        # a day in the headline
        (f"<h1>The fire of 24 January</h1><p>Last updated: Thu 9 May, 8.17am</p>{BODY}", "", "2024-05-09T08:17:00"),
        # the time as readers see it, where the page states it in UTC besides
        ('<script type="application/ld+json">{"@context":"https://search.test/contexts/c.jsonld","title":"Bridge",'
         '"pubDate":"2024-05-02T09:48:19"}</script><p>Built on 3 May 2023</p>', "", "2024-05-02T09:48:19"),
        ('<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2024-05-02T01:48:19Z"}</script>'
         f"<h1>T</h1><p>PUBLISHED: May 1, 2024 at 8:48 p.m.</p>{BODY}", "", "2024-05-01T20:48:19-05:00"),
        ('<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2024-05-02T01:48:19Z"}</script>'
         f"<h1>T</h1><p>May 1, 2024 at 8:49 p.m.</p>{BODY}", "", "2024-05-02T01:48:19+00:00"),
        # a comment of the same minute, beside the time as it is stated
        ('<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2024-05-02T01:48:19Z"}</script>'
         f"<h1>T</h1><p>2 May 2024 at 03:48</p><p>by Ann Lee at 1:48 a.m.</p>{BODY}", "", "2024-05-02T01:48:19+00:00"),
        ('<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2024-05-02T01:48:19Z"}</script>'
         f"<h1>T</h1><p>2 May 2024, 1:48 pm</p>{BODY}", "", "2024-05-02T13:48:19+12:00"),
        ('<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"2024-05-02"}</script>'
         f"<h1>T</h1><p>2 May 2024, 10:15</p>{BODY}", "", "2024-05-02T10:15:00"),
        # in a title of an element, as Chinese themes have it, beside how long ago the last change was
        (f"<h1>T</h1><div>Ann Lee<span title='2024年05月04日 10:15发布'>3小时前更新</span></div>{BODY}", "", "2024-05-04T10:15:00"),
        # not the page's own day, not a day that the text speaks of
        (f"<div>Monday, May 20, 2024</div><h1>T</h1><p>By Ann Lee</p><p>May 3, 2024</p>{BODY}", "", "2024-05-03"),
        (f"<h1>T</h1><p>stated on May 1, 2024 in a post:</p>{BODY}", "http://daily.test/2024/may/09/posts/", "2024-05-09"),
        (f"<h1>T</h1><p>Updated May 5, 2024</p><p>Posted May 3, 2024</p>{BODY}", "", "2024-05-03"),
        # the article's time element, not that of a list beside it or of a comment
        (f"<ul><li><time datetime=2024-05-19>x</time> Other</li></ul><div></div><h1>T</h1><time datetime=2024-05-04>May 4</time>{BODY}"
         "<div class=comment><time datetime=2024-05-06>x</time></div>", "", "2024-05-04"),
        # nor those of updates within the text, or of a list right above it
        (f"<h1>T</h1><p>May 3, 2024</p>{BODY}{UPDATES}{BODY}", "", "2024-05-03"),
        (f"<h1>T</h1>{BODY * 4}{UPDATES}{BODY}", "", "2024-05-01T10:05:00+00:00"),
        (f"<h1>T</h1><p>May 3, 2024</p><p>By Ann Lee</p><aside>{UPDATES}</aside>{BODY}", "", "2024-05-03"),
        (f"<h1>T</h1><p><b>Ann Lee</b><i>May 3, 2024</i><u>2 Shares</u></p>{BODY}", "", "2024-05-03"),
        (f"<h1>T</h1><p>3小时前</p>{BODY}", "", "2024-05-20T09:00:00+00:00"),
        (f"<h1>T</h1><p>May 3, 2024 10:15</p>{BODY}<ul><li><a href=/2>Read a lot</a> <time datetime=2024-05-19T08:30Z>x</time></ul>", "",
         "2024-05-03T10:15:00"),
        (f"<ul><li><a href=/2>New</a> <time datetime=2024-05-19T08:30Z>x</time></ul><h1>T</h1><p>May 3, 2024 10:15</p>{BODY}", "",
         "2024-05-03T10:15:00"),
        (f"<h1>T</h1><p>By Ann Lee</p>{BODY}<p><time datetime=2024-05-03T08:30Z>x</time></p>", "", "2024-05-03T08:30:00+00:00"),
        (f"<p><time datetime=2024-05-03T08:30+02:00>May 3, 2024, 8:30</time></p><h1>T</h1>{BODY}", "", "2024-05-03T08:30:00+02:00"),
        # both classes say that it was never changed, one alone that it was
        (f"<h1>T</h1><time class='entry-date published updated' datetime=2024-05-03T08:30Z>x</time>{BODY}"
         "<div class=comment><time datetime=2024-05-06>x</time></div>", "", "2024-05-03T08:30:00+00:00"),
        (f"<h1>T</h1><time class=updated datetime=2024-05-06>x</time><time datetime=2024-05-03>x</time>{BODY}", "", "2024-05-03"),
        (f"<h1>T</h1><p>日期：[2024-05-03] 点击数：12 时间：15:05</p>{BODY}", "", "2024-05-03T15:05:00"),
        (f"<h1>T</h1><p><span title='2024-05-03 10:15:00 +0800 CST'>May 3, 2024</span> · Ann Lee</p>{BODY}", "", "2024-05-03T10:15:00+08:00"),
        # the day over the headline, the time below the text
        (f"<h2>May 3, 2024</h2><h1>T</h1>{BODY}<p>Posted by Ann Lee at 3:05 PM | Comments (2)</p>", "", "2024-05-03T15:05:00"),
        (f"<h2>May 3, 2024</h2><h1>T</h1>{BODY}<p>posted at: 15:05 | path: <a href=/town>/town</a></p>", "", "2024-05-03T15:05:00"),
        (f"<h1>T</h1><p>By Ann Lee | May 3, 2024 | Posted at 3:05 PM PST</p>{BODY}", "", "2024-05-03T15:05:00-08:00"),
        (f"<h1>T</h1><p>Posted Friday 3 May 2024 by Ann Lee, 2.05pm GMT</p>{BODY}", "", "2024-05-03T14:05:00+00:00"),
        (f"<h1>T</h1><p>The council voted on 2024-04-18 to close the old bridge for repairs, which will take until next autumn.</p>{BODY * 3}<div>posted on <span>2024-05-03 15:05</span> <a href=/>Ann</a> 阅读(<span>16</span>)</div>",
         "", "2024-05-03T15:05:00"),
        (f"<h1>T</h1><p><span>الثلاثاء 24 شوال 1445هـ - 3 مايو 2024م</span> <span>3:05 م</span></p>{BODY}", "", "2024-05-03T15:05:00"),
        (f"<h1>T</h1>{BODY}<div>2024年5月3日（星期五）<br>香港時間17時05分</div>", "", "2024-05-03T17:05:00"),
        (f"<h1>T</h1>{BODY}<div>Ends/Friday, May 3, 2024<br>Issued at HKT 17:05</div><div>NNNN</div>", "", "2024-05-03T17:05:00+08:00"),
        # below a text that speaks of days
        (f"<h1>T</h1>{BODY}<p>市议会于2024年4月18日投票决定关闭这座老桥进行维修。</p><h3>相關檔案</h3><p>新聞稿.odt</p><ul><li>發布日期：113-05-03</li>"
         "<li>更新日期：113-05-06</li></ul>", "", "2024-05-03"),
        # filed by month, and the headline begins with a number
        (f"<h1>T</h1><p>May 3, 2024 10:15</p>{BODY}", "http://daily.test/2024/05/18-questions-asked", "2024-05-03T10:15:00"),
        # or the page's name is the number of the article in its month
        (f"<h1>T</h1><p>2024年5月3日 10:15</p>{BODY}", "http://daily.test/zh/202405/18.shtml", "2024-05-03T10:15:00"),
        ("<meta name=citation_publication_date content=2024/05/03>" f"<h1>T</h1>{BODY}", "", "2024-05-03"),
        # names that content systems make up
        *((f"<meta name={name} content=2024-05-03><h1>T</h1><p>May 9, 2024</p>{BODY}", "", "2024-05-03")
          for name in ("published", "w-published-date", "govuk:first-published-at", "Publication_Date")),
        # right below a text that speaks of days, and not a comment's
        (f"<h1>T</h1>{BODY}{LONG_AGO}{BODY * 3}<p>Posted</p><div><time datetime=2024-05-03T08:30Z>x</time></div><p>in Travel</p>", "",
         "2024-05-03T08:30:00+00:00"),
        (f"<h1>T</h1>{BODY}{LONG_AGO}{BODY * 3}<div class=comments><p><time datetime=2024-05-03T08:30Z>x</time></p></div>", "", "2007-04-16"),
        (f"<meta name=publisher content=2024-05-03><h1>T</h1><p>May 9, 2024</p>{BODY}", "", "2024-05-09"),
        # without a text of its own, which scripts write, and beside days of others
        *((f"<main>{head}<time datetime=2024-05-03T08:30Z></time>{BODY}<div><ul>" + "".join(f"<li><a href=/{n}>Story {n} of the town</a> "
           f"<span>May {n}, 2024</span></li>" for n in (7, 5, 4)) + "</ul></div></main>", "", "2024-05-03T08:30:00+00:00")
          for head in ("<h1>T</h1>", "<div><h1>T</h1></div><span></span>")),
    ],
)  # fmt: skip
def test_the_day_of_publication(markup: str, url: str, iso: str) -> None:
    found = published(markup, url or "http://daily.test/a/1")
    assert found.published is not None
    assert found.published.iso == iso


def test_a_stated_date_after_fetching_is_refused_and_said_so() -> None:
    found = published(f'<meta property="article:published_time" content="2025-01-01"><h1>T</h1>{BODY}')
    assert found.published is None
    assert found.future


@pytest.mark.parametrize(
    ("markup", "url", "language", "hours"),
    [
        ("", "http://daily.example/a/1", "en", 0),
        ("", "http://www.daily.com.cn/a/1", "en", 8),
        ("", "http://www.daily.jp/a/1", "zh", 9),
        ("", "http://daily.example/a/1", "zh", 8),
        # another time of the page says where it was written, unless it is in UTC, as machines write
        (
            '<meta property="article:modified_time" content="2024-05-02T10:30:00-04:00">',
            "http://daily.example/",
            "en",
            -4,
        ),
        ('<meta property="article:modified_time" content="2024-05-02T14:30:00Z">', "http://daily.example/", "zh", 8),
        ("<p><time datetime='2024-05-01T08:00:00+05:30'>then</time></p>", "http://daily.cn/", "zh", 5.5),
    ],
)
def test_a_time_without_a_zone_is_in_the_sites(markup: str, url: str, language: str, hours: float) -> None:
    page = Page.parse(f"<html><head>{markup}</head><body></body></html>".encode(), url, fetched_at=NOW)
    noon = dt.datetime(2024, 5, 2, 12)
    assert zone_of(page, language).utcoffset(noon) == dt.timedelta(hours=hours)
    page.zone = ZoneInfo("Asia/Tokyo")
    assert zone_of(page, language) is page.zone


@pytest.mark.parametrize(
    ("first", "data", "published"),
    [
        ("新华社北京5月18日电 市议会昨天同意建造一座新的大桥。", "", "2024-05-18"),
        ("市议会昨天同意建造一座新的大桥。", "", None),
        ("The council of the harbour town agreed yesterday.", "", None),
        # Behind a short headline the document's title has the name of the site.
        ("新华社北京5月18日电 市议会昨天同意建造一座新的大桥。", "2024-05-18 08:15:00", "2024-05-18T08:15:00"),
        ("市议会同意建造一座新的大桥。", "2024-05-18 08:15:00", "2024-05-18T08:15:00"),
    ],
)
def test_what_a_text_tells_of_yesterday_was_published_later(first: str, data: str, published: str | None) -> None:
    text = "".join(f"<p>费用仍然不能确定，工程将在春天开始，居民表示欢迎并期待尽快开工。{n}</p>" for n in range(6))
    held = json.dumps({"article": {"title": "新大桥获批准", "publishTime": data, "content": text}}) if data else "{}"
    markup = (
        "<html><head><title>新大桥获批准_港口日报</title></head><body><h1>新大桥获批准</h1>"
        f"<p>{first}</p>{text}<script type=application/json>{held}</script></body></html>"
    )
    assert extract(Page.parse(markup.encode(), "http://daily.example/a/1", fetched_at=NOW)).published == published


def test_the_zone_is_that_of_the_text_whoever_read_the_date() -> None:
    text = "".join(
        f"<p>港口城市的市议会昨天晚上同意建造一座新的大桥，费用仍然不能确定，工程将在春天开始。{n}</p>"
        for n in range(6)
    )
    markup = f"<html lang=en><head><title>新的大桥</title></head><body><h1>新的大桥</h1><p>2024-05-02 10:15</p>{text}</body></html>"
    found = extract(Page.parse(markup.encode(), "http://daily.example/a/1", fetched_at=NOW))
    assert found.published == "2024-05-02T10:15:00"
    assert found.published_at == dt.datetime(2024, 5, 2, 2, 15, tzinfo=dt.UTC).timestamp()


@pytest.mark.parametrize(
    ("shown", "published"),
    [
        ("<time class=entry-date datetime='2024-05-02T04:15:00-06:00'>2 de mayo</time>", "2024-05-02T04:15:00-06:00"),
        ("<p>2 May 2024, 11:15</p>", "2024-05-02T11:15:00+01:00"),
        # of a change
        ("<p>Last modified on Thu 2 May 2024 23.15 GMT</p>", "2024-05-02T10:15:00+00:00"),
    ],
)
def test_a_time_in_utc_is_told_in_the_zone_in_which_the_page_shows_it(shown: str, published: str) -> None:
    text = "".join(f"<p>{n}. The council of the harbour town agreed on a new bridge last night.</p>" for n in range(9))
    stated = "<meta property=article:published_time content=2024-05-02T10:15:00+00:00>"
    markup = f"<html lang=en><head><title>Bridge</title>{stated}</head><body><h1>Bridge</h1>{shown}{text}</body></html>"
    found = extract(Page.parse(markup.encode(), "http://daily.example/a/1", fetched_at=NOW))
    assert found.published == published


@pytest.mark.parametrize(
    "stated",
    [
        'var ct = "1714645140"; var msg_title = "新的大桥";',
        "window.page = {title: 1}; var publish_time = '2024-05-02 18:19';",
        'window.__DATA__ = {"title": "新的大桥在海港正式建成通车", "publishTime": 1714645140000, "id": 88};'
        + " " * 400,
        'window.__DATA__ = {"title": "新的大桥在海港正式建成通车", "time": 1714645140000}; '
        + " " * 400
        + "</script><p>编辑于 18天前 上海</p><script>",
        'window.__DATA__ = {"title": "新的大桥在海港正式建成通车", "created": 1714645140, "id": 88}; '
        + " " * 400
        + "</script><p>编辑于 2024-05-03 09:30</p><script>",
    ],
    ids=["WeChat", "variable", "data", "data beside days ago", "made, and changed later"],
)
def test_a_time_that_scripts_alone_state_is_told_in_the_sites_zone(stated: str) -> None:
    text = "".join(
        f"<p>{n}、海港市议会通过了新桥建设方案，造价仍不确定，工程预计明年春天开始。</p>" * 3 for n in range(4)
    )
    title = "新的大桥在海港正式建成通车"
    markup = (
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{text}<script>{stated}</script></body></html>"
    )
    found = extract(Page.parse(markup.encode(), "http://127.0.0.1/s/Qa", fetched_at=NOW))
    assert found.published_at == pytest.approx(1714645140, abs=1)
    assert found.published in ("2024-05-02T18:19:00+08:00", "2024-05-02T18:19:00")


@pytest.mark.parametrize(
    ("stated", "iso"),
    [
        ({"id": 50510, "section": "town", "publishTime": "2024-05-02T18:19:00+08:00"}, "2024-05-02T18:19:00+08:00"),
        ({"articleId": "50510", "pubDate": "2024-05-02T18:19:00+08:00"}, "2024-05-02T18:19:00+08:00"),
        # Another article's, a comment's, those of several comments, a year.
        ({"id": 50511, "publishTime": "2024-05-02T18:19:00+08:00"}, None),
        ({"id": 7, "articleId": 50510, "time": "2024-05-02T18:19:00+08:00"}, None),
        ([{"articleId": 50510, "time": "2024-05-02T18:19:00+08:00"}, {"articleId": 50510, "time": "2024-05-03"}], None),
        ({"id": 2024, "publishTime": "2024-05-02T18:19:00+08:00"}, None),
    ],
)
def test_a_script_states_the_time_of_the_number_in_the_address(stated: object, iso: str | None) -> None:
    text = "".join(
        f"<p>{'The council of the harbour town has agreed on a bridge after a debate. ' * 4}</p>" for _ in range(4)
    )
    script = f"<script>window.page = {json.dumps(stated)};{120 * ' '}</script>"
    markup = f"<html lang=en><title>A bridge opens</title><body><h1>A bridge opens</h1>{text}{script}</body></html>"
    assert extract(Page.parse(markup.encode(), "https://a.test/2024/50510/a-bridge", fetched_at=NOW)).published == iso


@pytest.mark.parametrize(
    ("data", "iso"),
    [
        ({"story": {"headline": "Bridge of the harbour town opens", "publishedAt": "2024-05-10T22:14:00+08:00"}}, "2024-05-10T22:14:00+08:00"),
        ({"story": {"title": "Bridge of the harbour town opens", "publish_time": 1715350440}}, "2024-05-10T14:14:00+00:00"),
        # Another article's, a time of change, another day's, a day alone.
        ({"more": [{"headline": "Bridge of the harbour town", "x": "", "updatedAt": "2024-05-10T22:14:00+08:00"}]}, "2024-05-10"),
        ({"story": {"headline": "Bridge of a mountain village opens", "publishedAt": "2024-05-10T22:14:00+08:00"}}, "2024-05-10"),
        ({"story": {"headline": "Bridge of the harbour town opens", "publishedAt": "2024-05-14T22:14:00+08:00"}}, "2024-05-10"),
        ({"story": {"headline": "Bridge of the harbour town opens", "publishedAt": "2024-05-10"}}, "2024-05-10"),
    ],
)  # fmt: skip
def test_a_day_gets_the_time_that_a_script_states_beside_the_headline(data: dict[str, object], iso: str) -> None:
    text = "".join(
        f"<p>{'The council of the harbour town has agreed on a bridge after a debate. ' * 4}</p>" for _ in range(4)
    )
    state = json.dumps({"props": data, "page": "/story/[slug]", "buildId": "x" * 90})
    markup = (
        f"<html lang=en><head><title>Bridge of the harbour town opens | Northline</title></head><body><h1>Bridge of the harbour town opens</h1>"
        f"<time>May 10, 2024</time>{text}<script id=__NEXT_DATA__ type=application/json>{state}</script></body></html>"
    )
    assert extract(Page.parse(markup.encode(), "https://a.test/story/bridge-1", fetched_at=NOW)).published == iso


@pytest.mark.parametrize(
    ("markup", "url", "language", "iso"),
    [
        ("<p>12/03/2024</p>", "http://daily.test/1", "en", "2023-12-03"),
        ("<p>12/03/2024</p>", "http://daily.co.uk/1", "en", "2024-03-12"),
        ("<p>12/03/2024</p>", "http://daily.io/1", "en", "2023-12-03"),
        ("<p>12/03/2024</p>", "http://daily.test/1", "fr", "2024-03-12"),
        ("<p>12/03/2024</p><ul><li>25/02/2024</ul>", "http://daily.test/1", "en", "2024-03-12"),
        ("<p>12/03/2023</p><ul><li>02/25/2024</ul>", "http://daily.co.uk/1", "en", "2023-12-03"),
        ("<p>01/04/2024</p><p>Updated 12.03.2024</p>", "http://daily.test/1", "en", "2024-01-04"),
    ],
)
def test_the_order_of_day_and_month(markup: str, url: str, language: str, iso: str) -> None:
    found = published(f"<h1>T</h1>{markup.replace('12/03/2024', '12/03/' + iso[:4])}{BODY}", url, language).published
    assert found is not None
    assert found.iso == iso


@pytest.mark.parametrize(
    ("lang", "iso"), [("en-GB", "2024-03-12"), ("en-US", "2023-12-03"), ("en", "2023-12-03"), ("en_AU", "2024-03-12")]
)
def test_the_stated_country_tells_the_order(lang: str, iso: str) -> None:
    markup = f"<html lang={lang}><body><h1>T</h1><p>12/03/{iso[:4]}</p>{BODY}</body></html>"
    page = Page.parse(markup.encode(), "http://daily.test/1", fetched_at=NOW)
    found = dates_of(page, [b for b in page.blocks if b.text.startswith("The council")], "en", lambda: None).published
    assert found is not None
    assert found.iso == iso


def test_a_day_that_lies_ahead_is_read_the_other_way() -> None:
    stamp = DateReader(NOW).read("12/05/2024")
    assert stamp is not None
    assert stamp.iso == "2024-05-12"


@pytest.mark.parametrize(
    "text",
    ["Today: 9°C, showers", "Today: showers", "Today’s weather", "What ended on 17 May in the harbour, at 9.05pm"],
)
def test_weather_programmes_and_sentences_are_no_dates(text: str) -> None:
    assert DateReader(NOW).read(text) is None


@pytest.mark.parametrize("text", ["2078-01-02", "2 January 2078", "2078-01-02T03:04:05Z", "3408314645"])
def test_no_date_is_beyond_tomorrow_whenever_the_page_came(text: str) -> None:
    assert DateReader().read(text) is None


@pytest.mark.parametrize(
    ("head", "shown", "iso"),
    [
        ("2024-05-02", "<time datetime='2024-05-02T10:20:30+02:00'>2 May</time>", "2024-05-02T10:20:30+02:00"),
        ("2024-05-02", "<time datetime='2024-05-03T10:20:30+02:00'>3 May</time>", "2024-05-02"),
        ("2024-05-02", "<p>Daily Test 05-02 09:30 desk</p>", "2024-05-02T09:30:00"),
        ("2024-05-02", "<p>来源：日报 5月2日 9:30</p>", "2024-05-02T09:30:00"),
        ("2024-05-02", "<p>Daily Test 05-03 09:30 desk</p>", "2024-05-02"),
        ("2024-05-02T08:20:30Z", "<p>2024.05.02 10:20:30</p>", "2024-05-02T10:20:30+02:00"),
        ("2024-05-02T08:20:30Z", "<time datetime='2024-05-02'>2 May</time>", "2024-05-02T08:20:30+00:00"),
    ],
)
def test_a_day_gets_the_time_of_a_marked_element(head: str, shown: str, iso: str) -> None:
    stated = (
        f'<script type="application/ld+json">{json.dumps({"@type": "NewsArticle", "datePublished": head})}</script>'
    )
    found = published(f"{stated}<h1>T</h1>{shown}{BODY}").published
    assert found is not None
    assert found.iso == iso


@pytest.mark.parametrize(
    ("title", "first"),
    [
        ("Bridge of the harbour town opens, January 13 2008", ""),
        ("Bridge of the harbour town opens", "Guidance issued today says so. "),
        ("海港新桥今日通车", "本报讯 5月1日，海港新桥通车，当日市长出席了仪式，造价仍不确定。"),
    ],
)
def test_a_script_says_it_better_than_a_day_that_headline_or_text_speak_of(title: str, first: str) -> None:
    sentence = "The council of the harbour town has agreed on a bridge after a debate. "
    state = json.dumps({"story": {"title": title, "publishedAt": "2024-05-10T22:14:00Z"}, "buildId": "x" * 90})
    markup = (
        f"<html lang=en><head><title>{title}</title></head><body><h1>{title}</h1><p>{first}{sentence * 4}</p>"
        f"<p>{sentence * 4}</p><script type=application/json>{state}</script></body></html>"
    )
    found = extract(Page.parse(markup.encode(), "https://a.test/story/bridge", fetched_at=NOW))
    assert found.published == "2024-05-10T22:14:00+00:00"


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("Published 2 March 2023", "2023-03-02"),
        ("2 March 2023", "2023-03-02"),
        ("The bridge on 2 March 2023", "2024-05-01"),
        ("Updated 2 March 2023", "2024-05-01"),
        ("30 April 2024", "2024-05-01"),  # the reader's zone
    ],
)
def test_a_day_alone_beside_the_headline_goes_before_a_later_one_that_data_state(line: str, day: str) -> None:
    stated = "<meta property=article:published_time content=2024-05-01T01:00:00Z>"
    html = f"<html lang=en><head>{stated}</head><body><h1>Bridge closes</h1><p>{line}</p><p>{'It is shut. ' * 30}</p>"
    found = extract(Page.parse(html.encode(), "http://x.test/a", fetched_at=NOW))
    assert (found.published or "")[:10] == day


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("By: gasket on May 8, 2024, 3:24 p.m.", "2024-05-08"),
        ("8 May 2024", "2024-05-08"),
        ("The bridge on 8 May 2024", "2024-05-20"),
        ("By: gasket on May 20, 2024, 9:24 a.m.", "2024-05-20"),
    ],
)
@pytest.mark.parametrize("ago", [0, 50])
def test_the_moment_of_the_answer_that_a_template_states_is_no_publication(line: str, day: str, ago: int) -> None:
    stated = f"<meta name=created content='{dt.datetime.fromtimestamp(NOW - ago, dt.UTC).isoformat()}'>"
    html = f"<html lang=en><head>{stated}</head><body><h1>Bridge closes</h1><p>{line}</p><p>{'It is shut. ' * 30}</p>"
    found = extract(Page.parse(html.encode(), "http://x.test/a", fetched_at=NOW))
    assert (found.published or "")[:10] == day


def test_a_standfirst_above_the_day_alone_changes_nothing() -> None:
    stated = "<meta property=article:published_time content=2024-05-01T01:00:00Z>"
    deck = "Those who cross it each morning were not asked, and will walk for half an hour until the autumn."
    text = "The council voted on Tuesday to close the old bridge for repairs, said the mayor of the town. " * 3
    lines = f"<p>{deck}</p><p>2 March 2023</p>" + "".join(f"<p>{text} Part {n}.</p>" for n in range(4))
    html = f"<html lang=en><head>{stated}</head><body><article><h1>Bridge closes</h1>{lines}</article>"
    found = extract(Page.parse(html.encode(), "http://x.test/a", fetched_at=NOW))
    assert found.body.startswith(deck + "\n")
    assert found.published == "2023-03-02"


def test_a_headline_that_is_a_day_is_not_the_day_of_its_publication() -> None:
    stated = "<meta property=article:published_time content=2024-05-07T11:27:00+08:00>"
    crumbs = "<ul><li><a href=/>首页</a><li>2005年5月23日</ul>"
    text = "那天早上出门，海港里停着三条船，码头上的人都在说桥的事情。" * 6
    html = f"<html lang=zh><title>2005年5月23日</title>{stated}<body>{crumbs}<h1>2005年5月23日</h1><p>{text}</p><p>{text}</p>"
    found = extract(Page.parse(html.encode(), "http://x.test/a", "text/html; charset=utf-8", fetched_at=NOW))
    assert found.published == "2024-05-07T11:27:00+08:00"


@pytest.mark.parametrize(
    ("shown", "listed", "published"),
    [
        ("1周，2日 前", "2024-05-11T02:23:53", "2024-05-11T02:23:53+00:00"),
        ("2 weeks ago", "2024-05-01T09:30:00", "2024-05-01T09:30:00+00:00"),
        ("3 个月前", "2024-02-01T09:30:00", "2024-02-01T09:30:00+00:00"),
        ("3 hours ago", "2024-05-20T08:21:00", "2024-05-20T08:21:00+00:00"),
        # a day alone knows more than weeks, and less than hours
        ("2 weeks ago", "2024-05-01T00:00:00", "2024-05-01"),
        ("3 hours ago", "2024-05-20T00:00:00", "2024-05-20T09:00:00+00:00"),
        # what disagrees is of something else, and a day says more than either
        ("2 weeks ago", "2024-05-11T02:23:53", "2024-05-06"),
        ("May 3, 2024", "2024-05-01T09:30:00", "2024-05-03"),
    ],
)
def test_what_a_page_says_roughly_gives_way_to_what_its_list_states(shown: str, listed: str, published: str) -> None:
    page = Page.parse(f"<h1>T</h1><p>{shown}</p>{BODY}".encode(), "https://daily.test/a", fetched_at=NOW)
    page.listed_at = dt.datetime.fromisoformat(f"{listed}+00:00").timestamp()
    assert extract(page).published == published


@pytest.mark.parametrize(
    ("line", "listed", "around", "published"),
    [
        ("Last edited 12 May 2024", "2024-05-03T10:00:00", "", "2024-05-03T10:00:00+00:00"),
        (
            "Last edited 12 May 2024",
            None,
            "Bridge closes Posted Fri May 3 10:00:00 2024 by Ann",
            "2024-05-03T10:00:00+00:00",
        ),
        (
            "Last edited 12 May 2024",
            None,
            "3 May 2024 10:45:00; Bridge closes Posted 3 May 2024 10:45:00 by the editors of the paper",
            "2024-05-03T10:45:00+00:00",
        ),
        ("Last edited 12 May 2024", None, "Bridge closes for 2023", "2024-05-12"),
        ("Last edited 12 May 2024", "2024-05-14T10:00:00", "", "2024-05-12"),
        ("Posted 12 May 2024", "2024-05-03T10:00:00", "", "2024-05-12"),
    ],
)
def test_a_page_that_only_says_when_it_was_changed_gives_way_to_what_its_list_says(
    line: str, listed: str | None, around: str, published: str
) -> None:
    body = f"<html lang=en><h1>Bridge closes</h1>{BODY}<footer><p>{line}</p></footer>".encode()
    at = dt.datetime.fromisoformat(f"{listed}+00:00").timestamp() if listed else None
    job, url = Job(name="a", site="http://x.test/"), "http://x.test/a"
    visit = Visit(job="a", kind="article", key=1, published_at=at, context=around, anchor="Bridge closes")
    fetched = Fetched(url, body, "text/html", NOW)
    assert article_of(extract(fetched.page), fetched, job, visit).published_at == published


@pytest.mark.parametrize(
    ("said", "published"),
    [
        ('<a title="05/11/2024 06:32 AM" href="/activity?from=2024-05-11">9 days</a> ago', "2024-05-11T06:32:00"),
        ('<abbr title="Sat, 11 May 2024 06:32:00">9 days ago</abbr>', "2024-05-11T06:32:00"),
        (
            '<a title="Story 2024 at 6:32 in the morning of the last day of the year" href="/x">9 days</a> ago',
            "2024-05-11",
        ),
    ],
)
def test_the_title_of_a_rough_time_says_it_to_the_minute(said: str, published: str) -> None:
    html = f"<html lang=en><h1>Bridge closes</h1><p>Added by Ann Lee {said}</p>{BODY}"
    assert extract(Page.parse(html.encode(), "http://x.test/a", fetched_at=NOW)).published == published


def test_times_that_a_page_calls_of_an_open_graph_article_are_read() -> None:
    head = '<meta property="og:article:published_time" content="2024-05-03T10:00:00+08:00">'
    found = extract(
        Page.parse(f"<html><head>{head}</head><h1>T</h1>{BODY}".encode(), "http://x.test/a", fetched_at=NOW)
    )
    assert (found.published, found.origin["published"]) == ("2024-05-03T10:00:00+08:00", "meta")


def test_what_stands_at_a_wrappers_place_begins_with_the_year_where_the_page_is_of_the_east() -> None:
    page = Page.parse(b"<p>x</p>", "http://a.test/", fetched_at=1_795_900_000.0)
    shown = [read_shown("26-11-28 14:05", page, language) for language in ("ko", "ja", "en")]
    assert [one and one.iso for one in shown] == ["2026-11-28T14:05:00", "2026-11-28T14:05:00", None]


def test_the_only_moment_that_stands_alone_beside_a_text_is_the_texts() -> None:
    text = (
        "<p>The bridge was shut today for work, and it will be for months, as the mayor of the town has said.</p>" * 20
    )
    beside = "<p>May 1, 2024 10:05</p>"
    html = f"<html lang=en><body><main><h1>Bridge closes</h1>{text}</main><ul>{'<li>x</li>' * 9}</ul><aside>{beside}</aside>"
    found = extract(Page.parse(html.encode(), "http://x.test/a", fetched_at=NOW))
    assert found.published == "2024-05-01T10:05:00"


def test_a_day_of_the_address_gets_the_time_that_one_element_beside_the_text_has() -> None:
    text = "<p>The bridge is shut for work, and the mayor said so.</p>" * 20
    element = "<time datetime='2024-05-01 10:05:00+00:00'>May 1</time>"
    html = f"<html lang=en><body><aside>{element}</aside><main><h1>Bridge closes</h1>{text}</main>"
    found = extract(Page.parse(html.encode(), "http://x.test/2024/05/01/bridge", fetched_at=NOW))
    assert found.published == "2024-05-01T10:05:00+00:00"


@pytest.mark.parametrize("above", ["<h1>荷兰空军轻型战斗机升级</h1>", "<div class=bt>荷兰空军轻型战斗机升级</div>"])
def test_a_text_that_begins_with_its_headline_once_more_says_when_above(above: str) -> None:
    """What stands below the second is of the source: reprints keep its line."""
    body = (
        "<p>荷兰将通过更新战斗机的雷达告警接收机、威胁显示器和干扰子系统，以升级其电子自防御能力，共有七十二架。</p>"
        * 4
    )
    text = f"<p>荷兰空军轻型战斗机升级</p><p>英国《防务周刊》2006年4月26日报道</p>{body}"
    whole = f"<title>荷兰空军轻型战斗机升级_网</title>{above}<p>来源：晨报 2024-05-03 05:25 记者：孙建国</p><div>{text}</div>"
    found = extract(Page.parse(whole.encode(), "http://n.test/1.html", "text/html; charset=utf-8", NOW))
    assert found.published == "2024-05-03T05:25:00"


COMMENTS = "<section id=comments>{}</section>"
LIST = "<div class=box>{}</div>"
ENTRIES = "".join(
    f"<div class=e{n}><b>Ann {n}</b> <time datetime=2026-11-2{n}T10:00Z>Nov 2{n}, 2026</time><p>So it is.</p></div>"
    for n in range(4)
)


@pytest.mark.parametrize(
    ("beside", "published", "rule"),
    [
        (COMMENTS.format("<p>Tom, <time datetime=2026-11-20T10:00Z>Nov 20, 2026</time>: indeed.</p>"), None, "none"),
        (COMMENTS.format("<p>Tom, Nov 20, 2026</p>"), None, "none"),
        ("<aside class=sidebar><p>Harbour closed<br>Nov 20, 2026</p></aside>", None, "none"),
        ("<pre>Nov 20, 2026 it was logged</pre>", None, "none"),
        (LIST.format(ENTRIES), None, "none"),
        (LIST.format("<p>Ann Lee, Nov 20, 2026</p><p>Cy Dow, Nov 21, 2026</p>"), None, "none"),
        (LIST.format("<p>Nov 20, 2026</p>"), "2026-11-20", "text"),
        (LIST.format("<p>Nov 20, 2026 – Jan 6, 2027</p>"), None, "none"),
        (LIST.format("<p>2026-11-20 to 2026-12-06</p>"), None, "none"),
        (LIST.format("<p>Published 2026-11-20, updated 2026-11-26</p>"), "2026-11-20", "text"),
        (LIST.format("<p>Published 2026-11-20 - updated 2026-11-26</p>"), "2026-11-20", "text"),
        (LIST.format("<p>Last modified on <time datetime=2026-11-20>Nov 20</time></p>"), "2026-11-20", "changed"),
    ],
)
def test_no_article_has_the_day_of_what_stands_beside_it(beside: str, published: str | None, rule: str) -> None:
    text = "".join(
        f"<p>The council met {n} times and heard of the bridge, the river and the harbour.</p>" for n in range(9)
    )
    far = "".join(f"<p><a href=/{n}>More of the {n}th kind</a></p>" for n in range(9))
    markup = f"<html><body><h1>The bridge</h1><div class=text>{text}</div><div>{far}</div>{beside}</body></html>"
    found = extract(Page.parse(markup.encode(), "https://daily.test/bridge"))
    assert (found.published, found.origin.get("published", "none")) == (published, rule)


def test_what_other_articles_say_of_themselves_is_not_said_of_the_pages() -> None:
    text = "".join(
        f"<p>The council met {n} times and heard of the bridge, the river and the harbour.</p>" for n in range(9)
    )
    card = (
        "<article itemscope itemtype=https://schema.org/NewsArticle><h3><a href=/b>Harbour closed for a week</a></h3>"
        "<span itemprop=author>Anna Field</span><time itemprop=datePublished datetime=2026-11-10T09:00Z>10 days ago</time></article>"
    )
    head = "<h1>The bridge</h1><p>By Ruth Stone</p><p>5 May 2026</p>"
    markup = f"<html><body><div>{head}<div class=text>{text}</div></div><section>{card}{card}</section></body></html>"
    found = extract(Page.parse(markup.encode(), "https://daily.test/bridge"))
    assert (found.published, found.authors) == ("2026-05-05", ("Ruth Stone",))


def _in_berlin(now: str) -> DateReader:
    return DateReader(dt.datetime.fromisoformat(now).timestamp(), local=ZoneInfo("Europe/Berlin"))


@pytest.mark.parametrize(
    ("now", "text", "iso"),
    [
        ("2027-03-28T03:00:00+00:00", "5 hours ago", "2027-03-27T23:00:00+01:00"),
        ("2027-03-28T01:10:00+00:00", "vor 20 Minuten", "2027-03-28T01:50:00+01:00"),
        ("2027-10-31T02:00:00+00:00", "3 hours ago", "2027-10-31T01:00:00+02:00"),
        ("2027-03-28T22:30:00+00:00", "1 day ago", "2027-03-28"),
        ("2027-03-28T22:30:00+00:00", "yesterday", "2027-03-28"),
    ],
)
def test_so_long_ago_over_a_change_to_summer_time_and_back(now: str, text: str, iso: str) -> None:
    stamp = _in_berlin(now).read(text)
    assert stamp is not None
    assert stamp.iso == iso


@pytest.mark.parametrize(
    ("now", "text", "iso"),
    [
        ("2026-12-31T22:00:00+00:00", "1. Januar, 08:15 Uhr", "2027-01-01T08:15:00"),
        ("2026-12-31T22:00:00+00:00", "Jan 1, 08:15", "2027-01-01T08:15:00"),
        ("2026-12-31T22:00:00+00:00", "31. Dezember, 22:50 Uhr", "2026-12-31T22:50:00"),
        ("2027-01-01T00:05:00+00:00", "31. Dezember, 23:50 Uhr", "2026-12-31T23:50:00"),
        ("2026-12-30T08:00:00+00:00", "3. Januar, 08:15 Uhr", "2026-01-03T08:15:00"),
        ("2028-03-01T08:00:00+00:00", "29. Februar, 08:15 Uhr", "2028-02-29T08:15:00"),
        ("2029-01-01T08:00:00+00:00", "29. Februar, 08:15 Uhr", "2028-02-29T08:15:00"),
    ],
)
def test_a_day_without_its_year_around_new_year(now: str, text: str, iso: str) -> None:
    reader = _in_berlin(now)
    stamp = reader.read(text)
    assert (stamp and stamp.iso, reader.future) == (iso, False)


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("تم النشر في ٢٧ تشرين الثاني/نوفمبر ٢٠٢٣ الساعة ١٤:٢٠", "2023-11-27T14:20:00"),
        ("الخميس 26 نونبر 2023 - 23:00", "2023-11-26T23:00:00"),
        ("4 غشت 2023", "2023-08-04"),
        ("מאת: יעל לוי, 27 בנובמבר 2023, 09:10", "2023-11-27T09:10:00"),
        ("Viernes, 24 de noviembre de 2023. 10:15 h. Redacción", "2023-11-24T10:15:00"),
    ],
)
def test_months_with_two_names_and_a_stop_before_the_time(text: str, iso: str) -> None:
    stamp = DateReader(NOW).read(text)
    assert stamp is not None
    assert stamp.iso == iso


def test_an_address_and_a_moment_beside_the_headline_may_be_of_two_days() -> None:
    """As Hatena files posts: by the day in Japan, with the moment in UTC above the headline and below the text."""
    text = (
        "市議会は木曜日の夜、長い議論の末、老朽化した港の橋を2028年春までに全面的に架け替える案を賛成多数で可決した。"
    )
    when = "<time datetime=2023-11-26T21:30:00Z>2023-11-27</time>"
    page = f"<div><a href=/archive/2023/11/27>{when}</a></div><h1>橋を架け替え</h1><p>{text}<p>{text}<footer>{when}</footer>"
    found = extract(
        Page.parse(f"<html lang=ja><body><article>{page}</article>".encode(), "https://a.test/entry/2023/11/27/063000")
    )
    assert found.published == "2023-11-26T21:30:00+00:00"
