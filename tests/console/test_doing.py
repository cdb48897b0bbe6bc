"""What a person does in the console, by its forms."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest
import redis.asyncio

from articlebot.console.who import RedisTokens
from articlebot.jobs.looks import RedisLooks
from tests.console.conftest import Client, apart
from tests.front_door.site import SmallSite, news

JOB = {"site": "https://typed.example/", "name": "typed"}


def test_a_site_is_followed_edited_paused_and_followed_no_more(client: Client, folder: Path, redis_server: Any) -> None:
    form = {"form_token": client.form_token("/jobs")}
    path = folder / "jobs" / "typed.toml"
    added = client.post("/jobs", form | JOB)
    assert (added.status, added.headers["location"]) == (303, "/jobs/typed")
    assert "typed.example" in path.read_text()
    twice = client.post("/jobs", form | JOB | {"name": "again"})
    assert (twice.status, "job typed follows https://typed.example/ already" in twice.text) == (400, True)
    for spelled in ("http://www.typed.example", "https://news.example.com/"):  # and an entry page of another job
        again = client.post("/jobs", form | {"site": spelled, "name": "again"})
        assert (again.status, "already" in again.text) == (400, True), spelled
    in_chinese = {"Accept-Language": "zh"}
    assert "任务 typed 已在跟踪 https://typed.example/" in client.post("/jobs", form | JOB, **in_chinese).text
    too_soon = client.post("/jobs/typed", form | {"act": "visit"}, **in_chinese).text
    assert "还没有抓取跟踪过任务" in too_soon
    misspelt = path.read_text() + 'intervall = "5m"\n'
    refused = client.post("/jobs/typed", form | {"act": "edit", "toml": misspelt}, **in_chinese).text
    assert "没有这个键；是否想写 interval？" in refused
    shown = client.get("/jobs/typed").text
    assert "Visit now" in shown
    assert "typed.example" in shown
    text = '[[site]]\r\nname = "typed"\r\nsite = "https://typed.example/"\r\ndelay = "4s"\r\n'
    assert client.post("/jobs/typed", form | {"act": "edit", "toml": text}).status == 303
    assert 'delay = "4s"\n' in path.read_text()
    wrong = client.post("/jobs/typed", form | {"act": "edit", "toml": text.replace("4s", "soon")})
    assert (wrong.status, "typed.toml:4" in wrong.text) == (400, True)
    # Somebody else has changed it since: what was typed is not lost.
    late = client.post("/jobs/typed", form | {"act": "edit", "toml": text, "was": "0" * 16})
    assert (late.status, "changed since" in late.text, "delay = " in late.text) == (400, True, True)
    apart(
        lambda: _fails("typed", "typed.example refuses the connection. Look whether the site is up", redis_server.url)
    )
    for page in ("/jobs?q=typed", "/jobs/typed"):
        shown = client.get(page, **{"Accept-Language": "zh"}).text
        assert "需要关注" in shown
        assert "当前没有工作进程运行" in shown  # and how to start one
        assert "crawl --jobs FOLDER" in shown
    assert client.post("/jobs/typed", form | {"act": "pause"}).status == 303
    shown = client.get("/jobs/typed").text
    assert "Somebody should look" not in shown
    assert "Visit now" not in shown
    assert "paused" in client.get("/jobs?q=typed").text
    client.post("/jobs/typed", form | {"act": "resume"})
    off = client.post("/jobs/typed", form | {"act": "edit", "toml": f"{text}enabled = false\n"})
    assert off.status == 303
    for page in ("/jobs?q=typed", "/jobs/typed"):
        assert "已在文件中暂停" in client.get(page, **in_chinese).text
    # No crawl has followed it, so that no worker could visit it.
    assert client.post("/jobs/typed", form | {"act": "visit"}).status == 400
    assert client.post("/jobs/typed", form | {"act": "dance"}).status == 400
    assert client.post("/jobs/typed", form | {"act": "remove"}).headers["location"] == "/changes"
    assert not path.exists()
    changes = client.get("/changes").text
    assert "typed" in changes
    identity = changes.partition('name="id" value="')[2].partition('"')[0]
    assert client.post("/changes", form | {"id": identity}).status == 303
    assert path.exists()
    client.post("/jobs/typed", form | {"act": "remove"})


async def _fails(job: str, said: str, url: str) -> None:
    async with redis.asyncio.from_url(url) as one:
        await RedisLooks(one).note_failure(job, said, 1e9)


def test_the_sites_of_a_feed_reader_are_followed(client: Client, folder: Path) -> None:
    form = {"form_token": client.form_token("/jobs")}
    outlines = "".join(f'<outline text="n{n}" xmlUrl="https://n{n}.example/rss"/>' for n in range(5000))
    wrong = client.post("/opml", form | {"opml": outlines})
    assert (wrong.status, "this is no OPML document" in wrong.text) == (400, True)
    outlines = f'<outline xmlUrl="https://reader.example/rss"/><outline text="Bad" xmlUrl="no address"/>{" " * 400_000}'
    told = client.post("/opml", form | {"opml": f"<opml><body>{outlines}</body></opml>"})
    assert (told.status, "1 followed" in told.text, "<strong>Bad</strong>" in told.text) == (200, True, True)
    assert "https://reader.example/rss" in (folder / "jobs" / "reader.example.toml").read_text()
    client.post("/jobs/reader.example", form | {"act": "remove"})


def test_a_search_is_saved_told_of_and_forgotten(client: Client) -> None:
    shown = client.get("/articles?q=bridge&category=society").text
    assert "Save this search" in shown
    assert "Save this search" not in client.get("/articles").text
    form = {"form_token": client.form_token("/jobs"), "name": "<b>bridges</b>".replace("/", "")}
    search = {"act": "save", "q": "bridge", "category": "society", "alert": "on"}
    assert client.post("/searches", form | search).headers["location"] == "/searches"
    shown = client.get("/searches").text
    assert "&lt;b&gt;bridges&lt;b&gt;" in shown
    assert "/articles?q=bridge&amp;category=society" in shown
    feed = shown.partition('href="/api/v1/feed.atom')[2].partition('"')[0]
    assert feed == "?search=%3Cb%3Ebridges%3Cb%3E"
    assert "ARTICLEBOT_ALERTS_COMMAND" in shown  # no channel is set
    assert client.post("/searches", form | {"act": "silence"}).status == 303
    assert "tell me: " in client.get("/searches").text
    for wrong in ({"act": "save"}, {"act": "save", "q": "-"}, {"act": "dance"}, {"act": "alert", "name": "unknown"}):
        assert client.post("/searches", form | wrong).status == 400
    assert client.post("/searches", form | {"act": "forget"}).status == 303
    assert client.post("/searches", form | {"act": "forget"}).status == 400


def test_a_site_is_looked_at_before_it_is_followed(
    client: Client, folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ARTICLEBOT_ALLOW_PRIVATE", "1")  # of the process that looks
    monkeypatch.setenv("ARTICLEBOT_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("ARTICLEBOT_DELAYS_MEAN_S", "0.03")  # three samples are wanted in the seconds there are for them
    form = {"form_token": client.form_token("/jobs")}
    with SmallSite(news(3)) as site:
        shown = client.post("/look", form | {"site": f"{site.url}/", "name": "looked"})
        for article in [path for path in site.pages if re.search(r"\d", path)]:
            del site.pages[article]
        gone = client.post("/look", form | {"site": f"{site.url}/"})
    assert (gone.status, "not read as an article" in gone.text) == (200, True), gone.text
    assert shown.status == 200, shown.text
    assert shown.text.count('<li><h3><a href="http://127.0.0.1') == 3
    assert "Report number 2 from the harbour town</a>" in shown.text
    assert re.search(
        r'<p class="meta"><time datetime="2\d{3}-[^"]+">2\d{3}-[^T]+</time>[^\n]+\n<p lang="en">\w[^<]{60}', shown.text
    )
    assert 'value="looked"' in shown.text
    assert not (folder / "jobs" / "looked.toml").exists()
    followed = client.post("/jobs", form | JOB | {"name": "looked", "backfill": "30d"})
    assert followed.status == 303, followed.text
    assert 'backfill = "30d"' in (folder / "jobs" / "looked.toml").read_text()
    client.post("/jobs/looked", form | {"act": "remove"})
    nothing = client.post("/look", form | {"site": f"{site.url}/"})  # nobody is there any more
    assert (nothing.status, "Nothing was found" in nothing.text, "<table" in nothing.text) == (200, True, False)
    assert client.post("/look", form | {"site": "ftp://a.test/"}).status == 400
    assert client.get("/look").headers["location"].startswith("/jobs")


@pytest.mark.parametrize("path", ["/jobs", "/jobs/example", "/changes", "/quarantine", "/searches", "/look"])
def test_no_form_of_another_site_is_taken(client: Client, server: Client, path: str) -> None:
    assert client.post(path, {"form_token": "0" * 64, **JOB}).status == 403
    assert server.post(path, {"form_token": client.form_token("/jobs"), **JOB}).status == 401


def test_who_may_only_read_is_shown_no_form_and_does_nothing(server: Client, client: Client, reader: Client) -> None:
    form = {"form_token": client.form_token("/jobs")}
    assert reader.post("/look", form | JOB).status == 403
    for path in ("/jobs", "/jobs/example", "/quarantine", "/changes", "/searches"):
        shown = reader.get(path)
        assert shown.status == 200
        assert 'method="post"' not in shown.text
        assert reader.post(path, form | JOB).status == 403


def test_a_cookie_ends_with_its_token(reader: Client, redis_server: Any) -> None:
    async def revoke() -> bool:
        async with redis.asyncio.from_url(redis_server.url) as one:
            return await RedisTokens(one, "{articlebot}").revoke("reader")

    assert reader.get("/jobs").status == 200
    assert apart(revoke)
    time.sleep(6)
    assert reader.get("/jobs").status == 401
