"""The region of a page that a wrapper looks at, and what the block classifier says of it.

The classifier learned from whole pages. Of a region it is told what the site's other pages have before and behind it,
so that it says nearly the same at a part of the cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from articlebot.extraction.generic import features
from articlebot.extraction.generic.body import MAX_BLOCKS, body_of, hints_of, looked_at
from articlebot.extraction.generic.features import Array
from articlebot.extraction.generic.opinions import overlap, reading
from articlebot.extraction.generic.structure import structure_of
from articlebot.extraction.place import common_ancestor
from articlebot.extraction.wrapper.model import Typical
from articlebot.page.blocks import Block, Node, Walked, walked
from articlebot.page.page import Page
from articlebot.page.tags import INLINE
from articlebot.page.text import squash, units, word_count

_NEAR = 4  # elements beside those of headline and body that are looked at
_PROSE_CHARS = 60  # of a paragraph's own text, from which it is more than a teaser's line
# What one page's blocks are taken for matters little where twenty pages are heard: leaving trafilatura out for all but
# the pages that the block classifier is lost on changed no figure and halved the time of the slowest sites.
_LOST_BELOW = 0.7
_AGREES = 0.85  # of the generic reading's expected F1, that a wrapper's body has to reach
_POSITION, _BEFORE, _AFTER = (features.NAMES.index(name) for name in ("position", "before", "after"))
_SHARES = [
    index for index, name in enumerate(features.NAMES) if name.endswith("_share") and name.startswith(("level", "sig"))
]


def region(page: Page, containers: Sequence[Any], titles: Sequence[Any]) -> Walked:
    """The text and images of the innermost block-level element that holds headline and body.

    Without a headline it is the whole page. Children of that element far before or behind both are passed over.
    """
    near = [*containers, *titles[:1]]
    root = common_ancestor(near) if titles else None
    while root is not None and root.tag in INLINE:
        root = root.getparent()
    if root is None or root.tag == "html":
        return walked(page.tree)
    return walked(root, frozenset(_far(root, near)), _above(root))


def _above(element: Any) -> Node | None:
    """The node of an element's parent with those above it, as the walk over the page makes them."""
    node: Node | None = None
    for one in reversed(list(element.iterancestors())):
        if one.tag != "html" and one.tag not in INLINE and (node is not None or one.tag == "body"):
            node = Node(one, one.tag, node, False, 0)
    return node


def _far(root: Any, near: Sequence[Any]) -> list[Any]:
    """The children of an element without prose that stand well before or behind those that are or hold ``near``."""
    branches = [_branch(root, element) for element in near]
    if None in branches:  # the element itself is near
        return []
    places = [root.index(branch) for branch in branches]
    far = [*root[: max(0, min(places) - _NEAR)], *root[max(places) + 1 + _NEAR :]]
    return [child for child in far if not _has_prose(child)]


def _has_prose(element: Any) -> bool:
    """Whether a paragraph, or a line behind a line break, is more than a teaser's line."""
    return any(
        len(text) >= _PROSE_CHARS
        for one in element.iter("p", "br")
        if (text := one.text if one.tag == "p" else one.tail) is not None
    )


def _branch(root: Any, element: Any) -> Any | None:
    """The child of ``root`` that is or holds an element, None where ``root`` itself is the element."""
    while element is not None and element.getparent() is not root:
        element = element.getparent()
    return element


def beside(walk: Walked, page: Page) -> tuple[int, int, float, float]:
    """Blocks before and behind a region of its page, and words before and behind it."""
    blocks = page.blocks
    if not walk.blocks:
        return 0, 0, 0.0, 0.0
    at = {(block.element, block.text): block.index for block in reversed(blocks)}
    first = at.get((walk.blocks[0].element, walk.blocks[0].text), 0)
    last = at.get((walk.blocks[-1].element, walk.blocks[-1].text), len(blocks) - 1)
    words = [sum(word_count(block.text) for block in part) for part in (blocks[:first], blocks[last + 1 :])]
    return first, max(0, len(blocks) - 1 - last), words[0], words[1]


def elsewhere(walk: Walked, page: Page, length: float) -> float:
    """Characters of the page's paragraphs outside a region, as a part of the body's length in units."""
    inside = {block.element for block in walk.blocks}
    outside = 0
    for element in page.by_tag["p"]:
        if element not in inside and len(text := element.text or "") >= _PROSE_CHARS:
            outside += units(text)
    return outside / max(1.0, length)


def agreement(page: Page, text: str, sure_from: float = _LOST_BELOW) -> tuple[float, float]:
    """How far a text is what generic extraction takes for the page's article, as expected F1, and that of its own."""
    body = body_of(page, sure_from=sure_from)
    blocks = page.blocks[: len(body.chances)]
    lengths = np.array([word_count(block.text) for block in blocks], dtype=np.float32)
    shared = overlap(lengths, body.chances, reading([squash(block.text) for block in blocks], lengths, text))
    return shared, body.confidence


def classified(page: Page) -> str:
    """The article's text as the generic block classifier sees it."""
    return "\n".join(block.text for block in body_of(page, sure_from=_LOST_BELOW).kept)


def contradicted(page: Page, text: str) -> bool:
    """Whether the generic rules, which look at the whole page, find far more or other text than this."""
    shared, sure = agreement(page, text, sure_from=0.0)
    return shared < _AGREES * sure


def judged(blocks: list[Block], page: Page, around: Typical) -> Array:
    """The chance of each block of a region to belong to the article.

    Args:
        around: how many blocks and words the site's pages have before and behind the region.
    """
    if not blocks or len(blocks) > MAX_BLOCKS:
        return np.zeros(len(blocks), dtype=np.float32)
    structure = structure_of(blocks)
    base = features.compute(blocks, structure, hints_of(page))
    count, words = len(blocks), max(1.0, float(np.expm1(base[:, 0]).sum()))
    before, behind = around.words_before, around.words_behind
    all_words = before + words + behind
    all_blocks = around.blocks_before + count + around.blocks_behind
    base[:, _POSITION] = (around.blocks_before + base[:, _POSITION] * count) / all_blocks
    base[:, _BEFORE] = (before + base[:, _BEFORE] * words) / all_words
    base[:, _AFTER] = (behind + base[:, _AFTER] * words) / all_words
    base[:, _SHARES] *= words / all_words
    return looked_at(base, structure)[0]
