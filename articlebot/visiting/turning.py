"""Lists that go on: their next pages, what their scripts fetch, and the date archives that they lead to."""

from __future__ import annotations

from dataclasses import replace

from articlebot.extraction.url_words import is_offer
from articlebot.extraction.urlshape import shape
from articlebot.jobs.backfill import is_older
from articlebot.jobs.follow import MOST_LIST_PAGES, has_overflowed, list_hash
from articlebot.jobs.visit import Visit
from articlebot.looks.seen import LEAST_EACH
from articlebot.sources import Listing
from articlebot.sources.dated import Dated, dated, is_like, time_in, told_before
from articlebot.sources.fetches import tries
from articlebot.sources.posts import posts
from articlebot.urls import canonical_or_none, page_key
from articlebot.visiting.answer import Answer
from articlebot.visiting.desk import Desk
from articlebot.visiting.links import Admitted
from articlebot.visiting.sheets import Sheets

# A list that is new is gone through so far, unless its job has a backfill: 30 pages of 20 are 600 articles.
# Of days it takes more: three months, of an e-paper's with several pages each.
FIRST_PAGES, FIRST_DAYS, FIRST_SECTIONS = 30, 100, 300
# Pages in a row without anything new that end it. Sections repeat what the home page shows first, and many days are
# empty (weekends with a holiday: four).
PATIENCE, DAYS_PATIENCE = 2, 4
# Calendars in a row of which no day that was visited lists anything: a quarter. One of events never ends.
_MOST_EMPTY = 3
# Of a section where the home page goes on by itself: what its second page shows is known, or all of it is new.
LITTLE_PATIENCE = 1
_MOST_AHEAD = 400
_SECOND = 2
# Times that a further page which failed is asked for again: at once, then after so many seconds, and five times as
# many after each: 5 hours in all.
_MOST_AGAIN, _AGAIN_S, _SLOWER = 5, 120.0, 5
# Of one that is not there, empty or another than it was, the last two of these: so lists end, too.
_ONCE_MORE = 3
# From the priority of a list to that of an article that was never read (``jobs.follow.PRIORITY``), and below it.
_BESIDE_ARTICLES, _BEHIND_ARTICLES = 20, 21
# Of a page that leads to days and shows next to nothing itself, so many of the newest are visited each time.
_NEWEST_DAYS, _FEW_LINKS = 3, 4


class Turning:
    """Queues the page that comes after a list page; ``desk`` is what it works with."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._sheets = Sheets()

    async def after(self, page: Answer, listing: Listing, admitted: Admitted) -> None:
        """A list page was read, and its links were admitted."""
        visit, new = page.visit, admitted.new
        if visit.kind != "list" or new is None:
            return
        if visit.further:
            await self._go_through(page, listing, admitted)
        elif visit.part == 1 and not page.record.state.content_hash:
            # The first visit: everything is new, and older pages are too.
            first = replace(visit, further=PATIENCE, backfill=page.job.backfill is not None)
            await self._go_through(replace(page, visit=first), listing, admitted)
        elif visit.part == 1 and new and (own := dated(page.fetched.url)) is not None:
            # The address leads to the newest day of an e-paper: its other sections, and days that were missed.
            onward = replace(visit, further=DAYS_PATIENCE, backfill=False)
            await self._step(page, onward, None, self._ahead(page, listing, own))
        elif visit.part < MOST_LIST_PAGES and has_overflowed(len(admitted.found), new):
            url = self._next(page, listing)
            if url is not None:
                await self._queue(page, url, Visit(job=visit.job, kind="list", key=page_key(url), part=visit.part + 1))
        elif visit.part > 1 and not admitted.found:
            await self.ended(page)
        elif visit.part == 1 and listing.archives and len(listing.links) < _FEW_LINKS:
            days = [one.url for one in listing.archives[:_NEWEST_DAYS]]
            await self._step(page, replace(visit, further=1, backfill=False), None, days, again=True)

    async def again(self, page: Answer) -> None:
        """A further page, which has no visits of its own, failed: it is asked for again at once, then later and later.

        The date archives that come after it do not wait for it.
        """
        if (number := await self._untried(page, 0)) is None:
            self._desk.outcomes.count("lists/given_up", page.record.url)
        else:
            await self._ask_again(page, number)

    async def ended(self, page: Answer) -> None:
        """A list seems to end with what can be a bad moment of its site: the page is asked for again, hours later."""
        # A candidate is no part of a list, and is tried again by itself.
        is_part = page.visit.kind == "list" and not page.visit.candidate
        if is_part and (number := await self._untried(page, _ONCE_MORE)) is not None:
            await self._ask_again(page, number)

    async def missing(self, page: Answer) -> None:
        """A further page is not there; date archives that come after it are."""
        visit = page.visit
        if visit.ahead and visit.further > 1:
            await self._step(page, replace(visit, further=visit.further - 1), None, list(visit.ahead))
        else:
            await self.ended(page)

    async def _untried(self, page: Answer, first: int) -> int | None:
        job, url = page.job, page.record.url
        # What follows a list that has overflowed is another page each time.
        time = "" if page.visit.further else f"@{self._desk.now() // 86_400:.0f}"
        for number in range(first, _MOST_AGAIN):
            if await self._desk.runtime.backfills.is_new(job.name, job.backfill, page_key(f"{url}#{number}{time}")):
                return number
        return None

    async def _ask_again(self, page: Answer, number: int) -> None:
        visit, url = page.visit, page.record.url
        if not number:
            await self._queue(page, url, visit)
            return
        at = self._desk.now() + _AGAIN_S * _SLOWER ** (number - 1)
        await self._desk.runtime.backfills.put_off(url, visit.meta(), at)
        self._desk.outcomes.count("lists/put_off", url)
        if number == 1 and visit.ahead and visit.further > 1:
            await self._step(page, replace(visit, further=visit.further - 1), None, list(visit.ahead))

    async def feed(self, page: Answer, url: str | None) -> None:
        """A feed was read; its next part is queued, where it has one on the job's site."""
        url = canonical_or_none(url)
        if url is None or not page.job.owns(url) or not self._desk.runtime.usage.allows(url):
            return
        if await self._desk.runtime.backfills.is_new(page.job.name, page.job.backfill, page_key(url)):
            visit = Visit(job=page.job.name, kind="feed", key=page_key(url), part=page.visit.part + 1)
            await self._queue(page, url, visit)

    async def _go_through(self, page: Answer, listing: Listing, admitted: Admitted) -> None:
        """The next page of a list that is gone through: its own, else the next date archive."""
        visit, own = page.visit, dated(page.fetched.url)
        days = own is not None or bool(visit.ahead)
        if own is not None and own.rank < 0:
            self._sheets.note(
                page.job.name, own, frozenset(link.key for link in admitted.found if link.key is not None)
            )
        fruitful = admitted.new or await self._is_further_back(page, admitted)
        if fruitful:
            left, empty = DAYS_PATIENCE if days else visit.patience or PATIENCE, 0
        else:
            # The archive of a day repeats sections, too.
            repeats = await self._repeats(page, admitted, "shown") or (
                days and await self._repeats(page, admitted, "listed")
            )
            left, empty = visit.further - (not repeats), visit.empty
        ahead = self._ahead(page, listing, own)
        if own is not None:
            left, ahead, empty = _behind_archive(own, visit, listing, ahead, (left, empty), found=bool(admitted.found))
        url = None
        if left > 0 and not await self._is_last_again(page, admitted) and await self._may_go_on(page, listing):
            url = self._next(page, listing) if fruitful or not days else None
            if visit.part == 1 and ahead and not days:
                left = DAYS_PATIENCE
            onward = replace(visit, further=left, empty=empty, backfill=page.job.backfill is not None)
            if await self._step(page, onward, url, ahead):
                return
        if visit.part > 1 and not (admitted.new or days) and (url is not None or not admitted.found):
            await self.ended(page)  # it is empty, or shows what came before it and leads back

    async def _is_further_back(self, page: Answer, admitted: Admitted) -> bool:
        """Whether a page of a backfill leads on although all it lists is known, as the first visit's pages are."""
        if page.job.backfill is None or not admitted.found:
            return False
        # A site that shows its last page for ever is seen through.
        seen = list_hash(admitted.found)
        return await self._desk.runtime.backfills.is_new(page.job.name, page.job.backfill, seen)

    async def _repeats(self, page: Answer, admitted: Admitted, known: str) -> bool:
        """Whether a page without anything new shows what the look has read, so that older articles may follow it.

        What is shown again and again counts once: a site may answer any page's number with its first page.
        """
        keys = [link.key for link in admitted.found if link.key is not None]
        if not keys or not await self._desk.runtime.looks.was_read(page.job.name, known, keys):
            return False
        turned = self._desk.runtime.backfills
        return await turned.is_new(page.job.name, page.job.backfill, list_hash(admitted.found))

    async def _is_last_again(self, page: Answer, admitted: Admitted) -> bool:
        """Whether a list shows what an earlier page of it showed, as sites do behind their last page.

        The second page may be the first: what counts pages from 0 or from 1 is tried.
        """
        job, url = page.job, page.fetched.url
        if job.backfill is not None or not admitted.found or dated(url) is not None:
            return False
        shown, turned = list_hash(admitted.found), self._desk.runtime.backfills
        # A page that is read once more, after a crash, says nothing of the others.
        is_first = await turned.is_new(job.name, None, page_key(f"{url}#{shown}"))
        is_new = await turned.is_new(job.name, None, page_key(f"list://{shape(url)}#{shown}"))
        return is_first and not is_new and not admitted.new and page.visit.part > _SECOND

    async def _may_go_on(self, page: Answer, listing: Listing) -> bool:
        """Whether the bounds of the job's backfill, or of a first visit, leave room."""
        if page.job.backfill is None:
            own = dated(page.fetched.url)
            return page.visit.part < (FIRST_PAGES if own is None else FIRST_SECTIONS if own.rank < 0 else FIRST_DAYS)
        if is_older(page.job.backfill, _times(listing), self._desk.now()):
            return False
        return await self._desk.runtime.backfills.has_room(page.job.name, page.job.backfill)

    def _next(self, page: Answer, listing: Listing) -> str | None:
        """Where a list goes on: by its own word, else where its scripts fetch what follows; robots.txt lets it be."""
        urls = [listing.next_url] if listing.next_url is not None else []
        is_first = page.visit.part == 1 or page.record.url in page.job.archives
        if not urls and listing.page is not None and listing.links and is_first:
            urls = list(tries(listing.page, len(listing.links)))
            if not urls and (page.job.forms or page.job.json_forms):
                urls = [one.url for one in posts(listing.page, len(listing.links)) if page.job.sent_as(one.url)]
        return urls[0] if urls and self._desk.runtime.usage.allows(urls[0]) else None

    def _ahead(self, page: Answer, listing: Listing, own: Dated | None) -> list[str]:
        """The date archives still to come, the newest first; what lies within one that lists articles is in that."""
        leads = own is not None or page.visit.ahead or page.record.url in page.job.archives or not listing.links
        known = {one.url: one for one in told_before(page.visit.ahead)}
        if leads:
            known |= {one.url: one for one in listing.archives if one.url != page.fetched.url}
        if own is None and (listing.next_url is not None or page.visit.part > 1):
            # A list with pages of its own needs no calendar of events.
            known = {url: one for url, one in known.items() if not is_offer(url)}
        found = sorted(known.values(), key=lambda one: one.order, reverse=True)
        if own is not None:
            tried = page.visit.ahead and all(one.order > own.order for one in told_before(page.visit.ahead))
            # Each month has an article: a year of few shows the newest alone, as lists that are cut at ten do.
            held = [one for one in found if own.holds(one)]
            whole = listing.links and (listing.next_url is not None or len(listing.links) >= LEAST_EACH * len(held))
            found = [one for one in found if (tried or one.order < own.order) and not (whole and one in held)]
        return [one.url for one in self._sheets.needed(page.job.name, found, own)[:_MOST_AHEAD]]

    async def _step(
        self, page: Answer, visit: Visit, url: str | None, ahead: list[str], *, again: bool = False
    ) -> bool:
        """Queues the first page to come that was not gone through before, and says whether there is one."""
        turned, job = self._desk.runtime.backfills, page.job
        if url is not None and await turned.is_new(job.name, job.backfill, page_key(url)):
            await self._queue(page, url, replace(visit, key=page_key(url), part=visit.part + 1, ahead=tuple(ahead)))
            return True
        oldest = None
        if (url is not None or visit.part > 1) and len(ahead) > 1 and dated(page.fetched.url) is None:
            # The list's own pages were gone through: the oldest archive tells whether they left anything out. One that
            # the look has read tells no more.
            oldest, ahead = ahead[-1], [ahead[-1], *ahead[:-1]]
        while ahead:
            url, ahead = ahead[0], ahead[1:]
            if again or await turned.is_new(job.name, job.backfill, page_key(url)):
                if oldest is not None:
                    visit = replace(visit, further=1 if url == oldest else DAYS_PATIENCE)
                await self._queue(page, url, replace(visit, key=page_key(url), part=visit.part + 1, ahead=tuple(ahead)))
                return True
        return False

    async def _queue(self, page: Answer, url: str, visit: Visit) -> None:
        visit = replace(visit, delay=page.job.delay)
        request = self._desk.request(url, page.job, visit)
        behind = 0
        if visit.patience == LITTLE_PATIENCE:
            # The home page's own pages, and what they name, come before those of sections, which often repeat them.
            behind = _BEHIND_ARTICLES
        elif visit.further and not visit.backfill:
            behind = _BESIDE_ARTICLES
        # Lists that alone tell the days of what a sitemap names are read before it.
        if behind and not await self._desk.runtime.looks.was_read(page.job.name, "telling"):
            request = request.replace(priority=request.priority - behind)
        await self._desk.queue(request)
        self._desk.outcomes.count("lists/turned", url)


def _behind_archive(
    own: Dated, visit: Visit, listing: Listing, ahead: list[str], so_far: tuple[int, int], *, found: bool
) -> tuple[int, list[str], int]:
    """The pages without anything new that are borne from here on, the archives to come, and the empty calendars.

    Args:
        own: the archive that was read.
        so_far: the pages that are borne, and the empty calendars in a row, by what was new alone.
        found: whether it lists any article.
    """
    left, empty = so_far
    later = [one.order > own.order for one in told_before(ahead)]
    if later and all(later) and not found:
        left = DAYS_PATIENCE  # the oldest, tried first, is empty: that says nothing of the others
    if not found and any(own.holds(one) for one in listing.archives):
        left = max(left, visit.further)  # a month that lists its days alone says nothing of them
        if any(later):  # it is tried as the oldest: so is its oldest day
            ahead = [*ahead[-1:], *ahead[:-1]]
    others = [url for url in ahead if not is_like(url, own.url)] if left <= 0 else []
    # A calendar of empty days says nothing of the months beside it.
    return (DAYS_PATIENCE, others, empty + 1) if others and empty < _MOST_EMPTY else (left, ahead, empty)


def _times(listing: Listing) -> dict[str, float | None]:
    """When a list's articles appeared, by what the list or their addresses say."""
    return {link.url: listing.published.get(link.url) or time_in(link.url) for link in listing.links}
