"""What is counted in the characters of a page's blocks: over all at once, because a loop costs more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
_Bits = NDArray[np.uint16]

_START: Final = 80  # characters of a block in which digits and capitals are counted
_LABEL: Final = 6  # characters within which a colon ends a label, as in 作者：
_TABLE_SIZE: Final = 0x10000
(
    _BLANK, _HAN, _DIGIT, _UPPER, _LOWER, _STOP, _FULL_STOP, _COMMA, _FULL_COMMA, _BAR, _QUOTE, _END, _PAUSE, _COLON,
    _FULL_COLON,
) = (1 << bit for bit in range(15))  # fmt: skip
_CLASSES: Final = {
    _BLANK: " ",
    _HAN: r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
    _DIGIT: r"\d",
    _UPPER: "A-ZÀ-ÖØ-ÞА-ЯΑ-Ω",
    _STOP: ".!?",
    _FULL_STOP: "。！？；",
    _COMMA: ",",
    _FULL_COMMA: "，、",
    _BAR: "|»›·",
    _QUOTE: '“"「',
    _END: '.!?。！？…"”’」』',
    _PAUSE: ":：，,",
    _COLON: ":：",
    _FULL_COLON: "：",
}


@cache
def _table() -> _Bits:
    """The classes of each character of the basic plane as bits; those beyond it have none."""
    table = np.zeros(_TABLE_SIZE + 1, dtype=np.uint16)
    plane = "".join(map(chr, range(_TABLE_SIZE)))
    for bit, members in _CLASSES.items():
        for run in re.finditer(f"[{members}]+", plane):
            table[run.start() : run.end()] |= bit
    table[[code for code, char in enumerate(plane) if char.islower()]] |= _LOWER
    return table


class Characters:
    """Counts of each of several texts, none of them empty, whose white space is folded.

    Attributes:
        lengths: in characters.
        units: words; a Chinese or Japanese character is 0.6 of one.
        stops, commas: ends of sentences; commas between words, and the ideographic ones.
        ends: 1 where the text ends as a sentence does, 0.5 where it ends with a colon or a comma.
        digits, upper: their share of the text's first 80 characters.
        bars: signs between the steps of a path or the items of a menu.
        quotes, colon, lower: it has a quotation mark; it ends with a colon or begins with a label; it begins with a
            small letter.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        joined = "\n".join([*texts, ""])
        codes = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        bits = _table()[np.minimum(codes, _TABLE_SIZE)]
        count = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        ends = np.cumsum(count + 1) - 1
        starts = ends - count
        blank = (bits & _BLANK) > 0
        followed = np.append(blank[1:], False)

        def number(marks: NDArray[np.bool_]) -> Array:
            return np.add.reduceat(marks, starts, dtype=np.float32) if len(starts) else np.zeros(0, dtype=np.float32)

        def has(bit: int) -> NDArray[np.bool_]:
            return np.asarray((bits & bit) > 0)

        def among_first(bit: int, most: int) -> Array:
            if not len(starts):
                return number(has(bit))
            pairs = np.stack([starts, np.minimum(starts + most, ends)], axis=1).ravel()
            return np.asarray(np.add.reduceat(has(bit), pairs, dtype=np.float32)[::2])

        first, last = bits[starts], bits[ends - 1]
        self.lengths = count.astype(np.float32)
        self.units = number(blank) + 1 + np.float32(0.6) * number(has(_HAN))
        self.stops = number(has(_STOP) & followed | has(_FULL_STOP)) + ((last & _STOP) > 0)
        self.commas = number(has(_COMMA) & followed | has(_FULL_COMMA))
        self.ends = np.where(last & _END, 1, np.where(last & _PAUSE, 0.5, 0)).astype(np.float32)
        self.digits = among_first(_DIGIT, _START) / np.minimum(self.lengths, _START)
        self.upper = among_first(_UPPER, _START) / np.minimum(self.lengths, _START)
        arrow = (codes == ord(">")) & np.append(False, blank[:-1]) & followed
        self.bars = number(has(_BAR) | arrow)
        self.quotes = number(has(_QUOTE)) > 0
        self.colon = ((last & _COLON) > 0) | (among_first(_FULL_COLON, _LABEL) > 0)
        self.lower = (first & _LOWER) > 0
