"""The world: every article that the sites will publish, with its edits and its end, drawn before the start.

Everything is decided by the seed and the start time; serving it later only asks "what is there now?".
"""

from __future__ import annotations

import random
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from zoneinfo import ZoneInfo

from articlebot_lab.newsroom.sites import Site

Kind = Literal["article", "reprint", "quote", "report", "video", "document"]
EditKind = Literal["first", "small", "added", "rewrite", "title"]


@dataclass(frozen=True, slots=True)
class Version:
    """The text of an article from ``at`` (epoch seconds) until the next version."""

    at: float
    kind: EditKind
    title: str
    paragraphs: tuple[str, ...]

    @property
    def body(self) -> str:
        """The paragraphs, one to a line."""
        return "\n".join(self.paragraphs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One article of one site.

    ``published_at`` is the date it shows; ``visible_at`` is when the site begins to show it (the world's start for
    those published before). ``category`` is what it is about, ``section`` where its site files it. ``deleted_at`` is
    None for a story that stays. Times are epoch seconds.
    """

    id: str
    number: int
    site: Site
    host: str
    path: str
    kind: Kind
    category: str
    section: str
    author: str
    published_at: float
    visible_at: float
    versions: tuple[Version, ...]
    deleted_at: float | None = None
    pages: int = 1
    reprint_of: str | None = None
    quote_of: str | None = None
    source: str | None = None
    caption: str | None = None
    disallowed: bool = False
    noise: int = 0

    @property
    def url(self) -> str:
        """The canonical URL."""
        return f"http://{self.host}{self.path}"

    def version_at(self, now: float) -> Version:
        """The version shown at ``now``; the first one before the story is visible."""
        index = bisect_right(self.versions, now, key=lambda version: version.at)
        return self.versions[max(0, index - 1)]

    def shown_at(self, now: float) -> bool:
        """Whether the site shows the story at ``now``."""
        return self.visible_at <= now and not self.gone_at(now)

    def gone_at(self, now: float) -> bool:
        """Whether the story has been deleted by ``now``."""
        return self.deleted_at is not None and self.deleted_at <= now

    def page_paths(self) -> list[str]:
        """The paths of its pages; the first is the story's own."""
        if self.pages == 1:
            return [self.path]
        stem, dot, ending = self.path.rpartition(".")
        if not dot:
            stem, ending = self.path, ""
        return [self.path, *(f"{stem}_{page}{dot}{ending}" for page in range(2, self.pages + 1))]

    def page_slices(self, version: Version) -> list[tuple[str, ...]]:
        """The paragraphs of each page."""
        size = -(-len(version.paragraphs) // self.pages)
        return [version.paragraphs[page * size : (page + 1) * size] for page in range(self.pages)]

    def redirect_path(self) -> str | None:
        """The path that list pages link to and that redirects to the story; None where links are direct."""
        return f"/go/{self.number}" if self.site.redirects else None


@dataclass(frozen=True)
class World:
    """All stories of all sites, and the time they have."""

    sites: tuple[Site, ...]
    stories: tuple[Story, ...]
    started_at: float
    seconds: float
    seed: int
    rate: float
    _by_site: dict[str, list[Story]] = field(default_factory=dict, init=False, repr=False)
    _by_address: dict[tuple[str, str], tuple[Story, int]] = field(default_factory=dict, init=False, repr=False)
    _hosts: dict[str, Site] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for site in self.sites:
            self._by_site[site.key] = []
            self._hosts.update(dict.fromkeys(site.hosts, site))
        for story in sorted(self.stories, key=lambda story: (story.visible_at, story.published_at, story.number)):
            self._by_site[story.site.key].append(story)
            for page, path in enumerate(story.page_paths()):
                self._by_address[story.host, path] = (story, page)
            if (link := story.redirect_path()) is not None:
                self._by_address[story.host, link] = (story, -1)

    @property
    def ends_at(self) -> float:
        """When the world's time is over."""
        return self.started_at + self.seconds

    def site_of(self, host: str) -> Site | None:
        """The site that a host name belongs to."""
        return self._hosts.get(host)

    def at_address(self, host: str, path: str) -> tuple[Story, int] | None:
        """The story at an address and the index of its page there, -1 for the address that redirects to it."""
        return self._by_address.get((host, path))

    def shown(self, site: Site, now: float, host: str | None = None, section: str | None = None) -> list[Story]:
        """The stories that a site (one of its hosts, one section) shows at ``now``, newest first."""
        stories = self._by_site[site.key]
        end = bisect_right(stories, now, key=lambda story: story.visible_at)
        return [
            story
            for story in reversed(stories[:end])
            if not story.gone_at(now)
            and (host is None or story.host == host)
            and (section is None or story.section == section)
        ]

    def stories_of(self, site: Site) -> Sequence[Story]:
        """Every story of a site, also those to come, in the order of their publication."""
        return self._by_site[site.key]


def local_time(site: Site, at: float) -> datetime:
    """A time as the site's clock shows it."""
    return datetime.fromtimestamp(at, ZoneInfo(site.zone))


def address(site: Site, number: int, title: str, category: str, published_at: float) -> str:
    """The path of a story, in the form its site uses."""
    words = re.sub(r"[^a-z0-9]+", "-", title.lower().replace("’", "")).strip("-")
    slug = f"{words[:60].strip('-')}-{number % 10000}" if "{n}" not in site.path else words[:60].strip("-")
    return site.path.format(
        n=number, ymd=local_time(site, published_at).strftime("%Y%m%d"), slug=slug, category=category
    )


def rng_for(seed: int, *parts: str | int) -> random.Random:
    """An independent source of randomness for one part of the world."""
    return random.Random("/".join(map(str, (seed, *parts))))
