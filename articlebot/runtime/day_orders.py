"""In which order each site writes day and month as numbers, as its pages have told so far."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import TYPE_CHECKING

import redis.asyncio

from articlebot.bounded import Bounded
from articlebot.connect import RedisStore

if TYPE_CHECKING:
    from articlebot.page import Page

_MOST_SITES = 20_000
# So many days in one order outweigh one in the other, as of an event elsewhere; what is kept weighs as much.
_SURE = 4
_SEEN_CHARS = 100_000
_SLASHED = re.compile(r"\d/\d{1,2}/(?:19|20)\d\d")
# Another worker may be handed the page that tells it beside the first ones of a site: they ask so often.
_ASKED = 20
# Languages of pages of which no country tells the order.
_OPEN = ("", "en")
_SAID = {b"day first": True, b"month first": False}


class DayOrders(RedisStore):
    """A field per site in a hash, for all workers; written when what is known has changed."""

    below = "day_orders"

    def __init__(self, client: redis.asyncio.Redis, prefix: str = "{articlebot}") -> None:
        super().__init__(client, prefix)
        # By site, how many pages told that the month is first, and how many that the day is.
        self._told: OrderedDict[str, list[int]] = OrderedDict()
        self._kept: dict[str, bool | None] = {}
        self._asked: Bounded[str, int] = Bounded(_MOST_SITES)

    async def open(self, site: str, lang: str = "") -> None:
        """Has what is known of a site at hand, and keeps what was learned here.

        Args:
            lang: of a page; what is not known is asked for again where it may matter to it.

        Raises:
            redis.RedisError: Redis is away.
        """
        asked = self._asked.get(site, 0)
        is_open = asked < _ASKED and lang.lower() in _OPEN and self._kept.get(site) is None and self.of(site) is None
        if site not in self._kept or is_open:
            self._asked[site] = asked + 1
            kept = self._kept[site] = _SAID.get(await self._redis.hget(self._key, site))
            if kept is not None:
                self.note(site, kept, _SURE)
        if (order := self.of(site)) is not None and order != self._kept[site]:
            await self._redis.hset(self._key, site, next(said for said, one in _SAID.items() if one is order))
            self._kept[site] = order

    def note(self, site: str, is_day_first: bool, pages: int = 1) -> None:
        """Pages of a site have told an order."""
        self._told.setdefault(site, [0, 0])[is_day_first] += pages
        self._told.move_to_end(site)
        if len(self._told) > _MOST_SITES:
            self._kept.pop(self._told.popitem(last=False)[0], None)

    def see(self, site: str, page: Page) -> None:
        """Takes the days of a list page, where its site's order is not known and no country tells it."""
        if page.lang.lower() in _OPEN and self.of(site) is None and _SLASHED.search(page.text, 0, _SEEN_CHARS):
            from articlebot.extraction.fields.reckoning import day_first_in  # noqa: PLC0415 - commands see no page

            order = day_first_in(page.text[:_SEEN_CHARS])
            if order is not None:
                self.note(site, order)

    def of(self, site: str) -> bool | None:
        """Whether the day stands before the month on a site's pages; None where that is not known."""
        month, day = self._told.get(site, (0, 0))
        return None if max(month, day) <= _SURE * min(month, day) else day > month
