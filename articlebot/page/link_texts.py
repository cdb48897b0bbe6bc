"""What a link says: its own text, else what stands for it."""

from __future__ import annotations

from itertools import islice
from typing import Any

from lxml import etree

from articlebot.page.tags import INLINE
from articlebot.page.text import fold, units

# Elements above an empty link up to its card; units of a text that is more than a menu's word.
_MOST_ABOVE, _LEAST_SHOWN = 3, 10
_CUT = ("…", "...")
_WITHIN_LINES = INLINE | {"img", "svg"}


def text_of(element: Any) -> tuple[str, Any]:
    """What a link is called, and the headline that stands apart from it where this is what calls it, else None."""
    title = fold(element.get("title") or "")
    text = shown_in(element)
    if title and text.endswith(_CUT) and title.startswith(text.rstrip("….").rstrip()):
        return title, None  # the list shows the headline as far as there is room
    text = text or title or _image_text(element)
    return (text, None) if text else _laid_over(element)


def shown_in(element: Any) -> str:
    """The text that an element shows, with a blank wherever a line ends."""
    if not len(element) or all(one.tag in _WITHIN_LINES for one in element.iterdescendants()):
        return fold("".join(element.itertext()))
    parts: list[str] = []
    for event, node in etree.iterwalk(element, events=("start", "end")):
        parts.append("" if node.tag in _WITHIN_LINES else " ")
        if event == "start":
            parts.append(node.text or "")
        elif node is not element:
            parts.append(node.tail or "")
    return fold("".join(parts))


def shown(element: Any, text: str) -> tuple[bool, float, bool]:
    """How much of what a link is called it shows, to be compared with another one's.

    First whether it shows more than a menu's word, and the whole of it: a picture's description may be longer than the
    headline beside it.
    """
    own = fold("".join(element.itertext()))
    return units(own) >= _LEAST_SHOWN and not own.endswith(_CUT), units(text[:200]), bool(own)


def headline_in(element: Any) -> str:
    """The text of the headline in a link, which parsers put behind it where it is a paragraph: <h2><p>…</p></h2>."""
    inner = next(element.iter("h1", "h2", "h3", "h4"), None)
    behind = inner.getnext() if inner is not None else None
    text = fold("".join(inner.itertext())) if inner is not None else ""
    return text or (fold("".join(behind.itertext())) if behind is not None else "")


def _laid_over(element: Any) -> tuple[str, Any]:
    """What an empty link over a card is called: by the card's one headline, which is given too, else by its label."""
    node = element.getparent()
    for _ in range(_MOST_ABOVE):
        if node is None or node.tag in ("body", "html"):
            break
        heads = list(islice(node.iter("h1", "h2", "h3", "h4"), 2))
        if heads:
            text = fold("".join(heads[0].itertext())) if len(heads) == 1 else ""
            if text and _called(heads[0], text) in (None, element.get("href")):
                return text, heads[0]
            break
        node = node.getparent()
    return fold(element.get("aria-label") or ""), None


def _called(head: Any, text: str) -> str | None:
    """Where a headline itself leads to; None where it is no link."""
    links = (*islice(head.iter("a"), 1), *islice(head.iterancestors("a"), 1))
    return next((one.get("href") for one in links if fold("".join(one.itertext())) in (text, "")), None)


def _image_text(element: Any) -> str:
    image = next(element.iter("img"), None)
    return fold(image.get("alt") or "") if image is not None else ""
