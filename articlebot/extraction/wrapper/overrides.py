"""Hand-written selectors: they win over everything that was learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lxml import cssselect, etree

from articlebot.errors import StateError
from articlebot.extraction.fields.dates import read_shown
from articlebot.extraction.fields.info_line import before_date
from articlebot.extraction.fields.person_names import split_names
from articlebot.extraction.model import Extracted
from articlebot.extraction.wrapper.model import Overrides
from articlebot.extraction.wrapper.paths import outermost
from articlebot.extraction.wrapper.reading import Line, Reader, Reading, in_order
from articlebot.page.blocks import Walked, paragraphs
from articlebot.page.page import Page
from articlebot.page.text import fold
from articlebot.page.walk import walked
from articlebot.text import language

_LANGUAGE_CHARS = 1500


class Hand:
    """The selectors of a person, compiled once.

    Raises:
        StateError: a selector that cannot be read.
    """

    def __init__(self, overrides: Overrides) -> None:
        self._selectors = {
            name: compiled(getattr(overrides, name))
            for name in ("title", "body", "author", "date", "source")
            if getattr(overrides, name)
        }
        self._cut = [compiled(selector) for selector in overrides.cut]

    @property
    def has_body(self) -> bool:
        """Whether a person said where the body stands."""
        return "body" in self._selectors

    def reading(self, page: Page, reader: Reader) -> Reading:
        """The body that the selector names, without what the ``cut`` selectors name."""
        found = [e for e in self._selectors["body"](page.tree) if isinstance(getattr(e, "tag", None), str)]
        roots = in_order(page.tree, outermost(found)) if found else []
        dropped = {e for select in self._cut for e in select(page.tree)}
        reading = Reading(reader.named(page), roots, _joined([walked(root) for root in roots]))
        for block in paragraphs(reading.walk.blocks):
            rule = "" if dropped.isdisjoint((block.element, *block.element.iterancestors())) else "hand"
            reading.lines += [Line(line, rule, 1.0, kept=not rule) for line in block.lines]
        return reading

    def over(self, found: Extracted, page: Page) -> Extracted:
        """The extraction with the fields that a person's selectors give."""
        values: dict[str, Any] = {}
        for name in ("title", "author", "source", "date"):
            text = self._text(name, page)
            if not text:
                continue
            if name == "author":
                # The one element of the names may hold the date behind them, too: whatever gives more of them.
                names, others = split_names(text), split_names(before_date(text))
                values["authors"] = tuple(others if len(others) > len(names) else names) or (text,)
            elif name == "date":
                stamp = read_shown(text, page, language(found.body[:_LANGUAGE_CHARS]))
                if stamp is not None:
                    values["published"], values["published_at"] = stamp
            else:
                values[name] = text
        marks = ["body", *values] if self.has_body and found.body else list(values)
        return replace(
            found,
            **values,
            origin={**found.origin, **dict.fromkeys(marks, "hand")},
            confidence={**found.confidence, **dict.fromkeys(marks, 1.0)},
        )

    def _text(self, name: str, page: Page) -> str:
        select = self._selectors.get(name)
        if select is None:
            return ""
        for found in select(page.tree):
            text = fold(found if isinstance(found, str) else "".join(found.itertext()) or found.get("content") or "")
            if text:
                return text
        return ""


def compiled(selector: str) -> Any:
    """A selector as a function of the tree.

    Raises:
        StateError: neither CSS nor XPath.
    """
    try:
        if selector.lstrip()[:1] in ("/", "(") or selector.startswith("./"):
            return etree.XPath(selector)
        return cssselect.CSSSelector(selector, translator="html")
    except (etree.XPathError, cssselect.SelectorError) as error:
        raise StateError(f"selector {selector!r}: {error}") from None


def _joined(walks: Sequence[Walked]) -> Walked:
    """Several walks as one, in their order."""
    whole = Walked([], [])
    for walk in walks:
        count = len(whole.blocks)
        whole.pictures.extend(picture._replace(before=picture.before + count) for picture in walk.pictures)
        for block in walk.blocks:
            block.index += count
        whole.blocks.extend(walk.blocks)
    return whole
