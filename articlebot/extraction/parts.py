"""The pages of an article of several pages, kept in Redis until the last one is there."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from lxml import html as lxml_html

from articlebot.connect import RedisStore
from articlebot.extraction.paging import MAX_PAGES
from articlebot.page.text import fold, units
from articlebot.urls import canonical_or_none, canonical_url, page_key

VERSION = 3
_KEPT_SECONDS = 86400
# One article may have a view of its own; what is longer names the article once more.
_LEAST_VIEWS, _LONGEST_VIEW = 2, 24


@dataclass(frozen=True, slots=True)
class Part:
    """One page of an article: its text, clean HTML and images."""

    body: str
    html: str
    images: tuple[dict[str, str | int | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Gathered:
    """What is known of an article so far.

    Attributes:
        first: the first page's fields.
        parts: its pages in order.
        ahead: address and number of the next page to fetch; None where all were asked for.
    """

    first: dict[str, Any]
    parts: tuple[Part, ...]
    ahead: tuple[str, int] | None

    @property
    def whole(self) -> Part:
        """All pages as one; what repeats on each of them stands once."""
        images = {image["url"]: image for part in self.parts for image in part.images}
        return Part(
            join([part.body for part in self.parts]),
            join_html([part.html for part in self.parts]),
            tuple(images.values()),
        )


class WholeViews:
    """What sites put behind an article's address to show all of its pages together: ``?view=all``, ``/full``.

    Learned anew by each process: it costs one request for each of two articles.
    """

    def __init__(self) -> None:
        self._seen: Counter[tuple[str, str]] = Counter()
        self._of: dict[str, str] = {}

    def learn(self, url: str, whole: str) -> None:
        """An article was whole at one address, and continued at its own."""
        behind = whole.removeprefix(url)
        host = urlsplit(url).netloc
        if behind in ("", whole) or len(behind) > _LONGEST_VIEW or self._seen[host, "missed"] >= _LEAST_VIEWS:
            return
        self._seen[host, behind] += 1
        if self._seen[host, behind] >= _LEAST_VIEWS:
            self._of[host] = behind

    def of(self, url: str) -> str | None:
        """The address of an article's view of all pages; None where its site has none that is known."""
        behind = self._of.get(urlsplit(url).netloc)
        if behind is None or ("?" in url) != (behind[0] == "&") or (behind[0].isalnum() and url[-1] != "/"):
            return None
        return url + behind

    def missed(self, url: str) -> None:
        """An article had no such view; after some its site's are asked for as they are."""
        host = urlsplit(url).netloc
        self._seen[host, "missed"] += 1
        if self._seen[host, "missed"] >= _LEAST_VIEWS:
            self._of.pop(host, None)


class RedisParts(RedisStore):
    """A hash per unfinished article, dropped after a day."""

    below = "parts"

    @cached_property
    def views(self) -> WholeViews:
        """Where sites show articles whole."""
        return WholeViews()

    async def begin(self, key: int, first: dict[str, Any], part: Part, further: Sequence[str]) -> Gathered:
        """Keeps the first page, of this page key; what an earlier, unfinished visit left is dropped."""
        name = self._name(key)
        head = {"v": VERSION, "first": first, "further": _new(further, [key]), "done": [key]}
        async with self._redis.pipeline(transaction=True) as pipe:
            pipe.delete(name)
            pipe.hset(name, mapping={"head": json.dumps(head, ensure_ascii=False), "1": _dump(part)})
            pipe.expire(name, _KEPT_SECONDS)
            await pipe.execute()
        return Gathered(first, (part,), _ahead(head))

    async def first(self, key: int) -> dict[str, Any] | None:
        """The first page's fields; None where the article has lapsed."""
        head = await self._head(key)
        return None if head is None else head["first"]

    async def add(self, key: int, page: int, part: Part | None, found: Sequence[str] = ()) -> Gathered | None:
        """Keeps a further page (None: it could not be had) and returns all that is there; None where it has lapsed.

        Args:
            key: the first page's page key.
            page: this one's. A page that comes again takes the place that it had.
            part: what it holds.
            found: addresses of further pages that it names; those not known yet come after the others.
        """
        head = await self._head(key)
        if head is None:
            return None
        keys = [key, *map(_page, head["further"])]
        head["further"] += _new(found, keys)
        head["done"] = sorted({*head["done"], page})
        mapping: dict[Any, Any] = {"head": json.dumps(head, ensure_ascii=False)}
        if part is not None and page in keys:
            mapping[str(keys.index(page) + 1)] = _dump(part)
        await self._redis.hset(self._name(key), mapping=mapping)
        stored: dict[Any, Any] = await self._redis.hgetall(self._name(key))
        numbers = sorted(int(field) for field in stored if field != b"head")
        return Gathered(head["first"], tuple(_load(stored[str(n).encode()]) for n in numbers), _ahead(head))

    async def drop(self, key: int) -> None:
        """Forgets an article that is complete."""
        await self._redis.delete(self._name(key))

    async def _head(self, key: int) -> dict[str, Any] | None:
        raw = await self._redis.hget(self._name(key), "head")
        head: dict[str, Any] | None = None if raw is None else json.loads(raw)
        # What an earlier version left is gathered anew.
        return head if head is not None and head["v"] == VERSION else None

    def _name(self, key: int) -> str:
        return f"{self._key}:{key:016x}"


def _ahead(head: dict[str, Any]) -> tuple[str, int] | None:
    done = set(head["done"])
    return next(((url, number) for number, url in enumerate(head["further"], 2) if _page(url) not in done), None)


def _new(urls: Sequence[str], known: Sequence[int]) -> list[str]:
    """Those of the addresses that are none of the known pages, each once."""
    pages: dict[int, str] = {}
    for url in filter(canonical_or_none, urls):
        pages.setdefault(_page(url), url)
    return [url for page, url in pages.items() if page not in known]


def _page(url: str) -> int:
    return page_key(canonical_url(url))


def _dump(part: Part) -> str:
    return json.dumps(asdict(part), ensure_ascii=False)


def _load(raw: bytes) -> Part:
    kept = json.loads(raw)
    return Part(kept["body"], kept["html"], tuple(kept["images"]))


def join(parts: Sequence[str]) -> str:
    """The texts of an article's pages as one: what repeats from page to page (heads, notes, pagers) is kept once.

    A part that is the same as an earlier one (a site that ignores the page number) adds nothing.
    """
    seen: set[str] = set()
    joined: list[str] = []
    for index, part in enumerate(parts[:MAX_PAGES]):
        lines = [line for line in part.split("\n") if line.strip()]
        keys = [fold(line) for line in lines]
        fresh = [key not in seen for key in keys]
        if index and not any(fresh):
            continue
        first = fresh.index(True) if True in fresh else len(fresh)
        last = len(fresh) - 1 - fresh[::-1].index(True) if True in fresh else -1
        for i, line in enumerate(lines):
            if index and not fresh[i] and (i < first or i > last or units(keys[i]) >= 20):
                continue
            joined.append(line)
        seen.update(keys)
    return "\n".join(joined)


def join_html(parts: Sequence[str]) -> str:
    """Clean HTML fragments of an article's pages as one; a top-level element that repeats is kept once."""
    seen: set[str] = set()
    kept: list[str] = []
    for index, part in enumerate(parts[:MAX_PAGES]):
        if not part.strip():
            continue
        for element in _fragments(part):
            if isinstance(element, str):
                markup, key = element, fold(element)
            else:
                markup = lxml_html.tostring(element, encoding="unicode", with_tail=True)
                key = fold(element.text_content()) or markup
            if index and key in seen:
                continue
            seen.add(key)
            kept.append(markup)
    return "".join(kept)


def _fragments(markup: str) -> list[Any]:
    try:
        return list(lxml_html.fragments_fromstring(markup))
    except (ValueError, lxml_html.etree.ParserError):
        return [markup]
