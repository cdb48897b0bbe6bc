"""Numbers about each block of a page, for the block classifier.

Everything that depends on a language is expressed in words (a Chinese or Japanese character is 0.6 of one), and
everything about the tree in levels: a level is an ancestor that holds more blocks than the one below it, so that
wrapping a page in another ``div`` changes nothing.
"""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from articlebot.extraction.generic.words import (
    NAME_GROUPS,
    SENTENCE_END,
    TEXT_GROUPS,
    TEXT_PATTERNS,
    commas,
    name_hits,
    stops,
)
from articlebot.page.blocks import Block, Node
from articlebot.page.text import squash, tokens, word_count

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
_INSIDE: Final = ("nav", "header", "footer", "aside", "form", "figure", "article", "main", "li", "table", "blockquote")
_INSIDE_INDEX: Final = {tag: index for index, tag in enumerate(_INSIDE)} | {"figcaption": 5, "section": -1}
_FAR: Final = 12.0
_LEVELS: Final = 4
_LEVEL: Final = ("units", "density", "blocks", "mean", "share")
_PHRASE_CHARS: Final = 400
_NOTHING_ABOVE: Final = (0.0,) * len(_INSIDE), (-int(_FAR),) * len(NAME_GROUPS)
_NO_PHRASES: Final = (0.0,) * len(TEXT_GROUPS)
_DIGIT = re.compile(r"\d")
_UPPER = re.compile(r"[A-ZÀ-ÖØ-ÞА-ЯΑ-Ω]")

_BASE = (
    "units link_density links bold stops commas ends digits upper bars quotes tag breaks chars_per_unit repeats "
    "title_share title_like description ldbody position before after colon starts_lower"
).split()
NAMES: Final[list[str]] = [
    *_BASE,
    *(f"text_{name}" for name in TEXT_GROUPS),
    *(f"in_{name}" for name in _INSIDE),
    "hidden",
    "depth",
    *(f"class_{name}" for name in NAME_GROUPS),
    *(f"level{n}_{what}" for n in range(_LEVELS) for what in _LEVEL),
    *("sig_count sig_units sig_density sig_share in_top top_distance top_ratio from_title own_heading".split()),
    *(f"{what}{offset:+d}" for offset in (-3, -2, -1, 1, 2, 3) for what in ("units", "density", "tag", "ends", "same")),
    *("window_text window_links".split()),
]


class PageHints:
    """What the page's head says, prepared for comparison with blocks."""

    def __init__(self, title: str = "", description: str = "", article_body: str = "") -> None:
        self.title = title.lower()
        self.title_words = set(tokens(self.title))
        self.description = squash(description)[:60]
        self.article_body = squash(article_body) if len(article_body) > 200 else ""


@functools.lru_cache(maxsize=8192)
def _hits(names: str) -> tuple[bool, ...]:
    return name_hits(names)


def _chain(node: Node) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Of a node: flags of the tags it is in, and the depth of the nearest ancestor of each name group."""
    path: list[Node] = []
    above: Node | None = node
    while above is not None and above.memo is None:
        path.append(above)
        above = above.parent
    memo = above.memo if above is not None and above.memo is not None else _NOTHING_ABOVE
    for step in reversed(path):
        flags, depths = memo
        flag = _INSIDE_INDEX.get(step.tag, -1)
        if flag >= 0 and not flags[flag]:
            flags = (*flags[:flag], 1.0, *flags[flag + 1 :])
        if step.names and step.tag != "body":
            hits = _hits(step.names)
            if True in hits:
                depths = tuple([step.depth if hit else depth for hit, depth in zip(hits, depths, strict=True)])
        if flags is not memo[0] or depths is not memo[1]:
            memo = flags, depths
        step.memo = memo
    return memo


def compute(blocks: list[Block], hints: PageHints) -> Array:
    """One row of :data:`NAMES` per block."""
    size = [word_count(block.text) for block in blocks]
    keys = [block.text if len(block.text) < 120 else block.text[:120] for block in blocks]
    repeats = Counter(keys)
    total = sum(size) or 1.0
    own: list[list[float]] = []
    before = 0.0
    for index, block in enumerate(blocks):
        row = _own(block, size[index], hints)
        row[14:14] = [repeats[keys[index]]]
        row[18:18] = [index / len(blocks), before / total, (total - before - size[index]) / total]
        before += size[index]
        row.extend(_phrases(block.text) if len(block.text) <= _PHRASE_CHARS else _NO_PHRASES)
        flags, near = _chain(block.node)
        row.extend(flags)
        row.append(float(block.node.hidden))
        row.append(float(block.node.depth))
        row.extend(near)
        own.append(row)
    base = np.array(own, dtype=np.float32)
    groups = base[:, -len(NAME_GROUPS) :]
    np.minimum(_FAR, base[:, -len(NAME_GROUPS) - 1 :][:, :1] - groups, out=groups)
    unit = np.array(size, dtype=np.float32)
    return np.hstack([base, _levels(blocks, unit), _structure(blocks, unit, base), _neighbours(blocks, base)])


def _own(block: Block, size: float, hints: PageHints) -> list[float]:
    text = block.text
    chars = len(text)
    last = text[-1]
    words = tokens(text.lower()) if hints.title_words and size < 60 else []
    shared = len([word for word in words if word in hints.title_words]) if words else 0
    start = text[:80]
    ldbody = 0.0
    described = 0.0
    if hints.article_body or hints.description:
        key = squash(text[:120])[:50]
        if len(key) > 8:
            if hints.article_body:
                ldbody = 1.0 if key in hints.article_body else -1.0
            described = float(
                bool(hints.description) and (hints.description.startswith(key) or key.startswith(hints.description))
            )
    return [
        math.log1p(size),
        block.link_chars / chars,
        block.links if block.links < 20 else 20.0,
        block.marked_chars / chars if block.marked_chars < chars else 1.0,
        stops(text) / size,
        commas(text) / size,
        1.0 if last in SENTENCE_END else 0.5 if last in ":：," else 0.0,
        len(_DIGIT.findall(start)) / len(start),
        len(_UPPER.findall(start)) / len(start),
        float(text.count("|") + text.count("»") + text.count("›") + text.count(" > ") + text.count("·")),
        float("“" in text or '"' in text or "「" in text),
        float(_TAG_CODES.get(block.node.tag, 20)),
        float(block.breaks),
        chars / size,
        shared / len(words) if words else 0.0,
        shared / len(hints.title_words) if words else 0.0,
        described,
        ldbody,
        float(last in ":：" or "：" in text[:6]),
        float(text[0].islower()),
    ]


@functools.lru_cache(maxsize=16384)
def _phrases(text: str) -> tuple[float, ...]:
    """Which groups of phrases are in a short text; menus repeat over the pages of a site, hence the cache."""
    low = text.lower()
    return tuple([float(pattern.search(low) is not None) for pattern in TEXT_PATTERNS])


def _levels(blocks: list[Block], unit: Array) -> Array:
    """Sums over each block's node and those ancestors that hold more blocks than the level below, nearest first."""
    sums = [0.0, *np.cumsum(unit).tolist()]
    count = len(blocks)
    total = sums[-1] or 1.0
    memo: dict[Node, list[float]] = {}
    rows = []
    for block in blocks:
        row: list[float] = []
        node: Node | None = block.node
        below = -1
        levels = 0
        while node is not None and levels < _LEVELS:
            if node.blocks > below:
                below = node.blocks
                level = memo.get(node)
                if level is None:
                    # a node may go on beyond the blocks looked at
                    inside = sums[node.last if node.last < count else count] - sums[node.first]
                    held = node.blocks or 1
                    level = memo[node] = [
                        math.log1p(inside),
                        node.link_chars / (node.chars or 1),
                        math.log1p(held),
                        inside / held,
                        inside / total,
                    ]
                row += level
                levels += 1
            node = node.parent
        while levels < _LEVELS:
            row += row[-len(_LEVEL) :]
            levels += 1
        rows.append(row)
    return np.array(rows, dtype=np.float32)


def _structure(blocks: list[Block], unit: Array, base: Array) -> Array:
    """Statistics of blocks in like places, and the place of the block against the likeliest container and title."""
    count = len(blocks)
    signatures: dict[tuple[str, str, str, str], int] = {}
    code = np.empty(count, dtype=np.int64)
    for index, block in enumerate(blocks):
        node, parent = block.node, block.node.parent
        key = (node.tag, node.names, parent.tag if parent else "", parent.names if parent else "")
        code[index] = signatures.setdefault(key, len(signatures))
    density = base[:, 1]
    counts = np.bincount(code)
    unit_sums = np.bincount(code, weights=unit)
    link_sums = np.bincount(code, weights=density * unit)
    total = float(unit.sum()) or 1.0
    top, ratio = _top(blocks, unit, base)
    positions = np.arange(count)
    away = np.where(positions < top[0], positions - top[0], np.where(positions >= top[1], positions - top[1] + 1, 0))
    titles = np.flatnonzero((base[:, 16] > 0.6) & (base[:, 15] > 0.5) & (unit < 60))
    heads = titles[base[titles, 11] == 1] if len(titles) else titles
    title = int(heads[0]) if len(heads) else int(titles[0]) if len(titles) else -1
    from_title = np.clip(positions - title, -30, 60) if title >= 0 else np.full(count, -40)
    return np.stack(
        [
            np.log1p(counts[code]),
            np.log1p(unit_sums[code] / counts[code]),
            link_sums[code] / np.maximum(unit_sums[code], 1e-6),
            unit_sums[code] / total,
            away == 0,
            np.clip(away, -30, 30),
            ratio,
            from_title,
            positions == title,
        ],
        axis=1,
    ).astype(np.float32)


def _top(blocks: list[Block], unit: Array, base: Array) -> tuple[tuple[int, int], Array]:
    """Index range of the node with the most running text close below it, and each block's node's part of that."""
    worth = np.where(
        (base[:, 1] < 0.4) & (unit >= 8),
        np.minimum(unit, 80) * (1 - base[:, 1]) * (0.4 + np.minimum(1, 8 * (base[:, 4] + base[:, 5]))),
        0,
    )
    scores: dict[int, float] = {}
    nodes: dict[int, Node] = {}
    for block, value in zip(blocks, worth.tolist(), strict=True):
        if not value or block.node.hidden:
            continue
        node: Node | None = block.node
        for part in (1.0, 1.0, 0.6, 0.3) if block.node.tag in {"p", "li", "blockquote"} else (1.0, 0.6, 0.3):
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


def _neighbours(blocks: list[Block], base: Array) -> Array:
    parents = np.array([id(block.node.parent) for block in blocks])
    columns = []
    for offset in (-3, -2, -1, 1, 2, 3):
        columns += [shifted(base[:, column], offset, -1.0) for column in (0, 1, 11, 6)]
        columns.append((shifted(parents, offset, 0) == parents).astype(np.float32))
    text = np.expm1(base[:, 0]) * (1 - base[:, 1])
    link = np.expm1(base[:, 0]) * base[:, 1]
    window = np.ones(9, dtype=np.float32)
    for values in (text, link):
        columns.append(np.log1p(np.convolve(values, window)[4 : 4 + len(values)]))
    return np.stack(columns, axis=1).astype(np.float32)


def shifted(values: NDArray[np.generic], offset: int, fill: float) -> NDArray[np.generic]:
    """``values[i + offset]`` at each i, ``fill`` beyond the ends."""
    out = np.full_like(values, fill)
    if abs(offset) < len(values):
        if offset > 0:
            out[:-offset] = values[offset:]
        else:
            out[-offset:] = values[:offset]
    return out
