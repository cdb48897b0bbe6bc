"""What another extractor takes for the article: asked on the few pages that the classifier is unsure of.

Its reading is one more feature of each block beside the classifier's probability; what it is worth is learned
(`benchmarks/train_blocks.py`), so it raises what is doubtful and brings in nothing that is hardly possible.
"""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from articlebot.extraction.generic.features import Array
from articlebot.page.page import Page
from articlebot.page.text import squash

Choice = NDArray[np.bool_]

_SHORT: Final = 12
_LONG: Final = 150
_EDGE: Final = 60
_NEAR: Final = np.ones(9)
_FAILURES: Final = (
    etree.LxmlError, ValueError, TypeError, AttributeError, KeyError, IndexError, RecursionError, AssertionError,
)  # fmt: skip


def text_of(page: Page, **options: Any) -> str:
    """The page's article by trafilatura with these options of its own; "" where it fails.

    By default it asks no further extractors whether they have more: a third cheaper and worth the same.
    """
    import trafilatura  # noqa: PLC0415  0.4 s to import, and most pages never need it

    logger = logging.getLogger("trafilatura")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        asked: dict[str, Any] = {"fast": True, "include_comments": False, "with_metadata": False, **options}
        found = trafilatura.extract(page.text, url=page.url or None, **asked)
    except _FAILURES:
        return ""
    finally:
        logger.setLevel(level)
    return found or ""


def compared(chances: Array, lengths: Array, read: Choice) -> Array:
    """What the chances are weighed by in view of a reading, a row per block.

    The log-odds; whether the reading has the block, how much of what is likely the reading has, and how much of what it
    has is likely, each alone and with the first; and that a reading which is much the same leaves the block out.

    Args:
        lengths: of each block, in words.
        read: from :func:`reading`.
    """
    likely, has = lengths * chances, read.astype(np.float32)
    both = float((likely * has).sum())
    share = np.full(len(has), both / max(float(likely.sum()), 1e-6))
    right = np.full(len(has), both / max(float((lengths * has).sum()), 1e-6))
    rows = [log_odds(chances), has, has * share, share, has * right, right, (1 - has) * share * right]
    return np.stack(rows, axis=1, dtype=np.float32)


def log_odds(chances: Array) -> Array:
    """The logit of probabilities, finite for 0 and 1."""
    inside = np.clip(chances, 1e-6, 1 - 1e-6)
    return np.asarray(np.log(inside / (1 - inside)), dtype=np.float32)


def probability(odds: NDArray[np.floating[Any]]) -> Array:
    """The inverse of :func:`log_odds`."""
    return np.asarray(1.0 / (1.0 + np.exp(-odds)), dtype=np.float32)


def reading(keys: Sequence[str], lengths: Array, text: str) -> Choice:
    """Which blocks a text consists of.

    Args:
        keys: each block's text, squashed.
        lengths: of each block, in words.
    """
    return _without_copies(keys, lengths, _covered(keys, text), text)


def _covered(keys: Sequence[str], text: str) -> Choice:
    """Blocks that a text holds; a short one where the text goes on with it, or as a line of its own."""
    body = squash(text)
    lines = {squash(line) for line in text.split("\n")}
    found = np.zeros(len(keys), dtype=np.bool_)
    end = -1  # of the block found last
    for index, key in enumerate(keys):
        if not key:  # punctuation alone goes with what is before it
            found[index] = index > 0 and found[index - 1]
        elif end >= 0 and body.startswith(key, end):
            found[index] = True
            end += len(key)
        elif len(key) < _SHORT:
            found[index] = key in lines
        else:
            tail = key if len(key) < _LONG else key[-_EDGE:]
            start = body.find(tail, max(end, 0))
            start = body.find(tail) if start < 0 and end > 0 else start
            if start >= 0:
                found[index] = len(key) < _LONG or key[:_EDGE] in body
                end = start + len(tail)
    return found


def _without_copies(keys: Sequence[str], lengths: Array, found: Choice, text: str) -> Choice:
    """Of blocks that read alike, as many as the text has of them, those among other found blocks first."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for index in np.flatnonzero(found).tolist():
        places[keys[index]].append(index)
    repeated = {key: at for key, at in places.items() if len(at) > 1 and key}
    if not repeated:
        return found
    body = squash(text)
    lines = Counter(squash(line) for line in text.split("\n"))
    size = len(keys)
    near = np.convolve(lengths * found, _NEAR)[4 : 4 + size] / np.maximum(
        np.convolve(lengths, _NEAR)[4 : 4 + size], 1e-6
    )
    for key, at in repeated.items():
        there = max(1, body.count(key) if len(key) >= _SHORT else lines[key])
        found[sorted(at, key=lambda index: -near[index])[there:]] = False
    return found


def overlap(lengths: Array, one: Array | Choice, other: Array | Choice) -> float:
    """F1 of one choice of blocks against another; expected F1 where one of them is probabilities."""
    both = float((lengths * one * other).sum())
    return 2 * both / max(float((lengths * one).sum() + (lengths * other).sum()), 1e-6)
