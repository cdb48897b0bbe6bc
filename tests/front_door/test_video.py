"""Play pages: their real addresses are archived, exported and shown."""

from __future__ import annotations

import os

from tests.front_door.door import ROOT, Door
from tests.front_door.site import Page, Reply, SmallSite, article, front

_PARSER = """
from articlebot.extraction.video import Media, VideoFound

class Clips:
    name = "clips"
    domains = ("127.0.0.1",)

    def parse(self, page):
        found = page.tree.xpath("//*[@data-clip]/@data-clip")
        return VideoFound(media=tuple(Media(url=page.resolve(one)) for one in found))
"""
_PLAYER = "<div class=player><video controls></video></div><h1>{title}</h1><p>Ten minutes from the harbour town.</p>"
_MASTER = (
    "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=640x360\nlow.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=9\n/hi.m3u8\n"
)


def _play(title: str, head: str = "", more: str = "") -> str:
    return (
        f"<!doctype html><html lang=en><head><title>{title}</title><meta property='og:type' content='video.other'>"
        f"{head}</head><body>{_PLAYER.format(title=title)}{more}</body></html>"
    )


def test_play_pages_give_their_real_addresses(door: Door) -> None:
    stated = (
        '<script type="application/ld+json">{"@type": "VideoObject", "name": "The bridge opens", '
        '"embedUrl": "https://player.example.com/1", "contentUrl": "/hls/master.m3u8"}</script>'
    )
    nested = '<script type="application/ld+json">{"@type": "NewsArticle", "video": {"@type": "VideoObject", '
    nested += '"contentUrl": "/in-article.mp4"}}</script>'
    pages: dict[str, Page] = {
        "/video/2026/bridge-opens-118.html": _play("The bridge opens today", stated),
        "/video/2026/own-player-119.html": _play("The mayor speaks at length", more="<i data-clip='/real.mp4'></i>"),
        "/video/2026/nothing-plays-120.html": _play("Nothing plays on this page"),
        "/2026/11/20/report-with-a-video.html": article("Report with a video from the town", head=nested),
        "/hls/master.m3u8": Reply(_MASTER, headers={"Content-Type": "application/vnd.apple.mpegurl"}),
    }
    titles = {path: f"{path.rpartition('/')[2]} and what it shows" for path in pages if path.endswith(".html")}
    door.file("clips.py", _PARSER)
    settings = {
        "ARTICLEBOT_VIDEO_PARSERS": "clips.Clips", "ARTICLEBOT_VIDEO_RENDITIONS": "1",
        "PYTHONPATH": f"{ROOT}{os.pathsep}{door.folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
    }  # fmt: skip
    with SmallSite({"/": front(titles), **pages}) as site:
        crawl = ["crawl", "article", "-a", f"url={site.url}/", "-a", "until=idle"]
        done = door.type(*crawl, env=settings)
        assert done.returncode == 0, done.stderr[-3000:]
        found = {row["url"].removeprefix(site.url): row for row in door.archived()}
        media = {path: [url.removeprefix(site.url) for url in row["media"]] for path, row in found.items()}
        refused = door.type(*crawl, env={**settings, "ARTICLEBOT_DATA_DIR": str(door.folder / "other"),
                                         "ARTICLEBOT_VIDEO_DOMAINS": "example.com"})  # fmt: skip
    assert media["/video/2026/bridge-opens-118.html"] == ["/hls/master.m3u8", "/hls/low.m3u8", "/hi.m3u8"]
    assert media["/video/2026/own-player-119.html"] == ["/real.mp4"]
    assert media["/2026/11/20/report-with-a-video.html"] == ["/in-article.mp4"]
    kinds = {path: row["kind"] for path, row in found.items()}
    assert kinds["/video/2026/bridge-opens-118.html"] == kinds["/video/2026/own-player-119.html"] == "video"
    assert kinds["/2026/11/20/report-with-a-video.html"] == "article"
    # What plays nothing is no play page, and has too little text for an article.
    assert kinds.get("/video/2026/nothing-plays-120.html", "article") == "article"
    assert "3 video_domain" in refused.stderr, refused.stderr[-3000:]
