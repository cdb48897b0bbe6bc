"""What the sites answer to a request: page, feed, document, redirect, not modified, gone or unavailable."""

from __future__ import annotations

import gzip
import random
import re
import struct
import zlib
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from email.utils import formatdate, parsedate_to_datetime
from http import HTTPStatus
from urllib.parse import parse_qsl, urlsplit

from articlebot_lab.newsroom import documents, feeds, labels, render
from articlebot_lab.newsroom.sites import Site
from articlebot_lab.newsroom.world import Story, World

_PAGE = re.compile(r"^(?:/(?P<category>[a-z]+))?/(?:page/(?P<page>\d{1,4}))?$")
_PLAIN = re.compile(r"^/(about|contact|login|subscribe|ads/\d+|topic/\w+)$")


@dataclass(frozen=True, slots=True)
class Request:
    """A parsed request. ``target`` is path and query; header names are lower-case."""

    method: str
    host: str
    target: str
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer before it is put on the wire. ``delay`` is seconds to wait before the first byte."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    delay: float = 0.0
    chunked: bool = False


@dataclass
class Sites:
    """Answers for all sites of a world.

    Args:
        world: what there is.
        rng: for what differs at every request.
    """

    world: World
    rng: random.Random
    _changes: dict[str, list[float]] = field(default_factory=dict, init=False)

    def answer(self, request: Request, now: float) -> Answer:
        """The answer at ``now``; 502 for a host that is not in the world."""
        site = self.world.site_of(request.host)
        if site is None:
            return text_answer(502, f"{request.host} is not a host of the newsroom; see http://newsroom.test/\n")
        parts = urlsplit(request.target)
        if parts.path == "/robots.txt":
            return Answer(200, feeds.robots(site).encode(), (("Content-Type", "text/plain"),))
        if site.unavailable and self.rng.random() < site.unavailable:
            return replace(text_answer(503, "Busy, please come back.\n"), headers=(("Retry-After", "1"),))
        answer = self._content(site, request, parts.path, parts.query, now)
        if answer.status == 200 and site.gzip and "gzip" in request.headers.get("accept-encoding", ""):
            body = gzip.compress(answer.body, 1, mtime=0)
            headers = (*answer.headers, ("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding"))
            answer = replace(answer, body=body, headers=headers)
        return replace(answer, delay=site.latency, chunked=site.validators == "none" and answer.status == 200)

    def _content(self, site: Site, request: Request, path: str, query: str, now: float) -> Answer:
        key = next((f"{path}?id={value}" for name, value in parse_qsl(query) if name == "id"), path)
        found = self.world.at_address(request.host, key)
        if found is not None and found[0].visible_at <= now:
            return self._story(request, *found, now)
        listed = _PAGE.match(path)
        if listed and (listed["category"] is None or listed["category"] in site.topics):
            return self._list(site, request, listed["category"], int(listed["page"] or 1), now)
        if (feed := self._feed(site, request, path, now)) is not None:
            return feed
        return self._other(site, path)

    def _story(self, request: Request, story: Story, page: int, now: float) -> Answer:
        site = story.site
        if page < 0:
            return Answer(302, b"", (("Location", story.url),))
        if story.gone_at(now):
            return self._html(site, render.plain_page(site, labels.WORDS[site.language]["gone"], ""), site.gone_status)
        index = story.versions.index(story.version_at(now))
        tag = f"{story.number:x}-{0 if site.validators == 'lying' else index}"
        checks = _validators(site, tag, story.versions[index].at, now)
        if _not_modified(request, checks):
            return Answer(304, b"", tuple(checks.items()))
        version = story.versions[index]
        if story.kind == "document":
            if story.path.endswith(".pdf"):
                body, kind = documents.pdf(version.title, version.paragraphs), "application/pdf"
            else:
                body, kind = documents.plain_text(version.title, version.paragraphs), "text/plain; charset=utf-8"
            return Answer(200, body, (("Content-Type", kind), *checks.items()))
        html = render.article_page(render.View(self.world, now, self.rng), story, page)
        return self._html(site, html, 200, checks)

    def _list(self, site: Site, request: Request, category: str | None, page: int, now: float) -> Answer:
        checks = self._list_validators(site, request, now)
        if _not_modified(request, checks):
            return Answer(304, b"", tuple(checks.items()))
        html = render.list_page(render.View(self.world, now, self.rng), request.host, category, page)
        return self._html(site, html, 200, checks)

    def _feed(self, site: Site, request: Request, path: str, now: float) -> Answer | None:
        if path == "/rss.xml" and site.discovery == "rss":
            text, kind = feeds.rss(self.world, site, now), "application/rss+xml"
        elif path == "/atom.xml" and site.discovery == "atom":
            text, kind = feeds.atom(self.world, site, now), "application/atom+xml"
        elif path == "/sitemap.xml" and site.discovery == "sitemap":
            text, kind = feeds.sitemap_index(site), "application/xml"
        elif path == "/news-sitemap.xml" and site.discovery == "sitemap":
            text, kind = feeds.news_sitemap(self.world, site, now), "application/xml"
        else:
            return None
        checks = self._list_validators(site, request, now)
        if _not_modified(request, checks):
            return Answer(304, b"", tuple(checks.items()))
        return Answer(200, text.encode(), (("Content-Type", f"{kind}; charset=utf-8"), *checks.items()))

    def _other(self, site: Site, path: str) -> Answer:
        if path.startswith(("/images/", "/static/", "/media/")) and not path.endswith(".css"):
            return Answer(200, _PNG, (("Content-Type", "video/mp4" if path.endswith(".mp4") else "image/png"),))
        if path.endswith(".css"):
            return Answer(200, b"body{margin:0}", (("Content-Type", "text/css"),))
        if _PLAIN.match(path):
            return self._html(site, render.plain_page(site, labels.WORDS[site.language]["about"], site.name), 200)
        return self._html(site, render.plain_page(site, "404", "404 Not Found"), 404)

    def _html(self, site: Site, text: str, status: int, checks: dict[str, str] | None = None) -> Answer:
        charset = f"; charset={render.charset_label(site)}" if site.charset_in in ("header", "both") else ""
        headers = (("Content-Type", f"text/html{charset}"), *(checks or {}).items())
        return Answer(status, text.encode(site.encoding, "xmlcharrefreplace"), headers)

    def _list_validators(self, site: Site, request: Request, now: float) -> dict[str, str]:
        changes = self._changes.get(site.key)
        if changes is None:
            times = {
                at for s in self.world.stories_of(site) for at in (*(v.at for v in s.versions), s.deleted_at) if at
            }
            changes = self._changes[site.key] = sorted(times)
        count = bisect_right(changes, now)
        address = zlib.crc32(f"{request.host}{request.target}".encode())
        tag = f"{address:x}-{0 if site.validators == 'lying' else count}"
        return _validators(site, tag, changes[count - 1] if count else self.world.started_at, now)


def text_answer(status: int, text: str) -> Answer:
    """A plain-text answer of the newsroom itself."""
    return Answer(status, text.encode(), (("Content-Type", "text/plain; charset=utf-8"),))


def reason(status: int) -> str:
    """The reason phrase of a status."""
    return HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Unknown"


def _validators(site: Site, tag: str, changed_at: float, now: float) -> dict[str, str]:
    checks = {}
    if site.validators in ("both", "etag", "lying"):
        checks["ETag"] = f'"{tag}"'
    # Within the second of a change a further one could not be told by a date in whole seconds: no date then.
    if site.validators in ("both", "modified") and int(now) > int(changed_at):
        checks["Last-Modified"] = formatdate(int(changed_at), usegmt=True)
    return checks


def _not_modified(request: Request, checks: dict[str, str]) -> bool:
    wanted = request.headers.get("if-none-match")
    if wanted is not None:
        return "ETag" in checks and checks["ETag"] in [tag.strip().removeprefix("W/") for tag in wanted.split(",")]
    since = request.headers.get("if-modified-since")
    if since is None or "Last-Modified" not in checks:
        return False
    try:
        return parsedate_to_datetime(checks["Last-Modified"]) <= parsedate_to_datetime(since)
    except (TypeError, ValueError):
        return False


def _png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0\xcc")) + chunk(b"IEND", b"")
    )


_PNG = _png()
