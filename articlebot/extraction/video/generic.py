"""The parser for any domain: JSON-LD VideoObject, OpenGraph and Twitter cards, HTML5 video, HLS and DASH addresses."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit

from articlebot.extraction.video.model import Format, Media, VideoFound
from articlebot.page.metadata import types_of
from articlebot.page.page import Page
from articlebot.times import stated_time

MAX_MEDIA = 50
_FILE = re.compile(r"\.(?:mp4|m4v|webm|mov|flv|mkv|avi|ogv|3gp|ts)\Z", re.I)
_IN_SCRIPT = re.compile(
    r"""["'](https?://[^"'\s<>]{4,500}?\.(?:m3u8|mpd|mp4|webm|flv)(?:\?[^"'\s<>]{0,500})?)["']""", re.I
)
_ESCAPED_SLASH = re.compile(r"\\(?:/|u002f|x2f)", re.I)
_PLAYER = re.compile(
    r"//(?:www\.)?(?:youtube(?:-nocookie)?\.com/embed/|player\.vimeo\.com/video/|"
    r"(?:geo\.)?dailymotion\.com/(?:embed|player)|"
    r"player\.bilibili\.com/|v\.qq\.com/(?:txp/)?iframe/player|player\.youku\.com/embed/|open\.iqiyi\.com/)",
    re.I,
)
_MAX_SCRIPT = 500_000
# Where articles keep the videos that they show: three of 13 pages of the corpus whose video had no address did.
_HOLDERS = ("subjectOf", "associatedMedia", "sharedContent", "list", "encoding", "video")
_MOST_PROPERTIES = 100


class GenericParser:
    """Reads what pages of any domain declare."""

    name = "generic"
    domains: tuple[str, ...] = ()

    def parse(self, page: Page) -> VideoFound | None:
        """The video that the page declares; None where it declares no address of one."""
        if page.tree is None:
            return None
        node = next(_video_objects(page), {})
        media = declared(page)
        if not any(m.format != "embed" for m in media):
            media = _unique([*media, *_from_scripts(page)])
        if not media:
            return None
        return VideoFound(
            title=_text(node.get("name")) or _meta(page, "og:title", "twitter:title") or page.title,
            description=_text(node.get("description")) or _meta(page, "og:description", "description"),
            media=tuple(media[:MAX_MEDIA]),
            published_at=stated_time(_text(node.get("uploadDate")) or _meta(page, "article:published_time")),
            parser=self.name,
        )


def declared(page: Page) -> list[Media]:
    """What the page declares, each address once; its scripts are not searched."""
    nodes = [media for node in _video_objects(page) for media in _from_jsonld(node, page)]
    return _unique([*nodes, *_from_meta(page), *_from_elements(page)])[:MAX_MEDIA]


def format_of(url: str, mime: str = "") -> Format | None:
    """What an address of media is, by its type and its path; None where it does not look like media."""
    kind, path = mime.lower(), urlsplit(url).path.lower()
    if "mpegurl" in kind or path.endswith(".m3u8"):
        return "hls"
    if "dash+xml" in kind or path.endswith(".mpd"):
        return "dash"
    if kind.startswith("video/") or _FILE.search(path):
        return "file"
    return "embed" if kind.startswith("text/html") or _PLAYER.search(url) else None


def _video_objects(page: Page) -> Iterator[dict[str, Any]]:
    """The page's video objects: JSON-LD, also those that stand within another node, then microdata."""
    for node in page.jsonld:
        if "VideoObject" in types_of(node):
            yield node
        for key in _HOLDERS:
            held = node.get(key)
            for one in held if isinstance(held, list) else [held]:
                if isinstance(one, dict) and "VideoObject" in types_of(one):
                    yield one
    yield from _microdata(page)


def _microdata(page: Page) -> Iterator[dict[str, Any]]:
    if "schema.org/VideoObject" not in page.text:  # a walk over the document is .3 ms, and most have none
        return
    tree: Any = page.tree
    for element in tree.xpath("//*[@itemtype][contains(@itemtype, '/VideoObject')]")[:MAX_MEDIA]:
        node: dict[str, Any] = {}
        for inner in element.xpath(".//*[@itemprop]")[:_MOST_PROPERTIES]:
            value = next((v for name in ("content", "src", "href", "datetime") if (v := inner.get(name))), "")
            node.setdefault(inner.get("itemprop").replace("URL", "Url"), value or " ".join(inner.itertext()))
        yield node


def _from_jsonld(node: dict[str, Any], page: Page) -> Iterator[Media]:
    mime = _text(node.get("encodingFormat"))
    for key in ("contentUrl", "contentURL"):
        for value in _several(node.get(key)):
            url = page.resolve(value)
            if url and url != page.url:  # some give the article's own address
                yield Media(
                    url=url, format=format_of(url, mime) or "file", mime=mime, height=_number(node.get("height"))
                )
    for value in _several(node.get("embedUrl")):
        url = page.resolve(value)
        if url:
            yield Media(url=url, format=format_of(url) or "embed")


def _from_meta(page: Page) -> Iterator[Media]:
    mime = _meta(page, "og:video:type")
    height = _number(_meta(page, "og:video:height"))
    for key in ("og:video:secure_url", "og:video:url", "og:video", "twitter:player:stream", "twitter:player"):
        for value in page.meta.get(key, []):
            url = page.resolve(value)
            if url:
                found = format_of(url, mime if key.startswith("og:") else "")
                yield Media(url=url, format=found or "embed", mime=mime, height=height)


def _from_elements(page: Page) -> Iterator[Media]:
    present = [tag for tag in ("video", "source", "iframe", "embed") if page.by_tag[tag]]
    tree: Any = page.tree
    # one list is there already; several would have to be put in the page's order
    elements = tree.iter(*present) if len(present) > 1 else page.by_tag[present[0]] if present else ()
    for element in elements:
        player = next(element.iterancestors("video", "picture", "audio"), None) if element.tag == "source" else None
        if element.tag == "source" and (player is None or player.tag != "video"):
            continue
        value = element.get("src") or element.get("data-src") or ""
        url = page.resolve(value) if value and not value.startswith(("blob:", "data:", "about:")) else ""
        if not url:
            continue
        mime = element.get("type") or ""
        found = format_of(url, mime)
        if element.tag in ("iframe", "embed") and found != "embed":
            continue
        yield Media(url=url, format=found or "file", mime=mime, height=_number(element.get("size")))


def _from_scripts(page: Page) -> Iterator[Media]:
    """Addresses in the source of players; only where nothing was declared, because scripts name advertisements, too."""
    tree: Any = page.tree
    for script in tree.iter("script"):
        source = _ESCAPED_SLASH.sub("/", (script.text or "")[:_MAX_SCRIPT])
        for match in _IN_SCRIPT.finditer(source):
            url = match[1].replace("\\u0026", "&")
            yield Media(url=url, format=format_of(url) or "file")


def _unique(media: Iterable[Media]) -> list[Media]:
    found: dict[str, Media] = {}
    for one in media:
        if one.url.startswith(("http://", "https://")):
            found.setdefault(one.url, one)
    return list(found.values())


def _several(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [html.unescape(v) for v in values if isinstance(v, str) and v.strip()]


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _number(value: object) -> int | None:
    digits = str(value).rstrip("p")
    return int(digits) if digits.isdigit() and len(digits) < 6 else None


def _meta(page: Page, *names: str) -> str:
    return next((" ".join(v.split()) for name in names for v in page.meta.get(name, []) if v.strip()), "")
