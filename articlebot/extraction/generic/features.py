"""Numbers about each block of a page, for the block classifier.

Everything that depends on a language is expressed in words (a Chinese or Japanese character is 0.6 of one), and
everything about the tree in levels: a level is an ancestor that holds more blocks than the one below it, so that
wrapping a page in another ``div`` changes nothing.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from articlebot.extraction.generic.characters import Characters
from articlebot.extraction.generic.inside import FAR, INSIDE, chain_of
from articlebot.extraction.generic.structure import LEVELS, Structure
from articlebot.extraction.generic.words import NAME_GROUPS, TEXT_GROUPS, TEXT_PATTERNS
from articlebot.page.blocks import Block, Node
from articlebot.page.text import squash, tokens

Array = NDArray[np.float32]

_TAG_CODES: Final = {
    tag: code
    for code, tags in enumerate(
        (
            "p", "h1", "h2", "h3 h4 h5 h6", "li", "td th", "div", "dd dt", "blockquote", "pre",
            "figcaption caption",
            "article section main", "body", "center", "address", "header footer nav aside", "ul ol dl",
            "tr table tbody",
            "form fieldset label",
        )
    )
    for tag in tags.split()
}  # fmt: skip
_LEVEL: Final = ("units", "density", "blocks", "mean", "share")
_PHRASE_CHARS: Final = 400
# Of the groups of phrases those that the classifier makes anything of.
_PHRASES: Final = {name: TEXT_PATTERNS[list(TEXT_GROUPS).index(name)] for name in "copyright date more share".split()}
# "more" begins its line; a search would look for that beginning behind each character.
_SEARCHES: Final = [pattern.match if name == "more" else pattern.search for name, pattern in _PHRASES.items()]
_FLAGS: Final = np.arange(len(INSIDE))
_OFFSETS: Final = (-3, -2, -1, 1, 2, 3)
_SHIFTED: Final = [0, 1, 11, 6]
_WINDOW: Final = np.ones(9, dtype=np.float32)
_NO_PHRASES: Final = (0.0,) * len(_PHRASES)

_BASE = (
    "units link_density links bold stops commas ends digits upper bars quotes tag breaks chars_per_unit repeats "
    "title_share title_like description position before after ldbody colon starts_lower"
).split()
NAMES: Final[list[str]] = [
    *_BASE,
    *(f"text_{name}" for name in _PHRASES),
    *(f"in_{name}" for name in INSIDE),
    "hidden",
    "depth",
    *(f"class_{name}" for name in NAME_GROUPS),
    *(f"level{n}_{what}" for n in range(LEVELS) for what in _LEVEL),
    *("sig_count sig_units sig_density sig_share in_top top_distance top_ratio from_title own_heading".split()),
    *(f"{what}{offset:+d}" for offset in _OFFSETS for what in ("units", "density", "tag", "ends", "same")),
    *("window_text window_links stated".split()),
]
# Where each group of columns begins.
_PHRASED, _FLAGGED, _HIDDEN, _NAMED, _LEVELLED, _PLACED, _BESIDE = (
    NAMES.index(name)
    for name in (
        f"text_{next(iter(_PHRASES))}", f"in_{INSIDE[0]}", "hidden",
        f"class_{next(iter(NAME_GROUPS))}", "level0_units", "sig_count", f"units{_OFFSETS[0]:+d}",
    )
)  # fmt: skip


class PageHints:
    """What the page's head says, prepared for comparison with blocks.

    Attributes:
        stated: 1 where it calls itself an article, -1 something else (a product, a list, a forum), -0.5 only a website.
    """

    def __init__(self, title: str = "", description: str = "", article_body: str = "", stated: float = 0.0) -> None:
        self.stated = stated
        self.title = title.lower()
        self.title_words = set(tokens(self.title))
        self.description = squash(description)[:60]
        self.article_body = squash(article_body) if len(article_body) > 200 else ""


def compute(blocks: list[Block], structure: Structure, hints: PageHints) -> Array:
    """One row of :data:`NAMES` per block."""
    count = len(blocks)
    seen = Characters([block.text for block in blocks])
    unit = seen.units
    total = float(unit.sum()) or 1.0
    length = seen.lengths
    known = _known(blocks)
    before = np.cumsum(unit) - unit
    places = _inside(blocks)
    compared = _compared(blocks, unit.tolist(), hints).T
    # Filled column by column, because on the few blocks of a page numpy's calls cost more than its numbers.
    made = np.empty((count, len(NAMES)), dtype=np.float32)
    for column, values in enumerate(
        (
            np.log1p(unit),
            known[:, 0] / length,
            np.minimum(known[:, 1], 20),
            np.minimum(known[:, 2] / length, 1),
            seen.stops / unit,
            seen.commas / unit,
            seen.ends,
            seen.digits,
            seen.upper,
            seen.bars,
            seen.quotes,
            known[:, 3],
            known[:, 4],
            length / unit,
            known[:, 5],
            *compared[:3],
            np.arange(count) / count,
            before / total,
            (total - before - unit) / total,
            compared[3],
            seen.colon,
            seen.lower,
        )
    ):
        made[:, column] = values
    made[:, _PHRASED:_FLAGGED] = [
        _phrases(block.text) if len(block.text) <= _PHRASE_CHARS else _NO_PHRASES for block in blocks
    ]
    made[:, _FLAGGED:_HIDDEN] = places[:, :1] >> _FLAGS & 1
    made[:, _HIDDEN:_NAMED] = known[:, 6:]
    made[:, _NAMED:_LEVELLED] = np.minimum(FAR, known[:, 7:] - places[:, 1:])
    made[:, _LEVELLED:_PLACED] = _levels(structure, unit)
    _places(blocks, structure, unit, made)
    _neighbours(blocks, made)
    made[:, -1] = hints.stated
    return made


def _known(blocks: Sequence[Block]) -> Array:
    """What a block's element says of it, and how often its text is on the page."""
    keys = [block.text if len(block.text) < 120 else block.text[:120] for block in blocks]
    repeats = Counter(keys)
    return np.array(
        [
            (
                block.link_chars, block.links, block.marked_chars, _TAG_CODES.get(block.node.tag, 20), block.breaks,
                repeats[key], block.node.hidden, block.node.depth,
            )
            for block, key in zip(blocks, keys, strict=True)
        ],
        dtype=np.float32,
    )  # fmt: skip


def _inside(blocks: Sequence[Block]) -> NDArray[np.int64]:
    """What each block stands in as flags, and at which depth it is called so."""
    chains = [block.node.memo or chain_of(block.node) for block in blocks]
    # Most blocks share theirs with others, and few rows are made faster than many.
    distinct = {id(chain): chain for chain in chains}
    rows = {key: row for row, key in enumerate(distinct)}
    return np.array([(flags, *depths) for flags, depths in distinct.values()])[[rows[id(chain)] for chain in chains]]


def _compared(blocks: Sequence[Block], size: Sequence[float], hints: PageHints) -> Array:
    """Of each block: its share of words of the title, the title's of its, and whether description and body begin so."""
    rows = np.zeros((len(blocks), 4), dtype=np.float32)
    known, body, description = hints.title_words, hints.article_body, hints.description
    for index, block in enumerate(blocks):
        text = block.text
        if known and size[index] < 60:
            words = tokens(text.lower())
            if not known.isdisjoint(words):
                shared = len([word for word in words if word in known])
                rows[index, 0], rows[index, 1] = shared / len(words), shared / len(known)
        # To squash a text takes longer than all else here, and few begin with the description's first letter.
        if body or (description and (not text[0].isalnum() or text[0].lower()[0] == description[0])):
            key = squash(text[:120])[:50]
            if len(key) > 8:
                if body:
                    rows[index, 3] = 1.0 if key in body else -1.0
                if description and (description.startswith(key) or key.startswith(description)):
                    rows[index, 2] = 1.0
    return rows


@functools.lru_cache(maxsize=16384)
def _phrases(text: str) -> tuple[float, ...]:
    """Which groups of phrases are in a short text; menus repeat over the pages of a site, hence the cache."""
    low = text.lower()
    return tuple([1.0 if search(low) else 0.0 for search in _SEARCHES])


def _levels(structure: Structure, unit: Array) -> Array:
    """Sums over each block's levels."""
    inside = structure.sums(unit) + structure.beyond
    linked, chars, held = structure.nodes.T
    total = float(unit.sum()) or 1.0
    return structure.of_levels(np.log1p(inside), linked / chars, np.log1p(held), inside / held, inside / total)


def _places(blocks: list[Block], structure: Structure, unit: Array, made: Array) -> None:
    """Statistics of blocks in like places, and the place of the block against the likeliest container and title."""
    count = len(blocks)
    alike_units = structure.of_alike(unit)
    alike = structure.of_alike(np.ones_like(unit))
    total = float(unit.sum()) or 1.0
    top, ratio = _top(blocks, unit, made)
    positions = np.arange(count)
    away = np.where(positions < top[0], positions - top[0], np.where(positions >= top[1], positions - top[1] + 1, 0))
    titles = np.flatnonzero((made[:, 16] > 0.6) & (made[:, 15] > 0.5) & (unit < 60))
    heads = titles[made[titles, 11] == 1] if len(titles) else titles
    title = int(heads[0]) if len(heads) else int(titles[0]) if len(titles) else -1
    from_title = np.minimum(np.maximum(positions - title, -30), 60) if title >= 0 else -40
    for column, values in enumerate(
        (
            np.log1p(alike),
            np.log1p(alike_units / alike),
            structure.of_alike(made[:, 1] * unit) / np.maximum(alike_units, 1e-6),
            alike_units / total,
            away == 0,
            np.minimum(np.maximum(away, -30), 30),
            ratio,
            from_title,
            positions == title,
        ),
        _PLACED,
    ):
        made[:, column] = values


def _top(blocks: list[Block], unit: Array, base: Array) -> tuple[tuple[int, int], Array]:
    """Index range of the node with the most running text close below it, and each block's node's part of that."""
    worth = np.where(
        (base[:, 1] < 0.4) & (unit >= 8),
        np.minimum(unit, 80) * (1 - base[:, 1]) * (0.4 + np.minimum(1, 8 * (base[:, 4] + base[:, 5]))),
        0,
    )
    scores: dict[int, float] = {}
    nodes: dict[int, Node] = {}
    for index in np.flatnonzero(worth).tolist():
        node: Node | None = blocks[index].node
        if node is None or node.hidden:
            continue
        value = float(worth[index])
        for part in (1.0, 1.0, 0.6, 0.3) if node.tag in {"p", "li", "blockquote"} else (1.0, 0.6, 0.3):
            if node is None:
                break
            nodes[id(node)] = node
            scores[id(node)] = scores.get(id(node), 0.0) + value * part
            node = node.parent
    if not scores:
        return (0, len(blocks)), np.zeros(len(blocks), dtype=np.float32)
    best = max(scores, key=lambda key: scores[key] * (1 - nodes[key].link_chars / max(1, nodes[key].chars)))
    highest = scores[best]
    ratio = [max(scores.get(id(block.node), 0.0), scores.get(id(block.node.parent), 0.0)) / highest for block in blocks]
    return (nodes[best].first, nodes[best].last), np.array(ratio, dtype=np.float32)


def _neighbours(blocks: list[Block], made: Array) -> None:
    """What is known of the blocks near by, and whether they have the same parent."""
    count, far = len(blocks), max(_OFFSETS)
    near = np.full((count + 2 * far, len(_SHIFTED)), -1, dtype=np.float32)
    near[far:-far] = made[:, _SHIFTED]
    parents = np.zeros(count + 2 * far, dtype=np.int64)
    parents[far:-far] = own = [id(block.node.parent) for block in blocks]
    column = _BESIDE
    for offset in _OFFSETS:
        made[:, column : column + len(_SHIFTED)] = near[far + offset : far + offset + count]
        made[:, column + len(_SHIFTED)] = parents[far + offset : far + offset + count] == own
        column += len(_SHIFTED) + 1
    units = np.expm1(made[:, 0])
    for values in (units * (1 - made[:, 1]), units * made[:, 1]):
        made[:, column] = np.log1p(np.convolve(values, _WINDOW)[4 : 4 + len(values)])
        column += 1
