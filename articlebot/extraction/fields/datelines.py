"""The lines and the time elements around a text and its headline that may say when it was published."""

# ruff: noqa: E501  patterns read best unbroken

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice

from lxml import etree

from articlebot.extraction.fields.beside import Headline, around, entries_of, is_beside, is_of_another, without_others
from articlebot.extraction.fields.date_words import UPDATED, tells_of_change
from articlebot.extraction.place import Region
from articlebot.page.blocks import Block
from articlebot.page.page import Page
from articlebot.page.text import line_of

# Time elements that are looked at, and those of them that are taken.
_MAX_TIMES, _MAX_NEAR = 2000, 10
BELOW = 0.6  # of a block below the headline is where a dateline stands most often
PROSE = 80  # characters of a line that is one of the text
_STOPS = ("。", "！", "？", "。”", "！”", "？”", "。」")
_ABOVE = 8  # blocks above the headline that may say when
_BEHIND = 6  # and those below the text that may
_NEAR_BODY = 60  # blocks from a text within which its headline is looked for
_FAR = 10_000
_MOST_BEFORE, _MOST_PARTS = 4, 200  # siblings before an element without text, and what is looked at of each
_MOMENT = re.compile(
    r"[^\d]{0,8}(?:19|20)\d\d\s?[-/.年년]\s?\d{1,2}\s?[-/.月월]\s?\d{1,2}\s?(?:日\s?|T)?\s?\d{1,2}[:：]\d\d"
)
# A day with its year and a time, and little else, in any order: what a title says of "3 days ago".
_TITLED = re.compile(r"(?=[^\d]{0,24}\d)(?=.{0,30}?(?:19|20)\d\d)(?=.{0,40}?\d(?::\d\d|\s?[ap]\.?m)).{12,45}\Z")
# Of a sentence, never of a dateline: "was sold 13 months ago".
_LONG_AGO = re.compile(
    r"\b\d{1,3} (?:weeks?|months?|years?) ago\b|\d{1,3}\s?(?:个?月|個?月|年|周|週)(?:以)?前|"
    # What happened yesterday is told today.
    r"(?:今天|今日|昨天|昨日|大?前天|\b(?:today|yesterday)\b)(?!\s?[:：]?\s?\d{1,2}[:：]\d\d)",
    re.I,
)
_DIGIT = re.compile(r"\d")
_FIRST = re.compile(r"(?:first|originally) (?:published|posted)|erstmals|(?:首次)?发布(?:于|时间)", re.I)
# Below a text, a line that says so is the article's; any other date there may be a comment's.
_LABELLED = re.compile(
    r"\W{0,2}(?:[发發][布佈]|发表|發表|刊登|公[布佈]|[张張][贴貼]|上稿|掲載|公開|등록|게시|입력|published|posted)(?:日期|时间|時間|日|일자?)?\s?[:：]|\W{0,2}posted\s(?:on|@)\s?(?=(?:19|20)\d\d-\d)",
    re.I,
)
_CHANGED = re.compile(r"(?<![a-z])(?:dt-|date)?(?:updated|modified)(?![a-z])")
# "Updated" and a day right behind it; within a run of words, as in "The plan was updated on", only with a colon.
_UPDATED_AT = re.compile(
    rf"(?<![^\W\d_]\s)(?:{UPDATED.pattern})[^\d.!?。]{{0,24}}\d|(?:{UPDATED.pattern})[^\d.!?。:：]{{0,12}}[:：][^\d.!?。]{{0,12}}\d",
    re.I,
)
_LINE_CHARS, _MOST_PIECES, _MOST_OF_CHANGE, _LABEL_END = 160, 20, 70, 40
_ZONE, _ZONE_CHARS = re.compile(r"\(?[A-Z]{2,4}\)?"), 6


def time_elements(page: Page, body: Sequence[Block], headline: Headline) -> tuple[list[str], list[tuple[int, str]]]:
    """Values of time elements and of what is marked as date of publication: of the article, and of lines around it.

    The article's are those marked so, then those from its headline, or its first lines, to its end, the nearest to the
    headline first. Those of comments, and of lists of what is new, are left out.
    """
    marked: list[str] = []
    index = headline()
    article = around(body) | around(page.blocks[index : index + 1] if body and index is not None else ())
    found: list[tuple[etree._Element, str]] = []
    for element, names in islice(_stamped(page.tree), _MAX_TIMES) if page.tree is not None else ():
        published = "published" in names or "entry-date" in names or element.get("pubdate") is not None
        if "modif" in names or ("updat" in names and not published) or is_of_another(element, article):
            continue
        text = element.get("datetime") or element.get("content") or element.get("title") or line_of(element)
        if published or "publish" in names:
            marked.append(text)
        elif element.tag == "time" or _MOMENT.match(text) or (element.tag != "meta" and _TITLED.match(text)):
            found.append((element, text))
    own, others = _placed(page, body, headline, found)
    return marked + own, others


def times_changed(page: Page, body: Sequence[Block]) -> Iterator[str]:
    """Values of time elements that are marked as the article's last change, as hAtom and schema.org have it."""
    article = around(body)
    for element in islice(chain(page.by_tag["time"], page.by_tag["abbr"]), _MAX_TIMES):
        names = f"{element.get('itemprop') or ''} {element.get('class') or ''}".lower()
        marked = "publish" not in names and _CHANGED.search(names) is not None
        if marked and not (is_of_another(element, article) or is_beside(element, article)):
            yield element.get("datetime") or element.get("title") or "".join(map(str, element.itertext()))


def lines_of_change(page: Page, body: Sequence[Block], headline: Headline) -> Iterator[str]:
    """What short lines around headline and text say of the last change, from the word for it: ``Updated: 5 May``."""
    if not body:
        return
    first, last = body[0].index, body[-1].index
    start = max(0, min(_anchor(body, headline()), first) - _ABOVE)
    article = around(body)
    for block in (*page.blocks[start : first + 3], *page.blocks[last : last + _BEHIND]):
        spaced = " ".join(raw for raw, _, _ in block.pieces[:_MOST_PIECES])
        # Prose by its end alone: names, the day of publication and counters make such a line long.
        prose = len(spaced) >= _LINE_CHARS or _is_prose(block.text[-_LABEL_END:])
        if prose or (told := _UPDATED_AT.search(spaced)) is None:
            continue
        if block.index <= last or not is_beside(block.element, article):
            yield spaced[told.start() :][:_MOST_OF_CHANGE]


def _stamped(tree: etree._Element) -> Iterator[tuple[etree._Element, str]]:
    """Time elements and those marked as a date, with the names of their property and classes in lower case."""
    for element in tree.iter("time", "abbr", "span", "meta", "a"):
        title = element.get("title")
        says_when = bool(title) and _says_when(title or "")
        if element.tag == "a":  # as of "3 days ago", which leads to what else was done on that day
            if says_when and _DIGIT.search("".join(map(str, element.itertext()))):
                yield element, ""
            continue
        prop, names = element.get("itemprop"), element.get("class")
        is_time = element.tag == "time" or element.get("data-timestamp")  # as Hugo's themes have it
        if is_time or prop or names or says_when:
            prop, marked = (prop or "").lower(), f"{prop or ''} {names or ''}".lower()
            if is_time or "published" in marked or "date" in prop or says_when:
                yield element, marked


def _says_when(text: str) -> bool:
    """Whether a text says a day with a time, and little else."""
    return (_MOMENT.match(text) or _TITLED.match(text)) is not None


def _placed(
    page: Page, body: Sequence[Block], headline: Headline, found: list[tuple[etree._Element, str]]
) -> tuple[list[str], list[tuple[int, str]]]:
    """The texts of these elements within the article, those nearest to its headline first, and of the others by line."""
    anchor = headline()
    if anchor is None and body:
        anchor = body[0].index
    if anchor is None or not found:
        return [text for _, text in found[:_MAX_NEAR]], []
    places = {block.node.element: block.index for block in reversed(page.blocks[: anchor + 200])}
    start = min(_anchor(body, anchor), body[0].index) if body else anchor
    end = body[-1].index if body else anchor + _FAR
    within: list[tuple[int, etree._Element, str]] = []
    others: list[tuple[int, etree._Element, str]] = []
    for element, text in found:
        line = _line_of(element, places)
        (within if start <= line <= end else others).append((line, element, text))
    # The updates of a running story, and a list of other articles, have their own.
    entries = entries_of((element, text) for _, element, text in within)
    own = [(line, text) for line, element, text in within if element not in entries]
    free = set(without_others([(element, text) for _, element, text in others], around(body)) if others else ())
    beside = [(line, text) for line, _, text in others if text in free]
    for some in (own, beside):
        some.sort(key=lambda item: abs(item[0] - anchor - BELOW))
    last = sorted([(line, text) for line, element, text in within if element in entries], reverse=True)
    return [text for _, text in own[:_MAX_NEAR]], [*beside[:_MAX_NEAR], *last[:_MAX_NEAR]]


def _line_of(element: etree._Element, places: Mapping[etree._Element, int]) -> int:
    """The index of the line in which an element stands; of one without text that of what stands before it."""
    line = next((places[above] for above in (element, *element.iterancestors()) if above in places), _FAR)
    if line == _FAR and not line_of(element):
        before = islice(element.itersiblings(preceding=True), _MOST_BEFORE)
        lines = (max((places.get(part, -1) for part in islice(one.iter(), _MOST_PARTS)), default=-1) for one in before)
        line = next((one for one in lines if one >= 0), _FAR)
    return line


def times_below(body: Sequence[Block], others: Sequence[tuple[int, str]]) -> list[str]:
    """The first of these times that stands right below the text, as WordPress' block themes have it."""
    last = body[-1].index if body else _FAR
    return [text for _, text in sorted(one for one in others if last < one[0] <= last + _BEHIND)[:1]]


def _anchor(body: Sequence[Block], title_index: int | None) -> int:
    """The block that the article's dates are looked for around: its headline, where that is near its text."""
    first = body[0].index if body else title_index or 0
    return title_index if title_index is not None and abs(title_index - first) < _NEAR_BODY else first


def datelines(
    page: Page, body: Sequence[Block], headline: Headline, times: Sequence[tuple[int, str]] = ()
) -> tuple[list[str], list[str]]:
    """Short lines around the headline, the nearest to it first; then what says less of when an article was published.

    That is what says of a change, the headline itself, the text's own first lines and what stands below it.

    Args:
        times: values of time elements with the indexes of the lines in which they stand; better than those lines.
    """
    title_index = headline()
    if not body and title_index is None:
        return [], []
    anchor = _anchor(body, title_index)
    first, last = (body[0].index, body[-1].index) if body else (anchor, anchor)
    lines = [
        block
        for block in page.blocks[max(0, min(anchor, first) - _ABOVE) : first + 3]
        if len(block.text) < 200 or block.index >= first
    ]

    def looseness(block: Block) -> tuple[bool, bool, bool]:
        return (
            # days that the text speaks of; of a region's text all, as its dateline may stand outside
            block.index >= first and (isinstance(page, Region) or _is_prose(block.text)),
            block.index == title_index and len(block.pieces) == 1,  # and those of a headline: "The fire of 24 January"
            tells_of_change(block.text),
        )

    lines.sort(
        key=lambda block: (looseness(block), _FIRST.match(block.text) is None, abs(block.index - anchor - BELOW))
    )
    said = [block for block in lines if not any(looseness(block))]
    short = [block for block in page.blocks[last : last + _BEHIND] if len(block.text) < 120]
    article = around(body)
    below = [block for block in short if not is_beside(block.element, article)]
    looser = lines[len(said) :] + below
    said += [block for block in below if _LABELLED.match(block.text) and block not in lines]
    marked: dict[int, list[str]] = {}
    for line, text in times:
        marked.setdefault(line, []).append(text)
    read = [
        [text for block in some for text in (*marked.get(block.index, ()), *_readings(block, page.blocks))]
        for some in (said, looser)
    ]
    return read[0], read[1]


def _is_prose(text: str) -> bool:
    """Whether a line is one of the text, a short one too: "They met yesterday."; a day and time may end in "p.m."."""
    return len(text) >= PROSE or text.endswith(_STOPS) or (text.endswith(".") and not _DIGIT.search(text))


def stated(text: str) -> str:
    """A line without what the text speaks of, where it is one of the text: "13 months ago", "yesterday"."""
    return _LONG_AGO.sub(" ", text) if _is_prose(text) else text


def _readings(block: Block, blocks: Sequence[Block]) -> list[str]:
    """A line as it is, with blanks between its elements, and with a zone that stands behind it by itself.

    Where it has several elements, they are read apart first: ``Ann LeeMay 5, 2024 2 shares``, ``10:00 amCST``.
    """
    whole = stated(block.text[:200])[:160]
    zone = blocks[block.index + 1].text if block.index + 1 < len(blocks) else ""
    if len(zone) <= _ZONE_CHARS and _ZONE.fullmatch(zone):
        return [f"{whole} {zone}", whole]
    if len(block.pieces) == 1:
        return [whole]
    apart = " ".join(raw for raw, _, _ in block.pieces[:20])[:200]
    return [_LONG_AGO.sub(" ", apart) if _is_prose(block.text) else apart, whole]
