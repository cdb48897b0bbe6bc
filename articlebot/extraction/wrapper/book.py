"""The wrappers of a crawl: chosen for each page, doubted when they stop fitting, learned when due.

The book remembers and decides. What reads or writes a store says so, and belongs outside the event loop; so does
`learn_site`, which takes seconds of CPU.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from articlebot.errors import StateError
from articlebot.extraction.model import Extracted
from articlebot.extraction.wrapper.drift import Drift, Event, learning_due
from articlebot.extraction.wrapper.store import PageStore, WrapperStore
from articlebot.extraction.wrapper.surroundings import agreement
from articlebot.extraction.wrapper.wrapper import Wrapper, choose, learn
from articlebot.page.page import Page
from articlebot.page.tags import all_stable_names

MAX_SITES = 5000  # of 28 kB each (12 sites of the corpus, tracemalloc); of those beyond each page asks the store
_CONTRADICTED = 0.5
_SURE = 0.95  # expected F1 of a body
_LONG = 1000  # characters
_NAME = re.compile(r"wrapper:(?P<site>.+)/v(?P<version>\d{1,9})\.\d{1,9}")
_DRIFT_EVERY = 5  # the state of a site is written after so many pages, and at each event


@dataclass(slots=True)
class Known:
    """What is known of a site, as its stores had it.

    Attributes:
        stored: pages kept of it.
        written: the state of its wrapper that the store had last; ``drift`` is what has come of it since.
        unsaved: pages since then.
        learning: it is being learned.
        wait: pages until learning is tried again.
    """

    wrappers: Sequence[Wrapper]
    drift: Drift
    stored: int
    written: Drift
    unsaved: int = 0
    learning: bool = False
    wait: int = 0

    @property
    def rests_on(self) -> int:
        """Pages that there were to learn from, with those that taught nothing: they are no reason to learn again."""
        return max(sum(w.rules.pages for w in self.wrappers), *(w.rules.stored for w in self.wrappers), 0)


Note = Literal["save"] | Event


def teaches(found: Extracted) -> bool:
    """Whether a page is one to learn from: an article, or a page of another kind with a long and sure text.

    After a change of layout, the kind of a page may be mistaken on all of a site's articles.
    """
    if found.refused:
        return False
    sure = found.confidence.get("body", 0.0) >= _SURE and len(found.body) >= _LONG
    return found.kind == "article" or (found.kind in ("list", "topic", "other") and sure)


class WrapperBook:
    """Wrappers by site, the 5,000 used last in memory.

    Args:
        wrappers, pages: the stores.
        min_pages: article pages of a site from which its wrapper is learned first; the learner takes three, with five
            the odd page among them does not decide.
    """

    def __init__(self, wrappers: WrapperStore, pages: PageStore, *, min_pages: int = 5) -> None:
        self._wrappers, self._pages, self._min_pages = wrappers, pages, min_pages
        self._sites: OrderedDict[str, Known] = OrderedDict()

    def read(self, site: str) -> Known:
        """What the stores have of a site; a wrapper that cannot be read counts as none."""
        try:
            wrappers = self._wrappers.load(site)
        except StateError:
            wrappers = []
        drift = self._wrappers.drift(site)
        return Known(wrappers, drift, self._pages.count(site), drift)

    def has(self, site: str) -> bool:
        """Whether a site is in memory."""
        return site in self._sites

    def of(self, site: str) -> Known:
        """What is known of a site that is in memory."""
        return self._sites[site]

    def take(self, site: str, known: Known) -> tuple[str, Known] | None:
        """Has what was read in memory; returns what left it and has not been saved, None where nothing has."""
        self._sites[site] = known
        if len(self._sites) <= MAX_SITES:
            return None
        name, dropped = self._sites.popitem(last=False)
        return (name, dropped) if dropped.unsaved else None

    def drop(self, site: str) -> None:
        """Forgets a site, of which another worker has written something: it is read anew."""
        self._sites.pop(site, None)

    def choose(self, site: str, page: Page) -> Wrapper | None:
        """The wrapper to apply to a page; None where none fits or the site's is doubted (then generic rules answer)."""
        return choose(self.in_force(site), page)

    def in_force(self, site: str) -> Sequence[Wrapper]:
        """The wrappers of a site that may be applied now; none where they are doubted."""
        known = self._known(site)
        if known.drift.doubted_at is not None and not any(w.rules.overrides for w in known.wrappers):
            return []
        return known.wrappers

    def named(self, name: str) -> Wrapper | None:
        """The wrapper of a `Wrapper.name`, of whatever version, from the store; None where it has none."""
        match = _NAME.fullmatch(name)
        if match is None:
            return None
        try:
            version = self._wrappers.load(match["site"], int(match["version"]))
        except StateError:
            return None
        return next((one for one in version if one.name == name), None)

    def note(self, site: str, parsed: Page, now: float) -> list[Note]:
        """Takes notice of an article page, and watches for drift; what has happened, or that it is time to ``save``."""
        known = self._known(site)
        notes: list[Note] = []
        if known.wrappers:
            wrapper = _right(known, parsed)
            layout = frozenset(wrapper.rules.layout) if wrapper is not None else frozenset[str]()
            missing = layout - all_stable_names(parsed.elements) if layout else layout
            known.drift, event = known.drift.observe(float(wrapper is not None), now, missing, len(layout))
            known.unsaved += 1
            if event is not None:
                notes.append(event)
            elif known.unsaved >= _DRIFT_EVERY:
                notes.append("save")
        return notes

    def wants(self, site: str) -> bool:
        """Whether the page noted last is to be kept: packing and writing it costs a fifth of a page with a wrapper.

        Once the wrapper rests on so many that it is not learned again before it is doubted, and as many are kept that
        came since, of the pages that fit those are kept that are compared with generic extraction, one in eight.
        """
        known, most = self._known(site), self._pages.per_site
        drift = known.drift
        is_settled = 2 * known.rests_on > most and drift.pages_since > most and drift.doubted_at is None
        return not is_settled or drift.is_odd or drift.check_due

    def kept(self, site: str, stored: int) -> bool:
        """Takes notice that a page was kept; whether the site's wrapper is to be learned now.

        Args:
            stored: pages kept of the site, with this one.
        """
        known = self._known(site)
        known.stored, known.wait = stored, max(0, known.wait - 1)
        is_due = not (known.learning or known.wait) and learning_due(
            stored, known.rests_on, known.drift, min_pages=self._min_pages
        )
        known.learning |= is_due
        return is_due

    def leave(self, site: str) -> None:
        """A site is not learned now, though that was due: another worker does, or nothing came of it."""
        if (known := self._sites.get(site)) is not None:
            known.learning = False
            known.wait = known.stored if known.drift.doubted_at is None else self._min_pages

    def unsaved(self) -> dict[str, Known]:
        """The sites of which not all has been written."""
        return {site: known for site, known in self._sites.items() if known.unsaved}

    def save(self, site: str, drift: Drift, written: Drift | None) -> Drift:
        """Writes the state of a site's wrapper; returns the one that the store has then.

        Args:
            written: what stood there; another that stands there now stays, because another worker has seen more. None
                writes whatever stands there.
        """
        if written is not None and (theirs := self._wrappers.drift(site)) != written:
            return theirs
        self._wrappers.put_drift(site, drift)
        return drift

    def saved(self, site: str, drift: Drift, stands: Drift) -> None:
        """Goes on with what ``save`` returned for a state; pages seen meanwhile count where it was this worker's."""
        if (known := self._sites.get(site)) is not None:
            if stands != drift:
                known.drift = stands
            known.written, known.unsaved = stands, 0

    def adopt(self, site: str, learned: Sequence[str]) -> int:
        """Writes what `learn_site` returned as a new version, which is read from now on; returns its number."""
        number = self._wrappers.save(site, [Wrapper.from_json(text) for text in learned])
        self._wrappers.put_drift(site, Drift())
        return number

    def _known(self, site: str) -> Known:
        if site not in self._sites:
            self.take(site, self.read(site))
        self._sites.move_to_end(site)
        return self._sites[site]


def _right(known: Known, page: Page) -> Wrapper | None:
    """The wrapper that fits a page and, where that is to be looked at, takes what the generic rules take."""
    wrapper = choose(known.wrappers, page)
    if wrapper is None or wrapper.rules.overrides or not known.drift.check_due:
        return wrapper
    if (found := wrapper.apply(page)) is None:
        return None
    shared, sure = agreement(page, found.body)
    return wrapper if sure - shared < _CONTRADICTED else None


def learn_site(pages: PageStore, site: str, now: float) -> list[str]:
    """The wrappers learned from a site's stored pages, as JSON texts, most frequent template first."""
    kept = list(pages.pages(site))
    wrappers = learn((stored.parse() for stored in kept), site=site)
    return [Wrapper(replace(w.rules, stored=len(kept), learned_at=now)).to_json() for w in wrappers]
