"""What ``tables`` does, one character after the other, without numpy: for who reads little."""

from __future__ import annotations

import unicodedata
from functools import cache

from articlebot.files import shipped
from articlebot.text.normal import INVISIBLE

_PLANE = 0x10000


@cache
def simplified() -> dict[int, int]:
    """Traditional Chinese characters and the simplified ones for them, both of the first plane."""
    lines = shipped("articlebot.text", "data/traditional.txt").splitlines()
    pairs = ((ord(old), ord(new)) for line in lines for old, new in zip(*line.split(), strict=True))
    return {old: new for old, new in pairs if max(old, new) < _PLANE}


class _Folded(dict[int, int]):
    """Characters and what they are folded to, each when it is first met."""

    def __missing__(self, code: int) -> int:
        folded = code if code >= _PLANE else _folded(code)
        self[code] = folded
        return folded


def _folded(code: int) -> int:
    form = unicodedata.normalize("NFKC", chr(code))
    is_one = len(form) == 1 and not INVISIBLE.search(chr(code) + form)
    lower = (form if is_one else chr(code)).lower()
    if len(lower) > 1:
        lower = form if is_one else chr(code)
    return simplified().get(ord(lower), ord(lower))


FOLDED = _Folded()
