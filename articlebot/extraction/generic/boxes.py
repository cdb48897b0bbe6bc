"""Boxes within a text that ask its reader for something (an address, a vote, a gift, an ear), or show what is new."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from articlebot.page.blocks import Block, Node

# A box with a field for an address of e-mail and few lines beside it: on 233 annotated pages six of the seven such
# lines that the classifier kept are none of the text, and the seventh is a call to subscribe, too.
_MOST_FIELDS: Final = 200
_LEVELS: Final = 4
_MOST_LINES: Final = 4
_MOST_CHARS: Final = 600
_SHARE: Final = 0.3  # of the text
_MOST_ANSWERS: Final = 12  # lines of a question to readers
_MOST_POLLS: Final = 3  # of more, a page is a form or a shop's filter
_BUTTON_CHARS: Final = 160
_MARKED: Final = 0.9  # share of a line in buttons
_LEAST_BUTTONS: Final = 2  # one alone may be a heading that opens what is below it
_BOXES: Final = frozenset({"p", "div", "aside", "section"})
_WHOLE: Final = frozenset({"body", "main", "article"})
_NAMED: Final = ("name", "id", "placeholder", "autocomplete")
_TYPED: Final = frozenset({"text", "", None})
# Where a link leads that stands in a box by itself, below what it calls for.
_ASKING_PATH = re.compile(
    r"(?:\A|://[^/]{1,80})/(?:[\w-]{1,20}/){0,2}(?:newsletters?|subscri(?:be|ptions?)|abo(?:nnement)?s?|donat(?:e|ions?)|spenden|"
    r"support-?us|membership|paywall)/?(?:[?#]|\Z)",
    re.I,
)
# Of what a page shows on the day, whatever its article is.
_DAILY = re.compile(
    r"\W*(?:(?:quote|thought|word|joke|fact|tip|poll) of the day|(?:zitat|spruch|wort|tipp) des tages|"
    r"(?:la )?(?:frase|cita) del día|frase do dia|frase del giorno|(?:la )?citation du jour|цитата дня|"
    r"今日の(?:名言|一言)|[每今]日(?:一[句语語]|金句|箴言)|오늘의 (?:명언|한마디)|حكمة اليوم)\W*",
    re.I,
)
_LABEL_CHARS: Final = 40
# Of what is new on other pages, each with its time; a text's own chronicle has another heading.
_LIVE = re.compile(
    r"\W*(?:live|live ?(?:ticker|blog|updates?)|news ?(?:ticker|flash)|(?:breaking|latest) news|just in|"
    r"eil(?:meldung(?:en)?)?|en (?:direct|directo|vivo)|ao vivo|(?:in )?diretta|онлайн|лента новостей|"
    r"直播|[即实實][时時](?:新闻|新聞|快讯|快訊)?|[滚滾][动動]新[闻聞]|快[讯訊]|ライブ|速報|라이브|실시간|속보|"
    r"مباشر|عاجل|लाइव|สด|trực tiếp)\W*",
    re.I,
)
_TIMED = re.compile(r"\W*\d{1,2}[:.h：時时]\s?\d\d(?!\d)")
_MOST_NEWS: Final = 12  # lines
# A ticker: name, value and change of what is traded, "DAX 18,412.35 +0.42%", side by side or below each other.
_TRADED = r"[^\d+%−-]{2,24}+\d[\d.,\s]{2,16}+(?<=\s)[+−-]\d{1,4}+[.,]\d{1,2}+\s?+%?+"
_ROW, _ONE = re.compile(rf"(?:{_TRADED}){{2,20}}+\W*"), re.compile(_TRADED)
_ROW_CHARS: Final = 400
# How long a player plays, and how fast: "23:10", "0:00 / 23:10 1x".
_LENGTH, _LENGTH_CHARS = (
    re.compile(r"\d{1,3}(?::\d\d){1,2}(?:\s?/\s?\d{1,3}(?::\d\d){1,2})?(?:\s?\d(?:[.,]\d{1,2})?\s?[x×])?"),
    24,
)
_PLAYERS: Final = ("button", "audio", "video")
# A class or an id that says as a whole what a box is: `ad-slot`, `inline_advert_2`. Not `has-ad` or `before-ad`, as a
# text is called, nor `pub-text`: of a publication.
_AROUND_AD = (
    r"(?:article|banner|block|body|box|break|card|col|container|content|div|entry|area|in|inline|inner|item|label|mid|middle|"
    r"module|native|news|outer|placeholder|post|section|slot|spot|story|text|unit|widget|wrap|wrapper|zone|\d{1,4})"
)
_AD_NAME = re.compile(
    rf"(?<!\S)(?:(?:{_AROUND_AD}[-_]{{1,2}}){{0,3}}(?:ads?|advert(?:s|isements?|ising|orial)?|sponsored|promos?|"
    r"guanggao|anzeigen?|werbung|publicidad|publicidade|publicite|pubblicita|reklam[aey]?|annonce[rs]?|anuncios?)"
    rf"(?:[-_]{{0,2}}{_AROUND_AD}){{0,3}}|(?:(?:zone|bloc|slot)[-_])?pub)(?!\S)"
)
# And so does the beginning of a paragraph, where the lines beside it do not begin so: "Print: …", "Sponsored: …".
_AD_TEXT = re.compile(
    r"\W{0,4}(?:sponsored(?: (?:content|post|message))?|paid (?:content|post)|(?:contenido|conteúdo) patrocinado|"
    r"contenu sponsorisé|广告|廣告|広告|광고)\s?[:：]",
    re.I,
)
_LABELLED = re.compile(r"[^:：.。]{1,40}[:：]")
_OF_TABLES: Final = frozenset({"td", "th", "pre"})


def asking(kept: Sequence[Block], fields: Sequence[Any]) -> frozenset[int]:
    """The indexes of those lines of a text that stand in such a box.

    Args:
        kept: the text's lines in page order.
        fields: the page's fields for input and players of sounds.
    """
    boxes = {node.element: node for block in kept for node in islice(block.node.ancestors(), _LEVELS)}
    most = min(_SHARE * sum([len(block.text) for block in kept]), _MOST_CHARS)
    small = [*_live(kept)]
    small += [box for box in (*_calls(boxes, fields), *_leading(boxes), *_daily(kept)) if box.blocks <= _MOST_LINES]
    polls = _polls(boxes, fields)
    asked = [box for box in (*small, *(polls if len(polls) <= _MOST_POLLS else ())) if box.chars <= most]
    found = {index for box in asked for index in range(box.first, box.last)}
    found.update(_tickers(kept), _adverts(kept, boxes.values()))
    return frozenset(found.union(block.index for block in kept if _is_buttons(block) or _is_length(block)))


def _calls(boxes: Mapping[Any, Node], fields: Sequence[Any]) -> Iterator[Node]:
    """The smallest boxes with lines around the fields for an address of e-mail, and around players."""
    for field in fields[:_MOST_FIELDS]:
        if (field.tag == "audio" or _is_for_address(field)) and (
            box := _first(field.iterancestors(), boxes)
        ) is not None:
            yield box


def _is_for_address(field: Any) -> bool:
    kind = field.get("type")
    return kind == "email" or (kind in _TYPED and any("mail" in (field.get(name) or "").lower() for name in _NAMED))


def _leading(boxes: Mapping[Any, Node]) -> Iterator[Node]:
    """The boxes of few lines with a link of its own that leads to where one pays, gives or subscribes.

    And those around a single paragraph with such a link: of 15 on the annotated pages none is text.
    """
    for element, box in boxes.items():
        few = 1 < box.blocks <= _MOST_LINES and element.tag not in _WHOLE
        if (few or _is_around_one(box)) and any(map(_asks if few else _leads_there, element.iter("a"))):
            yield box


def _daily(kept: Sequence[Block]) -> Iterator[Node]:
    """The boxes that begin with a label of what is shown on the day."""
    for block in kept:
        if len(block.text) <= _LABEL_CHARS and _DAILY.fullmatch(block.text):
            box = block.node.parent if block.node.blocks == 1 else block.node
            if box is not None and box.first == block.index and box.tag not in _WHOLE:
                yield box


def _live(kept: Sequence[Block]) -> Iterator[Node]:
    """The boxes of what is new: such a label, and below it lines that all begin with a time."""
    at = {block.index: block.text for block in kept}
    for block in kept:
        if len(block.text) <= _LABEL_CHARS and _LIVE.fullmatch(block.text):
            box = block.node.parent if block.node.blocks == 1 else block.node
            if box is not None and box.first == block.index and 2 < box.blocks <= _MOST_NEWS and box.tag not in _WHOLE:
                news = (at[index] for index in range(box.first + 1, box.last) if index in at)
                if all(map(_TIMED.match, news)):
                    yield box


def _tickers(kept: Sequence[Block]) -> Iterator[int]:
    """The indexes of lines of prices: a row of several, or several below each other; tables are a text's."""
    before: Block | None = None
    for block in kept:
        if len(block.text) > _ROW_CHARS or block.tag in _OF_TABLES:
            before = None
        elif _ROW.fullmatch(block.text):
            yield block.index
        elif _ONE.fullmatch(block.text):
            if before is not None:
                yield from (before.index, block.index)
            before = block
        else:
            before = None


def _adverts(kept: Sequence[Block], boxes: Iterable[Node]) -> frozenset[int]:
    """The indexes of the lines that say, or whose box says, that they are advertised; none where these are the most."""
    named = {index for box in boxes if box.names and _is_ad(box.names) for index in range(box.first, box.last)}
    beside = [None, *kept, None]
    for before, block, behind in zip(beside, kept, beside[2:], strict=False):
        if block.tag in _BOXES and _AD_TEXT.match(block.text):
            alike = (one for one in (before, behind) if one is not None and one.index not in named)
            if not any(_LABELLED.match(one.text) for one in alike):
                named.add(block.index)
    said = sum([len(block.text) for block in kept if block.index in named])
    return frozenset(named) if 2 * said < sum([len(block.text) for block in kept]) else frozenset()


@functools.lru_cache(maxsize=4096)
def _is_ad(names: str) -> bool:
    return _AD_NAME.search(names) is not None


def _is_around_one(box: Node) -> bool:
    """Whether a box has a single paragraph and nothing else: `<div><p>…</p></div>`."""
    element = box.element
    return box.blocks == 1 == len(element) and element.tag in _BOXES and element[0].tag in _BOXES


def _leads_there(link: Any) -> bool:
    return _ASKING_PATH.search(link.get("href") or "") is not None


def _asks(link: Any) -> bool:
    """Whether a link stands in a line by itself, and leads to such a page."""
    if not _leads_there(link):
        return False
    around = link.getparent()
    alone = not (around.text or "").strip() and not (link.tail or "").strip()
    return alone and (len(around) == 1 or around.tag not in ("p", "li", "span"))


def _polls(boxes: Mapping[Any, Node], fields: Sequence[Any]) -> list[Node]:
    """The boxes of a question with answers to choose from, the question and the count of votes in it."""
    named: dict[str, list[Any]] = {}
    for field in fields[:_MOST_FIELDS]:
        if field.get("type") == "radio":
            named.setdefault(field.get("name") or "", []).append(field)
    found = []
    for answers in named.values():
        other = {*answers[-1].iterancestors()} if len(answers) > 1 else ()
        box = _first((element for element in answers[0].iterancestors() if element in other), boxes)
        found += [] if box is None else [_with_question(box)]
    return found


def _with_question(box: Node) -> Node:
    """A box of answers, or the one around it where that has but a line or two more."""
    for _ in range(_LEVELS):
        above = box.parent
        if above is None or above.tag in _WHOLE or above.blocks > min(box.blocks + 2, _MOST_ANSWERS):
            return box
        box = above
    return box


def _is_buttons(block: Block) -> bool:
    """Whether a line is a row of buttons that are called so for those who do not see them."""
    if len(block.text) > _BUTTON_CHARS or block.node.blocks > 1:
        return False
    buttons = [one for one in block.element.iter() if one.get("role") == "button"]
    said = sum([len("".join(one.itertext())) for one in buttons])
    return len(buttons) >= _LEAST_BUTTONS and said >= _MARKED * len(block.text)


def _is_length(block: Block) -> bool:
    """Whether a line only says how long a player plays that stands beside it."""
    if len(block.text) > _LENGTH_CHARS or block.tag in _OF_TABLES or not _LENGTH.fullmatch(block.text):
        return False
    around = block.node.parent
    box = around if around is not None and around.blocks <= _MOST_LINES and around.tag not in _WHOLE else block.node
    return next(box.element.iter(*_PLAYERS), None) is not None


def _first(elements: Iterable[Any], boxes: Mapping[Any, Node]) -> Node | None:
    return next((boxes[element] for element in elements if element in boxes), None)
