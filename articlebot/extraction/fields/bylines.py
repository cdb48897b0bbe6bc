"""Who wrote, as lines near a text say it: ``By Ann Lee and Bo Li``, ``Von Anna Groß``, ``本报记者 王小明 李红``, ``홍길동 기자``."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile

from articlebot.extraction.evidence import LINKED
from articlebot.extraction.fields.beside import Headline, around, is_beside
from articlebot.extraction.fields.byline_labels import AND, is_only_label, names_in_line, without_label
from articlebot.extraction.fields.eastern import is_eastern
from articlebot.extraction.fields.info_line import (
    LINE_CHARS,
    MAX_CHARS,
    NAME_CHARS,
    before_date,
    is_person,
    names_beside_date,
    signature,
    spaced,
)
from articlebot.page.blocks import Block, Node
from articlebot.page.page import Page
from articlebot.page.tags import HEADINGS, names_of
from articlebot.page.text import line_of

AUTHOR_NAMES = re.compile(
    r"(?<![a-z])(?:author|byline|writer|contributor|reporter|journalist|redakteur|autor|auteur|autore)s?\b|author[-_]?(?:name|link|list)|byline[-_]?(?:name|author)|byl\b|zuozhe"
)
_AUTHOR_LINK = re.compile(
    r"/(?:authors?|staff|team|(?:user)?profiles?|contributors?|writers?|journalists?|reporters?|columnists?|autor(?:en|es|a)?|auteurs?)/"
)
_USER_LINK = re.compile(
    r"/(?:u|users?|people|members?|space|authors?)/[\w.%-]+|/@[\w.-]{2,}|space-uid-\d|mod=space&|[?&](?:u|uid|user_?id)=\d"
)
_USER_NAMES = re.compile(r"(?:nick|user|screen|author)[-_]?name", re.I)
_USER_CHARS = 30
_NO_USERS = frozenset({"h1", "h2", "figcaption", "button", "nav"})
_AND, _BETWEEN = re.compile(rf"{AND}|、"), re.compile(rf"[/,|]|{AND}")
_NO_BYLINES = frozenset({"h1", "h2", "figcaption", "li", "td", "th", "dt", "button", "nav"})
_TOPIC = re.compile(r"tag|categor|topic|section|kicker|caption|credit|breadcrumb|title|place|locat|photo")
# Elements within a line, and a name in Chinese characters, kana or hangul, whatever its family's is.
_WITHIN, _MOST_WITHIN = ("span", "a", "em", "i", "b", "cite"), 12
EASTERN_NAME = re.compile(
    r"[\u4e00-\u9fff々ぁ-んァ-ヶー가-힣]{2,6}(?:[\s・·][\u4e00-\u9fff々ぁ-んァ-ヶー가-힣]{1,6}){0,2}"
)
_BELOW_HEADLINE = 5  # blocks from the headline on in which a line of nothing but a name is its byline
_NEAR_HEADLINE = 12  # and in which it stands between headline and text
_FEW = 4  # blocks of an element that holds a byline and no more
_BENEATH, _APART = 12, ("—", "–", "-", "(", "（")  # lines below a text, one of which may be its signature
_FIRM = 10  # kinds of lines that are bylines by what they say, and not by where they stand
_FOOT = 7  # lines below a text in which some themes say when, where and by whom, each in its own
# Lines of a list of other articles below a text, of which so many besides the first name others.
_LIST, _LEAST_ENTRIES = 24, 2
_HEAD_OF_TEXT = 10  # lines of a text that may stand above a byline: a summary, points
_STATES = re.compile(r"\W{0,3}(?:作者|撰文|(?:(?:posted|written) by|author)(?=\s?:))\s?[:：]", re.I)
# What one is or writes for, behind a name that is else all of a line.
_AGENCY = re.compile(
    r"\s?[,|](?:[^,|]{0,30}\s)?(?:editor|correspond\w{3,6}|corrispond\w{3,6}|corresponsal|reporter|writer|columnist|contributor|envoyée?|associated press|AP|reuters|AFP|dpa)(?:\s[^,|]{0,30})?\Z",
    re.I,
)


def lines_of(page: Page, body: Sequence[Block], headline: Headline) -> list[str]:
    """What lines near the headline and the ends of the body say of who wrote, by the clearest kind of line there is."""
    return next(readings(page, body, headline), [])


def readings(page: Page, body: Sequence[Block], headline: Headline, *, firm: bool = False) -> Iterator[list[str]]:
    """What each line near the headline and the ends of the body says of who wrote, the clearest kind of line first.

    Args:
        firm: only lines that say so by a label, by their markup or by their link.
    """
    if not body:
        return
    index = headline()
    first, last = body[0].index, body[-1].index
    start = first if index is None else min(first, index)
    article = around(body)
    below = page.blocks[last + 1 :][:_LIST]

    def is_own(block: Block) -> bool:
        return not (is_beside(block.element, article) or (block.index > last and _is_of_entry(block, below)))

    near = [block for block in _near(page, first, index) if is_own(block)]
    behind = [block for block in below[: _FOOT - 1] if is_own(block)]
    # A line that only says whose the text is may stand between its last ones, and is none of them.
    end = page.blocks[max(first, body[-2:][0].index, last - _FEW) : last + 1]
    foot = [*end, *(block for block in behind if block.index < last + 4)]
    # Between headline and text a name beside the date says more than whom the text names as a reporter.
    head = [block for block in near if index is not None and index < block.index < first]
    # Counts and editors may stand above a signature.
    signed = [one for one in below[1:_BENEATH] if one.text.startswith(_APART) and _is_sibling(one, body)]
    kinds: tuple[tuple[Callable[[Block], list[str]], list[Block]], ...] = (
        (_stated, [*near, *body[:_HEAD_OF_TEXT], *foot]),
        (_labelled, head),
        (_named, head),
        (names_beside_date, [] if firm else head),
        (_labelled, near),
        (lambda block: _beside_label(block, page.blocks), near),
        (_named, near),
        (_labelled, foot),
        (_stated, behind),
        (_linked, near),
        (lambda block: _beside_label(block, page.blocks), behind),
        (names_beside_date, _no_headline(page, index, max(0, start - (1 if index is not None else 3)), first + 4)),
        (_bold, page.blocks[max(0, first - 1) : first + 1]),
        (lambda block: signature(block.text), [*body[-1:], *below[:1], *signed] if len(body) > 1 else []),
    )
    for read, lines in kinds[:_FIRM] if firm else kinds:
        for block in lines:
            if read(block):
                yield _with_others(read, block, lines)
    # Who is shown below the text, with a link to the writer's page; several such are the writers of other articles.
    shown = {name for block in behind for name in _linked(block)}
    if len(shown) == 1 and not firm:
        yield [*shown]


def _is_sibling(block: Block, body: Sequence[Block]) -> bool:
    """Whether a line stands in the element of a text's last line, or beside it."""
    return any(block.node is line.node or block.node.parent is line.node.parent for line in body[-1:])


def _is_of_entry(block: Block, below: Sequence[Block]) -> bool:
    """Whether a line with names is that of an entry of a list: below a headline, as others that name others.

    Args:
        below: the lines below the text. Right below it stands its own byline, like those of comments.
    """
    above = below[max(0, block.index - below[0].index - 1)]
    headed = above is not block and (above.tag in HEADINGS or above.link_share > LINKED)
    if not headed or not (names := names_in_line(spaced(block))):
        return False
    built = block.node.tag, block.node.names
    alike = (one for one in below if one.index > block.index + 1 and (one.node.tag, one.node.names) == built)
    return sum(names_in_line(spaced(one)) not in ([], names) for one in alike) >= _LEAST_ENTRIES


def _is_beside(other: Node, node: Node) -> bool:
    """Whether two elements are built the same and stand in one, or each in one of two such."""
    if (other.tag, other.names) != (node.tag, node.names) or other.parent is None or node.parent is None:
        return False
    one, two = other.parent, node.parent
    return one is two or ((one.tag, one.names) == (two.tag, two.names) and one.parent is two.parent)


def _near(page: Page, first: int, index: int | None) -> list[Block]:
    """The lines around the headline of this index and the body that begins with the first."""
    start = first if index is None else min(first, index)
    if index is not None and index > first:  # what was taken for the body begins above the headline
        return _no_headline(page, index, max(0, index - 2), index + _BELOW_HEADLINE)
    return _no_headline(page, index, max(0, start - 4), first + 4)


def _no_headline(page: Page, index: int | None, start: int, end: int) -> list[Block]:
    """The lines of this range but the headline: ``Por qué …`` names nobody, here or in the breadcrumb."""
    lines = page.blocks[start:end]
    return lines if index is None else [block for block in lines if block.text != page.blocks[index].text]


def _with_others(read: Callable[[Block], list[str]], block: Block, lines: Sequence[Block]) -> list[str]:
    """The names in a block and in those behind it that stand beside it and are built the same."""
    names = read(block)
    for other in lines if block.node.names else ():
        if other.index > block.index and _is_beside(other.node, block.node):
            names = [*names, *read(other)]
    return list(dict.fromkeys(names))


def user_name(page: Page, body: Sequence[Block], headline: Headline) -> list[str]:
    """The name of a forum's or a platform's user who wrote, which leads to that user's page; empty without one."""
    if not body:
        return []
    near = _near(page, body[0].index, headline())
    links = ((raw.strip(), link) for block in near if block.tag not in _NO_USERS for raw, link, _ in block.pieces)
    found = (
        text
        for text, link in links
        if link is not None
        and 1 < len(text) <= _USER_CHARS
        and (_USER_LINK.search(link.get("href") or "") or _USER_NAMES.search(link.get("class") or ""))
    )
    return list(islice(found, 1))


def name_alone(page: Page, body: Sequence[Block], headline: Headline) -> list[str]:
    """The full names that are all of a line right below the headline, empty without one."""
    index = headline()
    if not body or index is None:
        return []
    below = page.blocks[index : min(max(index, body[0].index) + 4, body[-1].index + 1)][1:_BELOW_HEADLINE]
    return next((_with_others(_alone, block, below) for block in below if _alone(block)), [])


def labelled_line(page: Page, body: Sequence[Block], headline: Headline) -> list[str]:
    """What the line with a label nearest below the headline says, empty without one."""
    index = headline()
    if not body:
        return []
    start = body[0].index - _BELOW_HEADLINE + 1 if index is None else index + 1
    lines = page.blocks[max(0, start) : min(start + _BELOW_HEADLINE, body[-1].index + 1)]
    return next((names for block in lines if len(block.text) <= LINE_CHARS and (names := _labelled(block))), [])


def named_line(page: Page, body: Sequence[Block], headline: Headline) -> list[str]:
    """What the line between headline and text says that the markup calls an author's, empty without one."""
    index = headline()
    lines = page.blocks[index + 1 : body[0].index] if body and index is not None else []
    return next((names for block in lines[:_NEAR_HEADLINE] if (names := _named(block))), [])


def _labelled(block: Block) -> list[str]:
    text = spaced(block)
    names = names_in_line(text)
    # Of a line with more than the name, the link right behind the label is the name, or that which leads to its writer.
    linked = [name for name in _linked(block) if any(name in one for one in names)]
    if len(names) == 1 and not linked:
        linked = [
            name for raw, link, _ in block.pieces if link is not None and _is_first(name := raw.strip(), names[0])
        ]
    return linked if len(linked) == 1 and names and not _AND.search(names[0]) else names


def _stated(block: Block) -> list[str]:
    """What a line says that is nothing but a label and names: text that speaks of a reporter says less."""
    return _labelled(block) if len(block.text) <= LINE_CHARS and _STATES.match(block.text) else []


def _is_first(name: str, text: str) -> bool:
    """Whether a text begins with a name, behind which no other one follows."""
    return len(name) > 1 and text.startswith(name) and text[len(name) :].lstrip()[:1] not in (*",،、;/&",)


def _beside_label(block: Block, blocks: Sequence[Block]) -> list[str]:
    """The name in the cell or line behind one that is nothing but a label."""
    if not is_only_label(block.text) or block.index + 1 >= len(blocks):
        return []
    first, *others = blocks[block.index + 1 : block.index + 1 + _FEW]
    beside = takewhile(lambda other: is_person(other.text) and _is_beside(other.node, first.node), others)
    named = is_person(first.text) or (is_eastern(first.text) and len(first.text) <= NAME_CHARS)
    return [one.text for one in (first, *beside)] if named else []


def _named(block: Block) -> list[str]:
    around = [block.node, *islice(block.node.ancestors(), 1, 3)]
    fits = len(block.text) <= LINE_CHARS and any(
        AUTHOR_NAMES.search(node.names) and node.blocks <= _FEW for node in around
    )
    if fits and len(block.pieces) > 1 and all(is_person(raw.strip()) for raw, _, _ in block.pieces if raw.strip(" ,")):
        return [raw.strip() for raw, _, _ in block.pieces if raw.strip(" ,")]
    text = before_date(spaced(block)) if fits else ""
    if not text:
        return _named_inside(block)
    return [text] if AUTHOR_NAMES.search(block.node.names) or is_person(text) else []


def _named_inside(block: Block) -> list[str]:
    """What stands within a line by itself, as a date's neighbour does, and is named there as whose the text is."""
    elements = block.element.iter(*_WITHIN) if len(block.pieces) > 1 and len(block.text) <= MAX_CHARS else ()
    named = (one for one in islice(elements, _MOST_WITHIN) if AUTHOR_NAMES.search(names_of(one)))
    names = (without_label(line_of(element)) for element in named)
    fits = (name for name in names if len(name) <= NAME_CHARS and (is_person(name) or EASTERN_NAME.fullmatch(name)))
    return [*islice(fits, 1)]


def _alone(block: Block) -> list[str]:
    """Full names that are all of a line, which leads nowhere or to a writer."""
    href = next((link.get("href") or "" for _, link, _ in block.pieces if link is not None), "")
    if len(block.text) > LINE_CHARS or block.tag in _NO_BYLINES or (href and not _AUTHOR_LINK.search(href)):
        return []
    names = [part.strip() for part in _BETWEEN.split(_AGENCY.sub("", block.text))]
    return names if all(is_person(name) for name in names) and not _TOPIC.search(block.node.names) else []


def _linked(block: Block) -> list[str]:
    """Full names that lead to a page of a writer."""
    links = ((raw.strip(), link.get("href") or "") for raw, link, _ in block.pieces if link is not None)
    return [text for text, href in links if is_person(text) and _AUTHOR_LINK.search(href)]


def _bold(block: Block) -> list[str]:
    """Full names that are all of a line, and in bold."""
    names = block.text.split("/") if block.marked_chars >= len(block.text) else []
    return names if all(is_person(name.strip()) for name in names) else []
