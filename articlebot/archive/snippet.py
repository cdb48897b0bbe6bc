"""The place of a text that answers a query."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from articlebot.text import fold_in_place, shown

# What a line or two of a result hold; a Chinese character is twice as wide as a Latin one.
_WIDTH = 160
_FIRST, _LOOK_AT = 3_000, 20_000  # characters looked at first, and at all
_WORD = 20  # characters to either side that are searched for the end of a word
_STOPS = " .,;:!?，。；：！？、"


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a text, not escaped, with the (start, end) of the words that were looked for."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()

    def marked(self, before: str, after: str) -> str:
        """The text with something around each mark."""
        out, end = [], 0
        for start, stop in self.marks:
            out += [self.text[end:start], before, self.text[start:stop], after]
            end = stop
        return "".join([*out, self.text[end:]])


def snippet(body: str, pattern: re.Pattern[str] | None) -> Snippet:
    """The window of the text with the most different words of a ``Query.pattern()``; its beginning where none is."""
    text = shown(body[:_LOOK_AT])
    head = text[:200]
    width = _WIDTH // 2 if 3 * sum(map(_wide, head)) > len(head) else _WIDTH
    places = _places(text, pattern) if pattern else []
    begin = _best_window(text, places, width)
    end = _word_end(text, min(len(text), begin + width))
    head, tail = "…" if begin else "", "…" if end < len(text) else ""
    shift = len(head) - begin
    marks = tuple((start + shift, stop + shift) for start, stop in places if begin <= start < stop <= end)
    return Snippet(head + text[begin:end] + tail, marks)


def _places(text: str, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    # Most texts answer at their beginning, and folding costs time.
    return _places_in(text[:_FIRST], pattern) or _places_in(text, pattern)


def _places_in(text: str, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(fold_in_place(text))]


def _best_window(text: str, places: list[tuple[int, int]], width: int) -> int:
    """Where the window begins: a little before the first of the marks it holds."""
    best, begin, first = (0, 0), 0, 0
    inside: Counter[str] = Counter()
    for start, stop in places:
        inside[text[start:stop]] += 1
        while stop - places[first][0] > width * 3 // 4:
            left = text[places[first][0] : places[first][1]]
            inside[left] -= 1
            if not inside[left]:
                del inside[left]
            first += 1
            if first >= len(places) or places[first][0] >= stop:
                break
        held = len(inside), inside.total()
        if held > best:
            best, begin = held, places[first][0]
    begin = max(0, begin - width // 5)
    if begin and begin + width > len(text) and begin >= width // 4:
        begin = max(0, len(text) - width)
    return _word_begin(text, begin)


def _wide(character: str) -> bool:
    return character >= "\u2e80"


def _cuts_word(text: str, place: int) -> bool:
    """Whether letters of one word, of a script with blanks, stand on both sides of a place."""
    if not 0 < place < len(text):
        return False
    before, after = text[place - 1], text[place]
    return before.isalnum() and after.isalnum() and not _wide(before) and not _wide(after)


def _word_begin(text: str, place: int) -> int:
    """The next beginning of a word, where one is near; no blanks and stops before it."""
    if place == 0:
        return 0
    near = next((at for at in range(place, min(len(text), place + _WORD)) if not _cuts_word(text, at)), place)
    return next((at for at in range(near, min(len(text), near + 3)) if text[at] not in _STOPS), near)


def _word_end(text: str, place: int) -> int:
    return next((at for at in range(place, max(0, place - _WORD), -1) if not _cuts_word(text, at)), place)
