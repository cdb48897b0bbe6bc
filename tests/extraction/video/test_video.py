from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articlebot.errors import ConfigError, RefusedError
from articlebot.extraction.video import Media, Registry, VideoFound, find_video, ytdlp
from articlebot.extraction.video.generic import duration, format_of
from articlebot.extraction.video.manifests import renditions
from articlebot.page.page import Page

PLAY = b"""<html><head><title>Clip | Site</title><meta property="og:type" content="video.other">
<script type="application/ld+json">{"@context": "https://schema.org", "@type": "VideoObject", "name": "A bridge opens",
"description": "Ten minutes.", "uploadDate": "2024-05-03T10:00:00Z", "duration": "PT1H2M3S", "thumbnailUrl": ["/t.jpg"],
"contentUrl": "/v/clip.mp4", "embedUrl": "https://player.example.com/1"}</script></head>
<body><video><source src="hls/master.m3u8" type="application/x-mpegURL"></video></body></html>"""
URL = "https://tv.example.com/video/123456.html"


def test_a_play_page_yields_its_real_addresses() -> None:
    found = find_video(Page.parse(PLAY, URL), Registry())
    assert found.addresses == ("https://tv.example.com/v/clip.mp4", "https://tv.example.com/video/hls/master.m3u8")
    assert [m.format for m in found.media] == ["file", "embed", "hls"]
    assert (found.title, found.duration_s, found.published_at) == ("A bridge opens", 3723.0, 1714730400.0)
    assert found.thumbnail == "https://tv.example.com/t.jpg"


def test_addresses_in_a_players_script_are_the_last_resort() -> None:
    body = b"""<html><head><meta property="og:type" content="video"></head><body>
    <video></video><script>var p = {"src": "https:\\/\\/cdn.example.com\\/x.m3u8?a=1"};</script></body></html>"""
    assert find_video(Page.parse(body, URL), Registry()).addresses == ("https://cdn.example.com/x.m3u8?a=1",)


def test_addresses_are_read_through_their_escapes() -> None:
    script = rb'<script>var p = {"src": "https:\u002F\u002Fcdn.example.com\u002Fx.m3u8?a=1"};</script>'
    page = Page.parse(b"<html><body><video></video>" + script + b"</body></html>", URL)
    assert find_video(page, Registry(), stated=True).addresses == ("https://cdn.example.com/x.m3u8?a=1",)
    stated = b'<script type="application/ld+json">{"@type":"VideoObject","contentUrl":"/x.mp4?a=1&amp;b=2"}</script>'
    page = Page.parse(b"<html><body>" + stated + b"</body></html>", URL)
    assert find_video(page, Registry(), stated=True).addresses == ("https://tv.example.com/x.mp4?a=1&b=2",)


def test_an_article_is_no_video_page() -> None:
    body = b"<html><body><article>" + b"<p>One sentence of an article about a bridge. Another one.</p>" * 30
    with pytest.raises(RefusedError, match="not_a_video_page"):
        find_video(Page.parse(body, "https://example.com/news/1234567.html"), Registry())


def test_only_allowed_domains() -> None:
    page = Page.parse(PLAY, URL)
    assert find_video(page, Registry(), allowed=("example.com",)).media
    with pytest.raises(RefusedError, match="video_domain"):
        find_video(page, Registry(), allowed=("example.org", "ample.com"))


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
    assert find_video(Page.parse(PLAY, URL), registry).parser == "own"
    assert find_video(Page.parse(PLAY, "https://other.org/video/1"), registry).parser == "generic"


@pytest.mark.parametrize("path", ["no.such.module.Class", "articlebot.extraction.video.model.Media", "x"])
def test_a_wrong_class_path_names_itself(path: str) -> None:
    with pytest.raises((ConfigError, TypeError), match=r"x|Media|no\.such"):
        Registry.load([path], with_entry_points=False)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("PT90S", 90.0),
        ("P1DT1S", 86401.0),
        ("1:02:03", 3723.0),
        ("02:03", 123.0),
        ("75", 75.0),
        ("P", None),
        ("x", None),
    ],
)
def test_durations(text: str, seconds: float | None) -> None:
    assert duration(text) == seconds


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


def test_yt_dlp_is_optional() -> None:
    if not ytdlp.is_available():
        with pytest.raises(ImportError):
            ytdlp.YtDlpParser()
        return
    assert not ytdlp.claims("https://example.com/news/1")
    info = {
        "title": "T",
        "formats": [{"url": "https://c/1.m3u8", "height": 360}, {"url": "https://c/2.mp4", "height": 720}],
    }
    assert ytdlp.found_of(info).addresses == ("https://c/2.mp4", "https://c/1.m3u8")
