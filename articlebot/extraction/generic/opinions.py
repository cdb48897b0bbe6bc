"""What other extractors take for the article, block by block: asked only where the own classifiers are unsure."""

from __future__ import annotations

import logging
from typing import Final

import numpy as np
from lxml import etree

from articlebot.extraction.generic.blocks import Block
from articlebot.extraction.generic.features import Array, squash
from articlebot.extraction.page import Page

NAMES: Final[list[str]] = [f"{name}_{what}" for name in ("normal", "precise") for what in ("has", "near", "agrees")]
_SHORT: Final = 12
_LONG: Final = 150
_EDGE: Final = 60


def load() -> None:
    """Imports trafilatura, which takes 0.4 s and is not needed by most pages."""
    import trafilatura  # noqa: F401, PLC0415  see above


def bodies(page: Page) -> list[str]:
    """The page's article by trafilatura in its normal and its precise mode; "" where it fails."""
    import trafilatura  # noqa: PLC0415  0.4 s to import, and most pages never need it

    found = []
    logger = logging.getLogger("trafilatura")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        for precise in (False, True):
            try:
                text = trafilatura.extract(
                    page.text,
                    url=page.url or None,
                    favor_precision=precise,
                    include_comments=False,
                    with_metadata=False,
                )
            except (
                etree.LxmlError,
                ValueError,
                TypeError,
                AttributeError,
                KeyError,
                IndexError,
                RecursionError,
                AssertionError,
            ):
                text = None
            found.append(text or "")
    finally:
        logger.setLevel(level)
    return found


def compute(blocks: list[Block], rows: Array, first: Array, candidates: list[str]) -> Array:
    """``rows`` with one column per :data:`NAMES` added.

    Args:
        rows: features of the blocks, the first column ``units``.
        first: the first classifier's probabilities.
        candidates: from :func:`bodies`.
    """
    unit = np.expm1(rows[:, 0])
    ones = np.ones(9)
    near = np.maximum(np.convolve(unit, ones)[4 : 4 + len(unit)], 1e-6)
    columns = []
    for candidate in candidates:
        has = covered(blocks, candidate)
        both = 2 * float((has * unit * first).sum()) / max(float((has * unit).sum() + (unit * first).sum()), 1e-6)
        columns += [has, np.convolve(has * unit, ones)[4 : 4 + len(unit)] / near, np.full(len(unit), both)]
    return np.hstack([rows, np.stack(columns, axis=1).astype(np.float32)])


def covered(blocks: list[Block], candidate: str) -> np.ndarray:
    """1 for blocks whose text the candidate holds, 0 for others; short ones must be a line of it."""
    body = squash(candidate)
    lines = {squash(line) for line in candidate.split("\n")}
    values = []
    for block in blocks:
        key = squash(block.text)
        if len(key) < _SHORT:
            values.append(float(key in lines))
        elif len(key) < _LONG:
            values.append(float(key in body))
        else:
            values.append((float(key[:_EDGE] in body) + float(key[-_EDGE:] in body)) / 2)
    return np.array(values)
