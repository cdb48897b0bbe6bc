"""Where an article says it comes from: 来源."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, pairwise
from typing import Any

from articlebot.extraction.fields.date_reader import DateReader
from articlebot.extraction.fields.eastern import is_eastern
from articlebot.extraction.fields.info_line import parts, spaced
from articlebot.page.blocks import Block
from articlebot.page.page import Page
from articlebot.page.tags import names_of
from articlebot.page.text import line_of

# Of the other languages, what a page has that says it.
_LATIN_LABELS = ("Source:", "SOURCE ", "provided by")
# The last is that of China's standard for the sites of public bodies.
_META = ("source", "mediaid", "article:source", "copyright_source", "contentsource")
_NAME = r"(?!https?:)[^\s|｜:：，。,;；()（）【】\[\]“”「」\"]{2,30}"
_SOURCE = re.compile(
    rf"(?<![图像片])(?:来[\s\u3000]{{0,4}}源|來[\s\u3000]{{0,4}}源|稿源|出处|来自)\s{{0,4}}[:：]\s{{0,4}}[“「]?(?P<name>{_NAME})|"
    rf"^\W{{0,3}}(?:文章|稿件|信息)?来源于\s?[“「]?(?P<plain>{_NAME})(?:\s|\W{{0,3}}\Z)|^\W{{0,3}}本文(?:来自|转自|来源于|转载自)(?:微信)?(?:公众号)?\s?[:：]?\s?[“「]?(?P<account>{_NAME})|"
    r"^\s?source\s?:\s?(?!https?:)(?P<latin>[^|\n]{2,60})$|^(?-i:SOURCE)\s(?P<wire>(?-i:[A-Z])[^|\n.]{1,60})$",
    re.I,
)
# A label alone, whose name stands in the next cell or line.
_LABEL = re.compile(r"(?:(?:文章|稿件|信息)?(?:来\s{0,4}源|來\s{0,4}源|稿源)\s*[:：]?|news provided by:?)\Z", re.I)
_MARKED = re.compile(r"(?:\A|[\s_-])(?:source|src|laiyuan)(?:[\s_-]|\Z)", re.I)
# What papers, agencies and stations call themselves, beside the date where nothing says that it is the source.
_MEDIUM = re.compile(
    r"[\u4e00-\u9fffA-Za-z0-9·－-]{1,14}(?:网|報|报|社|电视台|新闻|客户端|在线|周刊|杂志|融媒体中心|融媒|广播)\Z"
)
_DAY = re.compile(r"\d月\d{1,2}|\d[:：]\d\d")
_ORIGINAL = re.compile(r"\s原创稿?件?\Z")
_KEYS = re.compile(r"(?:article|news|info)?_?(?:source|media|laiyuan)(?:_?name)?|copy_?from", re.I)
_LINE_CHARS, _MAX_NAME = 200, 30
_ABOVE, _BELOW = 8, 6  # lines around a text in which it says so
_MAX_ELEMENTS = 30


def may_name_one(page: Page) -> bool:
    """Whether a page that is not Chinese may say where its article is from: few do, and a close look costs more."""
    if any(key in page.meta for key in _META):
        return True
    return any(label in block.text for block in page.blocks for label in _LATIN_LABELS)


def source_of(page: Page, body: Sequence[Block]) -> str:
    """Where the article says it comes from (``来源：``), "" where it says nothing."""
    for key in _META:
        for value in page.meta.get(key, ()):
            name = _ORIGINAL.sub("", value.split(":")[-1].split("：")[-1].strip())
            if _is_source(name) and "/" not in name:
                return name
    if not body:
        return ""
    first, last = body[0].index, body[-1].index
    above = page.blocks[max(0, first - _ABOVE) : first + 2]
    below = page.blocks[max(first, last - 1) : last + _BELOW]
    return next((name for name in _named([*above, *below], above[: len(above) - 1]) if _is_source(name)), "")


def source_in(holder: Mapping[str, Any] | None) -> str:
    """Where the object that holds an article's text says it comes from; in Latin letters it is as often a machine."""
    said = (value.strip() for key, value in (holder or {}).items() if _KEYS.fullmatch(key) and isinstance(value, str))
    return next((name for name in said if _is_source(name) and is_eastern(name)), "")


def _named(lines: Sequence[Block], above: Sequence[Block]) -> Iterator[str]:
    """What the lines say, the clearest first: by a label, in the markup, by a medium's name beside the date."""
    for block in lines:
        if len(block.text) <= _LINE_CHARS and (match := _SOURCE.search(spaced(block))):
            yield next(group for group in match.groups() if group).strip()
    for label, value in pairwise(lines):
        if _LABEL.match(label.text.strip()):
            yield value.text
    # Elsewhere such names are those of pictures' agencies and of places.
    for block in above if any(map(is_eastern, (block.text for block in lines))) else ():
        for element in islice(block.element.iter("span", "a", "em", "i", "p", "div", "cite"), _MAX_ELEMENTS):
            if _MARKED.search(names_of(element)):
                yield line_of(element)
    for block in above:
        if DateReader().read(block.text) is not None:
            yield from (part for part in parts(block) if _MEDIUM.match(part))


def _is_source(name: str) -> bool:
    if not 2 <= len(name) <= 2 * _MAX_NAME or _LABEL.match(name):
        return False
    return any(map(str.isalpha, name)) and _DAY.search(name) is None and DateReader().read(name) is None
