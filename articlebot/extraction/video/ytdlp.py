"""yt-dlp's extractors for the sites they know, as an optional extra (``pip install articlebot[video]``).

Only its extractors are used, never its downloads. What they ask for is fetched by whoever calls them, so that
robots.txt, delays and private addresses are minded as for any page. They block: call them in a thread.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from articlebot.extraction.video.generic import format_of
from articlebot.extraction.video.model import Media, VideoFound

# The crawl says itself who it is; the others belong to its downloads.
_OWN_HEADERS = frozenset({"user-agent", "cookie", "host", "accept-encoding", "content-length"})
_OPTIONS: dict[str, Any] = {
    "quiet": True, "no_warnings": True, "skip_download": True, "noplaylist": True, "cachedir": False,
    "extract_flat": False, "ignoreerrors": False, "noprogress": True,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """What an extractor asks for."""

    url: str
    method: str
    headers: Mapping[str, str]
    body: bytes | None


@dataclass(frozen=True, slots=True)
class Got:
    """What came back."""

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes


@cache
def is_available() -> bool:
    """Whether yt-dlp is installed."""
    try:
        import yt_dlp  # noqa: F401, PLC0415 - optional
    except ImportError:
        return False
    return True


def find(url: str, fetch: Callable[[Asked], Got]) -> VideoFound:
    """What the extractor of a page's address says of it.

    Args:
        fetch: fetches for it; what it raises ends the extractor.

    Raises:
        Exception: whatever the extractor failed with.
    """
    from yt_dlp import YoutubeDL  # noqa: PLC0415 - optional
    from yt_dlp.networking import Request, Response  # noqa: PLC0415
    from yt_dlp.networking.exceptions import HTTPError  # noqa: PLC0415

    class Politely(YoutubeDL):  # type: ignore[misc]
        def urlopen(self, asked: Any) -> Any:
            request = asked if isinstance(asked, Request) else Request(getattr(asked, "full_url", asked))
            headers = {name: str(value) for name, value in request.headers.items() if name.lower() not in _OWN_HEADERS}
            data = request.data
            got = fetch(Asked(request.url, request.method, headers, data if isinstance(data, bytes) else None))
            answer = Response(io.BytesIO(got.body), got.url, dict(got.headers), status=got.status)
            if got.status >= 400:
                raise HTTPError(answer)
            return answer

    with Politely(dict(_OPTIONS)) as ydl:
        return found_of(ydl.extract_info(url, download=False, process=False) or {})


@lru_cache(maxsize=4096)
def claims(url: str) -> bool:
    """Whether an extractor made for a site, not the generic one, claims an address; the first call takes a second."""
    from yt_dlp import YoutubeDL  # noqa: PLC0415 - optional

    return any(e.suitable(url) for e in _extractors(YoutubeDL) if e.IE_NAME != "generic" and e.working())


@cache
def _extractors(downloader: Any) -> tuple[Any, ...]:
    """Those of yt-dlp and of its plugins."""
    from yt_dlp.extractor import gen_extractor_classes  # noqa: PLC0415 - optional

    with downloader(dict(_OPTIONS)):  # which loads the plugins
        return tuple(gen_extractor_classes())


def found_of(info: Mapping[str, Any]) -> VideoFound:
    """What yt-dlp's info says, best rendition first."""
    formats = [f for f in info.get("formats") or [info] if isinstance(f, dict) and f.get("url")]
    media = [
        Media(
            url=str(f["url"]),
            format=format_of(str(f.get("manifest_url") or f["url"])) or "file",
            mime=f"video/{f['ext']}" if f.get("ext") else "",
            height=f.get("height") if isinstance(f.get("height"), int) else None,
            bitrate=int(f["tbr"] * 1000) if isinstance(f.get("tbr"), int | float) else None,
        )
        for f in formats
        if f.get("vcodec") != "none"
    ]
    media.sort(key=lambda m: (-(m.height or 0), -(m.bitrate or 0)))
    return VideoFound(
        title=str(info.get("title") or ""), description=str(info.get("description") or "")[:5000],
        media=tuple(media[:50]), parser="yt-dlp",
    )  # fmt: skip
