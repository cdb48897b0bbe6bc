"""The wrappers of a crawl: chosen for each page, fed with pages, learned when due, doubted when they stop fitting.

Learning takes seconds of CPU and belongs outside the reactor: `learn_site` is a plain function of plain values for a
process pool, `WrapperBook.adopt` takes its result.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from articlebot.errors import StateError
from articlebot.extraction.model import Extracted
from articlebot.extraction.wrapper.drift import Drift, Event, learning_due
from articlebot.extraction.wrapper.store import PageStore, StoredPage, WrapperStore
from articlebot.extraction.wrapper.witnesses import contradiction
from articlebot.extraction.wrapper.wrapper import Wrapper, choose, learn
from articlebot.page.page import Page
from articlebot.page.tags import all_stable_names

MAX_SITES = 500
_CONTRADICTED = 0.5
_SURE = 0.95  # expected F1 of a body
_LONG = 1000  # characters
_NAME = re.compile(r"wrapper:(?P<site>.+)/v(?P<version>\d{1,9})\.\d{1,9}")
_DRIFT_EVERY = 5  # the state of a site is written after so many pages, and at each event


@dataclass(slots=True)
class _Site:
    wrappers: list[Wrapper]
    drift: Drift
    stored: int
    unsaved: int = 0
    learning: bool = False
    wait: int = 0  # pages until learning is tried again
    error: str = ""


Note = Literal["learn"] | Event


def teaches(found: Extracted) -> bool:
    """Whether a page is one to learn from: an article, or a page of another kind with a long and sure text.

    After a change of layout, the kind of a page may be mistaken on all of a site's articles.
    """
    if found.refused:
        return False
    sure = found.confidence.get("body", 0.0) >= _SURE and len(found.body) >= _LONG
    return found.kind == "article" or (found.kind in ("list", "topic", "other") and sure)


class WrapperBook:
    """Wrappers by site, the 500 used last in memory.

    Args:
        wrappers, pages: the stores.
        min_pages: article pages of a site from which its wrapper is learned first.
    """

    def __init__(self, wrappers: WrapperStore, pages: PageStore, *, min_pages: int = 5) -> None:
        self._wrappers, self._pages, self._min_pages = wrappers, pages, min_pages
        self._sites: OrderedDict[str, _Site] = OrderedDict()

    def choose(self, site: str, page: Page) -> Wrapper | None:
        """The wrapper to apply to a page; None where none fits or the site's is doubted (then generic rules answer)."""
        return choose(self.in_force(site), page)

    def in_force(self, site: str) -> list[Wrapper]:
        """The wrappers of a site that may be applied now; none where they are doubted."""
        known = self._site(site)
        if known.drift.doubted_at is not None and not any(w.rules.overrides for w in known.wrappers):
            return []
        return known.wrappers

    def named(self, name: str) -> Wrapper | None:
        """The wrapper of a `Wrapper.name`, of whatever version; None where that is gone or no wrapper's name."""
        match = _NAME.fullmatch(name)
        if match is None:
            return None
        try:
            version = self._wrappers.load(match["site"], int(match["version"]))
        except StateError:
            return None
        return next((one for one in version if one.name == name), None)

    def note(self, site: str, page: StoredPage, parsed: Page, now: float) -> list[Note]:
        """Take notice of an article page: keep it for learning and watch for drift.

        Returns:
            What has happened: ``learn`` (call `learn_site` in a process), ``doubted``, ``recovered``.
        """
        known = self._site(site)
        known.stored = self._pages.put(site, page)
        notes: list[Note] = []
        if known.wrappers:
            wrapper = _right(known, parsed)
            layout = frozenset(wrapper.rules.layout) if wrapper is not None else frozenset[str]()
            missing = layout - all_stable_names(parsed.elements) if layout else layout
            known.drift, event = known.drift.observe(float(wrapper is not None), now, missing, len(layout))
            known.unsaved += 1
            if event is not None or known.unsaved >= _DRIFT_EVERY:
                self._wrappers.put_drift(site, known.drift)
                known.unsaved = 0
            if event is not None:
                notes.append(event)
        known.wait = max(0, known.wait - 1)
        if self._due(known):
            known.learning = True
            notes.append("learn")
        return notes

    def adopt(self, site: str, learned: list[str]) -> int | None:
        """Take what `learn_site` returned: kept as a new version and applied from now on.

        Returns:
            The version's number; None where nothing could be learned (it is tried again when pages have doubled).
        """
        known = self._site(site)
        known.learning = False
        if not learned:
            known.wait = known.stored if known.drift.doubted_at is None else self._min_pages
            return None
        number = self._wrappers.save(site, [Wrapper.from_json(text) for text in learned])
        self._wrappers.put_drift(site, Drift())
        self._sites.pop(site, None)
        self._site(site)
        return number

    def error(self, site: str) -> str:
        """Why a site's stored wrapper could not be read, "" where it could."""
        return self._site(site).error

    def close(self) -> None:
        """Write what has not been written."""
        for site, known in self._sites.items():
            if known.unsaved:
                self._wrappers.put_drift(site, known.drift)
                known.unsaved = 0

    def _due(self, known: _Site) -> bool:
        if known.learning or known.wait:
            return False
        rests_on = sum(w.rules.pages for w in known.wrappers)
        return learning_due(known.stored, rests_on, known.drift, min_pages=self._min_pages)

    def _site(self, site: str) -> _Site:
        known = self._sites.get(site)
        if known is None:
            error = ""
            try:
                wrappers = self._wrappers.load(site)
            except StateError as damaged:
                wrappers, error = [], str(damaged)
            drift = self._wrappers.drift(site)
            known = self._sites[site] = _Site(wrappers, drift, self._pages.count(site), error=error)
            if len(self._sites) > MAX_SITES:
                _, dropped = self._sites.popitem(last=False)
                if dropped.unsaved:
                    self._wrappers.put_drift(dropped.wrappers[0].rules.site, dropped.drift)
        self._sites.move_to_end(site)
        return known


def _right(known: _Site, page: Page) -> Wrapper | None:
    """The wrapper that fits a page and, where that is to be looked at, takes what the generic rules take."""
    wrapper = choose(known.wrappers, page)
    if wrapper is None or wrapper.rules.overrides or not known.drift.check_due:
        return wrapper
    found = wrapper.apply(page)
    return wrapper if found is not None and contradiction(page, found.body) < _CONTRADICTED else None


def learn_site(data_dir: str, site: str, now: float) -> list[str]:
    """The wrappers learned from a site's stored pages, as JSON texts, most frequent template first.

    For a process pool: takes and returns plain values; nothing is written.
    """
    pages = (stored.parse() for stored in PageStore(Path(data_dir)).pages(site))
    wrappers = learn(pages, site=site)
    return [Wrapper(replace(w.rules, learned_at=now)).to_json() for w in wrappers]
