"""The region of a page that a wrapper looks at, and what the block classifier says of it.

The classifier learned from whole pages. Of a region it is told what the site's other pages have before and behind it,
so that it says nearly the same at a part of the cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from articlebot.extraction.generic import features
from articlebot.extraction.generic.body import (
    MAX_BLOCKS,
    body_of,
    hints_of,
    looked_at,
    said_by_readers,
    without_comments,
)
from articlebot.extraction.generic.features import Array
from articlebot.extraction.generic.opinions import overlap, reading
from articlebot.extraction.generic.structure import structure_of
from articlebot.extraction.place import common_ancestor
from articlebot.extraction.wrapper.model import Amounts, Typical
from articlebot.page.blocks import Block, Node, Walked
from articlebot.page.page import Page
from articlebot.page.tags import INLINE
from articlebot.page.text import squash, units, word_count
from articlebot.page.walk import walked

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


class Beside(NamedTuple):
    """What a page has beside a region.

    Attributes:
        sums: blocks before and behind it, words before and behind it, elements before and behind it.
        outer: of the element that the region fills and those that hold it, outermost first, what they have besides:
            blocks, characters, characters in links, words.
    """

    sums: tuple[float, ...]
    outer: list[Amounts]


def beside(walk: Walked, page: Page) -> Beside:
    """What a page has beside a region of it."""
    blocks = page.blocks
    if not walk.blocks:
        return Beside((0, 0, 0, 0, 0, 0), [])
    at = {(block.element, block.text): block.index for block in reversed(blocks)}
    first = at.get((walk.blocks[0].element, walk.blocks[0].text), 0)
    last = at.get((walk.blocks[-1].element, walk.blocks[-1].text), len(blocks) - 1)
    upto = [0.0, *accumulate(word_count(block.text) for block in blocks)]
    words = upto[first], upto[-1] - upto[last + 1]
    whole = {node.element: node for block in blocks for node in block.node.ancestors()}
    inside = upto[last + 1] - upto[first]
    outer: list[Amounts] = []
    root, *above = _holders(walk.blocks)
    for node in (root, *above):
        full = whole.get(node.element, root)
        held = full.blocks - root.blocks, full.chars - root.chars, full.link_chars - root.link_chars
        outer.append((*held, max(0.0, upto[full.last] - upto[full.first] - inside)))
    return Beside((first, len(blocks) - 1 - last, *words, *_elements(walk.blocks, page)), outer[::-1])


def _holders(blocks: Sequence[Block]) -> list[Node]:
    """The node that a region fills and those that hold it, innermost first."""
    chain = [*blocks[0].node.ancestors()]
    return chain[max(number for number, node in enumerate(chain) if node.blocks) :]


def _elements(blocks: Sequence[Block], page: Page) -> tuple[int, int]:
    """How many elements a page has before and behind these blocks; those beyond the first 200,000 do not count."""
    try:
        first = page.elements.index(blocks[0].element)
        return first, len(page.elements) - 1 - page.elements.index(blocks[-1].element, first)
    except ValueError:
        return 0, 0


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
        around: what the site's pages have beside the region.
    """
    if not blocks or len(blocks) > MAX_BLOCKS:
        return np.zeros(len(blocks), dtype=np.float32)
    # A page with a longer menu or more comments than the site's others has more elements, too.
    usual = (around.elements_before, around.elements_behind)
    scales = [own / mean if mean else 1.0 for own, mean in zip(_elements(blocks, page), usual, strict=True)]
    structure = structure_of(blocks, _widened(blocks, around, scales))
    hints = hints_of(page)
    base = features.compute(blocks, structure, hints)
    lengths = np.expm1(base[:, 0])
    count, words = len(blocks), max(1.0, float(lengths.sum()))
    before, behind = around.words_before * scales[0], around.words_behind * scales[1]
    all_words = before + words + behind
    blocks_before = around.blocks_before * scales[0]
    all_blocks = blocks_before + count + around.blocks_behind * scales[1]
    base[:, _POSITION] = (blocks_before + base[:, _POSITION] * count) / all_blocks
    base[:, _BEFORE] = (before + base[:, _BEFORE] * words) / all_words
    base[:, _AFTER] = (behind + base[:, _AFTER] * words) / all_words
    base[:, _SHARES] *= words / all_words
    said, told = said_by_readers(blocks, base, hints)
    return without_comments(looked_at(base, structure)[0], lengths, said, told=told)


def _widened(blocks: Sequence[Block], around: Typical, scales: Sequence[float]) -> dict[Node, float]:
    """Counts in the nodes around a region what the site's pages have in them besides; returns the words of that."""
    blocks_beside = around.blocks_before + around.blocks_behind
    now = around.blocks_before * scales[0] + around.blocks_behind * scales[1]
    scale = now / blocks_beside if blocks_beside else 1.0
    beyond: dict[Node, float] = {}
    root, *above = _holders(blocks)
    own = root.blocks, root.chars, root.link_chars
    for node in (root, *above):
        if node.depth < len(around.outer):
            more = [round(scale * amount) for amount in around.outer[node.depth]]
            node.blocks, node.chars, node.link_chars = (have + add for have, add in zip(own, more, strict=False))
            node.first, node.last = 0, len(blocks)
            beyond[node] = more[-1]
    return beyond
