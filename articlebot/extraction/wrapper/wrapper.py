"""A site's learned wrapper: rules with what applies them."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from articlebot.extraction.clean_html import of_blocks
from articlebot.extraction.fields.images import images_of
from articlebot.extraction.model import Extracted
from articlebot.extraction.place import common_ancestor
from articlebot.extraction.wrapper import model
from articlebot.extraction.wrapper.fields import Fields
from articlebot.extraction.wrapper.labels import ADDRESS, Witness
from articlebot.extraction.wrapper.learn import learn_rules
from articlebot.extraction.wrapper.model import Rules
from articlebot.extraction.wrapper.overrides import Hand
from articlebot.extraction.wrapper.reading import Reader, Reading
from articlebot.extraction.wrapper.witnesses import generic

if TYPE_CHECKING:
    from articlebot.page.page import Page

FITS = 0.5
_MIN_UNITS = 30.0
_NEAR = 4  # elements beside those of headline and body that are looked at
_END = 4  # blocks at either end of a body that bylines and datelines may stand beside


class Wrapper:
    """The rules of one template of one site, ready to be applied. Never raises for page content.

    Args:
        rules: learned or read from JSON; hand-written overrides in them win over what was learned.

    Raises:
        StateError: an override or pattern that cannot be read.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._reader = Reader(rules)
        self._fields = Fields(rules)
        self._hand = Hand(rules.overrides)
        self._fit = 0.0
        self._last: tuple[weakref.ref[Page], Reading] | None = None

    def __repr__(self) -> str:
        r = self.rules
        return f"<Wrapper {r.site} v{r.version}.{r.template} from {r.pages} pages, confidence {r.confidence:.2f}>"

    def fits(self, page: Page) -> float:
        """How well a page fits, 0 (another template) to 1; from 0.5 on the wrapper is to be applied."""
        if page.tree is None:
            return 0.0
        if self._last is None or self._last[0]() is not page:
            self._read(page)
            self._fit = self._measured(page)
        return self._fit

    def _measured(self, page: Page) -> float:
        if self._hand.has_body:
            return 1.0 if self._read(page).kept else 0.0
        reading = self._read(page)
        length = reading.units
        if not reading.containers or length < _MIN_UNITS:
            return 0.0
        linked = sum(b.units * b.link_share for b in reading.kept if b.links and not ADDRESS.search(b.text))
        # the container itself is the better part of the evidence: short articles are articles
        score = 0.6 + 0.4 * min(1.0, length / max(_MIN_UNITS, 0.5 * min(self.rules.typical.low, 600.0)))
        score *= 1.0 if linked < 0.4 * length else 0.5
        if length > 12.0 * max(self.rules.typical.high, 2000.0):
            score *= 0.5
        return score

    def apply(self, page: Page) -> Extracted | None:
        """What the wrapper finds; None where the page does not fit. Fields without a learned rule stay empty.

        A page that does not fit what was learned, or of whose site nothing was, keeps what a person's selectors find.
        """
        fit = self.fits(page)
        if fit < FITS:
            by_hand = None if page.tree is None else self._hand.over(Extracted(), page)
            return by_hand if by_hand is not None and by_hand.origin else None
        reading = self._read(page)
        found = self._fields.read(page, reading.named)
        images = images_of(page, reading.images, reading.captions)
        found = replace(
            found,
            body="\n".join(line.text for line in reading.kept),
            html=of_blocks(page, reading.kept, images),
            images=tuple(image for _, image in images),
            cut=tuple(reading.cut),
            kind="article",
        )
        confidence = {**found.confidence, "body": round(fit * (0.5 + 0.5 * self.rules.confidence), 3)}
        origin = {**found.origin, "body": self.name, "html": self.name, "images": self.name}
        return self._hand.over(replace(found, confidence=confidence, origin=origin), page)

    def region(self, page: Page) -> tuple[Any | None, frozenset[Any]] | None:
        """Where to look for what stands beside the body, None on a page without one.

        Returns:
            The innermost element that holds headline and body, None where the headline is not found; and elements
            where nothing of the kind stands: those of the body's middle and those far before or behind both.
        """
        if self.fits(page) < FITS or not (reading := self._read(page)).containers:
            return None
        titles = reading.named.get(self.rules.title) or page.by_tag["h1"]
        near = [*reading.containers, *titles[:1]]
        root = common_ancestor(near) if titles else None
        far = _far(root, near) if root is not None else []
        elements = [line.element for line in reading.kept]
        ends = {e for end in (*elements[:_END], *elements[-_END:]) for e in (end, *end.iterancestors())}
        return root, (frozenset(elements) - ends).union(far)

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
        if self._last is not None and self._last[0]() is page:
            return self._last[1]
        reading = self._hand.reading(page, self._reader) if self._hand.has_body else self._reader.read(page)
        self._last = (weakref.ref(page), reading)
        return reading


def _far(root: Any, near: Sequence[Any]) -> list[Any]:
    """The children of an element that stand well before or behind those that are or hold one of ``near``."""
    branches = [_branch(root, element) for element in near]
    if None in branches:  # the element itself is near
        return []
    places = [root.index(branch) for branch in branches]
    return [*root[: max(0, min(places) - _NEAR)], *root[max(places) + 1 + _NEAR :]]


def _branch(root: Any, element: Any) -> Any | None:
    """The child of ``root`` that is or holds an element, None where ``root`` itself is the element."""
    while element is not None and element.getparent() is not root:
        element = element.getparent()
    return element


def learn(
    pages: Iterable[Page], *, site: str = "", witnesses: Sequence[Witness] | None = None, now: float | None = None
) -> list[Wrapper]:
    """One wrapper for each template of a site, most frequent first; empty where its pages agree on nothing.

    A pure function of its arguments, made to be called in a process pool: reading 50 pages takes seconds.

    Args:
        pages: of one site, without labels; from three on, better 10 to 50. Other kinds of pages may be among them.
        witnesses: extract the article text of a page by itself; by default those of `witnesses.generic`.
        now: epoch seconds, kept as the time of learning.
    """
    rules = learn_rules(pages, site, generic() if witnesses is None else witnesses)
    return [Wrapper(replace(r, learned_at=now)) for r in rules]


def choose(wrappers: Sequence[Wrapper], page: Page) -> Wrapper | None:
    """The wrapper that fits a page best, hand-written ones first; None where none fits."""
    best: Wrapper | None = None
    best_score = 0.0
    for wrapper in wrappers:
        score = wrapper.fits(page) + (1.0 if wrapper.rules.overrides else 0.0)
        if wrapper.fits(page) >= FITS and score > best_score:
            best, best_score = wrapper, score
            if best_score >= 1.0 and wrapper.rules.template == 0:
                break
    return best
