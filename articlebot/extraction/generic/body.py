"""Which blocks of a page are its article.

A classifier looks at each block. Where it is sure of the page as a whole, that is the answer, at a part of the cost of
any full extractor. Where it is not, trafilatura reads the page too, and the body that all of them agree on best wins.
"""

from __future__ import annotations

import functools
import gzip
import json
from collections.abc import Sequence
from importlib import resources
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from articlebot.extraction.generic import features, opinions
from articlebot.extraction.generic.features import Array, PageHints
from articlebot.extraction.generic.notices import is_notice
from articlebot.extraction.generic.trees import Trees
from articlebot.page.blocks import Block
from articlebot.page.metadata import article_nodes, document_title
from articlebot.page.page import Page

_THRESHOLD: Final = 0.4
SURE: Final = 0.97
_MAX_BLOCKS: Final = 8000
_LIKELY: Final = 0.05
_NOTICE: Final = 0.01
_MAX_OPINION_CHARS: Final = 3_000_000


class Body(NamedTuple):
    """The article's blocks in page order.

    Attributes:
        kept: empty where the page has no text at all.
        chances: of every block of the page looked at, the probability that it belongs to the article.
        rule: ``blocks`` or, where other extractors were asked, ``blocks+trafilatura``.
        confidence: expected F1 of the body, from the probabilities, and from the readings where there are any.
    """

    kept: list[Block]
    chances: Array
    rule: str
    confidence: float


def body_of(page: Page, *, sure_from: float = SURE) -> Body:
    """The article's blocks of a page.

    Args:
        sure_from: expected F1 from which no other extractor is asked; 0: never, 1: always.
    """
    blocks = page.blocks[:_MAX_BLOCKS]
    if not blocks:
        return Body([], np.zeros(0, dtype=np.float32), "none", 0.0)
    base = features.compute(blocks, hints_of(page))
    chances = without_notices(blocks, _model().probabilities(base))
    lengths = np.expm1(base[:, 0])
    keep = chosen(chances)
    confidence = opinions.overlap(lengths, chances, keep)
    rule = "blocks"
    if confidence < sure_from and len(page.text) < _MAX_OPINION_CHARS and len(page.blocks) <= _MAX_BLOCKS:
        keep, confidence = opinions.agreed(keep, chances, lengths, opinions.heard(page, blocks, lengths, keep))
        rule = "blocks+trafilatura"
    return Body([block for block, kept in zip(blocks, keep, strict=True) if kept], chances, rule, confidence)


def without_notices(blocks: Sequence[Block], chances: Array) -> Array:
    """The classifier's probabilities, next to none for lines whose wording belongs to no article."""
    for index in np.flatnonzero(chances > _LIKELY).tolist():
        if is_notice(blocks[index].text):
            chances[index] *= _NOTICE  # not 0: on a page of nothing else the likeliest is left
    return chances


def chosen(chances: Array) -> NDArray[np.bool_]:
    """The blocks above the threshold, the likeliest one where none is."""
    return np.asarray(chances > min(_THRESHOLD, float(chances.max()) * 0.999))


def hints_of(page: Page) -> PageHints:
    """What the page's head says about its article, for comparison with the blocks."""
    title = next(iter(page.meta.get("og:title", ())), "") or document_title(page.tree)
    description = next((page.meta[key][0] for key in ("og:description", "description") if key in page.meta), "")
    stated = [text for node in article_nodes(page.jsonld) if isinstance(text := node.get("articleBody"), str)]
    return PageHints(title, description, max(stated, key=len, default=""))


@functools.cache
def _model() -> Trees:
    packed = resources.files(__package__).joinpath("blocks.json.gz").read_bytes()
    return Trees(json.loads(gzip.decompress(packed)))
