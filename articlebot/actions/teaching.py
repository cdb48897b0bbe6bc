"""Corrections by pointing: the stored pages of a site, and what a selector would read on them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from articlebot.actions.again import page_again, texts_of
from articlebot.actions.archived import archive
from articlebot.archive import Archive
from articlebot.batch.pages import PageBatch, found_in, read_again
from articlebot.batch.teaching import MOST_PAGES, Field, Lesson, teach
from articlebot.config import Config
from articlebot.extraction.model import dated
from articlebot.extraction.wrapper.book import WrapperBook
from articlebot.extraction.wrapper.shelf import Shelf
from articlebot.extraction.wrapper.store import PageStore, StoredPage, WrapperStore
from articlebot.jobs.model import Job
from articlebot.publishing.specs import open_sinks

# Stored pages that are read again when a correction is kept, while somebody waits: some seconds.
_MOST_CORRECTED = 100


class Teaching:
    """The stored pages of sites, and what they teach. Its methods read files and pages, and belong on a thread."""

    def __init__(self, config: Config, shelf: Shelf, archive: Archive) -> None:
        self._config, self._archive = config, archive
        self._pages, self._wrappers = PageStore(shelf), WrapperStore(shelf, config.wrappers.folder)

    def pages(self, site: str, url: str | None = None, most: int = MOST_PAGES) -> list[StoredPage]:
        """The pages that are kept of a site, the one of an address first, then the newest, so many at most.

        They are those that its wrapper is learned from; where there are none, the raw pages in the archive.

        Args:
            url: comes first where it is kept; None for whatever is newest.
        """
        kept = list(self._pages.pages(site))
        if not any(one.url == url for one in kept):
            raw = self._archive.newest_raw(site, most, url)
            known = {one.url for one in kept}
            kept += [
                StoredPage(one.url, one.body, one.content_type, one.fetched_at) for one in raw if one.url not in known
            ]
        kept.sort(key=lambda one: one.url != url)
        return kept[:most]

    def teach(self, job: Job, site: str, pages: Sequence[StoredPage], field: Field, number: int) -> Lesson:
        """What pointing at an element of the first page comes to, as a crawl of the job would read the pages now.

        Raises:
            StateError: a wrapper of the site cannot be read.
        """
        return teach(self._batch(job, site, pages), field, number)

    def correct(self, job: Job, site: str, now: float) -> int:
        """Makes a version of each archived article whose author or date the job's selectors read otherwise on its
        stored page, the newest hundred of a site; returns of how many. Sinks get them with the next delivery.

        Raises:
            ArticlebotError: a wrapper of the site cannot be read, or the archive is away.
        """
        batch = self._batch(job, site, self.pages(site, most=_MOST_CORRECTED))
        stated: dict[str, dict[str, Any]] = {}
        for page, found in zip(batch.pages, map(found_in, read_again(batch)), strict=True):
            if found.origin.get("authors") == "hand":
                stated.setdefault(page.url, {})["authors"] = found.authors
            if found.origin.get("published") == "hand":
                stated.setdefault(page.url, {}).update(published=dated(found), published_at=found.published_at)
        general = self._config.general
        sinks = open_sinks(self._config.publishing.sinks, general.data_dir, lambda: now)
        with archive(self._config, sinks.routes) as opened:
            return len(opened.amend(stated, now))

    def _batch(self, job: Job, site: str, pages: Sequence[StoredPage]) -> PageBatch:
        """The pages with what would read them now."""
        again = tuple(page_again(one, site, job) for one in pages)
        texts = texts_of(WrapperBook(self._wrappers, self._pages), site, self._config)
        return PageBatch(again, {site: texts}, self._config.extraction.refuse_below)


def digest_of(page: StoredPage) -> str:
    """Another text where the page was fetched anew since: its elements may have other places then."""
    return blake2b(page.body, digest_size=8).hexdigest()
