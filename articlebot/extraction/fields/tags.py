"""The tags of an article: what links beside its text call it."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Any

from articlebot.extraction.fields.beside import around
from articlebot.extraction.url_words import TAG_WORDS
from articlebot.page.blocks import Block, Node
from articlebot.page.page import Page
from articlebot.page.tags import HEADINGS

_ADDRESS = re.compile(
    rf"(?:\A|[/?&#])(?:{TAG_WORDS}|tagged)"
    r"(?:/|=|(?:\.\w{2,5}|/)?[?#](?:\w{1,10}=)?)(?!page/)[^/?#&=]",
    re.I,
)
_LABEL = re.compile(
    r"\W{0,3}(?:(?:post |article )?tags?|tagged(?: (?:with|as|in|under))?|keywords?|标签|標[籤签]|关键[词字]|關鍵[詞字]|"
    r"タグ|태그|schlagw\w{3,6}|stichw\w{3,6}|etiquetas?|étiquettes?|mots[- ]clés|parole chiave|trefwoorden|теги|метки|emneord)"
    r"\s?(?P<colon>[:：]?)",
    re.I,
)
_COUNT = re.compile(r"[(（]\d{1,6}[)）]\s?\Z")
_COUNTED = " ()（）"
# A list of more is that of a site; lines below a text in which its own stand, and from one of them to the next.
_MOST, _BELOW, _APART = 15, 12, 2
_MOST_CHARS, _MOST_LINKED = 60, 0.5
# A box of tags, which may be no links: <div class="tags">Tags: <span>craft</span> <span>people</span></div>.
_BOX = re.compile(r"(?<![a-z])tags(?![a-z])|tag-?list", re.I)
_HEADING, _SENTENCE = re.compile(r"title|label|head"), re.compile(r"[:：。]|[.!?]\s*\Z")
_BETWEEN = re.compile(r"[,，、;；|·•#\n]")
# What is beside an article and not of it.
_ASIDE = re.compile(r"side|widget|cloud|related|recommend|popular|trending|\bhot|comment|site-?foot|site-?info")


def tags_of(page: Page, body: Sequence[Block], headline: Callable[[], int | None]) -> tuple[str, ...]:
    """The tags that stand beside the headline or right below the text, in page order; at most 15 at each.

    They are links that say so (``rel=tag``), whose address does (``/tag/…``), or that stand behind a label (``Tags:``);
    where a line has no links, what it has behind such a label, or in a box that is called after tags.
    """
    if not body:
        return ()
    article = around(body[-1:])
    top, first, last = headline(), body[0].index, body[-1].index
    # Above a headline stand those of the site, too, but as links.
    start = first if top is None else max(0, top - _APART)
    above = [one for one in page.blocks[start:first] if not one.links or (top is not None and one.index >= top)]
    below = [*page.blocks[max(first, last - _APART) : last + 1], *page.behind(body[-1], _BELOW)]
    return tuple(dict.fromkeys(tag for lines in (above, below) for tag in _first_run(page, lines, article)))


def _first_run(page: Page, lines: Iterable[Block], article: Collection[Any]) -> list[str]:
    """The tags of the first lines that have some; none where they are too many, or counted, as a site's are."""
    found: list[str] = []
    without, labelled = 0, False
    for block in lines:
        linked = block.link_chars > _MOST_LINKED * len(block.text)
        label = _LABEL.match(block.text)
        named = label is not None and (bool(label["colon"]) or label.end() == len(block.text))
        labelled = named or (labelled and linked and block.tag not in HEADINGS)  # another article's
        tags: list[str] = []
        if not _is_beside(block.node, article):
            tags = [*(_tags_in(page, block, labelled=labelled, linked=linked) if block.links else _plain(block, label))]
        without = 0 if tags else without + 1
        if found and without > _APART:
            break
        found += tags
    names = {name for one in found if 1 < len(name := one.strip(" ,，、;#·•|")) <= _MOST_CHARS}
    is_cloud = len(names) > _MOST or 2 * sum(_COUNT.search(one) is not None for one in found) > len(found)
    return [] if is_cloud else [name for one in found if (name := one.strip(" ,，、;#·•|")) in names]


def _tags_in(page: Page, block: Block, *, labelled: bool, linked: bool) -> Iterator[str]:
    """The texts of a line's links that are tags."""
    for raw, link, _ in block.pieces:
        rel = (link.get("rel") or "").lower().split() if link is not None else ()
        # What a theme shows within a tag's link is how many articles bear it.
        if link is None or "category" in rel or (len(link) and raw.strip(_COUNTED).isdecimal()):
            continue
        href = link.get("href") or ""
        # Behind a label may stand what shares the article on other sites, and below it the article's table of contents.
        own = labelled and not href.startswith("#") and page.resolve(href).startswith(page.origin)
        # WordPress' blocks mark categories as tags, too, below a name that says what they are.
        if ("tag" in rel and "categor" not in block.node.names) or own or (linked and _ADDRESS.search(href)):
            yield " ".join(raw.split())


def _plain(block: Block, label: re.Match[str] | None) -> Iterator[str]:
    """The tags of a line without links, each in an element of its own or between commas."""
    named = label is not None and bool(label["colon"])
    # What is a heading, or alone in a box of links, says what these are.
    is_heading = block.node.tag in HEADINGS or _HEADING.search(block.node.names) is not None
    box = next((one for one in islice(block.node.ancestors(), 2) if _BOX.search(one.names) and not is_heading), None)
    if named or (box is not None and next(box.element.iter("a"), None) is None):
        text = "\n".join([raw for raw, _, _ in block.pieces if raw.strip()]).lstrip()
        behind = _LABEL.match(text)
        said = text[behind.end() :] if behind is not None else text
        yield from (" ".join(one.split()) for one in _BETWEEN.split(said) if one.strip() and not _SENTENCE.search(said))


def _is_beside(node: Node, article: Collection[Any]) -> bool:
    """Whether a line stands in something beside the article, such as a site's cloud of tags."""
    for one in takewhile(lambda one: one.element not in article, node.ancestors()):
        outer = one.tag == "footer" and (one.parent is None or one.parent.tag in ("body", "html"))
        if one.tag == "aside" or (one.tag == "nav" and not _BOX.search(one.names)) or outer or _ASIDE.search(one.names):
            return True
    return False
