"""Lists that a look at a site has left out, or that came later: what they name is asked now and then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from articlebot.jobs import Job
from articlebot.jobs.follow import MOST_LIST_PAGES
from articlebot.jobs.visit import Visit
from articlebot.seeds.jobblock import MOST_LISTS
from articlebot.seeds.offers import offers
from articlebot.sources import Listing
from articlebot.urls import page_key
from articlebot.visiting.answer import Answer
from articlebot.visiting.desk import Desk
from articlebot.visiting.links import Admitted
from articlebot.visiting.seeding import add_entries

# In the report of a look: the sections that are known, followed or not.
MENU = "menu"
# Of visits that find nothing new, the share after which the home page is asked; and items that a page should have had
# since its last ones, by its rate so far, from which it is asked more often: chance keeps two away once in seven. Then
# it is asked so many times while the silence becomes e times as long: a site that sleeps is left to sleep.
_SHARE, _OVERDUE, _IN_A_SILENCE = 0.1, 2.0, 10.0
# New sections that one visit of the home page tries, and those that are known at most: menus name what is talked about.
_AT_ONCE, _MOST_KNOWN = 3, 500
# Seconds between two looks at where a site leads to: that may be nothing.
_LED_S = 3600.0
_WHY = "names what no other entry page does"


class Overlooked:
    """Follows the home page, and sections that its menu has not had before, where they name what is new.

    A look chooses the fewest pages that name everything on that day. A feed may stand still or go away later, and a
    site may begin a section. So the home page of a job whose entry pages a look has found is asked where these have
    nothing new, and what it or a new section of its menu names becomes known by its own list from then on.

    Args:
        desk: what it works with.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._led_at: dict[str, float] = {}

    async def quiet(self, page: Answer, *, surely: bool = False) -> None:
        """An entry page had nothing new; ``surely``: nor will it have, as it seems."""
        job, looks = page.job, self._desk.jobs
        if page.visit.part > 1 or job.site is None or not _is_found(job, looks.found(job.name)):
            return
        if page.led and not job.owns(page.fetched.url) and page.fetched.at - self._led_at.get(job.name, 0.0) > _LED_S:
            self._led_at[job.name] = page.fetched.at
            self._desk.to_look_at.add(job.name)
        if page_key(job.site) in map(page_key, job.list_pages):
            return
        state, at = page.record.state, page.fetched.at
        # The sitemaps of months that are over stand still for ever: the sitemap that names them speaks for them.
        if page.record.form == "sitemap" and page.record.url not in job.sitemaps:
            return
        share, silent_s = _SHARE, at - state.changed_at
        if state.x * silent_s > _OVERDUE * state.t > 0.0:
            share = max(share, _IN_A_SILENCE * (at - state.last_at) / silent_s)
        if surely or self._desk.runtime.rng.random() < share:
            await self._try(job, job.site)

    async def read(self, page: Answer, listing: Listing, admitted: Admitted) -> None:
        """A list was read, and its links were admitted."""
        job, key = page.job, page.visit.key
        is_home = job.site is not None and key == page_key(job.site)
        if is_home and not (admitted.new or page.visit.candidate) and self._desk.runtime.rng.random() >= _SHARE:
            return  # to read a menu takes 16 ms
        is_new = page.visit.candidate and bool(admitted.new)
        if not (is_home or is_new) or admitted.new is None or not _is_found(job, self._desk.jobs.found(job.name)):
            return
        sections = offers(listing.page).sections if is_home and listing.page is not None else ()
        # Another worker may read another list of the site: nothing that takes long is between this and "put".
        found = (await self._desk.runtime.looks.get([job.name])).get(job.name)
        if found is None or found.site != job.site:
            return
        lists, known = found.keys.get("list_pages", []), found.report.get(MENU)
        if is_new and page.record.url not in lists and len(lists) < MOST_LISTS:
            found.keys["list_pages"] = [*lists, page.record.url]
            found.why[page.record.url] = _WHY
            known = [] if is_home else known  # its sections were left out for the same reason
        followed = {*dict(job.entry_urls), *job.archives}
        new: list[str] = []
        if known is not None and len(known) < _MOST_KNOWN:
            new = [url for url in sections if url not in known and url not in followed][:_AT_ONCE]
        if sections:
            found.report[MENU] = [*(sections if known is None else (*known, *new))]
        if is_new or new or (sections and known is None):
            await self._desk.runtime.looks.put(job.name, found)
        if is_new:
            self._desk.know({job.name: found.keys})
            if (whole := self._desk.jobs.get(job.name)) is not None:
                await add_entries(self._desk.runtime.pages, self._desk.jobs, [whole], self._desk.now())
        for url in new:
            await self._try(job, url)

    async def _try(self, job: Job, url: str) -> None:
        visit = Visit(
            job=job.name, kind="list", key=page_key(url), part=MOST_LIST_PAGES, delay=job.delay, candidate=True
        )
        await self._desk.queue(self._desk.request(url, job, visit))
        self._desk.outcomes.count("lists/tried", url)


def _is_found(job: Job, found: Mapping[str, Any] | None) -> bool:
    """Whether the job's entry pages are those that a look has found, and none that its file names."""
    keys = ("list_pages", "feeds", "sitemaps")
    return found is not None and all(list(getattr(job, key)) == list(found.get(key, ())) for key in keys)
