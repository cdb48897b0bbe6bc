from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.errors import ConfigError, RefusedError
from articlebot.extraction.video import Media, Registry, VideoFound, ytdlp
from articlebot.extraction.video.generic import declared, format_of
from articlebot.extraction.video.manifests import renditions
from articlebot.page.page import Page

PLAY = b"""<html><head><title>Clip | Site</title><meta property="og:type" content="video.other">
<script type="application/ld+json">{"@context": "https://schema.org", "@type": "VideoObject", "name": "A bridge opens",
"description": "Ten minutes.", "uploadDate": "2024-05-03T10:00:00Z", "duration": "PT1H2M3S", "thumbnailUrl": ["/t.jpg"],
"contentUrl": "/v/clip.mp4", "embedUrl": "https://player.example.com/1"}</script></head>
<body><video><source src="hls/master.m3u8" type="application/x-mpegURL"></video></body></html>"""
URL = "https://tv.example.com/video/123456.html"


def find(body: bytes, url: str = URL, registry: Registry | None = None) -> VideoFound:
    return (registry or Registry()).find(Page.parse(body, url))


def test_a_play_page_yields_its_real_addresses() -> None:
    found = find(PLAY)
    assert found.addresses == ("https://tv.example.com/v/clip.mp4", "https://tv.example.com/video/hls/master.m3u8")
    assert [m.format for m in found.media] == ["file", "embed", "hls"]
    assert (found.title, found.published_at) == ("A bridge opens", 1714730400.0)


def test_addresses_in_a_players_script_are_the_last_resort() -> None:
    body = b"""<html><head><meta property="og:type" content="video"></head><body>
    <video></video><script>var p = {"src": "https:\\/\\/cdn.example.com\\/x.m3u8?a=1"};</script></body></html>"""
    assert find(body).addresses == ("https://cdn.example.com/x.m3u8?a=1",)


def test_addresses_are_read_through_their_escapes() -> None:
    script = rb'<script>var p = {"src": "https:\u002F\u002Fcdn.example.com\u002Fx.m3u8?a=1"};</script>'
    body = b"<html><body><video></video>" + script + b"</body></html>"
    assert find(body).addresses == ("https://cdn.example.com/x.m3u8?a=1",)
    stated = b'<script type="application/ld+json">{"@type":"VideoObject","contentUrl":"/x.mp4?a=1&amp;b=2"}</script>'
    assert find(b"<html><body>" + stated + b"</body></html>").addresses == ("https://tv.example.com/x.mp4?a=1&b=2",)


def test_videos_that_stand_within_an_article_and_in_microdata() -> None:
    body = b"""<html><body><script type="application/ld+json">{"@type": "NewsArticle", "headline": "x",
    "subjectOf": [{"@type": "VideoObject", "embedUrl": "https://player.example.com/7"}],
    "associatedMedia": {"@type": "VideoObject", "contentUrl": "/a.mp4"}}</script>
    <div itemscope itemtype="http://schema.org/VideoObject"><meta itemprop="contentURL" content="/b.mp4"></div>
    <script type="application/ld+json">{"@type": "VideoObject", "contentUrl": "%s"}</script></body></html>"""
    page = Page.parse(body.replace(b"%s", URL.encode()), URL)
    assert [(m.format, m.url) for m in declared(page)] == [
        ("embed", "https://player.example.com/7"), ("file", "https://tv.example.com/a.mp4"),
        ("file", "https://tv.example.com/b.mp4"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "registry", "reason"),
    [
        (b"<html><body><p>One sentence of an article about a bridge.</p></body></html>", Registry(), "no_media"),
        (PLAY, Registry(allowed=("example.org", "ample.com")), "video_domain"),
        (PLAY, Registry(generic=False), "no_video_parser"),
    ],
)
def test_the_steps_at_which_a_page_is_refused(body: bytes, registry: Registry, reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        find(body, registry=registry)
    assert find(PLAY, registry=Registry(allowed=("example.com",))).media


class OwnParser:
    """A parser as a user writes it."""

    name = "own"
    domains = ("example.com",)

    def parse(self, page: Page) -> VideoFound | None:
        if page.tree is None or "clip" not in page.text.lower():
            return None
        return VideoFound(title="own", media=(Media(url="https://cdn.example.com/own.mp4"),))


def test_a_parser_of_ones_own_comes_first_on_its_domain_only() -> None:
    registry = Registry.load([f"{__name__}.OwnParser"])
    assert find(PLAY, registry=registry).parser == "own"
    assert find(PLAY, "https://other.org/video/1", registry).parser == "generic"
    assert registry.claims(URL)
    assert not registry.claims("https://other.org/video/1")


@pytest.mark.parametrize("path", ["no.such.module.Class", "articlebot.extraction.video.model.Media", "x"])
def test_a_wrong_class_path_names_itself(path: str) -> None:
    with pytest.raises(ConfigError, match=f"ARTICLEBOT_VIDEO_PARSERS: {path}"):
        Registry.load([path])


@pytest.mark.parametrize(
    ("url", "mime", "expected"),
    [
        ("https://a/b.mp4?x=1", "", "file"),
        ("https://a/b", "video/mp4", "file"),
        ("https://a/b.m3u8", "", "hls"),
        ("https://a/b.mpd", "", "dash"),
        ("https://www.youtube.com/embed/abc", "", "embed"),
        ("https://a/b.html", "", None),
    ],
)
def test_formats(url: str, mime: str, expected: str | None) -> None:
    assert format_of(url, mime) == expected


def test_hls_and_dash_renditions_best_first() -> None:
    hls = (
        b"#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=100,RESOLUTION=640x360\nlow.m3u8\n"
        b'#EXT-X-STREAM-INF:BANDWIDTH=900,RESOLUTION=1280x720,CODECS="a,b"\n/hi.m3u8\n'
    )
    assert [(m.url, m.height, m.bitrate) for m in renditions(hls, "https://c.test/v/m.m3u8")] == [
        ("https://c.test/hi.m3u8", 720, 900),
        ("https://c.test/v/low.m3u8", 360, 100),
    ]
    assert len(renditions(b"#EXTM3U\n#EXTINF:4,\nseg1.ts\n", "https://c.test/v/m.m3u8")) == 1
    mpd = b"""<MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>https://cdn.test/</BaseURL><Period>
    <AdaptationSet mimeType="audio/mp4"><Representation bandwidth="9"/></AdaptationSet>
    <AdaptationSet mimeType="video/mp4">
    <Representation height="360" bandwidth="5"><BaseURL>l.mp4</BaseURL></Representation>
    <Representation height="720" bandwidth="7"><BaseURL>h.mp4</BaseURL></Representation>
    </AdaptationSet></Period></MPD>"""
    assert [m.url for m in renditions(mpd, "https://c.test/m.mpd")] == [
        "https://cdn.test/h.mp4",
        "https://cdn.test/l.mp4",
    ]


@given(st.binary(max_size=200))
def test_any_bytes_are_data(body: bytes) -> None:
    renditions(b"#EXTM3U\n#EXT-X-STREAM-INF:" + body, "https://c.test/m")
    renditions(b"<MPD>" + body, "https://c.test/m")


def test_yt_dlp_is_asked_through_the_crawls_own_fetches() -> None:
    pytest.importorskip("yt_dlp")
    assert not ytdlp.claims("https://example.com/news/1")
    url = "https://archive.org/details/clip"
    assert ytdlp.claims(url)
    asked: list[ytdlp.Asked] = []

    def fetch(one: ytdlp.Asked) -> ytdlp.Got:
        asked.append(one)
        return ytdlp.Got(one.url, 404, {}, b"")

    with pytest.raises(Exception, match="404"):
        ytdlp.find(url, fetch)
    assert asked[0].url.startswith("https://archive.org/")
    assert "User-Agent" not in asked[0].headers
    info = {
        "title": "T",
        "formats": [{"url": "https://c/1.m3u8", "height": 360}, {"url": "https://c/2.mp4", "height": 720}],
    }
    assert ytdlp.found_of(info).addresses == ("https://c/2.mp4", "https://c/1.m3u8")
