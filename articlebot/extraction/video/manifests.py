"""The renditions that an HLS or DASH manifest names."""

from __future__ import annotations

import re
from typing import Any

from articlebot.extraction.video.model import Media
from articlebot.page.xml import name_of, parse_xml
from articlebot.urls import joined

MAX_RENDITIONS = 100
_ATTRIBUTE = re.compile(r'(?<![A-Z0-9-])([A-Z0-9-]++)=("[^"]*"|[^,]*)')


def renditions(body: bytes, url: str) -> list[Media]:
    """The renditions of a master playlist or MPD, best first; empty where the body is neither.

    A media playlist (of segments) is itself the only rendition.
    """
    head = body[:1024].lstrip(b"\xef\xbb\xbf\r\n\t ")
    if head.startswith(b"#EXTM3U"):
        return _hls(body.decode("utf-8", "replace"), url)
    return _dash(body, url) if b"<MPD" in body[:4096] else []


def _hls(text: str, url: str) -> list[Media]:
    found: list[Media] = []
    pending: dict[str, str] | None = None
    for raw in text.splitlines():
        line = raw.strip()
        if line.startswith("#EXT-X-STREAM-INF:"):
            pending = {k: v.strip('"') for k, v in _ATTRIBUTE.findall(line.partition(":")[2])}
        elif line.startswith("#EXTINF") and not found:
            return [Media(url=url, format="hls")]
        elif line and not line.startswith("#") and pending is not None:
            address = joined(url, line)
            if address:
                height = pending.get("RESOLUTION", "").partition("x")[2]
                found.append(
                    Media(url=address, format="hls", height=_int(height), bitrate=_int(pending.get("BANDWIDTH", "")))
                )
            pending = None
        if len(found) >= MAX_RENDITIONS:
            break
    return _best_first(found)


def _dash(body: bytes, url: str) -> list[Media]:
    root = parse_xml(body)
    if root is None or name_of(root) != "MPD":
        return []
    found: list[Media] = []
    for element in root.iter():
        if name_of(element) != "Representation" or not _is_video(element):
            continue
        bases = [b for b in _base_urls(element) if b]
        address = url
        for base in reversed(bases):
            address = joined(address, base) or address
        mime = element.get("mimeType") or (element.getparent().get("mimeType") or "")
        found.append(
            Media(
                url=address, format="file" if bases and "." in bases[0].rpartition("/")[2] else "dash", mime=mime,
                height=_int(element.get("height") or ""), bitrate=_int(element.get("bandwidth") or ""),
            )
        )  # fmt: skip
        if len(found) >= MAX_RENDITIONS:
            break
    return _best_first(found)


def _is_video(element: Any) -> bool:
    parent = element.getparent()
    kind = element.get("mimeType") or parent.get("mimeType") or parent.get("contentType") or "video"
    return bool(kind.startswith("video"))


def _base_urls(element: Any) -> list[str]:
    """BaseURL of the representation and of what it stands in, innermost first."""
    firsts = (next((c for c in one if name_of(c) == "BaseURL"), None) for one in (element, *element.iterancestors()))
    return [first.text.strip() for first in firsts if first is not None and first.text]


def _best_first(found: list[Media]) -> list[Media]:
    unique = {m.url + str(m.bitrate): m for m in found}
    return sorted(unique.values(), key=lambda m: (-(m.height or 0), -(m.bitrate or 0)))


def _int(text: str) -> int | None:
    return int(text) if text.isdigit() and len(text) < 12 else None
