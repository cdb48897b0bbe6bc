"""Lines that lead from a text to other articles: `Read more: …`, links below a label, what a card says of another article."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

import numpy as np

from articlebot.extraction.generic.features import Array
from articlebot.extraction.url_words import is_side_list
from articlebot.page.blocks import Block, Picture
from articlebot.page.tags import HEADINGS
from articlebot.page.text import units

_TAIL: Final = 8  # lines at a text's end
_MAX_CHARS: Final = 250
_LEAST_LINES: Final = 3  # of a text
_LINK_CHARS: Final = 160
_PARAGRAPH: Final = 100  # units: a headline has fewer
_MARKED: Final = 0.9  # share of a line in links
_LEAST_LINKS: Final = 3
_LINKED: Final = 0.7  # share of a line in links, beside which its time may stand
_LEAST_LED: Final = 2  # lines of links alone, without a label
_FLASH_CHARS: Final = 250
# Elements from a summary up to its card, lines of one, and how many of a kind are a list.
_CARD_LEVELS, _CARD_LINES, _LEAST_CARDS = 3, 5, 2
_HEADLINE: Final = 15  # units; what leads to a footnote has fewer
_SENTENCE: Final = 40
_CELLS: Final = frozenset({"tr", "td"})
# By so much a text is likelier than the cards below it: the least by which no annotated page of news loses.
_LIKELIER: Final = 0.2

# What leads on to other articles: a label, alone or before a link.
_LEADS = re.compile(
    r"\W*(?:(?:相关|相關|延伸|推荐|推薦|更多|精彩|往期|热门|熱門)(?:阅读|閱讀|新闻|新聞|快讯|快訊|资讯|資訊|报道|報道|報導|推荐|推薦|内容|回顾)|关联阅读|關聯閱讀|"
    r"(?:あわせて読みたい|関連(?:記事|リンク|ニュース)|관련\s?기사|함께 읽기|더 (?:보기|읽기)|xem thêm|đọc thêm|tin liên quan|(?:читайте|читать) также|читайте також|ещё по теме|подробнее|"
    r"[اإ]قر[أا] (?:أيض[اًا]{1,2}|المزيد)|यह भी पढ़ें|ये भी पढ़ें|और पढ़ें|संबंधित खबरें|อ่านเพิ่มเติม|อ่านต่อ|ข่าวที่เกี่ยวข้อง|baca juga|simak juga|see also|read (?:more|also|next)|also read|don['’]t miss|related(?: \w{4,8})?|"
    r"(?:à )?lire (?:aussi|également)|à (?:lire|voir)|lesen sie (?:auch|hier|mehr)|auch interessant|mehr zum thema|(?:te|le) puede interesar|(?:lee|lea|ver) también|(?:leia|veja) (?:também|mais)|saiba mais|leggi (?:anche|di più)|leer más|más información|"
    r"læs (?:også|mere)|les (?:også|mer)|läs (?:också|även|mer)|lue myös|lees (?:ook|meer)|(?:czytaj|zobacz|przeczytaj) (?:też|także|również)|čtěte také|přečtěte si|ayrıca oku))"
    r"(?P<mark>\s?[:：|｜>»–】〕\-]{1,3})?\s?(?P<rest>.*)\Z",
    re.I,
)
_ASIDE = ("(", "（", "see also", "See also", "See Also")  # as texts and wikis begin what is theirs
_LABEL_CHARS: Final = 30
_LINE = re.compile(r"[=\-_*—－＝─~]{3,}\Z")


def inserted(kept: Sequence[Block]) -> frozenset[int]:
    """The indexes of lines that lead to other articles, wherever they stand: `Read more: …`, a label with links below.

    On the annotated pages of news none of 18 such lines is text, on other pages of the web 14 of 36 are.
    """
    found: list[int] = []
    labelled = False
    for block in kept:
        text = block.text
        lead = _LEADS.match(text) if len(text) <= (_MAX_CHARS if block.links else _LABEL_CHARS) else None
        if lead is not None and not text.startswith(_ASIDE) and (lead["mark"] or not lead["rest"]):
            labelled = not lead["rest"]
            lead_on = labelled or block.link_chars >= _LINKED * len(lead["rest"])
        else:
            lead_on = labelled = labelled and block.links > 0 and block.link_chars >= _LINKED * len(text)
        if lead_on:
            found.append(block.index)
    return frozenset(found)


def leading_on(kept: Sequence[Block]) -> frozenset[int]:
    """The indexes of the last lines where they only lead on: a label, links to other articles below it, a ruled line.

    Without a label they are a text's references, of all but a flash, below which cards stand, too. Bloggers name
    "related articles" and addresses in their texts, and all annotators leave them there.
    """
    found: list[int] = []
    labelled = linked = 0
    few = len(kept) <= 2 * _TAIL and sum([len(block.text) for block in kept if not _is_on_card(block)]) <= _FLASH_CHARS
    for block in reversed(kept[-_TAIL:]):
        lead = _LEADS.match(block.text) if len(block.text) <= _MAX_CHARS else None
        is_link = block.links > 0 and block.link_chars >= _LINKED * len(block.text) and "://" not in block.text
        if lead is not None and (not lead["rest"] or block.links) and "://" not in block.text:
            labelled += 1
        elif (is_link or (few and _is_on_card(block))) and len(block.text) <= _LINK_CHARS:
            linked += 1
        elif not _LINE.match(block.text):
            break
        found.append(block.index)
    rest = sum([len(block.text) for block in kept if block.index not in found])
    return frozenset(found) if labelled or (linked >= _LEAST_LED and rest <= _FLASH_CHARS) else frozenset()


def _is_on_card(block: Block) -> bool:
    """Whether a line stands below a headline that is a link, as the summary on a card of another article."""
    above = block.element.getprevious()
    if above is None or not (above.tag == "a" or above.tag in HEADINGS):
        return False
    within = ("a",) if above.tag in HEADINGS else HEADINGS
    return next(above.iter(*within), None) is not None


def is_menu(block: Block) -> bool:
    """Whether a line is of links alone: what is hot, which may be as long as a flash itself, or an article's tags."""
    if not block.links or block.link_chars < _MARKED * len("".join(block.text.split())):
        return False
    return block.links >= _LEAST_LINKS or all(
        _leads_to_tag(link.get("href") or "") for _, link, _ in block.pieces if link is not None
    )


def _leads_to_tag(href: str) -> bool:
    try:
        return is_side_list(href)
    except ValueError:  # no address: http://[
        return False


def summaries(blocks: Sequence[Block], chances: Array, keep: Sequence[bool]) -> frozenset[int]:
    """The indexes of what cards say of other articles: each below a headline that is none of the text.

    Within a text a card has a sentence or more; a few words there are the text's own.

    Args:
        chances: of each of the lines, in page order.
        keep: which of them are of the text; where that is so of a card's headline, so is the card.
    """
    at = {block.index: number for number, block in enumerate(blocks)}
    cards: dict[tuple[str, str], dict[int, int]] = {}
    for number in np.flatnonzero(keep).tolist():
        block = blocks[number]
        card = next((node for node in islice(block.node.ancestors(), _CARD_LEVELS) if node.first < block.index), None)
        head = at.get(card.first) if card is not None and card.blocks <= _CARD_LINES else None
        if card is None or card.tag in _CELLS or head is None or keep[head] or block.links:
            continue
        if blocks[head].link_share > _LINKED and blocks[head].units >= _HEADLINE:
            cards.setdefault((card.tag, card.names), {})[number] = head
    found = {number for lines in cards.values() if len({*lines.values()}) >= _LEAST_CARDS for number in lines}
    if not found:
        return frozenset()
    text = [n for n in np.flatnonzero(keep).tolist() if n not in found and blocks[n].units >= _PARAGRAPH]
    # Cards of a page of little else are as likely as the rest.
    if not text or chances[text].mean() < chances[[*found]].mean() + _LIKELIER:
        return frozenset()
    return frozenset([
        blocks[number].index for number in found
        if number > text[-1] or (number > text[0] and blocks[number].units >= _SENTENCE)
    ])  # fmt: skip


def linked(blocks: Sequence[Block], keep: Sequence[bool]) -> frozenset[int]:
    """The indexes of the text's lines that are items of a list of links, of which fewer than half are of the text.

    Args:
        keep: which of the blocks, in page order, are of the text.
    """
    lists = {
        around for block, kept in zip(blocks, keep, strict=True)
        if kept and block.tag == "li" and block.link_share >= _MARKED and (around := block.node.parent) is not None
    }  # fmt: skip
    if not lists:  # as nearly always
        return frozenset()
    at = {block.index: number for number, block in enumerate(blocks)}
    every = ([at[index] for index in range(around.first, around.last) if index in at] for around in lists)
    few = [
        items for items in every
        if 2 * sum([keep[one] for one in items]) < len(items) and all(blocks[one].link_share >= _MARKED for one in items)
    ]  # fmt: skip
    return frozenset([blocks[number].index for items in few for number in items if keep[number]])


def teasers(kept: Sequence[Block]) -> frozenset[int]:
    """The indexes of what a card says of another article: long, and within one link that holds the whole card.

    Of 178 long lines of links alone on the annotated pages two stand in such a link, both shorter than these. A link
    that nobody closed holds several lines, or all.
    """
    cards: dict[Any, list[int]] = {}
    for block in kept:
        if block.link_chars >= _MARKED * len(block.text) and units(block.text) >= _PARAGRAPH:
            links = {link for _, link, _ in block.pieces if link is not None}
            if len(links) == 1 and (link := links.pop()) in block.element.iterancestors("a"):
                cards.setdefault(link, []).append(block.index)
    return frozenset([indexes[0] for indexes in cards.values() if len(indexes) == 1])


def headings_of_others(
    kept: Sequence[Block], below: Mapping[int, Picture], usual: tuple[str, str] | None
) -> frozenset[int]:
    """The index of a heading in which a text would end: what it heads is none of the text, or it is a picture.

    A gallery's text may be headings all the way down, and a sentence is none.
    """
    above, last = kept[-2:] if len(kept) > _LEAST_LINES else (None, None)
    if above is None or last is None or last.tag not in HEADINGS or above.tag in HEADINGS:
        return frozenset()
    is_text = (last.node.tag, last.node.names) == usual or last.text.endswith((".", "。")) or last.index + 1 in below
    return frozenset() if is_text else frozenset([last.index])
