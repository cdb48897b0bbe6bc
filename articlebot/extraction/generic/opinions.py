"""What another extractor takes for the article, and what all agree on best: asked only where the classifier is unsure.

The choice is one of minimum Bayes risk (Kumar and Byrne, "Minimum Bayes-Risk Decoding for Statistical Machine
Translation", 2004): of several bodies, the one whose expected F1 is highest when the classifier's probabilities and
each reading have a vote on what the article is. A reading that is alone loses; two that agree win where the classifier
has no firm opinion, as on pages of a kind it never saw.
"""

from __future__ import annotations

import functools
import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from articlebot.extraction.generic.features import Array
from articlebot.extraction.generic.notices import is_notice
from articlebot.page.blocks import Block
from articlebot.page.page import Page
from articlebot.page.text import squash

Choice = NDArray[np.bool_]
_T = TypeVar("_T")

# Votes of the classifier and of each reading: both readings together must not outvote a classifier that is certain.
_OWN: Final = 1.5
_READING: Final = 0.6
_SAME: Final = 0.9  # the second reading costs as much as the first and from here on changes no mean by more than .001
_SHORT: Final = 12
_LONG: Final = 150
_EDGE: Final = 60
_NEAR: Final = np.ones(9)


def text_of(page: Page, *, precise: bool, fast: bool = True, tree: etree._Element | None = None) -> str:
    """The page's article by trafilatura in its normal or its precise mode; "" where it fails.

    Args:
        fast: without asking further extractors whether they have more: a third cheaper, and as a vote worth the same.
        tree: from :func:`parsed`, where the page is asked for twice; it is not changed.
    """
    import trafilatura  # noqa: PLC0415  0.4 s to import, and most pages never need it

    source = page.text if tree is None else tree
    options: dict[str, Any] = {
        "favor_precision": precise,
        "fast": fast,
        "include_comments": False,
        "with_metadata": False,
    }
    return _quietly(lambda: trafilatura.extract(source, url=page.url or None, **options)) or ""


def parsed(page: Page) -> etree._Element | None:
    """The page as trafilatura parses it, None where it fails."""
    import trafilatura  # noqa: PLC0415

    return _quietly(lambda: trafilatura.load_html(page.text))


def _quietly(call: Callable[[], _T]) -> _T | None:
    """What trafilatura gives, None where it fails."""
    logger = logging.getLogger("trafilatura")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        return call()
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
        return None
    finally:
        logger.setLevel(level)


def heard(
    page: Page, blocks: Sequence[Block], lengths: Array, own: Choice, hear: Callable[..., str] | None = None
) -> list[Choice]:
    """The two readings of a page; where the first agrees with the classifier, it stands for the second as well.

    Args:
        lengths: of each block, in words.
        own: the classifier's choice.
        hear: gives the texts; by default `text_of`, which then parses the page once.
    """
    if hear is None:
        hear = functools.partial(text_of, tree=parsed(page))
    keys = [squash(block.text) for block in blocks]

    def read(*, precise: bool) -> Choice:
        found = reading(keys, lengths, hear(page, precise=precise))
        for index in np.flatnonzero(found).tolist():
            found[index] = not is_notice(blocks[index].text)
        return found

    normal = read(precise=False)
    return [normal, normal if overlap(lengths, own, normal) >= _SAME else read(precise=True)]


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


def agreed(own: Choice, chances: Array, lengths: Array, read: Sequence[Choice]) -> tuple[Choice, float]:
    """The body that agrees best with the classifier and the readings, and how well, 0..1.

    It is the classifier's own choice, that with what a reading has between its first and last block, or a reading.

    Args:
        own: the classifier's choice, not empty.
        chances: its probability of each block.
        lengths: of each block, in words.
        read: from :func:`heard`.
    """
    inside = np.flatnonzero(own)
    between = slice(inside[0], inside[-1])
    choices = [own]
    for reading in reversed(read):
        filled = own.copy()
        filled[between] |= reading[between]
        choices.append(filled)
    choices += read
    votes: list[tuple[float, Array | Choice]] = [(_OWN, chances), *((_READING, reading) for reading in read)]
    whole = sum(weight for weight, _ in votes)
    scores = [sum(weight * overlap(lengths, vote, choice) for weight, vote in votes) / whole for choice in choices]
    best = int(np.argmax(scores))
    return choices[best], scores[best]


def overlap(lengths: Array, one: Array | Choice, other: Array | Choice) -> float:
    """F1 of one choice of blocks against another; expected F1 where one of them is probabilities."""
    both = float((lengths * one * other).sum())
    return 2 * both / max(float((lengths * one).sum() + (lengths * other).sum()), 1e-6)
