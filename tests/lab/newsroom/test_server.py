"""The sites as a crawler and a browser see them, on a real port and a clock that the test moves."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from articlebot.jobs import load
from articlebot_lab.newsroom.sites import SITES, Site
from articlebot_lab.newsroom.world import Story

from .conftest import START, Room

SITE = {site.key: site for site in SITES}


def story_of(room: Room, key: str, kind: str = "article", **wanted: object) -> Story:
    """A story of a site that is shown at the start."""
    return next(
        story
        for story in room.world.stories_of(SITE[key])
        if story.kind == kind and all(getattr(story, name) == value for name, value in wanted.items())
    )


def later(room: Room) -> float:
    return room.world.ends_at + 1


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.key)
async def test_every_article_is_on_its_page_in_its_encoding(room: Room, site: Site) -> None:
    room.clock.now = later(room)
    stories = [s for s in room.world.stories_of(site) if s.kind != "document" and not s.gone_at(room.clock.now)]
    for story in stories[:: 4 if site.latency else 1]:
        slices = story.page_slices(story.version_at(room.clock.now))
        for path, paragraphs in zip(story.page_paths(), slices, strict=True):
            reply = await room.steady(f"http://{story.host}{path}")
            page = reply.text(site.encoding)
            assert reply.status == 200
            assert all(text.replace("&", "&amp;") in page for text in paragraphs)


@pytest.mark.parametrize("site", [s for s in SITES if s.discovery == "list"], ids=lambda site: site.key)
async def test_front_pages_link_what_is_shown_and_nothing_else(room: Room, site: Site) -> None:
    for at in (START, START + 30):
        room.clock.now = at
        page = (await room.steady(f"http://{site.hosts[0]}/")).text(site.encoding)
        shown = [story for story in room.world.shown(site, at) if story.kind != "document"]
        for story in shown[: site.list_size]:
            assert (story.redirect_path() or story.path).replace("&", "&amp;") in page
        hidden = [story for story in room.world.stories_of(site) if not story.shown_at(at)]
        assert not any(f'{story.redirect_path() or story.path}"' in page for story in hidden)


async def test_pagination_reaches_every_article(room: Room) -> None:
    room.clock.now = later(room)
    site = SITE["huadong"]
    pages = [(await room.get(f"http://{site.hosts[0]}/page/{page}")).text() for page in (1, 2, 3)]
    assert all(story.path in "".join(pages) for story in room.world.shown(site, room.clock.now))


async def test_what_surrounds_an_article_differs_at_every_request(room: Room) -> None:
    story = story_of(room, "nanling", pages=1)
    first, second = [(await room.get(story.url)).text("gb18030") for _ in range(2)]
    assert first != second
    assert re.findall(r"<p>　　(.*?)</p>", first) == re.findall(r"<p>　　(.*?)</p>", second)


async def test_unpublished_and_deleted_articles_are_not_served(room: Room) -> None:
    coming = next(s for s in room.world.stories if s.visible_at > START + 5 and s.site.key == "huadong")
    assert (await room.get(coming.url)).status == 404
    gone = next(s for s in room.world.stories if s.deleted_at is not None and not s.site.unavailable)
    room.clock.now = gone.deleted_at - 0.1
    assert (await room.get(gone.url)).status == 200
    room.clock.now = gone.deleted_at
    assert (await room.get(gone.url)).status == gone.site.gone_status
    assert gone.path not in (await room.get(f"http://{gone.site.hosts[0]}/")).text(gone.site.encoding)


def edited(room: Room, key: str) -> Story:
    return next(s for s in room.world.stories_of(SITE[key]) if len(s.versions) > 1 and s.deleted_at is None)


@pytest.mark.parametrize(
    ("key", "name", "asked"),
    [
        ("huadong", "etag", "If_None_Match"),
        ("huadong", "last-modified", "If_Modified_Since"),
        ("jiangbei", "last-modified", "If_Modified_Since"),
        ("juwen", "etag", "If_None_Match"),
    ],
)
async def test_validators_say_unchanged_until_the_edit(room: Room, key: str, name: str, asked: str) -> None:
    story = edited(room, key)
    room.clock.now = story.versions[1].at - 1.5
    validator = (await room.get(story.url)).headers[name]
    same = await room.get(story.url, **{asked: validator})
    assert (same.status, same.body) == (304, b"")
    room.clock.now = story.versions[1].at + 0.01
    assert (await room.get(story.url, **{asked: validator})).status == 200


async def test_list_pages_change_their_validators_with_each_article(room: Room) -> None:
    site = SITE["huadong"]
    validator = (await room.get(f"http://{site.hosts[0]}/")).headers["etag"]
    assert (await room.get(f"http://{site.hosts[0]}/", If_None_Match=f'"x", W/{validator}')).status == 304
    room.clock.now = next(s.visible_at for s in room.world.stories_of(site) if s.visible_at > START)
    assert (await room.get(f"http://{site.hosts[0]}/", If_None_Match=validator)).status == 200


async def test_no_date_is_given_within_the_second_of_a_change(room: Room) -> None:
    """A further change in that second would have the same date, so that it would never be seen."""
    story = edited(room, "jiangbei")
    room.clock.now = int(story.versions[1].at) + 0.999
    assert "last-modified" not in (await room.get(story.url)).headers
    room.clock.now += 0.01
    assert "last-modified" in (await room.get(story.url)).headers


async def test_one_site_lies(room: Room) -> None:
    story = edited(room, "beihai")
    validator = (await room.get(story.url)).headers["etag"]
    room.clock.now = story.versions[1].at + 1
    assert (await room.get(story.url, If_None_Match=validator)).status == 304
    reply = await room.get(story.url)
    assert reply.headers["etag"] == validator
    assert story.versions[1].paragraphs[0][:20] in reply.text()


async def test_some_sites_have_no_validators(room: Room) -> None:
    for key in ("wire", "kuaixun"):
        headers = (await room.get(story_of(room, key).url)).headers
        assert not {"etag", "last-modified"} & set(headers)
        assert headers["transfer-encoding"] == "chunked"


async def test_encodings_are_declared_as_old_sites_do(room: Room) -> None:
    gbk = await room.get(f"http://{SITE['jiangbei'].hosts[0]}/")
    assert gbk.headers["content-type"] == "text/html"
    assert b"charset=gb2312" in gbk.body
    assert (await room.get("http://www.nanling.test/")).headers["content-type"] == "text/html; charset=gb18030"


async def test_gzip_only_for_those_who_ask(room: Room) -> None:
    url = story_of(room, "huadong").url
    packed = await room.get(url, Accept_Encoding="gzip, deflate")
    assert packed.headers["content-encoding"] == "gzip"
    assert "华东观察报" in packed.text()
    assert "content-encoding" not in (await room.get(url)).headers


async def test_feeds_and_sitemap_name_the_newest_articles(room: Room) -> None:
    room.clock.now = START + 40
    for url, key, tag in (
        ("http://blog.tianwen.test/rss.xml", "tianwen", "item"),
        ("http://ridge.test/atom.xml", "ridge", "{http://www.w3.org/2005/Atom}entry"),
        (
            "http://www.harbour.test/news-sitemap.xml",
            "harbour",
            "{http://www.sitemaps.org/schemas/sitemap/0.9}url",
        ),
    ):
        text = (await room.get(url)).text()
        shown = room.world.shown(SITE[key], room.clock.now)
        assert len(list(ElementTree.fromstring(text).iter(tag))) == len(shown)
        assert all(story.url in text for story in shown)


async def test_sites_with_feeds_only_link_no_article_on_their_front_page(room: Room) -> None:
    for key in ("tianwen", "harbour"):
        page = (await room.get(f"http://{SITE[key].hosts[0]}/")).text()
        assert not any(story.path in page for story in room.world.stories_of(SITE[key]))


async def test_robots_are_everywhere(room: Room) -> None:
    texts = [(await room.get(f"http://{host}/robots.txt")).text() for site in SITES for host in site.hosts]
    assert all(text.startswith("User-agent: *") for text in texts)
    assert "Crawl-delay: 1\n" in (await room.get("http://ridge.test/robots.txt")).text()
    assert "Disallow: /internal/" in (await room.get("http://www.nanling.test/robots.txt")).text()


async def test_pages_of_an_article_link_each_other(room: Room) -> None:
    story = next(s for s in room.world.stories_of(SITE["nanling"]) if s.pages > 2)
    room.clock.now = later(room)
    paths = story.page_paths()
    middle = (await room.get(f"http://{story.host}{paths[1]}")).text("gb18030")
    assert f'<a href="{paths[2]}">下一页</a>' in middle
    assert f'<a href="{paths[0]}">上一页</a>' in middle
    assert "下一页" not in (await room.get(f"http://{story.host}{paths[-1]}")).text("gb18030")


async def test_links_that_redirect_and_links_that_track(room: Room) -> None:
    story = story_of(room, "meridian")
    reply = await room.get(f"http://{story.host}{story.redirect_path()}")
    assert (reply.status, reply.headers["location"]) == (302, story.url)
    story = story_of(room, "juwen")
    assert (await room.get(f"{story.url}&utm_source=home&spm=a2.1")).status == 200
    assert "utm_source=home" in (await room.get("http://news.juwen.test/")).text()


async def test_video_pages_and_documents(room: Room) -> None:
    room.clock.now = later(room)
    page = (await room.get(story_of(room, "harbour", "video").url)).text()
    assert "<video" in page
    assert '"@type": "VideoObject"' in page
    papers = [story for story in room.world.stories_of(SITE["quarry"]) if story.kind == "document"]
    assert {paper.path[-3:] for paper in papers} == {"pdf", "txt"}
    for paper in papers:
        reply = await room.steady(paper.url)
        pdf = paper.path.endswith(".pdf")
        assert reply.headers["content-type"] == ("application/pdf" if pdf else "text/plain; charset=utf-8")
        assert reply.body.startswith(b"%PDF-1.4" if pdf else paper.versions[0].title.encode())


async def test_relative_dates(room: Room) -> None:
    story = next(s for s in room.world.stories_of(SITE["kuaixun"]) if s.published_at >= START)
    room.clock.now = story.published_at + 30
    assert "刚刚" in (await room.get(story.url)).text()
    room.clock.now = story.published_at + 185
    assert "3分钟前" in (await room.get(story.url)).text()


async def test_one_site_is_unavailable_now_and_then(room: Room) -> None:
    replies = [await room.get("http://quarry.test/") for _ in range(150)]
    busy = [reply for reply in replies if reply.status == 503]
    assert 0 < len(busy) < 30
    assert all(reply.headers["retry-after"] == "1" for reply in busy)


async def test_truth_holds_the_past_and_only_on_request_the_future(room: Room) -> None:
    room.clock.now = START + 20
    truth = json.loads((await room.get("http://newsroom.test/truth.json")).body)
    assert {a["id"] for a in truth["articles"]} == {s.id for s in room.world.stories if s.visible_at <= START + 20}
    assert all(v["at"] <= START + 20 for a in truth["articles"] for v in a["versions"])
    assert all(a["deleted_at"] is None or a["deleted_at"] <= START + 20 for a in truth["articles"])
    everything = json.loads((await room.get("http://newsroom.test/truth.json?all=1")).body)
    assert len(everything["articles"]) == len(room.world.stories)


async def test_the_job_file_is_one_for_the_crawler(room: Room, tmp_path: Path) -> None:
    text = (await room.get("http://newsroom.test/jobs.toml")).text()
    (tmp_path / "jobs.toml").write_text(text, encoding="utf-8")
    assert [job.name for job in load([tmp_path / "jobs.toml"])] == [*(site.key for site in SITES), "hostile"]
    blocks = tomllib.loads(text)["site"]
    assert sum("article_pattern" in block for block in blocks) == 3


async def test_status_and_log(room: Room) -> None:
    await room.get("http://www.huadong.test/about")
    log = json.loads((await room.get("http://newsroom.test/log.json")).body)
    assert log == [{"at": START, "host": "www.huadong.test", "path": "/about", "status": 200}]
    status = json.loads((await room.get("http://newsroom.test/status.json")).body)
    assert status["requests"] == 1
    assert status["published"] + status["to_come"] == len(room.world.stories)


async def test_a_browser_asks_in_origin_form(room: Room) -> None:
    reply = await room.get("/", Host=f"www.huadong.test:{room.port}")
    assert "华东观察报" in reply.text()
    assert "newsroom" in (await room.get("/", Host=f"127.0.0.1:{room.port}")).text()


async def test_what_is_refused(room: Room) -> None:
    assert (await room.get("example.org:443", "CONNECT")).status == 501
    unknown = await room.get("http://example.org/")
    assert unknown.status == 502
    assert "not a host of the newsroom" in unknown.text()
    assert (await room.get("http://www.huadong.test/", "DELETE")).status == 405
    assert b" 400 " in await room.raw(b"hello\r\n\r\n")
    assert b" 400 " in await room.raw(b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n")
    assert await room.raw(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20000) == b""


async def test_connections_are_kept_and_head_has_no_body(room: Room) -> None:
    url = "http://www.huadong.test/about"
    both = await room.raw(f"HEAD {url} HTTP/1.1\r\n\r\nGET {url} HTTP/1.1\r\nConnection: close\r\n\r\n".encode())
    assert both.count(b"HTTP/1.1 200 OK") == 2
    assert both.count(b"<!DOCTYPE html>") == 1
