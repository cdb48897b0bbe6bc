"""A site's learned wrapper: rules with what applies them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from articlebot.extraction.clean_html import of_blocks
from articlebot.extraction.evidence import ALTERNATING, LEAST_BEHIND, LINKED, Evidence, count_text
from articlebot.extraction.fields.images import images_between
from articlebot.extraction.model import Extracted, Kind
from articlebot.extraction.notices import LITTLE, Sizes, notice
from articlebot.extraction.place import Headline, Region
from articlebot.extraction.url_words import is_offer
from articlebot.extraction.wrapper import model
from articlebot.extraction.wrapper.fields import read_title
from articlebot.extraction.wrapper.model import Rules
from articlebot.extraction.wrapper.overrides import Hand
from articlebot.extraction.wrapper.reading import OUTSIDE, Reader, Reading
from articlebot.extraction.wrapper.rules import learn_rules
from articlebot.extraction.wrapper.samples import page_title
from articlebot.extraction.wrapper.surroundings import classified, contradicted, elsewhere
from articlebot.page.blocks import paragraphs
from articlebot.page.page import Page

FITS = 0.5
_DOUBTED = 0.4  # of the score that is left to what does not look like the article: below `FITS`
_MOSTLY = 0.5  # of a body that stands outside the containers: it has been found, and not by what was learned
_BESIDE = 0.3  # of the body's length in other paragraphs, from which the whole page is looked at
_MIN_UNITS = 30.0
_UNSURE = 0.75  # expected F1 of what the wrapper keeps, below which the page is read anew


class Wrapper:
    """The rules of one template of one site, ready to be applied. Never raises for page content.

    Args:
        rules: learned or read from JSON; hand-written overrides in them win over what was learned.

    Raises:
        StateError: an override that cannot be read.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._reader = Reader(rules)
        self._hand = Hand(rules.overrides)
        # Gone with their pages: a tree that outlives its page is freed when it has left the cache, at five times
        # the cost.
        self._readings: WeakKeyDictionary[Page, Reading] = WeakKeyDictionary()
        self._fits: WeakKeyDictionary[Page, float] = WeakKeyDictionary()

    def __repr__(self) -> str:
        r = self.rules
        return f"<Wrapper {r.site} v{r.version}.{r.template} from {r.pages} pages, confidence {r.confidence:.2f}>"

    def fits(self, page: Page) -> float:
        """How well a page fits, 0 (another template) to 1; from 0.5 on the wrapper is to be applied."""
        if page.tree is None:
            return 0.0
        fit = self._fits.get(page)
        if fit is None:
            fit = self._fits[page] = self._measured(page)
        return fit

    def _measured(self, page: Page) -> float:
        reading = self._read(page)
        if self._hand.has_body:
            return 1.0 if reading.kept else 0.0
        length = reading.units
        if not reading.containers or length < _MIN_UNITS:
            return 0.0
        # the container itself is the better part of the evidence: short articles are articles
        score = 0.6 + 0.4 * min(1.0, length / max(_MIN_UNITS, 0.5 * min(self.rules.typical.low, 600.0)))
        outside = sum(line.block.units for line in reading.lines if line.kept and line.rule == OUTSIDE)
        doubts = (
            reading.sure < _UNSURE,
            outside > _MOSTLY * length,
            length > 12.0 * max(self.rules.typical.high, 2000.0),
        )
        if any(doubts) or self._lacks(page, reading):
            score *= _DOUBTED
        return score

    def _lacks(self, page: Page, reading: Reading) -> bool:
        """Whether the page has text of the article outside of the region looked at."""
        if elsewhere(reading.walk, page, reading.units) <= max(_BESIDE, 1.5 * self.rules.typical.elsewhere):
            return False
        return contradicted(page, "\n".join(line.text for line in reading.kept))

    def apply(self, page: Page) -> Extracted | None:
        """What the wrapper finds; None where the page does not fit; authors and dates are a person's alone.

        A page that does not fit what was learned, or of whose site nothing was, keeps what a person's selectors find.
        """
        around = self.region(page)
        if around is None:
            by_hand = None if page.tree is None else self._hand.over(Extracted(), page)
            return by_hand if by_hand is not None and by_hand.origin else None
        reading = self._read(page)
        title, sure_of_title = read_title(self.rules, page, reading.named)
        headline = Headline(around, title or page_title(page), reading.kept)
        shown = images_between(around, reading.kept, headline)
        images = [one for one in shown if one[1].url not in self.rules.pictures]
        sure = min(reading.sure, self.fits(page)) * (0.8 + 0.2 * self.rules.confidence)
        found = Extracted(
            title=title,
            body="\n".join(line.text for line in reading.kept),
            html=of_blocks(around, reading.kept, images),
            images=tuple(image for _, image in images),
            cut=tuple(reading.cut),
            kind=self._kind(page, reading),
            confidence={"body": round(sure, 3), **({"title": sure_of_title} if title else {})},
            origin=dict.fromkeys(("body", "html", "images", *(["title"] if title else [])), self.name),
        )
        return self._hand.over(found, page)

    def _kind(self, page: Page, reading: Reading) -> Kind | None:
        if is_offer(page.url):
            return None  # goods and events have the site's template, too
        if _alternates(reading):
            return None  # so do lists of a headline and a line each
        if reading.units < LITTLE:  # so do walls, and pages that say that nothing is there
            sizes = Sizes(reading.units, sum(one.units for one in paragraphs(page.blocks)))
            if told := notice(page, paragraphs(reading.walk.blocks), sizes, says_article=True):
                return told[0]
        return "article"

    def region(self, page: Page) -> Region | None:
        """The page as its blocks around the article, None where it does not fit."""
        if self.fits(page) < FITS:
            return None
        reading = self._read(page)
        return Region(page, reading.walk, reading.kept, self.rules.pictures, signed_outside=self.rules.signed_outside)

    @property
    def name(self) -> str:
        """What the origin of its fields says: ``wrapper:<site>/v<version>.<template>``."""
        return f"wrapper:{self.rules.site}/v{self.rules.version}.{self.rules.template}"

    def to_json(self) -> str:
        """Indented JSON that a person can read and edit."""
        return model.to_json(self.rules)

    @classmethod
    def from_json(cls, text: str) -> Wrapper:
        """The wrapper of a JSON text.

        Raises:
            StateError: not a wrapper, another format, or a selector that cannot be read.
        """
        return cls(model.from_json(text))

    def _read(self, page: Page) -> Reading:
        reading = self._readings.get(page)
        if reading is None:
            reading = self._hand.reading(page, self._reader) if self._hand.has_body else self._reader.read(page)
            self._readings[page] = reading
        return reading


def _alternates(reading: Reading) -> bool:
    """Whether a region's text stands behind headlines that are links, a line or two behind each."""
    linked = sum(line.block.link_share > LINKED for line in reading.lines)
    if linked < LEAST_BEHIND:
        return False
    seen = Evidence()
    count_text(paragraphs(reading.walk.blocks), seen)
    return seen.alternating >= ALTERNATING


def learn(pages: Iterable[Page], *, site: str = "") -> list[Wrapper]:
    """One wrapper for each template of a site, most frequent first; empty where its pages agree on nothing.

    A pure function of its arguments, made to be called in a process pool: reading 50 pages takes seconds.

    Args:
        pages: of one site, without labels; from three on, better 10 to 50. Other kinds of pages may be among them.
    """
    return [Wrapper(rules) for rules in learn_rules(pages, site, classified)]


def by_hand(site: str, learned: Wrapper | None, selectors: Mapping[str, Any]) -> Wrapper:
    """What was learned, if anything, under hand-written selectors by field; empty ones change nothing.

    Selectors of the site's own file in the folder of wrappers stay in force for the fields that are not given.
    """
    rules = learned.rules if learned is not None else Rules(site=site)
    given = {field: value for field, value in selectors.items() if value}
    return Wrapper(replace(rules, overrides=replace(rules.overrides, **given)))


def choose(wrappers: Sequence[Wrapper], page: Page) -> Wrapper | None:
    """The wrapper that fits a page best, hand-written ones first; None where none fits.

    The first one that fits wholly is taken: each reads the page anew.
    """
    best: Wrapper | None = None
    best_score = 0.0
    for wrapper in wrappers:
        score = wrapper.fits(page) + (1.0 if wrapper.rules.overrides else 0.0)
        if wrapper.fits(page) >= FITS and score > best_score:
            best, best_score = wrapper, score
            if wrapper.fits(page) >= 1.0:
                break
    return best
