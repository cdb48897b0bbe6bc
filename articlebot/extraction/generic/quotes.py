"""Pulled quotes: what a page sets apart to say a part of its text once more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from articlebot.page.blocks import Block
from articlebot.page.tags import HEADINGS
from articlebot.page.text import squash

_APART: Final = frozenset({"aside", "blockquote"})
_PULLED = re.compile(r"pull-?_?quote|quote-?_?pull")
_LEAST, _MOST = 30, 300  # characters, of which a Chinese one counts as many as of a word in it
_MOST_APART: Final = 100
# Elements of lines that texts say twice in summaries, tables and code.
_TEXTUAL: Final = frozenset({"li", "td", "th", "dd", "dt", "pre", "blockquote", *HEADINGS})
_STOPS: Final = (".", "!", "?", "…", "。", "！", "？", "۔", "؟")
_QUOTES: Final = " \"'”“„‘’«»「」『』"


def pulled(kept: Sequence[Block], usual: tuple[str, str] | None) -> frozenset[int]:
    """The indexes of pulled quotes: lines set apart that only repeat a part of the text.

    On the annotated pages the texts have none of these nine twice, but a `div` that is named a quote and the paragraph
    of a `blockquote` have been said again as often as not. Of whole sentences in another kind of element than the
    text's paragraphs one of six has.

    Args:
        usual: tag and names of the elements with most of the text.
    """
    apart = [
        block for number, block in enumerate(kept)
        if max(len(block.text), block.units) >= _LEAST and len(block.text) <= _MOST
        and (_is_apart(block) or (number and _is_built_otherwise(block, usual)))
    ]  # fmt: skip
    if not apart:
        return frozenset()
    own = {block.index for block in apart}
    whole = "\n".join(["", *(squash(block.text) for block in kept if block.index not in own), ""])
    said = ((block, squash(block.text)) for block in apart[:_MOST_APART])
    # Of a line that stands there as it is, it is a copy.
    return frozenset(
        [block.index for block, key in said if key and key in whole and (_is_apart(block) or f"\n{key}\n" not in whole)]
    )


def _is_apart(block: Block) -> bool:
    above = block.node.parent
    within = above.tag if above is not None else ""
    if block.tag in _APART or within == "aside" or (block.tag in HEADINGS and within in _APART):
        return True
    return _PULLED.search(block.node.names) is not None or (above is not None and bool(_PULLED.search(above.names)))


def _is_built_otherwise(block: Block, usual: tuple[str, str] | None) -> bool:
    """Whether a line of whole sentences stands in another kind of element than the text's paragraphs."""
    if usual is None or block.tag in _TEXTUAL or "quote" in block.node.names:
        return False
    # Of paragraphs only some have names: the first, those with a large letter.
    other = block.tag != usual[0] or (block.tag != "p" and block.node.names != usual[1])
    return other and not block.links and block.text.rstrip(_QUOTES).endswith(_STOPS)
