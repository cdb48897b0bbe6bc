"""The place of a text that answers a query."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from articlebot.archive.query import Query
from articlebot.text import fold, normalise, segment_folded

# What a line or two of a result hold; a Chinese character is twice as wide as a Latin one.
_WIDTH = 160
_FIRST, _LOOK_AT = 3_000, 20_000


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


def snippet(body: str, query: Query | None) -> Snippet:
    """The window of the text that holds the most different words of the query; its beginning where none does."""
    text = normalise(body[:_LOOK_AT])
    width = _WIDTH if text[:200].isascii() else _WIDTH // 2
    places = _places(text, query) if query else []
    begin = _best_window(text, places, width)
    end = min(len(text), begin + width)
    head, tail = "…" if begin else "", "…" if end < len(text) else ""
    shift = len(head) - begin
    marks = tuple((start + shift, stop + shift) for start, stop in places if begin <= start < stop <= end)
    return Snippet(head + text[begin:end] + tail, marks)


def _places(text: str, query: Query) -> list[tuple[int, int]]:
    folded = fold(text)
    if len(folded) != len(text):  # a rare character whose lower case is two: the places would not be the text's
        folded = text
    # Most texts answer at their beginning, and words cost time.
    return _places_in(folded, 0, _FIRST, query) or _places_in(folded, _FIRST, _LOOK_AT, query)


def _places_in(folded: str, at: int, end: int, query: Query) -> list[tuple[int, int]]:
    places = []
    known: dict[str, bool] = {}
    for word in segment_folded(folded[at:end]):
        at = folded.find(word, at)
        if at < 0:
            break
        if word not in known:
            known[word] = query.hits(word)
        if known[word]:
            places.append((at, at + len(word)))
        at += len(word)
    return places


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
    if text.isascii() and begin:  # from a word's beginning
        begin = text.find(" ", begin) + 1 or begin
    return begin if begin + width <= len(text) or begin < width // 4 else max(0, len(text) - width)
