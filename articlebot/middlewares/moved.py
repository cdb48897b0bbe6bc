"""Spares requests of redirects: where all change the address in one way, and where all lead to one wall."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urljoin, urlsplit, urlunsplit

from redis.exceptions import RedisError
from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from articlebot.errors import StoreUnavailable
from articlebot.extraction.url_words import serves
from articlebot.extraction.walls import asks_password, wall_in
from articlebot.frontier.lookup import look_up
from articlebot.jobs.visit import META_KEY
from articlebot.page import header, page_of
from articlebot.runtime.component import Component
from articlebot.urls import canonical_or_none, origin_of, page_key, same_site, subdomain
from articlebot.visiting.outcomes import is_read

_LEADING = (300, 301, 302, 303, 307, 308)
_REDIRECTS, _NOT_THERE = (301, 302, 307, 308), (404, 410)
# One article may have moved; two in a row in the same way, with none that stayed, are the server's rule.
_LEAST = 2
_MOST_HOSTS = 10_000
# In the meta of a request for an address that was spelled anew here, and of one that is to be asked for as it is.
_SPELLED, _AS_IT_IS = "articlebot_spelled", "articlebot_as_it_is"
# Pages of walls that are kept, of some 50 kB each; the oldest goes, and is asked for again.
_MOST_WALLS = 200
# Walls that stand for every reader.
_STANDING = ("login", "subscription")
_PATHS: dict[str, Callable[[str], str]] = {
    "as it is": lambda path: path,
    "with a slash": lambda path: path if path[-1:] == "/" or "." in path.rpartition("/")[2] else f"{path}/",
    "without a slash": lambda path: path.rstrip("/") or "/",
    "in small letters": str.lower,
}
# Scheme and host of where it leads, and the name of what becomes of the path.
Rule = tuple[str, str, str]


class MovedMiddleware(Component):
    """Stands before Scrapy's redirects, which go on as before: an article behind one costs two requests.

    ``http://`` instead of ``https://``, ``www.`` or none, a slash at the end or none, letters of the other case: what
    two articles' redirects have in common is done to the next one's address before it is asked for. A server that does
    not know the address so, or sends back from it, is asked for all others as they are.

    Where one address led to a page that asks its reader to log in, the next is not asked for it again: of such pages
    the query alone differs, which says what was asked for (``/login?next=/news/9``).

    Stats: ``articlebot/redirects/saved``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._rules: dict[str, Rule] = {}
        self._seen: Counter[str] = Counter()
        self._walls: dict[str, Response] = {}

    async def process_request(self, request: Request) -> Request | None:
        """The request for where the address will lead; None where that is not known."""
        if not _may_lead(request) or "redirect_urls" in request.meta or _AS_IT_IS in request.meta:
            return None
        url = self._leads(request.url)
        if url is None or self._seen[origin_of(request.url)] < _LEAST:
            return None
        self._runtime.count("redirects/saved")
        again = request.dont_filter or self._is_known_as(request.url, url) or await self._is_nobodys(url)
        meta = {**request.meta, "redirect_urls": [request.url], _SPELLED: True}
        return request.replace(url=url, meta=meta, dont_filter=again)

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        """The answer; where an address does not answer as it was spelled here, the request for it as it was."""
        if not _may_lead(request):
            return response
        if response.status in _LEADING and not response.headers.get("Location") and response.body:
            response = response.replace(status=200)  # browsers show it (Fetch, 4.4)
        if request.meta.get(_SPELLED):
            return self._checked(request, response)
        if response.status in _REDIRECTS:
            there = location_of(request, response)
            if (wall := self._walls.get(there.partition("?")[0])) is not None:
                self._runtime.count("redirects/saved")
                request.meta["redirect_urls"] = [*request.meta.get("redirect_urls", ()), request.url]
                return wall.replace(url=there)
            self._learn(request.url, there)
            if not (request.dont_filter or await self._is_read(there)) or self._is_known_as(request.url, there):
                request.dont_filter = True
        elif response.status == 200 and "redirect_urls" in request.meta and serves(urlsplit(request.url).path):
            page = page_of(response)
            if asks_password(page) or wall_in(page) in _STANDING:
                self._walls[request.url.partition("?")[0]] = response
                if len(self._walls) > _MOST_WALLS:
                    del self._walls[next(iter(self._walls))]
        elif response.status == 200 and self._leads(request.url):
            self._seen[origin_of(request.url)] = 0
        return response

    async def _is_read(self, url: str) -> bool:
        """Whether an article was read at an address: what leads there is another address of it.

        Any other page that is known, as a notice or the home page, may stand in for articles for a while.
        """
        if (known := canonical_or_none(url)) is None:
            return True
        try:
            (record,) = await self._runtime.pages.get([page_key(known)])
        except (RedisError, StoreUnavailable):
            return True
        return record is not None and is_read(record)

    async def _is_nobodys(self, url: str) -> bool:
        """Whether nobody has read an address or will ask for it; marked as seen from then on.

        It may count as seen for being linked beside the one that leads there, by another worker too.
        """
        if (known := canonical_or_none(url)) is None or await self._is_read(url):
            return False
        frontier = self._runtime.frontier
        try:
            if await frontier.of_host(subdomain(known)).seen.mark([page_key(known)]):
                return True
            return not (await look_up(frontier, known)).waiting
        except (RedisError, StoreUnavailable):
            return False

    def _is_known_as(self, url: str, there: str) -> bool:
        """Whether where an address leads counts as seen for being linked beside it alone: nobody else asks for it."""
        known, other = (canonical_or_none(one) for one in (url, there))
        return bool(known and other and self._runtime.twins.stands_for(known, other))

    def _checked(self, request: Request, response: Response) -> Request | Response:
        asked = request.meta["redirect_urls"][0]
        if response.status in _REDIRECTS and location_of(request, response) == asked:
            self._rules.pop(origin_of(asked), None)
        elif response.status in _NOT_THERE:
            self._rules.pop(origin_of(asked), None)
            meta = {name: value for name, value in request.meta.items() if name not in ("redirect_urls", _SPELLED)}
            return request.replace(url=asked, meta={**meta, _AS_IT_IS: True})
        return response

    def _learn(self, url: str, there: str) -> None:
        origin = origin_of(url)
        rule = _rule(url, there)
        if rule is None:
            return
        if len(self._rules) >= _MOST_HOSTS:
            self._rules.clear()
            self._seen.clear()
        self._seen[origin] = self._seen[origin] + 1 if self._rules.get(origin) == rule else 1
        self._rules[origin] = rule

    def _leads(self, url: str) -> str | None:
        rule = self._rules.get(origin_of(url))
        spelled = None if rule is None else _spelled(url, rule)
        return None if spelled == url else spelled


def _may_lead(request: Request) -> bool:
    return META_KEY in request.meta and request.method == "GET" and not request.meta.get("dont_redirect")


def location_of(request: Request, response: Response) -> str:
    """Where an answer leads; "" where that is no address."""
    with suppress(ValueError):
        return urljoin(request.url, header(response, "Location"))
    return ""


def _rule(url: str, there: str) -> Rule | None:
    """How an address became the other one; None where more than its spelling did."""
    parts = urlsplit(there)
    if url == there or not same_site(url, there):
        return None
    rules = ((parts.scheme, parts.netloc, name) for name in _PATHS)
    return next((rule for rule in rules if _spelled(url, rule) == there), None)


def _spelled(url: str, rule: Rule) -> str:
    parts, (scheme, netloc, name) = urlsplit(url), rule
    return urlunsplit((scheme, netloc, _PATHS[name](parts.path), parts.query, ""))
