"""Every page, as a browser without scripts gets it."""

from __future__ import annotations

import csv
import re
import time
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

import pytest
from redis.asyncio import Redis

from articlebot.console.articles import _narrowing
from articlebot.console.view import dated
from articlebot.frontier.crawl_log import Download
from articlebot.recrawl.record import Seed
from articlebot.recrawl.store import RedisPageStates
from articlebot.runtime import clock
from articlebot.runtime.private_redis import PrivateRedis
from articlebot.runtime.runs import RedisRuns, Run
from articlebot.urls import page_key
from tests.console.conftest import HOOK_SECRET, HOSTILE, Client, apart

BRIDGE = f"{page_key('https://news.example.com/bridge'):016x}"
BAD = f"{page_key('https://news.example.com/bad'):016x}"
PAGES = [
    *(
        "/",
        "/changes",
        "/quarantine",
        "/failures",
        "/jobs",
        "/jobs/example",
        "/sites",
        "/sites/example.com",
        "/sites/walled.example",
        "/searches",
        "/judge",
        "/url",
    ),
    *("/articles", "/articles?q=bridge&sort=newest&age=24h"),
    f"/articles/{BRIDGE}?against={page_key('https://news.example.com/copy'):016x}",
    *(f"/articles/{BRIDGE}", f"/articles/{BRIDGE}?version=1", f"/articles/{BRIDGE}?view=side", f"/articles/{BAD}"),
    *("/url?url=https://news.example.com/bridge", "/url?url=news.example.com"),
]


class Outline(HTMLParser):
    """What a screen reader goes by."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.tags if name == tag]


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("language", ["en", "zh-CN,zh;q=0.9,en;q=0.5"])
def test_every_page_is_shown_and_harmless(client: Client, path: str, language: str) -> None:
    answer = client.get(path, **{"Accept-Language": language})
    assert answer.status == 200, answer.text
    assert "<script>" not in answer.text
    outline = Outline(answer.text)
    assert outline.all("html")[0]["lang"] == language[:2]
    assert [len(outline.all(tag)) for tag in ("h1", "main", "header")] == [1, 1, 1]
    assert not outline.all("img") + outline.all("style") + outline.all("iframe")
    assert [attrs["src"] for attrs in outline.all("script")] == ["/static/console.js"]
    for _, attrs in outline.tags:
        assert not [name for name in attrs if name.startswith("on") or name == "style"]
        assert not str(attrs.get("href", "")).lower().startswith(("javascript:", "data:"))
    ids = [attrs["id"] for _, attrs in outline.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert all(attrs.get("aria-label") for attrs in outline.all("svg"))


def test_overview_counts_what_happened(client: Client) -> None:
    text = client.get("/").text
    figures = dict(re.findall(r'id="figure-(\w+)">([^<]*)<', text))
    assert figures["rate"] == "1.0"  # five in five minutes
    assert (figures["unchanged"], figures["failed"]) == ("1", "2")
    assert (figures["new"], figures["changed"], figures["articles"]) == ("4", "1", "4")
    assert figures["p50"] == "4 min"  # of one article; the others were there when their site was first visited
    plots = re.findall(r'<div class="scroll" id="plot-(\w+)"[^>]*><svg', text)
    assert plots == ["fetches", "published", "delay"]


def test_overview_shows_the_deliveries(client: Client) -> None:
    row = client.get("/").text.partition('<h2 id="sinks">')[2].partition("</table>")[0]
    assert re.findall(r'<th scope="row">(\w+)</th>', row) == ["desk", "file"]
    assert "away</strong>: refused &lt;b&gt; (again in" in row
    assert HOOK_SECRET not in client.get("/").text


def test_overview_shows_what_running_crawls_have_counted(client: Client, redis_server: PrivateRedis) -> None:
    now = clock.now()
    stats = {"downloader/response_count": 1234, "articlebot/change/unchanged": 56, "articlebot/page/failed/http_500": 7}

    async def tell() -> None:
        async with Redis.from_url(redis_server.url) as redis:
            for worker, at in (("one", now), ("two", now), ("dead", now - 61)):
                await RedisRuns(redis).note(Run(worker, "article", now - 99, at, dict(stats)), {})

    async def forget() -> list[Run]:
        async with Redis.from_url(redis_server.url) as redis:
            for worker in ("one", "two"):
                await RedisRuns(redis).forget(worker, now)
            return await RedisRuns(redis).running(now)

    apart(tell)
    for _ in range(300):
        text = client.get("/").text.partition('<h2 id="running">')[2].partition("</section>")[0]
        if text:
            break
        time.sleep(0.1)  # the figures are read anew every four seconds
    assert "one (" in text
    assert "dead (" not in text
    assert dict(re.findall(r"<dt>(\w+)</dt><dd><strong>([\d,]+)<", text)) == {
        "Answers": "2,468", "Changed": "0", "Unchanged": "112", "Errors": "0", "Refused": "0", "Failed": "14"
    }  # fmt: skip
    assert apart(forget) == []


def test_job_shows_its_learned_hours(client: Client) -> None:
    text = client.get("/jobs/example").text
    # Seven days of 24 hours, of which two days of twelve hours are open.
    assert len(re.findall(r'class="heat-\w+ closed"', text)) == 7 * 24 - 2 * 12
    assert "Asia/Shanghai" in text
    assert "20 min (learned)" in text


def test_walls_are_shown_by_site_and_kind(client: Client) -> None:
    row = client.get("/sites?q=walled").text.partition("walled.example</a>")[2].partition("</tr>")[0]
    assert '<td class="n">3</td>' in row
    text = client.get("/sites/walled.example").text
    assert re.findall(r"<dt>(\w+)</dt><dd>(\d+)</dd>", text) == [("captcha", "2"), ("login", "1")]
    assert "2023-11-14 22:13 UTC" in text
    assert "None was seen." in client.get("/sites/example.com").text
    assert 'id="figure-walls">3<' in client.get("/").text


def test_search_marks_words_and_filters(client: Client) -> None:
    text = client.get("/articles?q=bridge").text
    assert len(re.findall(r"<li[^>]*>\n<h2>", text)) == 2
    assert "<mark>bridge</mark>" in text
    assert "北京大学招生" in client.get("/articles?q=%E6%8B%9B%E7%94%9F").text
    assert "Nothing found." in client.get("/articles?q=bridge&site=pku.example").text
    for query, titles in (("q=bridge", {"Bridge opened", "Bridge, again"}), ("language=zh", {"北京大学招生"})):
        (link,) = re.findall(r'href="(\S+)">CSV<', client.get(f"/articles?{query}").text)
        exported = client.get(link.replace("&amp;", "&"))
        assert 'filename="articles.csv"' in exported.headers["content-disposition"]
        assert {row["title"] for row in csv.DictReader(StringIO(exported.text))} == titles
    assert "cannot be made: it has no word to look for" in client.get("/articles?q=%22").text
    assert client.get("/articles?q=-bridge&page=99999999999").status == 200


def test_a_search_is_narrowed_by_what_it_found(client: Client) -> None:
    text = client.get("/articles").text
    narrowing = text.partition('class="narrowing"')[2].partition("</details>")[0]
    links = dict(re.findall(r'<a href="/articles\?([^"]+)">[^<]+</a> <small>(\d+)</small>', narrowing))
    assert {"site=example.com", "site=pku.example"} <= links.keys(), links
    for link, number in links.items():
        found = client.get(f"/articles?{link}".replace("&amp;", "&")).text
        assert len(re.findall(r"<li[^>]*>\n\s*<h2>", found)) == int(number), link
    chosen = client.get("/articles?site=example.com").text
    assert '<a href="/articles?" aria-current="true">example.com</a>' in chosen


def test_a_day_is_a_word_of_the_search() -> None:
    form = dict.fromkeys(("q", "site", "after"), "") | {"q": "bridge 2026-11-21", "site": "a.example"}
    found = {"site": [("b.example", 3)], "day": [("2026-11-21", 2), ("2026-11-20", 1)]}
    assert _narrowing(form, found) == {
        "day": [
            ("2026-11-21", 2, "q=bridge&site=a.example", True),
            ("2026-11-20", 1, "q=bridge+2026-11-21+2026-11-20&site=a.example", False),
        ]
    }


def test_a_day_without_a_time_is_shown_as_a_day() -> None:
    row = {"published_at": "2026-11-21", "published_at_epoch": 1_795_219_200.0}
    assert dated(row) == '<time datetime="2026-11-21">2026-11-21</time>'
    assert "2026-11-21 08:30 UTC" in dated({"published_at": "2026-11-21T08:30", "published_at_epoch": 1_795_249_800.0})
    assert "2026-11-21 00:00 UTC" in dated({**row, "published_at": None, "published_at_epoch": None,
                                            "first_archived_at": 1_795_219_200.0})  # fmt: skip


def test_versions_are_compared_by_words(client: Client) -> None:
    text = client.get(f"/articles/{BRIDGE}").text
    assert "<del>closed</del>" in text
    assert "<ins>opened</ins>" in text
    aside = client.get(f"/articles/{BRIDGE}?version=2&view=side").text
    before, after = re.findall(r'<td class="diff">(.*?)</td>', aside)
    assert (before, after) == (
        "The old bridge was <del>closed</del> on <del>Monday</del>.",
        "The old bridge was <ins>opened</ins> on <ins>Tuesday</ins>.",
    )
    assert 'href="?version=2&amp;view=one"' in aside
    assert "Bridge, again" in text  # the other of its cluster
    first = client.get(f"/articles/{BRIDGE}?version=1").text
    assert "<h1>Bridge closed</h1>" in first
    assert 'href="https://tv.example/bridge.m3u8"' in first
    assert "<ins>" not in first


def test_changed_fields_read_like_text(client: Client) -> None:
    text = client.get(f"/articles/{BRIDGE}").text.partition("Changed fields")[2]
    assert "<dt>keywords</dt><dd><del>bridge, &lt;b&gt;</del> <ins>–</ins></dd>" in text
    assert "<dt>title</dt><dd><del>Bridge closed</del> <ins>Bridge opened</ins></dd>" in text


def test_hostile_pages_are_shown_as_text(client: Client) -> None:
    for path in (f"/articles/{BAD}", "/articles?q=alert", "/articles", "/judge", f"/articles?q={HOSTILE[:20]}"):
        text = client.get(path).text
        assert "<script>" not in text
        assert "<img" not in text
    text = client.get(f"/articles/{BAD}").text
    assert "Safe <b>text</b>" in text
    assert "&lt;script&gt;alert(1)" in text
    assert "alert(3)" not in text
    assert "elsewhere.example" not in text
    assert 'href="https://good.example/" rel="noopener noreferrer nofollow"' in text


def test_one_url_is_explained(client: Client) -> None:
    text = client.get("/url?url=HTTPS://news.example.com:443/bridge%23top").text
    assert BRIDGE in text
    assert "followed; what it is, the page decides" in text
    assert "Bridge opened" in text
    assert "Published: version 2 is the newest (updated); it is visited no more" in text
    chinese = client.get("/url?url=news.example.com/nothing", **{"Accept-Language": "zh"}).text
    assert "从未进入队列" in chinese
    assert "an entry page" in client.get("/url?url=https://news.example.com/").text
    refused = client.get("/url?url=ftp://a/").text
    assert "This URL is refused: ftp://a/: expected an http or https address, such as https://news.example/" in refused
    chinese = client.get("/url?url=words", **{"Accept-Language": "zh"}).text
    assert "words：应为 http 或 https 网址，例如 https://news.example/（没有 https://，主机名中也没有点）" in chinese


MISSING = [
    *("/nothing", "/jobs/nothing", "/sites/nothing", "/articles/zz", "/static/../app.py", "/static/app.py"),
    *(f"/articles/{'0' * 16}", f"/articles/{BRIDGE}?version=9"),
]


def test_a_job_that_is_paused_is_not_due(client: Client, redis_server: PrivateRedis) -> None:
    form, home = {"form_token": client.form_token("/jobs")}, "https://news.example.com/"

    async def know() -> None:
        async with Redis.from_url(redis_server.url) as one:
            await RedisPageStates(one).add_seeds([Seed(page_key(home), home, "example")], 1.0)

    async def forget() -> None:
        async with Redis.from_url(redis_server.url) as one:
            await RedisPageStates(one).forget(page_key(home))

    apart(know)
    pages = ("/jobs/example", f"/url?url={home}")
    assert [_next_due(client.get(page).text) for page in pages] == ["now", "now"]
    client.post("/jobs/example", form | {"act": "pause"})
    assert [_next_due(client.get(page).text) for page in pages] == ["–", "–"]
    [row] = [one for one in client.get("/jobs").text.split("<tr>") if "/jobs/example" in one]
    assert "<td>–</td>" in row.partition("paused")[2]
    client.post("/jobs/example", form | {"act": "resume"})
    apart(forget)


def _next_due(shown: str) -> str:
    return shown.partition("Next due</dt><dd>")[2].partition("</dd>")[0]


@pytest.mark.parametrize("path", MISSING)
def test_what_is_not_there_is_said(client: Client, path: str) -> None:
    assert client.get(path).status == 404


def test_articles_of_one_story_are_compared_word_by_word(client: Client) -> None:
    copy = f"{page_key('https://news.example.com/copy'):016x}"
    assert f'href="/articles/{BRIDGE}?against={copy}"' in client.get(f"/articles/{BRIDGE}").text
    compared = client.get(f"/articles/{BRIDGE}?against={copy}").text
    assert "What is otherwise than in" in compared
    assert "<del>, we hear</del>" in compared
    # What is no article is passed over.
    assert "What changed since the version before" in client.get(f"/articles/{BRIDGE}?against={'0' * 16}").text
    assert "Word by word the same as in" in client.get(f"/articles/{BRIDGE}?against={BRIDGE}").text


def test_fetches_that_failed_within_the_hour_are_listed(client: Client, folder: Path) -> None:
    now, page = clock.now(), "https://news.example.com/{}"
    rows = [
        Download(at, at + 1, "news.example.com", 1, 0, page.format(name), status, 9, "w1", "example", "article", 1.0)
        for name, status, at in (
            ("fine", 200, now - 60), ("gone", 404, now - 50), ("silent", 0, now - 40), ("same", 304, now - 30),
            ("early", 500, now - 7200),
        )
    ]  # fmt: skip
    log = folder / "logs" / "crawl-20261124-w1-0.jsonl"
    log.parent.mkdir(exist_ok=True)
    log.write_text("".join(f"{row.to_line()}\n" for row in rows) + '{"s":1')
    listed = Outline(client.get("/failures").text).all("a")
    shown = [str(one["href"]).rpartition("/")[2] for one in listed if str(one["href"]).startswith("/url?url=")]
    assert shown == ["silent", "gone"]
    assert 'href="/failures"' in client.get("/").text
    log.unlink()
    assert "None has failed." in client.get("/failures").text
