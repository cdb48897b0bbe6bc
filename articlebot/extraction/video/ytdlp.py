"""yt-dlp's extractors for the domains they know, as an optional extra (``pip install articlebot[video]``).

Only its extractors are used, never its downloads. They fetch what they need by themselves, outside of Scrapy and its
politeness, and they block: call this in a thread or process, and only for jobs that ask for it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from articlebot.extraction.video.generic import format_of
from articlebot.extraction.video.model import Media, VideoFound

if TYPE_CHECKING:
    from articlebot.page.page import Page


def is_available() -> bool:
    """Whether yt-dlp is installed."""
    try:
        import yt_dlp  # noqa: F401, PLC0415 - optional
    except ImportError:
        return False
    return True


class YtDlpParser:
    """Asks yt-dlp for the pages that one of its extractors claims.

    Args:
        timeout_s: seconds for each of its requests.

    Raises:
        ImportError: yt-dlp is not installed.
    """

    name = "yt-dlp"
    domains: tuple[str, ...] = ()

    def __init__(self, timeout_s: float = 20.0) -> None:
        import yt_dlp  # noqa: PLC0415 - optional

        self._options = {
            "quiet": True, "no_warnings": True, "skip_download": True, "noplaylist": True, "cachedir": False,
            "socket_timeout": timeout_s, "extract_flat": False, "ignoreerrors": False,
        }  # fmt: skip
        self._module = yt_dlp

    def parse(self, page: Page) -> VideoFound | None:
        """What its extractor says of the page's address; None where none claims it or it fails."""
        if not claims(page.url):
            return None
        try:
            with self._module.YoutubeDL(dict(self._options)) as ydl:
                info = ydl.extract_info(page.url, download=False)
        except Exception:
            return None
        return found_of(info) if isinstance(info, dict) else None


@lru_cache(maxsize=4096)
def claims(url: str) -> bool:
    """Whether an extractor made for a site, not the generic one, claims an address."""
    from yt_dlp.extractor import gen_extractor_classes  # noqa: PLC0415 - optional

    return any(e.suitable(url) for e in gen_extractor_classes() if e.IE_NAME != "generic" and e.working())


def found_of(info: dict[str, Any]) -> VideoFound:
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
    at, length = info.get("timestamp"), info.get("duration")
    return VideoFound(
        title=str(info.get("title") or ""),
        description=str(info.get("description") or "")[:5000],
        thumbnail=str(info["thumbnail"]) if info.get("thumbnail") else None,
        media=tuple(media[:50]),
        published_at=float(at) if isinstance(at, int | float) else None,
        duration_s=float(length) if isinstance(length, int | float) else None,
        parser="yt-dlp",
    )
