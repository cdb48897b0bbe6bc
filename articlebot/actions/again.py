"""Pages read again as a crawl would read them now, whoever does the work."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from articlebot.actions.engaged import Run
from articlebot.archive import RawPage
from articlebot.batch.pages import PAGES, PageAgain, PageBatch, found_in, read_again
from articlebot.config import Config
from articlebot.extraction.model import Extracted
from articlebot.extraction.wrapper.book import WrapperBook
from articlebot.extraction.wrapper.store import PageStore, StoredPage, WrapperStore
from articlebot.jobs import Job
from articlebot.jobs.book import JobBook
from articlebot.runtime import Runtime

Asked = tuple[dict[str, Any], RawPage]
"""A row with ``site`` and ``job`` of a page, and the page."""


class Again:
    """Sends pages along with the wrappers in force, and what their jobs say.

    Args:
        book: the jobs, of which selectors and time zones are taken.
    """

    def __init__(self, config: Config, book: JobBook) -> None:
        self.config, self._book = config, book
        self._shelf = Runtime(config).shelf()
        self._learned = WrapperBook(WrapperStore(self._shelf, config.wrappers.folder), PageStore(self._shelf))
        self._wrappers: dict[str, tuple[str, ...]] = {}

    def close(self) -> None:
        """Lets go of the wrappers."""
        self._shelf.close()

    def read(self, asked: Iterable[Asked], run: Run) -> Iterator[tuple[list[Asked], list[Extracted]]]:
        """The pages in order, some at a time, with what is found in each."""
        unread = iter(asked)
        waiting: deque[list[Asked]] = deque()

        def batches() -> Iterator[PageBatch]:
            while some := list(islice(unread, PAGES)):
                waiting.append(some)
                yield self._batch(some)

        for _, found in run(read_again, batches(), lambda batch: len(batch.pages)):
            yield waiting.popleft(), [found_in(row) for row in found]

    def _batch(self, some: list[Asked]) -> PageBatch:
        pages = tuple(page_again(page, row["site"], self._book.get(row["job"])) for row, page in some)
        wrappers = {page.site: self._texts(page.site) for page in pages}
        known = {site: texts for site, texts in wrappers.items() if texts}
        return PageBatch(pages, known, self.config.extraction.refuse_below)

    def _texts(self, site: str) -> tuple[str, ...]:
        if site not in self._wrappers:
            self._wrappers[site] = texts_of(self._learned, site, self.config)
        return self._wrappers[site]


def page_again(page: RawPage | StoredPage, site: str, job: Job | None) -> PageAgain:
    """A page of a site with what its job, where it has one, says of how it is read."""
    selectors = None if job is None or job.selectors is None else job.selectors.model_dump()
    zone = "" if job is None else job.timezone or ""
    return PageAgain(page.url, page.body, page.content_type, page.fetched_at, site, zone, selectors)


def texts_of(learned: WrapperBook, site: str, config: Config) -> tuple[str, ...]:
    """The wrappers in force of a site, as a batch takes them; none where they are switched off."""
    return tuple(one.to_json() for one in learned.in_force(site)) if config.wrappers.enabled else ()
