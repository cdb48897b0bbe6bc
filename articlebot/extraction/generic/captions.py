"""Lines right below pictures that are their captions."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from articlebot.extraction.generic.words import name_groups
from articlebot.page.blocks import Block, Node, Picture

_MOST_CHARS: Final = 160
_HAN = re.compile("[\u4e00-\u9fff]")
_CAPTION = re.compile(
    r"^[▲△▼▽↑↓◆]|^(?:图为|圖為|上图为?|资料图|資料圖)|^(?:图|圖|摄影)\s?[①-⑳\d]?\s?[:：/／|｜丨]|[\u4e00-\u9fff]\s?(?:[摄攝]|撮影)\s?[）)]?\Z|(?:供图|供圖|资料图|效果图|示意图|配图)\s?[）)]?\Z|"
    r"(?:图|圖|摄影)\s?[/／|｜丨:：]\s?\S{2,16}\Z|(?:图源|图片来源)\s?[:：]?|"
    r"[(（](?:[^()（）]{0,40}[\s/])?(?:photos?|images?|pictures?|pic|foto|bild|file|getty|reuters|afp|ap|epa)\b[^()（）]{0,60}[)）]\W*\Z|"
    r"\b(?:photos?|images?|pictures?|photograph|foto|bild|credits?|crédits?)(?: credit| courtesy)?(?: by| of)?\s?[:：]\s?\S.{1,50}\Z|"
    r"(?:^|[/(.|–—-]\s?)(?:photos?|images?|pictures?) (?:by|courtesy(?: of)?)\s\S.{1,50}\Z|"
    r"^(?:image|photo|picture) (?:caption|source|credit)\b|/\s?(?:getty|reuters|afp|ap|epa|shutterstock|alamy|unsplash)\b.{0,20}\Z|\bgetty images\W*\Z",
    re.I,
)
# Of the names of what holds a picture and a line.
_PICTURED = re.compile(r"ima?ge?|pic|photo|figure|caption|media")
_CENTRED = re.compile(r"text-align\s*:\s*center|\bcenter\b", re.I)
_NO_CAPTIONS: Final = frozenset({"h1", "h2", "h3", "h4", "pre"})
# Elements in which a text has a picture of its own beside a line.
_HOLDS_TEXT: Final = frozenset({"p", "li", "td", "th", "dd", "body"})
_SHARE: Final = 0.25  # of a text


def alone_with_pictures(
    kept: Sequence[Block], below: Mapping[int, Picture], usual: tuple[str, str] | None
) -> frozenset[int]:
    """The indexes of lines that stand with a picture, and nothing else, in an element that is no paragraph.

    Of ten such lines on the annotated pages one is text, beside an icon. Where they are more than a few, a page tells its
    story by them.

    Args:
        below: the pictures by the index of the line that they stand before.
        usual: tag and names of the elements with most of the text.
    """
    found = [
        block for block in kept
        if len(block.text) <= _MOST_CHARS and (picture := below.get(block.index)) is not None
        and ((block.node.tag, block.node.names) != usual or picture.node is not block.node)
        and _is_alone(block.node, picture)
    ]  # fmt: skip
    few = sum([len(block.text) for block in found]) <= _SHARE * sum([len(block.text) for block in kept])
    times = Counter(block.text for block in found)  # what stands twice is the name of a person shown
    return frozenset([block.index for block in found if few and times[block.text] == 1])


def _is_alone(node: Node, picture: Picture) -> bool:
    """Whether an element, or the one around it, holds a line and a picture and no more."""
    holder = node
    if picture.node is not node:
        around = node.parent
        if around is None or (picture.node is not around and picture.node.parent is not around):
            return False
        holder = around
    if holder.blocks > 1 or node.tag in _NO_CAPTIONS or holder.tag in _HOLDS_TEXT:
        return False
    # What its names and a `figcaption` say the classifier has heard.
    return node.tag != "figcaption" and not any(name_groups(name) for name in node.names.split())


def is_caption(block: Block, picture: Picture | None) -> bool:
    """Whether a line right below a picture is its caption: by a form of words, or centred as Chinese editors do."""
    if picture is None or len(block.text) > _MOST_CHARS or block.tag in _NO_CAPTIONS:
        return False
    node = block.node
    if picture.node is node and node.blocks == 1 and _PICTURED.search(node.names):
        return True
    return _CAPTION.search(block.text) is not None or (_HAN.search(block.text) is not None and _is_centred(block))


def _is_centred(block: Block) -> bool:
    element = block.element
    if block.tag in ("td", "th"):
        return False
    return (
        _CENTRED.search(f"{element.get('style') or ''} {element.get('align') or ''} {element.get('class') or ''}")
        is not None
    )
