"""What the town is made of: stories with known truth, requests, replies, and the base of its sites."""

from __future__ import annotations

import datetime as dt
import functools
import gzip
import html
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import parse_qsl, unquote, urljoin, urlsplit

from articlebot_lab.town.words import Writer

Wanted = Literal["yes", "may", "no"]
CHINA = dt.timezone(dt.timedelta(hours=8))
esc = html.escape
_HREF = re.compile(r"""href=["']?([^"'\s>]+)""", re.IGNORECASE)


@dataclass(frozen=True)
class Story:
    """An article as it was written.

    Args:
        number: of the site's stories, from 0.
        title, paragraphs, author, section: as the pages have them.
        at: when it was published, to the minute, with the site's zone.
        wanted: ``yes`` must be found, ``may`` may (a video, a gallery), ``no`` must not be published.
        why: what it is where it is no plain article, such as ``login wall``.
    """

    number: int
    title: str
    paragraphs: tuple[str, ...]
    author: str
    section: str
    at: dt.datetime
    wanted: Wanted = "yes"
    why: str = ""

    @property
    def body(self) -> str:
        """The text, a paragraph a line."""
        return "\n".join(self.paragraphs)


@dataclass(frozen=True)
class Request:
    """What was asked: host without port, decoded path, the query as it came, headers with lower-case names.

    ``sent`` is the body of a POST, "" of a GET.
    """

    host: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    sent: str = ""

    @property
    def args(self) -> dict[str, str]:
        """The query's parameters; of one given twice, the last."""
        return dict(parse_qsl(self.query, keep_blank_values=True))

    @property
    def cookies(self) -> dict[str, str]:
        """The cookies that came along."""
        pairs = (part.strip().partition("=") for part in self.headers.get("cookie", "").split(";"))
        return {name: value for name, _, value in pairs if name}

    @property
    def target(self) -> str:
        """Path and query."""
        return self.path + (f"?{self.query}" if self.query else "")


@dataclass
class Reply:
    """An answer."""

    body: str | bytes = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    type: str = "text/html; charset=utf-8"


def redirect(to: str, **headers: str) -> Reply:
    """A 302."""
    return Reply("", 302, {"Location": to, **{name.replace("_", "-"): value for name, value in headers.items()}})


def zipped(text: str) -> Reply:
    """A file of gzip, as sitemaps are kept."""
    return Reply(gzip.compress(text.encode(), mtime=0), type="application/x-gzip")


Page = Callable[[Request], "Reply | str | None"]


class Site:
    """A site of the town; subclasses write its stories and its pages.

    Args:
        seed: decides every word.
        now: the town's present, a whole hour; nothing is newer.
    """

    name = "site"
    build = ""  # what it is built with, in a few words
    domain = "site.test"
    www = "www."
    language = "en"
    zone: dt.timezone = dt.UTC
    size = 60
    days = 30.0  # over which the stories are spread
    sections: Mapping[str, str] = {"news": "News"}
    disallowed: tuple[str, ...] = ()  # path prefixes that robots.txt forbids
    idle: tuple[str, ...] = ()  # parameters that change nothing

    def __init__(self, seed: int, now: dt.datetime) -> None:
        self.rng = random.Random(f"{seed} {self.name}")
        self.now = now.astimezone(self.zone)
        self.write = Writer(self.rng, self.language)
        self.staff = [self.write.name() for _ in range(6)]
        self.stories = self._stories()

    @property
    def host(self) -> str:
        """The name of the home page's host."""
        return self.www + self.domain

    @property
    def home(self) -> str:
        """The address that a user knows."""
        return f"http://{self.host}/"

    def _stories(self) -> list[Story]:
        """The stories, newest first."""
        step = dt.timedelta(days=self.days / self.size)
        keys = list(self.sections)
        made = []
        for number in range(self.size):
            back = step * (number + self.rng.uniform(0.1, 0.9))
            at = (self.now - back).replace(second=0, microsecond=0)
            section = self.rng.choice(keys)
            title, text = self.write.title(), self.write.paragraphs()
            made.append(Story(number, title, text, self.rng.choice(self.staff), section, at))
        return [self.kind(story) for story in made]

    def kind(self, story: Story) -> Story:
        """The story as this site has it; some sites make every so-manieth another kind."""
        return story

    def link(self, story: Story) -> str:
        """The path of a story's own address, or its whole address."""
        raise NotImplementedError

    def twins(self, story: Story) -> list[str]:
        """Other addresses of the same story."""
        return []

    def url(self, story: Story) -> str:
        """The whole address of a story."""
        return urljoin(self.home, self.link(story))

    def pages_of(self, story: Story) -> int:
        """How many pages a story's text is spread over."""
        return 1

    @functools.cached_property
    def _known(self) -> dict[str, Story]:
        return {self._bare(url): story for story in self.stories for url in (self.url(story), *self.twins(story))}

    def _bare(self, url: str) -> str:
        parts = urlsplit(url)
        kept = [part for part in parts.query.split("&") if part and part.partition("=")[0] not in self.idle]
        return f"{parts.hostname or ''}{unquote(parts.path)}?{unquote('&'.join(kept))}"

    def story_of(self, url: str) -> Story | None:
        """The story that an address shows."""
        return self._known.get(self._bare(url))

    def of(self, section: str) -> list[Story]:
        """The stories of a section, newest first."""
        return [story for story in self.stories if story.section == section]

    def is_mine(self, host: str) -> bool:
        """Whether a host is this site's."""
        return host == self.domain or host.endswith("." + self.domain)

    def answer(self, request: Request) -> Reply | str | None:
        """The page of a request; None is a 404."""
        raise NotImplementedError

    def robots(self) -> str:
        """robots.txt, empty where there is none."""
        lines = "".join(f"Disallow: {prefix}\n" for prefix in self.disallowed)
        return f"User-agent: *\n{lines}" if lines else ""

    def is_disallowed(self, target: str) -> bool:
        """Whether robots.txt forbids a path with its query."""
        return target.startswith(self.disallowed) if self.disallowed else False

    def reply(self, request: Request) -> Reply:
        """What the server sends."""
        if request.path == "/robots.txt" and (text := self.robots()):
            return Reply(text, type="text/plain")
        made = self.answer(request)
        if made is None:
            return Reply(self.missing(request), 404)
        return Reply(made) if isinstance(made, str) else made

    def missing(self, request: Request) -> str:
        """The page that says that there is none."""
        return "<!doctype html><title>404 Not Found</title><h1>Not Found</h1><p>The page is not here.</p>"

    def near(self, story: Story, count: int = 5) -> list[Story]:
        """Stories beside one, for "read also"."""
        start = story.number + 1
        return [self.stories[(start + step * 3) % len(self.stories)] for step in range(count)]

    def home_stories(self) -> set[int]:
        """The numbers of the stories that the home page's document links."""
        request = Request(self.host, "/", "", {"cookie": "consent=yes; seen=1; gate=1"})
        made = self.reply(request)
        text = made.body.decode("gb18030", "replace") if isinstance(made.body, bytes) else made.body
        linked = (self.story_of(urljoin(self.home, html.unescape(href))) for href in _HREF.findall(text))
        return {story.number for story in linked if story}


def pages_of(stories: list[Story], size: int) -> list[list[Story]]:
    """Stories cut into pages."""
    return [stories[at : at + size] for at in range(0, len(stories), size)] or [[]]


def number_of(text: str | None, most: int, default: int = 1) -> int:
    """A page number of 1 to ``most``, 0 where it is none."""
    if not text:
        return default
    return int(text) if text.isdigit() and 1 <= int(text) <= most else 0


def split_url(url: str, headers: Mapping[str, str], sent: str = "") -> Request:
    """The request of an address; ``sent`` is its body."""
    parts = urlsplit(url)
    return Request((parts.hostname or "").lower(), unquote(parts.path) or "/", parts.query, headers, sent)


def days_of(stories: list[Story]) -> Iterator[tuple[dt.date, list[Story]]]:
    """The stories of each day, newest day first."""
    by_day: dict[dt.date, list[Story]] = {}
    for story in stories:
        by_day.setdefault(story.at.date(), []).append(story)
    yield from by_day.items()
