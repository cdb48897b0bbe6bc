"""What changed between two texts, by words; Chinese by the dictionary's words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from articlebot.text import normalise, segment, segment_folded, shown

Op = Literal["equal", "delete", "insert"]

_SENTENCE = re.compile(r"\s+|[^\s。！？；.!?;][^。！？；.!?;\n]*(?:[。！？；.!?;]+[”’」』\"')\]]*)?|[。！？；.!?;]+")
# Words compared inside one changed stretch; beyond that the whole stretch counts as rewritten.
_MOST_PAIRS = 4_000_000
_CONTEXT = 60  # characters: a line of a terminal has room for one change


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text that is the same in both, only in the old or only in the new one."""

    op: Op
    text: str


def edit_share(before: str, after: str) -> float:
    """Share of the words of both texts that only one of them has: 0 for the same words, 1 for none in common."""
    a, b = Counter(segment(before)), Counter(segment(after))
    return ((a - b).total() + (b - a).total()) / max(1, a.total() + b.total())


def diff(before: str, after: str) -> list[Piece]:
    """The pieces that make up both texts, in order: without the deleted ones the new text, without the inserted ones
    the old one, both with white space folded inside lines. Characters that differ in width or form only are no
    difference and stand as the new text has them.

    Sentences are compared first, then words inside those that differ: a word-by-word comparison of whole articles
    takes seconds and finds the same "the" in unrelated sentences.
    """
    old, new = _sentences(before), _sentences(after)
    pieces: list[Piece] = []
    for tag, a, b, c, d in _opcodes(old, new):
        left, right = "".join(old[a:b]), "".join(new[c:d])
        if tag == "equal":
            pieces.append(Piece("equal", right))
        else:
            pieces.extend(_words_diff(left, right))
    return _joined(pieces)


def changed_words(pieces: Sequence[Piece]) -> tuple[int, int]:
    """How many words were added and removed."""
    added = sum(len(segment_folded(piece.text)) for piece in pieces if piece.op == "insert")
    return added, sum(len(segment_folded(piece.text)) for piece in pieces if piece.op == "delete")


def shortened(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces with long unchanged stretches cut to 60 characters beside each change."""
    out = []
    for number, piece in enumerate(pieces):
        text = piece.text
        if piece.op == "equal" and len(text) > 2 * _CONTEXT + 1:
            head = text[:_CONTEXT] if number else ""
            tail = text[-_CONTEXT:] if number < len(pieces) - 1 else ""
            text = f"{head}…{tail}"
        out.append(Piece(piece.op, text))
    return out


def _sentences(text: str) -> list[str]:
    return _SENTENCE.findall("\n".join(shown(line) for line in text.split("\n")))


def _opcodes(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    # A line break before a full stop is a difference, though normalising strips it.
    form = {text: (text[:1].isspace(), normalise(text) or text, text[-1:].isspace()) for text in {*old, *new}}
    return SequenceMatcher(None, [form[text] for text in old], [form[text] for text in new], False).get_opcodes()  # type: ignore[return-value]


def _words_diff(before: str, after: str) -> Iterator[Piece]:
    old, new = _tokens(before), _tokens(after)
    if len(old) * len(new) > _MOST_PAIRS:
        yield from (Piece("delete", before), Piece("insert", after))
        return
    for tag, a, b, c, d in _opcodes(old, new):
        if tag == "equal":
            yield Piece("equal", "".join(new[c:d]))
            continue
        if a < b:
            yield Piece("delete", "".join(old[a:b]))
        if c < d:
            yield Piece("insert", "".join(new[c:d]))


def _tokens(text: str) -> list[str]:
    """Words and what stands between them."""
    out, at = [], 0
    for word in segment_folded(text):
        place = text.find(word, at)
        if place < 0:
            break
        if place > at:
            out.append(text[at:place])
        out.append(word)
        at = place + len(word)
    return [*out, text[at:]] if at < len(text) else out


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Neighbours of a kind as one; between two changes no lone space or comma, which is harder to read than either."""
    out: list[Piece] = []
    deleted, inserted = "", ""

    def flush() -> None:
        nonlocal deleted, inserted
        out.extend(Piece(op, text) for op, text in (("delete", deleted), ("insert", inserted)) if text)  # type: ignore[arg-type]
        deleted, inserted = "", ""

    for number, piece in enumerate(pieces):
        if piece.op == "delete":
            deleted += piece.text
        elif piece.op == "insert":
            inserted += piece.text
        elif deleted and inserted and _is_gap(piece.text) and number + 1 < len(pieces):
            deleted, inserted = deleted + piece.text, inserted + piece.text
        else:
            flush()
            if out and out[-1].op == "equal":
                out[-1] = Piece("equal", out[-1].text + piece.text)
            else:
                out.append(piece)
    flush()
    return out


def _is_gap(text: str) -> bool:
    return len(text) <= 2 and not any(ch.isalnum() or ch == "\n" for ch in text)
