"""Extractors that judge one page by itself, as evidence for the learner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trafilatura
from lxml import etree

from articlebot.extraction.cascade import extract
from articlebot.extraction.wrapper.labels import Witness

if TYPE_CHECKING:
    from articlebot.extraction.page import Page


def generic() -> tuple[Witness, ...]:
    """The witnesses used by default: they err differently, which is what makes their agreement worth something."""
    return (cascade, balanced, precise)


def cascade(page: Page) -> str:
    """articlebot's own generic extraction."""
    return extract(page).body


def balanced(page: Page) -> str:
    """trafilatura with its own settings."""
    return _trafilatura(page, precise=False)


def precise(page: Page) -> str:
    """trafilatura told to rather leave out than take in."""
    return _trafilatura(page, precise=True)


def _trafilatura(page: Page, *, precise: bool) -> str:
    tree: Any = page.tree
    source = etree.tostring(tree, encoding="unicode", method="html")
    return trafilatura.extract(source, include_comments=False, favor_precision=precise, fast=False) or ""
